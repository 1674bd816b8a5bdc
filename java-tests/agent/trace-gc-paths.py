#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
"""Collections are charged to the threads and call paths that they stop: to one that computes and one that allocates all of them,
each with the pauses' whole time, and nothing to threads that sleep, wait, or are blocked; whether calls are timed, or not seen at
all. Without gc_in_paths nothing is."""
import pathlib
import re
import sqlite3
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from harness import Test, run  # noqa: E402

COLLECTIONS = 40
# Collectors whose pauses are all of a collection; a program's thread waits for them in the native method that asks, so that
# what it allocates has to ask, too.
COLLECTORS = "Serial", "Parallel", "G1"
WAYS = {"timed": ("calls=instrument,include=Stopped", True), "sampled": ("calls=sample,sample=cpu:10ms", True),
        "no calls": ("calls=off", True), "not asked for": ("calls=sample", False)}


def charged(profile):
    """Pauses and time by thread and by method; how long each pause was, by the JVM's log, and all the operations in safepoints."""
    with sqlite3.connect(profile) as database:
        rows = database.execute(
            "SELECT t.name, m.name, sum(a.count), sum(a.ns) FROM account a JOIN thread t ON t.id = a.thread "
            "JOIN node n ON n.id = a.node JOIN method m ON m.id = n.method WHERE a.kind = 'gc' GROUP BY 1, 2").fetchall()
        pauses = [ns for ns, in database.execute("SELECT ns FROM collection WHERE kind = 'pause' ORDER BY ns")]
        stopped = database.execute("SELECT sum(at_ns) FROM safepoint").fetchone()[0]
    return rows, pauses, stopped


def check(test, what, profile):
    rows, pauses, stopped = charged(profile)
    threads = {}
    for thread, _, count, took in rows:
        before = threads.get(thread, (0, 0))
        threads[thread] = before[0] + count, before[1] + took
    for idle in "sleeper", "waiter", "blocked", "main":
        test.expect(threads.get(idle, (0, 0))[0] <= 1, f"{what}: {idle} is charged {threads.get(idle)}")
    # What is before the threads are there, or after, stops none.
    count, took = threads.get("computer", (0, 0))
    test.expect(COLLECTIONS - 1 <= count <= len(pauses), f"{what}: {count} pauses of {len(pauses)}")
    # A pause is about what the log calls so, and within the operation, whatever else takes the processor meanwhile.
    test.expect(0.7 * sum(pauses[:count]) <= took <= stopped,
                f"{what}: {took} ns, but pauses of {sum(pauses)}, operations of {stopped}")
    methods = {method: count for thread, method, count, _ in rows if thread == "computer"}
    test.expect(methods.get("computes", 0) >= 0.9 * count, f"{what}: methods {methods}")
    seen = test.views(profile).rows("gc-tree")
    test.same(f"{what}: the view's sum", sum(took for *_, took in rows), sum(row["base"]["ns"] for row in seen))
    test.same(f"{what}: the view's roots", sum(took for *_, took in rows),
              sum(row["cum"]["ns"] for row in seen if row["parent"] is None))


def check_hint(test, what, profile):
    """The view says how to have rows, whether collections were traced all the time or a part of it."""
    for part in "0", "ended / 2":
        with sqlite3.connect(profile) as database:
            database.execute(f"UPDATE trace_period SET began = {part}")
        test.has_line(what, test.jprof("report", profile, "--view", "gc-tree").out, "gc_in_paths=yes")


def main():
    test = Test()
    test.javac(test.javas[0], "Stopped")
    for java in test.javas:
        release = int(re.search(r'version "(\d+)', run(java, "-version").err)[1])
        for collector in COLLECTORS:
            for way, (options, asked) in WAYS.items():
                what = f"{release}, {collector}, {way}"
                print(what, flush=True)
                profile = test.new_profile()
                options += ",traces=gc" + (",gc_in_paths=yes" if asked else "")
                done = run(java, "-Xmx64m", f"-XX:+Use{collector}GC", f"-agentpath:{test.agent}={options},file={profile}",
                           "-cp", test.work, "Stopped", COLLECTIONS)
                test.expect(done.status == 0 and not done.err, str(done))
                if asked:
                    check(test, what, profile)
                else:
                    test.same(what, [], charged(profile)[0])
                    check_hint(test, what, profile)
    test.finish()


main()

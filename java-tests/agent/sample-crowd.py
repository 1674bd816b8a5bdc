#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
"""Very many threads at once, sampled by processor time: 64 that are busy, 10,000 that do a
little each, 100,000 virtual ones. The program works out what it should. Samples, and what is
counted as in none, come to the processor time that the program has measured, within 5 %; rows of
threads, folded ones, too, come to the samples. Perf events that memory has no room for are timers.

What the program measures is the time of processors, so that it is no matter what else the machine does. A
thread is sampled from before its first method until behind its last: no less than it measures in its own
code, and no more than it used in all."""
import os
import pathlib
import shutil
import sqlite3
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from harness import Test, run  # noqa: E402

# Shorter than what timers may take the place of for their own cost (docs/sampling.md).
PERIOD_US = 900
CONDITION = f"cpu:{PERIOD_US}us"
# Kind, threads, rounds of each.
CROWDS = [("platform", 64, 4000000), ("platform", 10000, 30000), ("virtual", 100000, 4000)]
LOSSES = ("inside", "outside", "full", "kernel", "rest")
# Threads of the program's. Those that carry virtual ones have what the scheduler does.
NAMES, CARRIERS = "crowd-%", "ForkJoinPool-1-worker-%"
# The memory for perf events of who has this capability has no limit.
UNLIMITED = "ipc_lock"


def release(java):
    text = (pathlib.Path(java).resolve().parent.parent / "release").read_text()
    return int(text.split('JAVA_VERSION="')[1].split(".")[0].split('"')[0])


def limited(words):
    """The command, whose memory for perf events is limited; None: it is in any case, or cannot be."""
    if os.geteuid() != 0 or not shutil.which("setpriv"):
        return None
    return ["setpriv", "--bounding-set", f"-{UNLIMITED}", "--inh-caps", f"-{UNLIMITED}", *words]


def tell(done, test):
    """The program's numbers."""
    if done.status != 0 or done.err:
        test.fail(str(done))
        test.finish()
    return tuple(map(int, done.out.split()))


class Found:
    """A profile's numbers."""

    def __init__(self, profile):
        with sqlite3.connect(profile) as database:
            self.fact = dict(database.execute("SELECT key, value FROM meta"))
            self.how = database.execute("SELECT how FROM condition").fetchone()[0]
            rows = database.execute(
                "SELECT CASE WHEN t.virtual OR t.name LIKE ? THEN 'crowd' WHEN t.name LIKE ? "
                "THEN 'carriers' ELSE 'others' END, sum(t.folded), sum(ifnull(n, 0)) FROM thread t "
                "LEFT JOIN (SELECT thread, sum(amount) n FROM account WHERE kind = 'sample' "
                "GROUP BY 1) ON thread = t.id GROUP BY 1", (NAMES, CARRIERS)).fetchall()
        self.rows = {what: (threads, samples) for what, threads, samples in rows}
        self.lost = {loss: self.number(f"{CONDITION}.{loss}") for loss in LOSSES}

    def number(self, key):
        return int(self.fact.get(f"sample.{key}", 0))


def compare(test, what, found, threads, own, used):
    there, samples = found.rows["crowd"]
    samples += found.rows.get("carriers", (0, 0))[1]
    in_rows = sum(number for _, number in found.rows.values())
    whole = samples + sum(found.lost.values())
    least, most = own / 1000 / PERIOD_US, used / 1000 / PERIOD_US
    text = f"{samples} samples and {found.lost} of {least:.0f} to {most:.0f} periods"
    print(f"  {threads} threads: {text}, {found.number('threads.timed')} timed", flush=True)
    test.expect(0.95 * least <= whole <= 1.05 * most, f"{what}: {text}")
    taken = found.number(f"{CONDITION}.taken")
    test.expect(in_rows == taken,
                f"{what}: rows have {in_rows} samples of {taken}")
    test.expect(there == threads, f"{what}: rows stand for {there} threads of {threads}")
    test.expect(found.number("threads.refused") == 0,
                f"{what}: {found.number('threads.refused')} threads without samples")
    test.expect(found.fact["complete"] == "yes", f"{what}: it is not complete")


def one(test, java, crowd, with_limit=False):
    kind, threads, rounds = crowd
    profile = test.new_profile()
    # Reads and writes of the JDK's are not what this is about.
    words = ["-XX:+UseSerialGC", "-Xmx512m", "-cp", test.work, "SampleCrowd", *crowd]
    command = [java, f"-agentpath:{test.agent}=calls=sample,sample={CONDITION},io=off,file={profile}", *words]
    if with_limit:
        command = limited(command)
        if not command:
            return
    what = f"{java} {kind} {threads}{' with a limit' if with_limit else ''}"
    print(what, flush=True)
    started, right, own, used = tell(run(*command), test)
    if started < threads:
        print(f"  the system has no room for more than {started} threads")
    test.expect(right == started, f"{what}: {right} of {started} threads have worked rightly")
    found = Found(profile)
    compare(test, what, found, started, own, used)
    if with_limit and found.how.startswith("perf"):
        test.expect(0 < found.number("threads.timed"), f"{what}: no thread has a timer")


def main():
    test = Test()
    for java in test.javas:
        test.javac(java, "SampleCrowd")
        for crowd in CROWDS:
            if crowd[0] == "platform" or release(java) >= 21:
                one(test, java, crowd)
        one(test, java, ("platform", 1500, CROWDS[1][2]), True)
    test.finish()


main()

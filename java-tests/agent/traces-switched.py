#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
"""Traces are switched on and off in a recording, again and again, while the program does what they tell of: it goes on as
before, takes no more memory, and the profile has when each was on. What cannot be switched is refused.

TIMES=1000 switches each so many times instead of 30."""
import json
import os
import pathlib
import sqlite3
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import control  # noqa: E402
from harness import Target, Test, run  # noqa: E402

TIMES = int(os.environ.get("TIMES", "30"))
WARM = max(TIMES // 5, 5)  # times until what is kept for good is there
MORE_KB = 48 * 1024  # that the JVM itself may take meanwhile
TRACES = ("objects", "locks", "gc", "exceptions", "classes", "jit", "threads", "events")


def memory_kb(pid):
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("RssAnon:"):
            return int(line.split()[1])
    return 0


def had(test, target):
    """Those of TRACES that this JVM can have by attach; each is on now and then off."""
    found = []
    for name in TRACES:
        done = run(test.program, "trace", target.pid, f"+{name}")
        if done.status == 0:
            test.expect(name in done.err, f"+{name}: {done.err}")
            found.append(name)
            test.jprof("trace", target.pid, f"-{name}")
        else:
            test.expect(name in done.err, f"refused without its name: {done}")
    return found


def refused(test, target):
    for words, said in ((["+lock"], "did you mean 'locks'"), (["gc"], "say +gc"),
                        (["+gc", "-gc"], "both on and off")):
        done = run(test.program, "trace", target.pid, *words)
        test.expect(done.status != 0 and said in done.err, f"{words}: {done}")


def listed(test, target):
    """Without words it says which are on, and which off."""
    def listing():
        lines = test.jprof("trace", target.pid).out.splitlines()
        return {line.split(":")[0]: line.split(":")[1].split() for line in lines}

    test.same("none is on", {"on": ["none"], "off": list(TRACES)}, listing())
    test.jprof("trace", target.pid, "+gc")
    test.same("gc is on", {"on": ["gc"], "off": [name for name in TRACES if name != "gc"]}, listing())
    test.jprof("trace", target.pid, "-gc")


def switch_all(client, names, times):
    """Each is on and off so many times, all mixed up. The time that each was on at least, ns."""
    least = dict.fromkeys(names, 0)
    for i in range(times):
        mine = [name for at, name in enumerate(names) if (i + at) % 3]
        client.ask("trace", on=mine)
        begin = time.monotonic_ns()
        client.ask("trace", off=mine[:1])
        time.sleep(0.001 * (i % 4))
        on = time.monotonic_ns() - begin
        client.ask("trace", off=mine)
        for name in mine[1:]:
            least[name] += on
    return least


def check_periods(test, profile, least, most):
    """Those of one trace follow each other, and are as long as they were."""
    with sqlite3.connect(profile) as db:
        rows = db.execute("SELECT trace, began, ended FROM trace_period ORDER BY id").fetchall()
    for name, ns in least.items():
        mine = [row for row in rows if row[0] == name]
        test.expect(all(ended is not None and began <= ended for _, began, ended in mine),
                    f"{name}: a period without an end")
        test.expect(all(a[2] <= b[1] for a, b in zip(mine, mine[1:])), f"{name}: periods overlap")
        total = sum(ended - began for _, began, ended in mine)
        test.expect(ns <= total <= most, f"{name}: on for {total} ns, not {ns} to {most}")


def nothing_left(test, target):
    """The next recording, without traces, has nothing of theirs."""
    profile = test.new_profile()
    test.jprof("start", target.pid, "--file", profile)
    target.tell("count")
    test.jprof("stop", target.pid)
    with sqlite3.connect(profile) as db:
        for table in "lock", "contention", "long_wait", "collection", "class", "event_block", "trace_period":
            found = db.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
            test.expect(found == 0, f"without traces: {found} rows in {table}")
    # threads.seen is of each recording.
    facts = [key for key in test.views(profile).fact
             if key.startswith(tuple(f"{name}." for name in TRACES if name != "threads"))]
    test.expect(not facts, f"without traces: {facts}")


def check(test, java):
    profile = test.new_profile()
    target = Target(test, java, "-Xcheck:jni", "-XX:+EnableDynamicAgentLoading", "-Xmx128m",
                    "-cp", test.classes, "agent.Traced",
                    known_errors="^WARNING in native method|^OpenJDK 64-Bit Server VM warning")
    target.tell("count")
    test.jprof("attach", target.pid, "--file", profile, "--flush", 1, "--log", "error")
    begin = time.monotonic_ns()
    refused(test, target)
    listed(test, target)
    names = had(test, target)
    print(java, "has", *names, flush=True)
    client = control.Client(target.pid)
    switch_all(client, names, WARM)
    before, worked = memory_kb(target.pid), target.counts("count")["work"]
    least = switch_all(client, names, TIMES)
    after = memory_kb(target.pid)
    test.expect(target.counts("count")["work"] > worked, "the program has stopped")
    test.expect(after - before < MORE_KB, f"{after - before} KB more after {TIMES} times")
    status = client.ask("status")["result"]
    test.expect(status["traces"] == [], f"still on: {status['traces']}")
    client.ask("trace", on=names)
    test.jprof("stop", target.pid)
    most = time.monotonic_ns() - begin
    check_periods(test, profile, least, most)
    summary = json.loads(run(test.program, "report", profile, "--view", "summary", "--format",
                             "json").out)
    keys = {row["key"] for row in summary["rows"]}
    test.expect(all(f"trace.{name}" in keys for name in names), f"the summary lacks some: {keys}")
    for line in control.failures:
        test.fail(line)
    nothing_left(test, target)
    target.end()


def main():
    test = Test()
    for java in test.javas:
        check(test, java)
    test.finish()


main()

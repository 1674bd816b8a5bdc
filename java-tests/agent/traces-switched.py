#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
"""Traces are switched on and off in a recording, again and again, while the program does what they tell of: it goes on as
before, and the profile has when each was on. What cannot be switched is refused. So are recordings begun and ended with all
of them on.

What jprof has of memory meanwhile is counted where it asks for it: what the whole process takes tells little, as the
program's classes, the JVM's compilers and malloc's free memory come and go. It is bounded while the recording runs, whatever
the number of switches; behind its end nothing of it is left.

TIMES=1000 switches each so many times instead of 30."""
import json
import os
import pathlib
import re
import sqlite3
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import control  # noqa: E402
from harness import Target, Test, run, wait_for  # noqa: E402
from live_memory import Live  # noqa: E402

TIMES = int(os.environ.get("TIMES", "30"))
RECORDINGS = max(TIMES // 10, 5)
MAX_MEMORY = "32m"
MORE = 32 << 20  # bytes that jprof may have at any time
LEFT = 1 << 20  # that may be left: names of methods that are new, 4 KB for each thread that there ever was at once,
LEFT_EACH = 8 << 10  # and behind each recording: what jprof knows of threads that end between two
TRACES = ("objects", "locks", "gc", "exceptions", "classes", "jit", "threads", "events")


def jcmd(java, pid, *words):
    return run(pathlib.Path(java).parent / "jcmd", pid, *words).out


def global_references(java, pid):
    return int(re.search(r"JNI global refs: (\d+)", jcmd(java, pid, "Thread.print"))[1])


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


def record_again(test, client, names, times):
    """Recordings begin and end, with all on and, every third, with none, while the program does what they tell of."""
    untimed = [name for name in names if name != "events"]
    for i in range(times):
        client.must("start", options={"file": str(test.new_profile()), "calls": "off", "max_memory": MAX_MEMORY}
                    | ({"traces": untimed} if i % 3 < 2 else {}))
        client.must("stop")


def check_left(test, live, first, what, recordings):
    for kind, before, now in zip(("allocated", "mapped"), first, live.bytes()):
        print(f"  behind {what}: {kind} {before} bytes before, {now} now", flush=True)
        test.expect(now - before < LEFT + recordings * LEFT_EACH, f"{now - before} bytes {kind} are left behind {what}")


def nothing_left(test, target):
    """The next recording, without traces, has nothing of theirs."""
    profile = test.new_profile()
    test.jprof("start", target.pid, "--file", profile)
    target.tell("count")
    test.jprof("stop", target.pid)
    with sqlite3.connect(profile) as db:
        for table in ("lock", "contention", "long_wait", "unfinished_wait", "collection", "class",
                      "event_block", "trace_period"):
            found = db.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
            test.expect(found == 0, f"without traces: {found} rows in {table}")
    # threads.seen is of each recording.
    facts = [key for key in test.views(profile).fact
             if key.startswith(tuple(f"{name}." for name in TRACES if name != "threads"))]
    test.expect(not facts, f"without traces: {facts}")


def check(test, java):
    live = Live(test)
    target = Target(test, *live.words, java, "-Xcheck:jni", "-XX:+EnableDynamicAgentLoading", "-Xmx128m",
                    "-cp", test.classes, "agent.Traced",
                    known_errors="^WARNING in native method|^OpenJDK 64-Bit Server VM warning")
    target.tell("count")
    test.jprof("attach", target.pid, "--file", test.new_profile(), "--log", "error")
    test.expect(wait_for(live.ready), "jprof's library is not found")
    refused(test, target)
    listed(test, target)
    names = had(test, target)
    print(java, "has", *names, flush=True)
    client = control.Client(target.pid)
    switch_all(client, names, 5)
    client.must("stop")
    record_again(test, client, names, 3)
    first, references = live.bytes(), global_references(java, target.pid)

    profile = test.new_profile()
    begin = time.monotonic_ns()
    client.must("start", options={"file": str(profile), "flush": "1", "max_memory": MAX_MEMORY})
    worked = target.counts("count")["work"]
    least = switch_all(client, names, TIMES)
    during = live.bytes()[0] - first[0]
    test.expect(target.counts("count")["work"] > worked, "the program has stopped")
    status = client.must("status") or {"traces": None}
    test.expect(status["traces"] == [], f"still on: {status['traces']}")
    client.ask("trace", on=names)
    test.jprof("stop", target.pid)
    most = time.monotonic_ns() - begin
    print(f"  jprof had {during} bytes more", flush=True)
    test.expect(during < MORE, f"{during} bytes more after {TIMES} times")
    check_left(test, live, first, f"{TIMES} times", 1)

    record_again(test, client, names, RECORDINGS)
    # The JVM and the JDK's libraries may have made one meanwhile; what is lost at recordings is lost both times.
    between = global_references(java, target.pid)
    record_again(test, client, names, RECORDINGS)
    more = min(between - references, global_references(java, target.pid) - between)
    check_left(test, live, first, f"{2 * RECORDINGS} recordings", 2 * RECORDINGS)
    test.expect(more <= 0, f"{more} global references are left, and again")
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

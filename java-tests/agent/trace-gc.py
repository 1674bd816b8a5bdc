#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
"""Collections and safepoints are those that -Xlog tells of beside: as many, of the same names, causes, sizes and times, with
each collector. What the program's user has the JVM log is as it would be without jprof. Views show them."""
import json
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from harness import Test, run, wait_for  # noqa: E402
import vm_log  # noqa: E402

COLLECTORS = {
    "serial": ["-XX:+UseSerialGC"],
    "parallel": ["-XX:+UseParallelGC"],
    "g1": ["-XX:+UseG1GC", "-XX:InitiatingHeapOccupancyPercent=20"],
    "z": ["-XX:+UseZGC"],
    "z generational": ["-XX:+UseZGC", "-XX:+ZGenerational"],
    "shenandoah": ["-XX:+UseShenandoahGC"],
    "shenandoah generational": ["-XX:+UseShenandoahGC", "-XX:+UnlockExperimentalVMOptions",
                                "-XX:ShenandoahGCMode=generational"],
}
# That all of them have had, of one run with a collector.
LEAST = 10


def can(java, options):
    done = run(java, *options, "-version")
    return done.status == 0 and "Ignoring option" not in done.err + done.out


def record(test, java, options):
    profile = test.new_profile()
    log = profile.with_suffix(".log")
    done = run(java, "-Xmx192m", *options,
               f"-agentpath:{test.agent}=calls=sample,traces=gc,file={profile}",
               f"-Xlog:gc*,safepoint:file={log}:timenanos,tags:filecount=0",
               "-cp", test.work, "Garbage", 6)
    test.expect(done.status == 0 and not done.err, str(done))
    return profile, log


def attach(test, java, options):
    """The same in a program that runs; its log ends as it is killed."""
    profile = test.new_profile()
    log = profile.with_suffix(".log")
    program = subprocess.Popen([java, "-Xmx192m", "-XX:+EnableDynamicAgentLoading", *options,
                                f"-Xlog:gc*,safepoint:file={log}:timenanos,tags:filecount=0",
                                "-cp", test.work, "Garbage", "forever"])
    try:
        wait_for(lambda: log.exists() and log.read_text().count("Pause") > LEAST)
        test.jprof("attach", program.pid, "--file", profile, "--calls", "sample", "--traces", "gc")
        seen = log.read_text().count("Pause")
        wait_for(lambda: log.read_text().count("Pause") > seen + 5 * LEAST)
        test.jprof("detach", program.pid)
    finally:
        program.kill()
        program.wait()
    return profile, log


def check_part(test, what, profile, log):
    """The rows are a part of what the log says, without a gap."""
    found, _, stops = vm_log.of_profile(profile)
    said, points = vm_log.sections(log), vm_log.safepoints(log)
    first = next((i for i, one in enumerate(said) if not vm_log.differs(found[0], one)), None)
    test.expect(first is not None, f"{what}: not in the log: {found[0]}")
    # A cycle that began before, and of which the log says only that it has ended, has no row.
    begun = said[(first or 0):]
    cycles = {row["number"] for row in found if row["kind"] == "cycle"}
    begun = [one for one in begun if one["ns"] is not None or one["number"] > begun[0]["number"] or one["number"] in cycles]
    for row, one in zip(found, begun):
        wrong = vm_log.differs(row, one)
        if wrong:
            test.fail(f"{what}: {wrong}: {row} and {one}"[:1000])
            break
    begin = points.index(stops[0]) if stops[0] in points else 0
    test.same(f"{what}: safepoints", points[begin:begin + len(stops)], stops)
    test.expect(len(found) > LEAST, f"{what}: {len(found)} sections")


def check_views(test, what, profile):
    """The sums of the views are those of the rows."""
    seen = test.views(profile)
    rows = vm_log.of_profile(profile)[0]
    pauses = [row["ns"] for row in rows if row["kind"] == "pause"]
    gc = seen.rows("gc")
    total = [row for row in gc if row["part"] == "total"][0]
    test.same(what, [len(pauses), sum(pauses), max(pauses)],
              [total["count"], total["paused"], total["longest"]])
    test.same(what, sum(pauses), sum(row["paused"] for row in gc if row["part"] == "cause"))
    stops = vm_log.of_profile(profile)[2]
    total = [row for row in seen.rows("safepoints") if row["part"] == "total"][0]
    test.same(what, [len(stops), sum(stop[1] for stop in stops)], [total["count"], total["ns"]])
    text = test.jprof("report", profile, "--view", "gc", "--top", 3).out
    test.has_line(what, text, "pauses", "the longest")
    facts = {key: value for key, value in seen.fact.items() if key.startswith("gc.")}
    test.same(f"{what}: nothing is lost", {}, facts)


def main():
    test = Test()
    test.javac(test.javas[0], "Garbage")
    for java in test.javas:
        release = int(re.search(r'version "(\d+)', run(java, "-version").err)[1])
        for name, options in COLLECTORS.items():
            if not can(java, options):
                print(f"{release} has no {name}")
                continue
            what = f"{release}, {name}"
            print(what, flush=True)
            profile, log = record(test, java, options)
            for line in vm_log.differences(profile, log):
                test.fail(f"{what}: {line[:1000]}")
            test.expect(len(vm_log.sections(log)) >= LEAST, f"{what}: hardly a collection")
            check_views(test, what, profile)
            check_part(test, f"{what}, attached", *attach(test, java, options))
    # Where it was off views say so, and how to have it.
    profile = test.new_profile()
    run(test.javas[0], f"-agentpath:{test.agent}=calls=sample,file={profile}", "-cp", test.work, "Garbage", 1)
    for view in "gc", "safepoints":
        test.has_line(view, test.jprof("report", profile, "--view", view).out, "no trace of gc", "jprof trace")
        shown = json.loads(test.jprof("report", profile, "--view", view, "--format", "json").out)
        test.same(view, [], shown["rows"])
    test.finish()


main()

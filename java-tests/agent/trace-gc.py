#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
"""Collections and safepoints are those that -Xlog tells of beside: as many, of the same names, causes, sizes and times, with
each collector. What the program's user has the JVM log is as it would be without jprof. Views show them."""
import json
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from harness import Test, run  # noqa: E402
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
    # Where it was off views say so, and how to have it.
    profile = test.new_profile()
    run(test.javas[0], f"-agentpath:{test.agent}=calls=sample,file={profile}", "-cp", test.work, "Garbage", 1)
    for view in "gc", "safepoints":
        test.has_line(view, test.jprof("report", profile, "--view", view).out, "no trace of gc", "jprof trace")
        shown = json.loads(test.jprof("report", profile, "--view", view, "--format", "json").out)
        test.same(view, [], shown["rows"])
    test.finish()


main()

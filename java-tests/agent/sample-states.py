#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
"""Two seconds interpreted, compiled by either compiler, in native code, in the kernel, waiting in one
way or another: the view of states says each, within 5 %."""
import functools
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from harness import Test, run  # noqa: E402

MILLISECONDS = 2000
# A condition, and its period; options of the JVM; what the program does, in which state.
CPU, WALL = ("cpu:1ms", 1e6), ("wall:10ms", 1e7)
RUNS = [
    (CPU, (), {"interpreted": "interpreted", "native": "native", "kernel": "kernel"}),
    (CPU, ("-XX:TieredStopAtLevel=1",), {"compiled": "c1"}),
    (CPU, ("-XX:-TieredCompilation",), {"compiled": "c2"}),
    (WALL, (), {"asleep": "waiting", "locked": "waiting", "notified": "waiting",
                "parked": "waiting", "receiving": "waiting"}),
]
STATES = ("interpreted", "c1", "c2", "native", "jvm", "kernel", "stub", "inlined", "waiting",
          "unknown")


def record(test, java, condition, words, works):
    """What the program says that it used, in ns, by what it did; and the profile."""
    profile = test.new_profile()
    threads = ",threads=main" if condition is WALL else ""
    done = run(java, f"-agentpath:{test.agent}=calls=sample,sample={condition[0]}{threads},io=off,"
               f"file={profile}",
               *words, "-XX:CompileCommand=quiet",
               "-XX:CompileCommand=exclude,SampleStates.interpreted", "-cp", test.work,
               "SampleStates", MILLISECONDS, *works)
    if done.status != 0 or done.err:
        test.fail(str(done))
        test.finish()
    return {name: int(used) for name, used in map(str.split, done.out.splitlines())}, profile


def differences(test, condition, works, used, profile):
    """Lines."""
    rows = test.views(profile).rows("states")
    found = {state: sum(row["samples"].get(state, 0) for row in rows) for state in STATES}
    print(f"  {found}")
    periods = {work: used[work] / condition[1] for work in works}
    for state in sorted(set(works.values())):
        expected = sum(periods[work] for work in works if works[work] == state)
        if abs(found[state] - expected) > 0.05 * expected:
            yield f"{found[state]} samples in state {state} instead of {expected:.0f}"
    # Of those that wait each is in a method of its own.
    seen = {row["method"]: row["samples_cum"]["wall"]
            for row in test.views(profile).rows("methods")
            if condition is WALL and row["class"] == "SampleStates"}
    for work in works if condition is WALL else ():
        if abs(seen.get(work, 0) - periods[work]) > 0.05 * periods[work]:
            yield f"{work}: {seen.get(work)} samples instead of {periods[work]:.0f}"
    for row in rows:
        if sum(number for state, number in row["samples"].items() if state != "all") != \
                row["samples"]["all"]:
            yield f"states of {row} do not come to all"


def main():
    test = Test()
    for java in test.javas:
        test.javac(java, "SampleStates")
        for condition, words, works in RUNS:
            test.twice(f"{java} {condition[0]} {' '.join(words)}",
                       functools.partial(record, test, java, condition, words, works),
                       functools.partial(differences, test, condition, works))
    test.finish()


main()

#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
"""Two seconds interpreted, compiled by either compiler, in native code, in the kernel: the view of
states says each, within 5 %."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from harness import Test, run  # noqa: E402

MILLISECONDS = 2000
# Options of the JVM, and what the program does, in which state. Waiting: by wall time.
RUNS = [
    ((), {"interpreted": "interpreted", "native": "native", "kernel": "kernel"}),
    (("-XX:TieredStopAtLevel=1",), {"compiled": "c1"}),
    (("-XX:-TieredCompilation",), {"compiled": "c2"}),
]


def record(test, java, words, works, profile):
    """What the program says that it used, in ns, by what it did."""
    done = run(java, f"-agentpath:{test.agent}=calls=sample,sample=cpu:1ms,io=off,file={profile}",
               *words, "-XX:CompileCommand=quiet",
               "-XX:CompileCommand=exclude,SampleStates.interpreted", "-cp", test.work,
               "SampleStates", MILLISECONDS, *works)
    if done.status != 0 or done.err:
        test.fail(str(done))
        test.finish()
    return {name: int(used) for name, used in map(str.split, done.out.splitlines())}


def differences(test, works, used, profile):
    """Lines."""
    rows = test.views(profile).rows("states")
    found = {state: sum(row["samples"][state] for row in rows) for state in
             ("interpreted", "c1", "c2", "native", "jvm", "kernel", "stub", "inlined", "unknown")}
    print(f"  {found}")
    for work, state in works.items():
        periods = used[work] / 1e6
        if abs(found[state] - periods) > 0.05 * periods:
            yield f"{work}: {found[state]} samples in state {state} instead of {periods:.0f}"
    for row in rows:
        if sum(number for state, number in row["samples"].items() if state != "all") != \
                row["samples"]["all"]:
            yield f"states of {row} do not come to all"


def main():
    test = Test()
    for java in test.javas:
        test.javac(java, "SampleStates")
        for words, works in RUNS:
            # What else runs on the machine is noise, which does not come twice.
            for last in False, True:
                profile = test.new_profile()
                print(java, *words, flush=True)
                used = record(test, java, words, works, profile)
                wrong = list(differences(test, works, used, profile))
                if not wrong or last:
                    break
            for line in wrong:
                test.fail(f"{java} {' '.join(words)}: {line}")
    test.finish()


main()

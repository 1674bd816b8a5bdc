#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
"""A program that measures what processor time each of its methods uses: their shares of the samples
are the same, within three standard errors, for 95 of 100 methods. Compiled by both compilers in
turns, by the first one alone, and by the second one alone."""
import math
import pathlib
import sqlite3
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from harness import Test, run  # noqa: E402

MILLISECONDS = 8000
PERIOD_US = 250
WAYS = {"tiered": (), "c1": ("-XX:TieredStopAtLevel=1",), "c2": ("-XX:-TieredCompilation",)}
# What never runs compiled, and what is compiled otherwise than the way is called.
NOT_THERE = {"tiered": (), "c1": ("c2", "c2-inlined"), "c2": ("c1", "c1-inlined")}


def record(test, java, way):
    """What the program says that each method used, and the profile."""
    profile, file = test.new_profile(), test.work / "written"
    if pathlib.Path("/dev/shm").is_dir():
        file = pathlib.Path("/dev/shm") / f"{test.work.name}.written"
    # What jprof does for each read and write would be time of the program, and no sample.
    options = f"calls=sample,sample=cpu:{PERIOD_US}us,io=off,file={profile}"
    done = run(java, f"-agentpath:{test.agent}={options}",
               *WAYS[way], "-XX:CompileCommand=quiet",
               "-XX:CompileCommand=exclude,SampleShares.interpreted*",
               "-Djdk.virtualThreadScheduler.parallelism=1",
               "-Djdk.virtualThreadScheduler.maxPoolSize=1",
               "-cp", test.work, "SampleShares", MILLISECONDS, file)
    file.unlink(missing_ok=True)
    if done.status != 0 or done.err:
        test.fail(str(done))
        test.finish()
    return {name: int(used) for name, used in map(str.split, done.out.splitlines())}, profile


def stacks(profile):
    """How many stacks there are, and how many periods they stand for. With a timer of the kernel's
    tick a stack stands for several."""
    with sqlite3.connect(profile) as database:
        return database.execute("SELECT sum(count), sum(amount) FROM samples").fetchone()


def compare(test, used, profile):
    """Lines: the methods that are off, and what else is wrong."""
    found = {row["method"]: row["samples_cum"]["cpu"] for row in test.views(profile).rows("methods")
             if row["class"] == "SampleShares" and row["method"] in used}
    # Its method is inlinedDeep in a virtual thread.
    if "virtual" in used:
        found["inlinedDeep"] -= found["virtual"]
    count, amount = stacks(profile)
    all_used, all_found = sum(used.values()), sum(found.values())
    stacks_there = all_found * count / amount
    off, chi = [], 0
    for name, ns in used.items():
        share, by_samples = ns / all_used, found.get(name, 0) / all_found
        error = math.sqrt(share * (1 - share) / stacks_there)
        chi += ((by_samples - share) / error) ** 2
        if abs(by_samples - share) > 3 * error:
            off.append(f"{name}: {100 * share:.2f} % of the time, {100 * by_samples:.2f} % of the "
                       f"samples, {(by_samples - share) / error:+.1f} standard errors")
    print(f"  {len(used)} methods, {all_found} samples, mean square of the standard errors "
          f"{chi / len(used):.2f}")
    wrong = off if len(off) > 0.05 * len(used) else []
    # Each period of the time that was measured is there.
    expected = all_used / (PERIOD_US * 1000)
    if abs(all_found - expected) > 0.03 * expected:
        wrong.append(f"{all_found} samples of {expected:.0f} periods")
    for line in off:
        print(f"  {line}")
    return wrong


def states(test, way, profile):
    with sqlite3.connect(profile) as database:
        found = dict(database.execute("SELECT state, sum(amount) FROM samples GROUP BY state"))
    for state in NOT_THERE[way]:
        test.expect(found.get(state, 0) == 0, f"{way}: {found.get(state)} samples in {state}")
    return found


def main():
    test = Test()
    for java in test.javas:
        test.javac(java, "SampleShares")
        for way in WAYS:
            # What else runs on the machine is noise, which does not come twice.
            for last in False, True:
                print(f"{java} {way}", flush=True)
                used, profile = record(test, java, way)
                test.expect(len(used) >= 30, f"{way}: only {len(used)} methods")
                wrong = compare(test, used, profile)
                if not wrong or last:
                    break
            for line in wrong:
                test.fail(f"{java} {way}: {line}")
            print(f"  {states(test, way, profile)}")
    test.finish()


main()

#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
"""A program that measures what processor time each of its methods uses: their shares of the samples
are the same, within three standard errors, for 95 of 100 methods. Compiled by both compilers in
turns, by the first one alone, and by the second one alone."""
import functools
import pathlib
import sqlite3
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import shares  # noqa: E402
from harness import Test, run  # noqa: E402

SECONDS = 8
PERIOD_US = 250
# What never runs compiled, and what is compiled otherwise than the way is called.
NOT_THERE = {"tiered": (), "c1": ("c2", "c2-inlined"), "c2": ("c1", "c1-inlined")}


def record(test, java, way):
    """What the program says that each method used, and the profile."""
    profile, file = test.new_profile(), test.work / "written"
    if pathlib.Path("/dev/shm").is_dir():
        file = pathlib.Path("/dev/shm") / f"{test.work.name}.written"
    done = run(*shares.command(java, way, test.work, SECONDS, file,
                               shares.jprof(test.agent, PERIOD_US, profile)))
    file.unlink(missing_ok=True)
    if done.status != 0 or done.err:
        test.fail(str(done))
        test.finish()
    return shares.used(done.out), profile


def stacks(profile):
    """How many stacks there are, as if they stood for equally many periods, and how many periods they
    stand for. With a timer of the kernel's tick a stack stands for several."""
    with sqlite3.connect(profile) as database:
        count, amount = database.execute("SELECT sum(count), sum(amount) FROM samples").fetchone()
    return count * shares.evenness(profile), amount


def compare(test, used, profile):
    """Lines: the methods that are off, and what else is wrong."""
    found = {row["method"]: row["samples_cum"]["cpu"] for row in test.views(profile).rows("methods")
             if row["class"] == shares.PROGRAM and row["method"] in used}
    count, amount = stacks(profile)
    seen = shares.Shares(used, found, amount / count)
    off = [f"{method.name}: {100 * method.time:.2f} % of the time, {100 * method.samples:.2f} % of "
           f"the samples, {method.errors:+.1f} standard errors" for method in seen.off]
    print(f"  {len(used)} methods, {seen.found} samples, mean square of the standard errors "
          f"{seen.mean_square:.2f}")
    wrong = off if len(off) > 0.05 * len(used) else []
    # Each period of the time that was measured is there.
    expected = seen.used / (PERIOD_US * 1000)
    if abs(seen.found - expected) > 0.03 * expected:
        wrong.append(f"{seen.found} samples of {expected:.0f} periods")
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
        test.javac(java, shares.PROGRAM)
        for way in shares.WAYS:
            used, profile = test.twice(f"{java} {way}", functools.partial(record, test, java, way),
                                       functools.partial(compare, test))
            test.expect(len(used) >= 30, f"{way}: only {len(used)} methods")
            print(f"  {states(test, way, profile)}")
    test.finish()


main()

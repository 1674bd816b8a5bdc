#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
"""A program that does little but call: where its calls are counted there are samples of that, at the method that is counted,
and none among those of the program; where they are not counted there are none."""
import pathlib
import sqlite3
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from harness import Test, run  # noqa: E402

MILLISECONDS = 2000
CONDITION = "cpu:1ms"
COUNTED = {"auto": True, "count": True, "sample": False}


def record(test, java, calls):
    profile = test.new_profile()
    done = run(java, f"-agentpath:{test.agent}=calls={calls},sample={CONDITION},file={profile}",
               "-cp", test.work, "SampleCounted", MILLISECONDS)
    if done.status != 0 or done.err:
        test.fail(str(done))
        test.finish()
    return profile


def check(test, calls, profile):
    seen = test.views(profile)
    with sqlite3.connect(profile) as database:
        found = {(method, state == "jprof"): number for method, state, number in database.execute(
            "SELECT method, state, sum(amount) FROM samples GROUP BY method, state = 'jprof'")}
    counting = sum(number for (_, own), number in found.items() if own)
    print(f"  calls={calls}: {counting} samples of counting, {found.get(('small', True), 0)} at small")
    if not COUNTED[calls]:
        test.same(f"calls={calls}: samples of counting", 0, counting)
        return
    test.expect(counting > 50, f"calls={calls}: only {counting} samples of counting")
    test.expect(found.get(("small", True), 0) > 0.9 * counting, f"calls={calls}: {found}")
    # Of them no more than counting can take: the others are the methods' own.
    taken_out = seen.fact[f"samples.{CONDITION}.counting"]
    small = sum(row["samples"]["cpu"] for row in seen.rows("methods") if row["method"] == "small")
    test.expect(0 < taken_out <= counting, f"calls={calls}: {taken_out} of {counting}")
    test.expect(found.get(("small", False), 0) <= small <= found.get(("small", False), 0) + counting
                - taken_out + 5, f"calls={calls}: {small} samples of small, {found}")
    test.same(f"calls={calls}: all", int(seen.fact[f"sample.{CONDITION}.taken"]),
              taken_out + sum(row["samples"]["cpu"] for row in seen.rows("threads")))


def main():
    test = Test()
    for java in test.javas:
        test.javac(java, "SampleCounted")
        for calls in COUNTED:
            check(test, calls, record(test, java, calls))
    test.finish()


main()

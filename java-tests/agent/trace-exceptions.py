#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
"""A program that counts its own exceptions: thrown, thrown again, suppressed, implicit, by natives, caught by nobody; on platform and
virtual threads. The profile has the same numbers, whatever is put into methods beside. By attach it has the objects that were
made with a stack, and says that this is what they are. While the trace is off there are none."""
import os
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from harness import Test, run  # noqa: E402

TIMES = int(os.environ.get("TIMES", "2000"))
# Implicit exceptions are thrown often: the JVM is to make an object, with a stack, for each of them.
JAVA = ("-Xcheck:jni", "-XX:-OmitStackTraceInFastThrow", "-XX:+EnableDynamicAgentLoading")


def told(out):
    """What the program has counted: (exception, thrown in, caught in): (times, again, how)."""
    rows = {}
    for line in out.splitlines():
        if line.startswith("row "):
            exception, site, catcher, again, how, number = line.split()[1:]
            rows[exception, site, catcher] = int(number), int(again) * int(number), how
    return rows


def short(caught):
    return caught.rsplit(".", 1)[1].split("(")[0] if caught else "-"


def found(test, profile):
    """What the profile has of the program's own methods."""
    rows = {}
    for row in test.views(profile).rows("exceptions"):
        key = row["exception"], row["method"], short(row["caught"])
        if row["class"] and row["class"].startswith("Thrown"):
            old = rows.get(key, (0, 0, 0, 0))
            rows[key] = tuple(a + b for a, b in zip(old, (
                row["thrown"], row["again"], row["not_caught"], row["created"])))
    return rows


def check_tree(test, what, profile):
    """By call path they are as many as by class."""
    seen = test.views(profile)
    tree, flat = seen.rows("exception-tree"), seen.rows("exceptions")
    test.expect(sum(row["count"] for row in tree) == sum(row["count"] for row in flat) ==
                sum(row["cum"]["count"] for row in tree if row["parent"] is None),
                f"{what}: the tree has others than the list")


def thrown(test, java, calls):
    profile = test.new_profile()
    done = run(java, *JAVA, f"-agentpath:{test.agent}=calls={calls},traces=exceptions,"
               f"file={profile}", "-cp", test.work, "Thrown", TIMES, timeout=300)
    what = f"{java} calls={calls}"
    test.expect(done.status == 0 and "overflow" in done.out, f"{what}: {done}")
    expected = {key: (number, again, number if key[2] == "-" else 0, 0)
                for key, (number, again, _) in told(done.out).items()}
    test.expect(len(expected) == 15, f"{what}: the program tells of {len(expected)} ways")
    rows = found(test, profile)
    overflow = rows.pop(("java.lang.StackOverflowError", "overflow", "main"), (0,))
    test.expect(overflow[0] == 1, f"{what}: {overflow[0]} overflows of the stack")
    # Handlers of probes may overflow, too, on the way out.
    rows.pop(("java.lang.StackOverflowError", "overflow", "-"), None)
    test.same(what, dict(sorted(expected.items())), dict(sorted(rows.items())))
    lost = [key for key in test.views(profile).fact if key.startswith("trace.lost")]
    test.same(f"{what}: lost", [], lost)
    check_tree(test, what, profile)


def created(test, java):
    profile = test.new_profile()
    with subprocess.Popen([java, *JAVA, "-cp", test.work, "Thrown", str(TIMES), "wait"], text=True,
                          stdin=subprocess.PIPE, stdout=subprocess.PIPE) as program:
        test.expect(program.stdout.readline() == "waits\n", "it does not wait")
        test.jprof("attach", program.pid, "--file", profile, "--traces", "exceptions", "--log",
                   "error")
        out = program.communicate("\n", timeout=300)[0]
    what = f"{java} by attach"
    expected = {}
    for (exception, site, _), (number, _, how) in told(out).items():
        if how == "stack":
            expected[exception, site] = expected.get((exception, site), 0) + number
    rows = {}
    for (exception, site, _), row in found(test, profile).items():
        test.expect(row[:3] == (0, 0, 0), f"{what}: {exception} is said to be thrown")
        rows[exception, site] = rows.get((exception, site), 0) + row[3]
    rows.pop(("java.lang.StackOverflowError", "overflow"), None)
    test.same(what, dict(sorted(expected.items())), dict(sorted(rows.items())))
    text = test.jprof("report", profile, "--view", "exceptions", "--calibration", "off").out
    test.has_line(what, text, "were made", "not whether")
    check_tree(test, what, profile)


def off(test, java):
    """Nothing is recorded, and how to have it is said."""
    profile = test.new_profile()
    run(java, f"-agentpath:{test.agent}=calls=off,file={profile}", "-cp", test.work, "Thrown", 10)
    test.same(f"{java}: off", [], test.views(profile).rows("exceptions"))
    text = test.jprof("report", profile, "--view", "exceptions", "--calibration", "off").out
    test.has_line(f"{java}: off", text, "no trace of exceptions", "--traces exceptions")


def main():
    test = Test()
    for java in test.javas:
        print(java, re.search(r'"(.*?)"', run(java, "-version").err).group(1), flush=True)
        test.javac(java, "Thrown")
        for calls in "off", "auto", "instrument", "sample", "count":
            thrown(test, java, calls)
        created(test, java)
        off(test, java)
    test.finish()


main()

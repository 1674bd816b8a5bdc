#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
"""No calls are seen, or not all of them with their paths, and each operation of I/O is at its path nevertheless, as the
program counts them; also of classes whose memory was another's before, and where methods become timed and counted by turns."""
import os
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from harness import Test, run  # noqa: E402

ROUNDS, CLASSES = 20000, 60


def record(test, java, *options, restless=False):
    profile = test.new_profile()
    done = run(java, f"-agentpath:{test.agent}=" + ",".join((f"file={profile}", *options)), "-Xcheck:jni",
               "-cp", test.work, "SampleIo", ROUNDS, CLASSES, test.work / "written",
               env=os.environ | ({"JPROF_RESTLESS": "1"} if restless else {}))
    if done.status != 0 or done.err:
        test.fail(str(done))
        test.finish()
    return {name: int(number) for name, number in map(str.split, done.out.splitlines())}, profile


def written(test, profile):
    """By method of the program: its own writes and those below it."""
    names = ("one", "two", "deep", "PartA.write", "PartB.write")
    found = {}
    for row in test.views(profile).rows("io-methods"):
        name = f"{row['class']}.{row['method']}".removeprefix("SampleIo").lstrip(".$")
        if name in names:
            found[name] = row["cum"]["writes"]["ops"]
    return found


def main():
    test = Test()
    for java in test.javas:
        test.javac(java, "SampleIo")
        print(java, flush=True)
        for options in ("calls=sample",), ("calls=sample", "sample=cpu:10ms+wall:20ms"), ("calls=off",):
            counted, profile = record(test, java, *options)
            test.same(f"{options}: writes", counted, written(test, profile))
            test.sound(str(options), profile)
            print(f"  {options}: {counted}", flush=True)
        release = int(re.search(r'version "(\d+)', run(java, "-version").err)[1])
        # Restless twice: other versions of the methods are on the stacks each time.
        for options, restless in ("calls=count", False), ("calls=auto", False), *[("calls=auto", True)] * 2:
            # Before, a JVM may crash where replaced methods are on stacks that are asked for: they are not.
            if options == "calls=auto" and release < 23:
                continue
            counted, profile = record(test, java, options, restless=restless)
            test.same(f"{options}, restless {restless}: writes", counted, written(test, profile))
            test.sound(options, profile)
    test.finish()


main()

#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
"""A program of which the JVM itself tells how many bytes each of its methods has allocated: there are as
many samples, within 2 %, and each method and its class has its share of them, within three standard
errors. Each is at the line that allocates."""
import functools
import math
import pathlib
import re
import sqlite3
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from harness import Test, run  # noqa: E402

# So many that the number of samples, which are taken by chance, has an error of half a percent.
MEGABYTES, PERIOD = 16000, 512 << 10
# What the methods allocate.
CLASSES = {"bytes": "byte[]", "references": "java.lang.Object[]", "small": "SampleAlloc$Small",
           "make": "SampleAlloc$Inlined", "cloned": "int[]", "text": "char[]",
           "interpreted": "short[]", "large": "long[]"}
# Objects that fit into no buffer of a thread are by themselves: beside others the JVM takes them too rarely
# before JDK 25, and what is allocated next instead.
RUNS = {"small objects": [method for method in CLASSES if method != "large"],
        "large objects": ["large"]}
MIXED = {"objects of all sizes": list(CLASSES)}
MIXED_FROM = 25


def release(java):
    return int(re.search(r'version "(\d+)', run(java, "-version").err).group(1))


def record(test, java, methods):
    """How many bytes the JVM says that each method has allocated, and the profile."""
    profile = test.new_profile()
    options = f"calls=sample,sample=alloc:{PERIOD >> 10}k,threads=main,io=off,file={profile}"
    done = run(java, f"-agentpath:{test.agent}={options}", "-XX:CompileCommand=quiet",
               "-XX:CompileCommand=exclude,SampleAlloc.interpreted", "-cp", test.work,
               "SampleAlloc", MEGABYTES, *methods)
    if done.status != 0 or done.err:
        test.fail(str(done))
        test.finish()
    return {name: int(used) for name, used in map(str.split, done.out.splitlines())}, profile


def found_in(seen):
    """Samples by the program's method that is the nearest above, and class."""
    rows = {row["id"]: row for row in seen.rows("tree")}
    found = {}
    for row in rows.values():
        above = row
        while above["parent"] is not None and not (
                above["class"] == "SampleAlloc" and above["method"] in CLASSES):
            above = rows[above["parent"]]
        if row["samples"]["alloc"] > 0 and above["parent"] is not None:
            key = above["method"], row["class"]
            found[key] = found.get(key, 0) + row["samples"]["alloc"]
    return found


def marked_lines(source):
    """By the method: the line that is said to allocate."""
    lines, method = {}, None
    for number, line in enumerate(source.read_text().splitlines(), 1):
        begins = re.match(r"    static [\w\[\]]+ (\w+)\(", line)
        method = begins.group(1) if begins else method
        if line.endswith("// allocates"):
            lines[method] = number
    return lines


def stacks(profile):
    with sqlite3.connect(profile) as database:
        return database.execute("SELECT sum(count), sum(amount) FROM samples").fetchone()


def differences(test, used, profile):
    """Lines."""
    seen = test.views(profile)
    found = found_in(seen)
    count, amount = stacks(profile)
    all_used, all_found = sum(used.values()), sum(found.values())
    expected = all_used / PERIOD
    stacks_there = all_found * count / amount
    print(f"  {all_found} samples, {count} stacks, {expected:.0f} periods: "
          f"{100 * (all_found / expected - 1):+.2f} %")
    if abs(all_found - expected) > 0.02 * expected:
        yield f"{all_found} samples of {expected:.0f} periods"
    for (method, of_class), number in found.items():
        if CLASSES[method] != of_class:
            yield f"{method} has {number} samples of {of_class}"
    for method, size in used.items():
        share = size / all_used
        by_samples = found.get((method, CLASSES[method]), 0) / all_found
        error = math.sqrt(share * (1 - share) / stacks_there)
        print(f"  {method}: {100 * share:.2f} % of the bytes, {100 * by_samples:.2f} % of the samples")
        if abs(by_samples - share) > 3 * error:
            yield (f"{method}: {100 * share:.2f} % of the bytes, {100 * by_samples:.2f} % of the "
                   f"samples, {(by_samples - share) / error:+.1f} standard errors")


def lines(test, profile, methods):
    """Of methods in which one line allocates that one alone has samples: all of them."""
    marked = marked_lines(test.source / "java-tests/agent/SampleAlloc.java")
    test.expect(len(marked) == len(CLASSES) - 1, f"marked lines: {marked}")
    rows = [row for row in test.views(profile).rows("lines")
            if row["class"] == "SampleAlloc" and row["method"] in marked]
    test.same("lines", {method: marked[method] for method in methods if method in marked},
              {row["method"]: row["line"] for row in rows})
    test.expect(len(rows) == len({row["method"] for row in rows}), f"other lines: {rows}")


def main():
    test = Test()
    for java in test.javas:
        test.javac(java, "SampleAlloc")
        for name, methods in (RUNS | (MIXED if release(java) >= MIXED_FROM else {})).items():
            _, profile = test.twice(f"{java} {name}", functools.partial(record, test, java, methods),
                                    functools.partial(differences, test))
            lines(test, profile, methods)
    test.finish()


main()

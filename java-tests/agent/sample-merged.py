#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
"""Probes in some methods, and samples on two conditions: calls are exact, the samples of what has no
probes are below them in one tree, and all that was taken is in it. While paths come all the time, the file is
whole after each flush."""
import collections
import pathlib
import sqlite3
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from harness import Test, run  # noqa: E402

ROUNDS = 4000
FLUSHES = 10
PROBED = ("entry", "inner", "again")
CONDITIONS = {"cpu": "cpu:250us", "alloc": "alloc:64k"}
# Below which methods of the program there may be others: of what has a probe, the nearest that has one.
BELOW = {"rounds": {"entry", "again"}, "entry": {"middle", "leaf", "inner"}, "middle": {"leaf"},
         "inner": {"leaf"}, "again": {"leaf", "between", "again"}, "between": {"leaf"}}


def record(test, java):
    """What the program counted, and the profile."""
    profile = test.new_profile()
    methods = "+".join(f"SampleMerged.{name}" for name in PROBED)
    options = f"calls=instrument,sample={'+'.join(CONDITIONS.values())},include={methods}"
    done = run(java, f"-agentpath:{test.agent}={options},file={profile}", "-cp", test.work,
               "SampleMerged", ROUNDS)
    if done.status != 0 or done.err:
        test.fail(str(done))
        test.finish()
    return {name: int(calls) for name, calls in map(str.split, done.out.splitlines())}, profile


def taken(test, seen, profile):
    """All of it is somewhere: in the file, in the tree, in the threads, in the methods."""
    with sqlite3.connect(profile) as database:
        rows = dict(database.execute("SELECT condition, sum(amount) FROM samples GROUP BY 1"))
    for event, name in CONDITIONS.items():
        number = int(seen.fact[f"sample.{name}.taken"])
        print(f"  {name}: {number} samples")
        test.expect(number > 500, f"{name}: only {number} samples")
        sums = {"file": rows.get(name, 0),
                "tree, base": sum(row["samples"][event] for row in seen.rows("tree")),
                "tree, cum": sum(row["samples_cum"][event] for row in seen.rows("tree")
                                 if row["parent"] is None),
                "threads": sum(row["samples"][event] for row in seen.rows("threads")),
                "methods": sum(row["samples"][event] for row in
                               seen.rows("methods") + [seen["methods"]["outside"]]),
                "states": sum(row["samples"]["all"] for row in seen.rows("states")
                              if row["condition"] == name)}
        test.same(f"{name}: samples", {key: number for key in sums}, sums)


def structure(test, seen):
    """Each path once; samples where they should be. A few are at a method's first and last
    instructions, on the other side of its probe."""
    rows = {row["id"]: row for row in seen.rows("tree")}
    paths = collections.Counter((row["parent"], row["class"], row["method"], row["signature"])
                                for row in rows.values() if row["parent"] is not None)
    for path, times in paths.items():
        test.expect(times == 1, f"{path} is {times} nodes")
    wrong = collections.Counter()
    every = 0
    for row in rows.values():
        if row["class"] != "SampleMerged" or row["method"] not in BELOW | {"leaf": 0}:
            continue
        every += row["samples"]["cpu"]
        above = rows[row["parent"]]
        while above["class"] != "SampleMerged" and above["parent"] is not None:
            above = rows[above["parent"]]
        if above["class"] == "SampleMerged" and above["method"] in BELOW and \
                row["method"] not in BELOW[above["method"]]:
            wrong[above["method"], row["method"]] += row["samples_cum"]["cpu"]
        if row["method"] in PROBED and (row["how"] or {}).get("calls") == "sampled":
            wrong["sampled", row["method"]] += row["samples_cum"]["cpu"]
        if row["method"] not in PROBED:
            test.expect(not row["calls"], f"{row['method']} has {row['calls']} calls")
    print(f"  {every} samples in the program, elsewhere: {dict(wrong)}")
    test.expect(sum(wrong.values()) <= every / 100, f"of {every} samples elsewhere: {dict(wrong)}")


def shares(test, seen):
    """Loops are known: what is below inner, entry and the rest of middle."""
    cum = collections.Counter()
    for row in seen.rows("methods"):
        if row["class"] == "SampleMerged":
            cum[row["method"]] = row["samples_cum"]["cpu"]
    everything = 2 * 20000 + 20000 + 10000 + 7 * 3000
    for name, part in ("entry", 70000), ("inner", 40000), ("middle", 20000), ("again", 21000),:
        share = cum[name] / (cum["entry"] + cum["again"])
        test.expect(abs(share - part / everything) < 0.05,
                    f"{name}: {share:.3f} of the samples instead of {part / everything:.3f}")
        print(f"  {name}: {share:.3f}, by its loops {part / everything:.3f}")


def classes(test, profile):
    """What was allocated."""
    with sqlite3.connect(profile) as database:
        found = dict(database.execute("SELECT class, sum(amount) FROM samples WHERE condition = ? "
                                      "AND kind = 'class' GROUP BY 1", (CONDITIONS["alloc"],)))
    print(f"  {found}")
    for name in "byte[]", "long[]":
        test.expect(found.get(name, 0) > 100, f"{name}: {found.get(name, 0)} samples")


def whole_at_each_flush(test, java):
    """Each sampled node's caller is there, or one that it went to."""
    profile = test.new_profile()
    words = java, f"-agentpath:{test.agent}=sample=cpu:100us,file={profile}", "-cp", test.work, "SampleGrowing"
    with subprocess.Popen([str(word) for word in words], stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE, text=True) as program:
        program.stdout.readline()
        for _ in range(FLUSHES):
            test.jprof("snapshot", program.pid)
            with sqlite3.connect(profile) as database:
                lost = database.execute(
                    "SELECT count(*) FROM node n WHERE parent NOT IN (SELECT id FROM node) "
                    "AND parent NOT IN (SELECT id FROM forward)").fetchone()[0]
            test.expect(lost == 0, f"{lost} nodes are below nodes that are not there")
        program.stdin.close()
    test.expect(program.returncode == 0, f"exit status {program.returncode}")


def main():
    test = Test()
    for java in test.javas:
        test.javac(java, "SampleMerged", "SampleGrowing")
        whole_at_each_flush(test, java)
        print(java, flush=True)
        counted, profile = record(test, java)
        seen = test.views(profile)
        test.same("calls", {f"SampleMerged.{name}": calls for name, calls in counted.items()},
                  test.calls(profile, "^SampleMerged$"))
        test.sound("merged", profile)
        taken(test, seen, profile)
        structure(test, seen)
        shares(test, seen)
        classes(test, profile)
    test.finish()


main()

#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
"""The processor time of reads is what the JVM says that their thread ran, and that of a read that waits is next to nothing, however
it is taken: with the metric cpu, without it, with no calls seen. Views agree on the sum. Without io_cpu there is none."""
import pathlib
import sqlite3
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from harness import Test, run  # noqa: E402

READS = 2000
WAYS = {"metric": "calls=instrument,include=IoCpu,metrics=wall+cpu", "no metric": "calls=instrument,include=IoCpu,metrics=wall",
        "sampled": "calls=sample,sample=cpu:10ms", "no calls": "calls=off", "records": "calls=off,io=records"}


def record(test, java, options):
    profile = test.new_profile()
    done = run(java, f"-agentpath:{test.agent}=file={profile},{options}", "-Xcheck:jni", "-cp", test.work, "IoCpu")
    if done.status != 0 or done.err:
        test.fail(str(done))
        test.finish()
    return {name: int(number) for name, number in map(str.split, done.out.splitlines())}, profile


def in_profile(profile):
    with sqlite3.connect(profile) as database:
        return database.execute("SELECT count(*), coalesce(sum(ns), 0) FROM account WHERE kind = 'io-cpu'").fetchone()


def check(test, what, told, profile):
    views = test.views(profile)
    zero = [row for row in views.rows("files") if row["path"] == "/dev/zero"]
    test.same(f"{what}: reads", READS, sum(row["reads"]["ops"] for row in zero))
    cpu = sum(row["cpu_ns"] for row in zero)
    # What is between the reads is the JVM's alone.
    test.expect(0.75 * told["reads"] <= cpu <= 1.02 * told["reads"], f"{what}: {cpu} ns of {told['reads']}")
    waits = [row for row in views.rows("connections") if row["received"]["bytes"] == 1]
    test.same(f"{what}: connections that received", 1, len(waits))
    for row in waits:
        test.expect(row["received"]["ns"] > 100_000_000 and row["cpu_ns"] < 0.1 * row["received"]["ns"],
                    f"{what}: waited {row['received']['ns']} ns, ran {row['cpu_ns']}")
    _, ns = in_profile(profile)
    test.same(f"{what}: io-methods' and io-tree's sums", [ns, ns],
              [sum(row["base_cpu_ns"] for row in views.rows("io-tree")),
               sum(row["cum_cpu_ns"] for row in views.rows("io-tree") if row["parent"] is None)])
    print(f"  {what}: {cpu} ns of {told['reads']}", flush=True)


def main():
    test = Test()
    for java in test.javas:
        test.javac(java, "IoCpu")
        print(java, flush=True)
        for way, options in WAYS.items():
            told, profile = record(test, java, options + ",io_cpu=yes")
            check(test, way, told, profile)
            test.sound(way, profile)
        _, profile = record(test, java, WAYS["metric"])
        test.same("not asked for", (0, 0), in_profile(profile))
        test.expect(all("cpu_ns" not in row for row in test.views(profile).rows("files")), "a column of nothing")
    test.finish()


main()

#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
"""The processor time of reads is what the JVM says that their thread ran, and that of a read that waits is next to nothing, however
it is taken: with the metric cpu, without it, with no calls seen; by attach; on a virtual thread; slice by slice. Views agree on the
sum. Without io_cpu there is none."""
import json
import pathlib
import re
import sqlite3
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from harness import Test, run  # noqa: E402

READS = 2000
WAYS = {"metric": "calls=instrument,include=IoCpu,metrics=wall+cpu", "no metric": "calls=instrument,include=IoCpu,metrics=wall",
        "sampled": "calls=sample,sample=cpu:10ms", "no calls": "calls=off", "records": "calls=off,io=records"}


def record(test, java, options, *words):
    profile = test.new_profile()
    # One carrier: a virtual thread's time is one thread's of the system.
    done = run(java, f"-agentpath:{test.agent}=file={profile},{options}", "-Xcheck:jni",
               *(["-Djdk.virtualThreadScheduler.parallelism=1"] if words else []), "-cp", test.work, "IoCpu", *words)
    if done.status != 0 or done.err:
        test.fail(str(done))
        test.finish()
    return {name: int(number) for name, number in map(str.split, done.out.splitlines())}, profile


def attached(test, java, options, *words):
    """The same, of a program that the agent is loaded into."""
    profile = test.new_profile()
    with subprocess.Popen([java, "-XX:+EnableDynamicAgentLoading", "-Xcheck:jni", "-cp", test.work, "IoCpu", "wait", *words],
                          text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as program:
        told = program.stdout.readline()
        test.jprof("attach", program.pid, "--file", profile, "--log", "error",
                   *(word for option in options.split(",") for word in ("--" + option.split("=")[0], option.split("=", 1)[1])))
        told += program.communicate("\n", timeout=120)[0]
    test.same(f"attached, {options}: exit status", 0, program.returncode)
    return {name: int(number) for name, number in map(str.split, told.splitlines())}, profile


def by_slices(test, what, profile):
    """All slices together have the reads and the processor time of the whole."""
    with sqlite3.connect(profile) as database:
        slices = database.execute("SELECT began, ended FROM slice ORDER BY began").fetchall()
    test.expect(len(slices) > 1, f"{what}: {len(slices)} slices")
    sums = {"ops": 0, "cpu": 0}
    for began, ended in slices:
        rows = json.loads(test.jprof("report", profile, "--view", "files", "--format", "json", "--calibration", "off", "--from",
                                     f"{began / 1e9:.4f}s", "--to", f"{ended / 1e9:.4f}s").out)["rows"]
        for row in rows:
            if row["path"] == "/dev/zero":
                sums["ops"] += row["reads"]["ops"]
                # A slice without I/O has no such column.
                sums["cpu"] += row.get("cpu_ns", 0)
    whole = [row for row in test.views(profile).rows("files") if row["path"] == "/dev/zero"]
    test.same(f"{what}: by slices", {"ops": READS, "cpu": sum(row["cpu_ns"] for row in whole)}, sums)


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
            told, profile = attached(test, java, options + ",io_cpu=yes,resolution=100ms")
            check(test, f"{way}, attached", told, profile)
            by_slices(test, f"{way}, attached", profile)
            if int(re.search(r'version "(\d+)', run(java, "-version").err)[1]) >= 21:
                told, profile = record(test, java, options + ",io_cpu=yes,resolution=100ms", "virtual")
                check(test, f"{way}, virtual", told, profile)
                by_slices(test, f"{way}, virtual", profile)
        _, profile = record(test, java, WAYS["metric"])
        test.same("not asked for", (0, 0), in_profile(profile))
        test.expect(all("cpu_ns" not in row for row in test.views(profile).rows("files")), "a column of nothing")
    test.finish()


main()

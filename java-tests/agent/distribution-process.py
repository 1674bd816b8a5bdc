#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
"""What the whole process used during calls of watched methods, which wait while other threads work. Their program knows what those
threads used at least, by their own clocks, and what the process used from before each call until behind it. What profiles say lies
between, of calls that return, fail, are in one another, and change carriers; of whole recordings and of intervals; and
of calls that had begun before there is nothing."""
import json
import math
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from harness import Target, Test, run  # noqa: E402

METHODS = "waits", "fails", "recursive", "idle", "virtual"
WATCHED = "+".join(f"Burned.{method}" for method in (*METHODS, "held"))
PARTS = {"p50": 0.5, "p90": 0.9, "p99": 0.99, "p99_9": 0.999}
BUCKET = 1 / 256  # half the width of one
# How far off the truth may be, of one call: the JVM tells the process's time in hundredths of a second (times(2)), and the system has
# that of a thread that runs on another processor as of its last tick; what is allocated for the figures themselves.
SLACK = {"cpu": 35_000_000, "alloc": 200_000}


def read_calls(*files):
    """By method: of each call whether it failed and, by metric, the least and the most that it may have."""
    calls = {}
    for file in files:
        for line in file.read_text().splitlines():
            method, failed, *numbers = line.split()
            cpu, alloc = map(int, numbers[:2]), map(int, numbers[2:])
            calls.setdefault(method, []).append(
                {"failed": failed == "true", "cpu": tuple(cpu), "alloc": tuple(alloc)})
    return calls


def rows_of(test, profile, view, *choice):
    done = test.jprof("report", profile, "--view", view, "--format", "json", "--calibration", "off", *choice)
    return json.loads(done.out)["rows"] if done.status == 0 else []


def check_figure(test, what, figure, bounds, slack, exact):
    """exact: least and most, too; else they are those of a bucket."""
    low, high = sorted(low for low, high in bounds), sorted(high for low, high in bounds)
    ranks = {"min": 0, "max": len(low) - 1} | {
        key: math.ceil(len(low) * part) - 1 for key, part in PARTS.items()}
    for key, rank in ranks.items():
        part = BUCKET if key in PARTS else 0 if exact else 2 * BUCKET
        test.expect(low[rank] * (1 - part) - slack <= figure[key] <= high[rank] * (1 + part) + slack,
                    f"{what}: {key} is {figure[key]}, not within {low[rank]} .. {high[rank]}")
    # Ticks that are missing at one call's end are too many at the next one's.
    slack *= math.sqrt(len(low))
    test.expect(sum(low) - slack <= figure["sum"] <= sum(high) + slack,
                f"{what}: the sum is {figure['sum']}, not within {sum(low)} .. {sum(high)}")
    test.expect(figure["mean"] == figure["sum"] // len(low), f"{what}: mean {figure['mean']}")


def check(test, what, profile, calls, *choice, metrics=("cpu", "alloc")):
    rows = {row["method"]: row for row in rows_of(test, profile, "distribution", *choice)}
    test.same(f"{what}: methods", sorted(calls), sorted(rows))
    exact = "--snapshot" not in choice
    for method, row in rows.items():
        told = calls[method]
        test.same(f"{what}: {method}: calls and failed", [len(told), sum(call["failed"] for call in told)],
                  [row["calls"], row["failed"]])
        test.same(f"{what}: {method}: metrics", sorted(metrics), sorted(row["process"]))
        if len(told) != row["calls"]:
            continue
        for metric in metrics:
            check_figure(test, f"{what}: {method}: {metric} of the process", row["process"][metric],
                         [call[metric] for call in told], SLACK[metric], exact)
        if method != "idle":
            test.expect(4 * row["cpu"]["sum"] < row["process"]["cpu"]["sum"],
                        f"{what}: {method}: its own thread has worked: {row['cpu']}")
    slowest = [row for row in rows_of(test, profile, "slowest", *choice) if row["level"] == 0]
    for row in slowest:
        for metric in metrics:
            value, bounds = row["process"][metric], [call[metric] for call in calls.get(row["method"], ())]
            slack = SLACK[metric]
            test.expect(any(low - slack <= value <= high + slack for low, high in bounds),
                        f"{what}: no call of {row['method']} used {value} of {metric}")
    test.same(f"{what}: methods of slow calls", sorted(calls), sorted({row["method"] for row in slowest}))


def from_start(test, java):
    for number, (way, metrics) in enumerate((("calls=instrument", "cpu+alloc"), ("calls=events", "cpu"),
                                             ("calls=auto,virtual=separate", "alloc+cpu"))):
        profile, file = test.new_profile(), test.work / f"way{number}"
        done = run(java, "-Xcheck:jni", f"-agentpath:{test.agent}=file={profile},{way},distribution={WATCHED},"
                   f"distribution_process={metrics}", "-cp", test.work, "Burned", 4, file)
        test.expect(done.status == 0, f"{way}: {done}")
        check(test, way, profile, read_calls(file), metrics=metrics.split("+"))


def attached(test, java):
    """With a call that has begun before, and ends meanwhile: it is in nothing; and between snapshots."""
    target = Target(test, java, "-XX:+EnableDynamicAgentLoading", "-cp", test.work, "Burned")
    profile = test.new_profile()
    files = [test.work / f"part{part}" for part in range(2)]
    target.tell("begin")
    test.jprof("attach", target.pid, "--calls", "instrument", "--file", profile, "--distribution", WATCHED,
               "--distribution_process", "cpu+alloc")
    target.tell("run", 2, files[0])
    test.jprof("snapshot", target.pid, "a")
    target.tell("end")
    target.tell("run", 3, files[1])
    test.jprof("stop", target.pid)
    target.end()
    check(test, "all", profile, read_calls(*files))
    check(test, "a..", profile, read_calls(files[1]), "--snapshot", "a..")
    # Of one metric alone; for people; a line a method.
    some = rows_of(test, profile, "distribution", "--metric", "wall,alloc")
    test.same("of one metric", [["alloc"]] * len(some), [list(row["process"]) for row in some])
    done = test.jprof("report", profile, "--view", "slowest", "--calibration", "off")
    test.has_line("text", done.out, "Process cpu", "Process alloc")
    done = test.jprof("report", profile, "--view", "distribution", "--format", "csv", "--calibration", "off")
    test.has_line("csv", done.out, "process.cpu.p99", "process.alloc.max")


def refused(test, java):
    for options, why in (
            ("distribution=Burned.waits,distribution_process=wall", "wall is nothing else than the elapsed time"),
            ("distribution=Burned.waits,distribution_process=net-in", "needs the metric 'net-in'"),
            ("distribution_process=cpu", "tells nothing without distribution=")):
        done = run(java, f"-agentpath:{test.agent}=file={test.work}/no.jprof,calls=instrument,{options}",
                   "-cp", test.work, "Burned", 1, test.work / "none")
        test.has_line(options, done.err, why)


def unasked(test, java):
    """Nothing is told of the process."""
    profile = test.new_profile()
    run(java, f"-agentpath:{test.agent}=file={profile},calls=instrument,distribution={WATCHED}", "-cp", test.work,
        "Burned", 1, test.work / "none")
    for view in "distribution", "slowest":
        rows = rows_of(test, profile, view)
        test.expect(rows and all("process" not in row for row in rows), f"{view}: {rows[:1]}")


def main():
    test = Test()
    for java in test.javas:
        test.javac(java, "Burned")
        from_start(test, java)
        attached(test, java)
        refused(test, java)
        unasked(test, java)
    test.finish()


main()

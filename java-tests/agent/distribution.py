#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
"""Calls of watched methods: their program knows of each one how long it took at least and at most. What profiles say lies between,
rank by rank: count, sum, least, most and percentiles; of whole recordings and of intervals between snapshots, of platform and virtual
threads, of calls that return, fail and are in one another. The slowest calls are those, and their trees say what they called."""
import json
import math
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from harness import Target, Test, run  # noqa: E402

METHODS = "busy", "failing", "recursive", "parked"
WATCHED = "+".join(f"Watched.{method}" for method in METHODS)
PARTS = {"p50": 0.5, "p90": 0.9, "p99": 0.99, "p99_9": 0.999}
BUCKET = 1 / 256  # half the width of one
CLOCKS = 200  # ns that two clocks, read one after the other, may differ
KEPT = 6


class Calls:
    """What the program says of its calls, by method."""

    def __init__(self, *files):
        self.of = {method: [] for method in METHODS}
        for file in files:
            for line in file.read_text().splitlines():
                method, failed, *times = line.split()
                self.of[method].append((failed == "true", *map(int, times)))

    def bounds(self, method, least, most):
        """Two lists: the k-th shortest call took at least, and at most, so long."""
        rows = self.of[method]
        return sorted(least(row) for row in rows), sorted(most(row) for row in rows)


def rows_of(test, profile, view, *choice):
    done = test.jprof("report", profile, "--view", view, "--format", "json", "--calibration", "off", *choice)
    return json.loads(done.out)["rows"] if done.status == 0 else []


def compare(test, what, figure, bounds, exact):
    """A figure of the report against two sorted lists. exact: least and most, too; else they are a bucket's."""
    low, high = bounds
    ranks = {"min": 0, "max": len(low) - 1} | {
        key: math.ceil(len(low) * part) - 1 for key, part in PARTS.items()}
    for key, rank in ranks.items():
        slack = BUCKET if key in PARTS else 0 if exact else 2 * BUCKET
        test.expect(low[rank] * (1 - slack) - CLOCKS <= figure[key] <= high[rank] * (1 + slack) + CLOCKS,
                    f"{what}: {key} is {figure[key]}, not within {low[rank]} .. {high[rank]}")
    slack = CLOCKS * len(low)
    test.expect(sum(low) - slack <= figure["sum"] <= sum(high) + slack,
                f"{what}: the sum is {figure['sum']}, not within {sum(low)} .. {sum(high)}")
    test.expect(figure["mean"] == figure["sum"] // len(low), f"{what}: mean {figure['mean']}")


def check_distribution(test, what, profile, calls, *choice, timed=True):
    rows = {row["method"]: row for row in rows_of(test, profile, "distribution", *choice)}
    test.same(f"{what}: methods", sorted(METHODS), sorted(rows))
    exact = "--snapshot" not in choice or choice[1].startswith("..")
    for method, row in rows.items():
        told = calls.of[method]
        test.same(f"{what}: {method}: calls and failed", [len(told), sum(call[0] for call in told)],
                  [row["calls"], row["failed"]])
        if len(told) != row["calls"]:
            continue
        compare(test, f"{what}: {method}: elapsed", row["elapsed"],
                calls.bounds(method, lambda call: call[1], lambda call: call[2]), exact)
        # What callees do is theirs where these are timed. Where they are not stacks are sampled: jprof's own work, which is taken
        # out, may fall into any call.
        compare(test, f"{what}: {method}: self", row["base"],
                calls.bounds(method, lambda call: call[3] if timed else 0, lambda call: call[2]), exact)
        if timed and method == "busy":
            # Of most calls: one that is kept from a processor for long has that in its own time.
            test.expect(row["base"]["p50"] < 0.75 * row["elapsed"]["p50"],
                        f"{what}: busy has what it calls in its own time: {row['base']}")
        test.expect(method == "parked" or row["cpu"]["sum"] <= row["elapsed"]["sum"] * 1.01,
                    f"{what}: {method}: more processor time than time: {row}")
        if method == "failing":
            test.same(f"{what}: those that failed", row["elapsed"], row["elapsed_of_failed"])


def check_tree(test, what, rows, told, timed):
    """Rows of one call: its own and those of its tree."""
    call, tree = rows[0], rows[1:]
    ways = {}
    for row in tree:
        if row["calls"] is not None:
            key = row["level"], row["method"]
            ways[key] = ways.get(key, 0) + row["calls"]
    bases = sum((row["base"] or 0) + (row["own"] or 0) for row in tree if row["calls"] is not None)
    rest = sum(row["elapsed"] for row in tree if row["calls"] is None)
    whole = bases + rest + call["base"]
    test.expect(whole <= call["elapsed"] <= whole + call["own"],
                f"{what}: the parts of a call of {call['elapsed']} ns are {whole}, and {call['own']} jprof's own")
    test.expect(any(row[1] - CLOCKS <= call["elapsed"] <= row[2] + CLOCKS for row in told),
                f"{what}: no call took {call['elapsed']} ns")
    if not timed or call["method"] != "busy":
        return
    test.expect(ways.get((1, "middle")) == 1 and ways.get((2, "leaf")) == 2 and
                1 <= ways.get((1, "leaf"), 0) <= 5, f"{what}: busy called {ways}")


def check_slowest(test, what, profile, calls, *choice, timed=True):
    stanzas = {}
    for row in rows_of(test, profile, "slowest", *choice):
        stanzas.setdefault(row["call"], []).append(row)
    for method in METHODS:
        kept = [rows for rows in stanzas.values() if rows[0]["method"] == method]
        test.same(f"{what}: kept calls of {method}", min(KEPT, len(calls.of[method])), len(kept))
        low, high = calls.bounds(method, lambda call: call[1], lambda call: call[2])
        for rank, rows in enumerate(kept, 1):
            elapsed = rows[0]["elapsed"]
            test.expect(low[-rank] - CLOCKS <= elapsed <= high[-rank] + CLOCKS,
                        f"{what}: {method}: the slowest but {rank - 1} took {elapsed}, not within "
                        f"{low[-rank]} .. {high[-rank]}")
            check_tree(test, f"{what}: {method}", rows, calls.of[method], timed)


def check(test, what, profile, calls, *choice, timed=True):
    check_distribution(test, what, profile, calls, *choice, timed=timed)
    check_slowest(test, what, profile, calls, *choice, timed=timed)


def from_start(test, java):
    """Every way in which calls are seen."""
    for number, way in enumerate(("calls=instrument", "calls=instrument,timing=precise", "calls=events",
                                  "calls=auto", "calls=count", "calls=instrument,virtual=separate")):
        profile, file = test.new_profile(), test.work / f"way{number}"
        done = run(java, "-Xcheck:jni",
                   f"-agentpath:{test.agent}=file={profile},{way},distribution={WATCHED},slowest={KEPT}",
                   "-cp", test.work, "Watched", 300, file)
        test.expect(done.status == 0, f"{way}: {done}")
        check(test, way, profile, Calls(file), timed=way not in ("calls=auto", "calls=count"))


def in_intervals(test, java):
    """Attached; between snapshots: what was before is taken out, and each part has its slowest calls."""
    target = Target(test, java, "-Xcheck:jni", "-XX:+EnableDynamicAgentLoading", "-cp", test.work,
                    "Watched")
    profile = test.new_profile()
    files = [test.work / f"part{part}" for part in range(4)]
    target.tell("run", 50, files[3])
    test.jprof("attach", target.pid, "--calls", "instrument", "--file", profile, "--distribution", WATCHED,
               "--slowest", KEPT, "--include", "Watched")
    # The slow ones first: later parts have to forget them.
    for part, label in enumerate(("a", "b")):
        target.tell("run", 400 - 150 * part, files[part])
        test.jprof("snapshot", target.pid, label)
    target.tell("run", 100, files[2])
    test.jprof("stop", target.pid)
    target.end()
    check(test, "all", profile, Calls(*files[:3]))
    for text, parts in ("..a", files[:1]), ("a..b", files[1:2]), ("b..", files[2:3]), ("a..", files[1:3]):
        check(test, text, profile, Calls(*parts), "--snapshot", text)
    # Of some threads, and of one method.
    rows = {name: {row["method"]: row for row in rows_of(test, profile, "distribution", "--thread", name)}
            for name in ("worker-a", "worker-b", "worker-*")}
    for method in METHODS[:3]:
        both = [rows[name][method]["calls"] for name in rows]
        test.expect(both[1] == 2 * both[0] and both[2] == both[0] + both[1], f"{method}: calls by thread {both}")
    some = rows_of(test, profile, "distribution", "--method", "Watched.busy")
    test.same("one method", ["busy"], [row["method"] for row in some])


def refused(test, java):
    for options, why in ("calls=sample", "distribution needs calls"), ("metrics=cpu", "distribution needs the metric"):
        done = run(java, f"-agentpath:{test.agent}=file={test.work}/no.jprof,{options},distribution=Watched.busy",
                   "-cp", test.work, "Watched", 1, test.work / "none")
        test.has_line(options, done.err, why)


def without(test, java):
    """A profile without watched methods says how to get some."""
    profile = test.new_profile()
    run(java, f"-agentpath:{test.agent}=file={profile},calls=instrument", "-cp", test.work, "Watched", 2,
        test.work / "none")
    for view in "distribution", "slowest":
        done = test.jprof("report", profile, "--view", view, "--calibration", "off")
        test.has_line(view, done.out, "distribution=com.acme.Servlet.service")


def main():
    test = Test()
    for java in test.javas:
        test.javac(java, "Watched")
        from_start(test, java)
        in_intervals(test, java)
        refused(test, java)
        without(test, java)
    test.finish()


main()

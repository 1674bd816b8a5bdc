#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
"""A program that knows what it allocates: with objects=all numbers by class and method are equal, in every collector, interpreted
and compiled, from the JVM's start and by attach, under calls that are sampled, timed, counted, or not seen. What is alive is
what the JVM says after a collection, objects and bytes, as `jprof heap` shows it. Sampled figures come near. Other views are as if
there were no trace."""
import json
import os
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from harness import Target, Test, run, wait_for  # noqa: E402

COUNT, KEPT, DROPPED = 3000, 5000, 2000
# Collectors, and how code runs; with the way that calls are seen, of which all come up.
MODES = [("-XX:+UseSerialGC", "off"), ("-XX:+UseParallelGC", "sample"), ("-XX:+UseG1GC", "instrument"),
         ("-XX:+UseZGC", "auto"), ("-XX:+UseShenandoahGC", "count"), ("-Xint", "off"),
         ("-XX:TieredStopAtLevel=1", "sample")]
# Classes that nothing else of the JVM allocates on any path.
OWN = re.compile(r"ObjectsKnown\b")


def has(java, mode):
    return run(java, mode, "-version").status == 0


def known_name(name):
    """Classes of lambdas have numbers."""
    return "ObjectsKnown$$Lambda" if name.startswith("ObjectsKnown$$Lambda") else name


def start(test, java, *options):
    return Target(test, java, *options, "-Xmx512m", "-Xcheck:jni", "-cp", test.work, "ObjectsKnown",
                  test.classes.parent / "libcases.so", known_errors="^(WARNING.*)?$")


def report(test, profile, view, *options):
    return json.loads(test.jprof("report", profile, "--view", view, "--format", "json", *options).out)


def told(lines):
    """By method and class."""
    counts = {}
    for line in lines:
        method, name, number = line.rsplit(" ", 2)
        counts[method, name] = counts.get((method, name), 0) + int(number)
    return counts


def found_of(rows, wanted):
    """Of those that are told: objects of the class below the method, or with any path."""
    found = dict.fromkeys(wanted, 0)
    for row in rows:
        name = known_name(row["class"])
        for method, of_class in wanted:
            # To link a probe takes strings, too.
            path = row["path"][:4] if method == "strings" else row["path"]
            below = method == "" or any(re.match(rf"ObjectsKnown\.{method}\b", frame) for frame in path)
            if name == of_class and below:
                found[method, of_class] += row["allocated"]["objects"]
    return found


def check_counts(test, what, expected, rows):
    found = found_of(rows, expected)
    removed = "removed", "ObjectsKnown$Removed"
    test.expect(found.pop(removed) <= expected.pop(removed), f"{what}: more than were to be allocated: {removed}")
    # What runs below plain() is in deep(), too.
    for key in [key for key in expected if key[0] == "plain"]:
        expected[key] += expected["deep", key[1]]
    test.same(what, expected, found)


def check_alive(test, what, target, profile):
    """Until the ends of what a collection has found are told."""
    alive = {}

    def is_same():
        target.tell("collect", 0)
        heap = json.loads(test.jprof("heap", target.pid, "--live", "--format", "json").out)
        test.jprof("snapshot", target.pid)
        alive["heap"] = {row["class"]: (row["objects"], row["bytes"]) for row in heap["rows"]
                         if row["class"] == "ObjectsKnown$Kept"}
        alive["found"] = {row["class"]: (row["alive"]["objects"], row["alive"]["bytes"])
                          for row in report(test, profile, "alive")["rows"] if row["class"] == "ObjectsKnown$Kept"}
        return alive["heap"] == alive["found"] and alive["heap"]["ObjectsKnown$Kept"][0] == KEPT - DROPPED

    wait_for(is_same)
    test.same(f"{what}: alive", alive["heap"], alive["found"])
    test.expect(alive["heap"]["ObjectsKnown$Kept"][0] == KEPT - DROPPED, f"{what}: {alive['heap']}")
    rows = [row for row in report(test, profile, "object-paths")["rows"] if row["class"] == "int[]" and
            row["path"][:1] == ["ObjectsKnown$Kept.<init>"]]
    test.same(f"{what}: arrays of what is kept", [(KEPT, KEPT - DROPPED, KEPT - DROPPED)],
              [(row["allocated"]["objects"], row["alive"]["objects"],
                row["alive"]["bytes"] // 40) for row in rows])


def check_growth(test, what, profile):
    """Between the snapshots: of Kept as many more as were kept without those that were dropped."""
    rows = [row for row in report(test, profile, "alive", "--snapshot", "before..after")["rows"]
            if row["class"] == "ObjectsKnown$Kept"]
    test.same(f"{what}: growth", [KEPT - DROPPED], [row["alive"]["objects"] for row in rows])


def check_others(test, what, profile):
    """Nodes that the trace alone has found are in no other view."""
    for view in "tree", "methods":
        for row in report(test, profile, view)["rows"]:
            figures = [row.get("calls"), *row.get("cum", {}).values(), *row.get("samples_cum", {}).values(),
                       *row.get("samples", {}).values()]
            named = row.get("class") or ""
            test.expect(any(figures) or not OWN.match(named), f"{what}: an empty row in {view}: {row}")


def exactly(test, java, mode, calls):
    what = f"{java} {mode} calls={calls}"
    print(what, flush=True)
    profile = test.new_profile()
    target = start(test, java, mode,
                   f"-agentpath:{test.agent}=calls={calls},io=off,traces=objects,objects=all,max_memory=1g,file={profile}")
    expected = told(target.tell("run", COUNT))
    test.jprof("snapshot", target.pid, "before")
    target.tell("keep", KEPT)
    target.tell("drop", DROPPED)
    check_alive(test, what, target, profile)
    test.jprof("snapshot", target.pid, "after")
    check_growth(test, what, profile)
    target.end()
    seen = report(test, profile, "object-paths")
    check_counts(test, what, expected, seen["rows"])
    test.expect(not any(key in seen for key in ("lost_objects", "cut_objects")),
                f"{what}: something is lost: { {key: seen[key] for key in seen if key != 'rows'} }")
    by_class, by_path = ({}, {})
    for rows, sums in (report(test, profile, "objects")["rows"], by_class), (seen["rows"], by_path):
        for row in rows:
            sums[row["class"]] = sums.get(row["class"], 0) + row["allocated"]["objects"]
    test.same(f"{what}: by class and by path", by_class, by_path)
    check_others(test, what, profile)


def attached(test, java):
    """Switched on in a running JVM; what threads do that begin then is known exactly."""
    what = f"{java} attached"
    print(what, flush=True)
    profile = test.new_profile()
    target = start(test, java, "-XX:+EnableDynamicAgentLoading")
    target.tell("keep", 10)
    test.jprof("attach", target.pid, "--calls", "off", "--objects", "all", "--file", profile)
    test.jprof("trace", target.pid, "+objects")
    expected = told(target.tell("run", COUNT))
    test.jprof("trace", target.pid, "-objects")
    target.tell("run", COUNT)
    test.jprof("stop", target.pid)
    check_counts(test, what, expected, report(test, profile, "object-paths")["rows"])
    # And once more, in the same process.
    again = test.new_profile()
    test.jprof("start", target.pid, "--traces", "objects", "--objects", "all", "--calls", "off", "--file", again)
    expected = told(target.tell("run", COUNT))
    # What carries virtual threads is there already: it tells from its next buffer on.
    expected.pop(("", "ObjectsKnown$Virtual"))
    test.jprof("stop", target.pid)
    check_counts(test, f"{what}, again", expected, report(test, again, "object-paths")["rows"])
    target.end()


def sampled(test, java):
    """Together with samples of allocations, of another period. Estimates within five standard errors."""
    what = f"{java} sampled"
    print(what, flush=True)
    profile = test.new_profile()
    target = start(test, java, f"-agentpath:{test.agent}=calls=sample,sample=alloc:256k,traces=objects,objects=64k,"
                               f"file={profile}")
    target.tell("run", 100 * COUNT)
    target.end()
    rows = {row["class"]: row["allocated"] for row in report(test, profile, "objects")["rows"]}
    plain = rows["ObjectsKnown$Plain"]
    expected = 2 * 100 * COUNT
    error = expected / plain["samples"] ** 0.5
    print(f"  {plain['objects']} objects of {expected}, {plain['samples']} samples")
    test.expect(abs(plain["objects"] - expected) < 5 * error, f"{what}: {plain} of {expected}")
    test.expect(plain["samples"] < expected / 100, f"{what}: {plain['samples']} samples")
    samples = sum(row["samples"]["alloc"] for row in report(test, profile, "threads")["rows"])
    periods = sum(row["bytes"] for row in rows.values()) / (256 << 10)
    print(f"  {samples} samples of allocations, {periods:.0f} periods by objects")
    test.expect(abs(samples - periods) < 10 * periods ** 0.5, f"{what}: {samples} samples of {periods}")


def bounded(test, java):
    """With little memory nothing is wrong silently."""
    what = f"{java} bounded"
    print(what, flush=True)
    profile = test.new_profile()
    target = start(test, java, f"-agentpath:{test.agent}=calls=off,traces=objects,objects=all,max_memory=1m,"
                               f"file={profile}")
    expected = told(target.tell("run", 10 * COUNT))
    target.end()
    seen = report(test, profile, "objects")
    lost = int(seen.get("lost_objects", 0))
    found = sum(row["allocated"]["objects"] for row in seen["rows"]
                if OWN.match(row["class"]) and not row["class"].endswith("Removed"))
    told_of = sum(number for (_, name), number in expected.items()
                  if OWN.match(name) and not name.endswith("Removed"))
    test.expect(lost > 0 and "cut_objects" in seen, f"{what}: there is room for all")
    test.expect(found <= told_of <= found + lost, f"{what}: {found} of {told_of}, {lost} lost")


def main():
    test = Test()
    if os.environ.get("ONLY"):
        MODES[:] = [mode for mode in MODES if os.environ["ONLY"] in mode]
    for java in test.javas:
        test.javac(java, "ObjectsKnown")
        for mode, calls in MODES:
            if has(java, mode):
                exactly(test, java, mode, calls)
        attached(test, java)
        sampled(test, java)
        bounded(test, java)
    test.finish()


main()

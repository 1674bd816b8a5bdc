#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
"""The trace of events tells what was counted: the tree that it comes to has the same calls as the tree, and the same
wall-clock time, to the nanosecond, with exceptions, recursion, many threads, virtual ones, in every way of timing calls.
What is left out, thrown away, lost or cut off is said, and all else is right."""
import collections
import json
import os
import pathlib
import signal
import sqlite3
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from harness import Test, forget, run, wait_for  # noqa: E402


def record(test, java, options, *words, jvm=(), status=0):
    """A profile of the program with these options."""
    profile = test.new_profile()
    done = run(java, *jvm, f"-agentpath:{test.agent}=file={profile},sample=off,traces=events,"
               f"log=error,{options}", "-cp", test.work, "agent.Eventful", *words)
    test.expect(done.status == status and not done.err, f"{options}: {done}")
    return profile


def report(test, profile, view, *words):
    done = run(test.program, "report", profile, "--view", view, "--format", "json",
               "--calibration", "off", *words)
    test.expect(done.status == 0, str(done))
    return json.loads(done.out)["rows"], done.err


def by_path(rows, wall):
    """Calls and wall-clock time by thread and path. Paths of one thread's name are added up: a group's parts are rows."""
    found, path = collections.defaultdict(lambda: [0, 0]), []
    for row in rows:
        name = (row["class"], row["method"], row["signature"])
        # One thread alone is called in the singular.
        thread = row["thread"].replace("(virtual thread)", "(virtual threads)")
        path[row["level"]:] = [thread if row["level"] == 0 else name]
        figures = found[tuple(path)]
        figures[0] += row["calls"]
        figures[1] += wall(row)
    return found


def shown(path):
    return " > ".join([path[0]] + [name[1] or "?" for name in path[1:]])


def compare(test, what, profile, of_time):
    """The trace's tree and the counted one. of_time: names of threads whose time has to be the same, too."""
    events, said = report(test, profile, "event-tree")
    test.expect(not said, f"{what}: {said}")
    told = by_path(events, lambda row: row["self"])
    counted = by_path(report(test, profile, "tree")[0], lambda row: row["base"]["wall"])
    calls = {path: figures[0] for path, figures in counted.items() if figures[0] > 0}
    test.expect(len(calls) > 10, f"{what}: {len(calls)} paths only")
    test.same(f"{what}: calls", {shown(path): n for path, n in calls.items()},
              {shown(path): figures[0] for path, figures in told.items() if figures[0] > 0})
    walls = [{shown(path): figures[1] for path, figures in tree.items()
              if path[0].startswith(of_time) and len(path) > 1} for tree in (counted, told)]
    test.same(f"{what}: wall", *walls)


def check_equal(test, java):
    for calls in "instrument", "events":
        for more in "metrics=wall", "metrics=wall+cpu+alloc", "timing=precise,metrics=wall", \
                "metrics=alloc+wall":
            options = f"calls={calls},{more}"
            if calls == "events" and "alloc+" in more:
                continue
            profile = record(test, java, options, "mixed", 10, 300)
            compare(test, f"{java} {options}", profile, "mixed-")


def check_virtual(test, java):
    if not run(pathlib.Path(java).parent / "jshell", "--version").out.split()[-1] >= "21":
        return
    for calls in "instrument", "events":
        for way in "fold", "separate":
            options = f"calls={calls},virtual={way},metrics=wall"
            profile = record(test, java, options, "virtual", 40, 20)
            compare(test, f"{java} {options}", profile, "(virtual")


def main():
    test = Test()
    for java in test.javas:
        test.javac(java, "Eventful")
        check_equal(test, java)
        check_virtual(test, java)
    test.finish()


main()

#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
"""Threads that run, sleep and end at once: how long each ran is what the kernel tells the thread itself as it ends, none that was
short is left out, and who started them is known by path."""
import pathlib
import sqlite3
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from harness import Test, run  # noqa: E402

SHORT = 50
# What a thread does behind its last words, and before its first look, ns.
NEAR = 100_000_000


def check(test, java):
    profile = test.new_profile()
    done = run(java, f"-agentpath:{test.agent}=calls=off,traces=threads,file={profile}", "-cp",
               test.work, "Busy", SHORT)
    test.expect(done.status == 0 and not done.err, str(done))
    told = {name: (int(ran), int(waited)) for name, ran, waited in
            map(str.split, done.out.splitlines())}
    rows = test.views(profile).rows("thread-states")
    for name, (ran, waited) in told.items():
        mine = [row for row in rows if row["thread"] == name]
        test.expect(len(mine) == 1, f"{java}: {len(mine)} rows of '{name}'")
        for row in mine:
            test.expect(ran - NEAR <= row["running"] <= ran + NEAR and
                        waited - NEAR <= row["runnable"] <= waited + NEAR,
                        f"{java}: '{name}' ran {ran} and waited {waited}: {row}")
            test.expect(row["running"] + row["runnable"] + row["not_running"] == row["ns"] and
                        row["ended"], f"{java}: {row}")
    by_name = {row["thread"]: row for row in rows}
    test.expect(by_name["sleeps"]["voluntary"] > 50, f"{java}: {by_name['sleeps']}")
    with sqlite3.connect(profile) as database:
        short = database.execute("SELECT count(*), sum(ended) FROM thread_state WHERE name = "
                                 "'short'").fetchone()
        starts = dict(database.execute(
            "SELECT p.name, sum(a.count) FROM account a JOIN node n ON n.id = a.node JOIN node up ON "
            "up.id = n.parent JOIN node upper ON upper.id = up.parent JOIN method p ON p.id = "
            "upper.method WHERE a.kind = 'start' GROUP BY 1"))
    test.expect(short == (SHORT, SHORT), f"{java}: {short} short threads")
    test.expect(starts.get("startShort") == SHORT and starts.get("startLong") == 2,
                f"{java}: started in {starts}")


def off(test, java):
    profile = test.new_profile()
    run(java, f"-agentpath:{test.agent}=calls=off,file={profile}", "-cp", test.work, "Busy", 1)
    test.same(f"{java}: off", [], test.views(profile).rows("thread-states"))
    text = test.jprof("report", profile, "--view", "thread-states", "--calibration", "off").out
    test.has_line(f"{java}: off", text, "no trace of threads", "--traces threads")


def main():
    test = Test()
    test.javac(test.javas[0], "Busy")
    for java in test.javas:
        check(test, java)
        off(test, java)
    test.finish()


main()

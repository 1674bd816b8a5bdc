#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
"""Threads that run, wait, or do both in turns: by wall: each of them has a sample for each period of the time by
the clock that it was there, within 5 %. All are waiting of what waits, none of what runs, and of what does both in
turns that are longer than the period the part that it waited, within three standard errors."""
import functools
import math
import pathlib
import sqlite3
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from harness import Test, run  # noqa: E402

MILLISECONDS, PERIOD = 4000, 1e7
# Of turns that are shorter than the period it is not known which part is seen: where all processors are
# busy, whoever looks gets one when something begins to wait.
SHORT = "wall-short-turns"
THREADS = {"wall-runs", "wall-waits", "wall-turns", SHORT}


def record(test, java):
    """What the program says of each thread: its time, and how much of that it waited; in periods."""
    profile = test.new_profile()
    done = run(java, f"-agentpath:{test.agent}=calls=sample,sample=wall:10ms,threads=wall-*,io=off,"
               f"file={profile}", "-cp", test.work, "SampleWall", MILLISECONDS)
    if done.status != 0 or done.err:
        test.fail(str(done))
        test.finish()
    return {name: (int(time) / PERIOD, int(waited) / PERIOD) for name, time, waited in
            map(str.split, done.out.splitlines())}, profile


def differences(test, said, profile):
    """Lines."""
    found = {row["thread"]: row["samples"]["wall"] for row in test.views(profile).rows("threads")}
    with sqlite3.connect(profile) as database:
        waiting = dict(database.execute("SELECT thread, sum(amount) FROM samples WHERE "
                                        "state = 'waiting' GROUP BY thread"))
    for thread, (periods, waited) in said.items():
        all_found, waiting_found = found.get(thread, 0), waiting.get(thread, 0)
        print(f"  {thread}: {periods:.0f} periods, waited in {waited:.0f}; {all_found} samples, "
              f"{waiting_found} waiting")
        if abs(all_found - periods) > 0.05 * periods:
            yield f"{thread}: {all_found} samples of {periods:.0f} periods"
        share = min(1, waited / periods)
        most = max(0.05, 3 * math.sqrt(share * (1 - share) / periods)) * periods
        if abs(waiting_found - waited) > most and thread != SHORT:
            yield f"{thread}: {waiting_found} samples waiting of {waited:.0f} periods"


def main():
    test = Test()
    for java in test.javas:
        test.javac(java, "SampleWall")
        said, _ = test.twice(java, functools.partial(record, test, java),
                             functools.partial(differences, test))
        test.same("threads", THREADS, set(said))
    test.finish()


main()

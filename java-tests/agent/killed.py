#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
"""kill -9 at 20 random moments: every file opens, is sound, and lacks at most the last `flush`
second. The program notes its own calls every 10 ms; those noted more than a second (and the time
that writing takes) before its end are in the profile."""
import concurrent.futures
import pathlib
import random
import shutil
import sqlite3
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from harness import Test, forget  # noqa: E402

ROUNDS, AT_ONCE = 20, 2
LATE = 1_500_000_000  # ns: a second, and half a one to notice that it is over, and to write


def steps_noted(log):
    """Calls that were made long enough before the last line, which may be half a one."""
    notes = [line.split() for line in log.read_text().splitlines()] if log.exists() else []
    notes = [(int(note[0]), int(note[1])) for note in notes if len(note) == 2]
    return max((calls for when, calls in notes if notes[-1][0] - when > LATE), default=0)


def round_of(test, number, java, seconds):
    what, folder = f"killed after {seconds:.3f} s", test.work / str(number)
    folder.mkdir()
    profile, log = folder / "p.jprof", folder / "log"
    with open(folder / "err", "wb") as err:
        child = subprocess.Popen(
            [java, "-Xshare:auto",
             f"-agentpath:{test.agent}=file={profile},calls=events,metrics=wall,flush=1",
             "-cp", test.classes, "agent.Workload", "steps", "60000", log],
            stdout=subprocess.DEVNULL, stderr=err)
    time.sleep(seconds)
    child.kill()
    child.wait()
    forget(child.pid)
    if not profile.exists():
        test.expect(not log.exists() or not log.stat().st_size, f"{what}: no profile")
        return
    # A copy for the other reader: both must cope with what the killed JVM left.
    copy = shutil.copytree(folder, test.work / f"{number}.copy")
    with sqlite3.connect(copy / "p.jprof") as database:
        found = database.execute("PRAGMA integrity_check").fetchone()[0]
    test.expect(found == "ok", f"{what}: not sound: {found}")
    found = sum(row["calls"] for row in test.views(profile).rows("methods")
                if row["method"] == "step")
    noted = steps_noted(log)
    print(f"{what}: {found} steps recorded, {noted} or more expected")
    test.expect(found >= noted, f"{what}: too little recorded")


def main():
    test = Test()
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        rounds = [pool.submit(round_of, test, number, test.javas[number % len(test.javas)],
                              random.uniform(0.1, 4)) for number in range(ROUNDS)]
    for done in rounds:
        done.result()
    test.finish()


main()

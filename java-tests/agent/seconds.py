#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
"""resolution=1s: what a program notes of its work by its own clock is what the profile has of each slice of time; all
slices together are what the profile has in all, also where memory was short, the disk was full, or the JVM was killed."""
import bisect
import json
import os
import pathlib
import sqlite3
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from harness import Test, forget, run, wait_for  # noqa: E402

SECONDS = 6
LATE = 300_000_000  # ns: so long after a slice's end the program's thread is looked at, at most


def differences(database):
    """Whether all slices together are what the tables have: threads, nodes and accounts, whatever was folded."""
    metrics = database.execute("SELECT count(*) FROM metric").fetchone()[0]
    for table, columns in (
            ("thread", ["events", "unwound"] + [f"total_{i}" for i in range(metrics)]),
            ("node", ["calls", "jitted", "interpreted", "native", "entry_exit"]
             + [f"base_{i}" for i in range(metrics)]),
            ("account", ["count", "failures", "amount", "ns"]),
            ("sequence", ["count"] + [f"sum_{i}" for i in range(metrics)])):
        sums = ", ".join(f"coalesce(sum({column}), 0)" for column in columns)
        whole, slices = (database.execute(f"SELECT {sums} FROM {name}").fetchone()
                         for name in (table, f"slice_{table}"))
        if whole != slices:
            yield f"{table}: all slices have {slices}, the profile {whole}"
    # Of a thread that was never folded by itself, too.
    for row in database.execute(
            "SELECT t.id, t.events, sum(s.events) FROM thread t JOIN slice_thread s USING(id) "
            "WHERE t.id NOT IN (SELECT into_id >> 32 FROM forward) GROUP BY 1 HAVING t.events <> sum(s.events)"):
        yield f"thread {row[0]}: {row[1]} events, in its slices {row[2]}"
    gaps = database.execute("SELECT count(*) FROM slice WHERE began > 0 AND began NOT IN "
                            "(SELECT ended FROM slice)").fetchone()[0]
    if gaps:
        yield f"{gaps} slices do not follow one another"


class Notes:
    """What the program has done by when, in the profile's time."""

    def __init__(self, log, database):
        lines = [line.split() for line in log.read_text().splitlines()]
        mark = database.execute("SELECT at FROM mark WHERE name = 'begin'").fetchone()[0]
        offset = mark - int(lines[0][1])
        self.times = [int(line[0]) + offset for line in lines[1:]]
        self.counts = [dict(zip(line[1::2], map(int, line[2::2]))) for line in lines[1:]]

    def until(self, time, what):
        at = bisect.bisect_right(self.times, time)
        return self.counts[at - 1][what] if at > 0 else 0

    def bounds(self, began, ended, what):
        """What it did between the two times, seen up to LATE later: at least and at most. A note comes behind what it
        tells of, one piece of work may be under way."""
        piece = {"bytes": 100}.get(what, 20 * SECONDS)
        return (self.until(ended, what) - self.until(began + LATE, what) - piece,
                self.until(ended + LATE, what) - self.until(began, what) + piece)


def report(test, profile, view, *words):
    done = test.jprof("report", profile, "--view", view, "--format", "json", "--calibration", "off", *words)
    return json.loads(done.out)["rows"] if done.status == 0 else []


def wrong_slices(test, profile, log, ways):
    """Each slice, and each two neighbours, against the program's notes."""
    with sqlite3.connect(profile) as database:
        yield from differences(database)
        slices = database.execute("SELECT began, ended FROM slice ORDER BY began").fetchall()
        notes = Notes(log, database)
    if len(slices) < SECONDS:
        yield f"only {len(slices)} slices"
    spans = slices + [(a[0], b[1]) for a, b in zip(slices, slices[1:])]
    whole = report(test, profile, "seconds")
    if [(row["at"], row["at"] + row["ns"]) for row in whole] != slices:
        yield f"the view seconds has {len(whole)} rows for {len(slices)} slices"
    for began, ended in spans:
        times = ("--from", f"{began / 1e9:.4f}s", "--to", f"{ended / 1e9:.4f}s")
        calls = {row["method"]: row["calls"] or 0 for row in report(test, profile, "methods", *times)}
        found = {"bytes": sum(row["writes"]["bytes"] for row in report(test, profile, "files", *times)
                              if row["path"].endswith(".data"))}
        if ways != "sample":
            found |= {"even": calls.get("even", 0), "odd": calls.get("odd", 0)}
        for what, count in found.items():
            least, most = notes.bounds(began, ended, what)
            if not least <= count <= most:
                yield f"{began} to {ended}: {count} {what}, not from {least} to {most}"
    if ways != "sample":
        seen = sum(row["calls"] for row in whole)
        all_calls = sum(row["calls"] or 0 for row in report(test, profile, "methods"))
        if seen != all_calls:
            yield f"{seen} calls in all seconds, {all_calls} in all"


def record(test, java, ways, attach):
    profile, log = test.new_profile(), test.work / "log"
    options = f"file={profile},calls={ways},resolution=1s,include=agent.Seconds"
    words = [java, "-cp", f"{test.classes}:{test.build / 'jprof.jar'}"]
    program = ["agent.Seconds", log, SECONDS]
    if not attach:
        done = run(*words[:1], f"-agentpath:{test.agent}={options}", *words[1:], *program)
        test.expect(done.status == 0 and done.out == "done\n", str(done))
        return profile, log
    program.append("wait")
    with subprocess.Popen([str(word) for word in (*words, *program)], stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE) as child:
        child.stdout.readline()
        test.jprof("attach", child.pid, "--file", profile, "--calls", ways, "--resolution", "1s",
                   "--include", "agent.Seconds")
        child.communicate(b"\n", timeout=60)
    return profile, log


def truth(test):
    for number, java in enumerate(test.javas):
        for ways in "instrument", "sample", "auto":
            attach = (ways == "auto") != (number % 2 == 0)
            what = f"{java} {ways}, {'attached' if attach else 'from the start'}"
            recorded = test.twice(what, lambda: record(test, java, ways, attach),
                                  lambda profile, log: wrong_slices(test, profile, log, ways))
            test.sound(what, recorded[0])


def sums(test, what, profile):
    with sqlite3.connect(profile) as database:
        for line in differences(database):
            test.fail(f"{what}: {line}")
        slices = database.execute("SELECT count(*) FROM slice").fetchone()[0]
    test.expect(slices > 1, f"{what}: {slices} slices")
    # From the beginning to the end is everything.
    for row, other in zip(report(test, profile, "threads"), report(test, profile, "threads", "--from", "0")):
        test.expect(row["events"] == other["events"], f"{what}: {row['thread']}: {row['events']} events, "
                    f"by slices {other['events']}")


def short_memory(test):
    for java in test.javas:
        profile = test.new_profile()
        done = run(java, f"-agentpath:{test.agent}=file={profile},calls=instrument,resolution=100ms,max_memory=1m",
                   "-cp", test.classes, "agent.Workload", "paths", 6000)
        test.expect(done.status == 0, str(done))
        with sqlite3.connect(profile) as database:
            folded = database.execute("SELECT count(*) FROM forward").fetchone()[0]
        test.expect(folded > 0, f"{java}: nothing was folded")
        sums(test, f"{java}, little memory", profile)


def killed(test):
    for java in test.javas:
        profile, log = test.new_profile(), test.work / "steps"
        with subprocess.Popen([java, f"-agentpath:{test.agent}=file={profile},calls=instrument,resolution=200ms",
                               "-cp", test.classes, "agent.Workload", "steps", "60000", log],
                              stdout=subprocess.DEVNULL) as child:
            wait_for(lambda: profile.exists() and slices_of(profile) > 3)
            child.kill()
            child.wait()
            forget(child.pid)
        test.jprof("report", profile, "--from", "200ms", "--to", "400ms", "--calibration", "off")
        sums(test, f"{java}, killed", profile)


def slices_of(profile):
    try:
        with sqlite3.connect(f"file:{profile}?mode=ro", uri=True) as database:
            return database.execute("SELECT count(*) FROM slice").fetchone()[0]
    except sqlite3.Error:
        return 0


def full_disk(test):
    """What a transaction could not write is in the next slice; there is room again in the end."""
    disk, log = test.work / "disk", test.work / "steps"
    disk.mkdir()
    if os.getuid() != 0 or run("mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", disk).status != 0:
        print("not run: only root can make a small disk")
        return
    try:
        profile = disk / "p.jprof"
        with subprocess.Popen([test.javas[0], f"-agentpath:{test.agent}=file={profile},calls=instrument,"
                               "resolution=200ms,io=off", "-cp", test.classes, "agent.Workload", "steps", "3000", log],
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as child:
            wait_for(lambda: slices_of(profile) > 2)
            with open(disk / "filler", "wb", buffering=0) as filler:
                fill(filler)
            before = slices_of(profile)
            wait_for(lambda: child.poll() is not None, 2)
            (disk / "filler").unlink()
            said = child.communicate(timeout=120)[1].decode()
        test.has_line("full disk", said, "cannot write")
        test.expect(slices_of(profile) > before, "full disk: nothing was written after it")
        sums(test, "full disk", profile)
    finally:
        run("umount", disk)


def fill(filler):
    try:
        while True:
            filler.write(bytes(4096))
    except OSError:
        pass


def main():
    test = Test()
    truth(test)
    short_memory(test)
    killed(test)
    full_disk(test)
    test.finish()


main()

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


def meta(profile):
    with sqlite3.connect(profile) as db:
        return dict(db.execute("SELECT key, value FROM meta").fetchall())


def blocks(profile):
    """Events that are told, that were lost before, and bytes of them."""
    with sqlite3.connect(profile) as db:
        sound = db.execute("PRAGMA integrity_check").fetchone()[0]
        row = db.execute("SELECT sum(count), sum(lost), sum(length(bytes)) FROM event_block").fetchone()
    return sound, row


def nested(test, what, rows):
    """Each call lies in the one above it, in time too, and none is longer."""
    stack = []
    for row in rows:
        stack[row["level"]:] = [row]
        if row["kind"] != "call" or row["level"] == 0:
            continue
        above = stack[row["level"] - 1] if len(stack) > row["level"] else None
        test.expect(above is not None and above["thread"] == row["thread"]
                    and above["begin"] <= row["begin"]
                    and row["begin"] + row["elapsed"] <= above["begin"] + above["elapsed"],
                    f"{what}: {row} is not in {above}")


def check_compact(test, java):
    """Few bytes an event; the list in the order of time; times that are chosen; one call; chosen methods."""
    profile = record(test, java, "calls=instrument,metrics=wall", "mixed", 4, 2000)
    what = f"{java}: compact"
    sound, (count, lost, size) = blocks(profile)
    facts = meta(profile)
    test.expect(sound == "ok" and lost == 0, f"{what}: {sound}, {lost} lost")
    test.expect(int(facts["events"]) == count and "events.lost" not in facts, f"{what}: {facts}")
    test.expect(size <= 8 * count, f"{what}: {size} bytes for {count} events")
    check_chrome(test, profile)
    rows, _ = report(test, profile, "timeline", "--thread", "mixed-1", "--top", "5000")
    test.expect(len(rows) == 5000, f"{what}: {len(rows)} rows")
    test.expect(all(a["begin"] <= b["begin"] for a, b in zip(rows, rows[1:])), f"{what}: order")
    nested(test, what, rows)
    middle = rows[2500]["begin"]
    part, _ = report(test, profile, "timeline", "--thread", "mixed-1", "--from", f"{middle}ns",
                     "--to", f"{middle + 200000}ns", "--top", "100000")
    inside = [row for row in part if row["begin"] >= middle and not row["began_before"]]
    test.expect(inside and all(row["begin"] <= middle + 200000 for row in part),
                f"{what}: not of the time that was chosen")
    whole = {(row["begin"], row["elapsed"], row["method"]) for row in rows}
    test.expect(any((row["begin"], row["elapsed"], row["method"]) in whole for row in inside),
                f"{what}: the same calls are not the same")
    calls, _ = report(test, profile, "timeline", "--method", "agent.Eventful.caught", "--top", "400")
    firsts = [row for row in calls if row["level"] == 0]
    test.expect(len(firsts) == 10 and all(row["method"] == "caught" for row in firsts),
                f"{what}: {firsts}")
    test.expect([row["elapsed"] for row in firsts] ==
                sorted((row["elapsed"] for row in firsts), reverse=True), f"{what}: not the longest")
    second, _ = report(test, profile, "timeline", "--method", "agent.Eventful.caught", "--call", "2")
    test.expect(second[0]["begin"] == firsts[1]["begin"], f"{what}: not the second one")
    test.expect(any(row["unwound"] for row in second) or len(second) == 3, f"{what}: {second}")


def check_chrome(test, profile):
    """Calls with their times; those of a track lie in each other."""
    out = test.work / "out.json"
    test.jprof("export", profile, "--to", "chrome", "-o", out, "--calibration", "off")
    calls = collections.defaultdict(list)
    for event in json.loads(out.read_text())["traceEvents"]:
        if event.get("cat") == "call":
            begin = round(event["ts"] * 1000)
            calls[event["tid"]].append((begin, -round(event["dur"] * 1000)))
    told, _ = report(test, profile, "event-tree")
    test.expect(sum(map(len, calls.values())) == sum(row["calls"] for row in told),
                f"chrome: {sum(map(len, calls.values()))} calls")
    for of_track in calls.values():
        around = []
        for begin, minus in sorted(of_track):
            while around and around[-1] <= begin and not around[-1] == begin == begin - minus:
                around.pop()
            test.expect(not around or begin - minus <= around[-1], f"chrome: a call at {begin}")
            around.append(begin - minus)


def check_chosen(test, java):
    """Methods that are chosen, and no others."""
    profile = record(test, java, "calls=instrument,metrics=wall,events=agent.Eventful.caught+"
                     "agent.Eventful.fall", "mixed", 3, 200)
    rows, said = report(test, profile, "event-tree")
    test.expect(not said, said)
    found = {row["method"] for row in rows if row["level"] > 0}
    test.expect(found == {"caught", "fall"}, f"chosen: {found}")
    counted = test.calls(profile, "agent.Eventful")
    for name in found:
        told = sum(row["calls"] for row in rows if row["method"] == name)
        test.expect(told == counted[f"agent.Eventful.{name}"], f"{name}: {told} of {counted}")


def check_kept(test, java):
    """The last second is kept, and written when a call was long: with the whole call, even one that is longer than that."""
    profile = record(test, java, "calls=instrument,metrics=wall,events_keep=500ms,"
                     "events_when=agent.Eventful.slow>900ms", "slow", 30, 60, 1200, 40, 30)
    with sqlite3.connect(profile) as db:
        writes = db.execute("SELECT reason, begin, at, whole FROM event_write").fetchall()
    what = f"{java}: kept"
    test.expect(len(writes) == 1 and "agent.Eventful.slow took 1" in writes[0][0]
                and writes[0][3] == 1, f"{what}: {writes}")
    rows, _ = report(test, profile, "timeline", "--method", "agent.Eventful.slow")
    test.expect(rows[0]["elapsed"] >= 1200000000 and not rows[0]["began_before"]
                and not rows[0]["goes_on"] and rows[0]["begin"] >= writes[0][1],
                f"{what}: {rows[0]}")
    test.expect([row["method"] for row in rows[1:4]] == ["leaf", "pause", "leaf"]
                and all(row["call"] == 1 for row in rows[:4]), f"{what}: {rows}")
    # Nothing is written without that.
    profile = record(test, java, "calls=instrument,metrics=wall,events_keep=500ms", "slow", 30, 60)
    done = run(test.program, "report", profile, "--view", "timeline")
    test.expect(done.status != 0 and "no events" in done.err, f"{what}: {done}")


def check_requested(test, java):
    """jprof trace PID --write."""
    profile = test.new_profile()
    child = subprocess.Popen([java, f"-agentpath:{test.agent}=file={profile},sample=off,flush=100,"
                              "traces=events,events_keep=1s,metrics=wall,calls=instrument", "-cp",
                              test.work, "agent.Eventful", "storm", "2", "60"])
    try:
        wait_for(lambda: run(test.program, "status", child.pid).status == 0)
        time.sleep(1)
        test.expect(blocks(profile)[1][0] is None, "events were written unasked")
        done = test.jprof("trace", child.pid, "--write")
        test.expect("are in the profile" in done.err, str(done))
        first = blocks(profile)[1][0]
        test.expect(first and first > 1000, f"{first} events after a request")
        test.jprof("trace", child.pid, "-events", "--write", status=1)
    finally:
        child.kill()
        child.wait()
        forget(child.pid)
    rows, _ = report(test, profile, "timeline", "--top", "300")
    nested(test, "requested", rows)


def check_little_memory(test, java):
    """What there is no memory for is lost, counted and marked; what is told is right."""
    profile = record(test, java, "calls=instrument,metrics=wall,max_memory=2m", "storm", 3, 2)
    what = f"{java}: little memory"
    sound, (count, lost, _) = blocks(profile)
    facts = meta(profile)
    test.expect(sound == "ok" and int(facts.get("events.lost", 0)) == lost > 0,
                f"{what}: {lost} lost, {facts.get('events.lost')} in all")
    test.expect("events.odd" not in facts, f"{what}: {facts.get('events.odd')} odd ones")
    with sqlite3.connect(profile) as db:
        made = db.execute("SELECT sum(events) FROM thread").fetchone()[0]
    test.expect(count + lost >= made, f"{what}: {count} and {lost} lost of {made}")
    rows, said = report(test, profile, "timeline", "--top", "3000")
    test.expect("were lost" in said and "match" not in said, f"{what}: {said}")
    test.expect(any(row["kind"] == "lost" and row["amount"] > 0 for row in rows),
                f"{what}: no gap is shown")
    tree, _ = report(test, profile, "event-tree")
    told = sum(row["calls"] for row in tree)
    counted = sum(test.calls(profile, "agent.Eventful").values())
    test.expect(0 < told <= counted, f"{what}: {told} calls of {counted}")


def written(profile):
    """Events that are in the file, which somebody writes."""
    try:
        return blocks(profile)[1][0] or 0
    except sqlite3.Error:
        return 0


def check_killed(test, java):
    """What was written before a kill -9 is right."""
    profile = test.new_profile()
    child = subprocess.Popen([java, f"-agentpath:{test.agent}=file={profile},sample=off,flush=1,"
                              "traces=events,metrics=wall,calls=instrument", "-cp", test.work,
                              "agent.Eventful", "storm", "2", "60"])
    try:
        wait_for(lambda: written(profile) > 100000, 100)
    finally:
        child.send_signal(signal.SIGKILL)
        child.wait()
        forget(child.pid)
    rows, said = report(test, profile, "timeline", "--top", "2000")
    sound, (count, lost, _) = blocks(profile)
    test.expect(sound == "ok" and count > 100000, f"{java}: killed: {sound}, {count} events")
    test.expect("match" not in said and "read" not in said, f"killed: {said}")
    nested(test, "killed", rows)


def check_full_disk(test, java):
    """A disk that is full: the program goes on, and what is in the file is right; lost is what there was no memory for."""
    disk = test.work / "disk"
    disk.mkdir(exist_ok=True)
    if os.geteuid() != 0 or run("mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", disk).status != 0:
        print("not tried: a full disk needs root and a tmpfs")
        return
    try:
        done = run(java, f"-agentpath:{test.agent}=file={disk}/p.jprof,sample=off,flush=1,"
                   "traces=events,metrics=wall,calls=instrument,max_memory=8m", "-cp", test.work,
                   "agent.Eventful", "storm", "2", "4")
        lines = [line for line in done.err.splitlines() if "p.jprof" in line]
        test.expect(done.status == 0 and len(lines) == 1, f"a full disk: {done}")
        profile = test.new_profile()
        profile.write_bytes((disk / "p.jprof").read_bytes())
        sound, (count, _, _) = blocks(profile)
        test.expect(sound == "ok" and count > 0, f"a full disk: {sound}, {count}")
        rows, said = report(test, profile, "timeline", "--top", "500")
        test.expect("match" not in said, f"a full disk: {said}")
        nested(test, "a full disk", rows)
        profile.unlink()
    finally:
        run("umount", disk)


def check_operations(test, java):
    """I/O is in its place."""
    path = test.work / "read.txt"
    path.write_text("x" * 5000)
    profile = record(test, java, "calls=instrument,metrics=wall,io=summary", "read", 1, path)
    rows, _ = report(test, profile, "timeline", "--thread", "main")
    reads = [at for at, row in enumerate(rows) if row["operation"] == "read" and row["amount"] == 5000]
    test.expect(reads, f"{java}: no read in {rows}")
    for at in reads:
        around = [row for row in rows[:at] if row["kind"] == "call" and row["level"] < rows[at]["level"]]
        test.expect(around[-1]["method"] == "read", f"{java}: read in {around[-1]}")


def refused(test, java):
    for options, said in (("calls=off", "timed calls"),
                          ("events_when=a.b>1s", "events_keep"),
                          ("events_keep=1s,events_when=a.b", "has no method"),
                          ("events_keep=never", "is not legal")):
        done = run(java, f"-agentpath:{test.agent}=file={test.work}/refused.jprof,traces=events,{options}",
                   "-cp", test.work, "agent.Eventful", "slow", 1)
        test.expect(said in done.err, f"{options}: {done}")


def main():
    test = Test()
    for java in test.javas:
        test.javac(java, "Eventful")
        check_equal(test, java)
        check_virtual(test, java)
        check_compact(test, java)
        check_chosen(test, java)
        check_operations(test, java)
        check_kept(test, java)
        check_requested(test, java)
        check_little_memory(test, java)
        check_killed(test, java)
        check_full_disk(test, java)
        refused(test, java)
    test.finish()


main()

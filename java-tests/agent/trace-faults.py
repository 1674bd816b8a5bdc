#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
"""All traces at once, at full rate, and something goes wrong: there is next to no memory, the disk gets full and has room
again, somebody holds the file, the disk is slow, the JVM is killed. The program runs as if there were nothing; the profile opens; what is
in it is no more than what was done; and that with what is said to be lost is no less. The trace of events switched on
in a running recording tells of that time alone, and all of it. Patterns that match nothing are named.

KEEP=1 keeps profiles; FAULTS="killed slow" tries these alone."""
import collections
import contextlib
import json
import os
import pathlib
import re
import signal
import sqlite3
import struct
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from harness import Target, Test, forget, run, wait_for  # noqa: E402

WHAT = ("fib", "thrown", "things", "writes", "waits", "parks", "watched", "loads", "starts", "collections")
TRACES = "objects+locks+gc+exceptions+classes+jit+threads+events"
ALL = (f"calls=instrument,include=agent.Faulty.*,metrics=wall+cpu,traces={TRACES},objects=all,gc_in_paths=yes,"
       "io=records,io_cpu=yes,resolution=200ms,distribution=agent.Faulty.watched,slowest=5,flush=1")
# Facts that say how many of them are not told.
LOST = {"thrown": ("trace.lost.throw", "exceptions.unresolved"), "things": ("objects.lost",),
        "waits": ("locks.lost", "locks.cut"), "parks": ("locks.lost", "locks.cut"),
        "watched": ("distribution.lost",), "loads": ("classes.unlisted",), "starts": ("threads.unlisted",),
        "collections": ("gc.lost", "gc.unread_bytes", "gc.forgotten"), "records": ("io.records.lost",),
        "events": ("events.lost",)}
VIEWS = ("summary", "objects", "alive", "locks", "waits", "gc", "safepoints", "gc-tree", "jit", "deoptimizations",
         "exceptions", "exception-tree", "classes", "class-loaders", "thread-states", "distribution", "slowest",
         "event-tree", "timeline", "files", "seconds", "tree")


class Recorded:
    """A program under the agent, its counts, and the profile."""

    def __init__(self, test, java, what, options, profile=None, errors="^$"):
        self.test, self.what, self.java = test, f"{java}: {what}", java
        self.folder = test.work / re.sub(r"\W+", "-", self.what)
        self.folder.mkdir()
        self.profile = profile or self.folder / "p.jprof"
        # Nodes that traces alone have found have no figures to add up.
        test.summed.add(self.profile)
        agent = (f"-agentpath:{test.agent}=file={self.profile},{options}" if options
                 else "-XX:+EnableDynamicAgentLoading")
        self.target = Target(test, java, "-XX:+UseSerialGC", "-Xmx200m", agent, "-cp", test.work, "agent.Faulty",
                             self.folder, known_errors=errors)
        print(self.what, flush=True)

    def done(self):
        """What the program has done so far, or was about to do."""
        counts = struct.unpack(f"<{len(WHAT)}q", (self.folder / "counts").read_bytes())
        return dict(zip(WHAT, counts))

    def begin(self, ms):
        """It runs so long, or until it is killed."""
        self.target.process.stdin.write(f"run {ms}\n")
        self.target.process.stdin.flush()

    # --- the profile ---

    def query(self, sql):
        with contextlib.closing(sqlite3.connect(self.profile)) as database:
            return database.execute(sql).fetchall()

    def count(self, sql):
        return self.query(sql)[0][0] or 0

    def rows(self, view):
        done = self.test.jprof("report", self.profile, "--view", view, "--format", "json", "--calibration", "off")
        return json.loads(done.out)["rows"] if done.status == 0 else []

    def found(self):
        """The same as done(), as the profile has it, and what follows from it."""
        locks = ("SELECT sum(a.count) FROM account a JOIN lock l ON l.id = a.subject "
                 "WHERE a.kind = '{}' AND l.class = 'agent.Faulty${}'")
        files = [row for row in self.rows("files") if "/written-" in row["path"]]
        tree = [row for row in self.rows("event-tree") if row["method"] == "fib"] if self.blocks() else []
        return {
            "fib": self.count("SELECT sum(n.calls) FROM node n JOIN method m ON m.id = n.method WHERE m.name = 'fib'"),
            "thrown": sum(row["thrown"] for row in self.rows("exceptions") if row["exception"].endswith("$Expected")),
            "things": sum(row["allocated"]["objects"] for row in self.rows("objects")
                          if row["class"].endswith("$Thing")),
            "writes": sum(row["writes"]["ops"] for row in files),
            "waits": self.count(locks.format("wait", "Monitor")),
            "parks": self.count(locks.format("park", "Blocker")),
            "watched": sum(row["calls"] for row in self.rows("distribution")),
            "loads": sum(row["class"].endswith("$Loaded") for row in self.rows("classes")),
            "starts": self.count("SELECT count(*) FROM thread_state WHERE name = 'short'"),
            "collections": self.count("SELECT count(*) FROM collection WHERE kind = 'pause' AND cause = 'System.gc()'"),
            "records": self.count("SELECT count(*) FROM records WHERE operation = 'write' AND name LIKE '%/written-%'"),
            "events": sum(row["calls"] for row in tree),
        }

    def blocks(self):
        return self.count("SELECT count(*) FROM event_block")

    def facts(self):
        return dict(self.query("SELECT key, value FROM meta"))

    def check(self, complete=True):
        """Nothing that was not done; and, in a complete profile, all of it, but for what is said to be lost. Returns which
        are lost."""
        test, done, found, facts = self.test, self.done(), self.found(), self.facts()
        done |= {"records": done["writes"], "events": done["fib"]}
        test.same(f"{self.what}: integrity", "ok", self.count("PRAGMA integrity_check"))
        test.same(f"{self.what}: complete", "yes" if complete else "no", facts["complete"])
        missing = {}
        for name, number in done.items():
            lost = sum(int(facts.get(key, 0)) for key in LOST.get(name, ()))
            missing[name] = lost
            test.expect(found[name] <= number, f"{self.what}: {found[name]} {name} of {number}")
            if complete:
                test.expect(found[name] + lost >= number,
                            f"{self.what}: {found[name]} {name} of {number}, {lost} said to be lost")
        test.expect("events.odd" not in facts, f"{self.what}: {facts.get('events.odd')} exits match no entry")
        self.check_slices()
        for view in VIEWS:
            if view not in ("event-tree", "timeline") or self.blocks():
                test.jprof("report", self.profile, "--view", view, "--top", 5, "--calibration", "off")
        self.check_said(facts)
        print("  ", {name: (found[name], number, missing[name]) for name, number in done.items()}, flush=True)
        return {name for name, lost in missing.items() if lost}, found

    def check_slices(self):
        for table, column in ("node", "calls"), ("account", "count"), ("thread", "events"):
            whole, parts = (self.count(f"SELECT sum({column}) FROM {name}") for name in (table, f"slice_{table}"))
            self.test.same(f"{self.what}: all slices of {table}", whole, parts)

    def check_said(self, facts):
        """What is lost stands in the summary, also on a screen."""
        said = self.test.jprof("report", self.profile, "--view", "summary", "--calibration", "off").out
        for key in {key for keys in LOST.values() for key in keys}:
            if int(facts.get(key, 0)) > 0:
                words = {"io.records.lost": "lost records", "distribution.lost": "Lost calls"}.get(key, key)
                self.test.expect(words in said, f"{self.what}: the summary does not tell {key}")


def little_memory(test, java):
    """Rings are full, there is no room for stacks, objects, waits."""
    recorded = Recorded(test, java, "little memory", f"{ALL},max_memory=1m,log=error")
    recorded.target.tell("run", 2000)
    recorded.target.end()
    lost, found = recorded.check()
    test.expect({"things", "events"} <= lost, f"{recorded.what}: {lost} are lost")
    test.expect(found["fib"] == recorded.done()["fib"], f"{recorded.what}: calls are lost")
    said = run(test.program, "report", recorded.profile, "--view", "timeline", "--top", 20).err
    test.expect("were lost" in said, f"{recorded.what}: timeline says {said}")


def full_disk(test, java):
    """It gets full, and then there is room again."""
    disk = test.work / "disk"
    disk.mkdir(exist_ok=True)
    if os.geteuid() != 0 or run("mount", "-t", "tmpfs", "-o", "size=64m", "tmpfs", disk).status != 0:
        print("not tried: a full disk needs root and a tmpfs")
        return
    try:
        recorded = Recorded(test, java, "full disk", f"{ALL},max_memory=32m", disk / "p.jprof", "^jprof: .*cannot write")
        recorded.target.tell("run", 300)
        with open(disk / "filler", "wb", buffering=0) as filler, contextlib.suppress(OSError):
            while True:
                filler.write(bytes(1 << 16))
        recorded.target.tell("run", 700)
        test.expect(wait_for(lambda: "cannot write" in recorded.target.said()), f"{recorded.what}: it is not full")
        recorded.target.tell("run", 300)
        (disk / "filler").unlink()
        recorded.target.tell("run", 300)
        recorded.target.end()
        test.same(f"{recorded.what}: lines", 1, len(recorded.target.said().splitlines()))
        recorded.check()
    finally:
        run("umount", disk)


def held_file(test, java):
    """Somebody reads the profile, and does not end."""
    recorded = Recorded(test, java, "held file", f"{ALL},log=error")
    recorded.target.tell("run", 300)
    wait_for(lambda: recorded.profile.exists() and recorded.profile.stat().st_size > 0)
    with contextlib.closing(sqlite3.connect(recorded.profile, timeout=30, isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM meta").fetchone()
        recorded.target.tell("run", 1500)
    recorded.target.tell("run", 300)
    recorded.target.end()
    recorded.check()


def writer_of(pid):
    """The system's number of the thread that writes."""
    for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
        if (task / "comm").read_text() == "jprof writer\n":
            return int(task.name)
    return None


def slow_disk(test, java):
    """Each write takes a while: 'strace' makes it so."""
    recorded = Recorded(test, java, "slow disk", f"{ALL},log=error")
    recorded.target.tell("run", 300)
    with subprocess.Popen(["strace", "-qq", "-o", "/dev/null", "-e", "trace=pwrite64", "-e",
                           "inject=pwrite64:delay_enter=3000", "-p", str(writer_of(recorded.target.pid))],
                          stderr=subprocess.PIPE, text=True) as slower:
        time.sleep(0.3)
        if slower.poll() is not None:
            print(f"not tried: a slow disk: {slower.stderr.read()}")
        recorded.target.tell("run", 1500)
        slower.send_signal(signal.SIGINT)
    recorded.target.end()
    recorded.check()


def killed(test, java):
    """kill -9 in the midst of it."""
    recorded = Recorded(test, java, "killed", f"{ALL},log=error")
    recorded.begin(20000)
    wait_for(lambda: recorded.profile.exists() and has_all(recorded))
    time.sleep(0.5)
    recorded.target.process.kill()
    recorded.target.process.wait()
    forget(recorded.target.pid)
    _, found = recorded.check(complete=False)
    test.expect(all(found[name] > 0 for name in ("fib", "thrown", "things", "writes", "events")),
                f"{recorded.what}: {found}")


def has_all(recorded):
    """Something of each trace is in the file, which is written."""
    try:
        return recorded.count("SELECT min((SELECT count(*) FROM record), (SELECT count(*) FROM event_block), "
                              "(SELECT count(*) FROM account WHERE kind = 'throw'))") > 0
    except sqlite3.Error:
        return False


def by_method(rows):
    calls = collections.Counter()
    for row in rows:
        if row["level"] > 0:
            calls[row["method"]] += row["calls"]
    return calls


def attached(test, java):
    """Events are switched on in a recording that was attached, and off again."""
    recorded = Recorded(test, java, "attached", None)
    target = recorded.target
    target.tell("run", 100)
    test.jprof("attach", target.pid, "--file", recorded.profile, "--calls", "instrument", "--include", "agent.Faulty.*",
               "--metrics", "wall", "--max_memory", "1g", "--flush", 1)
    target.tell("run", 200)
    target.tell("hold")
    before = recorded.done()
    test.jprof("trace", target.pid, "+events")
    target.tell("run", 400)
    target.tell("release")
    test.jprof("trace", target.pid, "-events")
    after = recorded.done()
    target.tell("run", 200)
    test.jprof("stop", target.pid)
    target.end()
    tree = recorded.rows("event-tree")
    told, done = by_method(tree), {name: after[name] - before[name] for name in after}
    test.expect("events.lost" not in recorded.facts(), f"{recorded.what}: events are lost")
    test.same(f"{recorded.what}: events of the time that they were on",
              {"fib": done["fib"], "watched": done["watched"]}, {name: told[name] for name in ("fib", "watched")})
    # The one who was there before is below the frames that it was in.
    path, held = [], []
    for row in tree:
        path[row["level"]:] = [row["method"]]
        if row["thread"] == "worker-8" and row["method"] == "leaf":
            held.append((path[-9:], row["calls"]))
    test.same(f"{recorded.what}: the path of who was held", [["down"] * 8 + ["leaf"]], [names for names, _ in held])
    test.expect(sum(calls for _, calls in held) == 100, f"{recorded.what}: who was held: {held}")
    # None is outside of the time that the trace was on.
    began, ended = recorded.query("SELECT began, ended FROM trace_period WHERE trace = 'events'")[0]
    first, last = recorded.query("SELECT min(first), max(last) FROM event_block")[0]
    test.expect(began <= first + 1_000_000_000 and last <= ended, f"{recorded.what}: {first} .. {last}, on {began} .. {ended}")


def no_match(test, java):
    """Patterns of each option that match nothing are in the profile, in reports, and said at the end."""
    options = ("calls=instrument,include=agent.Faulty.*,metrics=wall,traces=events,events_keep=1s,"
               "events=agent.Faulty.fib+agent.Faulty.laef,events_when=agent.Faulty.fob>1s,"
               "distribution=agent.Faulty.watched+agent.Faulty.wotched")
    recorded = Recorded(test, java, "no match", options, errors="^jprof: ")
    recorded.target.tell("run", 100)
    recorded.target.end()
    nothing = {(row["option"], row["pattern"]) for row in json.loads(recorded.facts()["matches"]) if not row["matches"]}
    test.same(f"{recorded.what}: match nothing",
              {("events", "agent.Faulty.laef"), ("events_when", "agent.Faulty.fob"),
               ("distribution", "agent.Faulty.wotched")}, nothing)
    text = test.jprof("report", recorded.profile, "--view", "distribution", "--calibration", "off").out
    for said in recorded.target.said(), text:
        test.has_line(recorded.what, said, "distribution=agent.Faulty.wotched: no method of this name was seen",
                      "'agent.Faulty.watched'")
        test.has_line(recorded.what, said, "events=agent.Faulty.laef: no event of a method of this name", "'agent.Faulty.leaf'")
        test.has_line(recorded.what, said, "events_when=agent.Faulty.fob: no event of a method of this name")


FAULTS = (little_memory, full_disk, held_file, slow_disk, killed, attached, no_match)


def main():
    test = Test()
    chosen = os.environ.get("FAULTS", "").split()
    for java in test.javas:
        test.javac(java, "Faulty")
        for fault in FAULTS:
            if not chosen or fault.__name__ in chosen:
                fault(test, java)
    test.finish()


main()

#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
"""beside: what jprof's traces and the flight recorder tell of the same run of the same JVM, and async-profiler where ASYNC_PROFILER
names its library: of locks in that run, of allocations in a run of its own, as the JVM tells one agent alone of them.

    beside.py BUILD_DIR CLASSES JAVA PROGRAM...

CLASSES: what PROGRAM, the words behind `Steady rounds`, needs (bench/sampling); bench/traces/run.sh calls it.
The flight recorder has every event that it has, of any length."""
import json
import os
import pathlib
import re
import sqlite3
import subprocess
import sys
import tempfile

JFR_EVENTS = ("GarbageCollection", "GCPhasePause", "JavaMonitorEnter", "JavaMonitorWait", "ThreadPark", "JavaExceptionThrow",
              "JavaErrorThrow", "ClassLoad", "ClassUnload", "Compilation", "Deoptimization", "ThreadStart",
              "ObjectAllocationSample", "SafepointBegin")
TRACES = "objects+locks+gc+jit+exceptions+classes+threads"


def run(*words):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, check=True, stdin=subprocess.DEVNULL).stdout


class Jprof:
    """A profile's own tables."""

    def __init__(self, profile):
        self.database = sqlite3.connect(profile)

    def one(self, query):
        return self.database.execute(query).fetchone()

    def account(self, *kinds):
        return self.one("SELECT sum(count), sum(ns) FROM account WHERE kind IN (%s)" % ",".join(f"'{kind}'" for kind in kinds))

    def contention(self, kind):
        """A park that waits for no lock is JFR's event, too."""
        return self.one(f"SELECT sum(count), sum(ns) FROM contention WHERE kind = '{kind}'")


class Jfr:
    """A recording, by JDK's own command. Times as ISO periods of seconds."""

    def __init__(self, java, recording):
        text = run(java.parent / "jfr", "print", "--json", "--events", ",".join(f"jdk.{event}" for event in JFR_EVENTS), recording)
        self.events = {}
        for event in json.loads(text)["recording"]["events"]:
            self.events.setdefault(event["type"].removeprefix("jdk."), []).append(event["values"])

    def one(self, *types):
        found = [event for name in types for event in self.events.get(name, [])]
        return len(found), sum(float(event.get("duration", "PT0S")[2:-1]) * 1e9 for event in found
                               if re.fullmatch(r"PT[\d.]+S", event.get("duration", "")))

    def bytes_by_class(self):
        sums = {}
        for event in self.events.get("ObjectAllocationSample", []):
            name = event["objectClass"]["name"].replace("/", ".")
            sums[name] = sums.get(name, 0) + event["weight"]
        return sums


def async_bytes(classes, java, program, library, work):
    """By class, of a run of its own."""
    out = work / "async.txt"
    run(java, f"-agentpath:{library}=start,event=alloc,alloc=512k,total,collapsed,file={out}", *classes, "Steady", "rounds", "1", "8", *program)
    sums = {}
    for line in out.read_text().splitlines():
        stack, number = line.rsplit(" ", 1)
        name = re.sub(r"_\[[a-z]\]$", "", stack.rsplit(";", 1)[1]).replace("/", ".")
        sums[name] = sums.get(name, 0) + int(number)
    return sums


def row(what, *values):
    cells = []
    for value in values:
        count, ns = value if value else (None, None)
        cells.append("-" if count is None else f"{count:,}" + (f", {ns / 1e6:,.0f} ms" if ns else ""))
    print(f"    {what:34}" + "".join(f"{cell:>26}" for cell in cells))


def shares(name, sums, most):
    whole = sum(sums.values()) or 1
    print(f"    {name:16}" + ", ".join(f"{short(each)} {100 * sums.get(each, 0) / whole:.1f} %" for each in most))


def short(name):
    return {"[B": "byte[]", "[Ljava.lang.Object;": "Object[]"}.get(name, name.rsplit(".", 1)[-1])


def internal(name):
    """byte[] as [B."""
    kinds = {"byte": "B", "int": "I", "char": "C", "long": "J", "short": "S", "boolean": "Z", "float": "F", "double": "D"}
    depth = name.count("[]")
    base = name.replace("[]", "")
    return name if not depth else "[" * depth + kinds.get(base, f"L{base};")


def main():
    build, java, program = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[3]), sys.argv[4:]
    classes = ["-cp", sys.argv[2]]
    library = os.environ.get("ASYNC_PROFILER", "")
    with tempfile.TemporaryDirectory(prefix="jprof-beside.") as folder:
        work = pathlib.Path(folder)
        events = ",".join(f"jdk.{event}#enabled=true,jdk.{event}#threshold=0ns" for event in JFR_EVENTS)
        lock = [f"-agentpath:{library}=start,event=lock,lock=0,total,collapsed,file={work}/lock.txt"] if library else []
        run(java, "-Xmx1g", f"-XX:StartFlightRecording:filename={work}/all.jfr,{events}", *lock,
            f"-agentpath:{build}/libjprof.so=file={work}/p.jprof,calls=off,io=off,traces={TRACES}", *classes, "Steady", "rounds", "1",
            "8", *program)
        ours, theirs = Jprof(work / "p.jprof"), Jfr(java, work / "all.jfr")
        print(f"    {'':34}{'jprof':>26}{'flight recorder':>26}")
        row("monitors: contended enters", ours.contention("block"), theirs.one("JavaMonitorEnter"))
        row("monitors: waits", ours.contention("wait"), theirs.one("JavaMonitorWait"))
        row("parks", ours.contention("park"), theirs.one("ThreadPark"))
        row("collections: pauses", ours.one("SELECT count(*), sum(ns) FROM collection WHERE kind = 'pause'"), theirs.one("GCPhasePause"))
        row("safepoints", ours.one("SELECT count(*), 0 FROM safepoint"), theirs.one("SafepointBegin"))
        row("exceptions (JFR: created)", ours.account("throw", "throwable"), theirs.one("JavaExceptionThrow", "JavaErrorThrow"))
        row("classes loaded", ours.one("SELECT count(*), 0 FROM class WHERE loaded IS NOT NULL"), theirs.one("ClassLoad"))
        row("compilations", ours.one("SELECT count(*), sum(ns) FROM compilation"), theirs.one("Compilation"))
        row("threads started", ours.account("start"), theirs.one("ThreadStart"))
        mine = {}
        for name, number in ours.database.execute(
                "SELECT m.class, sum(a.amount) FROM account a JOIN method m ON m.id = a.subject WHERE a.kind = 'allocate' GROUP BY 1"):
            mine[internal(name or "?")] = number
        most = sorted(mine, key=mine.get, reverse=True)[:5]
        jfr = {internal(name): number for name, number in theirs.bytes_by_class().items()}
        print(f"    bytes allocated: {sum(mine.values()) / 1e9:.2f} GB; flight recorder {sum(jfr.values()) / 1e9:.2f} GB; shares of the most:")
        shares("jprof", mine, most)
        shares("flight recorder", jfr, most)
        if library:
            waits = sum(int(line.rsplit(" ", 1)[1]) for line in (work / "lock.txt").read_text().splitlines())
            print(f"    async-profiler, monitors and parks that hold up locks: {waits / 1e6:,.0f} ms")
            shares("async-profiler", {internal(name): n for name, n in
                                      async_bytes(classes, java, program, library, work).items()}, most)


main()

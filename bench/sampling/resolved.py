#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
"""How many stacks that were taken in Java code have no Java frame: resolved.py NAME FILE..., profiles of
jprof's (*.jprof) or collapsed stacks of async-profiler's, with `threads,ann,lib`, all of one program.

Of Java's threads: *in Java code* is a stack whose innermost frame is a Java method or code that the JVM made
(a stub, or such of which nothing is known), or that has no frame at all; all others, in the JVM, libraries or
the kernel, are *elsewhere*. Those have a right to no Java frame: while a thread begins or ends, or where it
never is in Java (`Signal Dispatcher`). *Ends early*: any stack of a Java thread that says so itself."""
import collections
import re
import sqlite3
import sys

BAR = 0.5
# Threads that the JVM has for itself; jprof tells them apart, the other one has their names alone.
OF_THE_JVM = re.compile(r"\[(GC Thread|G1 |C[12] CompilerThre|VM |jprof |Async-profiler)")


class Found:
    """Numbers of stacks."""

    def __init__(self):
        self.all = self.others = self.java = self.bare = self.elsewhere = self.elsewhere_bare = 0
        self.early = self.periods = 0
        self.whys, self.innermost, self.lost = (collections.Counter() for _ in range(3))

    def add(self, count, in_java, has_java, early, innermost):
        self.early += count if early else 0
        if in_java:
            self.java += count
            self.bare += 0 if has_java else count
            if not has_java:
                self.innermost[innermost] += count
        else:
            self.elsewhere += count
            self.elsewhere_bare += 0 if has_java else count
            if not has_java and early:
                self.innermost[innermost] += count

    def rate(self):
        return 100 * self.bare / self.java if self.java else 0


def add_profile(found, path):
    with sqlite3.connect(path) as database:
        facts = dict(database.execute("SELECT key, value FROM meta WHERE key LIKE 'sample.%'"))
        into = dict(database.execute("SELECT id, into_id FROM forward"))
        nodes = {row[0]: row[1:] for row in database.execute(
            "SELECT n.id, n.parent, m.kind, m.class, m.name, t.java_id != 0 OR t.virtual OR t.folded > 1 "
            "FROM node n JOIN method m ON m.id = n.method JOIN thread t ON t.id = n.thread")}
        samples = database.execute("SELECT a.node, s.name, sum(a.count) FROM account a JOIN state s "
                                   "ON s.id = a.subject >> 4 & 15 WHERE a.kind = 'sample' "
                                   "GROUP BY 1, 2").fetchall()
    for key, value in facts.items():
        if key.startswith("sample.walk."):
            found.whys[key[len("sample.walk."):]] += int(value)
        elif key.endswith((".full", ".kernel", ".inside", ".rest")):
            found.lost[key.rsplit(".", 1)[1]] += int(value)
        elif key.endswith(".taken"):
            found.periods += int(value)
    for node, state, count in samples:
        frames, early = [], False
        while node in into:
            node = into[node]
        java_thread = nodes[node][4]
        while node is not None:
            parent, kind, of, name, _ = nodes[node]
            if kind == "mark":
                early |= name in ("(cut)", "(not walked)")
            elif parent is not None:
                frames.append((kind, f"{name} {of}" if kind != "java" else f"{of}.{name}"))
            while parent in into:
                parent = into[parent]
            node = parent
        found.all += count
        if not java_thread:
            found.others += count
            continue
        innermost = frames[0] if frames else ("stub", "no frame")
        found.add(count, innermost[0] in ("java", "stub") and state not in ("gc", "jit"),
                  any(kind == "java" for kind, _ in frames), early, innermost[1])


def add_collapsed(found, path):
    for line in open(path, errors="replace"):
        stack, count = line.rstrip("\n").rsplit(" ", 1)
        thread, *frames = stack.split(";")
        count = int(count)
        found.all += count
        if OF_THE_JVM.match(thread):
            found.others += count
            continue
        java = [frame for frame in frames if re.search(r"_\[[j0i1]\]$", frame)]
        wrong = [frame for frame in frames if re.match(r"\[(break_|unknown_|not_walkable|deopt|stale)", frame)]
        for frame in wrong:
            found.whys[frame] += count
        innermost = frames[-1] if frames else "no frame"
        # Functions have their library before them, those of the kernel a mark behind.
        outside = "`" in innermost or innermost.endswith("_[k]") or ".so" in innermost or \
            innermost in ("[unknown]", "[vdso]")
        found.add(count, not outside, bool(java), bool(wrong), innermost)


def main():
    name, *paths = sys.argv[1:]
    if name == "--head":
        print(f"  {'':22}{'all':>8}{'in Java':>9}{'no Java frame':>15}{'':19}{'elsewhere':>10}"
              f"{'no Java frame':>15}{'end early':>11}")
        return
    found = Found()
    for path in paths:
        (add_profile if path.endswith(".jprof") else add_collapsed)(found, path)
    bar = f"(bar: {BAR:.1f}, {'met' if found.rate() <= BAR else 'MISSED'})"
    print(f"  {name:22}{found.all:>8}{found.java:>9}{found.bare:>7}{found.rate():>6.2f} %"
          f" {bar:>20}{found.elsewhere:>9}{found.elsewhere_bare:>15}{found.early:>11}")
    if found.lost:
        print(f"    of {found.periods + sum(found.lost.values())} periods none: " +
              ", ".join(f"{why} {count}" for why, count in found.lost.most_common()))
    for title, counts in ("why", found.whys), ("innermost", found.innermost):
        if counts:
            print(f"    {title}: " + ", ".join(f"{what} {count}" for what, count in counts.most_common(8)))


main()

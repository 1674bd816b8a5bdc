#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
"""traces=locks: a program says who waited for whom, how often and how long; so does the profile. Monitors and locks of
java.util.concurrent, threads of the system and virtual ones, from the start and in a running JVM, whatever else is
recorded; and the trace switched on and off a thousand times."""
import json
import pathlib
import re
import sqlite3
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import control  # noqa: E402
from harness import Target, Test  # noqa: E402

PAIRS, LONG, WAITS, PART, SIDES = 2500, 30, 15, 300, 3
FREE_MOST = 10


class Locks:
    """One profile at a time, and what the program says it has to have."""

    def __init__(self, test, java):
        self.test, self.java, self.profile = test, java, None
        release = (pathlib.Path(java).parent.parent / "release").read_text()
        self.release = int(re.search(r'JAVA_VERSION="([0-9]+)', release).group(1))

    def target(self, options, kind, jvm=("-Xcheck:jni",)):
        """options None: it is attached to later."""
        self.profile = self.test.new_profile()
        # Nodes that waits alone have found have no figures to add up.
        self.test.summed.add(self.profile)
        agent = (f"-agentpath:{self.test.agent}=file={self.profile},{options}" if options
                 else "-XX:+EnableDynamicAgentLoading")
        return Target(self.test, self.java, *jvm, agent, "-cp", self.test.work, "Contended", kind)

    def rows(self, view):
        return self.test.views(self.profile).rows(view)

    def fact(self, key):
        return int(self.test.views(self.profile).fact.get(key, 0))

    # --- who waited for whom ---

    def pairs(self, what, options, kind, attach=False):
        target = self.target(None if attach else options, kind)
        if attach:
            target.tell("pairs", 0, "monitor")
            self.test.jprof("attach", target.pid, "--file", self.profile, *(
                word for option in options.split(",")
                for word in ("--" + option.split("=")[0], option.split("=")[1])))
        said = {}
        for lock in "monitor", "lock":
            for name, number in target.counts("pairs", PAIRS, lock).items():
                said[name] = number if name.startswith("number") else said.get(name, 0) + number
        if attach:
            self.test.jprof("stop", target.pid)
        target.end()
        expected = {tuple(name.split()[1:]): number for name, number in said.items()
                    if name.startswith("pair ")}
        self.holders(what, expected, self.shared_pairs())
        self.locks(what, said)
        self.accounts(what)
        self.test.expect(self.fact("locks.lost") == 0, f"{what}: waits are lost")
        self.not_asked(what)

    def not_asked(self, what):
        """A JVM that may crash by the question is not asked who holds a monitor."""
        self.test.expect(self.release < 23 or self.fact("locks.asked") == 0, f"{what}: the JVM was asked")

    def holders(self, what, expected, found):
        """None is wrong. The holder may have let go before the JVM tells of the contention: then there is none. Where calls
        are timed a virtual thread is known from its first one on: before that it is its carrier that waits."""
        waiters = {pair[0] for pair in expected}
        free = {waiter: found.pop((waiter, None), 0) for waiter in waiters}
        carried = sum(found.pop(pair) for pair in list(found) if pair[0].startswith("ForkJoinPool"))
        unknown = sum(free.values()) + carried
        self.test.expect(unknown <= FREE_MOST, f"{what}: of {unknown} waits no holder is known")
        missing = {pair: number - found.get(pair, 0) for pair, number in expected.items()}
        lacks = {waiter: sum(number for pair, number in missing.items() if pair[0] == waiter) for waiter in waiters}
        if found.keys() <= expected.keys() and min(missing.values()) >= 0 and \
                sum(missing.values()) == unknown and all(lacks[waiter] >= free[waiter] for waiter in waiters):
            found = expected
        self.test.same(f"{what}: who waited for whom", expected, found)

    def shared_pairs(self):
        """Of the program's locks: the JDK's own are contended now and then, too."""
        with sqlite3.connect(self.profile) as database:
            return {tuple(row[:2]): row[2] for row in database.execute(
                "SELECT coalesce(wg.name, w.name), coalesce(hg.name, h.name) AS holder, "
                "sum(c.count) FROM contention c JOIN lock l ON l.id = c.lock "
                "LEFT JOIN thread w ON w.id = c.node >> 32 LEFT JOIN thread wg ON wg.id = w.group_id "
                "LEFT JOIN thread h ON h.id = c.holder >> 32 LEFT JOIN thread hg ON hg.id = h.group_id "
                "WHERE (l.class LIKE 'Contended$Shared%' OR l.class LIKE '%NonfairSync') "
                "AND (c.kind = 'block' OR c.holder NOT NULL) GROUP BY 1, 2")}

    def locks(self, what, said):
        """Monitors by their number, and locks by their class."""
        rows = self.rows("locks")
        found = {(row["lock"]["class"], row["lock"]["number"]): row["contended"]["waits"]
                 for row in rows}
        for name, number in said.items():
            if not name.startswith("number "):
                continue
            kind = name.split()[1]
            self.test.expect(found.get((kind, number)) == PAIRS // 2,
                             f"{what}: of {kind}@{number:x} {found.get((kind, number))} waits "
                             f"instead of {PAIRS // 2}")
        parks = sum(count for (kind, _), count in found.items()
                    if kind.endswith("ReentrantLock$NonfairSync"))
        self.test.expect(parks == PAIRS, f"{what}: {parks} waits for locks instead of {PAIRS}")

    def accounts(self, what):
        """The same by call path: of waiters and of holders, both in the program's methods."""
        with sqlite3.connect(self.profile) as database:
            sums = {kind: (count, ns) for kind, count, ns in database.execute(
                "SELECT kind, sum(count), sum(ns) FROM account GROUP BY kind")}
            rows = database.execute("SELECT sum(count), sum(ns) FROM contention WHERE holder NOT "
                                    "NULL").fetchone()
            waits = database.execute("SELECT sum(count), sum(ns) FROM contention").fetchone()
        self.test.same(f"{what}: accounts of holders", rows, sums["hold"])
        pairs = [row["contended"] for row in self.rows("wait-pairs") if row["holder"]["thread"]]
        self.test.same(f"{what}: pairs", rows, (sum(row["waits"] for row in pairs),
                                                sum(row["ns"] for row in pairs)))
        self.test.same(f"{what}: accounts of waiters", waits, tuple(
            sum(sums.get(kind, (0, 0))[i] for kind in ("block", "park", "wait")) for i in (0, 1)))
        for row in self.rows("waits"):
            if row["contended"]["waits"] > 100:
                self.test.expect(re.match("Contended.take(Monitor|Lock)", row["method"]),
                                 f"{what}: threads wait in {row['method']}")

    # --- how long ---

    def sums(self, kind):
        target = self.target("traces=locks,calls=off", kind)
        said, beans = {}, {}
        for lock in "monitor", "lock":
            counts = target.counts("long", LONG, lock)
            said[lock], beans[lock] = counts["waited"], counts.get("bean")
        waits = target.counts("wait", WAITS)
        target.end()
        found = {"block": 0, "park": 0}
        with sqlite3.connect(self.profile) as database:
            for name, ns in database.execute("SELECT kind, sum(ns) FROM contention WHERE kind = 'block' OR holder NOT "
                                             "NULL GROUP BY kind"):
                found[name] = ns
            of_object = database.execute(
                "SELECT sum(c.ns), sum(c.failures), sum(c.count) FROM contention c LEFT JOIN lock l "
                "ON l.id = c.lock WHERE c.kind = 'wait' AND l.class = 'Contended$SharedA'").fetchone()
        for lock, name in ("monitor", "block"), ("lock", "park"):
            off = abs(found[name] - said[lock]) / said[lock]
            if off > 0.01:
                yield f"{name}: {found[name]} ns instead of {said[lock]}"
            # The bean counts in ms, and what the thread waits for its next task.
            if beans[lock] is not None and found[name] > (beans[lock] + LONG) * 1e6:
                yield f"{name}: {found[name]} ns, the bean has {beans[lock]} ms"
        all_waits = waits["notified"] + waits["timedout"]
        if abs(of_object[0] - all_waits) / all_waits > 0.01:
            yield f"Object.wait: {of_object[0]} ns instead of {all_waits}"
        if of_object[1:] != (WAITS, 2 * WAITS):
            yield f"Object.wait: {of_object[1:]} timed out, and in all, instead of {WAITS}, {2 * WAITS}"

    # --- in parts of the time ---

    def parts(self, what, kind):
        """Two parts with a snapshot between them: each has its own waits, and both together all."""
        target = self.target("traces=locks+threads,calls=off,resolution=200ms", kind)
        target.counts("pairs", PART, "monitor")
        self.test.jprof("snapshot", target.pid, "between")
        target.counts("pairs", 2 * PART, "monitor")
        target.end()
        for view, sums in ("waits", self.waits_of), ("thread-states", self.states_of):
            whole, first, second, timed = (
                sums(json.loads(self.test.jprof("report", self.profile, "--view", view, "--format",
                                                "json", *choice).out)["rows"])
                for choice in (("--snapshot", ".."), ("--snapshot", "..between"),
                               ("--snapshot", "between.."), ("--from", "0s")))
            self.test.same(f"{what}: parts of {view}", whole,
                           self.summed([*first.items(), *second.items()]))
            self.test.same(f"{what}: {view} by time", whole, timed)
            if view == "waits":
                # One of each waiter may be told late.
                found = [sum(count for key, (count, _) in part.items() if key[1] == "Contended.takeMonitor")
                         for part in (first, second)]
                self.test.expect(sum(found) == 3 * PART and abs(found[0] - PART) <= SIDES,
                                 f"{what}: {found} waits instead of {PART} and {2 * PART}")

    @staticmethod
    def summed(pairs):
        sums = {}
        for key, figures in pairs:
            sums[key] = tuple(map(sum, zip(sums.get(key, (0, 0)), figures)))
        return sums

    def waits_of(self, rows):
        """What has ended: number and time."""
        return self.summed(((row["kind"], row["method"], row["class"], row["holder"]["method"]), (
            row["contended"]["waits"] + row["idle"]["waits"], row["contended"]["ns"] + row["idle"]["ns"]))
            for row in rows if not row["unfinished"])

    def states_of(self, rows):
        """A number may be of several threads, one after the other."""
        return self.summed((row["os_id"], (row["running"], row["voluntary"])) for row in rows if row["ns"])

    # --- on and off ---

    def switched(self, what, times, kind):
        """Under load. Each of the longest waits lies in a time in which the trace was on. The heap is there as a whole: what
        grows is something else."""
        target = self.target("calls=off", kind, ("-Xms64m", "-Xmx64m", "-XX:+AlwaysPreTouch"))
        target.tell("pairs", 0, "monitor")
        target.process.stdin.write("load 1200\n")
        memory = []
        client = control.Client(target.pid)
        for i in range(times):
            client.must("trace", on=["locks"])
            # Some last longer.
            for _ in range(0 if i % 10 else 100):
                client.must("status")
            client.must("trace", off=["locks"])
            if i in (times // 4, times - 1):
                status = pathlib.Path(f"/proc/{target.pid}/status").read_text()
                memory.append(int(re.search(r"VmRSS:\s+([0-9]+)", status).group(1)))
        self.test.expect(not control.failures, f"{what}: {control.failures[:3]}")
        self.test.jprof("stop", target.pid)
        self.test.expect(target.process.poll() is None, f"{what}: the program has ended")
        target.kill()
        self.test.expect(memory[1] < 1.25 * memory[0] + 16384,
                         f"{what}: memory grows from {memory[0]} to {memory[1]} kB")
        with sqlite3.connect(self.profile) as database:
            periods = database.execute("SELECT began, ended FROM trace_period WHERE trace = 'locks' "
                                       "ORDER BY began").fetchall()
            waits = database.execute("SELECT begin, ns FROM long_wait").fetchall()
        self.test.expect(len(periods) == times, f"{what}: {len(periods)} periods instead of {times}")
        self.test.expect(all(began <= ended for began, ended in periods) and
                         all(a[1] <= b[0] for a, b in zip(periods, periods[1:])),
                         f"{what}: periods overlap")
        self.test.expect(waits, f"{what}: no wait was seen")
        self.not_asked(what)
        wrong = [wait for wait in waits if not any(
            began <= wait[0] and wait[0] + wait[1] <= ended for began, ended in periods)]
        self.test.expect(not wrong, f"{what}: {len(wrong)} of {len(waits)} waits are in no period: {wrong[:3]}, near "
                         f"{[period for period in periods for wait in wrong[:1] if abs(period[0] - wait[0]) < 2e7][:9]}")

    # --- what can be done about it ---

    def deadlock(self, what):
        target = self.target("traces=locks,calls=off", "platform")
        target.tell("pairs", 0, "monitor")
        self.test.expect(json.loads(self.test.jprof("deadlocks", target.pid, "--format", "json").out) ==
                         {"deadlocks": []}, f"{what}: a deadlock that is none")
        target.tell("deadlock")
        done = self.test.jprof("deadlocks", target.pid, status=1)
        for words in ("deadA", "deadB", "Contended$SharedB"), ("deadB", "deadA", "Contended$SharedA"):
            self.test.has_line(f"{what}: deadlock", done.out, *words)
        found = json.loads(self.test.jprof("deadlocks", target.pid, "--format", "json", status=1).out)
        self.test.same(f"{what}: deadlocks", [["deadA", "deadB"]],
                       [sorted(row["thread"] for row in one) for one in found["deadlocks"]])
        target.end()
        hung = {row["thread"]: (row["holder"]["thread"], row["method"]) for row in
                self.rows("long-waits") if not row["ended"]}
        self.test.same(f"{what}: unfinished", {"deadA": ("deadB", "Contended.both"), "deadB": (
            "deadA", "Contended.both")}, {name: hung.get(name) for name in ("deadA", "deadB")})

    def all(self):
        kinds = ["platform"] + (["virtual"] if self.release >= 24 else [])
        for kind in kinds:
            for options in "calls=off", "calls=auto", "calls=instrument":
                what = f"JDK {self.release}, {kind}, {options}"
                print(what, flush=True)
                self.pairs(what, f"traces=locks,{options}", kind)
            self.pairs(f"JDK {self.release}, {kind}, attached", "traces=locks,calls=off", kind,
                       attach=True)
            self.test.twice(f"JDK {self.release}, {kind}: sums", lambda k=kind: (k,), self.sums)
            self.parts(f"JDK {self.release}, {kind}: parts", kind)
            self.deadlock(f"JDK {self.release}: deadlock")
            self.switched(f"JDK {self.release}, {kind}: switched",
                          1000 if kind == kinds[-1] else 100, kind)


def main():
    test = Test()
    test.javac(test.javas[0], "Contended")
    for java in test.javas:
        Locks(test, java).all()
    test.finish()


main()

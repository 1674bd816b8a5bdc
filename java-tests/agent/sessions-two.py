#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
"""Two sessions at once, each with filters, metrics and ways of seeing calls of its own: one of them all the time and another one in
its midst, or the first one ends first, and the database moves to the other's file. Each has, to the unit, what the program did in its
time and by its filter: calls, bytes, I/O; samples as many as the other one between two snapshots; and calls by path as in a recording
of its own. Times of naps are those that the program measured."""
import pathlib
import sqlite3
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from harness import Test  # noqa: E402
import ledger  # noqa: E402
from ledger import Recorded, Seen, Wanted, added  # noqa: E402

ONE = {"include": ("Alpha", "Beta", "Delta")}
OTHER = {"include": ("Gamma", "Entry", "D*.*", "Beta.fill"), "exclude": ("*.read",)}
SAMPLE = {"sample": "cpu:1ms"}
# How the calls of each are seen, and what else each wants.
PAIRS = (
    (ONE | {"options": {"calls": "instrument"} | SAMPLE}, OTHER | {"options": {"calls": "instrument"} | SAMPLE}),
    (ONE | {"options": {"calls": "instrument"}}, OTHER | {"options": {"calls": "count"}}),
    (ONE | {"options": {"calls": "count", "metrics": "wall"}}, OTHER | {"options": {"calls": "instrument"} | SAMPLE}),
    (OTHER | {"options": {"calls": "auto"}}, ONE | {"options": {"calls": "instrument", "metrics": "wall+alloc"} | SAMPLE}),
    (OTHER | {"options": {"calls": "instrument"} | SAMPLE}, ONE | {"options": {"calls": "auto"}}),
    (ONE | {"options": {"calls": "count"}}, ONE | {"options": {"calls": "auto"}}),
    (ONE | {"options": {"calls": "instrument"}}, {"inside": True, "options": {"calls": "instrument", "metrics": "cpu+alloc"}}),
    ({"threads": ("pool-*", "brief-*"), "options": {"calls": "instrument"}},
     OTHER | {"threads": ("old-*", "virtual-*"), "options": {"calls": "instrument", "io": "off"}}),
)


PHASES = 3, 5, 2


class Two(Recorded):
    slept = []

    def cut(self, label):
        """A snapshot of the first one."""
        self.test.jprof("snapshot", self.program.pid, label, "--name", "one")

    def phase(self, number):
        """Its units; ns that naps have taken, measured inside of them and around."""
        before = self.naps()
        units = self.program.phase(PHASES[number])
        self.slept.append([after - earlier for after, earlier in zip(self.naps(), before)])
        return units

    def naps(self):
        return list(map(int, self.program.target.tell("naps")[0].split()))

    # --- recordings ---

    def shared(self, wanted, ends_first):
        """Both at once: the profiles, and the phases' units."""
        self.slept = []
        profiles = {"one": self.start("one", wanted["one"])}
        book = [self.phase(0)]
        self.cut("a")
        profiles["other"] = self.start("other", wanted["other"])
        self.cut("b")
        book.append(self.phase(1))
        self.cut("c")
        self.stop(ends_first)
        if ends_first == "other":
            self.cut("d")
        book.append(self.phase(2))
        self.stop("one" if ends_first == "other" else "other")
        return profiles, book

    def alone(self, wanted, phases):
        profile = self.start("alone", wanted)
        for number in phases:
            self.program.phase(PHASES[number])
        self.stop("alone")
        return profile

    # --- what they have ---

    def compare(self, what, seen, wanted, units):
        """All numbers that the program knows."""
        same, figures, options = self.test.same, self.program.figures(units, wanted), wanted.options
        same(f"{what}: calls", ledger.calls_of(figures), seen.calls())
        io = () if options.get("io") == "off" else ("writes", "written", "reads", "read")
        same(f"{what}: I/O", ledger.of(figures, *io), seen.io())
        if options["calls"] == "instrument" and wanted.method("Beta.allocate") and "alloc" in options.get("metrics", "alloc"):
            same(f"{what}: bytes", figures["bytes"], seen.methods()["Beta.allocate"]["base"]["alloc"])
        metrics = options.get("metrics", "wall+cpu+alloc").split("+")
        same(f"{what}: metrics", sorted(metrics), sorted(seen.rows("threads")[0]["total"]))
        names = {row["thread"].split("-")[0] for row in seen.rows("threads")}
        for kind in ("old", "pool", "brief"):
            self.test.expect((kind in names) == wanted.row(kind, "-", True), f"{what}: threads {names}")

    def compare_naps(self, what, seen, slept):
        """What was measured inside of them, and not much more than was around."""
        inner, outer = (sum(phase[i] for phase in slept) for i in (0, 1))
        found = seen.methods()["Delta.nap"]["cum"]["wall"]
        self.test.expect(inner <= found <= outer, f"{what}: naps of {found} ns, the program measured {inner} to {outer}")

    def compare_samples(self, profiles):
        """Of the same threads by the same clock."""
        def taken(name, interval=None):
            return self.seen(profiles[name], interval).samples()
        least, found, most = taken("one", "b..c"), taken("other"), taken("one", "a..d")
        self.test.expect(0 < least <= found <= most, f"{self.what}: {found} samples of the other one, not {least} to {most}")

    def seen(self, profile, interval=None):
        return Seen(self.test, self.program, profile, interval)

    def pair(self, number, one, other, ends_first):
        wanted = {"one": Wanted(**one), "other": Wanted(**other)}
        profiles, book = self.shared(wanted, ends_first)
        there = {"one": (0, 1, 2) if ends_first == "other" else (0, 1), "other": (1,) if ends_first == "other" else (1, 2)}
        for name, phases in there.items():
            what, choice, seen = f"{self.what}: pair {number}, {name}, {ends_first} ends first", wanted[name], self.seen(profiles[name])
            print(what, flush=True)
            self.compare(what, seen, choice, added(*(book[i] for i in phases)))
            self.test.sound(what, profiles[name])
            if choice.options["calls"] != "instrument":
                continue
            alone = self.seen(self.alone(choice, phases))
            self.test.same(f"{what}: calls of a recording of its own", alone.calls(), seen.calls())
            self.test.same(f"{what}: calls by path", alone.paths(choice), seen.paths(choice))
            if choice.method("Delta.nap") and "wall" in choice.options.get("metrics", "wall") and choice.row("old", "-", False) \
                    and not choice.threads:
                self.compare_naps(what, seen, [self.slept[i] for i in phases])
        self.test.whole(self.what, profiles["one"])
        with sqlite3.connect(profiles[{"one": "other", "other": "one"}[ends_first]]) as database:
            of_gone = database.execute("SELECT count(*) FROM snapshot WHERE session NOT NULL AND session IS NOT (SELECT value FROM meta "
                                       "WHERE key = 'session')").fetchone()[0]
        self.test.same(f"{self.what}: snapshots of the one that has gone", 0, of_gone)
        if ends_first == "other":
            self.test.same("phase between snapshots", ledger.calls_of(self.program.figures(book[1], wanted["one"])),
                           self.seen(profiles["one"], "a..d").calls())
            if all(one.options.get("sample") or one.options["calls"] != "instrument" for one in wanted.values()) \
                    and not any(one.threads or one.inside for one in wanted.values()):
                self.compare_samples(profiles)


def main():
    test = Test()
    for java in test.javas:
        test.javac(java, "Ledger")
        two = Two(test, java, 30)
        for number, (one, other) in enumerate(PAIRS):
            for ends_first in "other", "one":
                two.pair(number, one, other, ends_first)
        two.end()
    test.finish()


main()

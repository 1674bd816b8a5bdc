#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
"""Sessions whose scope is a tag's value, or a method, beside others that want all: each has the calls, bytes, I/O and values of that user
alone, or of what was inside, as the program counts them; a scope that is chosen while the session records, and lifted, holds for
all that it has. Others' numbers stay what they are."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from harness import Test  # noqa: E402
import ledger  # noqa: E402
from ledger import Recorded, Seen, Wanted, added  # noqa: E402

INSTRUMENT = {"calls": "instrument"}
ALL = Wanted(served=True, options=INSTRUMENT)
# Sessions that begin one after another, and what they want.
SESSIONS = {
    "all": ALL,
    "alice": Wanted(user="alice", served=True, options=INSTRUMENT),
    "bob": Wanted(user="bob", include=("Beta", "Delta"), options=INSTRUMENT),
    "inside": Wanted(inside=True, include=("Alpha", "Gamma"), options=INSTRUMENT),
    "pool": Wanted(user="alice", threads=("pool-*",), include=("Gamma", "Beta"), options=INSTRUMENT),
}
IO = "writes", "written", "reads", "read"
SERVED = "for -", "for alice", "for bob"


class Scopes(Recorded):
    def compare(self, name, profile, wanted, *phases):
        what = f"{self.what}: {name}"
        print(what, flush=True)
        figures, seen = self.program.figures(added(*phases), wanted), Seen(self.test, self.program, profile)
        self.test.same(f"{what}: calls", ledger.calls_of(figures), seen.calls())
        self.test.same(f"{what}: I/O", ledger.of(figures, *IO), seen.io())
        if wanted.method("Beta.allocate"):
            self.test.same(f"{what}: bytes", figures["bytes"], seen.methods()["Beta.allocate"]["base"]["alloc"])
        if wanted.served:
            self.test.same(f"{what}: calls of Entry.serve", ledger.of(figures, *SERVED), seen.served())
        self.test.whole(what, profile)
        self.test.sound(what, profile)

    def by_option(self):
        """All at once; the first one ends first."""
        profiles, phases = {}, []
        for name, wanted in SESSIONS.items():
            profiles[name] = self.start(name, wanted)
            phases.append(self.program.phase(2))
        for number, name in enumerate(SESSIONS):
            self.stop(name)
            self.compare(name, profiles[name], SESSIONS[name], *phases[number:])
            phases.append(self.program.phase(1))

    def chosen(self):
        """alice's, bob's, everything, by `jprof scope`."""
        test, pid = self.test, self.program.pid
        other, chosen, lifted = (self.start(name, ALL) for name in ("other", "chosen", "lifted"))
        first = self.program.phase(2)
        test.jprof("scope", pid, "tag:user=bob", "--name", "chosen")
        test.jprof("scope", pid, "tag:user=bob", "--name", "lifted")
        second = self.program.phase(3)
        test.jprof("scope", pid, "tag:user=alice", "--name", "chosen")
        test.jprof("scope", pid, "--everything", "--name", "lifted")
        test.refused("tag:KEY=PATTERN", "scope", pid, ledger.SCOPE, "--name", "chosen")
        third = self.program.phase(1)
        for name in "other", "chosen", "lifted":
            self.stop(name)
        self.compare("chosen while it records", chosen, Wanted(user="alice", served=True, options=INSTRUMENT), first, second, third)
        self.compare("lifted", lifted, ALL, first, second, third)
        self.compare("beside them", other, ALL, first, second, third)

    def alone(self):
        """A recording with one session, in which it is chosen."""
        profile = self.start("alone", ALL)
        first = self.program.phase(2)
        self.test.jprof("scope", self.program.pid, "tag:user=alice")
        second = self.program.phase(2)
        self.stop("alone")
        self.compare("alone", profile, Wanted(user="alice", served=True, options=INSTRUMENT), first, second)


def main():
    test = Test()
    for java in test.javas:
        test.javac(java, "Ledger")
        scopes = Scopes(test, java, 20)
        scopes.by_option()
        scopes.chosen()
        scopes.alone()
        scopes.end()
    test.finish()


main()

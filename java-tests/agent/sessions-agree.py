#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
"""What sessions that record at once have in common: who wants it otherwise is refused, with the name of the one who settled it,
also where that one has left, and where a trace is switched on later. What a guest brings along has its facts in its profile,
also if the first session looks at no calls. Code that was compiled while nobody sampled has its rows in the profile of who
samples next."""
import pathlib
import sqlite3
import sys

FOLDER = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(FOLDER), str(FOLDER.parent)]
from harness import Target, Test  # noqa: E402

JOBS = 20000
PROBES = ["--include", "Grown"]
SAMPLES = ["--calls", "sample"]
# What the one who settles it is begun with, what the one who is refused, and what the line says.
REFUSED = [
    (["--calls", "auto", "--budget", "5"], ["--calls", "auto"], "budget=10: the session 'settles', {}, has budget=5"),
    (SAMPLES, [*SAMPLES, "--keep_code", "yes"], "keep_code=yes: the session 'settles', {}, has keep_code=no"),
    (["--calls", "off", "--traces", "objects", "--objects", "64k"], ["--calls", "off", "--traces", "objects"],
     "objects=512k: the session 'settles', {}, has objects=64k"),
    (["--calls", "instrument", "--traces", "events", "--events_keep", "10s"],
     ["--calls", "instrument", "--traces", "events"], "events_keep=off: the session 'settles', {}, has events_keep=10s"),
]


class Shared:
    """A JVM whose first session looks at no calls."""

    def __init__(self, test, java):
        self.test = test
        self.target = Target(test, java, "-XX:+EnableDynamicAgentLoading", "-cp", test.work, "Growing")
        self.pid = self.target.pid
        self.target.tell("phase", 1)
        test.jprof("attach", self.pid, "--calls", "off", "--name", "first", "--file", test.new_profile())

    def begin(self, name, *options):
        profile = self.test.new_profile()
        self.test.jprof("start", self.pid, *PROBES, "--file", profile, "--name", name, *options)
        return profile

    def refused(self, line, *options):
        self.test.refused(line, "start", self.pid, *PROBES, "--file", self.test.new_profile(), *options)

    def stop(self, name):
        self.test.jprof("stop", self.pid, "--name", name)

    def phase(self):
        return self.target.counts("phase", JOBS)

    def end(self):
        self.stop("first")
        self.test.jprof("detach", self.pid)
        self.target.end()

    def refusals(self, settles, wants, line):
        self.begin("settles", *settles)
        self.refused(line.format("which records"), *wants)
        self.stop("settles")
        self.refused(line.format("whose recording goes on"), *wants)
        # Who has it alike, and who does without, is not.
        for name, options in [("alike", settles), ("without", ["--calls", "off"])]:
            self.begin(name, *options)
            self.stop(name)
        self.end()


def refuse_of_first(test, java):
    """What is made with the recording."""
    shared = Shared(test, java)
    shared.refused("timing=precise: the session 'first'", "--calls", "instrument", "--timing", "precise")
    shared.refused("parameter_length=50: the session 'first'", "--calls", "instrument", "--parameters",
                   "Grown.job(0)", "--parameter_length", "50")
    shared.end()


def refuse_switch(test, java):
    """A trace that another session has, switched on; what is kept of events is its own matter, not the first one's."""
    shared = Shared(test, java)
    events = ["--calls", "instrument", "--traces", "events"]
    shared.begin("keeps", *events, "--events_keep", "10s")
    shared.begin("later", "--calls", "instrument")
    test.refused("events_keep=off: the session 'keeps'", "trace", shared.pid, "--name", "later", "+events")
    test.jprof("trace", shared.pid, "--write")
    for name in ("later", "keeps"):
        shared.stop(name)
    shared.end()


def find_facts(test, java):
    shared = Shared(test, java)
    profile = shared.begin("guest", "--calls", "auto")
    told = shared.phase()
    shared.stop("guest")
    shared.end()
    fact = test.views(profile).fact
    for key in ("budget.turns", "probes.methods"):
        test.expect(key in fact, f"{key} is not among the facts of a guest with calls=auto")
    # The program's Grown has so many methods at least that were called.
    called = sum(number > 0 for name, number in told.items() if name.startswith("Grown."))
    test.expect(int(fact.get("probes.methods", 0)) >= called, f"probes in {fact.get('probes.methods')} of {called}")


def compiled(profile):
    """Names of the program's own methods whose machine code is older than the session whose profile it is."""
    with sqlite3.connect(profile) as database:
        return database.execute("SELECT DISTINCT m.name FROM code c JOIN method m ON m.id = c.method, session s "
                                "WHERE m.class = 'Grown' AND s.name = 'again' AND c.loaded < s.began").fetchall()


def find_code(test, java):
    shared = Shared(test, java)
    shared.begin("samples", *SAMPLES)
    shared.stop("samples")
    # Compiled while nobody samples.
    for _ in range(5):
        shared.phase()
    profile = shared.begin("again", *SAMPLES)
    shared.phase()
    shared.stop("again")
    shared.end()
    test.expect(compiled(profile), "no code of methods that were compiled while nobody sampled")


def main():
    test = Test()
    test.javac(test.javas[0], "Growing")
    java = test.javas[-1]
    for row in REFUSED:
        Shared(test, java).refusals(*row)
    refuse_of_first(test, java)
    refuse_switch(test, java)
    find_facts(test, java)
    find_code(test, java)
    test.finish()


main()

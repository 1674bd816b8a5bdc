#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
"""Sessions with metrics of their own, that come while others record: the first one counts the wall clock alone, and all its
calls are there, whatever comes meanwhile, under load; each of the others has its own metrics, from its begin on, as the
program's thread has used them by what the JVM says. With probes and with the JVM's events, each JDK."""
import collections
import pathlib
import sys
import time

FOLDER = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(FOLDER), str(FOLDER.parent)]
from harness import Target, Test  # noqa: E402

JOBS = 20000
# What comes one after the other, and what it counts, in the order in which all of it came.
COMING = [("cpu", "wall+cpu"), ("alloc", "cpu+alloc"), ("io", "wall+io-read"), ("objects", "wall+alloc+vm-bytes")]


class Growth:
    """A JVM whose sessions want ever more."""

    def __init__(self, test, java, *options):
        """by_events: the first session begins with the JVM, as that must be."""
        self.test, self.options = test, options
        self.file, words = test.new_profile(), []
        self.first = "main" if "events" in options else "first"
        if self.first == "main":
            words = [f"-agentpath:{test.agent}=calls=events,include=Grown,metrics=wall,file={self.file}"]
        self.target = Target(test, java, "-Xcheck:jni", "-XX:+EnableDynamicAgentLoading", *words, "-cp", test.work,
                             "Growing", known_errors="^(jprof: recording|WARNING|$)")
        self.pid = self.target.pid
        self.told = [self.target.counts("phase", JOBS)]

    def begin_first(self):
        """What the program has done since."""
        if self.first == "main":
            return self.told
        self.test.jprof("attach", self.pid, "--include", "Grown", "--file", self.file, "--name", self.first, "--metrics",
                        "wall", *self.options)
        return []

    def begin(self, name, metrics):
        profile = self.test.new_profile()
        self.test.jprof("start", self.pid, "--include", "Grown", "--file", profile,
                        "--name", name, "--metrics", metrics, *self.options)
        return profile

    def stop(self, name):
        self.test.jprof("stop", self.pid, "--name", name)

    def phase(self):
        return self.target.counts("phase", JOBS)

    def calls(self, told):
        return {name: number for name, number in told.items() if name.startswith("Grown.") and number > 0}

    def used(self, profile, metric):
        """By the thread that does phases."""
        rows = [row for row in self.test.views(profile).rows("threads") if row["thread"] == "steady"]
        self.test.same(f"rows of the thread in {profile.name}", 1, len(rows))
        return rows[0]["total"][metric] if rows else 0

    def check(self, name, profile, metrics, told):
        """A session that had one phase, and was at rest before and after."""
        test = self.test
        test.whole(name, profile)
        test.sound(name, profile)
        test.same(f"calls of {name}", self.calls(told), test.calls(profile, "^Grown$"))
        shown = test.views(profile).rows("threads")[0]["total"]
        test.same(f"metrics of {name}", sorted(metrics.split("+")), sorted(shown))
        if "alloc" in metrics.split("+"):
            found = self.used(profile, "alloc")
            # What the two readings allocate, and what the JVM allocates for the thread.
            test.expect(told["bytes"] * 0.99 <= found <= told["bytes"] * 1.02 + 100000,
                        f"{name}: {found} bytes instead of {told['bytes']}")
        if "cpu" in metrics.split("+"):
            found = self.used(profile, "cpu")
            test.expect(told["cpu"] * 0.9 <= found <= told["cpu"] * 1.1 + 20e6,
                        f"{name}: {found} ns of the processor instead of {told['cpu']}")

    def run(self):
        test = self.test
        told = self.begin_first() + [self.phase()]
        # At rest: each has what its own phase did.
        for name, metrics in COMING[:2]:
            profile = self.begin(name, metrics)
            told.append(self.phase())
            self.stop(name)
            self.check(name, profile, metrics, told[-1])
        # Under load: each is sound, and the first one has all.
        self.target.tell("load")
        files = {}
        for name, metrics in COMING[2:]:
            time.sleep(0.5)
            files[name] = self.begin(name, metrics)
            files["again"] = files.get("again") or self.begin("again", "wall+cpu")
        time.sleep(0.5)
        for name in reversed(files):
            self.stop(name)
        told += [self.target.counts("rest"), self.phase()]
        self.stop(self.first)
        for name, profile in files.items():
            test.whole(name, profile)
            test.adds_up(name, test.views(profile))
            test.expect(sum(test.calls(profile, "^Grown$").values()) > 1000, f"{name} has seen hardly a call")
        self.check_first(told)
        test.jprof("detach", self.pid)
        self.target.end()

    def check_first(self, told):
        self.test.whole(self.first, self.file)
        self.test.sound(self.first, self.file)
        calls = collections.Counter()
        for some in told:
            calls.update(self.calls(some))
        self.test.same("calls of the first", dict(calls), self.test.calls(self.file, "^Grown$"))

    def refusals(self):
        test = self.test
        told = self.begin_first()
        test.refused("'cylces'", "start", self.pid, "--metrics", "wall+cylces", "--file", test.new_profile())
        many = "+".join(["cpu", "alloc", "vm-objects", "vm-bytes", "io-read", "io-write", "net-in", "net-out", "io-read-ops",
                         "io-write-ops", "net-in-ops", "net-out-ops", "page-faults", "context-switches",
                         "cpu-migrations", "minor-faults"])
        test.refused("page-faults|context-switches|metrics", "start", self.pid, "--metrics", many, "--file",
                     test.new_profile())
        told.append(self.phase())
        self.stop(self.first)
        self.check_first(told)
        test.jprof("detach", self.pid)
        self.target.end()


def main():
    test = Test()
    test.javac(test.javas[0], "Growing")
    for java in test.javas:
        Growth(test, java, "--calls", "instrument").run()
        Growth(test, java, "--calls", "events").run()
    Growth(test, test.javas[-1], "--calls", "instrument", "--timing", "precise").run()
    Growth(test, test.javas[-1], "--calls", "instrument").refusals()
    test.finish()


main()

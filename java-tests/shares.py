# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
"""SampleShares, a program that measures what processor time each of its methods uses: how it is run
under a profiler, and the methods' shares of that time beside their shares of the samples."""
import collections
import math
import re
import sqlite3

PROGRAM = "SampleShares"
# Compiled by both compilers in turns, by the first one alone, and by the second one alone.
WAYS = {"tiered": (), "c1": ("-XX:TieredStopAtLevel=1",), "c2": ("-XX:-TieredCompilation",)}
BAR = 3  # standard errors

Method = collections.namedtuple("Method", "name time samples errors")


def command(java, way, classes, seconds, file, *options):
    """Runs it for so many seconds of its own processor time. file: it is written to."""
    return (java, *options, *WAYS[way], "-XX:CompileCommand=quiet",
            f"-XX:CompileCommand=exclude,{PROGRAM}.interpreted*",
            "-Djdk.virtualThreadScheduler.parallelism=1",
            "-Djdk.virtualThreadScheduler.maxPoolSize=1",
            "-cp", classes, PROGRAM, int(seconds * 1000), file)


def jprof(agent, period_us, profile):
    """The option for jprof. What it does for each read and write would be time of the program, and no
    sample."""
    return f"-agentpath:{agent}=calls=sample,sample=cpu:{period_us}us,io=off,file={profile}"


def used(text):
    """What the program has printed: nanoseconds by method. Profilers print, too."""
    return {name: int(ns) for name, ns in re.findall(r"^(\w+) (\d+)$", text, re.MULTILINE)}


def evenness(profile):
    """Of a profile with one condition: its stacks tell as much as so many times their number would that stand for
    equally many periods each."""
    with sqlite3.connect(profile) as database:
        taken, stacks, squares = (
            int(database.execute("SELECT value FROM meta WHERE key LIKE 'sample.%:%.' || ?",
                                 (key,)).fetchone()[0]) for key in ("taken", "stacks", "squares"))
    return taken ** 2 / squares / stacks


class Shares:
    """used: nanoseconds by method. found: the periods of samples that have the method on their stack.
    periods: how many a stack stands for: with a timer of the kernel's tick several, and the error is that
    of the fewer stacks."""

    def __init__(self, used, found, periods=1):
        found = dict(found)
        # Its method is inlinedDeep in a virtual thread.
        if "virtual" in used:
            found["inlinedDeep"] = found.get("inlinedDeep", 0) - found.get("virtual", 0)
        self.used = sum(used.values())
        self.found = sum(found.get(name, 0) for name in used)
        self.stacks = self.found / periods
        self.methods = [self.method(name, ns / self.used, found.get(name, 0) / max(self.found, 1))
                        for name, ns in used.items()]
        self.worst = sorted(self.methods, key=lambda method: -abs(method.errors))
        self.off = [method for method in self.worst if abs(method.errors) > BAR]
        self.mean_square = sum(method.errors ** 2 for method in self.methods) / len(self.methods)

    def method(self, name, time, samples):
        error = math.sqrt(time * (1 - time) / max(self.stacks, 1))
        return Method(name, time, samples, (samples - time) / error)

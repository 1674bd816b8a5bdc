#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
"""What shares.sh does on one JDK: SampleShares under each profiler, compiled in each way; a row each.

  shares.py BUILD_DIR FOLDER JAVA_HOME RELEASE SECONDS

The folder has the classes, and takes the profiles.
"""
import collections
import os
import pathlib
import sqlite3
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "java-tests"))
import shares  # noqa: E402
import views  # noqa: E402

PERIOD_US = 1000
# What their manuals advise. jprof asks for the same by itself.
PRECISE = ("-XX:+UnlockDiagnosticVMOptions", "-XX:+DebugNonSafepoints")
WORST = 4
# The program's own, by its name, and as the JVM calls it at its end.
MAIN = ("main", "DestroyJavaVM")


class Samples:
    """What a profiler has found. by_method: periods that have the method on their stack. Of the thread
    main: squares of the periods that each stack stands for, these periods, and those of them without a
    frame of the program."""

    def __init__(self):
        self.by_method = collections.Counter()
        self.squares = self.periods = self.outside = 0


class Bench:
    """On one JDK."""

    def __init__(self, build, work, home, release, seconds):
        self.build, self.work = pathlib.Path(build), pathlib.Path(work)
        self.java, self.release = pathlib.Path(home) / "bin/java", int(release)
        self.seconds, self.classes = float(seconds), self.work / "classes"
        self.async_profiler = os.environ.get("ASYNC_PROFILER", "")

    def run(self, *words):
        """What the command prints."""
        done = subprocess.run([str(word) for word in words], capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, check=False)
        if done.returncode != 0:
            sys.exit(f"failed: {' '.join(map(str, words))}: {(done.stderr or done.stdout)[:500]}")
        return done.stdout

    # --- the profilers: why not, the options for the JVM, and what was found ---

    def jprof_missing(self):
        return None

    def jprof_options(self, profile):
        return (shares.jprof(self.build / "libjprof.so", PERIOD_US, profile),)

    def jprof_samples(self, profile):
        samples, seen = Samples(), views.Views(self.build / "jprof", profile)
        for row in seen.rows("methods"):
            if row["class"] == shares.PROGRAM:
                samples.by_method[row["method"]] += row["samples_cum"]["cpu"]
        with sqlite3.connect(profile) as database:
            stacks, samples.periods = database.execute(
                "SELECT sum(count), sum(amount) FROM samples WHERE thread = 'main'").fetchone()
        samples.squares = samples.periods ** 2 / (stacks * shares.evenness(profile))
        samples.outside = samples.periods - samples.by_method["main"]
        return samples

    def async_missing(self):
        return None if os.access(self.async_profiler, os.R_OK) else "ASYNC_PROFILER names no library"

    def async_options(self, profile):
        options = f"start,event=cpu,interval={PERIOD_US}us,threads,collapsed,file={profile}"
        return (f"-agentpath:{self.async_profiler}={options}", *PRECISE)

    def async_samples(self, profile):
        """Lines "[THREAD];OUTERMOST;...;INNERMOST STACKS": a stack is of one period."""
        samples = Samples()
        with open(profile, encoding="utf-8", errors="replace") as lines:
            for line in lines:
                stack, stacks = line.rsplit(" ", 1)
                add_stack(samples, stack, int(stacks), int(stacks))
        return samples

    def jfr_missing(self):
        return None if self.release >= 25 else "this JDK has no jdk.CPUTimeSample"

    def jfr_options(self, profile):
        return (f"-XX:StartFlightRecording:settings=none,filename={profile},"
                f"+jdk.CPUTimeSample#enabled=true,+jdk.CPUTimeSample#throttle={PERIOD_US}us",
                "-XX:FlightRecorderOptions:stackdepth=2048", *PRECISE)

    def jfr_samples(self, profile):
        samples = Samples()
        for line in self.run(self.java, "-cp", self.classes, "Stacks", profile).splitlines():
            stack, ns = line.rsplit(" ", 1)
            add_stack(samples, stack, 1, int(ns) / (PERIOD_US * 1000))
        return samples

    PROFILERS = (("jprof", jprof_missing, jprof_options, jprof_samples),
                 ("async-profiler", async_missing, async_options, async_samples),
                 ("JFR", jfr_missing, jfr_options, jfr_samples))

    # --- the runs ---

    def one(self, way, name, options, read):
        profile = self.work / "profile"
        out = self.run(*shares.command(self.java, way, self.classes, self.seconds,
                                       self.work / "written", *options(self, profile)))
        samples = read(self, profile)
        profile.unlink()
        seen = shares.Shares(shares.used(out), samples.by_method,
                             samples.squares / max(samples.periods, 1))
        within = len(seen.methods) - len(seen.off)
        print(f"  {way:6} {name:14} {within:3} of {len(seen.methods)} {100 * within / len(seen.methods):4.0f} %"
              f" {seen.mean_square:11.2f} {seen.stacks:8.0f} {100 * seen.found * PERIOD_US * 1000 / seen.used:8.1f} %"
              f" {100 * samples.outside / max(samples.periods, 1):7.2f} %  "
              + ", ".join(f"{method.name} {method.errors:+.1f}" for method in seen.worst[:WORST]),
              flush=True)

    def all(self):
        print(f"  {'':6} {'':14} {'methods within':>15} {'mean square':>11} {'':8} {'periods':>10} "
              f"{'no frame':>9}")
        print(f"  {'':6} {'':14} {f'{shares.BAR} errors':>15} {'of errors':>11} {'stacks':>8} "
              f"{'found':>10} {'of it':>9}  worst methods, in errors")
        for way in shares.WAYS:
            for name, missing, options, read in self.PROFILERS:
                if not missing(self):
                    self.one(way, name, options, read)
        for name, missing, _, _ in self.PROFILERS:
            if missing(self):
                print(f"  without {name}: {missing(self)}")


def add_stack(samples, stack, stacks, periods):
    """stack: "[THREAD];OUTERMOST;...;INNERMOST"; "[main]", say, or "[main tid=1]"."""
    thread, *frames = stack.split(";")
    mine = {frame.rpartition(".")[2] for frame in frames if frame.startswith(f"{shares.PROGRAM}.")}
    for method in mine:
        samples.by_method[method] += periods
    if thread.strip("[]").split(" tid=")[0] in MAIN:
        samples.squares += periods ** 2 / stacks
        samples.periods += periods
        samples.outside += 0 if mine else periods


Bench(*sys.argv[1:6]).all()

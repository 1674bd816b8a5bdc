#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
"""Many sessions in one recording, and what is left of them: 100 (or as many as JPROF_SESSIONS says) that begin and end beside
one that stays; and as many of which each ends when the next one has begun, so that the database moves from file to file.
The agent's memory, descriptors, threads, JNI references, the size of the files, and how long a start and a stop take, are at the
end what they were after half of them; what grows once, as symbols of a library are read, does not grow in both quarters behind
that. The counts are the program's own."""
import os
import pathlib
import sys
import time

FOLDER = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(FOLDER), str(FOLDER.parent)]
import control  # noqa: E402
from harness import Target, Test, run  # noqa: E402
from live_memory import Live  # noqa: E402

COUNT = int(os.environ.get("JPROF_SESSIONS", "100"))
JOBS = 5

# By how much a figure may be more than it was, in its unit. Compiled code and metaspace are the JVM's, which
# keeps of each change of classes a little. In the file it is told when each session was there.
MAY_GROW = {"allocated": 32 << 10, "mapped": 256 << 10, "file": 64 << 10, "threads": 0, "descriptors": 0, "globals": 5}
# So much of a session stays until the recording's end: patterns of threads, when it was there. What traces saw meanwhile is in the
# file, too.
KEPT, SESSION_ROWS = 400, 600

# What a session wants, in turn.
KINDS = (
    {"include": ["Jobs"]},
    {"include": ["Jobs"], "threads": ["old-*"]},
    {"include": ["Jobs", "Noise"], "metrics": ["wall"]},
    {"include": ["Jobs"], "traces": ["gc"]},
    {"include": ["Jobs"], "calls": "count"},
)


class Many:
    def __init__(self, test, java):
        self.test, self.live, self.jdk = test, Live(test), pathlib.Path(java).parent.parent
        self.target = Target(test, *self.live.words, java, "-Xmx64m", "-Xms64m", "-XX:+UseSerialGC",
                             "-XX:NativeMemoryTracking=summary", "-XX:+EnableDynamicAgentLoading", "-cp", test.work, "Phases",
                             test.work / "written")
        self.pid = self.target.pid
        self.target.tell("phase", 500)
        test.jprof("attach", self.pid, "--start", "no")
        self.client = control.Client(self.pid)

    def phase(self, count):
        lines = [line.rsplit(" ", 1) for line in self.target.tell("phase", count) if line.startswith("Jobs.")]
        return {name: int(number) for name, number in lines}

    def start(self, name, kind, **more):
        profile = self.test.work / f"{name}.jprof"
        begin = time.monotonic()
        self.client.must("start", name=name, options={"file": str(profile), "calls": "instrument", **KINDS[kind % len(KINDS)], **more})
        return profile, time.monotonic() - begin

    def stop(self, name):
        begin = time.monotonic()
        self.client.must("stop", name=name)
        return time.monotonic() - begin

    def held(self, file):
        """Figures of now, by name."""
        script = self.test.source / "bench/sessions/measure.sh"
        line = run("bash", "-c", f". '{script}'; held '{self.jdk}' {self.pid}").out
        figures = {name: int(value) for name, value in (word.split("=") for word in line.split())}
        figures["allocated"], figures["mapped"] = self.live.bytes()
        figures["file"] = sum(path.stat().st_size for path in file.parent.glob(file.name + "*"))
        return figures

    def quarters(self, what, step, file):
        """Steps; the figures after each quarter, and how long each step took."""
        figures, times = [], []
        for number in range(COUNT):
            times.append(step(number))
            if (number + 1) % (COUNT // 4) == 0:
                figures.append(self.held(file()))
                print(what, number + 1, figures[-1], f"{1000 * sum(times[-20:]) / 20:.1f} ms", flush=True)
        self.flat(what, figures[1:], times)

    def beside(self):
        """They come and go beside one that stays. The threads of a phase cost memory, too: there are few."""
        test, calls = self.test, {}
        stays, _ = self.start("stays", 0)

        def step(number):
            profile, took = self.start(f"beside-{number}", number)
            if number < len(KINDS):
                made = self.phase(JOBS)
                calls.update({method: calls.get(method, 0) + more for method, more in made.items()})
            took += self.stop(f"beside-{number}")
            if number < len(KINDS) and "calls" not in KINDS[number] and "threads" not in KINDS[number]:
                test.same(f"beside-{number}", made, test.calls(profile, "^Jobs$"))
            test.whole(f"beside-{number}", profile) if number % 10 == 0 else None
            profile.unlink()
            return took

        self.quarters("beside", step, lambda: stays)
        self.stop("stays")
        test.whole("stays", stays)
        test.same("stays", calls, test.calls(stays, "^Jobs$"))

    def overlapping(self):
        """Each ends when the next one has begun: none of them is there all the time."""
        test = self.test
        self.last = self.start("pair-0", 0)[0]
        made = self.phase(JOBS)

        def step(number):
            fresh, took = self.start(f"pair-{number + 1}", number + 1)
            took += self.stop(f"pair-{number}")
            if number == 0:
                test.same("pair-0", made, test.calls(self.last, "^Jobs$"))
            test.whole(f"pair-{number}", self.last) if number % 10 == 0 else None
            self.last.unlink()
            self.last = fresh
            return took

        self.quarters("overlapping", step, lambda: self.last)
        made = self.phase(JOBS)
        self.stop(f"pair-{COUNT}")
        test.whole("the last one", self.last)
        if COUNT % len(KINDS) == 0:
            test.same("the last one", made, test.calls(self.last, "^Jobs$"))

    def flat(self, what, figures, times):
        """figures: at the half, and behind each quarter then."""
        since = COUNT // 4
        more = {"allocated": KEPT * since, "file": SESSION_ROWS * since}
        for name, most in MAY_GROW.items():
            grown = [after[name] - before[name] for before, after in zip(figures, figures[1:])]
            grown = grown if most else [max(grown)]
            self.test.expect(min(grown) <= most / 2 + more.get(name, 0), f"{what}: {name} has grown by {grown}")
        third = len(times) // 3
        first, last = sorted(times[:third])[third // 2], sorted(times[-third:])[third // 2]
        print(f"{what}: start and stop {1000 * first:.1f} ms, then {1000 * last:.1f} ms")
        self.test.expect(last < 2 * first + 0.005, f"{what}: start and stop took {first:.4f} s, then {last:.4f} s")


def main():
    test = Test("bash")
    java = test.javas[-1]
    test.javac(java, "Phases")
    many = Many(test, java)
    many.beside()
    many.overlapping()
    for line in control.failures:
        test.fail(line)
    many.client.close()
    test.jprof("detach", many.pid)
    many.target.end()
    test.finish()


main()

#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
"""A filter that matches nothing is told whoever asks for the recording, with the names that come
near, and not the program's standard error; and a report of a profile that is empty for that says so
first. A report of a JVM that records shows what it did until now."""
import fcntl
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from harness import Target, Test, run  # noqa: E402


class Filters:
    """The parts, each with sessions of its own in one JVM."""

    def __init__(self, test, java):
        self.test, self.file = test, None
        (test.work / "files").mkdir(exist_ok=True)
        self.target = Target(test, java, "-XX:+EnableDynamicAgentLoading", "-cp", test.work,
                             "Scoped", test.work / "files")
        self.target.tell("walk", 1)
        test.jprof("attach", self.target.pid, "--start", "no")

    def start(self, *options):
        """A recording: what the command said; the profile is self.file."""
        self.file = self.test.new_profile()
        if "--calls" not in options:
            options += ("--calls", "instrument")
        return self.test.jprof("start", self.target.pid, "--file", self.file, *options).err

    def stop(self):
        return self.test.jprof("stop", self.target.pid).err

    def matches(self):
        """What the status says of the filters."""
        done = self.test.jprof("status", self.target.pid, "--format", "json")
        return json.loads(done.out)["matches"]

    def report(self, *words, file=None):
        """All of it, and its first lines."""
        done = self.test.jprof("report", file or self.file, "--calibration", "off", *words)
        return done.out, "\n".join(done.out.splitlines()[:3])

    def wrong(self, option, pattern, near):
        """Told at the start, by status, at the stop, and at the top of the report."""
        test, what = self.test, f"--{option} {pattern}"
        nothing = f"no call was recorded: nothing matches '{option}'"
        named = (f"{option}={pattern}", f"'{near}'")
        test.has_line(f"start {what}", self.start(f"--{option}", pattern), *named)
        self.target.tell("walk", 3)
        test.has_line(f"status of {what}", test.jprof("status", self.target.pid).out, *named)
        first = self.matches()[0]
        test.expect(first["matches"] == 0 and first["near"][0] == near,
                    f"status of {what}: {first}")
        said = self.stop()
        test.has_line(f"stop of {what}", said, *named)
        test.has_line(f"stop of {what}", said, nothing)
        top = self.report()[1]
        test.has_line(f"report of {what}", top, nothing)
        test.has_line(f"report of {what}", top, *named)

    def some(self):
        """One of several patterns matches nothing."""
        test = self.test
        said = self.start("--include", "Entry+Insied+Outside", "--threads", "main+odl-*")
        test.has_line("one of some", said, "include=Insied", "'Inside'")
        test.has_line("one of some", said, "threads=odl-*", "'old-*'")
        test.lacks("one of some", said, "include=Entry")
        self.target.tell("walk", 3)
        test.same("one of some", ["Entry", "Outside", "main"],
                  [row["pattern"] for row in self.matches() if row["matches"] > 0])
        test.lacks("one of some", self.stop(), "no call was recorded")
        test.has_line("one of some", self.report()[1], "include=Insied")
        test.expect(len(json.loads(self.report("--format", "json")[0])["rows"]) > 3,
                    "one of some: no rows")

    def later(self):
        """What comes later, and matches then: nothing is left to be said."""
        test = self.test
        test.has_line("later", self.start("--threads", "late-*+new-*"),
                      "threads=new-*: no thread of this name is there yet")
        self.target.tell("walk", 3)
        said = self.stop()
        test.lacks("later", said, "new-*")
        test.has_line("later", said, "threads=late-*")
        self.start("--threads", "new-*")
        self.target.tell("walk", 3)
        test.lacks("later, alone", self.stop(), "matches")

    def flushed(self):
        """At once after the start, long before the first flush that is due."""
        test, pid = self.test, self.target.pid
        self.start("--flush", 3600)
        self.target.tell("walk", 50)
        for view in "tree", "methods", "summary":
            test.has_line("a report of what runs", self.report("--view", view)[1],
                          f"process {pid} still records", "of now")
        test.same("a report of what runs", 2500,
                  test.calls(self.file, "^Entry$").get("Entry.service"))
        test.expect(len(test.calls(self.file, "^Inside$")) >= 3,
                    "a report of what runs lacks Inside")
        self.target.tell("walk", 50)
        before = test.calls(self.file, "^Inside$")
        self.stop()
        test.same("calls before the stop, and after it", before,
                  test.calls(self.file, "^Inside$"))
        test.lacks("a report of what has ended", self.report()[1], "still records")

    def without_calls(self):
        """Of a JVM that records and has not made a call yet, that has made none, that has."""
        test, nothing = self.test, "no call was recorded"
        self.start("--flush", 3600, "--scope", "Entry.service")
        for view in "overview", "tree", "methods", "threads":
            top = self.report("--view", view)[1]
            test.has_line(f"{view} without calls", top, "still records", "of now")
            test.expect("no call was recorded yet" in top.splitlines(),
                        f"{view} without calls: {top}")
        test.expect("rows" in json.loads(self.report("--format", "json", "--view", "methods")[0]),
                    "no JSON without calls")
        self.target.tell("walk", 3)
        test.lacks("a report with calls", self.report()[0], nothing)
        self.stop()
        test.lacks("a report with calls", self.report()[0], nothing)

        self.start("--scope", "Entry.service")
        self.stop()
        test.expect(nothing in self.report()[1].splitlines(), f"ended without calls: {self.report()[1]}")

        self.start("--calls", "off")
        test.lacks("calls=off", self.report()[0], nothing)
        self.stop()

        self.start("--scope", "Entry.srevice")
        test.has_line("nothing matches yet", self.report()[1],
                      "no call was recorded yet: nothing matches 'scope'")
        self.stop()

    def held(self):
        """Somebody else has the lock: whoever that is is not asked, and the figures are shown."""
        self.start()
        self.target.tell("walk", 3)
        self.stop()
        file = self.test.work / "held.jprof"
        file.write_bytes(self.file.read_bytes())
        with open(file, "rb") as holder:
            fcntl.flock(holder, fcntl.LOCK_EX)
            top = self.report(file=file)[1]
        self.test.has_line("held by another", top, "still records", "s old")

    def duration(self):
        """attach --duration of nothing is a failure; of something it is none."""
        test = self.test
        for scope, status in ("Entry.srevice", 1), ("Entry.service", 0), ("Entry.srevice", 1):
            done = test.jprof("attach", self.target.pid, "--duration", 0.5, "--scope", scope,
                              "--file", test.new_profile(), status=status)
            if status == 0:
                test.lacks("attach --duration", done.err, "scope=")
            else:
                test.has_line("attach --duration", done.err, f"scope={scope}", "'Entry.service'")
                test.has_line("attach --duration", done.err, "no call was recorded")


def run_wrong(test, java):
    """With jprof run, whatever becomes of the program's standard error; the exit status is the
    program's."""
    program = [java, "-cp", test.classes, "agent.Workload", "count", 300]
    done = test.jprof("run", "--file", test.new_profile(), "--include", "agent.Worklaod", "--",
                      *program, status=7)
    test.has_line("run", done.err, "include=agent.Worklaod", "'agent.Workload'")
    test.has_line("run", done.err, "no call was recorded: nothing matches 'include'")
    test.expect(sum("agent.Worklaod" in line for line in done.err.splitlines()) == 1,
                f"run: told more than once: {done.err}")
    script = test.work / "script"
    script.write_text("#!/bin/sh\n" + " ".join(f'"{word}"' for word in program) + " 2>/dev/null\n")
    script.chmod(0o755)
    done = run(test.program, "run", "--file", test.new_profile(), "--include", "agent.Worklaod",
               "--", script)
    test.has_line("run of a script", done.err, "include=agent.Worklaod", "'agent.Workload'")


def main():
    test = Test()
    for java in test.javas:
        run_wrong(test, java)
        test.javac(java, "Scoped")
        filters = Filters(test, java)
        filters.wrong("scope", "Entry.srevice", "Entry.service")
        filters.wrong("scope", "Etnry.service", "Entry.service")
        filters.wrong("include", "Entri", "Entry")
        filters.wrong("threads", "odl-*", "old-*")
        filters.some()
        filters.later()
        filters.flushed()
        filters.without_calls()
        filters.held()
        test.jprof("detach", filters.target.pid)
        filters.duration()
        filters.target.end()
    test.finish()


main()

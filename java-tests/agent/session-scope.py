#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
"""With a scope exactly the calls inside of it are recorded, whoever makes them and however they end;
with threads chosen, by name or number, only theirs. Of what is outside there is nothing: no row, no
time, no I/O."""
import pathlib
import sqlite3
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from harness import Target, Test  # noqa: E402

PROGRAM = "^(Entry|Inside|Outside|Scoped)$"
ALL = "Entry+Inside+Outside"
SLEPT = 100_000_000  # ns: less than any thread slept outside


def inside(walks, threads=5, other=False):
    """The calls of `walk N` inside of `service`, or also of `other`. Five calls of service(0), (3),
    (-3), in other(), in calls(): ten with those within."""
    number = walks * threads
    calls = {"Entry.service": 10 * number, "Inside.a": 17 * number, "Inside.b": 7 * number,
             "Inside.fail": number}
    return calls | ({"Entry.other": number, "Inside.c": 2 * number} if other else {})


class Scopes:
    """The parts, each with sessions of its own in one JVM."""

    def __init__(self, test, java):
        self.test, self.profile = test, None
        self.target = Target(test, java, "-Xcheck:jni", "-XX:+EnableDynamicAgentLoading", "-cp",
                             test.work, "Scoped", test.work / "files")
        self.target.tell("walk", 8000)  # compiled by now
        test.jprof("attach", self.target.pid, "--start", "no")

    def session(self, order, *options):
        """One, in which the program does what it is told."""
        self.profile = self.test.new_profile()
        self.test.jprof("start", self.target.pid, "--calls", "instrument", "--file", self.profile,
                        *options)
        self.target.tell(*order)
        self.test.jprof("stop", self.target.pid)
        self.target.tell("walk", 3)  # nobody's

    def compare(self, what, expected):
        compare(self.test, what, self.profile, expected)

    def compare_time(self, what):
        """Roots have next to nothing: each thread slept 0.3 s outside, and those of long ago
        waited."""
        root = max(row["base"]["wall"] for row in self.test.views(self.profile).rows("tree")
                   if row["level"] == 0)
        self.test.expect(root < SLEPT, f"{what}: a root has {root} ns")

    def by_methods(self):
        self.session(("walk", 200), "--scope", "Entry.service", "--include", ALL)
        self.compare("one scope", inside(200))
        self.compare_time("one scope")
        self.session(("walk", 201), "--scope", "Entry.service+Entry.other", "--metrics", "wall")
        self.compare("two scopes", inside(201, other=True))
        self.compare_time("two scopes")
        self.session(("walk", 99), "--scope", "Entry.service", "--include", "Inside", "--io", "off")
        self.compare("a scope that include does not name", inside(99))

    def by_nothing(self):
        """Scope methods by which nothing comes in: an empty profile, a session like any other."""
        self.session(("walk", 50), "--scope", "Entry.spawn")
        self.compare("a scope never entered", {})

    def by_threads(self):
        """old-1 alone."""
        ids = dict(line.rsplit(" ", 1) for line in self.target.tell("threads"))
        tasks = pathlib.Path(f"/proc/{self.target.pid}/task")
        os_id = next(task.name for task in tasks.iterdir()
                     if (task / "comm").read_text() == "old-1\n")
        whole = {"Entry.other": 150, "Entry.service": 1500, "Inside.a": 2700, "Inside.b": 1050,
                 "Inside.c": 300, "Inside.fail": 150, "Outside.calls": 150, "Outside.step": 300}
        for what, choice, scope, expected in (
                ("a thread by its name", "old-1", (), whole),
                ("a thread by its number", f"#{ids['old-1']}", (), whole),
                ("a thread by the system's number", f"tid:{os_id}", (), whole),
                ("a thread in a scope", "old-1", ("--scope", "Entry.service"), inside(150, 1))):
            self.session(("walk", 150), "--threads", choice, "--include", ALL, *scope)
            self.compare(what, expected)
            self.test.same(f"{what}: threads", ["old-1"],
                           [row["thread"] for row in self.test.views(self.profile).rows("threads")
                            if row["events"] > 0])

    def by_starts(self):
        for follow, more in ("yes", {"Inside.a": 1000, "Inside.b": 500}), ("no", {}):
            self.session(("follow", 500), "--scope", "Entry.spawn", "--scope_follow", follow,
                         "--include", "Entry+Inside")
            self.compare(f"scope_follow={follow}", {"Entry.spawn": 1} | more)

    def written(self, name):
        """Operations and bytes of what was written to the file."""
        rows = [row["writes"] for row in self.test.views(self.profile).rows("files")
                if row["path"] == f"{self.test.work}/files/{name}"]
        return sum(row["ops"] for row in rows), sum(row["bytes"] for row in rows)

    def records(self, condition):
        with sqlite3.connect(self.profile) as database:
            return database.execute("SELECT count(*) FROM records WHERE name = ? AND " + condition[0],
                                    (f"{self.test.work}/files/{condition[1]}",)).fetchone()[0]

    def by_files(self):
        same = self.test.same
        self.session(("write", 70), "--scope", "Entry.write", "--metrics", "wall", "--include",
                     "Entry+Outside")
        self.compare("files", {"Entry.write": 70})
        same("files: written inside", (70, 7000), self.written("both"))
        same("files: written outside", (0, 0), self.written("outside"))
        self.session(("write", 70), "--scope", "Entry.open", "--metrics", "wall", "--io", "records")
        same("opened inside: written outside", (0, 0), self.written("opened"))
        same("opened inside: records of the opening", 1,
             self.records(("operation = 'open'", "opened")))
        same("opened inside: records of what was done outside", 0, self.records(("1", "outside")))


def compare(test, what, profile, expected, classes=PROGRAM):
    test.same(what, expected, test.calls(profile, classes))
    test.sound(what, profile)


def from_start(test, java, calls):
    """A scope from the JVM's start on."""
    def recorded(order, *words):
        profile = test.new_profile()
        target = Target(test, test.program, "run", "--calls", calls, "--file", profile, *words, "-cp",
                        test.work, "Scoped", test.work / "files",
                        known_errors="^jprof: the profile is ")
        target.tell(*order)
        target.end()
        return profile

    profile = recorded(("walk", 40), "--scope", "Entry.service", "--include", ALL, "--", java,
                       "-Xcheck:jni")
    compare(test, f"calls={calls} from the start", profile, inside(40))
    profile = recorded(("follow", 100), "--scope", "Entry.spawn", "--scope_follow", "yes",
                       "--threads", "m*+*child", "--include", "Entry+Inside", "--", java)
    compare(test, f"calls={calls}, followed from the start", profile,
            {"Entry.spawn": 1, "Inside.a": 200, "Inside.b": 100})


def natives(test, java, calls):
    """Scopes that begin in native methods, which call Java methods; one of them ends by an
    exception."""
    profile = test.new_profile()
    test.jprof("run", "--calls", calls, "--scope", "cases.Natives.up+cases.Natives.pass", "--file",
               profile, "--", java, "-Xcheck:jni", f"-Djava.library.path={test.build}/java-tests",
               f"-Dtruth.file={test.work}/facts", "-XX:+IgnoreUnrecognizedVMOptions",
               "--enable-native-access=ALL-UNNAMED", "-cp", test.classes, "cases.Natives")
    compare(test, f"calls={calls}, native scopes", profile,
            {"cases.Natives.back": 350, "cases.Natives.pass": 70, "cases.Natives.throwing": 70,
             "cases.Natives.up": 350}, ".")


def main():
    test = Test()
    (test.work / "files").mkdir()
    for java in test.javas:
        test.javac(java, "Scoped")
        scopes = Scopes(test, java)
        scopes.by_methods()
        scopes.by_nothing()
        scopes.by_threads()
        scopes.by_starts()
        scopes.by_files()
        test.jprof("detach", scopes.target.pid)
        scopes.target.end()
        for calls in "events", "instrument":
            from_start(test, java, calls)
            natives(test, java, calls)
    test.finish()


main()

# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
"""The program Ledger, which knows what it did, and what a profile has to say of it: of what a session wanted, in its time."""
import collections
import fnmatch
import json
import re
import threading

from harness import Target, run

SCOPE = "Entry.serve"
FILES = {"writes": ("saved", "writes", "written"), "reads": ("loaded", "reads", "read")}


class Wanted:
    """What a session chose of the program's work: patterns of methods and of threads, its scope."""

    def __init__(self, include=(), exclude=(), threads=(), inside=False, user=None, served=False, options=None):
        """inside: of Entry.serve; served: its calls are told by whom they serve."""
        self.include, self.exclude, self.threads, self.inside, self.user = include, exclude, threads, inside, user
        self.served, self.options = served, options or {}

    def __repr__(self):
        return f"{self.as_options()}"

    def method(self, name):
        """name: "Class.method"."""
        def hit(patterns):
            return any(fnmatch.fnmatchcase(text, pattern) for text in (name, name.split(".")[0]) for pattern in patterns)
        return (self.inside or self.served) and name == SCOPE or (not self.include or hit(self.include)) and not hit(self.exclude)

    def row(self, kind, user, inside):
        """Whether it wants what such threads did for that user, in Entry.serve or not."""
        named = not self.threads or any(pattern.startswith(kind) for pattern in self.threads)
        return named and (inside or not self.inside) and self.user in (None, user)

    def as_options(self):
        """In the notation of the control protocol."""
        scope = [SCOPE] if self.inside else [f"tag:user={self.user}"] if self.user else None
        served = [f"{SCOPE}(0)"] if self.served else None
        lists = {"include": self.include, "exclude": self.exclude, "threads": self.threads, "scope": scope,
                 "parameters": served}
        return {key: list(value) for key, value in lists.items() if value} | self.options

    def as_words(self):
        """In that of the command."""
        return [word for key, value in self.as_options().items()
                for word in (f"--{key}", "+".join(value) if isinstance(value, list) else str(value))]


class Recorded:
    """A JVM that runs Ledger, jprof in it, and sessions that come and go."""

    def __init__(self, test, java, units):
        self.test, self.what = test, java
        self.program = Program(test, java, "-Xcheck:jni")
        self.program.phase(units)
        test.jprof("attach", self.program.pid, "--start", "no")

    def start(self, name, wanted):
        profile = self.test.new_profile()
        self.test.jprof("start", self.program.pid, "--name", name, "--file", profile, *wanted.as_words())
        return profile

    def stop(self, name):
        self.test.jprof("stop", self.program.pid, "--name", name)

    def end(self):
        self.test.jprof("detach", self.program.pid)
        self.program.target.end()


class Program:
    """A JVM that runs Ledger. The program's class is in the test's folder already (Test.javac)."""

    def __init__(self, test, java, *words, **how):
        self.folder = test.work / "ledger"
        self.folder.mkdir(exist_ok=True)
        self.target = Target(test, java, *words, "-XX:+EnableDynamicAgentLoading", "-cp", f"{test.work}:{test.build}/jprof.jar",
                             "Ledger", self.folder, **how)
        self.pid = self.target.pid
        self.lock = threading.Lock()
        self.recipes = collections.defaultdict(dict)
        for line in self.tell("recipes"):
            recipe, what, number = line.split()
            self.recipes[recipe][what] = int(number)

    def tell(self, *words):
        """By any of the test's threads."""
        with self.lock:
            return self.target.tell(*words)

    def book(self):
        """Two of them, by (kind, user, inside, recipe): units that were begun, and that are done. Each is at most, and at least,
        what is true at any time from when it was asked until it was told."""
        begun, done = {}, {}
        for line in self.tell("book"):
            kind, user, place, recipe, ups, downs = line.split()
            key = kind, user, place == "in", recipe
            begun[key], done[key] = int(ups), int(downs)
        return begun, done

    def at_rest(self):
        """One, while nothing is under way."""
        begun, done = self.book()
        self.target.test.expect(begun == done, "the program does not rest")
        return done

    def phase(self, count):
        """Units by key."""
        before = self.at_rest()
        self.tell("phase", count)
        return difference(self.at_rest(), before)

    def figures(self, units, wanted):
        """What a session wants of these units: calls by method, and "bytes", "writes", "written", "reads", "read", "thrown"; calls of
        Entry.serve by user, as "for alice"."""
        sums = collections.Counter()
        for (kind, user, inside, recipe), number in units.items():
            if not wanted.row(kind, user, inside):
                continue
            for what, each in self.recipes[recipe].items():
                sums[what] += number * each
            if inside:
                sums[SCOPE] += number
                sums[f"for {user}"] += number
        return collections.Counter({what: number for what, number in sums.items()
                                    if number > 0 and ("." not in what or wanted.method(what))})

    def known(self, method):
        return method == SCOPE or any(method in made for made in self.recipes.values())


def difference(later, earlier):
    return {key: max(0, later[key] - earlier[key]) for key in later}


def added(*books):
    return {key: sum(book[key] for book in books) for key in books[0]}


class Seen:
    """A profile, in an interval or from where reports begin."""

    def __init__(self, test, program, profile, interval=None):
        self.test, self.program, self.profile = test, program, profile
        self.words = ("--snapshot", interval) if interval else ()

    def rows(self, view, may_lack=False):
        """may_lack: the profile may have nothing of the kind, and the report says so."""
        done = run(self.test.program, "report", self.profile, "--view", view, "--format", "json", "--calibration", "off", *self.words)
        if may_lack and done.status == 1 and " has no " in done.err:
            return []
        if done.status != 0:
            self.test.fail(str(done))
            return []
        return json.loads(done.out)["rows"]

    def methods(self):
        return {f"{row['class']}.{row['method']}": row for row in self.rows("methods")
                if row["class"] and self.program.known(f"{row['class']}.{row['method']}")}

    def calls(self):
        """By method, of those that the program knows."""
        return {name: row["calls"] for name, row in self.methods().items() if row["calls"]}

    def io(self):
        """As figures has them."""
        sums = collections.Counter()
        for row in self.rows("files"):
            for column, (name, ops, many) in FILES.items():
                if row["path"] == f"{self.program.folder}/{name}":
                    sums[ops] += row[column]["ops"]
                    sums[many] += row[column]["bytes"]
        return {what: number for what, number in sums.items() if number}

    def samples(self):
        """How many were taken."""
        return sum(sum((row["samples"] or {}).values()) for row in self.rows("tree"))

    def thrown(self):
        return sum(row["count"] for row in self.rows("exceptions", may_lack=True) if row["exception"] == "Gamma$Broken")

    def served(self):
        """Calls of Entry.serve by its first argument, as figures has them."""
        return {f"for {row['value']}": row["calls"] for row in self.rows("values", may_lack=True)
                if row["parameter"] == f"{SCOPE}(0)" and row["kind"] == "value" and row["calls"]}

    def paths(self, wanted):
        """Calls by kind of thread and path, of methods that the program knows. A call that was counted has none."""
        path, calls = {}, collections.Counter()
        for row in self.rows("tree"):
            name = f"{row['class']}.{row['method']}" if row["method"] else ""
            above = path.get(row["parent"]) or (re.split("[-*]", row["thread"] or "")[0],)
            path[row["id"]] = above + ((name,) if self.program.known(name) and wanted.method(name) else ())
            if row["calls"] and self.program.known(name):
                calls[path[row["id"]]] += row["calls"]
        return dict(calls)


def of(figures, *whats):
    """Some of the figures."""
    return {what: figures[what] for what in whats if figures[what]}


def calls_of(figures):
    return {what: number for what, number in figures.items() if "." in what}


# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
"""What a case knows about itself (the facts of README.md), beside the views of its profile: a line
for each difference."""
import collections
import re

HIDDEN = re.compile(r"(\$[0-9]+)?[/.+]0x[0-9a-f]+")


def key_of(row):
    """The JVM numbers hidden classes (lambdas) by address: names without it are the same in every
    run, and equal ones are added up."""
    name = HIDDEN.sub("", row["class"] or "")
    return f"{name}.{row['method']}{row['signature'] or ''}"


def summed(rows, key, value):
    sums = collections.Counter()
    for row in rows:
        sums[key(row)] += value(row)
    return sums


class Truth:
    """The facts of one run, and how they are compared. zero: keys of the summary that count what
    went wrong."""

    def __init__(self, text, seen, zero, say):
        self.facts = [line.split(" ") for line in text.split("\n") if line]
        self.seen, self.zero, self.say = seen, zero, say
        self.loose = tuple(words[0] for words in self.of("loose"))
        # What samples alone have found has no calls.
        self.methods = [row for row in seen.rows("methods")
                        if row["class"] is not None and row["calls"] is not None]
        self.tree = [row for row in seen.rows("tree")
                     if row["method"] is not None and row["calls"] is not None]
        self.calls = summed(self.methods, key_of, lambda row: row["calls"])
        # Counted calls have no path and no state.
        self.has_paths = seen.fact["recording.calls"] not in ("count", "auto")
        self.method = {key_of(row): row for row in self.methods}

    def of(self, kind):
        """The words of all facts of this kind."""
        return [words[1:] for words in self.facts if words[0] == kind]

    def same(self, what, expected, found):
        if expected != found:
            self.say(f"{what}: expected {expected}, the profile has {found}")

    def check(self):
        for words in self.of("fail"):
            self.say(f"the case itself: {words[0]}")
        self.check_calls()
        if self.has_paths:
            self.check_paths()
            self.check_methods()
            self.check_sums()
        self.check_untouched()
        self.check_threads()
        self.check_whole()

    def check_calls(self):
        """Each method that was called needs a fact."""
        expected = summed(self.of("calls"), lambda words: words[0], lambda words: int(words[1]))
        bounded = {words[0] for kind in ("least", "most") for words in self.of(kind)}
        for words in self.of("total"):
            self.same("total calls", int(words[0]),
                      sum(row["calls"] for row in self.methods))
        if not self.of("total"):
            for key in sorted(expected.keys() | self.calls.keys()):
                if key not in bounded and not key.startswith(self.loose):
                    self.same(f"calls {key}", expected[key], self.calls[key])
        for key, least in self.of("least"):
            if self.calls[key] < int(least):
                self.say(f"least {key}: expected {least} or more, the profile has {self.calls[key]}")
        for key, most in self.of("most"):
            if self.calls[key] > int(most):
                self.say(f"most {key}: expected {most} or fewer, the profile has {self.calls[key]}")

    def check_paths(self):
        """In which threads, and at which level of the tree."""
        found = summed(self.tree, lambda row: (row["thread"], key_of(row)),
                       lambda row: row["calls"])
        for thread, key, calls in self.of("in"):
            self.same(f"in {thread} {key}", int(calls), found[thread, key])
        named = {(words[0], words[3]) for words in self.of("at")}
        expected = summed(self.of("at"), lambda words: tuple(words[:4]), lambda words: int(words[4]))
        found = summed((row for row in self.tree if (row["thread"], key_of(row)) in named),
                       lambda row: (row["thread"], str(row["level"]), str(row["recursion"]),
                                    key_of(row)), lambda row: row["calls"])
        for key in sorted(expected.keys() | found.keys()):
            self.same(f"at (thread, level, recursion) {' '.join(key)}", expected[key], found[key])

    def check_methods(self):
        """In which state, and what was used there."""
        for (key,) in self.of("native"):
            row = self.method.get(key)
            if not row or row["native"] is not True or row["entered"]["native"] != row["calls"]:
                self.say(f"native {key}: expected all calls to be native, found "
                         f"{row and row['entered']}")
        for state, key, least, most in self.of("entered"):
            value = self.method[key]["entered"][state] if key in self.method else 0
            if not int(least) <= value <= int(most):
                self.say(f"entered {state} {key}: expected {least} to {most}, found {value}")
        for kind in "cum", "base":
            for metric, key, least, most in self.of(kind):
                value = self.method[key][kind].get(metric) if key in self.method else None
                if value is None or not float(least) <= value <= float(most):
                    self.say(f"{kind} {metric} of {key}: expected {least} to {most}, "
                             f"the profile has {value}")

    def check_untouched(self):
        """What is listed as left without probes, "NAME: REASON", is what was to be."""
        expected = {" ".join(words) for words in self.of("untouched")}
        found = {value for key, value in self.seen.fact.items() if key.startswith("untouched.")}
        for line in sorted(expected - found):
            self.say(f"untouched {line}: the summary does not list it")
        for line in sorted(found - expected):
            if not line.startswith(self.loose):
                self.say(f"untouched {line}: it is left without probes")

    def check_threads(self):
        threads = self.seen.rows("threads")
        for words in self.of("unwound") if self.has_paths else ():
            self.same("exits by exception", int(words[0]), sum(row["unwound"] for row in threads))
        for words in self.of("rows"):
            if len(threads) > int(words[0]):
                self.say(f"threads: expected at most {words[0]} rows, found {len(threads)}")
        roots = sum(row["level"] == 0 for row in self.seen.rows("tree"))
        self.same("roots of threads", len(threads), roots)

    def check_sums(self):
        """What is true of every profile in which calls have paths."""
        for row in self.seen.rows("methods") + self.tree:
            if row["entered"] is not None and sum(row["entered"].values()) != row["calls"]:
                self.say(f"entered {row['entered']} does not sum to calls {row['calls']}: "
                         f"{key_of(row)}")
        flat = summed(self.seen.rows("methods"), key_of, lambda row: row["calls"])
        deep = summed(self.tree, key_of, lambda row: row["calls"])
        for key in sorted(flat.keys() | deep.keys()):
            self.same(f"calls in the tree of {key}", flat[key], deep[key])

    def check_whole(self):
        """What is true of every profile."""
        level = {row["id"]: row["level"] for row in self.seen.rows("tree")}
        for row in self.seen.rows("tree"):
            if row["parent"] is None:
                if row["level"] != 0 or row["method"] is not None:
                    self.say(f"a row without parent is no root: {key_of(row)}")
            elif row["level"] != level.get(row["parent"], -2) + 1:
                self.say(f"level {row['level']} under level {level.get(row['parent'])}: "
                         f"{key_of(row)}")
        for key in self.zero:
            if str(self.seen.fact.get(key)) != "0":
                self.say(f"summary: {key} is {self.seen.fact.get(key)}, not 0")
        if self.seen.fact.get("complete") != "yes":
            self.say(f"summary: complete is {self.seen.fact.get('complete')}")


def differences(text, seen, zero):
    lines = []
    Truth(text, seen, zero, lines.append).check()
    return lines

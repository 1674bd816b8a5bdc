# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
"""What exported files hold, read without jprof's own code; and what the report says of the same profile."""
import collections
import gzip
import json
import subprocess
import sys

COUNTED = "(counted: callers not known)"
OUTSIDE = "(outside)"
NO_NAME = "(no name)"
DEEPER = "(deeper)"
DEPTH_MAX = 2048  # methods of a stack


def fail(text):
    sys.exit(f"exports.py: {text}")


def check(holds, text):
    if not holds:
        fail(text)


def run(*words, **how):
    return subprocess.run([str(word) for word in words], capture_output=True, check=False, **how)


def run_well(*words, **how):
    done = run(*words, **how)
    check(done.returncode == 0, f"{words}: exit status {done.returncode}: {done.stderr[-2000:]}")
    return done


# ---- the report ----

def frame_name(row):
    """What tells a method from all others in the exports' tables."""
    if row["class"] is None:
        return row["method"]
    if row["method"] is None:
        return "new " + row["class"]
    if row["signature"] is None:
        name = row["class"]
        return row["method"] + (f" {name}" if name.startswith("[") else f" [{name}]")
    return row["class"] + "." + row["method"] + row["signature"]


class Report:
    """Of a profile: what each path has of its own, by (thread's name, frames)."""

    def __init__(self, jprof, profile, *words):
        def rows(view, *more):
            done = run_well(jprof, "report", profile, "--view", view, "--format", "json",
                            "--calibration", "off", *words, *more)
            return json.loads(done.stdout)

        self.tree = rows("tree")
        self.metrics = [metric["name"] for metric in self.tree["metrics"]]
        merged = [word for word in words if word != "--merge-threads"]
        self.methods = rows("methods") if len(merged) == len(words) else None
        self.sums = collections.Counter()
        self.by_thread = collections.defaultdict(collections.Counter)
        self.paths = collections.defaultdict(collections.Counter)
        rows_of = self.tree["rows"]
        # Roots know what all below them have; what is estimated by samples is in no sum.
        whole = {metric: sum(row["cum"][metric] for row in rows_of if row["level"] == 0)
                 for metric in self.metrics}
        divided = {metric: sum(row["base"][metric] or 0 for row in rows_of) == whole[metric]
                   for metric in self.metrics}
        self.conditions = list(rows_of[0].get("samples", {})) if rows_of else []
        place = {}
        for row in rows_of:
            if row["level"] == 0:
                frames = ()
                key = (row["thread"] or NO_NAME, (OUTSIDE,))
            else:
                frames = place[row["parent"]]
                if len(frames) < DEPTH_MAX:
                    frames += (frame_name(row),)
                elif len(frames) == DEPTH_MAX:
                    frames += (DEEPER,)
                key = (row["thread"] or NO_NAME, frames)
            place[row["id"]] = frames
            is_sampled = (row.get("how") or {}).get("calls") == "sampled"
            values = {metric: row["base"][metric] or 0 for metric in self.metrics
                      if divided[metric] or not is_sampled}
            values |= {f"samples.{name}": row["samples"][name] for name in self.conditions}
            values["calls"] = row["calls"] or 0
            for name, value in values.items():
                if value:
                    self.paths[key][name] += value
                    self.by_thread[key[0]][name] += value
                    self.sums[name] += value
        for metric in self.metrics:
            check(self.sums[metric] == whole[metric],
                  f"the report's bases of {metric} are {self.sums[metric]}, not {whole[metric]}")
        # Calls that are of no path.
        self.counted = collections.Counter()
        if self.methods:
            self.counted.update({frame_name(row): row["calls"] or 0
                                 for row in self.methods["rows"] if row["class"]})
            for row in rows_of:
                if row["level"] > 0 and row["class"]:
                    self.counted[frame_name(row)] -= row["calls"] or 0
            self.counted = +self.counted

    def figures(self):
        return self.metrics + [f"samples.{name}" for name in self.conditions] + ["calls"]

    def check_paths(self, paths, what):
        """paths: the same, of an export; those of counted calls apart."""
        counted, plain = collections.Counter(), {}
        for (thread, frames), values in paths.items():
            if frames[0] == COUNTED:
                check(len(frames) == 2 and list(+values) == ["calls"], f"{what}: {frames}")
                counted[frames[1]] += values["calls"]
            elif +values:
                plain[thread, frames] = +values
        mine = {key: +values for key, values in self.paths.items()}
        for key in mine.keys() | plain.keys():
            check(mine.get(key) == plain.get(key), f"{what}: {str(key)[:500]} has "
                  f"{plain.get(key)}, in the report {mine.get(key)}")
        if self.methods:
            check(counted == self.counted, f"{what}: counted calls are {counted}, "
                  f"in the report {self.counted}")
        check(len(plain) > 0 or not mine, f"{what}: no stacks")


# ---- protobuf's wire format ----

def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7f) << shift
        shift += 7
        if byte < 0x80:
            return value, at


def fields(data):
    """(number, value) of each: an int, or bytes."""
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        kind = key & 7
        if kind == 0:
            value, at = varint(data, at)
        elif kind == 1:
            value, at = int.from_bytes(data[at:at + 8], "little"), at + 8
        else:
            check(kind == 2, f"wire type {kind}")
            length, at = varint(data, at)
            check(at + length <= len(data), "a field that is longer than its message")
            value, at = data[at:at + length], at + length
        yield key >> 3, value


def message(data):
    """Lists of values by field."""
    found = collections.defaultdict(list)
    for number, value in fields(data):
        found[number].append(value)
    return found


def one(found, number, default=0):
    return found[number][-1] if number in found else default


def packed(found, number):
    values = []
    for data in found[number]:
        at = 0
        while at < len(data):
            value, at = varint(data, at)
            values.append(value - (1 << 64) if value >> 63 else value)
    return values


class Pprof:
    """https://github.com/google/pprof/blob/main/proto/profile.proto"""

    def __init__(self, data, naming="system"):
        top = message(gzip.decompress(data))
        text = [item.decode() for item in top[6]]
        check(text[0] == "" and len(set(text)) == len(text), "pprof: its texts are not unique")
        types = [message(item) for item in top[1]]
        self.types = [text[one(kind, 1)] for kind in types]
        self.units = [text[one(kind, 2)] for kind in types]
        self.lead = text[one(top, 14)]
        mappings = {one(item, 1): text[one(item, 5)] for item in map(message, top[3])}
        functions = {one(item, 1): item for item in map(message, top[5])}
        names, self.where = {}, {}
        for item in map(message, top[4]):
            line = message(one(item, 4))
            function = functions[one(line, 1)]
            names[one(item, 1)] = text[one(function, 3 if naming == "system" else 2)]
            self.where[one(item, 1)] = (text[one(function, 4)], one(line, 2),
                                        mappings.get(one(item, 2)))
        self.paths = collections.defaultdict(collections.Counter)
        self.places = collections.Counter()  # (thread, innermost frame, state, line)
        self.samples = 0
        for item in map(message, top[2]):
            labels = {text[one(label, 1)]: text[one(label, 2)] or one(label, 3)
                      for label in map(message, item[3])}
            locations, values = packed(item, 1), packed(item, 2)
            check(len(values) == len(self.types) and any(values) and min(values) >= 0,
                  f"pprof: values {values}")
            frames = tuple(names[number] for number in reversed(locations))
            self.paths[labels["thread"], frames].update(dict(zip(self.types, values)))
            lines = [self.where[number][1] for number in locations if self.where[number][1]]
            check(len(lines) <= 1, "pprof: more than one line in a stack")
            if "state" in labels:
                check(not any(value for name, value in zip(self.types, values)
                              if not name.startswith("samples.")), "pprof: a state of no sample")
                self.places[labels["thread"], frames[-1], labels["state"],
                            lines[0] if lines else 0] += sum(values)
            self.samples += 1


class Otlp:
    """opentelemetry/proto/profiles/v1development/profiles.proto, 1.11.0"""

    def __init__(self, data):
        top = message(data)
        check(len(top[1]) == 1 and len(top[2]) == 1, "otlp: not one resource, one dictionary")
        tables = message(top[2][0])
        text = [item.decode() for item in tables[5]]
        check(text[0] == "" and len(set(text)) == len(text), "otlp: its texts are not unique")
        for number in (1, 2, 3, 6, 7):
            check(tables[number][0] == b"", f"otlp: table {number} does not begin with nothing")
        check(set(tables[4][0]) == {10, 16, 0, 18, 8}, "otlp: not the link of zeros")
        functions = [message(item) for item in tables[3]]
        attributes = [(text[one(item, 1)], self.any_value(one(item, 2, b"")))
                      for item in map(message, tables[6])]
        check(len(set(attributes)) == len(attributes), "otlp: its attributes are not unique")
        locations, self.lines = [None], [0]
        for item in map(message, tables[2][1:]):
            line = message(one(item, 3))
            function = functions[one(line, 1)]
            locations.append(text[one(function, 2) or one(function, 1)])
            self.lines.append(one(line, 2))
        stacks = [packed(message(item), 1) for item in tables[7]]
        self.types, self.paths = [], collections.defaultdict(collections.Counter)
        used = set()
        for profile in map(message, message(message(top[1][0])[2][0])[2]):
            kind = message(one(profile, 1))
            name = text[one(kind, 1)]
            self.types.append(name)
            for sample in map(message, profile[2]):
                values = packed(sample, 4)
                check(len(values) == 1 and values[0] > 0, f"otlp: values {values}")
                labels = dict(attributes[number] for number in packed(sample, 2))
                used.add(one(sample, 1))
                frames = tuple(locations[number]
                               for number in reversed(stacks[one(sample, 1)]))
                self.paths[labels["thread.name"], frames][name] += values[0]
        check(used == set(range(1, len(stacks))), "otlp: stacks that no sample is of, or none")

    @staticmethod
    def any_value(data):
        found = message(data)
        return found[1][0].decode() if 1 in found else one(found, 3, None)

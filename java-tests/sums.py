#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
"""Whether all adds up in a profile, as it was counted, and adjusted by a calibration that is made
for it: by that half of what each sequence's deltas came to is jprof's own. A line for each
difference; none if all is right.

    sums.py JPROF PROFILE
"""
import collections
import json
import os
import re
import sys
import tempfile

import views


def halved(counted):
    """A calibration."""
    units = {metric["name"]: metric["unit"] for metric in counted["calibration"]["metrics"]}

    def cost(mean):
        mean = min(mean, 1e8)
        return {"observed": mean, "minimum": 0, "environment": 0, "cost": mean / 2,
                "low": mean * 0.4, "high": mean * 0.6, "work_low": mean * 0.4,
                "work_high": mean * 0.6, "spread": mean / 100}

    def sequence(row):
        words = {key: row[key] for key in ("first", "begin", "second", "end", "third")
                 if row[key] is not None}
        return words | {"count": row["count"],
                        "metrics": {metric: cost(row["mean"][metric]) for metric in units}}

    fact = counted.fact
    return {"jprof_calibration": 1, "made": "today", "seconds": 0,
            "for": {"jvm": "?", "cpu": fact["machine.cpu"],
                    "arch": fact["machine.system"].split()[-1], "calls": {"auto": "instrument"}.get(fact["recording.calls"], fact["recording.calls"]),
                    "timing": fact["recording.timing"], "agent": fact["jprof.build"]},
            "metrics": [{"name": name, "unit": units[name], "relative": 0.01, "reach": 0.1,
                         "trees": []} for name in units],
            "sequences": [sequence(row) for row in counted.rows("calibration")]}


def adjusted_by(path, counted):
    """The views by a calibration that is written to path. It is for the JVM that the refusal of
    one for another JVM names, and has the metrics in the order that another one names: where sessions
    shared a recording that is the recording's."""
    calibration = halved(counted)
    adjusted = views.Views(counted.jprof, counted.profile, path)
    for _ in range(3):
        with open(path, "w", encoding="utf-8") as file:
            json.dump(calibration, file)
        refused = adjusted.run("summary").stderr
        this = re.search(r"was made for (JVM|metrics) '.*', this is '(.*)'", refused)
        if not this:
            break
        if this[1] == "JVM":
            calibration["for"]["jvm"] = this[2]
        else:
            calibration["metrics"].sort(key=lambda metric: this[2].split("+").index(metric["name"]))
    return adjusted


def measured(row):
    """Samples alone know other rows."""
    return (row.get("how") or {}).get("calls") != "sampled"


class Sums:
    """What has to add up in one layer: what was counted, or what is left of it."""

    def __init__(self, seen, layer, say):
        self.seen, self.layer, self.say = seen, layer, say

    def own(self, row, group, metric):
        """What a row adds to sums. Of what samples alone know that is nothing, or (calls=auto) a part of what was
        measured, which others do not have then."""
        divided = self.seen.fact["recording.calls"] == "auto"
        return row[group][metric] or 0 if divided or measured(row) else 0

    def same(self, what, expected, found):
        if expected != found:
            self.say(f"{what}: expected {expected}, the profile has {found}")

    def tree(self, metric):
        """The bases of a thread's nodes are its total, and cum is base and the children's cum."""
        base, cum = self.layer + "base", self.layer + "cum"
        bases, below = collections.Counter(), collections.Counter()
        rows = self.seen.rows("tree")
        for row in rows:
            bases[row["thread_index"]] += self.own(row, base, metric)
            below[row["parent"]] += self.own(row, cum, metric)
        for row in rows:
            expected = self.own(row, base, metric) + below[row["id"]]
            if expected != self.own(row, cum, metric):  # there may be very many rows
                self.same(f"{cum}.{metric} of node {row['id']}", expected, row[cum][metric])
        for thread in self.seen.rows("threads"):
            self.same(f"sum of {base}.{metric} of thread {thread['thread']}",
                      thread[self.layer + "total"][metric], bases[thread["index"]])

    def methods(self, metric):
        """The flat profile, and what was outside, come to the same."""
        rows = self.seen.rows("methods") + [self.seen["methods"]["outside"]]
        self.same(f"{self.layer}base.{metric} of all methods",
                  sum(thread[self.layer + "total"][metric] for thread in self.seen.rows("threads")),
                  sum(self.own(row, self.layer + "base", metric) for row in rows))

    def bounds(self, metric):
        """Nothing is adjusted to more than was counted, and off by more than that."""
        for group, error in ("base", "error"), ("cum", "error_cum"):
            for row in filter(measured, self.seen.rows("tree")):
                value, raw = row[group][metric], row["raw_" + group][metric]
                wrong = row[error][metric]
                if not 0 <= value <= raw or wrong > raw:
                    self.say(f"{group}.{metric} of node {row['id']}: {value} ±{wrong} of {raw}")

    def summary(self, metric):
        """What was taken out is the rest of what was counted."""
        fact = self.seen.fact
        self.same(f"summary: total.{metric}",
                  fact[f"raw_total.{metric}"] - fact[f"overhead.{metric}"], fact[f"total.{metric}"])
        share = fact["overhead"].split(" % of")
        if len(share) > 1 and float(share[0]) > 100:
            self.say(f"summary: {fact['overhead']} is jprof's own")


def is_adjusted(seen):
    return any(key.startswith("raw_total.") for key in seen.fact)


def has_raw(seen):
    """It is adjusted, or divided by samples."""
    return any("raw_total" in row for row in seen.rows("threads"))


def check(seen, say):
    seen["callers"]  # checks its invariants itself
    for metric in (metric["name"] for metric in seen["methods"]["metrics"]):
        for layer in ("", "raw_") if has_raw(seen) else ("",):
            sums = Sums(seen, layer, say)
            sums.tree(metric)
            sums.methods(metric)
        if has_raw(seen):
            sums.bounds(metric)
        if is_adjusted(seen):
            sums.summary(metric)
        sums.same(f"summary: check.{metric}", "exact", seen.fact[f"check.{metric}"])


def differences(counted):
    """A list of lines, for the views of a profile as it was counted."""
    lines = []
    try:
        check(counted, lines.append)
        with tempfile.TemporaryDirectory() as folder:
            adjusted = adjusted_by(os.path.join(folder, "halved.json"), counted)
            if adjusted.rows("threads") and not is_adjusted(adjusted):
                lines.append("not adjusted")
            check(adjusted, lines.append)
    except views.Refused as refused:
        lines.append(str(refused))
    return lines


if __name__ == "__main__":
    for line in differences(views.Views(sys.argv[1], sys.argv[2])):
        print(line)

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
"""Whether all adds up in a profile, as it was counted, and adjusted by a calibration that is made
for it: by that half of what each sequence's stretches came to is jprof's own. A line for each
difference; none if all is right.

    sums.py JPROF PROFILE
"""
import collections
import csv
import io
import json
import os
import re
import subprocess
import sys
import tempfile

LAYERS = {"": "error", "raw_": None}  # adjusted figures, and what was counted


def run(jprof, profile, view, form, calibration):
    return subprocess.run([jprof, "report", profile, "--view", view, "--format", form,
                           "--calibration", calibration], capture_output=True, text=True,
                          errors="surrogateescape")


def report(jprof, profile, view, form, calibration):
    done = run(jprof, profile, view, form, calibration)
    if done.returncode != 0 or done.stderr:
        print(f"jprof report --view {view} --calibration {calibration}: {done.stderr[:1000]}")
        sys.exit(0)
    return done.stdout


class Views:
    """What is compared, of one report."""

    def __init__(self, jprof, profile, calibration):
        rows = json.loads(report(jprof, profile, "summary", "json", calibration))["rows"]
        self.fact = {row["key"]: row["value"] for row in rows}
        self.threads = json.loads(report(jprof, profile, "threads", "json", calibration))["rows"]
        self.methods = json.loads(report(jprof, profile, "methods", "json", calibration))
        self.metrics = [metric["name"] for metric in self.methods["metrics"]]
        tree = csv.reader(io.StringIO(report(jprof, profile, "tree", "csv", calibration)))
        self.column = {name: i for i, name in enumerate(next(tree, []))}
        self.tree = list(tree)
        report(jprof, profile, "callers", "json", calibration)  # checks its invariants itself
        self.adjusted = any("raw_total" in row for row in self.threads)

    def layers(self):
        return LAYERS if self.adjusted else [""]


def halved(views, jprof, profile):
    """A calibration."""
    sequences = json.loads(report(jprof, profile, "calibration", "json", "off"))
    units = {metric["name"]: metric["unit"] for metric in sequences["metrics"]}
    metrics = json.loads(views.fact["options"])["metrics"]

    def cost(mean):
        mean = min(mean, 1e8)
        return {"observed": mean, "minimum": 0, "environment": 0, "cost": mean / 2,
                "low": mean * 0.4, "high": mean * 0.6, "work_low": mean * 0.4,
                "work_high": mean * 0.6, "spread": mean / 100}

    def sequence(row):
        words = {key: row[key] for key in ("first", "begin", "second", "end", "third")
                 if row[key] is not None}
        return words | {"count": row["count"],
                        "metrics": {metric: cost(row["mean"][metric]) for metric in metrics}}

    fact = views.fact
    return {"jprof_calibration": 1, "made": "today", "seconds": 0,
            "for": {"jvm": "?", "cpu": fact["machine.cpu"],
                    "arch": fact["machine.system"].split()[-1], "calls": fact["recording.calls"],
                    "timing": fact["recording.timing"], "agent": fact["jprof.build"]},
            "metrics": [{"name": name, "unit": units[name], "relative": 0.01, "reach": 0.1,
                         "trees": []} for name in metrics],
            "sequences": [sequence(row) for row in sequences["rows"]]}


def write_calibration(path, calibration, jprof, profile):
    """For the JVM that the refusal of one for another JVM names."""
    for _ in range(2):
        with open(path, "w") as file:
            json.dump(calibration, file)
        refusal = run(jprof, profile, "summary", "json", path).stderr
        this = re.search(r"was made for JVM '.*', this is '(.*)'", refusal)
        if this:
            calibration["for"]["jvm"] = this[1]


def difference(what, expected, found):
    if expected != found:
        print(f"{what}: expected {expected}, the profile has {found}")


def check_tree(views, layer, metric):
    """The bases of a thread's nodes are its total, and cum is base and the children's cum."""
    base, cum = views.column[f"{layer}base.{metric}"], views.column[f"{layer}cum.{metric}"]
    node, parent, index = (views.column[name] for name in ("id", "parent", "thread_index"))
    bases, below = collections.Counter(), collections.Counter()
    for row in views.tree:
        bases[row[index]] += int(row[base])
        below[row[parent]] += int(row[cum])
    for row in views.tree:
        difference(f"{layer}cum.{metric} of node {row[node]}", int(row[base]) + below[row[node]],
                   int(row[cum]))
    for thread in views.threads:
        difference(f"sum of {layer}base.{metric} of thread {thread['thread']}",
                   thread[layer + "total"][metric], bases[str(thread["index"])])


def check_methods(views, layer, metric):
    """The flat profile, and what was outside, come to the same."""
    rows = views.methods["rows"] + [views.methods["outside"]]
    difference(f"{layer}base.{metric} of all methods",
               sum(thread[layer + "total"][metric] for thread in views.threads),
               sum(row[layer + "base"][metric] for row in rows))


def check_bounds(views, metric):
    """Nothing is adjusted to more than was counted, and off by more than that."""
    for group, error in ("base", "error"), ("cum", "error_cum"):
        value, raw, wrong = (views.column[f"{name}.{metric}"]
                             for name in (group, "raw_" + group, error))
        for row in views.tree:
            if not 0 <= int(row[value]) <= int(row[raw]) or int(row[wrong]) > int(row[raw]):
                print(f"{group}.{metric} of node {row[0]}: {row[value]} ±{row[wrong]} of {row[raw]}")


def check_summary(views, metric):
    """What was taken out is the rest of what was counted."""
    fact = views.fact
    difference(f"summary: total.{metric}", fact[f"raw_total.{metric}"] - fact[f"overhead.{metric}"],
               fact[f"total.{metric}"])
    share = fact["overhead"].split(" % of")
    if len(share) > 1 and float(share[0]) > 100:
        print(f"summary: {fact['overhead']} is jprof's own")


def check(views):
    for metric in views.metrics:
        for layer in views.layers():
            check_tree(views, layer, metric)
            check_methods(views, layer, metric)
        if views.adjusted:
            check_bounds(views, metric)
            check_summary(views, metric)
        difference(f"summary: check.{metric}", "exact", views.fact[f"check.{metric}"])


def main():
    jprof, profile = sys.argv[1:]
    counted = Views(jprof, profile, "off")
    check(counted)
    with tempfile.TemporaryDirectory() as folder:
        calibration = os.path.join(folder, "halved.json")
        write_calibration(calibration, halved(counted, jprof, profile), jprof, profile)
        adjusted = Views(jprof, profile, calibration)
    if adjusted.threads and not adjusted.adjusted:
        print("not adjusted")
    check(adjusted)


main()

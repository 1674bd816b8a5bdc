#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
"""What jprof says of methods' own CPU time beside what sampling says, as Markdown tables.

  compare.py FOLDER TITLE

In the folder, of one program on one JDK: NAME.run with the rounds and the CPU time of its thread,
for each way to run it: plain, noinline (both sampled: NAME.samples, lines of Samples.java), fast
and precise (with probes: NAME.json, the view methods of the thread; NAME.summary).
"""
import json
import math
import sys
from pathlib import Path

ENOUGH = 10  # samples that a method needs to be ranked
LARGEST = 10
EXECUTION, CPU_TIME = "jdk.ExecutionSample", "jdk.CPUTimeSample"
OUTSIDE = "-"  # the class of samples outside every chosen method


class Samples:
    """Of one run: samples by method and event, those that were inlined, those by halves."""

    def __init__(self, path):
        self.count, self.half, self.inlined, self.outside = {}, {}, {}, {}
        for line in Path(path).read_text().splitlines():
            event, half, *name, samples, inlined, _ = line.split("\t")
            if name[0] == OUTSIDE:
                self.outside[event] = self.outside.get(event, 0) + int(samples)
                continue
            for table, key, value in ((self.count, event, samples),
                                      (self.half, (event, half), samples),
                                      (self.inlined, event, inlined)):
                row = table.setdefault(key, {})
                row[tuple(name)] = row.get(tuple(name), 0) + int(value)

    def has(self, event):
        return sum(self.count.get(event, {}).values()) > 0


class Counted:
    """Of one run with probes: figures by method."""

    def __init__(self, folder, name):
        report = json.loads((folder / f"{name}.json").read_text())
        summary = json.loads((folder / f"{name}.summary").read_text())
        self.raw, self.adjusted, self.error, self.calls = {}, {}, {}, {}
        for row in report["rows"]:
            key = (row["class"], row["method"], row["signature"])
            self.adjusted[key] = row["base"]["cpu"]
            self.raw[key] = row.get("raw_base", row["base"])["cpu"]
            self.error[key] = row.get("error", {"cpu": 0})["cpu"]
            self.calls[key] = row["calls"]
        self.facts = {row["key"]: row["value"] for row in summary["rows"]}


def ranks(values):
    """1 for the smallest; those that are equal share the mean of theirs."""
    order = sorted(range(len(values)), key=values.__getitem__)
    result, i = [0.0] * len(values), 0
    while i < len(order):
        j = i
        while j + 1 < len(order) and values[order[j + 1]] == values[order[i]]:
            j += 1
        for k in range(i, j + 1):
            result[order[k]] = (i + j) / 2 + 1
        i = j + 1
    return result


def spearman(a, b):
    a, b = ranks(a), ranks(b)
    mean = (len(a) + 1) / 2
    spread = math.sqrt(sum((x - mean) ** 2 for x in a) * sum((y - mean) ** 2 for y in b))
    return sum((x - mean) * (y - mean) for x, y in zip(a, b)) / spread if spread else math.nan


def kendall(a, b):
    """Tau-b."""
    agree, pairs_a, pairs_b = 0, 0, 0
    for i in range(len(a)):
        for j in range(i):
            x, y = (a[i] > a[j]) - (a[i] < a[j]), (b[i] > b[j]) - (b[i] < b[j])
            agree += x * y
            pairs_a += x != 0
            pairs_b += y != 0
    return agree / math.sqrt(pairs_a * pairs_b) if pairs_a and pairs_b else math.nan


def shares(figures):
    total = sum(figures.values())
    return {name: value / total for name, value in figures.items()} if total else {}


def in_common(a, b):
    """The part of the CPU time that both give to the same methods."""
    a, b = shares(a), shares(b)
    return sum(min(share, b.get(name, 0)) for name, share in a.items())


def top_in_common(a, b):
    def largest(figures):
        return set(sorted(figures, key=figures.get, reverse=True)[:LARGEST])
    return len(largest(a) & largest(b))


def agreement(reference, figures):
    """Cells: rank correlations over what the reference has enough samples of."""
    names = sorted(name for name, samples in reference.items() if samples >= ENOUGH)
    a = [reference[name] for name in names]
    b = [figures.get(name, 0) for name in names]
    if len(names) < 3:
        return [""] * 4
    return [f"{spearman(a, b):.2f}", f"{kendall(a, b):.2f}",
            f"{in_common(reference, figures):.2f}", str(top_in_common(reference, figures))]


def table(heading, rows):
    print("| " + " | ".join(heading) + " |")
    print("|" + "---|" * len(heading))
    for row in rows:
        print("| " + " | ".join(row) + " |")
    print()


def run_of(folder, name):
    rounds, cpu = (folder / f"{name}.run").read_text().split()
    return int(rounds), int(cpu)


def print_totals(folder, counted):
    """What a round takes: by the thread's clock, and what of it is left when jprof's part is out."""
    rows = []
    for name, title in (("plain", "no agent"), ("noinline", "no agent, `-XX:-Inline`")):
        rounds, cpu = run_of(folder, name)
        rows.append([title, str(rounds), f"{cpu / rounds / 1e6:.0f}", "", "", ""])
    for name, figures in counted.items():
        rounds, cpu = run_of(folder, name)
        calls = sum(figures.calls.values())
        rows.append([f"`timing={name}`", str(rounds), f"{cpu / rounds / 1e6:.0f}",
                     f"{sum(figures.adjusted.values()) / rounds / 1e6:.0f} "
                     f"±{sum(figures.error.values()) / rounds / 1e6:.0f}",
                     f"{figures.facts.get('over_correction.cpu', 0) / rounds / 1e6:.1f}",
                     f"{calls / rounds / 1e6:.1f}"])
    table(["CPU of a round, ms", "rounds", "by the clock", "adjusted", "over-correction",
           "million calls"], rows)
    (rounds, cpu), (slow_rounds, slow_cpu) = run_of(folder, "plain"), run_of(folder, "noinline")
    calls = sum(counted["fast"].calls.values()) / run_of(folder, "fast")[0]
    print(f"Without inlining the program takes {(slow_cpu / slow_rounds - cpu / rounds) / calls:.1f}"
          " ns a call more, which no probe can tell from the methods' own.\n")


def halves(samples):
    return agreement(samples.half[EXECUTION, "0"], samples.half[EXECUTION, "1"])


def print_agreement(plain, noinline, counted):
    """How well each side agrees with the samples; of the samples, with their own other half, which
    is as well as anything could."""
    references = (plain.count[EXECUTION], noinline.count[EXECUTION])
    lines = [("the samples' own halves", None)]
    if plain.has(CPU_TIME):
        lines.append((f"`{CPU_TIME}`, no agent", plain.count[CPU_TIME]))
    lines.append(("the samples with `-XX:-Inline`", noinline.count[EXECUTION]))
    for name, figures in counted.items():
        lines.append((f"`timing={name}`: raw", figures.raw))
        lines.append((f"`timing={name}`: adjusted", figures.adjusted))
        lines.append((f"`timing={name}`: calls", figures.calls))
    rows = []
    for title, figures in lines:
        if figures is None:
            rows.append([title] + halves(plain) + halves(noinline))
            continue
        rows.append([title] + agreement(references[0], figures) +
                    ([""] * 4 if figures is references[1] else agreement(references[1], figures)))
    sizes = [sum(samples >= ENOUGH for samples in r.values()) for r in references]
    print(f"Samples (`{EXECUTION}`): {sum(references[0].values())}, {sizes[0]} methods with "
          f"{ENOUGH} or more; with `-XX:-Inline` {sum(references[1].values())} and {sizes[1]}.\n")
    columns = ["Spearman", "Kendall", "shares in common", f"of the {LARGEST} largest"]
    table(["agreement with samples of:", "no agent: " + columns[0]] + columns[1:] +
          ["`-XX:-Inline`: " + columns[0]] + columns[1:], rows)


def percent(value):
    return f"{100 * value:.1f}"


def print_largest(plain, noinline, counted):
    sampled, slow = shares(plain.count[EXECUTION]), shares(noinline.count[EXECUTION])
    samples = sum(plain.count[EXECUTION].values())
    fast, precise = counted["fast"], counted["precise"]
    chosen = []
    for figures in (plain.count[EXECUTION], fast.adjusted, precise.adjusted):
        chosen += sorted(figures, key=figures.get, reverse=True)[:LARGEST]
    columns = {id(c): (shares(c.raw), shares(c.adjusted), sum(c.adjusted.values())) for c in
               (fast, precise)}
    rows = []
    for name in sorted(set(chosen), key=lambda method: (-sampled.get(method, 0), method)):
        share, n = sampled.get(name, 0), plain.count[EXECUTION].get(name, 0)
        row = ["`" + name[0].rsplit(".", 1)[-1] + "." + name[1] + "`",
               f"{percent(share)} ±{percent(2 * math.sqrt(n) / samples)}",
               f"{100 * plain.inlined[EXECUTION].get(name, 0) / n:.0f}" if n else "",
               percent(slow.get(name, 0))]
        for c in (fast, precise):
            raw, adjusted, total = columns[id(c)]
            row += [percent(raw.get(name, 0)),
                    f"{percent(adjusted.get(name, 0))} ±{percent(c.error.get(name, 0) / total)}"]
        calls = fast.calls.get(name, 0)
        row.append(f"{fast.adjusted.get(name, 0) / calls:.1f}" if calls else "")
        rows.append(row)
    table(["% of own CPU", "sampled", "of that inlined", "sampled, `-Inline`", "fast: raw",
           "adjusted", "precise: raw", "adjusted", "ns a call (fast)"], rows)


def print_trust(folder, plain, noinline, counted):
    """Whether what was sampled lies within what jprof says: per round, the samples' share of the
    round's CPU time, which is uncertain by two standard deviations."""
    rows = []
    for title, samples, run in (("no agent", plain, "plain"), ("`-Inline`", noinline, "noinline")):
        rounds, cpu = run_of(folder, run)
        counts = samples.count[EXECUTION]
        unit = cpu / rounds / (sum(counts.values()) + samples.outside.get(EXECUTION, 0))
        known = {n: s for n, s in counts.items() if s >= ENOUGH}
        for name, c in counted.items():
            times = run_of(folder, name)[0]
            state = {"within": 0, "above": 0, "below": 0}
            for method, n in known.items():
                value, error = (x.get(method, 0) / times for x in (c.adjusted, c.error))
                off, slack = value - n * unit, error + 2 * math.sqrt(n) * unit
                state["within" if abs(off) <= slack else "above" if off > 0 else "below"] += n
            whole = sum(known.values())
            rows.append([f"`timing={name}`", title] +
                        [f"{100 * part / whole:.0f} %" if whole else "" for part in state.values()])
    table(["adjusted ± error and the samples", "of", "agree", "adjusted more", "less"], rows)


def print_doubts(counted):
    """What in the adjusted figures is of little use by itself."""
    rows = []
    for name, c in counted.items():
        total, raw = sum(c.adjusted.values()), sum(c.raw.values())
        kinds = {"zero": lambda n: c.adjusted[n] == 0,
                 "error > value": lambda n: 0 < c.adjusted[n] < c.error[n],
                 "error > a quarter": lambda n: c.error[n] <= c.adjusted[n] < 4 * c.error[n],
                 "better": lambda n: c.adjusted[n] >= 4 * c.error[n] and c.adjusted[n] > 0}
        used = [n for n in c.raw if c.raw[n] > 0]
        for kind, is_so in kinds.items():
            names = [n for n in used if is_so(n)]
            rows.append([f"`timing={name}`", kind, str(len(names)),
                         f"{100 * sum(c.raw[n] for n in names) / raw:.1f}",
                         f"{100 * sum(c.adjusted[n] for n in names) / total:.1f}",
                         f"{100 * sum(c.error[n] for n in names) / total:.1f}"])
    table(["adjusted figures", "that are", "methods", "% of raw", "% of adjusted",
           "error, % of adjusted"], rows)


def main():
    folder, title = Path(sys.argv[1]), sys.argv[2]
    plain, noinline = Samples(folder / "plain.samples"), Samples(folder / "noinline.samples")
    counted = {name: Counted(folder, name) for name in ("fast", "precise")}
    print(f"### {title}\n")
    print_totals(folder, counted)
    print_agreement(plain, noinline, counted)
    print_largest(plain, noinline, counted)
    print_trust(folder, plain, noinline, counted)
    print_doubts(counted)


main()

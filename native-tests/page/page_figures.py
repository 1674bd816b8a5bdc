#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
"""
page_figures.py BUILD [PROFILE...]: the data of pages says what reports say; of these profiles alone.

Profiles of several shapes, some with so many paths that small ones are folded for the page, some with snapshots: calls, base, cum
and errors of each method, samples by line and state, I/O by file, totals of threads are summed from the page's rows, and
compared with `jprof report --format json` of the same interval; reports of traces are the same, whole. Hostile names come out as
they are.
"""
import collections
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile

from page_block import SMALL, blocks_of

BUILD = os.path.abspath(sys.argv[1])
HOSTILE = [
    "</script><script>alert(1)</script>",
    "\"'<!--\\ & ]]>",
    "a\x01\x1b[31m\x7f\x85b",
    "\u202egnp.exe\u2066",
    "\u2028\u2029\ufeff",
    "x" * 100000,
    "=cmd|' /C calc'!A0",
]
# As docs/page-data.md has them.
TRACE_VIEWS = {
    "locks": ["locks", "waits", "wait-pairs", "long-waits"],
    "objects": ["objects", "alive", "object-paths"],
    "gc": ["gc", "safepoints"],
    "exceptions": ["exceptions"],
    "classes": ["classes", "class-loaders", "applications"],
    "jit": ["jit", "deoptimizations"],
    "threads": ["thread-states"],
}


def jprof(*words):
    run = subprocess.run(
        [BUILD + "/jprof", *words],
        capture_output=True,
        check=True,
        env={**os.environ, "XDG_CACHE_HOME": "/dev/null"},
    )
    return run.stdout.decode()


def report(profile, view, interval, *words):
    words += ("--snapshot", interval) if interval else ()
    return json.loads(jprof("report", profile, "--view", view, "--format", "json", *words))


def methods_of(block):
    """By method: calls, and of each metric base, cum, their counted ones and parts of errors."""

    def new():
        return {"calls": 0, "samples": collections.Counter(), "sums": collections.Counter()}

    found = collections.defaultdict(new)
    node, flat = block.rows("node"), block.rows("flat")
    cum = [block.cum_of([n[f"base{m}"] for n in node]) for m in block.metrics]
    cum_counted = [
        block.cum_of([n[f"counted{m}"] for n in node]) if block.errors else None
        for m in block.metrics
    ]
    cum_samples = [block.cum_of([n[f"samples{c}"] for n in node]) for c in block.conditions]
    for i, row in enumerate(node):
        if row["flags"] & SMALL:
            continue
        of = found[row["method"]]
        of["calls"] += row["calls"]
        outer = row["recursion"] == 0
        for m in block.metrics:
            of["sums"]["base", m] += row[f"base{m}"]
            of["sums"]["cum", m] += cum[m][i] if outer else 0
            if not block.errors:
                continue
            of["sums"]["base_counted", m] += row[f"base{m}"] + row[f"counted{m}"]
            of["sums"]["cum_counted", m] += cum[m][i] + cum_counted[m][i] if outer else 0
            for part in range(block.parts):
                of["sums"]["base", m, part] += row[f"be{part}_{m}"]
                of["sums"]["cum", m, part] += row[f"ce{part}_{m}"] if outer else 0
        for c in block.conditions:
            of["samples"]["base", c] += row[f"samples{c}"]
            of["samples"]["cum", c] += cum_samples[c][i] if outer else 0
    for row in flat:
        of = found[row["method"]]
        of["calls"] += row["calls"]
        for m in block.metrics:
            of["sums"]["base", m] += row[f"base{m}"]
            of["sums"]["cum", m] += row[f"cum{m}"]
            if not block.errors:
                continue
            of["sums"]["base_counted", m] += row[f"base{m}"] + row[f"counted{m}"]
            of["sums"]["cum_counted", m] += row[f"cum{m}"] + row[f"cumcounted{m}"]
            for part in range(block.parts):
                of["sums"]["base", m, part] += row[f"be{part}_{m}"]
                of["sums"]["cum", m, part] += row[f"ce{part}_{m}"]
        for c in block.conditions:
            of["samples"]["base", c] += row[f"samples{c}"]
            of["samples"]["cum", c] += row[f"cumsamples{c}"]
    for row in block.rows("counted"):
        found[row["method"]]["calls"] += row["calls"]
    return {block.method_key(method): of for method, of in found.items()}


def same(what, got, expected):
    assert got == expected, f"{what}: the page has {got}, the report {expected}"


def check_methods(block, profile, interval):
    found = methods_of(block)
    rows = report(profile, "methods", interval)["rows"]
    for row in rows:
        key = (row["class"], row["method"], row["signature"])
        of = found[key]
        if row["calls"] is not None:
            same(f"calls of {key[:2]}", of["calls"], row["calls"])
        for c, condition in enumerate(block.header["conditions"]):
            name = condition["name"]
            same(f"samples of {key[:2]}", of["samples"]["base", c], row["samples"][name])
            same(f"samples below {key[:2]}", of["samples"]["cum", c], row["samples_cum"][name])
        for m, metric in enumerate(block.header["metrics"]):
            for sort in "base", "cum":
                value = row[sort][metric["name"]]
                if value is None:
                    continue
                same(f"{sort} of {key[:2]}", of["sums"][sort, m], value)
                if not block.errors:
                    continue
                parts = [of["sums"][sort, m, part] for part in range(block.parts)]
                counted = of["sums"][sort + "_counted", m]
                error = block.error(of["sums"][sort, m], counted, parts)
                wanted = row["error" if sort == "base" else "error_cum"][metric["name"]]
                assert abs(error - wanted) <= 1 + 1e-4 * wanted, (key[:2], sort, error, wanted)
    return len(rows)


def check_threads(block, profile, interval):
    answer = report(profile, "threads", interval)
    for m, metric in enumerate(block.header["metrics"]):
        of_threads = answer["rows"] + [answer[k] for k in ("idle", "omitted") if k in answer]
        total = sum(row["total"][metric["name"]] for row in of_threads)
        same("total of " + metric["name"], sum(block.table["node"][f"base{m}"]), total)


def check_places(block, profile, interval):
    """Samples by line and state: of paths once, of methods in `flat` for what is folded."""
    if not block.header["conditions"]:
        return
    nodes = len(block.parent)
    small = [flags & SMALL for flags in block.table["node"]["flags"]]
    lines, states, paths = collections.Counter(), collections.Counter(), 0
    for row in block.rows("place"):
        if block.header["states"][row["state"]] == "jprof":
            continue
        if row["where"] < nodes:
            paths += row["samples"]
        if row["where"] < nodes and small[row["where"]]:
            continue
        key = block.method_key(row["of_line"])
        line = row["line"] if row["of_line"] != 0 else 0
        lines[key[0], key[1], key[2], line or None] += row["samples"]
        states[block.method_key(row["of_state"])] += row["samples"]
    name = block.header["conditions"][0]["name"]
    wanted = collections.Counter()
    for row in report(profile, "lines", interval)["rows"]:
        wanted[row["class"], row["method"], row["signature"], row["line"]] += row["samples"][name]
    same("samples by line", +lines, +wanted)
    wanted = collections.Counter()
    for row in report(profile, "states", interval)["rows"]:
        wanted[row["class"], row["method"], row["signature"]] += row["samples"]["all"]
    same("samples by state", +states, +wanted)
    same("samples of paths", paths, sum(wanted.values()))


def check_io(block, profile, interval):
    """Bytes that were read and written by file; entries of archives are in no view of these."""
    text, nodes = block.header["strings"], len(block.parent)
    kinds = block.header["io_kinds"]
    found = collections.Counter()
    for row in block.rows("io"):
        if row["where"] >= nodes or row["file"] == 0 or kinds[row["kind"]] not in ("read", "write"):
            continue
        file = row["file"] - 1
        if block.header["file_kinds"][block.table["file"]["kind"][file]] == "entry":
            continue
        found[text[block.table["file"]["name"][file]], kinds[row["kind"]]] += row["amount"]
    wanted = collections.Counter()
    for row in report(profile, "files", interval)["rows"]:
        wanted[row["path"], "read"] += row["reads"]["bytes"]
        wanted[row["path"], "write"] += row["writes"]["bytes"]
    same("bytes by file", +found, +wanted)


def check_traces(block, profile, interval):
    """Reports of the traces that were on, as far as a page has them, and of watched calls."""
    views, top = block.header["views"], "20" if interval else "200"
    on = {trace["name"] for trace in block.header["traces"]}
    wanted = {view for trace, of in TRACE_VIEWS.items() if trace in on for view in of}
    same("views of traces", {view for of in TRACE_VIEWS.values() for view in of} & set(views), wanted)
    for view in wanted:
        same(view, views[view], report(profile, view, interval, "--top", top))
    same("distribution", views["distribution"]["rows"], report(profile, "distribution", interval)["rows"])
    same("slowest", views["slowest"]["rows"], report(profile, "slowest", interval, "--min", "0.5%")["rows"])
    return sum(len(views[view]["rows"]) for view in wanted)


def check_page(profile, page, folded):
    rows = told = intervals = 0
    for side, interval, block in blocks_of(page):
        same("side", side, 0)
        rows += check_methods(block, profile, interval)
        check_threads(block, profile, interval)
        check_places(block, profile, interval)
        check_io(block, profile, interval)
        told += check_traces(block, profile, interval)
        if interval == "":
            same("folded", block.header["folded"] is not None, folded)
            same("intervals", len(block.header["intervals"]), len(list(blocks_of(page))))
        same("summary", block.header["views"]["summary"]["view"], "summary")
        intervals += 1
    assert rows > 0 and intervals > 0, "nothing was compared"
    print(f"{os.path.basename(profile)}: {intervals} intervals, {rows} methods, {told} rows of traces")


def check_hostile(profile):
    with sqlite3.connect(profile) as file:
        ids = [row[0] for row in file.execute("SELECT DISTINCT method FROM node WHERE method > 1")]
        for id, name in zip(ids, HOSTILE):
            file.execute("UPDATE method SET name = ?, class = ? WHERE id = ?", (name, name, id))
            file.execute("UPDATE thread SET name = ?", (name,))
    page = jprof("html", profile, "-o", "-")
    empty = jprof("html", profile, "-o", "-", "--thread", "*")
    parts = page.count('" data-chosen="')
    same("script elements", page.count("<script") - parts, empty.count("<script"))
    block = next(blocks_of(page))[2]
    for name in HOSTILE[: len(ids)]:
        assert name in block.header["strings"], f"{name[:40]!r} is not on the page as it is"
        assert name not in page, f"{name[:40]!r} is in the page's own text"
    check_methods(block, profile, "")


def check_records(profile):
    """The longest records are there though more than there is room for took as long as the last; of chosen threads alone."""
    with sqlite3.connect(profile) as file:
        for table in "record", "record_thread", "mark":
            file.execute("DELETE FROM " + table)
        file.execute("INSERT INTO record_thread (id, name) VALUES (1, 'one'), (2, 'two')")
        row = "INSERT INTO record (begin, ns, thread, node, subject, kind, amount, failed) VALUES (?, ?, ?, 0, 0, 1, 0, 0)"
        file.executemany(row, [(i, 7, 1) for i in range(21000)] + [(i, 99, 2) for i in range(30000, 30003)])
        file.executemany("INSERT INTO mark VALUES (5, ?, ?, ?)", [(1, "one", "a"), (2, "two", "b")])
    block = next(blocks_of(jprof("html", profile, "-o", "-")))[2]
    same("records", collections.Counter(block.table["record"]["ns"]), {7: 19997, 99: 3})
    same("marks", len(block.rows("mark")), 2)
    name = block.header["strings"][block.table["thread"]["name"][0]]
    with sqlite3.connect(profile) as file:
        file.execute("UPDATE record_thread SET name = ? WHERE id = 2", (name,))
        file.execute("UPDATE mark SET thread = ? WHERE name = 'b'", (name,))
    block = next(blocks_of(jprof("html", profile, "-o", "-", "--thread", name)))[2]
    same("records of a thread", block.table["record"]["ns"], [99] * 3)
    same("marks of a thread", [block.header["strings"][i] for i in block.table["mark"]["name"]], ["b"])


def check_high_lines(profile):
    """Lines of 25 bits are those that reports have."""
    with sqlite3.connect(profile) as file:
        file.execute("UPDATE account SET subject = subject + (1 << 32) WHERE kind = 'sample' AND id % 2")
    block = next(blocks_of(jprof("html", profile, "-o", "-")))[2]
    assert max(block.table["place"]["line"]) >= 1 << 24, "no line is so high"
    check_places(block, profile, "")


def check_one_interval(profile):
    """An interval that was asked for is the only one, with its ends."""
    block = next(blocks_of(jprof("html", profile, "-o", "-", "--snapshot", "1..2")))[2]
    same("intervals", block.header["intervals"], [{"interval": "1..2", "from": "1", "to": "2"}])


def check_session(profile):
    """Of a session that began later the whole is there once, and begins with it."""
    with sqlite3.connect(profile) as file:
        file.execute("UPDATE snapshot SET kind = 'session', session = 1, label = NULL WHERE id = 1")
        file.execute("INSERT INTO session (id, bit, name, owner, began, options, snapshot, metrics, conditions) "
                     "VALUES (1, 0, 's1', 'alice', 0, '{}', 1, 255, 255)")
        file.execute("UPDATE method SET wanted = 255")
        file.execute("UPDATE thread SET wanted = 255")
        file.execute("INSERT INTO meta VALUES ('session', '1')")
    for chosen, wanted in ([], ["", "..2", "2..3", "3..", "..3", "2.."]), (["--snapshot", "..2"], ["..2"]):
        blocks = list(blocks_of(jprof("html", profile, "-o", "-", *chosen)))
        same("blocks of a session", [interval for _, interval, _ in blocks], wanted)
        same("its begin", {row["from"] for row in blocks[0][2].header["intervals"] if row["interval"].startswith("..")},
             {None})
    with sqlite3.connect(profile) as file:
        file.execute("UPDATE snapshot SET kind = 'reset', label = NULL WHERE id = 2")
    blocks = list(blocks_of(jprof("html", profile, "-o", "-")))
    assert ".." in [interval for _, interval, _ in blocks], "what was before a reset has no block"


def check_given(profiles):
    for profile in profiles:
        check_page(profile, jprof("html", profile, "-o", "-"), False)


def main():
    shapes = [  # shape, nodes, metrics, snapshots, whether the page folds
        ("bushy", 5000, 2, 0, False),
        ("recursive", 3000, 1, 2, False),
        ("sampled", 20000, 2, 3, False),
        ("bushy", 210000, 1, 0, True),
        ("wide", 80000, 1, 1, False),
    ]
    with tempfile.TemporaryDirectory() as folder:
        for shape, nodes, metrics, snapshots, folded in shapes:
            profile = f"{folder}/{shape}{nodes}.jprof"
            made = [BUILD + "/tests/make_profile", shape, nodes, metrics, profile, snapshots]
            subprocess.run([str(word) for word in made], check=True)
            check_page(profile, jprof("html", profile, "-o", "-"), folded)
        check_one_interval(f"{folder}/sampled20000.jprof")
        shutil.copy(f"{folder}/sampled20000.jprof", f"{folder}/session.jprof")
        check_session(f"{folder}/session.jprof")
        check_records(f"{folder}/sampled20000.jprof")
        check_high_lines(f"{folder}/sampled20000.jprof")
        check_hostile(f"{folder}/bushy5000.jprof")


if len(sys.argv) > 2:
    check_given(sys.argv[2:])
else:
    main()

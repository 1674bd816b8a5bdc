# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
"""Reads what -Xlog has written into a file, without jprof's own code, and compares it with a profile."""
import re
import sqlite3

UNITS = {"B": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
# Behind the decorations: the number, the name, sizes, and how long.
SECTION = re.compile(
    r"GC\((\d+)\) (\S.*?)(?: (\d+)([BKMG])(?:\([^)]*\))?->(\d+)([BKMG])(?:\((\d+)([BKMG%])\))?)?"
    r"(?: (\d+\.\d+)(ms|s))?$")
SAFEPOINT = re.compile(
    r'Safepoint "([^"]*)", Time since last: \d+ ns, Reaching safepoint: (\d+) ns,(?: Cleanup: (\d+) ns,)?'
    r" At safepoint: (\d+) ns,(?: Leaving safepoint: (\d+) ns,)? Total: (\d+) ns"
    r"(?:, Threads: (\d+) runnable, (\d+) total)?")
STALL = re.compile(r"(Allocation|Relocation) Stall \(.*\) \d+\.\d+ms$")


def lines(path):
    """Tags and text of each line; of a log with the decorators timenanos, tags."""
    with open(path, encoding="utf-8", errors="surrogateescape") as log:
        for line in log:
            found = re.match(r"\[\d+ns\]\[([a-z,0-9]+) *\] (.*)$", line)
            if found:
                yield found.groups()


def size(digits, unit):
    return int(digits) * UNITS[unit] if digits and unit != "%" else None


def sections(path):
    """What -Xlog:gc* tells of collections, each when it has ended."""
    found = []
    for tags, text in lines(path):
        match = SECTION.match(text)
        if tags not in ("gc", "gc,phases", "gc,marking") or not match or not (match[3] or match[9]):
            continue
        name = re.sub(r"^[yYoO]: ", "", match[2])
        if tags == "gc,phases" and not re.match("Pause |Concurrent |Young Gen|Old Gen", name):
            continue
        found.append({"number": int(match[1]), "text": match[2],
                      "before": size(match[3], match[4]), "after": size(match[5], match[6]),
                      "total": size(match[7], match[8]),
                      "ns": match[9] and float(match[9]) * (1e6 if match[10] == "ms" else 1e9),
                      "exact": match[10] == "ms"})
    return found


def stalls(path):
    return sum(tags == "gc" and STALL.match(text) is not None for tags, text in lines(path))


def safepoints(path):
    found = []
    for tags, text in lines(path):
        match = SAFEPOINT.match(text) if tags == "safepoint" else None
        if match:
            found.append((match[1], int(match[6]), int(match[2]), int(match[3] or match[5]), int(match[4]),
                          int(match[8] or 0) or None, int(match[7] or 0) or None))
    return found


def of_profile(profile):
    """The rows of a profile: sections, stalls of the program, safepoints."""
    with sqlite3.connect(profile) as database:
        database.row_factory = sqlite3.Row
        rows = [dict(row) for row in database.execute("SELECT * FROM collection ORDER BY id")]
        stops = [tuple(row) for row in database.execute(
            "SELECT operation, ns, reaching_ns, cleanup_ns, at_ns, threads, running FROM safepoint ORDER BY id")]
    ours = [row for row in rows if row["kind"] == "stall" and re.match("Allocation|Relocation", row["name"])]
    return [row for row in rows if row not in ours], len(ours), stops


def same_name(row, text):
    """The name and the cause make up the text; how it went stands behind the cause."""
    failure = re.search(r" \(Evacuation Failure[^)]*\)$", text)
    went = failure[0] if failure else ""
    if text == row["name"]:
        return True
    return bool(row["cause"]) and text == row["name"].removesuffix(went) + f" ({row['cause']})" + went


def differs(row, said):
    """What of a row is not as the log says, in words; None: nothing."""
    if row["number"] != said["number"] or not same_name(row, said["text"]):
        return "is another one"
    # Of the log's last digit; and where the row has the times of lines, others may have had the processor before a line.
    least, most = (-1, 1) if said["exact"] else (-1.1e6, 20e6)
    if said["ns"] is not None and not least <= row["ns"] - said["ns"] <= most:
        return "took another time"
    for key in "before", "after", "total":
        if (row[key] is None) != (said[key] is None):
            return f"{key} is there, or is not"
        if said[key] is not None and abs(row[key] - said[key]) > 1 << 20:
            return f"{key} is another size"
    return None


def differences(profile, log):
    """Lines that say what is not the same."""
    found, waited, stops = of_profile(profile)
    said, points = sections(log), safepoints(log)
    if len(found) != len(said):
        yield f"{len(found)} sections instead of {len(said)}"
    for row, one in zip(found, said):
        wrong = differs(row, one)
        if wrong:
            yield f"{wrong}: {row} and {one}"
    if waited != stalls(log):
        yield f"{waited} stalls instead of {stalls(log)}"
    if stops != points:
        yield (f"{len(stops)} safepoints instead of {len(points)}: "
               f"{[stop for stop in stops if stop not in points][:3]}, "
               f"{[point for point in points if point not in stops][:3]}")

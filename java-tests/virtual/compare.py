# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
"""Compares call paths of a profile with a program's own record of them (Told.java).

    compare.py TRUTH TREE THREADS WAY

TREE and THREADS are the views, as JSON. WAY is how calls were seen: instrument, attach, events. Prints a line for every difference: of a path's calls, in
either direction; of rows, and the threads that they stand for. Methods of the JDK below recorded
ones are compared where the program tells of them, and may not have the program's methods below them.
"""

import json
import re
import sys

MOST = 40  # lines
SILENT = "(no recorded call)"
truth, tree, threads = (json.load(open(name)) for name in sys.argv[1:4])
# Each thread has events then, though no recorded ones, and so its row.
by_events = sys.argv[4] == "events"
differences = []


def differ(text):
    differences.append(text)


def row_of(name):
    """What the record calls the row of a thread: as a whole, or without its numbers."""
    return name if truth["separate"] else re.sub("[0-9]+", "*", name)


def is_jdk(method):
    return method.startswith(("java.", "jdk.", "sun."))


def short(path):
    """Deep ones are shown from both ends."""
    if len(path) > 12:
        path = path[:4] + ["... %d more ..." % (len(path) - 10)] + path[-6:]
    return " > ".join(path)


class Node:
    def __init__(self, calls=0):
        self.calls = calls
        self.below = {}

    def child(self, method):
        return self.below.setdefault(method, Node())


def told_rows():
    rows = {}
    for name, row in truth["rows"].items():
        nodes = [Node()]
        for parent, method, calls in row["nodes"][1:]:
            node = nodes[parent].child(method)
            node.calls += calls
            nodes.append(node)
        rows[name] = nodes[0]
    return rows


def found_rows():
    """Rows of one name are added up; a platform thread has one each until it is folded."""
    rows, nodes = {}, {}
    for row in tree["rows"]:
        if row["parent"] is None:
            node = rows.setdefault(row_of(row["thread"]), Node())
        elif row["class"] is None:
            node = nodes[row["parent"]].child(row["method"])
        else:
            node = nodes[row["parent"]].child(row["class"] + "." + row["method"])
        node.calls += row["calls"]
        nodes[row["id"]] = node
    return rows


def below_jdk(path, node):
    """No method of the program's: who called it is told otherwise."""
    below = [(path, node)]
    while below:
        path, node = below.pop()
        for method, child in node.below.items():
            if child.calls and not is_jdk(method):
                differ("%s: %d calls below a method of the JDK" % (short(path + [method]), child.calls))
            below.append((path + [method], child))


def compare_tree(name, told, found):
    below = [([name], told, found)]
    while below:
        path, told, found = below.pop()
        for method in sorted(set(told.below) | set(found.below)):
            here = path + [method]
            expected, has = told.below.get(method), found.below.get(method)
            if is_jdk(method):
                below_jdk(here, has or Node())
                if not expected:
                    continue
            expected, has = expected or Node(), has or Node()
            if expected.calls != has.calls:
                differ("%s: expected %d calls, found %d" % (short(here), expected.calls, has.calls))
            if not is_jdk(method):
                below.append((here, expected, has))


def labels(name, folded):
    """How the view names a row of threads without a name."""
    return name or ("(virtual threads)" if folded != 1 else "(virtual thread)")


def compare_threads():
    """Each row of virtual threads is one row, and stands for as many as there were."""
    told = {labels(name, row["threads"]): row["threads"] for name, row in truth["rows"].items()}
    rows = {}
    for row in threads["rows"]:
        if by_events and row["thread"] not in told and row["events"] == 0:
            continue
        if row["virtual"] and row["thread"] != SILENT:
            rows.setdefault(row["thread"], []).append(row["folded"])
    for name in sorted(set(told) | set(rows)):
        if [told.get(name)] != rows.get(name):
            differ("row '%s': expected one of %s threads, found those of %s"
                % (name, told.get(name, "no"), rows.get(name, "none")))


def compare_silent():
    if "silent" not in truth or by_events:
        return
    found = [row["folded"] for row in threads["rows"] if row["thread"] == SILENT]
    if found != [truth["silent"]]:
        differ("row '%s': expected one of %d threads, found %s" % (SILENT, truth["silent"], found))


def compare_mounts():
    """A thread is mounted at least once, and runs only while it is."""
    for row in threads["rows"]:
        if not row["virtual"]:
            continue
        name, total, on = row["thread"], row["total"], row["carrier_time"]
        slack = 1000000 + on // 50  # of two clocks
        if row["mounts"] < row["folded"]:
            differ("row '%s': %d threads, mounted %d times" % (name, row["folded"], row["mounts"]))
        if total.get("cpu", 0) > on + slack:
            differ("row '%s': cpu %d, mounted for %d ns" % (name, total["cpu"], on))
        if total.get("wall", on) < on - slack:
            differ("row '%s': wall %d, mounted for %d ns" % (name, total["wall"], on))
        expected = truth.get("mounts", {}).get(name)
        if expected is not None and expected != row["mounts"]:
            differ("row '%s': expected %d mounts, found %d" % (name, expected, row["mounts"]))


def main():
    told, found = told_rows(), found_rows()
    if truth["virtual"]:
        told = {labels(name, truth["rows"][name]["threads"]): row for name, row in told.items()}
        compare_threads()
        compare_silent()
        compare_mounts()
    for name in sorted(set(told) | set(found)):
        compare_tree(name, told.get(name, Node()), found.get(name, Node()))
    for line in differences[:MOST]:
        print(line)
    if len(differences) > MOST:
        print("and %d differences more" % (len(differences) - MOST))


main()

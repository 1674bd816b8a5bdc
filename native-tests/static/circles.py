#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
"""circles.py BUILD [ROOT]: no file of the product calls in a circle with files of another room, and
within a room only those do that are listed here. A room is a folder; what a file calls, or
reads, is told by the symbols of its object in BUILD. A line for each thing that is not so, and one
for each listed circle that is gone. Exit: 0 none, 1 some.
"""
import os
import re
import subprocess
import sys
from collections import defaultdict

PRODUCT = ("error", "arch", "options", "metric", "symbols", "profile", "calibration", "agent", "report", "cli")

# Files that may call each other in a circle, and why. A circle may be smaller than its row.
LISTED = [
    ("agent/probes/native_methods.c arch/x86_64/native_thunks.S arch/aarch64/native_thunks.S",
     "native_methods.c hands thunks out, and they call it; they are linked in that room"),
    ("agent/io/archive_files.c agent/io/io_files.c",
     "an archive is a file, and its entries are files of the same table"),
    ("agent/trace/context_labels.c agent/trace/lanes.c agent/trace/mount.c agent/trace/thread_context.c agent/trace/trace.c "
     "agent/trace/trace_fold.c agent/trace/trace_group.c agent/trace/trace_look.c "
     "agent/trace/trace_totals.c agent/trace/trace_widen.c agent/trace/virtual_thread.c "
     "agent/trace/watched_calls.c",
     "a trace makes contexts and lanes, which ask it for memory, and for what all of them have used"),
    ("cli/cmd_completion.c cli/cmd_help.c cli/commands.c",
     "help and completion are commands, and tell of the table of commands"),
    ("options/config_json.c options/config_schema.c options/option_table.c options/options.c",
     "the schema is made of the table of options, whose rows parse parts of it"),
]


def sources(build, root):
    """The product's sources that are compiled, each with its object: of several (a target that is gone
    leaves its own), the newest."""
    objects = {}
    for folder, _, files in os.walk(build):
        at = os.path.relpath(folder, build)
        if not at.startswith(PRODUCT) or ".dir" not in at:
            continue
        for name in files:
            # agent/io/CMakeFiles/jprof_io.dir/holder.c.o, .../jprof_x.dir/__/__/arch/...
            path = re.sub(r"CMakeFiles/[^/]*\.dir/", "", os.path.join(at, name))
            source = os.path.normpath(path.replace("__", ".."))[: -len(".o")]
            if name.endswith(".o") and os.path.exists(os.path.join(root, source)):
                found = os.path.join(folder, name)
                known = objects.setdefault(source, found)
                objects[source] = max(found, known, key=os.path.getmtime)
    return objects


def symbols(objects):
    """(object, kind, name) of all global symbols."""
    listed = subprocess.run(["nm", "-A", "-g", *objects], check=True, capture_output=True, text=True)
    for line in listed.stdout.splitlines():
        found = re.match(r"(.*\.o):[0-9a-f ]* ([A-Za-z]) (\S+)", line)
        if found:
            yield found.groups()


def graph(build, root):
    """File -> the files whose functions or data it names."""
    source_of = {path: source for source, path in sources(build, root).items()}
    defined, named = defaultdict(set), defaultdict(set)
    for path, kind, name in symbols(sorted(source_of)):
        (named if kind in "Uw" else defined)[name].add(source_of[path])
    uses = defaultdict(set)
    for name, users in named.items():
        for user in users - defined[name]:
            # The agent and the command are two programs: each may have a function of that name.
            owners = defined[name]
            owners = {o for o in owners if o.split("/")[0] == user.split("/")[0]} or owners
            uses[user] |= owners
    return uses


def reached(uses, start):
    seen, todo = set(), [start]
    while todo:
        for file in uses.get(todo.pop(), ()):
            if file not in seen:
                seen.add(file)
                todo.append(file)
    return seen


def circles(uses):
    """Sets of files that reach each other."""
    reach = {file: reached(uses, file) for file in list(uses)}
    found = []
    for file in sorted(reach):
        circle = {other for other in reach[file] if file in reach.get(other, ())}
        if circle and circle not in found:
            found.append(circle)
    return found


def complaints(uses, rows):
    listed = [set(files.split()) for files, _ in rows]
    found = circles(uses)
    for circle in found:
        if any(circle <= row for row in listed):
            continue
        rooms = {os.path.dirname(file) for file in circle}
        kind = "across rooms" if len(rooms) > 1 else f"in {min(rooms)}"
        yield f"a circle {kind}: " + " ".join(sorted(circle))
        for file in sorted(circle):
            yield f"\t{file} --> " + " ".join(sorted(uses[file] & circle))
    for row in listed:
        if not any(circle <= row for circle in found):
            yield "listed, but no circle any more: " + " ".join(sorted(row))


def main():
    build = sys.argv[1]
    root = sys.argv[2] if len(sys.argv) > 2 else os.path.join(os.path.dirname(__file__), "../..")
    uses = graph(build, root)
    if not uses:
        sys.exit(f"nothing of the product is compiled in {build}")
    lines = list(complaints(uses, LISTED))
    print("\n".join(lines) or f"{len(uses)} files: no circle that is not listed")
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())

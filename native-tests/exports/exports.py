#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
"""
exports.py FORMAT JPROF MAKE_PROFILE MAKE_HOSTILE [PROFILE...]: profiles, made here and those given, are exported to the format,
read back, by the tool that the format is for, too, and compared with the report, figure by figure. `command` is about the
command itself. Exit: 0 all is as it should be, 1 a line says what is not, 77 the tool is missing.
"""
import collections
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import sqlite3
import sys
import tempfile

from reading import (COUNTED, NO_NAME, Otlp, Pprof, Report, check, fail, frame_name, run,
                     run_well)

SKIPPED = 77
HERE = pathlib.Path(__file__).resolve().parent
PROTOS = HERE.parent.parent / "report" / "exports"


class Made:
    """The programs, the profiles, and a folder for what is written."""

    def __init__(self, jprof, make_profile, make_hostile, folder, more):
        self.jprof, self.folder = jprof, pathlib.Path(folder)
        shapes = [("bushy", 3000, 4, 0), ("recursive", 1500, 2, 0), ("wide", 300, 1, 0),
                  ("sampled", 2000, 1, 0), ("bushy", 400, 2, 3), ("bushy", 50, 0, 0),
                  ("deep", 2100, 1, 0)]
        self.profiles = []
        for number, (shape, nodes, metrics, snapshots) in enumerate(shapes):
            path = self.folder / f"{shape}{number}.jprof"
            run_well(make_profile, shape, nodes, metrics, path, snapshots,
                     "flushed_ns=4000000000")
            self.profiles.append(path)
        self.plain = self.profiles[0]
        self.snapshots = self.profiles[4]
        self.hostile = self.folder / "hostile.jprof"
        run_well(make_hostile, self.hostile, "calls=count")
        divided = self.folder / "divided.jprof"
        run_well(make_hostile, divided, "calls=auto")
        self.guest = self.folder / "guest.jprof"
        shutil.copy(self.snapshots, self.guest)
        make_guest(self.guest)
        self.profiles += [self.hostile, divided, self.guest] + [pathlib.Path(path) for path in more]

    def export(self, profile, name, *words):
        """The bytes. Both ways to get them give the same."""
        path = self.folder / "out"
        run_well(self.jprof, "export", profile, "--to", name, "--calibration", "off", "-o", path,
                 *words)
        data = path.read_bytes()
        piped = run_well(self.jprof, "export", profile, "--to", name, "--calibration", "off",
                         "-o", "-", *words).stdout
        check(piped == data, f"{name}: standard output has other bytes than the file")
        return data


def make_guest(profile):
    """It is of a session that begins with the first snapshot."""
    with sqlite3.connect(profile) as file:
        file.execute("UPDATE snapshot SET kind = 'session', session = 2, label = NULL WHERE id = 1")
        for session, begin in (1, None), (2, 1):
            file.execute("INSERT INTO session (id, bit, name, owner, began, options, snapshot, metrics, conditions) "
                         "VALUES (?, ?, 's' || ?, 'alice', 0, '{}', ?, 255, 255)", (session, session - 1, session, begin))
        file.execute("UPDATE method SET wanted = 255")
        file.execute("UPDATE thread SET wanted = 255")
        file.execute("INSERT INTO meta VALUES ('session', '2')")


def needs(tool):
    if not shutil.which(tool):
        print(f"skipped: there is no '{tool}' here")
        sys.exit(SKIPPED)


CHOICES = [[], ["--merge-threads"], ["--thread", "w*"], ["--by", "component"], ["--path", "*"],
           ["--component", "(app*", "--by", "component"]]


def choices(made, profile):
    """Words that the profile has something for."""
    for words in CHOICES:
        if words[:1] != ["--thread"] or profile.stem in ("hostile", "divided"):
            yield words


def number_of_all(counters):
    total = collections.Counter()
    for counter in counters:
        total.update(counter)
    return +total


# What was done with the hostile profile's only file, on one path.
IO = {"io.ns": 2100, "io.bytes": 90, "io.ops": 6}


def check_io(what, figures, paths):
    """paths: of an export of that file, or of all."""
    check(list(figures) == list(IO), f"{what}: its figures are {figures}")
    check([dict(+values) for values in paths.values() if +values] == [IO], f"{what}: {paths}")
    (_, frames), = (key for key, values in paths.items() if +values)
    check(len(frames) == 2 and "a;b" in frames[0] and "tab" in frames[1], f"{what}: {frames}")


# Ways to ask for it.
FILES = (["--file", "*local*"], ["--file", "*script*", "--merge-threads"], ["--metric", "io.ns+io.bytes+io.ops"])


# ---- collapsed ----

def collapsed_lines(data):
    """[(frames, figure)]: a line a stack."""
    lines = data.decode().split("\n")
    check(lines.pop() == "", "collapsed: the last line has no end")
    found = []
    for line in lines:
        match = re.fullmatch(r"([^\x00-\x1f\x7f]+) ([0-9]+)", line)
        check(match, f"collapsed: {line[:300]!r}")
        frames = match.group(1).split(";")
        check(all(frames) and len(frames) > 1, f"collapsed: {frames}")
        found.append((frames, int(match.group(2))))
    return found


def check_collapsed(made, profile):
    for words in choices(made, profile):
        report = Report(made.jprof, profile, *words)
        lead = Pprof(made.export(profile, "pprof", *words)).lead
        for figure in report.figures():
            # What metrics and conditions both are called means the one that reports lead by.
            metric = figure.removeprefix("samples.")
            lead = Pprof(made.export(profile, "pprof", "--metric", metric, *words)).lead
            lines = collapsed_lines(made.export(profile, "collapsed", "--metric", metric, *words))
            check(lead in (figure, metric, "samples." + metric), f"{profile}: {metric} is {lead}")
            wanted = report.sums[lead]
            if lead == "calls" and report.methods:
                wanted += sum(report.counted.values())
            elif lead == "calls":
                wanted += sum(value for frames, value in lines if frames[1] == COUNTED)
            check(sum(value for _, value in lines) == wanted,
                  f"{profile} {words}: collapsed has {sum(v for _, v in lines)} of {metric}, "
                  f"the report {wanted}")
        lines = collapsed_lines(made.export(profile, "collapsed", *words))
        check(sum(value for _, value in lines) == report.sums[lead] or lead == "calls",
              f"{profile}: collapsed without --metric is not of {lead}")
    # Stack by stack, by the names that pprof has.
    if profile.stem in ("hostile", "divided"):
        return
    pprof = Pprof(made.export(profile, "pprof"), naming="display")
    mine, theirs = collections.Counter(), collections.Counter()
    for frames, value in lines:
        mine[tuple(frames)] += value
    for (thread, frames), values in pprof.paths.items():
        theirs[(thread,) + frames] += values[pprof.lead]
    if not words:
        check(mine == +theirs, f"{profile}: other stacks than pprof's")


def test_collapsed(made):
    for profile in made.profiles:
        check_collapsed(made, profile)
    for figure, value in IO.items():
        (_, found), = collapsed_lines(made.export(made.hostile, "collapsed", "--metric", figure))
        check(found == value, f"collapsed: {figure} is {found}")
    check(collapsed_lines(made.export(made.hostile, "collapsed", "--file", "*local*"))[0][1] == IO["io.ns"],
          "collapsed --file: not the time")
    check(made.export(made.hostile, "collapsed", "--file", "none") == b"", "collapsed --file none: something")


# ---- pprof ----

def go_pprof(path, *words):
    environment = dict(os.environ, PPROF_TMPDIR=str(path.parent), HOME=str(path.parent))
    return run_well("go", "tool", "pprof", *words, path, env=environment).stdout.decode()


def raw_sums(text, types):
    """Of the samples that -raw prints."""
    sums = collections.Counter()
    for line in text.split("Samples:\n", 1)[1].split("\nLocations\n", 1)[0].split("\n"):
        match = re.fullmatch(r"\s*((?:\d+\s+)*\d+): [\d ]+", line)
        if match:
            sums.update(dict(zip(types, map(int, match.group(1).split()))))
    return +sums


def test_pprof(made):
    for profile in made.profiles:
        for words in choices(made, profile):
            report = Report(made.jprof, profile, *words)
            pprof = Pprof(made.export(profile, "pprof", *words))
            report.check_paths(pprof.paths, f"{profile} {words}: pprof")
            allowed = [name for name in report.figures() if name in pprof.types]
            check(sorted(pprof.types) == sorted(allowed), f"pprof: types {pprof.types}")
            check({"ns", "unit"}.isdisjoint(pprof.units), f"pprof: units {pprof.units}")
    for words in FILES:
        files = Pprof(made.export(made.hostile, "pprof", *words))
        check_io(f"pprof {words}", files.types, files.paths)
        check(files.lead == "io.ns" and files.units == ["nanoseconds", "bytes", "count"], f"pprof: {files.units}")
    hostile = Pprof(made.export(made.hostile, "pprof"))
    places = {(state, line): value for (_, _, state, line), value in hostile.places.items()}
    check(places == {("c2", 42): 9 + 3, ("c1", 42): 6, ("c2", 43): 6, ("interpreted", 0): 3,
                     ("native", 44): 15, ("kernel", 45): 12, ("stub", 46): 18, ("jvm", 47): 27},
          f"pprof: places are {places}")
    check(any(library == "libc.so.6" for _, _, library in hostile.where.values()),
          "pprof: no library")
    needs("go")
    for profile in made.profiles:
        path = made.folder / "out.pb.gz"
        path.write_bytes(made.export(profile, "pprof"))
        pprof = Pprof(path.read_bytes())
        check(raw_sums(go_pprof(path, "-raw"), pprof.types) == number_of_all(pprof.paths.values()),
              f"{profile}: go tool pprof -raw has other sums")
        check("flat%" in go_pprof(path, "-top", "-nodecount=5"), f"{profile}: no -top")
    path.write_bytes(made.export(made.hostile, "pprof"))
    check("libc" in go_pprof(path, "-top", "-sample_index=samples.cpu"), "pprof: no native frame")
    check(":42" in go_pprof(path, "-top", "-lines", "-sample_index=samples.cpu"),
          "pprof: no lines")


# ---- otlp ----

def test_otlp(made):
    for profile in made.profiles:
        for words in choices(made, profile):
            report = Report(made.jprof, profile, *words)
            data = made.export(profile, "otlp", *words)
            otlp = Otlp(data)
            report.check_paths(otlp.paths, f"{profile} {words}: otlp")
            check(otlp.types[0] == Pprof(made.export(profile, "pprof", *words)).lead,
                  f"otlp: {otlp.types[0]} is first")
    for words in FILES:
        files = Otlp(made.export(made.hostile, "otlp", *words))
        check_io(f"otlp {words}", files.types, files.paths)
    needs("protoc")
    for profile in made.profiles:
        done = run_well("protoc", "--decode=otlp.ProfilesData", "-I", PROTOS, "otlp.proto",
                        input=made.export(profile, "otlp"))
        check(not re.search(rb"^ *[0-9]+:", done.stdout, re.M), "otlp: fields without a name")
        values = sum(map(int, re.findall(rb"^ +values: (\d+)$", done.stdout, re.M)))
        otlp = Otlp(made.export(profile, "otlp"))
        check(values == sum(sum(found.values()) for found in otlp.paths.values()),
              f"{profile}: protoc has {values}")


# ---- speedscope ----

UNITS = {"none", "nanoseconds", "microseconds", "milliseconds", "seconds", "bytes"}


def read_speedscope(data):
    """By https://www.speedscope.app/file-format-schema.json: (thread, figure) to stacks."""
    file = json.loads(data)
    check(file["$schema"] == "https://www.speedscope.app/file-format-schema.json" and
          isinstance(file["name"], str) and isinstance(file["exporter"], str), "speedscope: head")
    frames = file["shared"]["frames"]
    for frame in frames:
        check(set(frame) <= {"name", "file", "line", "col"} and isinstance(frame["name"], str) and
              isinstance(frame.get("file", ""), str), f"speedscope: frame {frame}")
    check(file["profiles"] == [] or 0 <= file["activeProfileIndex"] < len(file["profiles"]),
          "speedscope: active profile")
    found = collections.defaultdict(collections.Counter)
    for profile in file["profiles"]:
        check(set(profile) == {"type", "name", "unit", "startValue", "endValue", "samples",
                               "weights"} and profile["type"] == "sampled" and
              profile["unit"] in UNITS and profile["startValue"] == 0, "speedscope: a profile")
        check(len(profile["samples"]) == len(profile["weights"]), "speedscope: other weights")
        check(sum(profile["weights"]) == profile["endValue"], "speedscope: endValue")
        figure, thread = profile["name"].split(": ", 1)
        for stack, weight in zip(profile["samples"], profile["weights"]):
            names = tuple(frames[number]["name"] for number in stack)
            found[thread, names][figure] += weight
    return file, found


def test_speedscope(made):
    for profile in made.profiles:
        for words in choices(made, profile):
            pprof = Pprof(made.export(profile, "pprof", *words), naming="display")
            _, found = read_speedscope(made.export(profile, "speedscope", *words))
            theirs = {key: +values for key, values in pprof.paths.items() if +values}
            check({key: +values for key, values in found.items()} == theirs,
                  f"{profile} {words}: speedscope has other stacks than pprof")
            report = Report(made.jprof, profile, *words)
            sums = number_of_all(found.values())
            for figure in report.metrics + [f"samples.{name}" for name in report.conditions]:
                check(sums[figure] == report.sums[figure], f"{profile}: speedscope has "
                      f"{sums[figure]} of {figure}, the report {report.sums[figure]}")
    for words in FILES:
        _, found = read_speedscope(made.export(made.hostile, "speedscope", *words))
        check_io(f"speedscope {words}", IO, found)


# ---- callgrind ----

class Callgrind:
    """https://valgrind.org/docs/manual/cl-format.html"""

    def __init__(self, data):
        lines = data.decode().split("\n")
        check(data[:2047].find(b"\nevents:") > 0, "callgrind: no events at its beginning")
        self.own = collections.defaultdict(collections.Counter)
        self.below = collections.defaultdict(collections.Counter)
        self.called, self.lines = collections.Counter(), {}
        self.totals = {}
        names, function, callee, calls = {}, None, None, None
        for line in lines:
            check("\r" not in line and "\x1b" not in line, f"callgrind: {line[:200]!r}")
            key, _, value = line.partition("=")
            if line.startswith("events: "):
                self.events = line.split()[1:]
            elif line.startswith(("summary: ", "totals: ")):
                self.totals[line.split(":")[0]] = dict(
                    zip(self.events, map(int, line.split()[1:])))
            elif key in ("fn", "cfn", "ob", "cob", "fl", "cfi"):
                number, _, name = value[1:].partition(")")
                kind = key[-2:] if key != "cfi" else "fl"
                if name:
                    check((kind, number) not in names, f"callgrind: {line[:200]} again")
                    names[kind, number] = name[1:]
                check((kind, number) in names, f"callgrind: {line[:200]} is not known")
                if key == "fn":
                    check((kind, number) not in self.lines, "callgrind: a method twice")
                    function, self.lines[kind, number] = number, {}
                elif key == "cfn":
                    callee = number
            elif key == "calls":
                calls = int(value.split()[0])
            elif re.match(r"\d", line):
                place, *costs = map(int, line.split())
                values = dict(zip(self.events, costs))
                check(len(costs) == len(self.events), f"callgrind: {line}")
                if calls is None:
                    self.own[function].update(values)
                    self.lines["fn", function][place] = values
                else:
                    self.below[function].update(values)
                    self.called[callee] += calls
                    calls = None
            else:
                check(line == "" or line.startswith(("#", "version: 1", "creator: ", "pid: ",
                      "cmd: ", "event: ", "positions: line")), f"callgrind: {line[:200]!r}")
        self.names = {number: name for (kind, number), name in names.items() if kind == "fn"}


def event_of(figure):
    return re.sub(r"[^A-Za-z0-9]", "_", figure)


def test_callgrind(made):
    for profile in made.profiles:
        report = Report(made.jprof, profile)
        found = Callgrind(made.export(profile, "callgrind"))
        figures = [figure for figure in report.figures() if figure != "calls"]
        sums = number_of_all(found.own.values())
        if not figures:
            check(found.events == ["calls"] and found.totals["totals"]["calls"] ==
                  sums["calls"] == report.sums["calls"], f"{profile}: calls are {sums}")
        for figure in figures:
            event = event_of(figure)
            check(sums[event] == report.sums[figure] == found.totals["summary"][event] ==
                  found.totals["totals"][event], f"{profile}: callgrind has {sums[event]} of "
                  f"{figure}, the report {report.sums[figure]}")
        # By method: own costs, those with all that it called, and calls; whatever it is called.
        mine, theirs = collections.Counter(), collections.Counter()
        for row in report.methods["rows"]:
            own = [(row["base"][name] or 0, row["cum"][name] or 0) for name in report.metrics]
            own += [(row["samples"][name], row["samples_cum"][name])
                    for name in report.conditions]
            mine[row["calls"] or 0, tuple(own)] += 1
        for number, name in found.names.items():
            if name in ("(outside)", COUNTED):
                continue
            own, below = found.own[number], found.below[number]
            theirs[found.called[number], tuple(
                (own[event_of(f)], own[event_of(f)] + below[event_of(f)]) for f in figures)] += 1
        check(mine == theirs, f"{profile}: callgrind's methods are not the report's: "
              f"{list((mine - theirs).items())[:3]}, {list((theirs - mine).items())[:3]}")
    hostile = Callgrind(made.export(made.hostile, "callgrind"))
    places = {line: values["samples_cpu_1ms" if "samples_cpu_1ms" in values else "samples_cpu"]
              for found in hostile.lines.values() for line, values in found.items() if line}
    check(places == {42: 15, 43: 6}, f"callgrind: lines are {places}")
    needs("callgrind_annotate")
    for profile in made.profiles:
        path = made.folder / "callgrind.out.made"
        path.write_bytes(made.export(profile, "callgrind"))
        found = Callgrind(path.read_bytes())
        for words in [], ["--inclusive=yes", "--tree=both"]:
            text = run_well("callgrind_annotate", "--auto=no", *words, path)
            check(b"WARNING" not in text.stderr + text.stdout, f"{profile}: {text.stderr[:500]}")
            totals = re.search(r"^(.*)PROGRAM TOTALS", text.stdout.decode(), re.M).group(1)
            numbers = [int(number.replace(",", ""))
                       for number in re.findall(r"([\d,]+)(?= *\(|\s*$)|(?<!\S)\.(?!\S)", totals)
                       if number]
            check(numbers == [value for value in found.totals["summary"].values() if value],
                  f"{profile}: callgrind_annotate has {totals}, "
                  f"the file {found.totals['summary']}")


# ---- chrome ----

def check_event(event):
    """The trace event format's rules for those that are written."""
    needed = {"M": {"args"}, "i": {"ts", "s", "cat"}, "b": {"ts", "id", "cat"},
              "e": {"ts", "id", "cat"}, "X": {"ts", "dur", "cat", "args"}, "C": {"ts", "args"}}
    check(event["ph"] in needed and {"name", "pid", "tid"} | needed[event["ph"]] <= set(event),
          f"chrome: {event}")
    check(isinstance(event["name"], str) and isinstance(event["pid"], int) and
          isinstance(event["tid"], int), f"chrome: {event}")
    for key in {"ts", "dur"} & set(event):
        check(isinstance(event[key], (int, float)) and event[key] >= 0, f"chrome: {event}")
    if event["ph"] == "i":
        check(event["s"] in "gpt", f"chrome: {event}")
    if event["ph"] == "C":
        check(all(isinstance(value, int) for value in event["args"].values()), f"chrome: {event}")


def nanoseconds(value):
    return round(value * 1000)


def check_chrome(made, profile):
    file = json.loads(made.export(profile, "chrome"))
    events = collections.defaultdict(list)
    for event in file["traceEvents"]:
        check_event(event)
        events[event["ph"]].append(event)
    tracks = collections.Counter(event["tid"] for event in events["M"]
                                 if event["name"] == "thread_name")
    check(not tracks or max(tracks.values()) == 1, f"{profile}: a track of two threads: {tracks}")
    check({event["tid"] for event in events["X"]} <= set(tracks), f"{profile}: a track without name")
    begun, ended = ({event["id"]: event["ts"] for event in events[phase]} for phase in "be")
    check(begun.keys() == ended.keys() and all(begun[key] <= ended[key] for key in begun),
          f"{profile}: lives do not begin and end")

    def rows(view, *words):
        done = run(made.jprof, "report", profile, "--view", view, "--format", "json",
                   "--calibration", "off", *words)
        return json.loads(done.stdout)["rows"] if done.returncode == 0 else []

    moments = [(nanoseconds(event["ts"]), event["cat"], event["name"]) for event in events["i"]]
    check(sorted(moments) == sorted((row["at"], row["kind"], row["label"])
                                    for row in rows("snapshots")), f"{profile}: other moments")
    records = [(nanoseconds(event["ts"]), nanoseconds(event["dur"]), event["name"],
                event["args"]["bytes"]) for event in events["X"]]
    check(sorted(records) == sorted((row["begin"], row["ns"], row["operation"], row["bytes"])
                                    for row in rows("records")), f"{profile}: other records")
    return events["C"]


def check_counters(made, profile, counters, labels):
    """Each step is what the report says of that interval."""
    steps = collections.defaultdict(list)
    for event in counters:
        steps[event["name"]].append((event["ts"], *event["args"].values()))
    check(steps, f"{profile}: no counters")
    ends = [""] + labels + [""]
    for number in range(len(labels) + 1):
        report = Report(made.jprof, profile, "--snapshot", f"{ends[number]}..{ends[number + 1]}")
        for name in report.metrics + [f"samples.{name}" for name in report.conditions]:
            check(len(steps[name]) == len(labels) + 2 and steps[name] == sorted(steps[name]),
                  f"{profile}: steps of {name}: {steps[name]}")
            check(steps[name][number][1] == report.sums[name], f"{profile}: {name} from "
                  f"'{ends[number]}' is {steps[name][number]}, not {report.sums[name]}")
    check(all(step[-1][1] == 0 for step in steps.values()), f"{profile}: the last step stays")


def test_chrome(made):
    for profile in made.profiles:
        counters = check_chrome(made, profile)
        if profile == made.snapshots:
            check_counters(made, profile, counters, ["1", "2", "3"])
        elif profile == made.guest:
            check_counters(made, profile, counters, ["2", "3"])
            check(min(event["ts"] for event in counters) == 1e6, "chrome: a guest's steps do not begin with it")
        elif profile == made.hostile:
            check_counters(made, profile, counters, ['first"<', "second"])
    for name, records in (("*local*", 2), ("none", 0)):
        events = json.loads(made.export(made.hostile, "chrome", "--file", name))["traceEvents"]
        found = [event for event in events if event.get("cat") == "io"]
        check(len(found) == records, f"chrome --file {name}: {len(found)} operations")
        check(any(event["ph"] == "C" for event in events), f"chrome --file {name}: no counters")


# ---- the command ----

def test_command(made):
    jprof, folder, profile = made.jprof, made.folder, made.plain
    off = ["--calibration", "off"]

    def refused(words, text, status=2):
        before = {path: path.read_bytes() for path in folder.iterdir() if path.is_file()}
        done = run(jprof, "export", *words)
        check(done.returncode == status and text in done.stderr,
              f"{words}: exit status {done.returncode}: {done.stderr}")
        check(before == {path: path.read_bytes() for path in folder.iterdir() if path.is_file()},
              f"{words}: the folder is another now")

    # Names that are made of the profile's, which must be free.
    for name, made_name in (("collapsed", "bushy0.collapsed"), ("callgrind", "callgrind.out.bushy0"),
                            ("pprof", "bushy0.pb.gz"), ("speedscope", "bushy0.speedscope.json"),
                            ("chrome", "bushy0.trace.json"), ("otlp", "bushy0.otlp")):
        run_well(jprof, "export", profile, "--to", name, *off)
        check((folder / made_name).stat().st_size > 0, f"no {made_name}")
        refused([profile, "--to", name, *off], b"is there already")
    mode = (folder / "bushy0.otlp").stat().st_mode & 0o777
    check(mode & ~(profile.stat().st_mode & 0o777) == 0, f"others may read what is exported: {mode:o}")

    # An existing file is replaced, behind a link, too; what is refused leaves it.
    target, link = folder / "target", folder / "link"
    target.write_text("before")
    link.symlink_to(target)
    refused([profile, "--to", "pprof", "-o", target, "--metric", "nothing", *off],
            b"has no metric 'nothing'", 1)
    check(target.read_text() == "before", "a refused export has written")
    run_well(jprof, "export", profile, "--to", "collapsed", "-o", link, *off)
    check(link.is_symlink() and target.read_bytes() == made.export(profile, "collapsed"),
          "the link was replaced, or not what it leads to")

    # No half file: neither where the disk is full nor where a file may not grow.
    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (5000, 5000))

    listed = sorted(folder.iterdir())
    for name in folder / "new", target:
        kept = target.read_bytes()
        done = run(jprof, "export", profile, "--to", "speedscope", "-o", name, *off,
                   preexec_fn=limit)
        check(done.returncode == 1 and b"cannot write" in done.stderr, f"full: {done}")
        check(sorted(folder.iterdir()) == listed and target.read_bytes() == kept,
              "a half file is left")
    refused([profile, "--to", "speedscope", "-o", "/dev/full", *off], b"No space left", 1)
    refused([profile, "--to", "pprof", "-o", folder / "none" / "x", *off], b"cannot write", 1)
    refused([profile, "--to", "pprof", "-o", profile, *off], b"is the profile itself")

    # Words.
    refused([profile], b"--to FORMAT")
    refused([profile, "--to", "prof"], b"no format 'prof'")
    refused([profile, "--to", "collapsed", "--metric", "cpu+wall", *off], b"has one figure")
    refused([profile, "--to", "callgrind", "--method", "x", *off], b"--method is not for")
    refused([profile, "--to", "chrome", "--merge-threads", *off], b"--merge-threads is not for")
    refused([profile, "--to", "chrome", "--by", "component", *off], b"--by is not for")
    refused([profile, "--to", "pprof", "--by", "thread", *off], b"no grouping 'thread'")
    refused([profile, "--to", "chrome", "--path", "x", *off], b"--path is not for")
    refused([profile, "--to", "chrome", "--component", "x", *off], b"--component is not for")
    refused([profile, "--to", "callgrind", "--file", "x", *off], b"--file is not for")
    refused([profile, "--to", "callgrind", "--metric", "io.ns", "-o", target, *off], b"no figures of I/O")
    refused([profile, "--to", "chrome", "--metric", "io.ns", "-o", target, *off], b"no figures of I/O")
    refused([profile, "--to", "pprof", "--file", "x", "--metric", "cpu", "-o", target, *off],
            b"the figures are io.ns, io.bytes and io.ops, not 'cpu'")
    refused([profile, "--to", "pprof", "--file", "x", "--metric", "calls", "-o", target, *off], b"not 'calls'")
    refused([profile, "--to", "pprof", "-o", target, "--path", "nothing", *off], b"no method", 1)
    refused([profile, "--to", "pprof", "-o", target, "--components", folder / "none", *off], b"cannot open", 1)
    refused([profile, "--to", "pprof", "-o", target, "--snapshot", "1", *off], b"is no interval")
    refused([profile, "--to", "pprof", "-o", target, "--thread", "nobody", *off], b"no thread", 1)
    refused([folder / "none.jprof", "--to", "pprof"], b"none.jprof", 1)

    # Which figures there are; calls are one of them.
    for metric, types in (("cpu", ["cpu"]), ("cpu+calls", ["cpu", "calls"]),
                          ("calls", ["calls"]), ("alloc+wall", ["alloc", "wall"])):
        pprof = Pprof(made.export(profile, "pprof", "--metric", metric))
        check(pprof.types == types, f"--metric {metric}: {pprof.types}")

    # Of an interval, the interval's.
    report = Report(jprof, made.snapshots, "--snapshot", "1..2")
    pprof = Pprof(made.export(made.snapshots, "pprof", "--snapshot", "1..2"))
    report.check_paths(pprof.paths, "--snapshot")

    # Chosen methods: their paths and what is below them, from the thread on.
    report = Report(jprof, profile)
    chosen = "com.acme.store.part3.*"
    pprof = Pprof(made.export(profile, "pprof", "--method", chosen))
    wanted = {key: +values for key, values in report.paths.items()
              if +values and any(frame.startswith(chosen[:-1]) for frame in key[1])}
    check({key: +values for key, values in pprof.paths.items()} == wanted and wanted,
          "--method: other paths")

    # Chosen calls: the same paths without what is above; and what samples alone have found.
    check_places(made, profile, chosen)
    for shape in "sampled3", "divided":
        check_places(made, next(path for path in made.profiles if path.stem == shape),
                     chosen if shape == "sampled3" else "com.acme.Lines*")


def check_places(made, profile, chosen):
    """--path has of each path below such calls what it has without, and nothing else; so have its sums by method and thread."""
    report = Report(made.jprof, profile)
    wanted = {key: +values for key, values in report.paths.items()
              if +values and any(frame.startswith(chosen[:-1]) for frame in key[1])}
    part = Report(made.jprof, profile, "--path", chosen)
    check({key: +values for key, values in part.paths.items() if +values} == wanted and wanted,
          f"{profile}: --path: other paths")
    pprof = Pprof(made.export(profile, "pprof", "--path", chosen))
    check({key: +values for key, values in pprof.paths.items()} == wanted, f"{profile}: --path: exported others")
    for metric in part.metrics:
        of_methods = sum(row["base"][metric] or 0 for row in part.methods["rows"])
        check(of_methods == part.sums[metric], f"{profile}: --path: methods have {of_methods} of {metric}")
        done = run_well(made.jprof, "report", profile, "--view", "threads", "--path", chosen, "--format", "json",
                        "--calibration", "off")
        of_threads = sum(row["total"][metric] for row in json.loads(done.stdout)["rows"])
        check(of_threads == part.sums[metric], f"{profile}: --path: threads have {of_threads} of {metric}")


TESTS = {"collapsed": test_collapsed, "pprof": test_pprof, "otlp": test_otlp,
         "speedscope": test_speedscope, "callgrind": test_callgrind, "chrome": test_chrome,
         "command": test_command}


def main(name, jprof, make_profile, make_hostile, *more):
    with tempfile.TemporaryDirectory() as folder:
        TESTS[name](Made(jprof, make_profile, make_hostile, folder, more))


if __name__ == "__main__":
    if len(sys.argv) < 5 or sys.argv[1] not in TESTS:
        fail(f"usage: {'|'.join(TESTS)} JPROF MAKE_PROFILE MAKE_HOSTILE [PROFILE...]")
    main(*sys.argv[1:])

#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
"""Classes that are loaded, initialized and unloaded are those of the JVM's own log, by each collector, on platform and virtual
threads, from the start and by attach; each loader has its own."""
import collections
import pathlib
import re
import sqlite3
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from harness import Test, run  # noqa: E402

LOADERS = 60
COLLECTORS = ("Serial", "Parallel", "G1", "Z", "Shenandoah")


def plain(name):
    """Hidden classes without their number, as profiles have them; with dots."""
    name = re.sub(r"[/+]0x[0-9a-f]+$", "", name)
    return re.sub(r"\$\$Lambda.*", "$$Lambda", name).replace("/", ".")


def logged(path):
    """Names by what the log tells of them."""
    told = {"load": collections.Counter(), "unload": collections.Counter(),
            "init": collections.Counter()}
    for line in path.read_text().splitlines():
        found = re.match(r"\[\d+ns\]\[\d+\]\[class,(\w+) *\] (.*)", line)
        if not found:
            continue
        tag, text = found.groups()
        # Another version of a class is none more.
        if tag == "load" and "__VM_RedefineClasses__" not in text:
            told["load"][plain(text.split()[0])] += 1
        elif tag == "unload":
            told["unload"][plain(text.removeprefix("unloading class ").split()[0])] += 1
        elif "Initializing '" in text:
            told["init"][plain(text.split("'")[1])] += 1
    return told


def recorded(profile):
    rows = {}
    with sqlite3.connect(profile) as database:
        for what, column in (("load", "loaded"), ("unload", "unloaded"), ("init", "initialized")):
            rows[what] = collections.Counter(name for (name,) in database.execute(
                f"SELECT m.class FROM class c JOIN method m ON m.id = c.name WHERE {column} IS NOT NULL"))
        rows["before"] = database.execute('SELECT sum("before") FROM class_loader').fetchone()[0]
        rows["by path"] = database.execute(
            "SELECT sum(count) FROM account WHERE kind = 'load'").fetchone()[0]
        rows["odd"] = database.execute(
            "SELECT count(*) FROM class WHERE linked < loaded OR initialized < loaded OR unloaded < "
            "loaded OR ns < 0").fetchone()[0]
    return rows


def equal(test, what, expected, found):
    test.expect(expected == found, f"{what}: {found}, not {expected}")


def loaders(test, what, profile):
    """Each loader of the program's has its three or more classes, and all or none are there."""
    seen = test.views(profile)
    rows = [row for row in seen.rows("class-loaders") if (row["name"] or "").startswith("loader-")]
    test.expect(len(rows) == LOADERS, f"{what}: {len(rows)} loaders")
    for row in rows:
        kept = int(row["name"].removeprefix("loader-")) % 4 == 0
        test.expect(row["loaded"] >= 2 and row["alive"] == (row["loaded"] if kept else 0) and
                    row["gone"] != kept, f"{what}: {row}")
    named = collections.Counter(row["class"] for row in seen.rows("classes"))
    test.expect(named["Loading$Loaded"] == LOADERS and named["Loading$Bare"] == LOADERS,
                f"{what}: {named['Loading$Loaded']} and {named['Loading$Bare']} are listed")


def compare(test, what, log, profile):
    told, rows = logged(log), recorded(profile)
    test.expect(not rows["load"] - told["load"],
                f"{what}: loaded, but not in the log: {rows['load'] - told['load']}")
    equal(test, f"{what}: there before", told["load"].total() - rows["load"].total(), rows["before"])
    test.same(f"{what}: unloaded", sorted(told["unload"].items()), sorted(rows["unload"].items()))
    test.expect(not rows["init"] - told["init"],
                f"{what}: initialized, but not in the log: {rows['init'] - told['init']}")
    equal(test, f"{what}: initialized", LOADERS // 2, rows["init"]["Loading$Loaded"])
    equal(test, f"{what}: never initialized", 0, rows["init"]["Loading$Bare"])
    equal(test, f"{what}: times out of order", 0, rows["odd"])
    test.expect(0 < rows["by path"] <= rows["load"].total(), f"{what}: {rows['by path']} by path")
    loaders(test, what, profile)


def log_option(log):
    return f"-Xlog:class+load=info,class+unload=info,class+init=info:file={log}:timenanos,tid,tags"


def from_start(test, java, collector, calls):
    profile = test.new_profile()
    log = profile.with_suffix(".log")
    done = run(java, log_option(log), f"-XX:+Use{collector}GC",
               f"-agentpath:{test.agent}=calls={calls},traces=classes,file={profile}", "-cp",
               test.work, "Loading", LOADERS)
    if "Unrecognized VM option" in done.err:
        return
    what = f"{java} {collector} calls={calls}"
    test.expect(done.status == 0 and not done.err, f"{what}: {done}")
    compare(test, what, log, profile)


def by_attach(test, java):
    profile = test.new_profile()
    log = profile.with_suffix(".log")
    with subprocess.Popen([java, log_option(log), "-XX:+EnableDynamicAgentLoading", "-cp", test.work,
                           "Loading", str(LOADERS), "wait"], text=True, stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE) as program:
        test.expect(program.stdout.readline() == "waits\n", "it does not wait")
        test.jprof("attach", program.pid, "--file", profile, "--traces", "classes", "--calls", "off",
                   "--log", "error")
        program.communicate("\n", timeout=300)
    compare(test, f"{java} by attach", log, profile)


def off(test, java):
    profile = test.new_profile()
    run(java, f"-agentpath:{test.agent}=calls=off,file={profile}", "-cp", test.work, "Loading", 2)
    for view in "classes", "class-loaders":
        test.same(f"{java}: off", [], test.views(profile).rows(view))
        text = test.jprof("report", profile, "--view", view, "--calibration", "off").out
        test.has_line(f"{java}: off", text, "no trace of classes", "--traces classes")


def main():
    test = Test()
    test.javac(test.javas[0], "Loading")
    for java in test.javas:
        for collector in COLLECTORS:
            from_start(test, java, collector, "off")
        from_start(test, java, "G1", "auto")
        by_attach(test, java)
        off(test, java)
    test.finish()


main()

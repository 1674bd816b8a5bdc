#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
"""Compilations are those that -Xlog tells of beside: each code that was installed has a row, of the same method and level, that
began and ended as the log says; and those that the JVM's flight recorder has seen. Where the JVM tells of traps they are the
recorder's, with reason and action."""
import collections
import json
import pathlib
import re
import sqlite3
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from harness import Test, run  # noqa: E402

# Of the log, without jprof's own code: the thread's last line that begins a compilation, and what it installs.
BEGUN = re.compile(r" *(\d+) (.{5}) (\d|-) +(\S+)::(\S+)(?: @ (-?\d+))? \((\d+) bytes\)$")
LEAST = 300 # installed, of a program that collects garbage


def installed(log):
    """By the JVM's number: class, method, level, bytecodes, how long, until when."""
    found, at = {}, {}
    with open(log, encoding="utf-8", errors="surrogateescape") as lines:
        for line in lines:
            match = re.match(r"\[(\d+)ns\]\[(\d+)\]\[([a-z,]+) *\] (.*)$", line)
            if not match:
                continue
            when, thread, text = int(match[1]), match[2], match[4]
            begun = BEGUN.match(text) if match[3] == "jit,compilation" else None
            if begun:
                at[thread] = (int(begun[1]), begun[4], begun[5], int(begun[3]), int(begun[7]), when)
            elif text.startswith("Installing ") and thread in at:
                number, *rest = at.pop(thread)
                found[number] = (*rest[:4], when - rest[4], when)
    return found


def recorded(java, recording):
    """What the flight recorder has: compilations by number, traps in the order of time."""
    done = run(pathlib.Path(java).parent / "jfr", "print", "--json", "--events",
               "jdk.Compilation,jdk.Deoptimization", recording)
    compiled, traps = {}, []
    for event in sorted(json.loads(done.out)["recording"]["events"], key=lambda event: event["values"]["startTime"]):
        values = event["values"]
        if event["type"] == "jdk.Compilation":
            compiled[values["compileId"]] = (values["method"]["type"]["name"].replace("/", "."),
                                             values["method"]["name"], values["compileLevel"])
        else:
            traps.append((values["compileId"], values["bci"], values["reason"], values["action"]))
    return compiled, traps


def main():
    test = Test()
    test.javac(test.javas[0], "Garbage")
    for java in test.javas:
        release = int(re.search(r'version "(\d+)', run(java, "-version").err)[1])
        profile = test.new_profile()
        log, recording = profile.with_suffix(".log"), profile.with_suffix(".jfr")
        done = run(java, "-Xmx192m", f"-agentpath:{test.agent}=calls=sample,traces=jit,file={profile}",
                   f"-Xlog:jit+compilation=debug,nmethod+install=info:file={log}:timenanos,tid,tags:filecount=0",
                   "-Xlog:jfr*=off", "-XX:StartFlightRecording:jdk.Compilation#enabled=true,"
                   "jdk.Compilation#threshold=0ms,jdk.Deoptimization#enabled=true,"
                   f"filename={recording}", "-cp", test.work, "Garbage", 3)
        test.expect(done.status == 0, str(done))
        said = installed(log)
        compiled, traps = recorded(java, recording)
        with sqlite3.connect(profile) as database:
            began = database.execute("SELECT began FROM trace_period").fetchone()[0]
            rows = {row[0]: row[1:] for row in database.execute(
                "SELECT id, class, name, level, bytecodes, ns FROM compilation WHERE ns IS NOT NULL")}
            any_level = {row[0]: row[1:] for row in database.execute("SELECT id, class, name, level FROM compilation")}
            left = collections.Counter(database.execute(
                "SELECT compilation, bytecode, reason, action FROM deoptimization WHERE kind = 'trap'").fetchall())
        # Code of before the trace was on has none; what was under way as it came, or as it went, neither.
        first = min(rows)
        last = max(said[number][5] for number in rows if number in said)
        missing = [number for number in said if first < number and said[number][5] < last and number not in rows]
        test.expect(len(missing) <= 3, f"{release}: not in the profile: {[said[number] for number in missing[:5]]}")
        test.expect(len(rows) >= LEAST, f"{release}: {len(rows)} compilations, {began} ns")
        for number in set(said) & set(rows):
            if said[number][:4] != rows[number][:4]:
                test.fail(f"{release}: {rows[number]} instead of {said[number]}")
            # The lines of two outputs are written one behind the other, with a thread's turn in between perhaps.
        longer = sum(said[number][4] for number in set(said) & set(rows))
        ours = sum(rows[number][4] for number in set(said) & set(rows))
        test.expect(0.9 * longer <= ours <= 1.1 * longer, f"{release}: {ours} ns instead of {longer}")
        unknown = [number for number in compiled if number > first and number not in any_level and
                   (number not in said or said[number][5] < last)]
        test.expect(len(unknown) <= 3, f"{release}: the recorder alone has {[compiled[number] for number in unknown[:5]]}")
        # The recorder has other names for hidden classes.
        wrong = [number for number in set(compiled) & set(any_level)
                 if not re.search(r"\$\$|0x0", compiled[number][0]) and compiled[number] != any_level[number]]
        test.expect(not wrong, f"{release}: not as recorded: {[(compiled[n], any_level[n]) for n in wrong[:5]]}")
        if release >= 25:
            # It goes on when the profile is complete.
            while traps and traps[-1] not in left:
                traps.pop()
            alone = collections.Counter(traps) - left
            test.expect(traps, f"{release}: no traps at all")
            test.expect(not alone, f"{release}: traps that the recorder alone has: {list(alone.items())[:5]}")
        else:
            test.same(f"{release}: traps", {}, dict(left))
            test.expect(test.views(profile).fact.get("jit.no_traps") == "1", f"{release}: does not say that it has no traps")
        shown = test.views(profile).rows("jit")
        total = [row for row in shown if row["part"] == "total"][0]
        test.same(f"{release}: the view's sum", sum(row["ns"] or 0 for row in shown if row["part"] == "compilation"),
                  total["ns"])
        test.has_line("text", test.jprof("report", profile, "--view", "jit", "--top", 3).out, "compilations", "in all")
        test.jprof("report", profile, "--view", "deoptimizations")
    test.finish()


main()

#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
"""Call sites kept apart (call_sites). CallSites asks the JVM's stack walker for the line of each of its calls: the tree has as many
from each line, timed and precisely timed, by platform and virtual threads, from the start and in sessions that begin later; what is
summed up by method is as without sites, also where paths are folded. CallShares knows which share of its time each of its lines has:
samples say so. What cannot be kept apart is refused, or told."""
import json
import pathlib
import subprocess
import sys
from collections import Counter

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from harness import Test, run  # noqa: E402

VERIFIED = "-Xcheck:jni", "-XX:+UnlockDiagnosticVMOptions", "-XX:+BytecodeVerificationLocal", "-XX:+BytecodeVerificationRemote"
TOLD = "CallSites$Told*"  # what asks the JVM is no part of the program
SHARES = {1: 1 / 6, 2: 2 / 6, 3: 3 / 6}


def release_of(java):
    return int(run(java, "-XshowSettings:properties", "-version").err.split("java.specification.version = ")[1].split()[0])


def record(test, java, options, *program, classes=None, status=0):
    """Runs the program, whose first argument is a file that it writes. The profile, and the file's lines."""
    profile, told = test.new_profile(), test.work / "told"
    text = ",".join([f"file={profile}", *options])
    name, *rest = program
    done = run(java, *VERIFIED, f"-agentpath:{test.agent}={text}", "-cp", classes or test.work, name, told, *rest)
    test.expect(done.status == status, str(done))
    test.lacks(f"{options}: output", done.out + done.err, "WARNING")
    return profile, told.read_text().splitlines() if status == 0 else done


def tree_of(test, profile):
    """The rows of the tree, each with the row of its caller."""
    done = test.jprof("report", profile, "--view", "tree", "--format", "json", "--calibration", "off")
    rows = json.loads(done.out)["rows"] if done.status == 0 else []
    by_id = {row["id"]: row for row in rows}
    return [(row, by_id.get(row["parent"])) for row in rows if row["method"]]


def name_of(row):
    return f"{row['class']}.{row['method']}"


def sites_of(test, profile, told):
    """Calls by caller, line and method, of the methods that the program tells of."""
    methods = {method for _, _, method in told}
    calls = Counter()
    for row, caller in tree_of(test, profile):
        if caller and caller["method"] and name_of(row) in methods:
            calls[name_of(caller), row.get("line"), name_of(row)] += row["calls"] or 0
    return {key: count for key, count in calls.items() if count}


def read_told(lines):
    words = [line.split() for line in lines]
    return {(caller, int(line), method): int(calls) for caller, line, method, calls in words}


def by_method(sites):
    calls = Counter()
    for (_, _, method), count in sites.items():
        calls[method] += count
    return dict(calls)


def check_exact(test, java, options, *program, merged=""):
    """merged: a method whose sites are not kept apart."""
    what = f"{java}: {options} {program}"
    print(what, flush=True)
    profile, lines = record(test, java, ["call_sites=yes", f"exclude={TOLD}", *options], *program)
    told = read_told(lines)
    expected = Counter()
    for (caller, line, method), calls in told.items():
        expected[caller, None if caller == merged else line, method] += calls
    test.same(what, dict(expected), sites_of(test, profile, told))
    check_methods(test, what, profile, told)
    test.sound(what, profile)
    return profile


def check_methods(test, what, profile, told):
    """Sums by method, and by caller and method, know nothing of sites."""
    calls, expected = Counter(), by_method(told)
    for row in test.views(profile).rows("methods"):
        if row["class"] and row["calls"]:
            calls[name_of(row)] += row["calls"]
    test.same(f"{what}: methods", expected, {method: calls[method] for method in expected})


def check_some(test, java):
    """Only what a pattern names is kept apart."""
    profile, lines = record(test, java, ["calls=instrument", "call_sites=CallSites.twoLines+CallSites$Made*", f"exclude={TOLD}"],
                            "CallSites", "20", "2", "platform")
    told, expected = read_told(lines), Counter()
    for (caller, line, method), calls in told.items():
        named = caller == "CallSites.twoLines" or caller.startswith("CallSites$Made")
        expected[caller, line if named else None, method] += calls
    test.same("a pattern", dict(expected), sites_of(test, profile, told))
    facts = test.views(profile).fact
    test.expect(int(facts["call_sites.methods"]) == 3, f"three methods keep sites: {facts.get('call_sites.methods')}")


def check_none(test, java):
    profile, lines = record(test, java, ["calls=instrument", f"exclude={TOLD}"], "CallSites", "20", "2", "platform")
    check_methods(test, "no sites", profile, read_told(lines))
    test.expect(all("line" not in row for row, _ in tree_of(test, profile)), "there are lines that nobody asked for")
    test.expect("call_sites.methods" not in test.views(profile).fact, "methods keep sites that nobody asked for")


def check_folded(test, java):
    """Where paths are given up, sums are right."""
    profile, lines = record(test, java, ["calls=instrument", "call_sites=yes", "max_memory=1m", f"exclude={TOLD}"],
                            "CallSites", "20", "60", "platform")
    test.expect(int(test.views(profile).fact["pruned"]) > 0, "nothing was folded")
    check_methods(test, "folded", profile, read_told(lines))
    test.adds_up("folded", test.views(profile))


def check_lineless(test, java):
    """Classes without numbers of lines: that is said."""
    folder = test.work / "lineless"
    folder.mkdir(exist_ok=True)
    source = test.source / "java-tests/agent/CallShares.java"
    subprocess.run([pathlib.Path(java).parent / "javac", "-g:none", "-d", folder, source], check=True)
    profile, _ = record(test, java, ["calls=instrument", "call_sites=yes"], "CallShares", "1", classes=folder)
    facts = test.views(profile).fact
    test.expect(int(facts.get("call_sites.left", 0)) >= 3 and "call_sites.methods" not in facts,
                f"methods without lines: {facts.get('call_sites.left')}, {facts.get('call_sites.methods')}")


def check_refused(test, java):
    _, done = record(test, java, ["calls=events", "call_sites=yes"], "CallShares", "1", status=1)
    test.expect("calls=events" in done.err and len(done.err.splitlines()) <= 3, f"not refused: {done}")


def check_shares(test, java, *options):
    """Samples below each line are in proportion to what was done there."""
    def take():
        profile, lines = record(test, java, ["call_sites=yes", "sample=cpu:1ms", *options], "CallShares", "4")
        return profile, dict(map(int, line.split()) for line in lines)

    def differences(profile, lines):
        rows = tree_of(test, profile)
        ids = {row["id"]: row for row, _ in rows}
        samples, all_of = Counter(), 0

        for row, caller in rows:
            if name_of(row) != "CallShares.burn":
                continue
            here = sum(row["samples"].values())
            # The line of caller's that leads there.
            while caller and name_of(caller) != "CallShares.caller":
                row, caller = caller, ids.get(caller["parent"])
            if caller:
                samples[lines.get(row.get("line"))] += here
                all_of += here
        if all_of < 500:
            yield f"only {all_of} samples"
            return
        for part, share in SHARES.items():
            if abs(samples[part] / all_of - share) > 0.06:
                yield f"line {part} has {samples[part]} of {all_of} samples, not {share:.3f}"
        if None in samples and samples[None] > all_of / 100:
            yield f"{samples[None]} of {all_of} samples at no line of caller's"

    test.twice(f"{java}: shares {options}", take, differences)


def main():
    test = Test()
    for java in test.javas:
        test.javac(java, "CallSites", "CallShares")
        check_exact(test, java, ["calls=instrument"], "CallSites", "60", "4", "platform")
        check_exact(test, java, ["calls=instrument", "timing=precise"], "CallSites", "20", "2", "platform")
        check_exact(test, java, ["timed=CallSites*", "distribution=CallSites.round"], "CallSites", "40", "3", "platform",
                    merged="CallSites.round")
        if release_of(java) >= 21:
            check_exact(test, java, ["calls=instrument"], "CallSites", "40", "30", "virtual")
            check_exact(test, java, ["calls=instrument", "virtual=separate"], "CallSites", "20", "10", "virtual")
        check_shares(test, java, "calls=sample")
        check_shares(test, java, "calls=auto")
        check_some(test, java)
        check_none(test, java)
        check_folded(test, java)
        check_lineless(test, java)
        check_refused(test, java)
    test.finish()


main()

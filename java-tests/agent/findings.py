#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
"""A program for each rule of the view findings, with the problem and without: the rule finds the first one, in the
method that has it, and says nothing of the second. ONLY=RULE in the environment: that rule's alone."""
import os
import re
import sys
import pathlib

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from harness import Test, run  # noqa: E402

EXCLUDED = ["-XX:CompileCommand=quiet", "-XX:CompileCommand=exclude,Findings::hot"]
# Rule: the agent's options; the JVM's, with the problem and without; the method or file that the finding is of, and
# what its evidence says. Without a finding's name: the rule's.
ROWS = [
    ("small-writes", "calls=sample", [], [], "Findings.smallWrites", r"400 k writes of 7\.0 bytes"),
    ("small-writes", "calls=auto", [], [], None, r"400 k writes of 7\.0 bytes"),
    ("small-reads", "calls=sample", [], [], "Findings.smallReads", r"400 k reads of 1\.0 bytes"),
    ("reopened-file", "calls=sample", [], [], "Findings.reopenedFile", "Opened 150 k times"),
    ("reopened-archive", "calls=sample", [], [], "*/goods.zip", "30.0 k times"),
    ("archive-entries", "calls=sample", [], [], "Findings.readEntry", r"3[56]. k reads of single entries"),
    ("sync-per-record", "calls=sample", [], [], "Findings.syncs", r"1\.0 writes a sync"),
    ("host-lookups", "calls=sample", [], [], "*localhost", "Looked up 60.0 k times"),
    ("exceptions", "calls=sample", [], [], "Findings.parse", "stack traces"),
    ("exceptional-exits", "calls=instrument", [], [], "Findings$NoGoodsException.<init>",
     r"50.0 k calls of 250 k"),
    ("regex-compile", "calls=auto", [], [], "Findings.regex", "called from Findings.regex"),
    ("format", "calls=auto", [], [], "Findings.format", "called from Findings.format"),
    ("format-objects", "calls=auto", [], [], "Findings.formatObjects", "called from"),
    ("intern", "calls=auto", [], [], "Findings.intern", "called from Findings.intern"),
    ("called-often", "calls=auto", [], [], "Findings.isSame",
     "below Findings.search, which is called 1000 times: 200 k for each call"),
    ("called-often", "calls=count", [], [], "Findings.isSame",
     "below Findings.search, which is called 1000 times: 200 k for each call"),
    ("garbage-collection", "calls=auto,sample=cpu:1ms+alloc:512k", ["-Xmx64m", "-XX:+UseParallelGC"],
     ["-Xmx64m", "-XX:+UseParallelGC"], "Findings.garbage", "Most is allocated in Findings.garbage"),
    ("allocation", "calls=instrument", [], [], "Findings.copy", r"Findings.copy: 6.\d\d GB"),
    ("locks", "calls=sample,sample=wall:10ms+cpu:1ms", [], [], "Findings.inLock", "% of that in Findings.inLock"),
    ("mostly-waits", "calls=auto", [], [], None, "used a processor for"),
    ("no-processor", "calls=auto", [], [], None, "They waited"),
    ("many-threads", "calls=auto", [], [], None, "named 'request-\\*'"),
    ("interpreted", "calls=auto", EXCLUDED, [], "Findings.hot", "ran in the interpreter"),
    ("interpreted", "calls=auto", ["-Xint"], [], None, "interpreted mode"),
    ("lock-contention", "calls=sample,traces=locks", [], [], "Findings.inLock",
     r"in Findings.inLock, while 'worker-\d' held it in Findings.(inLock|work)\."),
    ("explicit-gc", "calls=sample,traces=gc", ["-XX:+UseSerialGC"], [], None, "40 collections have the cause"),
    ("exceptions-thrown", "calls=sample,traces=exceptions", [], [], None, "most often"),
    ("compiling", "calls=auto", ["-Xcomp"], ["-Xint"], None, "beside"),
]
# Which program it is, where that has another name than the rule.
PROGRAM = {"compiling": "mostly-waits", "lock-contention": "locks", "exceptions-thrown": "exceptions"}
# What other programs of the machine do to these is no fault of the rule's.
OTHERS = {"no-processor"}


def record(test, java, rule, agent, jvm, kind):
    """The findings of a run, by rule."""
    profile = test.new_profile()
    done = run(java, f"-agentpath:{test.agent}={agent},file={profile}", *jvm, "-cp", test.work,
               "Findings", test.work, PROGRAM.get(rule, rule), kind)
    if done.status != 0:
        test.fail(str(done))
    found = {}
    for row in test.views(profile).rows("findings"):
        found.setdefault(row["rule"], []).append(row)
    return profile, found


def is_place(row, where):
    """It is about this method or file."""
    method = row["method"]
    return where == f"{method['class']}.{method['method']}" or \
        row["file"] is not None and where[0] == "*" and row["file"].endswith(where[1:])


def check_texts(test, profile, rows):
    """What a terminal is shown has the same titles, and commands that can be run."""
    text = test.jprof("report", profile, "--view", "findings", "--calibration", "off", "--width", 100).out
    for row in rows:
        test.expect(row["title"] in " ".join(text.split()), f"'{row['title']}' is not in: {text}")
        words = row["command"].split()
        test.expect(words[:2] == ["jprof", "report"] and str(profile) in row["command"],
                    f"no command: {row['command']}")
        done = run("bash", "-c", row["command"].replace("jprof", str(test.program), 1))
        test.expect(done.status == 0 and len(done.out.splitlines()) > 1, str(done))


def check(test, java, row):
    """Both runs of a row."""
    rule, agent, bad, good, where, evidence = row
    print(f"{java}: {rule} {agent} {' '.join(bad)}", flush=True)
    profile, found = record(test, java, rule, agent, bad, "bad")
    if rule not in found:
        # Where others have the processor most of the time there are few samples.
        profile, found = record(test, java, rule, agent, bad, "bad")
    rows = found.get(rule, [])
    if not rows:
        test.fail(f"{rule} ({agent}) is not found, but {sorted(found)}")
        return
    test.expect(any(re.search(evidence, row["evidence"]) for row in rows),
                f"{rule}: '{evidence}' is not in {[row['evidence'] for row in rows]}")
    if where:
        test.expect(any(is_place(row, where) for row in rows),
                    f"{rule}: of {[row['method'] for row in rows]}, not of {where}")
    check_texts(test, profile, sum(found.values(), []))
    profile, found = record(test, java, rule, agent, good, "good")
    if rule not in OTHERS:
        test.expect(rule not in found, f"{rule}: without the problem it is found, too: "
                    f"{[row['evidence'] for row in found.get(rule, [])]}")
    # Nothing is read into a program that does what it does well.
    for other in found.keys() & {"exceptions", "regex-compile", "intern", "format-objects", "locks",
                                 "host-lookups", "many-threads", "called-often"}:
        test.fail(f"{rule}: the good program has '{other}': {found[other]}")


def check_collections(test, java):
    """Threads that a collection has stopped wait for no lock, though they look like it."""
    for samples in "wall:10ms", "wall:10ms+cpu:1ms":
        _, found = record(test, java, "garbage-collection", f"calls=sample,sample={samples}",
                          ["-Xmx64m", "-XX:+UseParallelGC"], "bad")
        test.expect("locks" not in found, f"{samples}: {found.get('locks')}")


def main():
    test = Test()
    for java in test.javas:
        test.javac(java, "Findings")
        for row in ROWS:
            if os.environ.get("ONLY", row[0]) == row[0]:
                check(test, java, row)
        check_collections(test, java)
    test.finish()


main()

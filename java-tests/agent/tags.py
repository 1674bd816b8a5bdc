#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
"""Tags that a program sets (jprof.JProf). Tagged knows what it did for whom: how often it called, allocated and read, in nested scopes,
through exceptions, on other threads that its tags were carried to, in virtual threads on many carriers; the profile says the same. It
knows how much processor time each user had: so do samples. Many recordings in one JVM leave nothing behind."""
import pathlib
import sqlite3
import sys
from collections import Counter

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from harness import Test, run  # noqa: E402

# A node's tags are what the nearest node of tags on its path says.
TAGGED = """
WITH RECURSIVE path(node, tags) AS (
	SELECT id, tags FROM node WHERE parent IS NULL
	UNION ALL SELECT node.id, coalesce(node.tags, path.tags) FROM node JOIN path ON node.parent = path.node),
	one(tags, key, text) AS (
	SELECT tag.tags, parameter.name, value.text FROM tag JOIN value ON tag.value = value.id
	JOIN parameter ON value.parameter = parameter.id WHERE parameter.tag),
	whose(node, user, kind) AS (
	SELECT node, coalesce((SELECT text FROM one WHERE one.tags = path.tags AND key = 'user'), '-'),
	coalesce((SELECT text FROM one WHERE one.tags = path.tags AND key = 'kind'), '-') FROM path)
"""
OWN = {"alice": "ofAlice", "bob": "ofBob"}
FIGURES = "calls", "bytes", "reads", "read bytes"


def release_of(java):
    return int(run(java, "-XshowSettings:properties", "-version").err.split("java.specification.version = ")[1].split()[0])


def record(test, java, options, *program, words=()):
    profile, told = test.new_profile(), test.work / "told"
    text = ",".join([f"file={profile}", *options])
    done = run(java, *words, f"-agentpath:{test.agent}={text}", "-cp", f"{test.work}:{test.build}/jprof.jar", "Tagged", told, *program,
               timeout=400)
    test.expect(done.status == 0, str(done))
    test.lacks(f"{options}: output", done.out + done.err, "WARNING")
    lines = [line.split("\t") for line in told.read_text(encoding="utf-8").splitlines()]
    return profile, {(row[0], row[1]): dict(zip(FIGURES, map(int, row[2:]))) for row in lines}


def whose(profile, what, rest):
    """Sums by user and kind."""
    with sqlite3.connect(profile) as database:
        rows = database.execute(f"{TAGGED} SELECT whose.user, whose.kind, {what} {rest} GROUP BY whose.user, whose.kind").fetchall()
    return {(user, kind): figure for user, kind, figure in rows if figure}


def place_of(profile, metric):
    with sqlite3.connect(profile) as database:
        return database.execute("SELECT id FROM metric WHERE name = ?", [metric]).fetchone()[0]


def read_by(profile, what):
    return whose(profile, f"sum(account.{what})", "FROM whose JOIN account ON account.node = whose.node JOIN file ON account.subject = file.id "
                 "WHERE account.kind = 'read' AND file.name LIKE '%.data'")


def below_method(profile, name):
    with sqlite3.connect(profile) as database:
        return database.execute("""
            WITH RECURSIVE below(id) AS (
                SELECT node.id FROM node JOIN method ON node.method = method.id WHERE method.name = ?
                UNION SELECT node.id FROM node JOIN below ON node.parent = below.id)
            SELECT sum(amount) FROM account JOIN below ON account.node = below.id WHERE kind = 'sample'""", [name]).fetchone()[0] or 0


def of_told(told, figure):
    return {key: row[figure] for key, row in told.items() if row[figure]}


def check_work(test, java, options, threads, rounds, kind):
    what = f"{java}: {options} {kind}"
    print(what, flush=True)
    profile, told = record(test, java, options, "work", threads, rounds, kind, words=["-Xcheck:jni"])
    alloc = f"sum(node.base_{place_of(profile, 'alloc')})"
    of_method = "FROM whose JOIN node ON node.id = whose.node JOIN method ON node.method = method.id WHERE method.class = 'Tagged' AND method.name = "
    test.same(f"{what}: reads", of_told(told, "reads"), read_by(profile, "count"))
    test.same(f"{what}: read bytes", of_told(told, "read bytes"), read_by(profile, "amount"))
    if "calls=instrument" in options:
        test.same(f"{what}: calls", of_told(told, "calls"), whose(profile, "sum(node.calls)", of_method + "'step'"))
        test.same(f"{what}: bytes", of_told(told, "bytes"), whose(profile, alloc, of_method + "'allocate'"))
    else:
        found = whose(profile, alloc, "FROM whose JOIN node ON node.id = whose.node")
        # What the program needs beside its arrays.
        for key, row in told.items():
            if key != ("-", "-"):
                test.expect(row["bytes"] <= found.get(key, 0) <= row["bytes"] * 1.05 + 100000,
                            f"{what}: {key} allocated {found.get(key)}, not {row['bytes']}")
    test.adds_up(what, test.views(profile))
    return profile


def check_shares(test, java, *options):
    def take():
        return record(test, java, ["sample=cpu:1ms", *options], "shares", 8)

    def differences(profile, told):
        samples, taken = Counter(), 0
        rest = "FROM whose JOIN account ON account.node = whose.node WHERE account.kind = 'sample'"
        for (user, _), periods in whose(profile, "sum(account.amount)", rest).items():
            samples[user] += periods
        for (user, _), count in whose(profile, "sum(account.count)", rest).items():
            taken += count if user != "-" else 0
        # What is found below a method is the user's whose it is: a few samples are taken in between.
        for user, method in OWN.items():
            found = below_method(profile, method)
            if abs(found - samples[user]) > samples[user] * 0.02 + 20:
                yield f"{user} has {samples[user]} samples, {method} has {found}"
        truth = {user: row["calls"] for (user, kind), row in told.items() if row["calls"]}
        of_users = sum(samples[user] for user in truth)
        if taken < 500:
            yield f"only {dict(samples)} samples"
            return
        for user, used in truth.items():
            share = used / sum(truth.values())
            # On a machine that is busy some stand for many periods, which makes the error larger than that of so many equal ones.
            error = 2 * (share * (1 - share) / taken) ** 0.5
            if abs(samples[user] / of_users - share) > 3 * error:
                yield f"{user} has {samples[user]} of {of_users} samples, not {share:.3f} of them, +- {error:.4f}"
        # The clock's unit, and what is between two users.
        if samples["-"] > of_users / 10:
            yield f"{samples['-']} samples of nobody: {dict(samples)}"

    test.twice(f"{java}: shares {options}", take, differences)


def check_loop(test, java, recordings):
    """Memory does not grow any more."""
    told = test.work / "told"
    print(f"{java}: {recordings} recordings", flush=True)
    done = run(java, "-Xms64m", "-Xmx64m", "-XX:+AlwaysPreTouch", "-XX:+UseSerialGC",
               f"-agentpath:{test.agent}=start=no,calls=instrument,include=Nothing", "-cp", f"{test.work}:{test.build}/jprof.jar",
               "Tagged", told, "loop", recordings, timeout=400)
    test.expect(done.status == 0, str(done)[:2000])
    resident = list(map(int, told.read_text().split()))
    print("KB resident:", *resident)
    with sqlite3.connect(f"{told}.jprof") as database:
        texts = [text for text, in database.execute("SELECT text FROM value WHERE text NOT NULL AND text != 'alice'")]
    last = [text for text in texts if text.endswith(f" of recording {recordings - 1}")]
    test.expect(len(last) == len(texts) == 2000, f"the last recording has {len(texts)} values, {len(last)} of its own")
    # A recording's 2,000 values are 200 KB.
    test.expect(len(resident) == 10 and resident[-1] - resident[2] < 7 * recordings / 10 * 20,
                f"memory grows by more than a tenth of what is to be forgotten: {resident}")


def main():
    test = Test()
    for java in test.javas:
        done = run(pathlib.Path(java).parent / "javac", "-d", test.work, "-cp", test.build / "jprof.jar",
                   test.source / "java-tests/agent/Tagged.java")
        test.expect(done.status == 0, str(done))
        kinds = [("platform", 64, 20)] + ([("virtual", 1000, 2)] if release_of(java) >= 21 else [])
        for kind, threads, rounds in kinds:
            check_work(test, java, ["calls=instrument", "include=Tagged*"], threads, rounds, kind)
            check_work(test, java, ["calls=auto", "include=Tagged*"], threads, rounds, kind)
            check_work(test, java, ["calls=sample"], threads, rounds, kind)
        check_shares(test, java, "calls=sample")
        check_shares(test, java, "calls=auto")
        check_loop(test, java, 1000)
    test.finish()


main()

#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
"""Values of parameters: what a program counts of its own calls, by value, is what the profile has: from the start and attached,
every call timed and few, of every kind of value, through wrappers of JDBC, through the JDK's own classes, and beyond the bounds of what is kept. Texts that hurt and getters
that do what they should not change nothing of the program, of reports, or of what others are told.

TIMES=1000 makes so many recordings instead of 50."""
import csv
import io
import json
import os
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import control  # noqa: E402
from harness import Target, Test, run, wait_for  # noqa: E402
from live_memory import Live  # noqa: E402

CHECKED = "-Xcheck:jni", "-Xmx256m", "-XX:+EnableDynamicAgentLoading"
KNOWN = "^WARNING in native method: JNI call made without checking exceptions"
NAMED = "public final class {name} {{ public static void call(long first, String who) {{ }} }}\n"


class Row:
    """What there is of a value: calls, bytes allocated and read."""

    def __init__(self, line):
        self.what, rest = line.split(" ", 1)
        value, *numbers = rest.rsplit(" ", 3)
        self.value, self.numbers = json.loads(value), tuple(map(int, numbers))


def item(what):
    """The option's item for what the program counts. A place and a blank are '0_1' there."""
    what = what.replace("_", " ") if "(0_1" in what else what
    if what.startswith(("Item", "Finder")):
        return f"Parameters${what}"
    return what if what.startswith("Named") else f"Parameters.{what}"


def compile_all(test, java):
    test.javac(java, "Parameters", "ParametersHard", "ParametersSets")
    manifest = test.work / "hard.mf"
    manifest.write_text("Premain-Class: ParametersHard\nCan-Redefine-Classes: true\n")
    done = run(pathlib.Path(java).parent / "jar", "cfm", test.work / "hard.jar", manifest, "-C", test.work, "ParametersHard.class")
    test.expect(done.status == 0, str(done))
    bin = pathlib.Path(java).parent
    sources = [test.source / f"java-tests/agent/{name}.java" for name in ("ParametersStubs", "ParametersJdbc")]
    for words in ([java, sources[0], test.work], [bin / "javac", "-d", test.work, "-cp", test.work, sources[1], *(
            test.work / f"Stub{name}.java" for name in ("Connection", "Statement", "ResultSet", "Both"))]):
        done = run(*words)
        test.expect(done.status == 0, str(done))
    for name, debug in ("Named", "-g"), ("Nameless", "-g:none"):
        source = test.work / f"{name}.java"
        source.write_text(NAMED.format(name=name))
        done = run(pathlib.Path(java).parent / "javac", debug, "-d", test.work, source)
        test.expect(done.status == 0, str(done))


def asked(rows):
    """Items of the option: those of the program, and one of which no name is known."""
    return sorted({item(row.what) for row in rows}) + ["Nameless.call(who)"]


def differences(rows, seen, columns):
    found = {(row["parameter"], row["value"]): (row["calls"], row["cum"].get("alloc"), row["reads"]["bytes"])
             for row in seen.rows("values") if row["kind"] in ("value", "null")}
    wanted = {}
    for row in rows:
        wanted[item(row.what), row.value] = row.numbers
    for key in sorted(wanted.keys() | found.keys(), key=repr):
        one, other = wanted.get(key), found.get(key)
        if one is None or other is None:
            yield f"{key}: expected {one}, found {other}"
            continue
        for name, i in columns:
            # Where the program cannot know what is allocated it says 0.
            if one[i] != other[i] and not (name == "allocated" and one[i] == 0):
                yield f"{key}: {name} expected {one[i]}, found {other[i]}"


def exact(test, java, calls, attached, rows):
    what, profile = f"{java} calls={calls}{', attached' if attached else ''}", test.new_profile()
    print(what, flush=True)
    options = {"calls": calls, "metrics": "wall+alloc", "parameters": "+".join(asked(rows))}
    words = [] if attached else [f"-agentpath:{test.agent}=file={profile}," +
                                 ",".join(f"{key}={value}" for key, value in options.items())]
    target = Target(test, java, *CHECKED, *words, "-cp", test.work, "Parameters", known_errors=KNOWN)
    if attached:
        target.tell("exact")
        test.jprof("attach", target.pid, "--file", profile, *(
            word for key, value in options.items() for word in (f"--{key}", value)))
    rows = [Row(line) for line in target.tell("exact")]
    if attached:
        test.jprof("stop", target.pid)
    target.end()
    seen = test.views(profile)
    columns = [("calls", 0), ("read", 2)] + ([("allocated", 1)] if calls == "instrument" else [])
    for line in list(differences(rows, seen, columns))[:20]:
        test.fail(f"{what}: {line}")
    if calls == "instrument":
        test.sound(what, profile)
    test.has_line(what, "\n".join(f"{key} {value}" for key, value in seen.fact.items()), "Nameless.call", "name")
    profile.unlink()


# ---- values that are hard on who reads them ----

MANY, KEPT = 1_000_000, 10_000
SECRETS = b"s3cr3t", b"7331733173317331"
TIMES = int(os.environ.get("TIMES", "50"))
LEFT, LEFT_EACH = 1 << 20, 8 << 10  # bytes that jprof may have more behind recordings, as traces-switched.py says


def started(test, java, profile, options, *words, known=KNOWN):
    text = ",".join(f"{key}={value}" for key, value in options.items())
    return Target(test, *words, java, *CHECKED, f"-javaagent:{test.work}/hard.jar", f"-agentpath:{test.agent}=file={profile},{text}",
                  "-cp", test.work, "ParametersHard", known_errors=known)


def many(test, java):
    """More values than are kept: what is beyond is in (others), and memory is bounded."""
    profile, what = test.new_profile(), f"{java}: {MANY} values"
    print(what, flush=True)
    target = started(test, java, profile, {
        "calls": "instrument", "metrics": "wall+alloc", "max_memory": "64m", "parameter_values": KEPT, "parameter_length": 8,
        "parameters": "ParametersHard.many(0):hash+ParametersHard.many(1)"})
    target.tell("many", MANY)
    target.end()
    seen = test.views(profile)
    for name, distinct in (("ParametersHard.many(0):hash", KEPT), ("ParametersHard.many(1)", 10)):
        rows = [row for row in seen.rows("values") if row["parameter"] == name]
        kept = [row for row in rows if row["kind"] == "value"]
        test.same(what, {"calls": MANY, "allocated": MANY * 32, "distinct": distinct},
                  {"calls": sum(row["calls"] for row in rows), "allocated": sum(row["cum"]["alloc"] for row in rows),
                   "distinct": len(kept)})
        test.expect(sum(row["calls"] for row in rows if row["kind"] == "others") == MANY - sum(row["calls"] for row in kept),
                    f"{what}: {name}: others")
    hashes = [row["value"] for row in seen.rows("values") if row["kind"] == "value" and row["parameter"].endswith(":hash")]
    test.expect(all(re.fullmatch("#[0-9a-f]{16}", value) for value in hashes), f"{what}: {hashes[:3]}")
    test.expect(int(seen.fact["memory.peak"]) <= 64 << 20, f"{what}: memory {seen.fact['memory.peak']}")


def nested(test, java):
    """Calls that set a tag inside one another: of those beyond the bound it is said that they set none."""
    for levels, deep in (64, None), (100, 36):
        profile, what = test.new_profile(), f"{java}: {levels} tags inside one another"
        target = started(test, java, profile, {"calls": "instrument", "tags": "level:ParametersHard.nest(0)"})
        target.tell("nest", levels)
        target.end()
        seen = test.views(profile)
        test.same(what, deep, seen.fact.get("tags.deep") and int(seen.fact["tags.deep"]))
        test.expect("labels.lost" not in seen.fact, f"{what}: labels.lost is {seen.fact.get('labels.lost')}")
        tags = {row["value"] for row in seen.rows("tags") if row["kind"] == "value"}
        test.same(f"{what}: tags", {str(level) for level in range(64)}, tags)
        lines = test.jprof("report", profile, "--view", "summary", "--width", 100).out
        if deep:
            test.has_line(what, lines, "Calls without their tag: in 64 others that set tags", "36")
        else:
            test.expect("without their tag" not in lines, f"{what}: {lines}")


def short(test, java):
    """Where memory is short, calls whose values found none are counted: not all, for the first ones had theirs until they were folded."""
    profile, what, levels = test.new_profile(), f"{java}: values without memory", 5000
    target = started(test, java, profile, {"calls": "instrument", "max_memory": "1m", "parameters": "ParametersHard.nest(0)"},
                     known=f"{KNOWN}|^jprof: memory was short")
    target.tell("nest", levels)
    target.end()
    seen = test.views(profile)
    lost = int(seen.fact.get("labels.lost", 0))
    test.expect(levels / 10 < lost < levels, f"{what}: {lost} are lost, of {levels}")
    lines = test.jprof("report", profile, "--view", "summary", "--width", 100).out
    test.has_line(what, lines, "Values, tags, lines without memory: lost", f"{lost:,}")


def texts(test, java):
    """Nothing of SQL's literals is in the file, and reports are well-formed."""
    profile, what = test.new_profile(), f"{java}: hostile texts"
    print(what, flush=True)
    target = started(test, java, profile, {"calls": "instrument", "parameter_length": 4096, "parameters": "ParametersHard.text(0)"})
    texts = int(target.tell("texts")[0])
    target.end()
    content = profile.read_bytes()
    for secret in SECRETS:
        found = content.find(secret)
        test.expect(found < 0, f"{what}: a secret is in the file: {content[max(found - 80, 0):found + 30]!r}")
    for view in "values", "tree", "overview":
        text = test.jprof("report", profile, "--view", view, "--calibration", "off", "--format", "text").out
        test.expect(not re.search("[\0-\x09\x0b-\x1f\x7f\u202e\u2028]", text), f"{what}: {view} has control characters")
    values = [row for row in test.views(profile).rows("values") if row["kind"] == "value"]
    test.expect(sum(row["calls"] for row in values) == texts, f"{what}: {sum(row['calls'] for row in values)} calls")
    test.expect(all(len((row["value"] or "").encode()) <= 4096 for row in values), f"{what}: a value is too long")
    found = {row["value"] for row in values}
    for text in "\u202eright to left", "\x1b[31mred\x1b[0m", "<script>alert(1)</script>", "{\"json\": [1,", "(null)", "(others)":
        test.expect(text in found, f"{what}: {text!r} is missing")
    done = run(test.program, "report", profile, "--view", "values", "--calibration", "off", "--format", "csv")
    rows = list(csv.reader(io.StringIO(done.out, newline="")))
    test.expect(len({len(row) for row in rows}) == 1 and len(rows) > len(values), f"{what}: lines of CSV differ in length")


def bad(test, java):
    """Objects that do what they should not: the program goes on as without jprof."""
    def answers(*words):
        target = Target(test, java, *CHECKED, f"-javaagent:{test.work}/hard.jar", *words, "-cp", test.work, "ParametersHard", known_errors=KNOWN)
        lines = target.tell("bad")
        target.end()
        return lines

    what = f"{java}: bad getters"
    print(what, flush=True)
    expected = answers()
    for calls in "instrument", "auto":
        profile = test.new_profile()
        test.same(f"{what}, calls={calls}", expected, answers(
            f"-agentpath:{test.agent}=file={profile},calls={calls},parameters=ParametersHard.take(0.name())+ParametersHard.take(0)"
            "+ParametersHard.inner(0)+ParametersHard.deep(0.name())+ParametersHard$Built.<init>(this.name)+ParametersHard$Named.name(result)"))
        rows = {row["value"]: row["calls"] for row in test.views(profile).rows("values")
                if row["parameter"] == "ParametersHard.take(0.name())" and row["kind"] == "value"}
        for value in ("(threw java.io.IOException)", "(threw java.lang.Error)", "(threw java.lang.StackOverflowError)", "(no getter name)",
                      "(threw java.lang.IllegalStateException)", "slept", "locked", "outer", "late", "interrupted", "proxied", "a lambda"):
            test.expect(rows.get(value, 0) >= 20, f"{what}, calls={calls}: {value}: {rows.get(value)}")
        facts = "\n".join(f"{key} {value}" for key, value in test.views(profile).fact.items())
        test.has_line(what, facts, "Built.<init>", "untouched")
        profile.unlink()


def held(test, java):
    """A getter that returns when its recording has ended: what it returns is in none, nor in the next one."""
    print(f"{java}: a getter that outlasts its recording", flush=True)
    target = Target(test, java, *CHECKED, "-cp", test.work, "ParametersHard", known_errors=f"{KNOWN}|^jprof")
    profiles = [test.new_profile(), test.new_profile()]
    target.tell("work", 1000)
    test.jprof("attach", target.pid, "--file", profiles[0], "--parameters", "ParametersHard.take(0.name())")
    target.tell("hold")
    test.jprof("stop", target.pid)
    test.jprof("start", target.pid, "--file", profiles[1], "--parameters", "ParametersHard.text(0):plain")
    target.tell("release")
    target.tell("work", 300)
    test.jprof("stop", target.pid)
    target.end()
    for profile in profiles:
        test.expect(SECRETS[0] not in profile.read_bytes(), f"{java}: {profile.name} has what was returned afterwards")
    rows = [row for row in test.views(profiles[1]).rows("values") if row["kind"] == "value"]
    test.same(f"{java}: the next recording", {f"work {i}": 3 for i in range(100)}, {row["value"]: row["calls"] for row in rows})


def recordings(test, java):
    """They begin and end with parameters, again and again: nothing of them is left."""
    print(f"{java}: {TIMES} recordings", flush=True)
    live = Live(test)
    target = Target(test, *live.words, java, *CHECKED, "-cp", test.work, "ParametersHard", known_errors=KNOWN)
    target.tell("work", 1000)
    test.jprof("attach", target.pid, "--file", test.new_profile(), "--log", "error")
    test.expect(wait_for(live.ready), "jprof's library is not found")
    client = control.Client(target.pid)
    client.must("stop")
    options = {"file": str(test.new_profile()), "calls": "auto", "parameters": [
        "ParametersHard.take(0.name())", "ParametersHard.text(0):hash", "jdbc"], "tags": ["user:ParametersHard.text(0)", "work:jdbc"]}
    first = None
    for i in range(TIMES + 10):
        client.must("start", options=options)
        target.tell("work", 300)
        client.must("stop")
        first = live.bytes() if i == 9 else first
    for kind, before, now in zip(("allocated", "mapped"), first, live.bytes()):
        print(f"  {kind}: {before} bytes before, {now} now", flush=True)
        test.expect(now - before < LEFT + TIMES * LEFT_EACH, f"{java}: {now - before} bytes {kind} are left")
    for line in control.failures:
        test.fail(line)
    target.end()


def jdbc(test, java):
    """What a driver executes, through whatever wraps it, is told once, under its text."""
    for calls in "instrument", "auto":
        profile, what = test.new_profile(), f"{java}: jdbc, calls={calls}"
        print(what, flush=True)
        done = run(java, *CHECKED, f"-agentpath:{test.agent}=file={profile},calls={calls},parameters=jdbc,tags=statement:jdbc",
                   "-cp", test.work, "ParametersJdbc")
        test.expect(done.status == 0, str(done))
        wanted = {text: (int(executions), int(rows)) for executions, rows, text in (line.split(" ", 2) for line in done.out.splitlines())}
        test.expect(len(wanted) > 15, f"{what}: {done}")
        found = {row["value"]: (row["calls"], row["rows"]) for row in test.views(profile).rows("values")
                 if row["kind"] == "value" and row["parameter"] == "jdbc" and (row["calls"], row["rows"]) != (0, 0)}
        test.same(what, dict(sorted(wanted.items())), dict(sorted(found.items())))
        tags = {row["value"] for row in test.views(profile).rows("tags") if row["key"] == "statement"}
        test.expect(wanted.keys() <= tags, f"{what}: no tags {wanted.keys() - tags}")


def sets(test, java):
    """What the JDK's own classes do is told, too: who serves requests, who sends them, and who looks names up."""
    names = "http", "http_client", "jndi"
    for calls in "instrument", "auto":
        profile, what = test.new_profile(), f"{java}: sets, calls={calls}"
        print(what, flush=True)
        done = run(java, *CHECKED, f"-agentpath:{test.agent}=file={profile},calls={calls},parameters={'+'.join(names)}",
                   "-cp", test.work, "ParametersSets")
        test.expect(done.status == 0, str(done))
        lines = [line.split(" ", 2) for line in done.out.splitlines()]
        wanted = {(name, value): int(count) for count, name, value in lines}
        test.same(what, set(names), {name for name, value in wanted})
        test.same(what, dict(sorted(wanted.items())), dict(sorted(
            ((row["parameter"], row["value"]), row["calls"]) for row in test.views(profile).rows("values") if row["calls"] > 0)))


def too_many(test, java):
    """Rows are for good: who asks for one too many hears it, and what there was before can be asked for again."""
    print(f"{java}: too many parameters", flush=True)
    target = Target(test, java, *CHECKED, "-cp", test.work, "ParametersHard", known_errors=f"{KNOWN}|^jprof")
    target.tell("work", 100)
    test.jprof("attach", target.pid, "--file", test.new_profile(), "--log", "error")
    client, profile = control.Client(target.pid), test.new_profile()
    client.must("stop")
    for begin, good in (0, True), (600, False), (0, True):
        asked = ["ParametersHard.text(0):plain", *(f"Nobody{i}.m(0)" for i in range(begin, begin + 600))]
        answer = client.ask("start", options={"file": str(profile), "parameters": asked})
        test.expect(answer["ok"] == good, f"{java}: {asked[1]}: {answer}")
        if good:
            client.must("stop")
        else:
            test.lacks(java, answer["error"]["message"], "memory")
            test.has_line(java, answer["error"]["message"], "too many different parameters and tags since the JVM began (1024)")
    client.must("start", options={"file": str(profile), "parameters": ["ParametersHard.text(0):plain"]})
    target.tell("work", 300)
    client.must("stop")
    target.end()
    rows = [row for row in test.views(profile).rows("values") if row["kind"] == "value"]
    test.expect(sum(row["calls"] for row in rows) == 300, f"{java}: {rows}")


def main():
    test = Test()
    compile_all(test, test.javas[0])
    for java in test.javas:
        target = Target(test, java, *CHECKED, "-cp", test.work, "Parameters")
        rows = [Row(line) for line in target.tell("exact")]
        target.end()
        for calls in "instrument", "auto":
            for attached in False, True:
                exact(test, java, calls, attached, rows)
        many(test, java)
        nested(test, java)
        short(test, java)
        texts(test, java)
        bad(test, java)
        recordings(test, java)
        jdbc(test, java)
        sets(test, java)
    too_many(test, test.javas[-1])
    held(test, test.javas[-1])
    test.finish()


main()

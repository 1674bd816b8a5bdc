#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
"""Values of parameters: what a program counts of its own calls, by value, is what the profile has: from the start and attached,
every call timed and few, of every kind of value."""
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from harness import Target, Test, run  # noqa: E402

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
    test.javac(java, "Parameters")
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
    test.sound(what, profile)
    test.has_line(what, "\n".join(f"{key} {value}" for key, value in seen.fact.items()), "Nameless.call", "name")


def main():
    test = Test()
    for java in test.javas:
        compile_all(test, java)
        target = Target(test, java, *CHECKED, "-cp", test.work, "Parameters")
        rows = [Row(line) for line in target.tell("exact")]
        target.end()
        for calls in "instrument", "auto":
            for attached in False, True:
                exact(test, java, calls, attached, rows)
    test.finish()


main()

#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
"""What compiled code lay where and when is in the profile: of methods that are compiled, inlined,
deoptimised, compiled again and unloaded, with their names, times and lines; compiled before an attach, too;
with keep_code the instructions as the process has them."""
import pathlib
import re
import sqlite3
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from harness import Target, Test, run, wait_for  # noqa: E402

WARM = 20000
ALIKE = 0.9  # of the instructions that were kept: the JVM changes calls as it runs


class Numbers:
    """Numbers of a BLOB: docs/profile-format.md."""

    def __init__(self, blob):
        self.blob, self.at = blob, 0

    def take(self):
        number = shift = 0
        while True:
            byte = self.blob[self.at]
            self.at += 1
            number |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return number

    def difference(self):
        number = self.take()
        return (number >> 1) ^ -(number & 1)


def places(method, blob):
    """Of each place its offset and its stack, innermost first: (method, line)."""
    numbers = Numbers(blob)
    frames, line, inlined = [(None, None, method)], 0, 0
    for number in range(1, numbers.take() + 1):
        outer = number - numbers.take()
        line += numbers.difference()
        inlined += numbers.difference()
        frames.append((outer, line, inlined))
    offset = frame = 0
    last = [0] * len(frames)
    found = []
    while numbers.at < len(blob):
        head = numbers.take()
        offset += head >> 1
        if head & 1:
            frame += numbers.difference()
        last[frame] += numbers.difference()
        stack, at, line = [], frame, last[frame]
        while at is not None:
            stack.append((frames[at][2], line))
            at, line = frames[at][0], frames[at][1]
        found.append((offset, stack))
    return found


class Code:
    """The code of a profile."""

    def __init__(self, test, profile):
        self.test = test
        with sqlite3.connect(profile) as database:
            self.fact = dict(database.execute("SELECT key, value FROM meta"))
            self.method = {row[0]: f"{row[1]}.{row[2]}" for row in database.execute(
                "SELECT id, class, name FROM method")}
            database.row_factory = sqlite3.Row
            self.rows = [dict(row) for row in database.execute("SELECT * FROM code")]
            self.bytes = dict(map(tuple, database.execute("SELECT * FROM machine_code")))
        test.summed.add(profile)  # sums of samples are another test's
        for row in self.rows:
            row["what"] = self.method[row["method"]] if row["method"] else row["name"]

    def of(self, what, **wanted):
        return [row for row in self.rows if row["what"] == what
                and all(row[key] == value for key, value in wanted.items())]

    def sound(self, what, lines):
        """Nothing is missing, no two lie in one place at one time, and lines are those of the
        methods."""
        test = self.test
        test.expect(not [key for key in self.fact if re.match("code.*missing", key)],
                    f"{what}: something is missing: {self.fact}")
        compiled = sorted((row for row in self.rows if row["method"]),
                          key=lambda row: (row["address"], row["loaded"]))
        for number, one in enumerate(compiled):
            for other in compiled[number + 1:]:
                if one["address"] + one["size"] <= other["address"]:
                    break
                apart = ((one["unloaded"] or 1 << 62) <= other["loaded"]
                         or (other["unloaded"] or 1 << 62) <= one["loaded"])
                test.expect(apart, f"{what}: two in one place: {one['what']}, {other['what']}")
        for row in compiled:
            test.expect(row["unloaded"] is None or row["unloaded"] > row["loaded"],
                        f"{what}: {row['what']} was unloaded before it was loaded")
            before = -1
            for offset, stack in places(row["method"], row["places"] or b"\0"):
                test.expect(before < offset <= row["size"],
                            f"{what}: {row['what']}: a place at {offset} of {row['size']}")
                before = offset
                for method, line in stack:
                    legal = lines.get(self.method.get(method))
                    test.expect(legal is None or line == 0 or line in legal,
                                f"{what}: {row['what']}: line {line} of {self.method.get(method)}")

    def is_inlined(self, what, inlined, **wanted):
        """Of the code of one method a part is the other's, called from it."""
        for row in self.of(what, **wanted):
            for _, stack in places(row["method"], row["places"] or b"\0"):
                names = [self.method[method] for method, line in stack if line > 0]
                if names[:len(inlined)] == inlined and names[-1:] == [what]:
                    return True
        return False


def lines_of(test, java):
    """The lines of each method of the program, as javap has them."""
    lines, name = {}, None
    for suffix in "", "$Plugin", "$Square", "$Triangle":
        done = run(pathlib.Path(java).parent / "javap", "-p", "-c", "-l", "-cp", test.work,
                   f"agent.Compiled{suffix}")
        for line in done.out.splitlines():
            method = re.match(r"  \S.*?([\w.$]+)\(.*\).*;$", line)
            if method:
                called = method.group(1)
                name = f"agent.Compiled{suffix}.{'<init>' if '.' in called else called}"
            row = re.match(r"\s+line (\d+): \d+", line)
            if row and name:
                lines.setdefault(name, set()).add(int(row.group(1)))
    test.expect("agent.Compiled.outer" in lines, f"javap: {sorted(lines)}")
    return lines


def same_bytes(test, code, pid):
    """What was kept is what the process has there."""
    compared = 0
    with open(f"/proc/{pid}/mem", "rb", buffering=0) as memory:
        for row in code.rows:
            kept = code.bytes.get(row["id"])
            test.expect(kept is not None and len(kept) == row["size"],
                        f"instructions of {row['what']}: {kept and len(kept)} of {row['size']}")
            if not kept or row["unloaded"] is not None or not row["method"]:
                continue
            memory.seek(row["address"])
            now = memory.read(row["size"])
            alike = sum(a == b for a, b in zip(kept, now)) / len(kept)
            test.expect(any(kept), f"instructions of {row['what']} are zeros")
            compared += alike > ALIKE
    live = sum(row["unloaded"] is None and bool(row["method"]) for row in code.rows)
    test.expect(compared >= ALIKE * live, f"instructions: {compared} of {live} are the same")


def compiled(test, code, lines):
    code.sound("start", lines)
    test.expect(code.of("agent.Compiled.outer", level=4), "start: outer has no code of level 4")
    test.expect(code.is_inlined("agent.Compiled.outer",
                                ["agent.Compiled.inner", "agent.Compiled.middle"], level=4),
                "start: inner is not inlined into middle, and that into outer")
    areas = code.of("agent.Compiled.areas", level=4)
    test.expect(len(areas) >= 2, f"start: areas was compiled {len(areas)} times at level 4")
    test.expect(code.of("Interpreter") and code.of("Interpreter")[0]["loaded"] == 0,
                "start: no interpreter, or not from the beginning on")
    plugin = code.of("agent.Compiled$Plugin.applyAsInt")
    test.expect(plugin, "start: the plugin was not compiled")
    test.expect(all(row["unloaded"] for row in plugin),
                f"start: the plugin is still there: {plugin}")
    test.expect(all(row["loaded"] > 0 for row in areas), "start: no times")


def from_start(test, java, lines):
    profile = test.new_profile()
    target = Target(test, java, "-Xcheck:jni", "-Xbatch",
                    f"-agentpath:{test.agent}=calls=sample,keep_code=yes,flush=1,file={profile}",
                    "-cp", test.work, "agent.Compiled", f"{test.work}/")
    test.same("what the JVM says", [], target.tell("warm", WARM))
    test.same("what the JVM says", [], target.tell("deoptimise", WARM))
    unloaded = target.counts("unload", WARM)
    test.same("unload", {"unloaded": 1}, unloaded)

    def written():
        with sqlite3.connect(profile, timeout=60) as database:
            return database.execute(
                "SELECT count(*) > 0 AND sum(unloaded IS NULL) = 0 FROM code JOIN method ON "
                "code.method = method.id WHERE method.class = 'agent.Compiled$Plugin'").fetchone()[0]

    test.expect(wait_for(written, 20), "start: the plugin's end is not in the file")
    same_bytes(test, Code(test, profile), target.pid)
    target.end()
    compiled(test, Code(test, profile), lines)


def attached(test, java, lines):
    """Again and again: each session has all of it. With probes, which change the bytecode, and behind
    them; without samples."""
    target = Target(test, java, "-Xcheck:jni", "-XX:+EnableDynamicAgentLoading", "-cp", test.work,
                    "agent.Compiled", f"{test.work}/")
    test.same("what the JVM says", [], target.tell("warm", WARM))
    for what, *options in (("attach", "--calls", "sample"), ("start", "--calls", "sample"),
                           ("start", "--sample", "cpu:1ms", "--include", "agent.Compiled*"),
                           ("start", "--calls", "sample"),
                           ("start", "--calls", "off", "--keep_code", "yes"),
                           ("start", "--calls", "off")):
        profile = test.new_profile()
        test.jprof(what, target.pid, "--file", profile, *options)
        test.same("what the JVM says", [], target.tell("warm", WARM // 4))
        test.jprof("stop", target.pid)
        code, what = Code(test, profile), f"{what} {options}"
        code.sound(what, lines)
        if options == ["--calls", "off"]:
            test.expect(not code.rows, f"{what}: there is code")
            continue
        test.expect(code.of("agent.Compiled.outer", level=4, loaded=0),
                    f"{what}: outer was compiled before: {code.of('agent.Compiled.outer')}")
        test.expect(code.is_inlined("agent.Compiled.outer", ["agent.Compiled.middle"])
                    or not code.of("agent.Compiled.outer", level=4),
                    f"{what}: nothing is inlined into outer")
        test.expect(code.of("Interpreter"), f"{what}: no interpreter")
        test.expect(bool(code.bytes) == ("yes" in options), f"{what}: instructions")
    target.end()


def main():
    test = Test()
    for java in test.javas:
        test.javac(java, "Compiled")
        lines = lines_of(test, java)
        from_start(test, java, lines)
        attached(test, java, lines)
    test.finish()


main()

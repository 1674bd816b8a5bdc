#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
"""What readings hand to probes, of every type, place and kind of method, interpreted and compiled, is what a program
(readings/readings/Main.java) calls its methods with; and arguments by their names. The methods are rewritten by an agent of
these tests (native/readings.c); the JVM verifies what it is given."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from harness import Test, run  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent.parent / "readings"
MODES = {
    "interpreted": ["-Xint"],
    "C1": ["-Xcomp", "-XX:TieredStopAtLevel=1", "-XX:CompileCommand=quiet", "-XX:CompileCommand=compileonly,readings.*::*"],
    "C2": ["-Xcomp", "-XX:-TieredCompilation", "-XX:CompileCommand=quiet", "-XX:CompileCommand=compileonly,readings.*::*"],
}
# PROBE_TABLE's: none, timed, timed with an entry's, counted, watched.
KINDS = (0, 1, 3, 4, 9)
# What class files tell of the names of arguments.
NAMES = {"nothing": ["-g:none"], "variables": ["-g"], "parameters": ["-g:none", "-parameters"]}
NAMED = "J 1\nD 4.5\nL six\nL eight\n"


def wide():
    """A class whose methods have as many slots of arguments as there may be."""
    longs = ", ".join(f"long a{i}" for i in range(127))
    return ("package readings;\nclass CasesWide {\n"
            f"    static long statics({longs}, int last) {{ return a126 + last; }}\n"
            f"    long instances({longs}) {{ return a126; }}\n}}\n")


class Readings:
    """The program of a JDK, compiled once."""

    def __init__(self, test, java):
        self.test, self.java = test, java
        self.work = test.work / "readings"
        self.work.mkdir(exist_ok=True)
        (self.work / "CasesWide.java").write_text(wide())
        self.compile("base", "--patch-module", f"java.base={HERE}", HERE / "java/lang/JprofProbe.java")
        for folder, flags in NAMES.items():
            self.compile(folder, "--patch-module", f"java.base={self.work / 'base'}", *flags,
                         *(HERE / "readings").glob("*.java"), self.work / "CasesWide.java")

    def compile(self, folder, *words):
        done = run(pathlib.Path(self.java).parent / "javac", "-implicit:none", "-d", self.work / folder, *words)
        self.test.expect(done.status == 0, f"javac: {done}")

    def run(self, classes, options, kinds, *words):
        agent = f"-agentpath:{self.test.build}/java-tests/libreadings.so={self.work}/facts,{kinds},readings/Cases"
        return run(self.java, "-Xverify:all", "-Xcheck:jni", "-Xmx200m", *options, "--patch-module",
                   f"java.base={self.work / 'base'}", agent + (",wanted" if words[0] == "named" else ""),
                   "-cp", self.work / classes, "readings.Main", *words)

    def values(self, mode, kinds):
        done = self.run("nothing", MODES[mode], kinds, kinds)
        last = done.out.splitlines()[-1] if done.out else ""
        self.test.expect(done.status == 0 and done.out.count("\n") == 1 and last.endswith(" checks"),
                         f"{self.java}, {mode}, probes {kinds}: {done}")
        return last

    def names(self, told, expected):
        done = self.run(told, [], 1, "named")
        self.test.expect(done.status == 0, f"{done}")
        self.test.same(f"{self.java}, named arguments, told by {told}", expected.splitlines(), done.out.splitlines())


def main():
    test = Test()
    for java in test.javas:
        readings = Readings(test, java)
        said = {readings.values(mode, kinds) for mode in MODES for kinds in KINDS}
        test.expect(len(said) == 1 and int(said.pop().split()[0]) > 1000, f"{java}: not as many checks each time")
        for told in NAMES:
            readings.names(told, "" if told == "nothing" else NAMED)
    test.finish()


main()

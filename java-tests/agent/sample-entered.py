#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
"""sample=enter:METHOD: as many samples as the program itself counts entries, or one for each n of them;
with calls seen in any way or not at all, from the start and in a running JVM, of threads that are
recorded alone. Where calls are probed each node has as many samples as calls."""
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from harness import Target, Test  # noqa: E402

WORK = "Entered$Work"
ALL, LEAF, SOME = f"enter:{WORK}.*", f"enter:{WORK}.leaf:7", "enter:*Work.recursive:1000"
CONDITIONS = f"{ALL}+{LEAF}+{SOME}"
JNI = "java.io.UnixFileSystem.getBooleanAttributes0"


class Entered:
    """One profile at a time, and what the program says it has to have."""

    def __init__(self, test, java):
        self.test, self.java, self.profile = test, java, None
        self.orders = [("run", 400)] + ([("virtual", 300)] if self.has_virtual() else [])

    def has_virtual(self):
        release = (pathlib.Path(self.java).parent.parent / "release").read_text()
        return int(re.search(r'JAVA_VERSION="([0-9]+)', release).group(1)) >= 21

    def target(self, *options):
        """The JVM's own code is not clean with calls=events."""
        self.profile = self.test.new_profile()
        agent = (f"-agentpath:{self.test.agent}=" + ",".join((f"file={self.profile}", *options))
                 if options else "-XX:+EnableDynamicAgentLoading")
        check = [] if "calls=events" in options else ["-Xcheck:jni"]
        return Target(self.test, self.java, *check, agent, "-cp", self.test.work, "Entered")

    # --- what the profile says ---

    def methods(self, condition):
        """Samples by method; the class may have been there before. condition: its name, or "enter" if it is the
        only one of that kind."""
        found = {}
        for row in self.test.views(self.profile).rows("methods"):
            number = (row["samples"] or {}).get(condition)
            if number and row["method"] != "<clinit>":
                name = f"{row['class']}.{row['method']}"
                found[name] = found.get(name, 0) + number
        return found

    def lost(self, what):
        for key, value in self.test.views(self.profile).fact.items():
            if re.match(r"sample\.enter:.*\.(inside|outside|full|kernel)$", key):
                self.test.fail(f"{what}: {key}={value}")

    def compare(self, what, counts):
        expected = {f"{WORK}.{name}": number for name, number in counts.items() if number}
        self.test.same(f"{what}: each entry", expected, self.methods(ALL))
        self.test.same(f"{what}: each 7th", {f"{WORK}.leaf": counts["leaf"] // 7},
                       self.methods(LEAF))
        self.test.same(f"{what}: each 1000th", {f"{WORK}.recursive": counts["recursive"] // 1000},
                       self.methods(SOME))
        self.lost(what)

    def compare_nodes(self, what):
        """Of all paths, in each thread."""
        rows = [row for row in self.test.views(self.profile).rows("tree") if row["class"] == WORK]
        wrong = [(row["method"], row["level"], row["calls"], row["samples"][ALL]) for row in rows
                 if row["calls"] != row["samples"][ALL]]
        self.test.expect(rows and not wrong, f"{what}: {len(wrong)} nodes of {len(rows)} have "
                                             f"other calls than samples: {wrong[:5]}")

    # --- the parts ---

    def from_start(self):
        for calls in "sample", "instrument", "events", "off":
            for order in self.orders:
                what = f"calls={calls}, {order[0]}"
                target = self.target(f"calls={calls}", f"sample={CONDITIONS}")
                counts = target.counts(*order)
                target.end()
                self.compare(what, counts)
                if calls == "instrument":
                    self.compare_nodes(what)

    def sessions(self):
        """In a JVM that was attached to; what is between them is nobody's."""
        target = self.target()
        target.tell("run", 1000)  # compiled by now
        self.test.jprof("attach", target.pid, "--start", "no")
        for turn in range(2):
            for calls in "sample", "auto":
                for order in self.orders:
                    self.profile = self.test.new_profile()
                    self.test.jprof("start", target.pid, "--file", self.profile, "--calls", calls,
                                    "--sample", CONDITIONS)
                    counts = target.counts(*order)
                    self.test.jprof("stop", target.pid)
                    target.tell("run", 10)
                    self.compare(f"session {turn}, calls={calls}, {order[0]}", counts)
        target.end()

    def beside(self):
        """Only some methods are measured, others have probes at their entry alone."""
        target = self.target("calls=instrument", f"include={WORK}.leaf", f"sample={CONDITIONS}+cpu:1ms")
        counts = target.counts("run", 300)
        target.end()
        self.compare("beside others", counts)
        calls = self.test.calls(self.profile, f"^{re.escape(WORK)}$")
        self.test.same("beside others: calls", {f"{WORK}.leaf": counts["leaf"]}, calls)

    def recorded(self):
        """Threads that are recorded, and only then."""
        target = self.target("calls=instrument", "threads=worker-1+worker-2", f"sample={CONDITIONS}")
        counts = target.counts("run", 560)
        target.end()
        self.compare("two threads", {name: number // 4 for name, number in counts.items()})
        target = self.target("calls=instrument", f"scope={WORK}.locked", f"sample={ALL}")
        counts = target.counts("run", 300)
        target.end()
        expected = {f"{WORK}.{name}": counts[name] for name in ("locked", "thrower")}
        self.test.same("in a scope", expected, self.methods("enter"))

    def natives(self):
        """One that the JDK has in a library, with all its calls; one of the JVM's own is said to be left."""
        condition = f"enter:{JNI}"
        target = self.target("calls=instrument", f"include={JNI}",
                             f"sample={condition}+enter:java.lang.System.arraycopy")
        target.tell("files", 1000)
        target.end()
        calls = self.test.calls(self.profile, f"^{re.escape(JNI.rsplit('.', 1)[0])}$")
        self.test.expect(calls.get(JNI, 0) >= 1000, f"natives: {calls}")
        self.test.same("natives", calls, self.methods(condition))
        self.test.has_line("natives", "\n".join(map(str, self.test.views(self.profile).fact.values())),
                           "java.lang.System.arraycopy: native")
        target = self.target("calls=sample", f"sample={condition}")
        target.tell("files", 1000)
        target.end()
        self.test.expect(self.methods("enter").get(JNI, 0) >= 1000,
                         f"natives, calls=sample: {self.methods('enter')}")

    def unmatched(self):
        target = self.target()
        target.tell("run", 1)
        done = self.test.jprof("attach", target.pid, "--file", self.profile, "--calls", "sample",
                               "--sample", f"enter:{WORK}.laef+{ALL}")
        self.test.has_line("a name that is wrong", done.err, f"sample=enter:{WORK}.laef",
                           f"'{WORK}.leaf'")
        self.test.lacks("a name that is wrong", done.err, ALL)
        self.test.jprof("detach", target.pid)
        target.end()


def main():
    test = Test()
    for java in test.javas:
        test.javac(java, "Entered")
        entered = Entered(test, java)
        entered.from_start()
        entered.sessions()
        entered.beside()
        entered.recorded()
        entered.natives()
        entered.unmatched()
    test.finish()


main()

#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
"""A program of which it is known which method calls which: in 100,000 stacks there is hardly any other call.
It throws exceptions through several frames, replaces compiled code while it runs, and has classes that are
deoptimised and others that are unloaded. Of the stacks in Java code at most one of 200 ends early.

It is made here, from a number: METHODS methods of several classes, each of which calls a few others."""
import collections
import pathlib
import random
import sqlite3
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from harness import Test, run  # noqa: E402

METHODS, CLASSES, SHAPES = 48, 6, 24
PERIOD_US, STACKS = 100, 100000
# Of so many stacks one may have been taken in the middle of what no rule reads right: a few instructions of
# the JVM's stubs for exceptions, which this program has all the time. One in some 900,000 was seen.
IMPOSSIBLE_OF = 100000
# A thread of its own begins here.
ROOTS = {"Main$3.run", "nothing"}
# The JVM calls it where a class is needed first.
ANYWHERE = {"Main$2.findClass"}

MAIN = """
public class Main {
    static volatile boolean over;
    static volatile long sink;
    static Shape[] shapes = {%(first)s};
    static final RuntimeException ready = new RuntimeException("ready", null, false, false) {};

    static void worker(int seed) {
        int s = seed;
        while (!over) {
            s = s * 1664525 + 1013904223;
            switch ((s >>> 9) %% %(entries)d) {
            %(cases)s
            }
        }
    }

    /** New classes of shapes, one by one, and short-lived ones all the time. */
    static void loader(String path) {
        try {
            java.net.URL[] urls = {new java.io.File(path).toURI().toURL()};
            for (int i = 0; !over; i++) {
                if (i %% 3 == 0 && i / 3 < shapes.length)
                    shapes[i / 3] = (Shape) Class.forName("Late" + i / 3).getDeclaredConstructor()
                            .newInstance();
                try (java.net.URLClassLoader loader = new java.net.URLClassLoader(urls, null) {
                    protected Class<?> findClass(String name) throws ClassNotFoundException {
                        return name.equals("Short") ? super.findClass(name)
                                : Main.class.getClassLoader().loadClass(name);
                    }
                }) {
                    Runnable run = (Runnable) loader.loadClass("Short").getDeclaredConstructor()
                            .newInstance();
                    run.run();
                }
                if (i %% 8 == 7)
                    System.gc();
            }
        } catch (ReflectiveOperationException | java.io.IOException wrong) {
            throw new Error(wrong);
        }
    }

    public static void main(String[] arguments) throws Exception {
        Thread[] threads = new Thread[3];
        for (int i = 0; i < threads.length; i++) {
            int seed = i;
            threads[i] = new Thread("made " + i) {
                public void run() {
                    if (seed == 0)
                        loader(arguments[1]);
                    else
                        worker(seed);
                }
            };
            threads[i].start();
        }
        java.lang.management.ThreadMXBean bean =
                java.lang.management.ManagementFactory.getThreadMXBean();
        long used = 0, wanted = Long.parseLong(arguments[0]) * 1000000;
        while (used < wanted) {
            Thread.sleep(50);
            used = 0;
            for (Thread thread : threads)
                used += bean.getThreadCpuTime(thread.getId());
        }
        over = true;
        for (Thread thread : threads)
            thread.join();
        System.out.println(used);
    }
}
"""

SHAPE = """
class Shape {
    int step(int d, int s) {
        return %(call)s;
    }
}
"""

SHORT = """
public class Short implements Runnable {
    public void run() {
        int s = 1;
        for (int i = 0; i < 40000; i++)
            s += one(i & 7, s);
        Gate.sink += s;
    }

    static int one(int d, int s) {
        return s %% 31 == 0 ? two(d, s) : s + d;
    }

    static int two(int d, int s) {
        return %(call)s + 1;
    }
}
"""


class Graph:
    """The program, and who calls whom: names "Class.method"."""

    def __init__(self, number):
        self.random = random.Random(number)
        self.edges = collections.defaultdict(set)
        self.names = [f"C{i % CLASSES}.m{i}" for i in range(METHODS)]
        self.static = [self.random.random() < 0.6 for _ in range(METHODS)]
        self.sources = {}
        self.make()

    def call(self, caller, callee, arguments="d - 1, s"):
        """An expression."""
        self.edges[caller].add(self.names[callee])
        name, method = self.names[callee].split(".")
        return f"{name}.{method}({arguments})" if self.static[callee] else \
            f"{name}.it.{method}({arguments})"

    def method(self, i):
        """Each has some work, and calls that its argument chooses: methods, shapes, itself; some throw,
        and some catch what was thrown farther in."""
        name = self.names[i]
        choices = [self.call(name, self.random.randrange(METHODS))
                   for _ in range(self.random.randint(1, 3))]
        shape = self.random.randrange(SHAPES)
        choices.append(f"Main.shapes[{shape}].step(d - 1, s)")
        self.edges[name] |= {"Shape.step", f"Late{shape}.step"}
        if self.random.random() < 0.3:
            choices.append(self.call(name, i))
        if self.random.random() < 0.3:
            choices.append("thrown(s)")
            self.edges[name].add(name.split(".")[0] + ".thrown")
        lines = [f"case {n}: x += {choice}; break;" for n, choice in enumerate(choices)]
        body = f"switch ((s >>> 11) % {len(choices)}) {{ {' '.join(lines)} default: x++; }}"
        if self.random.random() < 0.5:
            body = f"try {{ {body} }} catch (RuntimeException thrown) {{ x += 3; }}"
        if self.random.random() < 0.2:
            body = f"for (int k = s >>> 30; k >= 0; k--) {{ s = s * 31 + k; {body} }}"
        return f"""
    {"static " if self.static[i] else ""}int m{i}(int d, int s) {{
        s = s * 1664525 + 1013904223;
        int x = s;
        for (int k = (s >>> 8) & {self.random.choice((7, 31, 255))}; k > 0; k--)
            x = x * 31 + (x >>> 3) % 7;
        if (d <= 0)
            return x;
        {body}
        return x;
    }}
"""

    def make(self):
        for c in range(CLASSES):
            methods = "".join(self.method(i) for i in range(c, METHODS, CLASSES))
            self.sources[f"C{c}"] = f"""
class C{c} {{
    static final C{c} it = new C{c}();

    static int thrown(int s) {{
        if ((s & 1024) == 0)
            throw Main.ready;
        throw new IllegalStateException();
    }}
{methods}}}
"""
        self.edges["C0.thrown"] = set()
        entries = [self.random.randrange(METHODS) for _ in range(8)]
        cases = [f"case {n}: try {{ sink += {self.call('Main.worker', i, '9, s')}; }} "
                 "catch (RuntimeException thrown) { sink++; } break;"
                 for n, i in enumerate(entries)]
        self.sources["Main"] = MAIN % {"cases": "\n            ".join(cases), "entries": len(cases),
                                       "first": ", ".join(["new Shape()"] * SHAPES)}
        self.sources["Shape"] = SHAPE % {"call": self.call("Shape.step", 0)}
        for i in range(SHAPES):
            call = self.call(f"Late{i}.step", self.random.randrange(METHODS))
            self.sources[f"Late{i}"] = f"""
public class Late{i} extends Shape {{
    int step(int d, int s) {{
        return {call} + {i};
    }}
}}
"""
        # Of another loader: it reaches what is public.
        self.sources["Gate"] = f"""
public class Gate {{
    public static long sink;

    public static int pass(int d, int s) {{
        try {{
            return {self.call("Gate.pass", 1)};
        }} catch (RuntimeException thrown) {{
            return 1;
        }}
    }}
}}
"""
        self.sources["Short"] = SHORT % {"call": "Gate.pass(d, s)"}
        self.edges["Short.run"] = {"Short.one"}
        self.edges["Short.one"] = {"Short.two"}
        self.edges["Short.two"] = {"Gate.pass"}
        self.edges["Main.loader"] = {"Short.run", "Short.<init>", "Main$2.<init>"}
        self.edges["Main.main"] = {"Main$3.<init>"}
        self.edges["Main.<clinit>"] = {"Main$1.<init>", "Shape.<init>"}
        for c in range(CLASSES):
            self.edges[f"C{c}.<clinit>"] = {f"C{c}.<init>"}
        self.edges["Main$3.run"] = {"Main.loader", "Main.worker"}
        for i in range(SHAPES):
            self.edges["Main.loader"].add(f"Late{i}.<init>")
            self.edges[f"Late{i}.<init>"].add("Shape.<init>")

    def compile(self, test, java, folder):
        folder.mkdir()
        for name, text in self.sources.items():
            (folder / f"{name}.java").write_text(text)
        done = run(pathlib.Path(java).parent / "javac", "-nowarn", "-XDsuppressNotes", "-d", folder,
                   *sorted(folder.glob("*.java")))
        if done.status != 0:
            test.fail(str(done))
            test.finish()


def is_own(name):
    return name.split(".")[0].split("$")[0] in OWN


OWN = {"Main", "Shape", "Gate", "Short"} | {f"C{i}" for i in range(CLASSES)} | \
    {f"Late{i}" for i in range(SHAPES)}


class Found:
    """The edges of a profile between the program's methods, with how many samples are below each."""

    def __init__(self, profile):
        with sqlite3.connect(profile) as database:
            self.fact = dict(database.execute("SELECT key, value FROM meta"))
            into = dict(database.execute("SELECT id, into_id FROM forward"))
            nodes = {row[0]: row[1:] for row in database.execute(
                "SELECT n.id, n.parent, m.kind, ifnull(m.class, '') || '.' || m.name, t.name FROM node n "
                "JOIN method m ON m.id = n.method JOIN thread t ON t.id = n.thread")}
            samples = database.execute(
                "SELECT node, subject >> 4 & 15, sum(count) FROM account WHERE kind = 'sample' "
                "GROUP BY 1, 2").fetchall()
        self.edges, self.outermost = collections.Counter(), collections.Counter()
        self.stacks = self.cut = 0
        for node, _, count in samples:
            callee, whole, made = None, True, False
            while node in into:
                node = into[node]
            while node is not None:
                parent, kind, name, thread = nodes[node]
                made = thread.startswith("made ")
                if kind == "mark" and name == ".(not walked)":
                    whole = False
                if kind == "java" and name and is_own(name):
                    if callee:
                        self.edges[name, callee] += count
                    callee = name
                while parent in into:
                    parent = into[parent]
                node = parent
            if made:
                self.stacks += count
                self.cut += 0 if whole else count
                if whole:
                    self.outermost[callee or "nothing"] += count


def compare(test, what, graph, profile):
    found = Found(profile)
    ends = {key: number for key, number in found.fact.items() if key.startswith("sample.walk.")}
    wrong = {edge: count for edge, count in found.edges.items()
             if edge[1] not in graph.edges[edge[0]] | ANYWHERE and
             not edge[1].endswith(".<clinit>")}
    print(f"  {found.stacks} stacks, {len(found.edges)} edges, {found.cut} stacks not walked, {ends}")
    test.expect(found.stacks >= STACKS, f"{what}: {found.stacks} stacks")
    # It has its frames made anew all the time, and more of that is seen on a busy machine.
    test.expect(found.cut <= found.stacks / 100, f"{what}: {found.cut} stacks not walked")
    unmade = found.cut - int(ends.get("sample.walk.deopt", 0))
    test.expect(unmade <= found.stacks / 200, f"{what}: {unmade} stacks not walked but for that")
    # Nearly all of what the program may do is seen.
    known = {(caller, callee) for caller, callees in graph.edges.items() for callee in callees}
    seen = len(known & set(found.edges))
    test.expect(seen >= 0.5 * len(known), f"{what}: {seen} of {len(known)} edges seen")
    # A stack that begins elsewhere has lost frames.
    lost = {name: count for name, count in found.outermost.items()
            if name not in ROOTS}
    lines = [f"{caller} does not call {callee}: {count} stacks"
             for (caller, callee), count in sorted(wrong.items())] + \
        [f"{count} stacks begin with {name}" for name, count in sorted(lost.items())]
    number = sum(wrong.values()) + sum(lost.values())
    print(f"  {number} stacks are impossible: {lines}")
    if number > found.stacks / IMPOSSIBLE_OF:
        for line in lines:
            test.fail(f"{what}: {line}")
    print(f"  outermost: {dict(found.outermost)}")


def main():
    test = Test()
    for number, java in enumerate(test.javas):
        graph, folder, profile = Graph(number), test.work / f"made{number}", test.new_profile()
        graph.compile(test, java, folder)
        print(java, flush=True)
        options = f"calls=sample,sample=cpu:{PERIOD_US}us,file={profile}"
        done = run(java, f"-agentpath:{test.agent}={options}", "-Xmx256m", "-XX:+UseSerialGC", "-cp", folder,
                   "Main", STACKS * PERIOD_US // 1000 * 11 // 10, folder, timeout=300)
        test.expect(done.status == 0 and not done.err, str(done))
        compare(test, java, graph, profile)
    test.finish()


main()

/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */

import java.lang.management.ManagementFactory;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.IntToLongFunction;
import jprof.JProf;

/**
 * Programs whose methods' own CPU time is known from runs without probes.
 *
 * <p>Usage: Accuracy list | truth PROGRAM MS | work PROGRAM MS.
 *
 * <p>A program is a class with a loop that calls its methods, and loops that call parts of it. Each
 * loop is timed for itself by ThreadMXBean; what a method uses is the difference of loops: "loop -
 * bare" is what the loop takes more than the same loop without the call. `work` runs the first loop
 * alone, between the snapshots begin and end; `truth` times all loops and prints "method ns" for
 * each, ns per iteration of the loop. A call of an interpreted or a native method costs something
 * by itself: half of it is the caller's, half the callee's.
 */
public final class Accuracy {
    static volatile long sink;

    /** Terms of a truth: loops by name, with a factor each. */
    record Truth(String method, Object[] terms) {}

    static final Map<String, IntToLongFunction[]> loops = new LinkedHashMap<>();
    static final Map<String, String[]> names = new LinkedHashMap<>();
    static final Map<String, Truth[]> truths = new LinkedHashMap<>();

    static Truth of(String method, Object... terms) {
        return new Truth(method, terms);
    }

    static void program(String name, String[] loopNames, IntToLongFunction[] functions, Truth... truth) {
        names.put(name, loopNames);
        loops.put(name, functions);
        truths.put(name, truth);
    }

    /** A loop that calls `work`, and the same one without. */
    static void leaf(String name, IntToLongFunction loop, IntToLongFunction bare) {
        program(name, new String[] {"loop", "bare"}, new IntToLongFunction[] {loop, bare},
                of("work", "loop", 1.0, "bare", -1.0), of("loop", "bare", 1.0));
    }

    /** The same where a call itself costs: `empty` calls a method that does nothing. */
    static void slowLeaf(String name, IntToLongFunction loop, IntToLongFunction empty, IntToLongFunction bare) {
        program(name, new String[] {"loop", "empty", "bare"}, new IntToLongFunction[] {loop, empty, bare},
                of("work", "loop", 1.0, "empty", -0.5, "bare", -0.5),
                of("loop", "empty", 0.5, "bare", 0.5));
    }

    static final int[] chase = chase(1 << 22), near = chase(1 << 11);

    static int[] chase(int n) {
        int[] order = new int[n], next = new int[n];
        java.util.Random random = new java.util.Random(1);
        for (int i = 0; i < n; i++) order[i] = i;
        for (int i = n - 1; i > 0; i--) {
            int k = random.nextInt(i + 1), t = order[i];
            order[i] = order[k];
            order[k] = t;
        }
        for (int i = 0; i < n; i++) next[order[i]] = order[(i + 1) % n];
        return next;
    }

    static {
        leaf("Chain1", Chain1::loop, Chain1::bare);
        leaf("Chain4", Chain4::loop, Chain4::bare);
        leaf("Chain16", Chain16::loop, Chain16::bare);
        leaf("Chain64", Chain64::loop, Chain64::bare);
        leaf("Chain256", Chain256::loop, Chain256::bare);
        leaf("Chain1k", Chain1k::loop, Chain1k::bare);
        leaf("Chain6k", Chain6k::loop, Chain6k::bare);
        leaf("Divide", Divide::loop, Divide::bare);
        leaf("Wide16", Wide16::loop, Wide16::bare);
        leaf("Wide64", Wide64::loop, Wide64::bare);
        leaf("Wide512", Wide512::loop, Wide512::bare);
        leaf("Branches", Branches::loop, Branches::bare);
        leaf("Table", Table::loop, Table::bare);
        leaf("Strings", Strings::loop, Strings::bare);
        leaf("Allocate", Allocate::loop, Allocate::bare);
        leaf("Virtual", Virtual::loop, Virtual::bare);
        leaf("Near", Near::loop, Near::bare);
        leaf("Far1", Far1::loop, Far1::bare);
        leaf("Far8", Far8::loop, Far8::bare);
        program("Deep", new String[] {"loop", "b", "c", "bare"},
                new IntToLongFunction[] {Deep::loop, Deep::onlyB, Deep::onlyC, Deep::bare},
                of("loop", "bare", 1.0), of("a", "loop", 1.0, "b", -1.0),
                of("b", "b", 1.0, "c", -1.0), of("c", "c", 1.0, "bare", -1.0));
        program("Tiny", new String[] {"loop", "own", "bare"},
                new IntToLongFunction[] {Tiny::loop, Tiny::own, Tiny::bare},
                of("loop", "bare", 1.0), of("work", "own", 1.0, "bare", -1.0),
                of("tiny", "loop", 1.0, "own", -1.0));
        leaf("Recurse", Recurse::loop, Recurse::bare);
        leaf("Tree", Tree::loop, Tree::bare);
        program("Mixed", new String[] {"loop", "b", "c", "bare"},
                new IntToLongFunction[] {Mixed::loop, Mixed::onlyB, Mixed::onlyC, Mixed::bare},
                of("loop", "bare", 1.0), of("a", "loop", 1.0, "b", -1.0, "c", -1.0, "bare", 1.0),
                of("b", "b", 1.0, "bare", -1.0), of("c", "c", 1.0, "bare", -1.0));
        slowLeaf("Interpreted16", Interpreted16::loop, Interpreted16::empty, Interpreted16::bare);
        slowLeaf("Interpreted256", Interpreted256::loop, Interpreted256::empty, Interpreted256::bare);
        slowLeaf("Native1k", Native1k::loop, Native1k::empty, Native1k::bare);
        slowLeaf("Native16k", Native16k::loop, Native16k::empty, Native16k::bare);
    }

    static long chain(long x, int steps) {
        for (int i = 0; i < steps; i++) x = x * 31 + 7;
        return x;
    }

    static final class Chain1 {
        static long work(long x) { return x * 31 + 7; }
        static long loop(int n) { long x = n; for (int i = 0; i < n; i++) x = work(x) ^ i; return x; }
        static long bare(int n) { long x = n; for (int i = 0; i < n; i++) x ^= i; return x; }
    }

    static final class Chain4 {
        static long work(long x) { for (int i = 0; i < 4; i++) x = x * 31 + 7; return x; }
        static long loop(int n) { long x = n; for (int i = 0; i < n; i++) x = work(x) ^ i; return x; }
        static long bare(int n) { long x = n; for (int i = 0; i < n; i++) x ^= i; return x; }
    }

    static final class Chain16 {
        static long work(long x) { for (int i = 0; i < 16; i++) x = x * 31 + 7; return x; }
        static long loop(int n) { long x = n; for (int i = 0; i < n; i++) x = work(x) ^ i; return x; }
        static long bare(int n) { long x = n; for (int i = 0; i < n; i++) x ^= i; return x; }
    }

    static final class Chain64 {
        static long work(long x) { for (int i = 0; i < 64; i++) x = x * 31 + 7; return x; }
        static long loop(int n) { long x = n; for (int i = 0; i < n; i++) x = work(x) ^ i; return x; }
        static long bare(int n) { long x = n; for (int i = 0; i < n; i++) x ^= i; return x; }
    }

    static final class Chain256 {
        static long work(long x) { for (int i = 0; i < 256; i++) x = x * 31 + 7; return x; }
        static long loop(int n) { long x = n; for (int i = 0; i < n; i++) x = work(x) ^ i; return x; }
        static long bare(int n) { long x = n; for (int i = 0; i < n; i++) x ^= i; return x; }
    }

    static final class Chain1k {
        static long work(long x) { for (int i = 0; i < 1024; i++) x = x * 31 + 7; return x; }
        static long loop(int n) { long x = n; for (int i = 0; i < n; i++) x = work(x) ^ i; return x; }
        static long bare(int n) { long x = n; for (int i = 0; i < n; i++) x ^= i; return x; }
    }

    /* About 10 us. */
    static final class Chain6k {
        static long work(long x) { for (int i = 0; i < 6500; i++) x = x * 31 + 7 + (x >>> 60); return x; }
        static long loop(int n) { long x = n; for (int i = 0; i < n; i++) x = work(x) ^ i; return x; }
        static long bare(int n) { long x = n; for (int i = 0; i < n; i++) x ^= i; return x; }
    }

    static final class Divide {
        static long work(long x) { return (0x7fffffffffffffffL / (x | 1)) + (x % 1000003); }
        static long loop(int n) { long x = n; for (int i = 0; i < n; i++) x = work(x) ^ i; return x; }
        static long bare(int n) { long x = n; for (int i = 0; i < n; i++) x ^= i; return x; }
    }

    /* Work that does not wait for itself: four strands. */
    static final class Wide16 {
        static long work(long x) {
            long a = x, b = x + 1, c = x + 2, d = x + 3;
            for (int i = 0; i < 16; i++) { a = a * 31 + 1; b = b * 33 + 2; c = c * 35 + 3; d = d * 37 + 4; }
            return a ^ b ^ c ^ d;
        }
        static long loop(int n) { long x = n; for (int i = 0; i < n; i++) x = work(x) ^ i; return x; }
        static long bare(int n) { long x = n; for (int i = 0; i < n; i++) x ^= i; return x; }
    }

    static final class Wide64 {
        static long work(long x) {
            long a = x, b = x + 1, c = x + 2, d = x + 3;
            for (int i = 0; i < 64; i++) { a = a * 31 + 1; b = b * 33 + 2; c = c * 35 + 3; d = d * 37 + 4; }
            return a ^ b ^ c ^ d;
        }
        static long loop(int n) { long x = n; for (int i = 0; i < n; i++) x = work(x) ^ i; return x; }
        static long bare(int n) { long x = n; for (int i = 0; i < n; i++) x ^= i; return x; }
    }

    /* And calls that do not wait for one another. */
    static final class Wide512 {
        static long work(long x) {
            long a = x, b = x + 1, c = x + 2, d = x + 3;
            for (int i = 0; i < 512; i++) { a = a * 31 + 1; b = b * 33 + 2; c = c * 35 + 3; d = d * 37 + 4; }
            return a ^ b ^ c ^ d;
        }
        static long loop(int n) { long x = n; for (int i = 0; i < n; i++) x ^= work(i); return x; }
        static long bare(int n) { long x = n; for (int i = 0; i < n; i++) x ^= i; return x; }
    }

    static final class Branches {
        static long work(long x) {
            long s = 0;
            for (int i = 0; i < 24; i++) {
                if ((x >>> 40 & 1) != 0) s += i; else s ^= x;
                x = x * 0x5851F42D4C957F2DL + 1;
            }
            return s + x;
        }
        static long loop(int n) { long x = n; for (int i = 0; i < n; i++) x = work(x) ^ i; return x; }
        static long bare(int n) { long x = n; for (int i = 0; i < n; i++) x ^= i; return x; }
    }

    static final class Table {
        static long work(long x) {
            long s = 0;
            for (int i = 0; i < 32; i++) s += near[(int) (x + i * 61) & near.length - 1];
            return s;
        }
        static long loop(int n) { long x = n; for (int i = 0; i < n; i++) x = work(x) ^ i; return x; }
        static long bare(int n) { long x = n; for (int i = 0; i < n; i++) x ^= i; return x; }
    }

    static final class Strings {
        static final String text = "the quick brown fox jumps over the lazy dog, and over the moon";
        static long work(long x) {
            long s = 0;
            for (int i = 0; i < text.length(); i++) s = s * 131 + (text.charAt(i) ^ x);
            return s;
        }
        static long loop(int n) { long x = n; for (int i = 0; i < n; i++) x = work(x) ^ i; return x; }
        static long bare(int n) { long x = n; for (int i = 0; i < n; i++) x ^= i; return x; }
    }

    static final class Allocate {
        static long[] kept;
        static long work(long x) {
            long[] a = new long[32];
            kept = a;
            for (int i = 0; i < a.length; i++) x = a[i] + x * 31;
            return x;
        }
        static long loop(int n) { long x = n; for (int i = 0; i < n; i++) x = work(x) ^ i; return x; }
        static long bare(int n) { long x = n; for (int i = 0; i < n; i++) x ^= i; return x; }
    }

    static final class Virtual {
        static Virtual[] some = {new Virtual(), new Virtual()};
        long field = 3;
        long work(long x) { for (int i = 0; i < 20; i++) x = x * 31 + field; return x; }
        static long loop(int n) { long x = n; for (int i = 0; i < n; i++) x = some[i & 1].work(x) ^ i; return x; }
        static long bare(int n) { long x = n; for (int i = 0; i < n; i++) x ^= some[i & 1].field + i; return x; }
    }

    static final class Near {
        static long work(long x) { int k = (int) x & near.length - 1; for (int i = 0; i < 50; i++) k = near[k]; return k; }
        static long loop(int n) { long x = n; for (int i = 0; i < n; i++) x = work(x) ^ i; return x; }
        static long bare(int n) { long x = n; for (int i = 0; i < n; i++) x ^= i; return x; }
    }

    static final class Far1 {
        static long work(long x) { return chase[(int) x & chase.length - 1]; }
        static long loop(int n) { long x = n; for (int i = 0; i < n; i++) x = work(x); return x; }
        static long bare(int n) { long x = n; for (int i = 0; i < n; i++) x ^= i; return x; }
    }

    static final class Far8 {
        static long work(long x) { int k = (int) x & chase.length - 1; for (int i = 0; i < 8; i++) k = chase[k]; return k; }
        static long loop(int n) { long x = n; for (int i = 0; i < n; i++) x = work(x); return x; }
        static long bare(int n) { long x = n; for (int i = 0; i < n; i++) x ^= i; return x; }
    }

    static final class Deep {
        static long a(long x) { for (int i = 0; i < 100; i++) x = x * 31 + 7; return b(x); }
        static long b(long x) { for (int i = 0; i < 60; i++) x = x * 33 + 5; return c(x); }
        static long c(long x) { for (int i = 0; i < 200; i++) x = x * 35 + 3; return x; }
        static long loop(int n) { long x = n; for (int i = 0; i < n; i++) x = a(x) ^ i; return x; }
        static long onlyB(int n) { long x = n; for (int i = 0; i < n; i++) x = b(x) ^ i; return x; }
        static long onlyC(int n) { long x = n; for (int i = 0; i < n; i++) x = c(x) ^ i; return x; }
        static long bare(int n) { long x = n; for (int i = 0; i < n; i++) x ^= i; return x; }
    }

    /* Twenty calls of a tiny method to some work of its own. */
    static final class Tiny {
        static long tiny(long x) { return x * 31 + 7; }
        static long work(long x) {
            for (int i = 0; i < 400; i++) x = x * 35 + 3;
            for (int i = 0; i < 20; i++) x = tiny(x);
            return x;
        }
        static long alone(long x) { for (int i = 0; i < 400; i++) x = x * 35 + 3; return x; }
        static long loop(int n) { long x = n; for (int i = 0; i < n; i++) x = work(x) ^ i; return x; }
        static long own(int n) { long x = n; for (int i = 0; i < n; i++) x = alone(x) ^ i; return x; }
        static long bare(int n) { long x = n; for (int i = 0; i < n; i++) x ^= i; return x; }
    }

    static final class Recurse {
        static long work(long x, int depth) {
            for (int i = 0; i < 50; i++) x = x * 31 + 7;
            return depth == 0 ? x : work(x, depth - 1) + 1;
        }
        static long loop(int n) { long x = n; for (int i = 0; i < n; i++) x = work(x, 30) ^ i; return x; }
        static long bare(int n) { long x = n; for (int i = 0; i < n; i++) x ^= i; return x; }
    }

    static final class Tree {
        static long work(long x, int depth) {
            for (int i = 0; i < 30; i++) x = x * 31 + 7;
            return depth == 0 ? x : work(work(x, depth - 1), depth - 1);
        }
        static long loop(int n) { long x = n; for (int i = 0; i < n; i++) x = work(x, 5) ^ i; return x; }
        static long bare(int n) { long x = n; for (int i = 0; i < n; i++) x ^= i; return x; }
    }

    /* Work before, between and after two calls. */
    static final class Mixed {
        static long b(long x) { for (int i = 0; i < 300; i++) x = x * 33 + 5; return x; }
        static long c(long x) { long a = x, d = x + 1; for (int i = 0; i < 40; i++) { a = a * 31 + 1; d = d * 33 + 2; } return a ^ d; }
        static long a(long x) {
            for (int i = 0; i < 60; i++) x = x * 31 + 7;
            x = b(x);
            for (int i = 0; i < 80; i++) x = x * 37 + 7;
            x = c(x);
            for (int i = 0; i < 60; i++) x = x * 39 + 7;
            return x;
        }
        static long loop(int n) { long x = n; for (int i = 0; i < n; i++) x = a(x) ^ i; return x; }
        static long onlyB(int n) { long x = n; for (int i = 0; i < n; i++) x = b(x) ^ i; return x; }
        static long onlyC(int n) { long x = n; for (int i = 0; i < n; i++) x = c(x) ^ i; return x; }
        static long bare(int n) { long x = n; for (int i = 0; i < n; i++) x ^= i; return x; }
    }

    /* Kept from the compiler by -XX:CompileCommand=exclude,Accuracy$Interpreted*::work and ::none. */
    static final class Interpreted16 {
        static long work(long x) { for (int i = 0; i < 16; i++) x = x * 31 + 7; return x; }
        static long none(long x) { return x; }
        static long loop(int n) { long x = n; for (int i = 0; i < n; i++) x = work(x) ^ i; return x; }
        static long empty(int n) { long x = n; for (int i = 0; i < n; i++) x = none(x) ^ i; return x; }
        static long bare(int n) { long x = n; for (int i = 0; i < n; i++) x ^= i; return x; }
    }

    static final class Interpreted256 {
        static long work(long x) { for (int i = 0; i < 256; i++) x = x * 31 + 7; return x; }
        static long none(long x) { return x; }
        static long loop(int n) { long x = n; for (int i = 0; i < n; i++) x = work(x) ^ i; return x; }
        static long empty(int n) { long x = n; for (int i = 0; i < n; i++) x = none(x) ^ i; return x; }
        static long bare(int n) { long x = n; for (int i = 0; i < n; i++) x ^= i; return x; }
    }

    /* Natives of libaccuracy.so: chains of so many multiplications; 0 does nothing. */
    static final class Native1k {
        static native long work(long x, int steps);
        static native long none(long x, int steps);
        static long loop(int n) { long x = n; for (int i = 0; i < n; i++) x = work(x, 1000) ^ i; return x; }
        static long empty(int n) { long x = n; for (int i = 0; i < n; i++) x = none(x, 0) ^ i; return x; }
        static long bare(int n) { long x = n; for (int i = 0; i < n; i++) x ^= i; return x; }
    }

    static final class Native16k {
        static native long work(long x, int steps);
        static native long none(long x, int steps);
        static long loop(int n) { long x = n; for (int i = 0; i < n; i++) x = work(x, 16000) ^ i; return x; }
        static long empty(int n) { long x = n; for (int i = 0; i < n; i++) x = none(x, 0) ^ i; return x; }
        static long bare(int n) { long x = n; for (int i = 0; i < n; i++) x ^= i; return x; }
    }

    static long cpu() {
        return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }

    /** Iterations that take about so many ms, found after the compiler is done with the loop. */
    static int warm(IntToLongFunction loop, long ms) {
        int n = 1;
        long end = System.nanoTime() + 700_000_000L;
        while (System.nanoTime() < end) {
            long begin = System.nanoTime();
            sink += loop.applyAsLong(n);
            long took = System.nanoTime() - begin;
            if (took < 2_000_000) n *= 2;
        }
        long begin = cpu();
        sink += loop.applyAsLong(n);
        double each = Math.max(0.05, (cpu() - begin) / (double) n);
        return (int) Math.min(400_000_000, Math.max(1, ms * 1e6 / each));
    }

    /** ns an iteration: the median of nine. */
    static double time(IntToLongFunction loop, long ms) {
        int n = Math.max(1, warm(loop, ms) / 9);
        double[] each = new double[9];
        for (int i = 0; i < each.length; i++) {
            long begin = cpu();
            sink += loop.applyAsLong(n);
            each[i] = (cpu() - begin) / (double) n;
        }
        java.util.Arrays.sort(each);
        return each[4];
    }

    static void truth(String name, long ms) {
        String[] names = Accuracy.names.get(name);
        Map<String, Double> times = new LinkedHashMap<>();
        for (int i = 0; i < names.length; i++) times.put(names[i], time(loops.get(name)[i], ms));
        for (Truth truth : truths.get(name)) {
            double ns = 0;
            for (int i = 0; i < truth.terms.length; i += 2) ns += times.get((String) truth.terms[i]) * (Double) truth.terms[i + 1];
            System.out.printf("%s %s %.4f%n", name, truth.method, ns);
        }
    }

    static void work(String name, long ms) {
        IntToLongFunction loop = loops.get(name)[0];
        int n = warm(loop, ms);
        JProf.snapshot("begin");
        sink += loop.applyAsLong(n);
        JProf.snapshot("end");
        System.out.printf("%s iterations %d%n", name, n);
    }

    public static void main(String[] args) {
        switch (args[0]) {
        case "list":
            for (String name : names.keySet()) System.out.println(name);
            break;
        case "truth":
            System.load(System.getProperty("accuracy.library"));
            truth(args[1], Long.parseLong(args[2]));
            break;
        case "work":
            System.load(System.getProperty("accuracy.library"));
            work(args[1], Long.parseLong(args[2]));
            break;
        default:
            throw new IllegalArgumentException(args[0]);
        }
    }
}

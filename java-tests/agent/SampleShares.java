// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors

import java.io.FileInputStream;
import java.io.RandomAccessFile;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.lang.reflect.Method;
import java.math.BigInteger;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;
import java.util.zip.CRC32;
import java.util.zip.Deflater;

/**
 * Methods that each do a share of the work: SampleShares MILLISECONDS FILE. It measures itself what
 * processor time each has used, in many slices that take turns, and prints "METHOD NANOSECONDS".
 * The file is written to.
 */
public class SampleShares {
    interface Work {
        void run(int units) throws Exception;
    }

    /** A method, and how much it does in a slice. */
    static final class Part {
        final String name;
        final Work work;
        final double wanted; // ns a slice
        double units = 1;
        long used;

        Part(String name, double milliseconds, Work work) {
            this.name = name;
            this.work = work;
            this.wanted = milliseconds * 1e6;
        }

        /** The next slice is as long as is wanted, if that can be. */
        void used(long ns, double factor) {
            used += ns;
            units *= Math.max(0.25, Math.min(4, wanted * factor / (ns + 1)));
            units = Math.max(1, Math.min(1e7, units));
        }
    }

    static final ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    static final List<Part> parts = new ArrayList<>();
    static volatile double number;
    static volatile long whole;
    static volatile Object object;

    // --- plain, and inlined ---

    static void floating(int units) {
        double x = number;
        for (int i = 0; i < units * 100; i++)
            x = x * 0.999 + Math.sqrt(i);
        number = x;
    }

    static void integers(int units) {
        long x = whole;
        for (int i = 0; i < units * 100; i++)
            x = x * 6364136223846793005L + (x >>> 7) % 13;
        whole = x;
    }

    static long mix(long x, int i) {
        return (x ^ x >>> 17) * 31 + i;
    }

    static void inlined(int units) {
        long x = whole;
        for (int i = 0; i < units * 100; i++)
            x = mix(x, i);
        whole = x;
    }

    static long one(long x) {
        return two(x + 1) ^ x;
    }

    static long two(long x) {
        return three(x * 3) + (x >>> 3);
    }

    static long three(long x) {
        return four(x ^ 0x5555) - (x << 2);
    }

    static long four(long x) {
        return x / 7 + 1;
    }

    static void inlinedDeep(int units) {
        long x = whole;
        for (int i = 0; i < units * 100; i++)
            x = one(x);
        whole = x;
    }

    // --- calls ---

    interface Shape {
        double area(double x);
    }

    static final Shape[] shapes = {x -> x * 2, x -> x + 3, x -> Math.sqrt(x), x -> x / 1.5};

    static void manyKinds(int units) {
        double x = number;
        for (int i = 0; i < units * 100; i++)
            x = shapes[i & 3].area(x);
        number = x;
    }

    static long fibonacci(int n) {
        return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
    }

    static void recursive(int units) {
        for (int i = 0; i < units; i++)
            whole += fibonacci(12);
    }

    /** Recursive itself, so that its samples must be counted once. */
    static void recursiveItself(int units) {
        if (units <= 1) {
            for (int i = 0; i < 300; i++)
                whole += i;
            return;
        }
        recursiveItself(units / 2);
        recursiveItself(units - units / 2);
    }

    static boolean even(int n) {
        return n == 0 || odd(n - 1);
    }

    static boolean odd(int n) {
        return n != 0 && even(n - 1);
    }

    static void mutual(int units) {
        for (int i = 0; i < units; i++)
            whole += even(100 + (i & 1)) ? 1 : 2;
    }

    static void lambdas(int units) {
        IntUnaryOperator operator = x -> x * 31 + 7;
        for (int i = 0; i < 5; i++) {
            int step = i;
            operator = operator.andThen(x -> x ^ step);
        }
        int x = 1;
        for (int i = 0; i < units * 10; i++)
            x = operator.applyAsInt(x);
        whole += x;
    }

    static void streams(int units) {
        whole += IntStream.range(0, units * 50).map(x -> x * 31).filter(x -> (x & 3) != 0)
                .mapToObj(Integer::valueOf).mapToInt(x -> x).sum();
    }

    static void exceptions(int units) {
        for (int i = 0; i < units; i++) {
            try {
                thrower(5);
            } catch (IllegalStateException thrown) {
                whole++;
            }
        }
    }

    static void thrower(int depth) {
        if (depth == 0)
            throw new IllegalStateException();
        thrower(depth - 1);
    }

    public static int reflected(int x) {
        return x * 3 + 1;
    }

    static final Method method;

    static {
        try {
            method = SampleShares.class.getMethod("reflected", int.class);
        } catch (NoSuchMethodException none) {
            throw new Error(none);
        }
    }

    static void reflection(int units) throws Exception {
        for (int i = 0; i < units; i++)
            whole += (Integer) method.invoke(null, i);
    }

    static void locked(int units) {
        for (int i = 0; i < units; i++) {
            synchronized (threads) {
                whole++;
            }
        }
    }

    // --- never compiled: the test has these excluded ---

    static void interpreted(int units) {
        long x = whole;
        for (int i = 0; i < units * 10; i++)
            x = x * 31 + (i ^ x >>> 3);
        whole = x;
    }

    static int interpretedLeaf(int x) {
        return x * 31 + (x >>> 3);
    }

    static void interpretedCalls(int units) {
        int x = 1;
        for (int i = 0; i < units; i++)
            x = interpretedLeaf(x) + interpretedLeaf(i);
        whole += x;
    }

    // --- natives, and the kernel ---

    static final byte[] bytes = new byte[1 << 16];
    static final byte[] others = new byte[1 << 16];
    static final Deflater deflater = new Deflater(6);

    static void deflate(int units) {
        for (int i = 0; i < units; i++) {
            deflater.reset();
            deflater.setInput(bytes, 0, 4000);
            deflater.finish();
            while (!deflater.finished())
                whole += deflater.deflate(others);
        }
    }

    static FileInputStream zero;
    static RandomAccessFile file;
    static final byte[] buffer = new byte[1 << 18];

    static void read(int units) throws Exception {
        for (int i = 0; i < units; i++)
            whole += zero.read(buffer, 0, 1 << 15);
    }

    static void write(int units) throws Exception {
        for (int i = 0; i < units; i++) {
            file.seek(0);
            file.write(buffer);
        }
    }

    static void calls(int units) throws Exception {
        for (int i = 0; i < units; i++)
            whole += file.getFilePointer();
    }

    // --- intrinsics ---

    static void checksum(int units) {
        CRC32 crc = new CRC32();
        for (int i = 0; i < units; i++)
            crc.update(bytes);
        whole += crc.getValue();
    }

    static void copies(int units) {
        for (int i = 0; i < units; i++)
            System.arraycopy(bytes, 0, buffer, i & 1023, bytes.length);
    }

    static final String text = "a".repeat(5000) + "ab";

    static void search(int units) {
        for (int i = 0; i < units; i++)
            whole += text.indexOf("ab");
    }

    static final byte[] same = new byte[1 << 14], alike = new byte[1 << 14];

    static void compare(int units) {
        for (int i = 0; i < units; i++)
            whole += Arrays.equals(same, alike) ? 1 : 2;
    }

    static void digest(int units) throws Exception {
        MessageDigest digest = MessageDigest.getInstance("SHA-256");
        for (int i = 0; i < units; i++)
            digest.update(bytes, 0, 1 << 10);
        whole += digest.digest()[0];
    }

    static final BigInteger big = new BigInteger(2000, new Random(3));

    static void multiply(int units) {
        for (int i = 0; i < units; i++)
            object = big.multiply(big);
    }

    static void sines(int units) {
        double x = number;
        for (int i = 0; i < units * 10; i++)
            x += Math.sin(x + i) + Math.pow(i, 0.3);
        number = x;
    }

    // --- memory ---

    static void sort(int units) {
        int[] array = new int[units * 10];
        int x = 1;
        for (int i = 0; i < array.length; i++)
            array[i] = x = x * 1664525 + 1013904223;
        Arrays.sort(array);
        whole += array[array.length / 2];
    }

    static void maps(int units) {
        Map<Integer, String> map = new HashMap<>();
        for (int i = 0; i < units * 5; i++)
            map.put(i * 31, "x");
        object = map;
    }

    static void texts(int units) {
        StringBuilder builder = new StringBuilder();
        for (int i = 0; i < units * 5; i++)
            builder.append(i).append(',');
        object = builder.toString();
    }

    static void arrays(int units) {
        for (int i = 0; i < units; i++)
            object = new byte[4000 + (i & 63)];
    }

    // --- virtual threads ---

    static void virtual(int units) {
        inlinedDeep(units);
    }

    /** The processor time of the one carrier, whose thread waits meanwhile. */
    static long carrier() {
        for (long id : threads.getAllThreadIds())
            if (threads.getThreadInfo(id).getThreadName().startsWith("ForkJoinPool-"))
                return id;
        throw new IllegalStateException("no carrier");
    }

    static long slice(Part part) throws Exception {
        if (!part.name.equals("virtual")) {
            long begin = threads.getCurrentThreadCpuTime();
            part.work.run((int) part.units);
            return threads.getCurrentThreadCpuTime() - begin;
        }
        long[] used = new long[1];
        Runnable run = () -> {
            long id = carrier(), begin = threads.getThreadCpuTime(id);
            virtual((int) part.units);
            used[0] = threads.getThreadCpuTime(id) - begin;
        };
        ((Thread) Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, run))
                .join();
        return used[0];
    }

    static void add(String name, double milliseconds, Work work) {
        parts.add(new Part(name, milliseconds, work));
    }

    public static void main(String[] arguments) throws Exception {
        zero = new FileInputStream("/dev/zero");
        file = new RandomAccessFile(arguments[1], "rw");
        new Random(1).nextBytes(bytes);
        for (int i = 0; i < bytes.length; i++)
            bytes[i] &= 15;
        add("floating", 2, SampleShares::floating);
        add("integers", 1, SampleShares::integers);
        add("inlined", 2, SampleShares::inlined);
        add("inlinedDeep", 1.5, SampleShares::inlinedDeep);
        add("manyKinds", 1, SampleShares::manyKinds);
        add("recursive", 2, SampleShares::recursive);
        add("recursiveItself", 1, SampleShares::recursiveItself);
        add("mutual", 1, SampleShares::mutual);
        add("lambdas", 1.5, SampleShares::lambdas);
        add("streams", 2, SampleShares::streams);
        add("exceptions", 1, SampleShares::exceptions);
        add("reflection", 1, SampleShares::reflection);
        add("locked", 0.5, SampleShares::locked);
        add("interpreted", 3, SampleShares::interpreted);
        add("interpretedCalls", 2, SampleShares::interpretedCalls);
        add("deflate", 2, SampleShares::deflate);
        add("read", 2, SampleShares::read);
        add("write", 2, SampleShares::write);
        add("calls", 1, SampleShares::calls);
        add("checksum", 1, SampleShares::checksum);
        add("copies", 1.5, SampleShares::copies);
        add("search", 2, SampleShares::search);
        add("compare", 1, SampleShares::compare);
        add("digest", 1, SampleShares::digest);
        add("multiply", 1, SampleShares::multiply);
        add("sines", 1, SampleShares::sines);
        add("sort", 1, SampleShares::sort);
        add("maps", 1, SampleShares::maps);
        add("texts", 1, SampleShares::texts);
        add("arrays", 1, SampleShares::arrays);
        if (Runtime.version().feature() >= 21)
            add("virtual", 3, SampleShares::virtual);

        Random random = new Random(2);
        long end = Long.parseLong(arguments[0]) * 1000000, all = 0;
        while (all < end) {
            Part part = parts.get(random.nextInt(parts.size()));
            double factor = 0.5 + random.nextDouble();
            long used = slice(part);
            part.used(used, factor);
            all += used;
        }
        for (Part part : parts)
            System.out.println(part.name + " " + part.used);
    }
}

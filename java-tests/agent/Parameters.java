// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
import java.io.BufferedReader;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.function.IntSupplier;

/**
 * Calls methods with values, and counts for itself: calls, bytes of arrays that are made, bytes of files that are read, by what is
 * read and the value. It does what its standard input says, a line at a time, and answers with lines and "done":
 *
 *   exact        "WHAT VALUE CALLS ALLOCATED READ", where VALUE is a string of JSON, or null
 *   quit         it ends with the status 7
 */
final class Parameters {
    static final int TIMES = 30, THREADS = 64, VIRTUAL = 1000, HEADER = 16;
    static final byte[] buffer = new byte[512];
    static volatile Object sink;

    private static final TreeMap<String, long[]> counted = new TreeMap<>();

    static synchronized void count(String what, String value, long calls, long allocated, long read) {
        long[] row = counted.computeIfAbsent(what + " " + json(value), key -> new long[3]);
        row[0] += calls;
        row[1] += allocated;
        row[2] += read;
    }

    static String json(String text) {
        if (text == null) {
            return "null";
        }
        StringBuilder json = new StringBuilder("\"");
        for (char c : text.toCharArray()) {
            json.append(c > ' ' && c < 127 && c != '"' && c != '\\' ? String.valueOf(c) : String.format("\\u%04x", (int) c));
        }
        return json.append('"').toString();
    }

    /** What an array of so many bytes takes. */
    static long size(int bytes) {
        return (HEADER + bytes + 7) / 8 * 8;
    }

    // --- methods whose values are told ---

    enum Color {
        RED,
        GREEN {
            @Override
            int weight() {
                return 2;
            }
        };

        int weight() {
            return 1;
        }
    }

    interface Titled {
        String text();

        default String title() {
            return text();
        }
    }

    static class Base {
        private final String secret;
        final long number;
        static String shared = "shared";
        final Color color = Color.GREEN;

        Base(String secret, long number) {
            this.secret = secret;
            this.number = number;
        }

        String inherited() {
            return secret;
        }

        private String hidden() {
            return secret;
        }
    }

    static class Item extends Base implements Titled {
        final Base inner;
        private final char letter = 'x';

        Item(String secret, long number, Base inner) {
            super(secret, number);
            this.inner = inner;
        }

        @Override
        public String text() {
            return inherited();
        }

        Base getInner() {
            return inner;
        }

        void self(int bytes) {
            sink = new byte[bytes];
        }

        class Part {
            Part(String name, int bytes) {
                sink = new byte[bytes];
            }
        }
    }

    /** What is of a class below is told by the name of the interface. */
    interface Finder {
        String find(int depth, String name);
    }

    static final class Finds implements Finder {
        @Override
        public String find(int depth, String name) {
            if (depth > 0) {
                find(depth - 1, name + depth);
            }
            return name;
        }
    }

    static class Inherits {
        public String find(int depth, String name) {
            return name;
        }
    }

    static final class Inherited extends Inherits implements Finder {
    }

    static void typeZ(boolean value) {
        sink = new byte[8];
    }

    static void typeB(byte value) {
        sink = new byte[8];
    }

    static void typeC(char value) {
        sink = new byte[8];
    }

    static void typeS(short value) {
        sink = new byte[8];
    }

    static void typeI(int value) {
        sink = new byte[8];
    }

    static void typeJ(long value) {
        sink = new byte[8];
    }

    static void typeF(float value) {
        sink = new byte[8];
    }

    static void typeD(double value) {
        sink = new byte[8];
    }

    static void object(Object value) {
        sink = new byte[8];
    }

    static void item(long before, Item item, double after, int bytes) {
        sink = new byte[bytes];
    }

    static void shared(int bytes, String name) {
        sink = new byte[bytes];
    }

    static int reads(InputStream from, String name, int bytes) throws IOException {
        return from.read(buffer, 0, bytes);
    }

    static void outer(String name, int bytes) {
        middle(name, bytes);
    }

    static void middle(String name, int bytes) {
        thrower(name, bytes);
    }

    static final RuntimeException thrown = new IllegalStateException("known");

    static void thrower(String name, int bytes) {
        sink = new byte[bytes];
        throw thrown;
    }

    static String result(int number, String[] names) {
        sink = new byte[number];
        return names[number];
    }

    static double half(double number) {
        return number / 2;
    }

    static int lambda(IntSupplier supplier, int bytes) {
        sink = new byte[bytes];
        return supplier.getAsInt();
    }

    static void waits(String name) {
        Thread.yield();
    }

    // --- calls ---

    static void types() {
        for (boolean value : new boolean[] {false, true}) {
            count("typeZ(0)", String.valueOf(value), 1, 24, 0);
            typeZ(value);
        }
        for (byte value : new byte[] {Byte.MIN_VALUE, -1, 0, Byte.MAX_VALUE}) {
            count("typeB(0)", String.valueOf(value), 1, 24, 0);
            typeB(value);
        }
        for (char value : new char[] {'\0', '\u001b', 'a', '\u00e9', '\u20ac', '\uffff', '\ud800', '\udfff'}) {
            // Profiles have a blank for a zero, and for half a character what is none.
            String text = value == 0 ? " " : Character.isSurrogate(value) ? "\ufffd" : String.valueOf(value);
            count("typeC(0)", text, 1, 24, 0);
            typeC(value);
        }
        for (short value : new short[] {Short.MIN_VALUE, 0, Short.MAX_VALUE}) {
            count("typeS(0)", String.valueOf(value), 1, 24, 0);
            typeS(value);
        }
        for (int value : new int[] {Integer.MIN_VALUE, -1, 0, Integer.MAX_VALUE}) {
            count("typeI(0)", String.valueOf(value), 1, 24, 0);
            typeI(value);
        }
        for (long value : new long[] {Long.MIN_VALUE, -1, 0, 1L << 32, Long.MAX_VALUE}) {
            count("typeJ(0)", String.valueOf(value), 1, 24, 0);
            typeJ(value);
        }
        for (float value : new float[] {0, -0f, 0.1f, 1, -2.5f, 1e10f, 3.4e-5f, Float.MAX_VALUE, Float.NaN,
                Float.intBitsToFloat(0xffc00001), Float.POSITIVE_INFINITY, Float.NEGATIVE_INFINITY}) {
            count("typeF(0)", String.valueOf(value), 1, 24, 0);
            typeF(value);
            count("object(0)", String.valueOf(value), 1, 24, 0);
            object(value);
        }
        for (double value : new double[] {0, -0d, 0.1, 1, -2.5, 1e-3, 9999999, 1e7, 1.5e300, Double.MIN_VALUE, Double.MAX_VALUE,
                Double.NaN, Double.longBitsToDouble(0xfff8000000000001L), Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY}) {
            count("typeD(0)", String.valueOf(value), 1, 24, 0);
            typeD(value);
        }
    }

    static void tells(Object value, String text) {
        count("object(0)", text, 1, 24, 0);
        object(value);
    }

    record Point(int x, int y) {
    }

    static void objects() {
        tells("text", "text");
        tells("", "");
        tells(null, null);
        tells(Integer.MIN_VALUE, "-2147483648");
        tells(Long.MAX_VALUE, "9223372036854775807");
        tells((short) -3, "-3");
        tells((byte) 4, "4");
        tells('\u20ac', "\u20ac");
        tells(true, "true");
        tells(0.1, "0.1");
        tells(Color.RED, "RED");
        tells(Color.GREEN, "GREEN");
        tells(String.class, "java.lang.String");
        tells(int[].class, "int[]");
        tells(new int[3], "int[3]");
        tells(new String[2][5], "java.lang.String[2][]");
        tells(new Point(1, 2), "Parameters$Point");
        tells(new Base("x", 1), "Parameters$Base");
        tells(new StringBuilder("no string"), "java.lang.StringBuilder");
    }

    static void items() {
        for (int i = 0; i < TIMES; i++) {
            Base inner = new Base("inner " + i % 3, i);
            Item item = i % 10 == 9 ? null : new Item("name " + i % 4, i % 5 - 2L, i % 6 == 0 ? null : inner);
            int bytes = 100 + i;
            long size = size(bytes);

            for (String what : new String[] {"secret", "inherited()", "hidden()", "title()"}) {
                count("item(1." + what + ")", item == null ? null : "name " + i % 4, 1, size, 0);
            }
            count("item(1.number)", item == null ? null : String.valueOf(i % 5 - 2), 1, size, 0);
            String within = item == null || item.inner == null ? null : "inner " + i % 3;
            count("item(1.inner.secret)", within, 1, size, 0);
            count("item(0_1.getInner().inherited())", i + " " + within, 1, size, 0);
            item(i, item, i, bytes);
            if (item != null) {
                count("Item.self(this.secret)", "name " + i % 4, 1, size, 0);
                count("Item.self(this.shared)", "shared", 1, size, 0);
                count("Item.self(this.letter)", "x", 1, size, 0);
                count("Item.self(this.color)", "GREEN", 1, size, 0);
                item.self(bytes);
                count("Item$Part.<init>(1)", "part " + i % 2, 1, size, 0);
                String part = "part " + i % 2;
                item.new Part(part, bytes);
            }
        }
    }

    static void recursion() {
        for (int i = 0; i < TIMES; i++) {
            count("recursion(0)", "twice", 3, 3 * size(40), 0);
            recursion("twice", 2, 40);
            // Within calls with one value what calls with the other use is both's.
            count("turns(0)", "first", 2, 4 * size(40), 0);
            count("turns(0)", "second", 2, 3 * size(40), 0);
            turns("first", "second", 3, 40);
        }
    }

    static void recursion(String name, int depth, int bytes) {
        sink = new byte[bytes];
        if (depth > 0) {
            recursion(name, depth - 1, bytes);
        }
    }

    static void turns(String name, String next, int depth, int bytes) {
        sink = new byte[bytes];
        if (depth > 0) {
            turns(next, name, depth - 1, bytes);
        }
    }

    static void exceptions() {
        for (int i = 0; i < TIMES; i++) {
            String name = "thrown " + i % 3;
            for (String what : new String[] {"outer(0)", "middle(0)", "thrower(0)"}) {
                count(what, name, 1, size(200), 0);
            }
            try {
                outer(name, 200);
                throw new AssertionError();
            } catch (IllegalStateException expected) {
                count("shared(1)", "behind", 1, size(16), 0);
                shared(16, "behind");
            }
        }
    }

    static void results() {
        String[] names = {"zero", "one", null, "three"};
        Finder finds = new Finds(), inherited = new Inherited();
        Inherits none = new Inherits();

        for (int i = 0; i < TIMES; i++) {
            count("result(result)", names[i % 4], 1, 0, 0);
            result(i % 4, names);
            count("half(result)", String.valueOf(i / 2.0), 1, 0, 0);
            half(i);
            count("Finder.find(1)", "a", 1, 0, 0);
            count("Finder.find(1)", "a2", 1, 0, 0);
            count("Finder.find(1)", "a21", 1, 0, 0);
            count("Finder.find(result)", "a", 1, 0, 0);
            count("Finder.find(result)", "a2", 1, 0, 0);
            count("Finder.find(result)", "a21", 1, 0, 0);
            finds.find(2, "a");
            count("Finder.find(1)", "inherited", 1, 0, 0);
            inherited.find(0, "inherited");
            none.find(0, "of another class");
        }
    }

    static void lambdas() {
        int captured = sink == null ? 1 : 2;

        for (int i = 0; i < TIMES; i++) {
            lambda(() -> captured, 32);
        }
        count("lambda(1)", "32", TIMES, TIMES * size(32), 0);
    }

    static void io() throws IOException {
        java.nio.file.Path file = java.nio.file.Files.createTempFile("parameters", ".bin");

        java.nio.file.Files.write(file, new byte[100_000]);
        try (InputStream in = new FileInputStream(file.toFile())) {
            for (int i = 0; i < 10 * TIMES; i++) {
                int bytes = 1 + i % 250;
                count("reads(1)", "reader " + i % 5, 1, 0, bytes);
                if (reads(in, "reader " + i % 5, bytes) != bytes) {
                    throw new AssertionError();
                }
            }
        }
        java.nio.file.Files.delete(file);
    }

    static void threads() throws InterruptedException {
        List<Thread> threads = new ArrayList<>();

        for (int t = 0; t < THREADS; t++) {
            int first = t;
            threads.add(new Thread(() -> {
                for (int i = first; i < first + 10 * TIMES; i++) {
                    String name = "thread " + i % 7;
                    count("shared(1)", name, 1, size(i), 0);
                    shared(i, name);
                }
            }));
        }
        for (Thread thread : threads) {
            thread.start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
    }

    static void virtualThreads() throws ReflectiveOperationException, InterruptedException {
        List<Thread> threads = new ArrayList<>();

        if (Runtime.version().feature() < 21) {
            return;
        }
        for (int t = 0; t < VIRTUAL; t++) {
            int first = t;
            Runnable work = () -> {
                for (int i = first; i < first + TIMES; i++) {
                    String name = "virtual " + i % 11;
                    count("waits(0)", name, 1, 0, 0);
                    waits(name);
                }
            };
            threads.add((Thread) Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, work));
        }
        for (Thread thread : threads) {
            thread.join();
        }
    }

    static void named() throws ReflectiveOperationException {
        for (String type : new String[] {"Named", "Nameless"}) {
            Class<?> named = Class.forName(type);
            for (int i = 0; i < TIMES; i++) {
                String who = "who " + i % 3;
                if (type.equals("Named")) {
                    count("Named.call(who)", who, 1, 0, 0);
                }
                named.getMethod("call", long.class, String.class).invoke(null, 1L, who);
            }
        }
    }

    static void exact() throws Exception {
        counted.clear();
        types();
        objects();
        items();
        recursion();
        exceptions();
        results();
        lambdas();
        io();
        threads();
        virtualThreads();
        named();
        counted.forEach((key, row) -> System.out.println(key + " " + row[0] + " " + row[1] + " " + row[2]));
    }

    public static void main(String[] arguments) throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));

        for (String line = in.readLine(); !line.equals("quit"); line = in.readLine()) {
            if (line.equals("exact")) {
                exact();
            }
            System.out.println("done");
        }
        System.exit(7);
    }
}

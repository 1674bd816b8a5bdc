// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
import java.lang.reflect.Array;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/**
 * Throws in each of its ways, on platform threads and, where there are such, virtual ones, and counts itself what it catches. For
 * each way it prints: exception, method that throws, method that catches, times, how often the object had been thrown
 * before, and whether it was made with a stack.
 *
 *   Thrown TIMES [wait]     wait: a line has to come on its standard input before it begins
 */
final class Thrown {
    static final class Own extends RuntimeException {
        private static final long serialVersionUID = 1;

        Own() {
            this("own");
        }

        Own(String text) {
            super(text);
        }
    }

    static final class Bare extends RuntimeException {
        private static final long serialVersionUID = 1;

        Bare() {
            super("bare", null, false, false);
        }
    }

    static final class Resource implements AutoCloseable {
        @Override
        public void close() {
            throw new IllegalStateException("close");
        }
    }

    private static final TreeMap<String, Integer> seen = new TreeMap<>();

    private static void count(String... row) {
        synchronized (seen) {
            seen.merge(String.join(" ", row), 1, Integer::sum);
        }
    }

    static void thrower() {
        throw new Own();
    }

    static void between() {
        thrower();
    }

    static void catches() {
        try {
            between();
        } catch (Own e) {
            count("Thrown$Own", "thrower", "catches", "0", "stack");
        }
    }

    static void passes() {
        try {
            between();
        } finally {
            count("Thrown$Own", "thrower", "passes", "0", "stack");
        }
    }

    static void catchesPassed() {
        try {
            passes();
        } catch (Own e) {
            count("Thrown$Own", "passes", "catchesPassed", "1", "-");
        }
    }

    static void again() {
        try {
            between();
        } catch (Own e) {
            count("Thrown$Own", "thrower", "again", "0", "stack");
            throw e;
        }
    }

    static void catchesAgain() {
        try {
            again();
        } catch (Own e) {
            count("Thrown$Own", "again", "catchesAgain", "1", "-");
        }
    }

    static void suppressed() {
        try (Resource resource = new Resource()) {
            thrower();
        } catch (Own e) {
            if (e.getSuppressed().length == 1) {
                count("Thrown$Own", "thrower", "suppressed", "0", "stack");
                count("java.lang.IllegalStateException", "close", "suppressed", "0", "stack");
                count("Thrown$Own", "suppressed", "suppressed", "1", "-");
            }
        }
    }

    static void bare() {
        try {
            throw new Bare();
        } catch (Bare e) {
            count("Thrown$Bare", "bare", "bare", "0", "-");
        }
    }

    static int ofNull(Object[] array) {
        try {
            return array[0].hashCode();
        } catch (NullPointerException e) {
            count("java.lang.NullPointerException", "ofNull", "ofNull", "0", "stack");
            return 0;
        }
    }

    static int outOf(int[] array, int index) {
        return array[index];
    }

    static void catchesBounds() {
        try {
            outOf(new int[1], 2);
        } catch (ArrayIndexOutOfBoundsException e) {
            count("java.lang.ArrayIndexOutOfBoundsException", "outOf", "catchesBounds", "0",
                    "stack");
        }
    }

    static void cast(Object object) {
        try {
            ((String) object).length();
        } catch (ClassCastException e) {
            count("java.lang.ClassCastException", "cast", "cast", "0", "stack");
        }
    }

    static int divide(int by) {
        try {
            return 1 / by;
        } catch (ArithmeticException e) {
            count("java.lang.ArithmeticException", "divide", "divide", "0", "stack");
            return 0;
        }
    }

    /** A native method throws: the JVM tells of it where Java gets to see it. */
    static void nativeOne() {
        try {
            Array.getLength("no array");
        } catch (IllegalArgumentException e) {
            count("java.lang.IllegalArgumentException", "nativeOne", "nativeOne", "0", "native");
        }
    }

    static void overflow() {
        overflow();
    }

    static void all() {
        catches();
        catchesPassed();
        catchesAgain();
        suppressed();
        bare();
        ofNull(new Object[1]);
        catchesBounds();
        cast(1);
        divide(0);
        nativeOne();
    }

    private static Thread virtual(Runnable work) throws Exception {
        try {
            return (Thread) Thread.class.getMethod("startVirtualThread", Runnable.class)
                    .invoke(null, work);
        } catch (NoSuchMethodException e) {
            return null;
        }
    }

    public static void main(String[] args) throws Exception {
        int times = Integer.parseInt(args[0]);
        List<Thread> threads = new ArrayList<>();
        Runnable work = () -> {
            for (int i = 0; i < times; i++)
                all();
        };

        if (args.length > 1) {
            System.out.println("waits");
            System.in.read();
        }
        for (int i = 0; i < 3; i++) {
            threads.add(new Thread(work, "platform-" + i));
            threads.get(threads.size() - 1).start();
            Thread light = virtual(work);
            if (light != null)
                threads.add(light);
        }
        Thread last = new Thread(Thrown::thrower, "last");
        last.setUncaughtExceptionHandler((thread, e) -> count("Thrown$Own", "thrower", "-", "0",
                "stack"));
        threads.add(last);
        last.start();
        for (Thread thread : threads)
            thread.join();
        try {
            overflow();
        } catch (StackOverflowError e) {
            System.out.println("overflow");
        }
        seen.forEach((row, number) -> System.out.println("row " + row + " " + number));
    }
}

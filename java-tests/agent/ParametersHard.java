// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.lang.instrument.ClassDefinition;
import java.lang.instrument.Instrumentation;
import java.lang.ref.WeakReference;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/**
 * Calls methods with values that are hard on who reads them. It does what its standard input says, a line at a time, and answers
 * with lines and "done":
 *
 *   many N     N calls of many with as many values, on four threads
 *   texts      calls of text with strings that hurt
 *   bad        calls with objects whose getters do what they should not; it prints how its calls ended
 *   work N     N calls of take and text
 *   hold       a thread calls take with an object whose getter does not return
 *   release    until then
 *   quit       it ends with the status 7
 *
 * As an agent of Java it redefines its own classes while it runs.
 */
public final class ParametersHard {
    static final String SECRET = "s3cr3t";
    static volatile Object sink;
    static Instrumentation instrumentation;

    public static void premain(String arguments, Instrumentation given) {
        instrumentation = given;
    }

    // --- methods whose values are told ---

    static void many(String value, int group) {
        sink = new byte[16];
    }

    static void text(String value) {
        sink = value;
    }

    static int taken;

    static void take(Object value) {
        taken++;
    }

    static void inner(String value) {
        taken++;
    }

    static int deep(Object value, int depth) {
        return 1 + deep(value, depth + 1);
    }

    /** Each call inside the one before, with a tag of its own. */
    static void nest(int level, int levels) {
        taken++;
        if (level + 1 < levels) {
            nest(level + 1, levels);
        }
        taken++;
    }

    public interface Named {
        String name() throws Exception;
    }

    static class Built {
        final String name;

        Built(String name) {
            this.name = name;
        }
    }

    /** Loaded when it is first asked for. */
    static final class Late {
        static final String VALUE;

        static {
            VALUE = "late";
            inner("of an initializer");
        }

        @Override
        public String toString() {
            return VALUE;
        }
    }

    static final Object lock = new Object();

    static final class Checked implements Named {
        @Override
        public String name() throws IOException {
            throw new IOException("checked");
        }
    }

    static final class Fails implements Named {
        @Override
        public String name() {
            throw new Error("an error");
        }
    }

    static final class Overflows implements Named {
        @Override
        public String name() {
            return name() + "x";
        }
    }

    static final class Sleeps implements Named {
        @Override
        public String name() throws InterruptedException {
            Thread.sleep(2);
            return "slept";
        }
    }

    static final class Locks implements Named {
        @Override
        public String name() {
            synchronized (lock) {
                return "locked";
            }
        }
    }

    static final class Nested implements Named {
        @Override
        public String name() {
            inner("nested");
            take(new Checked());
            return "outer";
        }
    }

    static final class Loads implements Named {
        @Override
        public String name() {
            return new Late().toString();
        }
    }

    static final class Changes implements Named {
        private int changes;

        @Override
        public String name() {
            return "change " + changes++ % 2;
        }
    }

    static final class Interrupts implements Named {
        @Override
        public String name() {
            Thread.currentThread().interrupt();
            return "interrupted";
        }
    }

    static final CountDownLatch held = new CountDownLatch(1), heldNow = new CountDownLatch(1);

    static final class Holds implements Named {
        @Override
        public String name() throws InterruptedException {
            heldNow.countDown();
            held.await();
            return "held " + SECRET;
        }
    }

    static final class Silent {
        @Override
        public String toString() {
            throw new IllegalStateException("toString is called");
        }

        @Override
        public int hashCode() {
            throw new IllegalStateException("hashCode is called");
        }
    }

    // --- calls ---

    static void manyCalls(int count) throws InterruptedException {
        Thread[] threads = new Thread[4];

        for (int t = 0; t < threads.length; t++) {
            int first = t;
            threads[t] = new Thread(() -> {
                for (int i = first; i < count; i += threads.length) {
                    String value = "value " + i;
                    many(value, i % 10);
                }
            });
            threads[t].start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
    }

    static void texts() {
        String text = SECRET;
        String number = "7331733173317331";

        String[] values = {"", " ", "\0", "a\0b", "\ud800", "\udfff\ud800", "x\udbff", "\ud83d\ude00", "\u001b[31mred\u001b[0m",
                "\u001b]0;title\u0007", "\u202eright to left", "\r\n\t\b\f\u007f\u009b1m", "\u2028\u2029", "\"quotes\" and \\", "{\"json\": [1,",
                "<script>alert(1)</script>", "</table>&amp;<!--", "=cmd|'/C calc'!A0", "a,b;c\td", "%s%n%d", "\uffff\ufffe\ufeff", "x".repeat(1 << 20),
                "\u20ac".repeat(1 << 20), "x" + "\u20ac".repeat(4095 / 3) + "\u20ac", "null", "(null)", "(others)",
                "select * from t where a = '" + text + "'", "select '" + text + "''" + text + "' from t", "SELECT \"" + text + "\"",
                "insert into t values (" + number + ", 0x" + number + ", " + number + "." + number + ", 1e" + number + ")",
                "update t set a = N'" + text + "', b = X'" + number + "', c = E'\\'" + text + "', d = q'[" + text + "]'",
                "select $$" + text + "$$, $tag$" + text + "$tag$", "select 1 -- " + text, "select /* " + text + " */ 1", "select 1 # " + text,
                "select {ts '" + text + "'}, date '" + text + "'", "select 'open " + text, "select /* open " + text,
                "call p('" + text + "', -" + number + ")", "  \n select '" + text + "'", "/* x */ select '" + text + "'",
                "(select '" + text + "')", "with a as (select '" + text + "') select 1", "select '" + "x".repeat(1 << 20) + text + "'",
                "select " + "a, ".repeat(2000) + "'" + text + "'", "merge into t using (values ('" + text + "')) s on 1 = " + number,
                "select `a`'" + text + "' from t"};
        for (String value : values) {
            text(value);
        }
        say(String.valueOf(values.length));
    }

    static void say(String what) {
        System.out.println(what);
    }

    static Object proxy(String answer) {
        return Proxy.newProxyInstance(ParametersHard.class.getClassLoader(), new Class<?>[] {Named.class}, (self, method, arguments) -> {
            if (answer == null) {
                throw new IllegalStateException("a proxy");
            }
            return answer;
        });
    }

    static void bad() throws Exception {
        Object[] values = {null, new Checked(), new Fails(), new Overflows(), new Sleeps(), new Locks(), new Nested(), new Loads(), new Changes(),
                new Interrupts(), new Silent(), new Object(), proxy("proxied"), proxy(null), "text", (Named) () -> "a lambda"};

        taken = 0;
        for (int i = 0; i < 20; i++) {
            for (Object value : values) {
                synchronized (lock) {
                    take(value);
                }
                // The getter's own doing.
                Thread.interrupted();
            }
        }
        say("taken " + (taken >= 20 * values.length));
        Built built = new Built("name");
        say(built.name);
        for (Object value : new Object[] {"text", new Checked(), new Locks(), new Nested()}) {
            overflow(value);
        }
        say("interrupted " + Thread.currentThread().isInterrupted());
        say("unloaded " + (unloaded(12) >= 10));
        redefined(values);
    }

    /** In a thread with a small stack of its own. */
    static void overflow(Object value) throws InterruptedException {
        Thread thread = new Thread(null, () -> {
            try {
                deep(value, 0);
                say("no overflow");
            } catch (StackOverflowError expected) {
                say("overflow");
            }
        }, "deep", 256 << 10);
        thread.start();
        thread.join();
    }

    static byte[] bytes(Class<?> type) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();

        try (InputStream in = type.getResourceAsStream(type.getName() + ".class")) {
            in.transferTo(bytes);
        }
        return bytes.toByteArray();
    }

    static final class Loader extends ClassLoader {
        Class<?> define(byte[] bytes) {
            return defineClass(null, bytes, 0, bytes.length);
        }
    }

    /** What is told of a class's objects does not keep it. */
    static int unloaded(int times) throws Exception {
        List<WeakReference<Class<?>>> classes = new ArrayList<>();
        byte[] bytes = bytes(Sleeps.class);

        for (int i = 0; i < times; i++) {
            Class<?> type = new Loader().define(bytes);
            java.lang.reflect.Constructor<?> constructor = type.getDeclaredConstructor();

            constructor.setAccessible(true);
            take(constructor.newInstance());
            classes.add(new WeakReference<>(type));
        }
        int gone = 0;
        for (int i = 0; i < 50 && gone < times - 1; i++) {
            System.gc();
            Thread.sleep(5);
            gone = (int) classes.stream().filter(type -> type.get() == null).count();
        }
        return gone;
    }

    /** Classes of this program become what they are, again and again, while others call their methods. */
    static void redefined(Object[] values) throws Exception {
        if (instrumentation == null) {
            return;
        }
        Thread thread = new Thread(() -> {
            for (int i = 0; i < 300; i++) {
                take(values[1 + i % 3]);
                take(values[8]);
                inner("while it is redefined");
            }
        });
        thread.start();
        while (thread.isAlive()) {
            for (Class<?> type : new Class<?>[] {Changes.class, Checked.class, ParametersHard.class}) {
                instrumentation.redefineClasses(new ClassDefinition(type, bytes(type)));
            }
        }
        thread.join();
        say("redefined");
    }

    static Thread holder;

    static void hold() throws InterruptedException {
        holder = new Thread(() -> take(new Holds()));
        holder.start();
        heldNow.await();
    }

    static void release() throws InterruptedException {
        held.countDown();
        holder.join();
    }

    static void work(int times) {
        Object[] values = {new Changes(), new Checked(), "text"};

        for (int i = 0; i < times; i++) {
            take(values[i % values.length]);
            text("work " + i % 100);
        }
    }

    public static void main(String[] arguments) throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));

        for (String line = in.readLine(); !line.equals("quit"); line = in.readLine()) {
            String[] words = line.split(" ");

            switch (words[0]) {
                case "many" -> manyCalls(Integer.parseInt(words[1]));
                case "texts" -> texts();
                case "bad" -> bad();
                case "nest" -> nest(0, Integer.parseInt(words[1]));
                case "hold" -> hold();
                case "release" -> release();
                case "work" -> work(Integer.parseInt(words[1]));
                default -> throw new IllegalArgumentException(line);
            }
            System.out.println("done");
        }
        System.exit(7);
    }
}

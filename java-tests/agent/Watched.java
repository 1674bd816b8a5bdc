// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;

/**
 * Methods that know how long each of their calls took, by two clocks: one inside of the call and one around it. What a
 * profiler says of it lies between the two. Told "run N FILE" it calls them and writes "METHOD FAILED INNER OUTER OWN", a line a
 * call: OWN is what the method did itself, at least. Told on the command line it does that once, and ends.
 */
public class Watched {
    record Call(String method, boolean failed, long inner, long outer, long own) {
    }

    static class Expected extends RuntimeException {
        Expected() {
            super(null, null, false, false);
        }
    }

    /** What a call says of itself, to who called it. */
    static class Inside {
        long inner, own;
    }

    static volatile long sink;
    static Queue<Call> calls = new ConcurrentLinkedQueue<>();

    static void spin(long ns) {
        for (long begin = System.nanoTime(); System.nanoTime() - begin < ns;)
            sink++;
    }

    static void leaf(long ns) {
        spin(ns);
    }

    static void middle(long ns) {
        leaf(ns / 2);
        leaf(ns / 2);
    }

    static void busy(long ns, int leaves, Inside inside) {
        long begin = System.nanoTime(), own = 0;
        for (int i = 0; i < leaves; i++)
            leaf(ns / leaves);
        middle(ns / 4);
        for (long from = System.nanoTime(); own < ns; own = System.nanoTime() - from)
            sink++;
        inside.own = own;
        inside.inner = System.nanoTime() - begin;
    }

    static void failing(long ns, Inside inside) {
        long begin = System.nanoTime();
        try {
            leaf(ns);
            throw new Expected();
        } finally {
            inside.inner = System.nanoTime() - begin;
        }
    }

    /** Each call is one, and is told of by itself. */
    static void recursive(int depth, long ns, Inside inside) {
        long begin = System.nanoTime(), own = 0;
        for (long from = System.nanoTime(); own < ns; own = System.nanoTime() - from)
            sink++;
        if (depth > 0) {
            Inside deeper = new Inside();
            long from = System.nanoTime();
            recursive(depth - 1, ns, deeper);
            calls.add(new Call("recursive", false, deeper.inner, System.nanoTime() - from, deeper.own));
        }
        inside.own = own;
        inside.inner = System.nanoTime() - begin;
    }

    static void parked(long ns, Inside inside) {
        long begin = System.nanoTime(), until = begin + ns;
        leaf(20_000);
        while (System.nanoTime() < until)
            LockSupport.parkNanos(until - System.nanoTime());
        leaf(20_000);
        inside.inner = System.nanoTime() - begin;
    }

    interface Body {
        void call(Inside inside);
    }

    static void call(String method, Body body) {
        Inside inside = new Inside();
        boolean failed = false;
        long begin = System.nanoTime();
        try {
            body.call(inside);
        } catch (Expected e) {
            failed = true;
        }
        calls.add(new Call(method, failed, inside.inner, System.nanoTime() - begin, inside.own));
    }

    static void callParked(int i) {
        call("parked", inside -> parked(300_000 + 40_000 * (i % 40), inside));
    }

    /** Calls of busy are of all lengths; the longest have other numbers of leaves than the others. */
    static void work(int n) {
        for (int i = 0; i < n; i++) {
            long ns = (long) (3_000 * Math.exp(4.0 * i / n));
            int leaves = 1 + i % 5;
            call("busy", inside -> busy(ns, leaves, inside));
            if (i % 10 == 0) {
                call("failing", inside -> failing(ns, inside));
                call("recursive", inside -> recursive(4, 4_000, inside));
                callParked(i);
            }
        }
    }

    static void virtual(int n) throws Exception {
        Method start;
        try {
            start = Thread.class.getMethod("startVirtualThread", Runnable.class);
        } catch (NoSuchMethodException e) {
            return;
        }
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < n; i++) {
            int number = i;
            threads.add((Thread) start.invoke(null, (Runnable) () -> callParked(number)));
        }
        for (Thread thread : threads)
            thread.join();
    }

    static void run(int n, String file) throws Exception {
        calls.clear();
        new Expected(); // loaded by now: what jprof does when a class is loaded is no part of a call
        Thread[] threads = new Thread[3];
        for (int t = 0; t < threads.length; t++) {
            threads[t] = new Thread(() -> work(n), "worker-" + (t == 0 ? "a" : "b"));
            threads[t].start();
        }
        for (Thread thread : threads)
            thread.join();
        virtual(n);
        try (PrintWriter out = new PrintWriter(file)) {
            for (Call call : calls)
                out.println(call.method + " " + call.failed + " " + call.inner + " " + call.outer + " " + call.own);
        }
    }

    public static void main(String[] words) throws Exception {
        if (words.length > 0) {
            run(Integer.parseInt(words[0]), words[1]);
            return;
        }
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        for (String line; (line = in.readLine()) != null && !line.equals("quit");) {
            String[] order = line.split(" ");
            run(Integer.parseInt(order[1]), order[2]);
            System.out.println("done");
        }
        System.exit(7);
    }
}

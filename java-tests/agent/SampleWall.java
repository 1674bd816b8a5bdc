// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors

import java.util.ArrayList;
import java.util.List;

/**
 * Threads that run, wait, or do both in turns, all for the same time by the clock: SampleWall MILLISECONDS.
 * Prints of each "THREAD NANOSECONDS WAITED", by the clock, and the part of it in which it waited.
 */
public class SampleWall {
    interface Work {
        void run() throws Exception;
    }

    static final ThreadLocal<Long> waited = ThreadLocal.withInitial(() -> 0L);
    static volatile long whole;

    static void running(long ns) {
        for (long end = System.nanoTime() + ns; System.nanoTime() < end;)
            for (int i = 0; i < 100; i++)
                whole += i;
    }

    static void waiting(long ns) throws Exception {
        long begin = System.nanoTime();
        Thread.sleep(ns / 1000000, (int) (ns % 1000000));
        waited.set(waited.get() + System.nanoTime() - begin);
    }

    /** A thread that does it again and again, until so much time is over. */
    static Thread thread(String name, long ns, Work work) {
        return new Thread(() -> {
            long begin = System.nanoTime();
            try {
                while (System.nanoTime() - begin < ns)
                    work.run();
            } catch (Exception failed) {
                throw new IllegalStateException(failed);
            }
            System.out.println(name + " " + (System.nanoTime() - begin) + " " + waited.get());
        }, name);
    }

    public static void main(String[] arguments) throws Exception {
        long ns = Long.parseLong(arguments[0]) * 1000000;
        List<Thread> all = new ArrayList<>();

        all.add(thread("wall-runs", ns, () -> running(ns)));
        all.add(thread("wall-waits", ns, () -> waiting(ns)));
        all.add(thread("wall-turns", ns, () -> {
            running(37000000);
            waiting(41000000);
        }));
        all.add(thread("wall-short-turns", ns, () -> {
            running(1300000);
            waiting(2900000);
        }));
        for (Thread thread : all)
            thread.start();
        for (Thread thread : all)
            thread.join();
    }
}

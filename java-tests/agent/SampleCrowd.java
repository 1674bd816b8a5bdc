// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.lang.reflect.Method;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Very many threads, all alive at the same time: SampleCrowd KIND THREADS ROUNDS. Each goes so many steps, waits
 * until all are there, goes the same steps back, and ends; each 64th goes 64 times as many. KIND: platform, virtual. Prints
 * how many there were, how many of them came back to where they began, and how many ns of processor time they
 * used, as Java tells it: in their own code, and in all since they were born.
 */
public class SampleCrowd {
    /** A step is (x ^ x >>> 32) * FACTOR + 1, modulo 2^64; FACTOR * INVERSE is 1. */
    static final long FACTOR = 6364136223846793005L, INVERSE = -4568919932995229531L;
    static final ThreadMXBean bean = ManagementFactory.getThreadMXBean();
    static final AtomicLong right = new AtomicLong(), own = new AtomicLong(), all = new AtomicLong();
    static CountDownLatch there;

    static long go(long x, int rounds) {
        for (int i = 0; i < rounds; i++)
            x = (x ^ x >>> 32) * FACTOR + 1;
        return x;
    }

    static long back(long x, int rounds) {
        for (int i = 0; i < rounds; i++) {
            x = (x - 1) * INVERSE;
            x ^= x >>> 32;
        }
        return x;
    }

    static void live(int number, int base, boolean measured) {
        long begin = measured ? bean.getCurrentThreadCpuTime() : 0;
        int rounds = number % 64 == 0 ? 64 * base : base;
        long x = go(number, rounds);

        there.countDown();
        try {
            there.await();
        } catch (InterruptedException never) {
            throw new IllegalStateException(never);
        }
        if (back(x, rounds) == number)
            right.incrementAndGet();
        if (measured) {
            long end = bean.getCurrentThreadCpuTime();

            own.addAndGet(end - begin);
            all.addAndGet(end);
        }
    }

    /** As many as the system has room for. */
    static int platform(Thread[] threads, int rounds) {
        int started = 0;

        try {
            for (; started < threads.length; started++) {
                int number = started;

                threads[number] = new Thread(null, () -> live(number, rounds, true), "crowd-" + number, 1 << 17);
                threads[number].start();
            }
        } catch (OutOfMemoryError full) {
            for (int i = started; i < threads.length; i++)
                there.countDown();
        }
        return started;
    }

    /** By reflection, as older releases have none. */
    static int virtual(Thread[] threads, int rounds) throws ReflectiveOperationException {
        Method start = Thread.class.getMethod("startVirtualThread", Runnable.class);

        for (int i = 0; i < threads.length; i++) {
            int number = i;

            threads[i] = (Thread) start.invoke(null, (Runnable) () -> live(number, rounds, false));
        }
        return threads.length;
    }

    /** What those used that carry virtual threads. */
    static long carriers() {
        long sum = 0;

        for (ThreadInfo info : bean.getThreadInfo(bean.getAllThreadIds()))
            if (info != null && info.getThreadName().startsWith("ForkJoinPool-1-worker"))
                sum += bean.getThreadCpuTime(info.getThreadId());
        return sum;
    }

    public static void main(String[] arguments) throws Exception {
        Thread[] threads = new Thread[Integer.parseInt(arguments[1])];
        int rounds = Integer.parseInt(arguments[2]);
        boolean virtual = arguments[0].equals("virtual");

        there = new CountDownLatch(threads.length);
        int started = virtual ? virtual(threads, rounds) : platform(threads, rounds);
        for (int i = 0; i < started; i++)
            threads[i].join();
        if (virtual) {
            own.set(carriers());
            all.set(own.get());
        }
        System.out.println(started + " " + right + " " + own + " " + all);
    }
}

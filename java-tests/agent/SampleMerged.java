// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors

import java.util.concurrent.atomic.AtomicLong;

/**
 * Some methods have probes, those in between have none: SampleMerged ROUNDS. Prints "NAME NUMBER", calls.
 *
 *   entry > middle > inner > leaf       entry, inner, again: with probes
 *   entry > leaf
 *   again > between > again > ... leaf  four times each
 */
public class SampleMerged {
    static volatile long whole;
    static volatile Object object;
    static final AtomicLong entries = new AtomicLong(), inners = new AtomicLong(),
            agains = new AtomicLong();

    static void leaf(int n) {
        long x = whole;
        for (int i = 0; i < n; i++)
            x = x * 31 + (x >>> 3) % 7;
        whole = x;
    }

    static void inner() {
        inners.incrementAndGet();
        leaf(20000);
        object = new byte[3000];
    }

    static void middle() {
        long x = whole;
        for (int i = 0; i < 20000; i++)
            x = x * 31 + (x >>> 3) % 7;
        whole = x;
        inner();
        inner();
        object = new long[500];
    }

    static void entry() {
        entries.incrementAndGet();
        middle();
        leaf(10000);
    }

    static void between(int depth) {
        leaf(3000);
        again(depth);
    }

    static void again(int depth) {
        agains.incrementAndGet();
        leaf(3000);
        if (depth > 0)
            between(depth - 1);
    }

    static void rounds(int rounds) {
        for (int i = 0; i < rounds; i++) {
            entry();
            again(3);
        }
    }

    public static void main(String[] arguments) throws InterruptedException {
        int rounds = Integer.parseInt(arguments[0]);
        Thread other = new Thread(() -> rounds(rounds), "other");

        other.start();
        rounds(rounds);
        other.join();
        System.out.println("entry " + entries + "\ninner " + inners + "\nagain " + agains);
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors

import java.io.IOException;

/** Walks ever new call paths until its standard input ends. */
public class SampleGrowing {
    static int state = 1;

    static void a(int depth) {
        on(depth);
    }

    static void b(int depth) {
        on(depth);
    }

    static void c(int depth) {
        on(depth);
    }

    static void d(int depth) {
        on(depth);
    }

    static void on(int depth) {
        if (depth == 0)
            return;
        state = state * 1664525 + 1013904223;
        switch (state >>> 30) {
        case 0:
            a(depth - 1);
            break;
        case 1:
            b(depth - 1);
            break;
        case 2:
            c(depth - 1);
            break;
        default:
            d(depth - 1);
        }
    }

    public static void main(String[] arguments) throws IOException {
        Thread walker = new Thread(() -> {
            for (;;)
                on(8);
        }, "walker");
        walker.setDaemon(true);
        walker.start();
        System.out.println("walking");
        System.in.read();
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Threads that run, that sleep, and that end at once, started in two methods. At its end it prints what the system says of each
 * that is left: "NAME running runnable voluntary", ns.
 */
final class Busy {
    private static volatile boolean ending;
    private static volatile int ready;
    private static volatile long work;

    private static void tell(String name) {
        try {
            String[] times = Files.readString(Path.of("/proc/thread-self/schedstat")).split(" ");
            System.out.println(name + " " + times[0].trim() + " " + times[1].trim());
        } catch (java.io.IOException e) {
            System.exit(8);
        }
    }

    private static void run() {
        while (!ending)
            work++;
        tell("runs");
    }

    private static void sleep() {
        try {
            while (!ending)
                Thread.sleep(5);
        } catch (InterruptedException e) {
            System.exit(8);
        }
        tell("sleeps");
    }

    private static List<Thread> startShort(int count) {
        List<Thread> threads = new ArrayList<>();

        for (int i = 0; i < count; i++) {
            Thread thread = new Thread(() -> ready++, "short");
            thread.start();
            threads.add(thread);
        }
        return threads;
    }

    private static Thread startLong(String name, Runnable runs) {
        Thread thread = new Thread(runs, name);
        thread.start();
        return thread;
    }

    public static void main(String[] args) throws Exception {
        Thread runs = startLong("runs", Busy::run), sleeps = startLong("sleeps", Busy::sleep);

        for (Thread thread : startShort(Integer.parseInt(args[0])))
            thread.join();
        Thread.sleep(1500);
        ending = true;
        runs.join();
        sleeps.join();
    }
}

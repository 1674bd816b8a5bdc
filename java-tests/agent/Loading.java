// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
import java.net.URL;
import java.net.URLClassLoader;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntSupplier;

/**
 * Loads the same classes by many loaders, of which some stay and the others go, on platform threads and, where there are such,
 * virtual ones.
 *
 *   Loading LOADERS [wait]     wait: a line has to come on its standard input before it begins
 */
final class Loading {
    /** Loaded by each loader, and initialised by every other one. */
    static final class Loaded {
        static final Object made = new Object();
        static final IntSupplier lambda = () -> 7;
    }

    /** Loaded by each loader, never linked. */
    static final class Bare {
    }

    private static final List<ClassLoader> kept = new ArrayList<>();
    private static volatile int made;

    private static void load(int i) throws Exception {
        URL[] from = {Loading.class.getProtectionDomain().getCodeSource().getLocation()};
        ClassLoader loader = new URLClassLoader("loader-" + i, from, null);

        Class<?> loaded = Class.forName("Loading$Loaded", i % 2 == 0, loader);
        Class.forName("Loading$Bare", false, loader);
        if (i % 2 == 0 && loaded.getClassLoader() == loader)
            made++;
        if (i % 4 == 0)
            synchronized (kept) {
                kept.add(loader);
            }
    }

    private static void loadAll(int first, int end) {
        try {
            for (int i = first; i < end; i++)
                load(i);
        } catch (Exception e) {
            e.printStackTrace();
            System.exit(8);
        }
    }

    private static Thread virtual(Runnable work) throws Exception {
        try {
            return (Thread) Thread.class.getMethod("startVirtualThread", Runnable.class)
                    .invoke(null, work);
        } catch (NoSuchMethodException e) {
            Thread thread = new Thread(work);
            thread.start();
            return thread;
        }
    }

    public static void main(String[] args) throws Exception {
        int loaders = Integer.parseInt(args[0]);

        if (args.length > 1) {
            System.out.println("waits");
            System.in.read();
        }
        Thread one = new Thread(() -> loadAll(0, loaders / 2), "one");
        one.start();
        Thread two = virtual(() -> loadAll(loaders / 2, loaders));
        one.join();
        two.join();
        /* Soft references of loaders and caches are what keeps classes longer. */
        for (int i = 0; i < 5; i++) {
            System.gc();
            Thread.sleep(50);
        }
        System.out.println("made " + made + " kept " + kept.size());
    }
}

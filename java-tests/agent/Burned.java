// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.lang.management.ManagementFactory;
import java.lang.reflect.Method;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * Methods that wait while other threads work: burn processor time and allocate. Each call knows what those threads used by their
 * own clocks, and what the whole process used from before the call until behind it, as the JVM tells. What a profiler says lies between the
 * two. Told "run N FILE" it calls them and writes "METHOD FAILED CPU-INNER CPU-OUTER ALLOC-INNER ALLOC-OUTER", a line a call. "begin" has
 * a call begin in a thread of its own, which "end" ends. Told on the command line it does a run, and ends.
 */
public class Burned {
    static final int WORKERS = 2;
    static final long BURN = 30_000_000; // ns, of each worker in each call
    static final int BYTES = 1 << 20; // in pieces of 1 KB

    static final com.sun.management.OperatingSystemMXBean system =
            (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    static final com.sun.management.ThreadMXBean threads =
            (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();

    record Call(String method, boolean failed, long cpuInner, long cpuOuter, long allocInner, long allocOuter) {
    }

    static class Expected extends RuntimeException {
        Expected() {
            super(null, null, false, false);
        }
    }

    /** What the workers used for one call. */
    static class Work {
        final CountDownLatch done = new CountDownLatch(WORKERS);
        long cpu, alloc;

        synchronized void add(long moreCpu, long moreAlloc) {
            cpu += moreCpu;
            alloc += moreAlloc;
        }
    }

    static final Queue<Call> calls = new ConcurrentLinkedQueue<>();
    static final LinkedBlockingQueue<Work> queue = new LinkedBlockingQueue<>();
    static volatile long sink;
    static volatile Object piece;

    static void burn(Work work) {
        long cpu = threads.getCurrentThreadCpuTime(), now;
        long alloc = threads.getThreadAllocatedBytes(Thread.currentThread().getId());
        for (int bytes = 0; bytes < BYTES; bytes += 1024)
            piece = new byte[1024];
        do {
            for (int i = 0; i < 1000; i++)
                sink++;
            now = threads.getCurrentThreadCpuTime();
        } while (now - cpu < BURN);
        work.add(now - cpu, threads.getThreadAllocatedBytes(Thread.currentThread().getId()) - alloc);
        work.done.countDown();
    }

    static void worker() {
        try {
            while (true)
                burn(queue.take());
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    static Work others() {
        Work work = new Work();
        for (int i = 0; i < WORKERS; i++)
            queue.add(work);
        try {
            work.done.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
        return work;
    }

    static long allocated() {
        long sum = 0;
        for (long bytes : threads.getThreadAllocatedBytes(threads.getAllThreadIds()))
            sum += bytes;
        return sum;
    }

    /** What the workers used in a call, and in those within it. */
    static class Inside {
        long cpu, alloc;

        void add(Work work) {
            cpu += work.cpu;
            alloc += work.alloc;
        }
    }

    static void waits(Inside inside) {
        inside.add(others());
    }

    static void fails(Inside inside) {
        inside.add(others());
        throw new Expected();
    }

    static void recursive(Inside inside, int depth) {
        inside.add(others());
        if (depth > 0) {
            Inside deeper = new Inside();
            call("recursive", deeper, () -> recursive(deeper, depth - 1));
            inside.cpu += deeper.cpu;
            inside.alloc += deeper.alloc;
        }
    }

    static void idle(Inside inside) throws InterruptedException {
        Thread.sleep(20);
    }

    static void virtual(Inside inside) {
        inside.add(others());
        inside.add(others());
    }

    static void held(CountDownLatch begun, CountDownLatch end) {
        begun.countDown();
        try {
            end.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    interface Body {
        void call() throws InterruptedException;
    }

    static void call(String method, Inside inside, Body body) {
        boolean failed = false;
        long alloc = allocated(), cpu = system.getProcessCpuTime();
        try {
            body.call();
        } catch (Expected e) {
            failed = true;
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
        cpu = system.getProcessCpuTime() - cpu;
        alloc = allocated() - alloc;
        calls.add(new Call(method, failed, inside.cpu, cpu, inside.alloc, alloc));
    }

    static void run(int n, String file) throws Exception {
        calls.clear();
        for (int i = 0; i < n; i++) {
            Inside waits = new Inside(), fails = new Inside(), recursive = new Inside(), idle = new Inside();
            call("waits", waits, () -> waits(waits));
            call("fails", fails, () -> fails(fails));
            call("idle", idle, () -> idle(idle));
            if (i % 2 == 0)
                call("recursive", recursive, () -> recursive(recursive, 2));
            runVirtual();
        }
        try (PrintWriter out = new PrintWriter(file)) {
            for (Call call : calls)
                out.println(call.method + " " + call.failed + " " + call.cpuInner + " " + call.cpuOuter + " "
                        + call.allocInner + " " + call.allocOuter);
        }
    }

    /** A virtual thread, which goes on wherever there is a carrier. */
    static void runVirtual() throws Exception {
        Method start;
        try {
            start = Thread.class.getMethod("startVirtualThread", Runnable.class);
        } catch (NoSuchMethodException e) {
            return;
        }
        Inside inside = new Inside();
        ((Thread) start.invoke(null, (Runnable) () -> call("virtual", inside, () -> virtual(inside)))).join();
    }

    static Thread start(String name, Runnable body) {
        Thread thread = new Thread(body, name);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    public static void main(String[] words) throws Exception {
        for (int i = 0; i < WORKERS; i++)
            start("worker-" + i, Burned::worker);
        if (words.length > 0) {
            run(Integer.parseInt(words[0]), words[1]);
            return;
        }
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        CountDownLatch begun = new CountDownLatch(1), end = new CountDownLatch(1);
        Thread holder = null;
        for (String line; (line = in.readLine()) != null && !line.equals("quit");) {
            String[] order = line.split(" ");
            if (order[0].equals("run")) {
                run(Integer.parseInt(order[1]), order[2]);
            } else if (order[0].equals("begin")) {
                holder = start("holder", () -> held(begun, end));
                begun.await();
            } else {
                end.countDown();
                holder.join();
            }
            System.out.println("done");
        }
        System.exit(7);
    }
}

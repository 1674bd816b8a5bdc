// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors

import java.io.FileInputStream;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import java.util.zip.Deflater;

/**
 * Two seconds of processor time in one state after the other: SampleStates MILLISECONDS STATE..., of
 * interpreted (the test has that method excluded from compilation), compiled, native, kernel. Or so
 * much time by the clock in one of the methods that wait: asleep, locked, notified, parked, receiving.
 * Prints "STATE NANOSECONDS", as it has measured it: of a method that waits, the time that the thread
 * was in it and used no processor. And "all NANOSECONDS": the processor time of the whole thread.
 */
public class SampleStates {
    static final ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    static final byte[] bytes = new byte[1 << 18], packed = new byte[1 << 18];
    static long whole;

    static void interpreted() {
        long x = whole;
        for (int i = 0; i < 100000; i++)
            x = x * 31 + (i ^ x >>> 3);
        whole = x;
    }

    static void compiled() {
        long x = whole;
        for (int i = 0; i < 3000000; i++)
            x = x * 31 + (i ^ x >>> 3);
        whole = x;
    }

    static void inNative(Deflater deflater) {
        deflater.reset();
        deflater.setInput(bytes);
        deflater.finish();
        while (!deflater.finished())
            whole += deflater.deflate(packed);
    }

    static void kernel(FileChannel zero, ByteBuffer buffer) throws Exception {
        for (int i = 0; i < 10; i++) {
            buffer.clear();
            whole += zero.read(buffer);
        }
    }

    // --- what waits ---

    interface Wait {
        void run() throws Exception;
    }

    /** Another thread does it, in so many milliseconds. */
    static void later(long milliseconds, Wait what) {
        new Thread(() -> {
            try {
                Thread.sleep(milliseconds);
                what.run();
            } catch (Exception failed) {
                throw new IllegalStateException(failed);
            }
        }).start();
    }

    static void asleep(long milliseconds) throws Exception {
        Thread.sleep(milliseconds);
    }

    static void locked(Object lock) {
        synchronized (lock) {
            whole++;
        }
    }

    /** Has another thread hold the lock meanwhile. */
    static void waitForLock(long milliseconds) throws Exception {
        Object lock = new Object();
        CountDownLatch held = new CountDownLatch(1);
        later(0, () -> {
            synchronized (lock) {
                held.countDown();
                Thread.sleep(milliseconds);
            }
        });
        held.await();
        timed("locked", () -> locked(lock));
    }

    static void notified(Object lock, boolean[] done) throws Exception {
        synchronized (lock) {
            while (!done[0])
                lock.wait();
        }
    }

    static void waitForNotification(long milliseconds) throws Exception {
        Object lock = new Object();
        boolean[] done = {false};
        later(milliseconds, () -> {
            synchronized (lock) {
                done[0] = true;
                lock.notify();
            }
        });
        timed("notified", () -> notified(lock, done));
    }

    static void parked(long end) {
        while (System.nanoTime() < end)
            LockSupport.parkNanos(end - System.nanoTime());
    }

    static void receiving(Socket socket) throws Exception {
        whole += socket.getInputStream().read();
    }

    static void waitForByte(long milliseconds) throws Exception {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                Socket socket = new Socket(server.getInetAddress(), server.getLocalPort());
                Socket other = server.accept()) {
            later(milliseconds, () -> other.getOutputStream().write(1));
            timed("receiving", () -> receiving(socket));
        }
    }

    static void timed(String name, Wait what) throws Exception {
        long begin = System.nanoTime(), used = threads.getCurrentThreadCpuTime();
        what.run();
        used = threads.getCurrentThreadCpuTime() - used;
        System.out.println(name + " " + (System.nanoTime() - begin - used));
    }

    /** Whether the state is one that waits: then it is done. */
    static boolean waits(String state, long milliseconds) throws Exception {
        switch (state) {
        case "asleep":
            timed(state, () -> asleep(milliseconds));
            return true;
        case "locked":
            waitForLock(milliseconds);
            return true;
        case "notified":
            waitForNotification(milliseconds);
            return true;
        case "parked":
            timed(state, () -> parked(System.nanoTime() + milliseconds * 1000000));
            return true;
        case "receiving":
            waitForByte(milliseconds);
            return true;
        default:
            return false;
        }
    }

    public static void main(String[] arguments) throws Exception {
        long wanted = Long.parseLong(arguments[0]) * 1000000;
        try (FileChannel zero = new FileInputStream("/dev/zero").getChannel()) {
            ByteBuffer buffer = ByteBuffer.allocateDirect(1 << 20);
            Deflater deflater = new Deflater(9);
            for (int i = 0; i < bytes.length; i++)
                bytes[i] = (byte) (i * i >>> 7 & 15);
            for (int i = 1; i < arguments.length; i++) {
                if (waits(arguments[i], wanted / 1000000))
                    continue;
                long begin = threads.getCurrentThreadCpuTime(), used = 0;
                for (; used < wanted; used = threads.getCurrentThreadCpuTime() - begin) {
                    switch (arguments[i]) {
                    case "interpreted":
                        interpreted();
                        break;
                    case "compiled":
                        compiled();
                        break;
                    case "native":
                        inNative(deflater);
                        break;
                    default:
                        kernel(zero, buffer);
                    }
                }
                System.out.println(arguments[i] + " " + used);
            }
            System.out.println("all " + threads.getCurrentThreadCpuTime());
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors

import java.io.FileInputStream;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.zip.Deflater;

/**
 * Two seconds of processor time in one state after the other: SampleStates MILLISECONDS STATE..., of
 * interpreted (the test has that method excluded from compilation), compiled, native, kernel. Prints
 * "STATE NANOSECONDS", as it has measured it.
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

    static void kernel(FileChannel zero, ByteBuffer buffer) throws IOException {
        for (int i = 0; i < 10; i++) {
            buffer.clear();
            whole += zero.read(buffer);
        }
    }

    public static void main(String[] arguments) throws IOException {
        long wanted = Long.parseLong(arguments[0]) * 1000000;
        try (FileChannel zero = new FileInputStream("/dev/zero").getChannel()) {
            ByteBuffer buffer = ByteBuffer.allocateDirect(1 << 20);
            Deflater deflater = new Deflater(9);
            for (int i = 0; i < bytes.length; i++)
                bytes[i] = (byte) (i * i >>> 7 & 15);
            for (int i = 1; i < arguments.length; i++) {
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
        }
    }
}

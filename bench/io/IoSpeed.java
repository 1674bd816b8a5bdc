// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors

import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * What an I/O operation takes: a byte at a time from /dev/zero, to /dev/null, where the kernel
 * has next to nothing to do. Each line: the operation, and the nanoseconds of one in the fastest
 * of many rounds of some milliseconds.
 */
public final class IoSpeed {
    private static final int ROUNDS = 150;

    interface Operations {
        void run(int count) throws IOException;
    }

    static void time(String name, int count, Operations operations) throws IOException {
        long best = Long.MAX_VALUE;
        for (int round = 0; round < ROUNDS; round++) {
            long begin = System.nanoTime();
            operations.run(count);
            best = Math.min(best, System.nanoTime() - begin);
        }
        System.out.printf("%s %.1f%n", name, (double) best / count);
    }

    static void read(FileInputStream in, int count) throws IOException {
        byte[] bytes = new byte[1];
        for (int i = 0; i < count; i++) {
            in.read(bytes);
        }
    }

    static void write(FileOutputStream out, int count) throws IOException {
        byte[] bytes = new byte[1];
        for (int i = 0; i < count; i++) {
            out.write(bytes);
        }
    }

    static void readChannel(FileChannel channel, int count) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocateDirect(1);
        for (int i = 0; i < count; i++) {
            buffer.clear();
            channel.read(buffer);
        }
    }

    static void openAndClose(int count) throws IOException {
        for (int i = 0; i < count; i++) {
            new FileInputStream("/dev/null").close();
        }
    }

    public static void main(String[] arguments) throws IOException {
        try (FileInputStream zero = new FileInputStream("/dev/zero");
                FileOutputStream none = new FileOutputStream("/dev/null");
                FileChannel channel =
                        FileChannel.open(Path.of("/dev/zero"), StandardOpenOption.READ)) {
            time("read", 20_000, count -> read(zero, count));
            time("write", 20_000, count -> write(none, count));
            time("channel", 20_000, count -> readChannel(channel, count));
            time("open+close", 5_000, IoSpeed::openAndClose);
        }
    }
}

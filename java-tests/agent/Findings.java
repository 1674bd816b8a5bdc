// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.Security;
import java.text.SimpleDateFormat;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipInputStream;
import java.util.zip.ZipOutputStream;

/**
 * A program with a known problem, and the same work without it: Findings FOLDER PROBLEM bad|good.
 */
public class Findings {
    interface Problem {
        void run(boolean bad) throws Exception;
    }

    static final int RECORDS = 400_000;
    static Path folder;
    static volatile long sink;

    // ---- I/O ----

    static void smallWrites(boolean bad) throws Exception {
        OutputStream file = new FileOutputStream(folder.resolve("ledger").toFile());

        try (OutputStream out = bad ? file : new BufferedOutputStream(file)) {
            for (int i = 0; i < RECORDS; i++)
                out.write("record\n".getBytes());
        }
    }

    static void smallReads(boolean bad) throws Exception {
        Path ledger = folder.resolve("ledger");

        Files.write(ledger, new byte[RECORDS]);
        InputStream file = new FileInputStream(ledger.toFile());
        try (InputStream in = bad ? file : new BufferedInputStream(file)) {
            for (int c; (c = in.read()) >= 0;)
                sink += c;
        }
    }

    static void reopenedFile(boolean bad) throws Exception {
        Path goods = folder.resolve("goods");

        Files.write(goods, new byte[1000]);
        byte[] kept = Files.readAllBytes(goods);
        for (int i = 0; i < 150_000; i++)
            sink += bad ? Files.readAllBytes(goods).length : kept.length;
    }

    static void writeArchive(Path archive, int entries) throws Exception {
        try (ZipOutputStream out = new ZipOutputStream(
                new BufferedOutputStream(new FileOutputStream(archive.toFile())))) {
            for (int i = 0; i < entries; i++) {
                out.putNextEntry(new ZipEntry("prices/" + i + ".csv"));
                out.write(("price of " + i).getBytes());
            }
        }
    }

    static void readEntry(ZipFile zip, String name) throws Exception {
        try (InputStream in = zip.getInputStream(zip.getEntry(name))) {
            sink += in.readAllBytes().length;
        }
    }

    static void reopenedArchive(boolean bad) throws Exception {
        Path archive = folder.resolve("goods.zip");

        writeArchive(archive, 20);
        if (bad) {
            for (int i = 0; i < 30_000; i++) {
                try (ZipFile zip = new ZipFile(archive.toFile())) {
                    readEntry(zip, "prices/7.csv");
                }
            }
            return;
        }
        try (ZipFile zip = new ZipFile(archive.toFile())) {
            for (int i = 0; i < 30_000; i++)
                readEntry(zip, "prices/7.csv");
        }
    }

    static void archiveEntries(boolean bad) throws Exception {
        Path archive = folder.resolve("goods.zip");

        writeArchive(archive, 3000);
        for (int round = 0; round < 60; round++) {
            if (bad) {
                try (ZipFile zip = new ZipFile(archive.toFile())) {
                    for (int i = 0; i < 3000; i++)
                        readEntry(zip, "prices/" + i + ".csv");
                }
                continue;
            }
            try (ZipInputStream zip = new ZipInputStream(
                    new BufferedInputStream(new FileInputStream(archive.toFile())))) {
                while (zip.getNextEntry() != null)
                    sink += zip.readAllBytes().length;
            }
        }
    }

    /** So long that a disk, and a file system in memory, both have something to do. */
    static void syncs(boolean bad) throws Exception {
        ByteBuffer record = ByteBuffer.wrap("record\n".getBytes());
        long end = System.nanoTime() + 1_000_000_000L;

        try (FileChannel out = FileChannel.open(folder.resolve("ledger"), StandardOpenOption.CREATE,
                StandardOpenOption.WRITE)) {
            while (System.nanoTime() < end) {
                record.rewind();
                out.write(record, 0);
                if (bad)
                    out.force(true);
            }
            out.force(true);
        }
    }

    static void hosts(boolean bad) throws Exception {
        Security.setProperty("networkaddress.cache.ttl", bad ? "0" : "-1");
        for (int i = 0; i < 60_000; i++)
            sink += InetAddress.getByName("localhost").getAddress().length;
    }

    // ---- methods that are dear ----

    static int parse(String text, boolean bad) {
        if (!bad)
            return text.isEmpty() ? 0 : text.charAt(0) - '0';
        try {
            return Integer.parseInt(text);
        } catch (NumberFormatException none) {
            return 0;
        }
    }

    static void exceptions(boolean bad) {
        for (int i = 0; i < 600_000; i++)
            sink += parse("x", bad);
    }

    /** Of the program's own: it is seen where calls are timed. */
    static class NoGoodsException extends Exception {
        private static final long serialVersionUID = 1;
    }

    static int find(int i, boolean bad) throws NoGoodsException {
        if (bad && i % 4 == 0)
            throw new NoGoodsException();
        return i;
    }

    static void exits(boolean bad) {
        for (int i = 0; i < 200_000; i++) {
            try {
                sink += find(i, bad);
            } catch (NoGoodsException none) {
                sink++;
            }
        }
    }

    static void regex(boolean bad) {
        Pattern pattern = Pattern.compile("[,;]");
        String line = "apple;1,banana;2,cherry;3";

        for (int i = 0; i < 3 * RECORDS; i++)
            sink += bad ? line.split("[,;]").length : pattern.split(line).length;
    }

    static void format(boolean bad) {
        for (int i = 0; i < 2 * RECORDS; i++)
            sink += bad ? String.format("%d: %s", i, "apple").length() : (i + ": apple").length();
    }

    static void formatObjects(boolean bad) {
        SimpleDateFormat kept = new SimpleDateFormat("yyyy-MM-dd");
        Date day = new Date(0);

        for (int i = 0; i < 100_000; i++)
            sink += (bad ? new SimpleDateFormat("yyyy-MM-dd") : kept).format(day).length();
    }

    static void intern(boolean bad) {
        for (int i = 0; i < 3_000_000; i++) {
            String name = "goods-" + i % 1000;

            sink += (bad ? name.intern() : name).length();
        }
    }

    /** Most of the time is here, not in the loop around it. */
    static boolean isSame(int[] goods, int at, int wanted) {
        int mixed = goods[at];

        for (int i = 0; i < 8; i++)
            mixed = (mixed ^ mixed >>> 15) * 0x2c1b3c6d;
        return mixed == wanted;
    }

    static int search(int[] goods, int wanted) {
        for (int i = 0; i < goods.length; i++)
            if (isSame(goods, i, wanted))
                return i;
        return -1;
    }

    static void calledOften(boolean bad) {
        int[] goods = new int[200_000];

        for (int round = 0; round < 1_000; round++)
            sink += bad ? search(goods, round + 1) : goods[round];
    }

    // ---- memory ----

    static void garbage(boolean bad) {
        List<byte[]> live = new ArrayList<>();

        for (int i = 0; i < 450; i++)
            live.add(new byte[100_000]);
        for (int i = 0; i < 30_000; i++) {
            if (bad)
                live.set(i % live.size(), new byte[100_000]);
            for (int at = 0; at < 10_000; at += 100)
                sink += live.get(i % live.size())[at];
        }
    }

    static byte[] copy(int i) {
        return new byte[2000 + i % 7];
    }

    static void allocation(boolean bad) {
        byte[] one = copy(0);

        for (int i = 0; i < 3_000_000; i++)
            sink += (bad ? copy(i) : one).length;
    }

    // ---- threads ----

    static void work(long ns) {
        for (long end = System.nanoTime() + ns; System.nanoTime() < end;)
            sink++;
    }

    static void inLock(Object lock) {
        for (int i = 0; i < 60; i++) {
            synchronized (lock) {
                work(10_000_000);
            }
        }
    }

    static void locks(boolean bad) throws Exception {
        Object shared = new Object();
        List<Thread> all = new ArrayList<>();

        for (int i = 0; i < 4; i++) {
            Object lock = bad ? shared : new Object();
            all.add(new Thread(() -> inLock(lock), "worker-" + i));
        }
        for (Thread thread : all)
            thread.start();
        for (Thread thread : all)
            thread.join();
    }

    static void waits(boolean bad) throws Exception {
        if (bad)
            Thread.sleep(3500);
        else
            work(2_500_000_000L);
    }

    static void processors(boolean bad) throws Exception {
        List<Thread> all = new ArrayList<>();
        int threads = bad ? 4 * Runtime.getRuntime().availableProcessors() : 1;

        for (int i = 0; i < threads; i++)
            all.add(new Thread(() -> work(1_500_000_000L), "worker-" + i));
        for (Thread thread : all)
            thread.start();
        for (Thread thread : all)
            thread.join();
    }

    static void threads(boolean bad) throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(2);

        for (int i = 0; i < 3000; i++) {
            if (!bad) {
                pool.submit(() -> sink++);
                continue;
            }
            Thread thread = new Thread(() -> sink++, "request-" + i);
            thread.start();
            thread.join();
        }
        pool.shutdown();
        pool.awaitTermination(1, TimeUnit.MINUTES);
    }

    // ---- what traces tell ----

    /** Each has something to look at. */
    static void collections(boolean bad) {
        List<int[]> live = new ArrayList<>();

        for (int i = 0; i < 300_000; i++)
            live.add(new int[4]);
        for (int i = 0; i < 40; i++) {
            if (bad)
                System.gc();
            else
                work(1_000_000);
        }
        sink += live.size();
    }

    // ---- code ----

    /** One that the compilers are told to leave alone. */
    static void hot(int rounds) {
        for (int i = 0; i < rounds; i++)
            for (int at = 0; at < 1000; at++)
                sink += at ^ i;
    }

    static void notCompiled(boolean bad) {
        hot(120_000);
    }

    public static void main(String[] arguments) throws Exception {
        Problem problem = switch (arguments[1]) {
        case "small-writes" -> Findings::smallWrites;
        case "small-reads" -> Findings::smallReads;
        case "reopened-file" -> Findings::reopenedFile;
        case "reopened-archive" -> Findings::reopenedArchive;
        case "archive-entries" -> Findings::archiveEntries;
        case "sync-per-record" -> Findings::syncs;
        case "host-lookups" -> Findings::hosts;
        case "exceptions" -> Findings::exceptions;
        case "exceptional-exits" -> Findings::exits;
        case "regex-compile" -> Findings::regex;
        case "format" -> Findings::format;
        case "format-objects" -> Findings::formatObjects;
        case "intern" -> Findings::intern;
        case "called-often" -> Findings::calledOften;
        case "garbage-collection" -> Findings::garbage;
        case "allocation" -> Findings::allocation;
        case "locks" -> Findings::locks;
        case "mostly-waits" -> Findings::waits;
        case "no-processor" -> Findings::processors;
        case "many-threads" -> Findings::threads;
        case "explicit-gc" -> Findings::collections;
        case "interpreted" -> Findings::notCompiled;
        default -> throw new IllegalArgumentException(arguments[1]);
        };

        folder = Path.of(arguments[0]);
        problem.run(arguments[2].equals("bad"));
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors

import java.io.FileOutputStream;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.LongAdder;

/**
 * Writes single bytes by several paths of calls, in two threads, and by classes that are loaded again and again:
 * SampleIo ROUNDS CLASSES FILE. Prints "METHOD NUMBER": writes of the method and what it calls.
 */
public class SampleIo {
    static FileOutputStream out;
    static final Map<String, LongAdder> counts = new TreeMap<>();

    public interface Part {
        void write(FileOutputStream out, int number) throws IOException;
    }

    public static class PartA implements Part {
        public void write(FileOutputStream out, int number) throws IOException {
            for (int i = 0; i < number; i++)
                out.write(i);
        }
    }

    public static class PartB implements Part {
        public void write(FileOutputStream out, int number) throws IOException {
            for (int i = 0; i < number; i++)
                out.write(i);
        }
    }

    private static void counted(String name, int number) {
        counts.get(name).add(number);
    }

    static void one() throws IOException {
        counted("one", 1);
        out.write(1);
    }

    static void two() throws IOException {
        counted("two", 3);
        one();
        out.write(2);
        out.write(2);
    }

    static void down(int depth) throws IOException {
        if (depth == 0)
            one();
        else
            down(depth - 1);
    }

    static void deep(int depth) throws IOException {
        counted("deep", 1);
        down(depth);
    }

    static void round(int i) throws IOException {
        one();
        two();
        deep(i % 40);
        if (i % 3 == 0)
            two();
    }

    /** The classes' memory becomes free, and others' of the same size. */
    static void load(int round, URL classes) throws Exception {
        String name = round % 3 == 0 ? "PartA" : "PartB";

        try (URLClassLoader loader = new URLClassLoader(new URL[] {classes}, null) {
            @Override
            protected Class<?> findClass(String wanted) throws ClassNotFoundException {
                return wanted.equals("SampleIo$Part") ? Part.class : super.findClass(wanted);
            }
        }) {
            Part part = (Part) loader.loadClass("SampleIo$" + name).getDeclaredConstructor().newInstance();

            part.write(out, 5);
            counted(name + ".write", 5);
        }
        if (round % 4 == 0)
            System.gc();
    }

    static void rounds(int rounds) {
        try {
            for (int i = 0; i < rounds; i++)
                round(i);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] arguments) throws Exception {
        int rounds = Integer.parseInt(arguments[0]), loads = Integer.parseInt(arguments[1]);
        URL classes = SampleIo.class.getProtectionDomain().getCodeSource().getLocation();

        for (String name : new String[] {"one", "two", "deep", "PartA.write", "PartB.write"})
            counts.put(name, new LongAdder());
        out = new FileOutputStream(Path.of(arguments[2]).toFile());
        Thread other = new Thread(() -> rounds(rounds), "other");
        other.start();
        rounds(rounds);
        for (int i = 0; i < loads; i++)
            load(i, classes);
        other.join();
        out.close();
        counts.forEach((name, count) -> System.out.println(name + " " + count));
    }
}

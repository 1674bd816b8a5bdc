// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Methods that each allocate objects of a class: SampleAlloc MEGABYTES METHOD... They take turns, and
 * the JVM says how many bytes each turn has allocated. Prints "METHOD BYTES". A line that ends with
 * "// allocates" is the only one of its method that does.
 */
public class SampleAlloc {
    interface Work {
        void run(int units) throws Exception;
    }

    static final class Part {
        final String name;
        final Work work;
        final int units;
        long bytes;

        Part(String name, int units, Work work) {
            this.name = name;
            this.work = work;
            this.units = units;
        }
    }

    static class Small {
        long a, b, c;
    }

    static class Inlined extends Small {
        long d, e, f, g;
    }

    static final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    static final int[] original = new int[5000];
    static volatile Object object;

    static void bytes(int units) {
        for (int i = 0; i < units; i++) {
            int size = 2000 + (i & 15) * 1000;
            object = new byte[size]; // allocates
        }
    }

    static void large(int units) {
        for (int i = 0; i < units; i++) {
            int size = 40000 + (i & 7) * 20000;
            object = new long[size]; // allocates
        }
    }

    static void references(int units) {
        for (int i = 0; i < units; i++) {
            int size = 100 + (i & 15) * 10;
            object = new Object[size]; // allocates
        }
    }

    static void small(int units) {
        for (int i = 0; i < units; i++) {
            Small made = new Small(); // allocates
            made.a = i;
            object = made;
        }
    }

    static Inlined make() {
        return new Inlined(); // allocates
    }

    static void makes(int units) {
        for (int i = 0; i < units; i++)
            object = make();
    }

    static void cloned(int units) {
        for (int i = 0; i < units; i++)
            object = original.clone();
    }

    static void text(int units) {
        for (int i = 0; i < units; i++) {
            char[] all = new char[300 + (i & 31)]; // allocates
            all[i & 31] = 'x';
            object = all;
        }
    }

    /** The test has it excluded from compilation. */
    static void interpreted(int units) {
        for (int i = 0; i < units; i++) {
            int size = 4000 + (i & 7) * 500;
            object = new short[size]; // allocates
        }
    }

    public static void main(String[] arguments) throws Exception {
        List<String> chosen = List.of(arguments).subList(1, arguments.length);
        List<Part> parts = Stream.of(
            new Part("bytes", 400, SampleAlloc::bytes),
            new Part("large", 12, SampleAlloc::large),
            new Part("references", 3000, SampleAlloc::references),
            new Part("small", 12000, SampleAlloc::small),
            new Part("make", 8000, SampleAlloc::makes),
            new Part("cloned", 150, SampleAlloc::cloned),
            new Part("text", 2000, SampleAlloc::text),
            new Part("interpreted", 150, SampleAlloc::interpreted)
        ).filter(part -> chosen.contains(part.name)).collect(Collectors.toList());
        long wanted = Long.parseLong(arguments[0]) << 20, all = 0;
        Random random = new Random(1);

        while (all < wanted) {
            Part part = parts.get(random.nextInt(parts.size()));
            int units = (int) (part.units * (0.5 + random.nextDouble()));
            long begin = threads.getCurrentThreadAllocatedBytes();
            part.work.run(units);
            long used = threads.getCurrentThreadAllocatedBytes() - begin;
            part.bytes += used;
            all += used;
        }
        for (Part part : parts)
            System.out.println(part.name + " " + part.bytes);
    }
}

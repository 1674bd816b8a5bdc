// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.lang.reflect.Array;
import java.lang.reflect.Constructor;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadFactory;
import java.util.function.IntSupplier;

/**
 * Allocates objects in as many ways as there are, each in a method of its own, and tells how many of which class: "METHOD CLASS
 * NUMBER" a line. Reads lines: "run N" does all of it in a new thread; "keep N" keeps objects for good; "drop N" no longer those
 * kept first; "collect 0"; "quit".
 */
public class ObjectsKnown {
    static class Plain { long a, b; }
    static class Reflected { int a; }
    static class Element { byte a; }
    static class Cloned implements Cloneable {
        long a, b, c;

        Cloned copy() throws CloneNotSupportedException { return (Cloned) clone(); }
    }
    static class Cell { char a; }
    static class Serial implements Serializable { int a; }
    static class Native { long a; }
    static class Outside { long a; }
    static class Large { long a; }
    static class Removed { long a, b; }
    static class Virtual { double a; }
    static class Kept { long a, b, c; int[] more = new int[6]; }

    interface Part {
        void run(int n) throws Exception;
    }

    static final char[] TEXT = "some text".toCharArray();
    static volatile Object sink;
    static volatile long sum;
    static final List<Kept> kept = new ArrayList<>();

    static native void make(Class<?> type, int count);

    static native void makeOutside(Class<?> type, int count);

    static void plain(int n) {
        for (int i = 0; i < n; i++)
            sink = new Plain();
    }

    static void reflected(int n) throws Exception {
        Constructor<Reflected> constructor = Reflected.class.getDeclaredConstructor();
        for (int i = 0; i < n; i++)
            sink = constructor.newInstance();
    }

    static void arrays(int n) {
        for (int i = 0; i < n; i++)
            sink = Array.newInstance(Element.class, 1 + i % 5);
    }

    static void cloned(int n) throws Exception {
        Cloned first = new Cloned();
        for (int i = 1; i < n; i++)
            sink = first.copy();
    }

    static void grids(int n) {
        for (int i = 0; i < n; i++)
            sink = new Cell[3][4];
    }

    static void boxed(int n) {
        for (int i = 0; i < n; i++)
            sink = Long.valueOf(1000000L + i);
    }

    static void strings(int n) {
        for (int i = 0; i < n; i++)
            sink = new String(TEXT);
    }

    static void lambdas(int n) {
        for (int i = 0; i < n; i++) {
            int value = i;
            IntSupplier supplier = () -> value;
            sink = supplier;
        }
    }

    static void deserialised(int n) throws Exception {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            out.writeObject(new Serial());
        }
        for (int i = 1; i < n; i++)
            try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
                sink = in.readObject();
            }
    }

    static void natives(int n) {
        make(Native.class, n);
    }

    static void outside(int n) {
        makeOutside(Outside.class, n);
    }

    /** Too large for a thread's buffer. */
    static void large(int n) {
        for (int i = 0; i < n / 1000; i++)
            sink = new Large[1 << 20];
    }

    /** Compiled code may do without them. */
    static void removed(int n) {
        long all = 0;
        for (int i = 0; i < n; i++) {
            Removed removed = new Removed();
            removed.a = i;
            all += removed.a;
        }
        sum = all;
    }

    static void deep(int n, int depth) {
        if (depth > 0)
            deep(n, depth - 1);
        else
            plain(n);
    }

    /** A virtual thread, where there are such. */
    static void virtual(int n) throws Exception {
        Thread thread = null;
        Runnable work = () -> {
            for (int i = 0; i < n; i++)
                sink = new Virtual();
        };
        try {
            thread = (Thread) Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, work);
        } catch (ReflectiveOperationException e) {
            thread = new Thread(work);
            thread.start();
        }
        thread.join();
    }

    static void part(String name, int n, Part part, String... counts) throws Exception {
        part.run(n);
        for (String count : counts)
            System.out.println(name + " " + count);
    }

    static void all(int n) throws Exception {
        part("plain", n, ObjectsKnown::plain, "ObjectsKnown$Plain " + n);
        part("reflected", n, ObjectsKnown::reflected, "ObjectsKnown$Reflected " + n);
        part("arrays", n, ObjectsKnown::arrays, "ObjectsKnown$Element[] " + n);
        part("cloned", n, ObjectsKnown::cloned, "ObjectsKnown$Cloned " + n);
        part("grids", n, ObjectsKnown::grids, "ObjectsKnown$Cell[][] " + n, "ObjectsKnown$Cell[] " + 3 * n);
        part("boxed", n, ObjectsKnown::boxed, "java.lang.Long " + n);
        part("strings", n, ObjectsKnown::strings, "java.lang.String " + n, "byte[] " + n);
        part("lambdas", n, ObjectsKnown::lambdas, "ObjectsKnown$$Lambda " + n);
        part("deserialised", n, ObjectsKnown::deserialised, "ObjectsKnown$Serial " + n);
        part("make", n, ObjectsKnown::natives, "ObjectsKnown$Native " + n);
        part("", n, ObjectsKnown::outside, "ObjectsKnown$Outside " + n);
        part("large", n, ObjectsKnown::large, "ObjectsKnown$Large[] " + n / 1000);
        part("deep", n, count -> deep(count, 200), "ObjectsKnown$Plain " + n);
        part("removed", n, ObjectsKnown::removed, "ObjectsKnown$Removed " + n);
        part("", n, ObjectsKnown::virtual, "ObjectsKnown$Virtual " + n);
    }

    static void keep(int n) {
        for (int i = 0; i < n; i++)
            kept.add(new Kept());
    }

    static void inThread(Part part, int n) throws Exception {
        Thread thread = new Thread(() -> {
            try {
                part.run(n);
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }, "worker");
        thread.start();
        thread.join();
    }

    public static void main(String[] arguments) throws Exception {
        System.load(arguments[0]);
        StringBuilder line = new StringBuilder();
        for (int c = System.in.read(); c >= 0; c = System.in.read()) {
            if (c != '\n') {
                line.append((char) c);
                continue;
            }
            String[] words = line.toString().split(" ");
            line.setLength(0);
            if (words[0].equals("quit"))
                System.exit(7);
            int n = Integer.parseInt(words[1]);
            if (words[0].equals("run"))
                inThread(ObjectsKnown::all, n);
            else if (words[0].equals("keep"))
                inThread(ObjectsKnown::keep, n);
            else if (words[0].equals("drop"))
                kept.subList(0, n).clear();
            else
                System.gc();
            System.out.println("done");
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
// run: plain
// run: scope -- scope=cases.Inside.measured
package cases;

import java.io.File;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.management.ManagementFactory;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.concurrent.SynchronousQueue;

import jprof.JProf;

/**
 * The program asks jprof what it has used, and knows it itself: by the JVM's own counters, of each
 * thread and of all, by jprof.h and by two copies of the class.
 */
final class Inside implements Runnable {
	static final com.sun.management.ThreadMXBean bean =
			(com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
	static final int THREADS = 4;
	/** What two readings of the JVM's counter differ by. */
	static long cost;
	static volatile Object keep;
	static long spins;
	/** What each thread used in its life, by jprof and by the JVM. */
	long used, allocated;

	/** jprof_thread_value, or jprof_total_value; what it returns if that is not 0. */
	static native long nativeValue(String metric, boolean total);

	/** jprof_is_recording, jprof_version and jprof_mark are as they should be. */
	static native boolean nativeCalls();

	static long now() {
		return bean.getThreadAllocatedBytes(Thread.currentThread().getId());
	}

	static void expect(boolean right, String what) {
		Truth.expect(right, what);
	}

	static void same(String what, long expected, long found) {
		expect(expected == found, what + ": " + found + " instead of " + expected);
	}

	static void near(String what, long expected, long found, long slack) {
		expect(Math.abs(expected - found) <= slack,
				what + ": " + found + " instead of " + expected);
	}

	static void allocate(int times) {
		for (int i = 0; i < times; i++)
			keep = new byte[i % 3000];
	}

	/** For so many ms. */
	static void spin(int ms) {
		for (long end = System.nanoTime() + ms * 1_000_000L; System.nanoTime() < end;)
			spins++;
	}

	static void alloc() {
		for (int i = -1; i < 20; i++) {
			long before = now();
			long from = JProf.threadValue("alloc");
			allocate(500 * i);
			long used = JProf.threadValue("alloc") - from;
			long allocated = now() - before;
			if (i >= 0) // before, literals become strings
				same("alloc", allocated, used + cost);
		}
	}

	/** A unit test of a method could do that. The first time, literals become strings. */
	static void nothingAllocated(boolean check) {
		long before = now();
		long from = JProf.threadValue("alloc");
		for (int i = 0; i < 100; i++) {
			JProf.mark("nothing");
			JProf.totalValue("alloc");
			JProf.threadValue("cpu");
			expect(JProf.isRecording() && JProf.isLoaded(), "not recording");
		}
		long byJprof = JProf.threadValue("alloc") - from, byJvm = now() - before;
		if (check) {
			same("alloc of nothing, by jprof", 0, byJprof);
			same("alloc of nothing, by the JVM", cost, byJvm);
		}
	}

	/** Not less than a clock read inside the two readings says, nor more than one outside. */
	static void between(String what, long inner, long found, long outer) {
		long slack = outer / 100 + 200_000;
		expect(found >= inner - slack && found <= outer + slack,
				what + ": " + found + ", not from " + inner + " to " + outer);
	}

	static void times() {
		long wall = System.nanoTime(), wallFrom = JProf.threadValue("wall");
		long wallInner = System.nanoTime();
		spin(100);
		wallInner = System.nanoTime() - wallInner;
		wallFrom = JProf.threadValue("wall") - wallFrom;
		between("wall", wallInner, wallFrom, System.nanoTime() - wall);

		long cpu = bean.getCurrentThreadCpuTime(), cpuFrom = JProf.threadValue("cpu");
		long cpuInner = bean.getCurrentThreadCpuTime();
		spin(200);
		cpuInner = bean.getCurrentThreadCpuTime() - cpuInner;
		cpuFrom = JProf.threadValue("cpu") - cpuFrom;
		between("cpu", cpuInner, cpuFrom, bean.getCurrentThreadCpuTime() - cpu);
	}

	@Override
	public void run() {
		measured();
	}

	void measured() {
		long from = JProf.threadValue("alloc");
		long before = now();
		allocate(20_000);
		allocated = now() - before - cost;
		used = JProf.threadValue("alloc") - from - cost;
	}

	/** Threads that ended are in the total, to the byte if nobody else allocates. */
	static void ended() throws InterruptedException {
		long from = JProf.totalValue("alloc"), allocated = 0;

		for (int i = 0; i < THREADS; i++) {
			Inside one = new Inside();
			Thread thread = new Thread(one, "ended-" + i);
			thread.start();
			thread.join();
			same("alloc of " + thread.getName(), one.allocated, one.used - cost);
			allocated += one.allocated;
		}
		long total = JProf.totalValue("alloc") - from;
		expect(total >= allocated, "total " + total + ", but ended threads had " + allocated);
		near("total of ended threads", allocated, total, 1_000_000);
	}

	/** Another thread's value is what it says itself, while it rests and when it has ended; of one that never ran nothing is known. */
	static void ofAnother() throws InterruptedException {
		SynchronousQueue<Long> told = new SynchronousQueue<>(), goOn = new SynchronousQueue<>();
		Thread other = new Thread(() -> {
			try {
				for (int i = 0; i < 3; i++) {
					allocate(20_000);
					spin(20);
					told.put(JProf.threadValue("cpu"));
					goOn.take();
				}
			} catch (InterruptedException e) {
				told.offer(-1L);
			}
		}, "other");
		same("a thread that never ran", -1, JProf.threadValue(other, "cpu"));
		other.start();
		long before = 0;
		for (int i = 0; i < 3; i++) {
			long own = told.take(), seen = JProf.threadValue(other, "cpu");
			expect(seen >= own && seen <= own + 50_000_000 && own > before,
					"cpu of another thread: " + seen + ", it said " + own);
			same("what is not counted, of another", -1, JProf.threadValue(other, "cycles"));
			expect(JProf.threadValue(other, "alloc") > before / 1000, "alloc of another thread");
			before = own;
			goOn.put(0L);
		}
		other.join();
		long ended = JProf.threadValue(other, "cpu");
		expect(ended >= before, "cpu of a thread that has ended: " + ended + ", it had " + before);
		same("a thread that has ended, again", ended, JProf.threadValue(other, "cpu"));
		long self = JProf.threadValue("cpu");
		expect(JProf.threadValue(Thread.currentThread(), "cpu") >= self, "the thread itself");
		expect(JProf.totalValue("cpu") >= ended + self, "total below two of its threads");
	}

	static void byNative() {
		long own = 0, byHeader = -1;

		/* To link the method takes some bytes, also anew where its class was changed meanwhile. */
		for (int i = 0; i < 10 && own != byHeader; i++) {
			own = JProf.threadValue("alloc");
			byHeader = nativeValue("alloc", false);
		}
		same("alloc by jprof.h", own, byHeader);
		long total = JProf.totalValue("alloc");
		expect(nativeValue("alloc", true) >= total, "the total went back");
		same("what is not counted", -1, nativeValue("cycles", false));
		same("what is not counted, in total", -1, nativeValue("cycles", true));
		expect(nativeCalls(), "jprof.h");
	}

	static void refused() {
		String[] told = new String[3];

		same("what is not counted", -1, JProf.threadValue("cycles"));
		same("what is not counted, in total", -1, JProf.totalValue(""));
		JProf.snapshot("one \ud83d\ude00");
		try {
			JProf.snapshot("one \ud83d\ude00");
		} catch (IllegalStateException e) {
			told[0] = e.getMessage();
		}
		JProf.start("metrics=wall");
		try {
			JProf.start("metrics=wall");
		} catch (IllegalStateException e) {
			told[1] = e.getMessage();
		}
		JProf.stop();
		try {
			JProf.snapshot("a..b");
		} catch (IllegalStateException e) {
			told[2] = e.getMessage();
		}
		expect(told[0] != null && told[0].contains("there is a snapshot"), told[0] + "");
		expect(told[1] != null && told[1].contains("a session 'program' records already"), told[1] + "");
		expect(told[2] != null && told[2].contains("'..'"), told[2] + "");
	}

	/** A virtual thread has values of its own. */
	static void virtual() throws Throwable {
		MethodHandle start;
		long[] value = {0, 0};

		try {
			start = MethodHandles.lookup().findStatic(Thread.class, "startVirtualThread",
					MethodType.methodType(Thread.class, Runnable.class));
		} catch (NoSuchMethodException e) {
			return; // before JDK 21
		}
		Thread thread = (Thread) start.invoke((Runnable) () -> {
			value[0] = JProf.threadValue("wall");
			value[1] = JProf.totalValue("wall");
		});
		thread.join();
		expect(value[0] >= 0 && value[0] < value[1], "value of a virtual thread: " + value[0]);
		expect(value[1] > 0, "total seen by a virtual thread: " + value[1]);
	}

	/** Another class loader's jprof.JProf is another class. */
	static void secondLoader() throws Throwable {
		URL jar = new File(JProf.class.getProtectionDomain().getCodeSource().getLocation().toURI())
				.toURI().toURL();

		try (URLClassLoader loader = new URLClassLoader(new URL[] {jar},
				ClassLoader.getPlatformClassLoader())) {
			Class<?> second = Class.forName("jprof.JProf", true, loader);
			MethodHandle value = MethodHandles.publicLookup().findStatic(second, "threadValue",
					MethodType.methodType(long.class, String.class));

			expect(second != JProf.class, "one class only");
			long found = (long) value.invokeExact("alloc");
			expect(found > 0, "second class: " + found);
			expect(JProf.threadValue("alloc") >= found, "two classes, two values");
		}
	}

	/** Its own use, outside the scope, is nobody's. */
	static void outside() throws InterruptedException {
		Inside one = new Inside();
		same("thread that was never inside", -1, JProf.threadValue("alloc"));
		one.measured();
		long from = JProf.threadValue("alloc"), total = JProf.totalValue("alloc");
		expect(from >= one.allocated && from <= one.allocated + 10_000,
				"inside: " + from + ", allocated " + one.allocated);
		allocate(10_000);
		same("thread outside the scope", from, JProf.threadValue("alloc"));
		same("total outside the scope", total, JProf.totalValue("alloc"));
		one.measured();
		expect(JProf.threadValue("alloc") >= from + one.allocated, "inside again");
	}

	public static void main(String[] args) throws Throwable {
		System.loadLibrary("cases");
		for (int i = 0; i < 100; i++) {
			now();
			JProf.mark("warm");
		}
		cost = -now() + now();
		expect(JProf.isLoaded() && JProf.isRecording(), "no agent");
		if (Truth.run().equals("scope")) {
			outside();
		} else {
			alloc();
			nothingAllocated(false);
			nothingAllocated(true);
			times();
			ended();
			ofAnother();
			byNative();
			refused();
			virtual();
			secondLoader();
		}
		Truth.loose("cases.Inside");
		Truth.save(Inside.class);
	}
}

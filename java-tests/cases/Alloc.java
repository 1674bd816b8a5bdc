// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
// run: default
// run[events instrument]: serial -Xmx64m -XX:+UseSerialGC
// run[events instrument]: parallel -Xmx64m -XX:+UseParallelGC
// run[events instrument]: g1 -Xmx64m -XX:+UseG1GC
// run[events instrument]: z -Xmx64m -XX:+UseZGC
// run[events instrument]: shenandoah -Xmx64m -XX:+UseShenandoahGC
// run: no-tlab -Xmx64m -XX:+UseSerialGC -XX:-UseTLAB
package cases;

import java.lang.management.ManagementFactory;

/**
 * Bytes allocated, to the byte: what the profile charges a method is what the JVM's own
 * counter grew by inside it. Small objects, arrays larger than a TLAB, collections in between,
 * in main and in four threads at once.
 *
 * A reading may itself allocate c bytes, some before and some after the moment it tells of;
 * two readings in a row differ by c, and a method that reads at its begin and at its end
 * allocates the difference + c.
 */
final class Alloc implements Runnable {
	static final com.sun.management.ThreadMXBean bean =
			(com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
	static final int THREADS = 4;
	Object keep;
	long small, large, mixed;

	static long now() {
		return bean.getThreadAllocatedBytes(Thread.currentThread().getId());
	}

	long small() {
		long from = now();
		for (int i = 0; i < 200_000; i++)
			keep = new byte[i % 64];
		return now() - from;
	}

	long large() {
		long from = now();
		for (int i = 0; i < 40; i++)
			keep = new byte[500_000 + 1000 * i];
		return now() - from;
	}

	long mixed() {
		long from = now();
		StringBuilder text = new StringBuilder();
		for (int i = 0; i < 20_000; i++) {
			text.append(i);
			keep = i % 1000 == 0 ? text.toString() : Integer.valueOf(i);
		}
		return now() - from;
	}

	@Override
	public void run() {
		now();
		now();
		long cost = -now() + now();
		small = small() + cost;
		large = large() + cost;
		mixed = mixed() + cost;
	}

	public static void main(String[] args) throws InterruptedException {
		for (int i = 0; i < 100; i++)
			now();
		Alloc[] all = new Alloc[THREADS + 1];
		Thread[] threads = new Thread[THREADS];
		all[THREADS] = new Alloc();
		all[THREADS].run();
		for (int i = 0; i < THREADS; i++) {
			all[i] = new Alloc();
			threads[i] = new Thread(all[i], "allocator-" + i);
			threads[i].start();
		}
		for (Thread thread : threads)
			thread.join();
		long small = 0, large = 0, mixed = 0;
		for (Alloc one : all) {
			small += one.small;
			large += one.large;
			mixed += one.mixed;
		}
		int runs = THREADS + 1;
		Truth.expect(small > runs * 200_000L * 16, "small " + small);
		Truth.cum("alloc", Alloc.class, "small()J", small, small);
		Truth.cum("alloc", Alloc.class, "large()J", large, large);
		Truth.cum("alloc", Alloc.class, "mixed()J", mixed, mixed);
		Truth.calls(Alloc.class, "<clinit>()V", 1);
		Truth.calls(Alloc.class, "<init>()V", runs);
		Truth.calls(Alloc.class, "run()V", runs);
		Truth.calls(Alloc.class, "now()J", 100 + 10 * runs);
		Truth.calls(Alloc.class, "small()J", runs);
		Truth.calls(Alloc.class, "large()J", runs);
		Truth.calls(Alloc.class, "mixed()J", runs);
		Truth.save(Alloc.class);
	}
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
// run: plain
package cases;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;

/**
 * Wall and CPU time between two fences: each method reads the clock at its begin and its end,
 * its caller reads it outside; the profile's number lies between the two differences. The
 * slack is for what cheap readings of CPU time may lack inside a time slice.
 */
final class Clocks {
	static final ThreadMXBean bean = ManagementFactory.getThreadMXBean();
	static final long SLACK = 5_000_000; /* ns */
	static long wall, cpu; /* inside */

	static void sleep() throws InterruptedException {
		long w = System.nanoTime(), c = bean.getCurrentThreadCpuTime();
		Thread.sleep(300);
		cpu = bean.getCurrentThreadCpuTime() - c;
		wall = System.nanoTime() - w;
	}

	static void spin() {
		long w = System.nanoTime(), c = bean.getCurrentThreadCpuTime();
		while (System.nanoTime() - w < 300_000_000)
			;
		cpu = bean.getCurrentThreadCpuTime() - c;
		wall = System.nanoTime() - w;
	}

	static void lock(Object lock) {
		long w = System.nanoTime(), c = bean.getCurrentThreadCpuTime();
		synchronized (lock) {
			cpu = bean.getCurrentThreadCpuTime() - c;
		}
		wall = System.nanoTime() - w;
	}

	static void fences(String method, long w, long c) {
		long slack = wall / 500 + 1000; /* clocks may differ by 0.2 % */
		Truth.cum("wall", Clocks.class, method, wall - slack, w + slack);
		Truth.cum("cpu", Clocks.class, method, Math.max(0, cpu - SLACK), c + SLACK);
	}

	public static void main(String[] args) throws Exception {
		bean.getCurrentThreadCpuTime();
		long w = System.nanoTime(), c = bean.getCurrentThreadCpuTime();
		sleep();
		fences("sleep()V", System.nanoTime() - w, bean.getCurrentThreadCpuTime() - c);
		Truth.expect(wall >= 300_000_000 && cpu < 100_000_000, "sleep took " + cpu);

		w = System.nanoTime();
		c = bean.getCurrentThreadCpuTime();
		spin();
		fences("spin()V", System.nanoTime() - w, bean.getCurrentThreadCpuTime() - c);

		Object lock = new Object();
		Thread holder = new Thread("holder") {
			@Override
			public void run() {
				synchronized (lock) {
					try {
						Thread.sleep(200);
					} catch (InterruptedException e) {
						Truth.expect(false, "interrupted");
					}
				}
			}
		};
		holder.start();
		while (holder.getState() != Thread.State.TIMED_WAITING)
			Thread.onSpinWait();
		w = System.nanoTime();
		c = bean.getCurrentThreadCpuTime();
		lock(lock);
		fences("lock(Ljava/lang/Object;)V", System.nanoTime() - w,
				bean.getCurrentThreadCpuTime() - c);
		holder.join();
		Truth.calls(Clocks.class, "<clinit>()V", 1);
		Truth.calls(Clocks.class, "sleep()V", 1);
		Truth.calls(Clocks.class, "spin()V", 1);
		Truth.calls(Clocks.class, "lock(Ljava/lang/Object;)V", 1);
		Truth.calls(Clocks.class, "fences(Ljava/lang/String;JJ)V", 3);
		Truth.calls("cases.Clocks$1", "<init>(Ljava/lang/String;Ljava/lang/Object;)V", 1);
		Truth.calls("cases.Clocks$1", "run()V", 1);
		Truth.save(Clocks.class);
	}
}

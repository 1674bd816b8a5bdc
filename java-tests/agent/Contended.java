// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Waits for locks that are known: who waits for whom, how often, how long by the waiter's own clock. Each line of its input is done,
 * and answered with lines "WORDS NUMBER" and then "done".
 *
 *   pairs N monitor|lock   N contentions, each of a waiter and a holder in turn
 *   long N monitor|lock    N long ones of one waiter, and their time
 *   wait N                 N times Object.wait that is notified, and N that time out
 *   load SECONDS           many threads, locks of both kinds
 *   deadlock               two threads that wait for each other for good
 */
public class Contended {
	static final int SIDES = 3;

	/** What is held. */
	static class Shared {
		final ReentrantLock lock = new ReentrantLock();
	}

	static class SharedA extends Shared { }
	static class SharedB extends Shared { }

	/** A thread that does one thing at a time. In between it parks, and nobody holds what it waits for. */
	static class Side implements Runnable {
		volatile Runnable task;
		volatile boolean ended;
		volatile Thread thread;

		public void run() {
			while (!ended) {
				Runnable now = task;
				if (now == null) {
					LockSupport.park();
					continue;
				}
				now.run();
				task = null;
			}
		}

		void start(Runnable next) {
			task = next;
			LockSupport.unpark(thread);
		}

		void waitForEnd() {
			while (task != null)
				Thread.yield();
		}
	}

	final Side[] waiters = new Side[SIDES], holders = new Side[SIDES];
	final Shared[] shared = {new SharedA(), new SharedB()};
	final Map<String, Long> counts = new TreeMap<>();
	final boolean virtual;
	long waitedNs;
	volatile boolean held, tried;

	Contended(boolean virtual) throws Exception {
		this.virtual = virtual;
		for (int i = 0; i < SIDES; i++) {
			waiters[i] = start("waiter" + (char)('A' + i));
			holders[i] = start("holder" + (char)('A' + i));
		}
	}

	Thread thread(Runnable task, String name) throws Exception {
		if (!virtual) {
			Thread thread = new Thread(task, name);
			thread.setDaemon(true);
			return thread;
		}
		Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
		Class<?> type = Class.forName("java.lang.Thread$Builder$OfVirtual");
		builder = type.getMethod("name", String.class).invoke(builder, name);
		return (Thread)type.getMethod("unstarted", Runnable.class).invoke(builder, task);
	}

	Side start(String name) throws Exception {
		Side side = new Side();
		side.thread = thread(side, name);
		side.thread.start();
		return side;
	}

	void count(String what, long more) {
		counts.merge(what, more, Long::sum);
	}

	static void spin(long ns) {
		for (long end = System.nanoTime() + ns; System.nanoTime() < end;)
			Thread.onSpinWait();
	}

	/** The waiter is known to wait; it may have a few steps to go until it sleeps. */
	void awaitBlocked(Thread waiter, Thread.State state, long ns) {
		while (!tried || waiter.getState() != state)
			Thread.yield();
		for (long end = System.nanoTime() + ns; System.nanoTime() < end;)
			Thread.yield();
	}

	void holdMonitor(Shared what, Thread waiter, long ns) {
		synchronized (what) {
			held = true;
			awaitBlocked(waiter, Thread.State.BLOCKED, ns);
		}
	}

	void holdLock(Shared what, Thread waiter, long ns) {
		what.lock.lock();
		try {
			held = true;
			awaitBlocked(waiter, Thread.State.WAITING, ns);
		} finally {
			what.lock.unlock();
		}
	}

	void takeMonitor(Shared what) {
		long begin = System.nanoTime();
		tried = true;
		synchronized (what) {
			waitedNs += System.nanoTime() - begin;
		}
	}

	void takeLock(Shared what) {
		long begin = System.nanoTime();
		tried = true;
		what.lock.lock();
		waitedNs += System.nanoTime() - begin;
		what.lock.unlock();
	}

	void contend(Side waiter, Side holder, Shared what, boolean monitor, long ns) {
		held = tried = false;
		holder.start(monitor ? () -> holdMonitor(what, waiter.thread, ns)
				     : () -> holdLock(what, waiter.thread, ns));
		while (!held)
			Thread.yield();
		waiter.start(monitor ? () -> takeMonitor(what) : () -> takeLock(what));
		waiter.waitForEnd();
		holder.waitForEnd();
	}

	void pairs(int number, boolean monitor) {
		for (int i = 0; i < number; i++) {
			Side waiter = waiters[i % SIDES], holder = holders[i / SIDES % SIDES];
			Shared what = shared[i % shared.length];
			contend(waiter, holder, what, monitor, monitor ? 20_000 : 0);
			count("pair " + waiter.thread.getName() + " " + holder.thread.getName(), 1);
			count("lock " + what.getClass().getName(), 1);
		}
		for (Shared what : shared)
			count("number " + what.getClass().getName(), System.identityHashCode(what));
	}

	void longOnes(int number, boolean monitor) {
		ThreadMXBean threads = ManagementFactory.getThreadMXBean();
		Side waiter = waiters[0];
		long id = waiter.thread.getId(), before = 0;
		if (!virtual) {
			threads.setThreadContentionMonitoringEnabled(true);
			before = blocked(threads, id);
		}
		waitedNs = 0;
		for (int i = 0; i < number; i++)
			contend(waiter, holders[0], shared[0], monitor, 20_000_000);
		count("waited", waitedNs);
		if (!virtual)
			count("bean", blocked(threads, id) - before);
	}

	static long blocked(ThreadMXBean threads, long id) {
		return threads.getThreadInfo(id).getBlockedTime() + threads.getThreadInfo(id).getWaitedTime();
	}

	void waits(int number) throws Exception {
		Object what = new SharedA();
		long[] ns = new long[2];
		Runnable task = () -> {
			try {
				for (int i = 0; i < number; i++) {
					long begin = System.nanoTime();
					synchronized (what) {
						held = true;
						what.wait();
					}
					ns[0] += System.nanoTime() - begin;
				}
				for (int i = 0; i < number; i++) {
					long begin = System.nanoTime();
					synchronized (what) {
						what.wait(10);
					}
					ns[1] += System.nanoTime() - begin;
				}
			} catch (InterruptedException e) {
				throw new IllegalStateException(e);
			}
		};
		held = false;
		waiters[0].start(task);
		for (int i = 0; i < number; i++) {
			while (!held)
				Thread.yield();
			held = false;
			spin(10_000_000);
			synchronized (what) {
				what.notify();
			}
		}
		waiters[0].waitForEnd();
		count("notified", ns[0]);
		count("timedout", ns[1]);
		count("number", System.identityHashCode(what));
	}

	/** Others go on. By Thread.yield virtual ones would not: a carrier takes those that yield to it first, and for good. */
	static void rest() {
		LockSupport.parkNanos(20_000);
	}

	void load(int seconds) throws Exception {
		List<Thread> threads = new ArrayList<>();
		long end = System.nanoTime() + seconds * 1_000_000_000L;
		long[] done = new long[8];
		for (int i = 0; i < done.length; i++) {
			int own = i;
			Thread thread = thread(() -> {
				while (System.nanoTime() < end) {
					Shared what = shared[own / 2 % shared.length];
					if (own % 2 == 0) {
						synchronized (what) {
							spin(20_000);
							rest();
						}
					} else {
						what.lock.lock();
						spin(20_000);
						rest();
						what.lock.unlock();
					}
					done[own]++;
					rest();
				}
			}, "load" + (char)('a' + i));
			threads.add(thread);
			thread.start();
		}
		for (Thread thread : threads)
			thread.join();
		long sum = 0;
		for (long one : done)
			sum += one;
		count("turns", sum);
	}

	static void both(Object first, Object second, Runnable between) {
		synchronized (first) {
			between.run();
			synchronized (second) {
				throw new IllegalStateException("there is no deadlock");
			}
		}
	}

	void deadlock() throws Exception {
		boolean[] has = new boolean[2];
		for (int i = 0; i < 2; i++) {
			int own = i;
			Runnable between = () -> {
				synchronized (has) {
					has[own] = true;
				}
				for (boolean other = false; !other; Thread.yield())
					synchronized (has) {
						other = has[1 - own];
					}
			};
			Thread thread = new Thread(() -> both(shared[own], shared[1 - own], between), "dead" + (char)('A' + i));
			thread.setDaemon(true);
			thread.start();
			threads.add(thread);
		}
		for (Thread thread : threads)
			while (thread.getState() != Thread.State.BLOCKED)
				Thread.yield();
	}

	final List<Thread> threads = new ArrayList<>();

	boolean tell(String[] words) throws Exception {
		counts.clear();
		switch (words[0]) {
		case "pairs":
			pairs(Integer.parseInt(words[1]), words[2].equals("monitor"));
			break;
		case "long":
			longOnes(Integer.parseInt(words[1]), words[2].equals("monitor"));
			break;
		case "wait":
			waits(Integer.parseInt(words[1]));
			break;
		case "load":
			load(Integer.parseInt(words[1]));
			break;
		case "deadlock":
			deadlock();
			break;
		default:
			return false;
		}
		counts.forEach((what, number) -> System.out.println(what + " " + number));
		System.out.println("done");
		return true;
	}

	public static void main(String[] arguments) throws Exception {
		Contended contended = new Contended(arguments.length > 0 && arguments[0].equals("virtual"));
		BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
		String line;
		while ((line = in.readLine()) != null && contended.tell(line.split(" ")))
			;
		for (int i = 0; i < SIDES; i++)
			contended.waiters[i].ended = contended.holders[i].ended = true;
		System.exit(7);
	}
}

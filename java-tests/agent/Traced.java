// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
package agent;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Does all the time what traces tell of: threads wait for locks of both kinds, park and sleep, throw and catch, allocate
 * and keep, load classes by loaders that go again, begin and end; on platform threads and, where there are such, virtual ones.
 *
 *   Traced             reads lines, and answers each with "done":
 *     count            tells "work NUMBER": how much was done
 *     quit             exits with 7
 */
final class Traced {
	private static final Object monitor = new Object();
	private static final ReentrantLock lock = new ReentrantLock();
	private static final List<byte[]> kept = new ArrayList<>();
	private static volatile boolean ending;
	private static volatile long work;
	private static int shared;

	/** Loaded again and again. */
	static final class Loaded {
		static final Object made = new Object();
	}

	private static int fail(int n) {
		if (n == 0)
			throw new IllegalStateException("traced");
		return fail(n - 1);
	}

	private static void once(int i) throws Exception {
		synchronized (monitor) {
			shared += i;
			if (i % 16 == 0)
				monitor.wait(0, 100_000);
			monitor.notifyAll();
		}
		lock.lock();
		try {
			shared -= i;
			if (i % 8 == 0)
				Thread.sleep(0, 50_000);
		} finally {
			lock.unlock();
		}
		try {
			fail(i % 7);
		} catch (IllegalStateException expected) {
			synchronized (kept) {
				kept.add(new byte[100 + i % 1000]);
				if (kept.size() > 1000)
					kept.clear();
				work++;
			}
		}
	}

	private static void work() {
		try {
			for (int i = 0; !ending; i++)
				once(i);
		} catch (Exception e) {
			e.printStackTrace();
			System.exit(8);
		}
	}

	private static void load() {
		URL[] from = {Traced.class.getProtectionDomain().getCodeSource().getLocation()};

		try {
			while (!ending) {
				try (URLClassLoader loader = new URLClassLoader(from, null)) {
					Class.forName("agent.Traced$Loaded", true, loader);
				}
				Thread beginner = new Thread(() -> { }, "short");
				beginner.start();
				beginner.join();
			}
		} catch (Exception e) {
			e.printStackTrace();
			System.exit(8);
		}
	}

	private static void begin(String name, Runnable what) {
		Thread thread = new Thread(what, name);
		thread.setDaemon(true);
		thread.start();
	}

	/** False: this JDK has no virtual threads. */
	private static boolean beginVirtual(Runnable what) throws Exception {
		Method start;
		try {
			start = Thread.class.getMethod("startVirtualThread", Runnable.class);
		} catch (NoSuchMethodException old) {
			return false;
		}
		start.invoke(null, what);
		return true;
	}

	public static void main(String[] args) throws Exception {
		for (int i = 0; i < 4; i++)
			begin("worker-" + i, Traced::work);
		begin("loader", Traced::load);
		for (int i = 0; i < 4; i++)
			beginVirtual(Traced::work);
		BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
		for (String line; (line = in.readLine()) != null && !line.equals("quit");) {
			if (line.equals("count"))
				System.out.println("work " + work);
			System.out.println("done");
		}
		ending = true;
		System.exit(7);
	}
}

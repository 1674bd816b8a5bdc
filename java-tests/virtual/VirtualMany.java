// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Very many virtual threads on two carriers; each makes a known number of calls (Work) between
 * waits of all kinds. Words: "platform" has platform threads do it.
 *
 *   early          some threads begin, and wait inside a recorded method: parked, pinned, and one that
 *                  runs
 *   work N         these go on, and N more are started; all end. "done": nothing runs any more
 *   waves M N      the same M times, one after the other
 *   silent N       N threads that call no recorded method come and go
 *   release        those of "early" go on, to their ends
 *   look NAME      keeps what the carriers have used as facts NAME_... Nothing may run
 */
final class VirtualMany {
	static final int PARKED = 30, LOCKS = 64, SOCKET_EVERY = 100;
	private static final com.sun.management.ThreadMXBean bean =
			(com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
	static final BlockingQueue<Integer> queue = new ArrayBlockingQueue<>(16);
	static final Object[] locks = new Object[LOCKS];
	private static final List<Thread> early = new ArrayList<>();
	private static ServerSocket server;
	private static volatile CountDownLatch release;
	private static volatile boolean go, runs;

	/** How the threads of "early" wait: by their number. */
	static void hold(int i) {
		try {
			if (i < PARKED)
				release.await();
			else if (i == PARKED)
				Native.through(VirtualMany::awaitRelease);
			else
				for (runs = true; !go;)
					Thread.onSpinWait();
		} catch (InterruptedException e) {
			throw new IllegalStateException(e);
		}
	}

	private static void awaitRelease() {
		try {
			release.await();
		} catch (InterruptedException e) {
			throw new IllegalStateException(e);
		}
	}

	/** The last one is the one that runs. */
	private static void early() throws InterruptedException {
		release = new CountDownLatch(1);
		go = runs = false;
		for (int i = 0; i < PARKED + 2; i++) {
			int number = i;
			CountDownLatch begun = new CountDownLatch(1);
			Thread thread = Told.builder().name("early-" + i).start(Told.thread(root -> {
				begun.countDown();
				Work.held(root, number);
			}));

			early.add(thread);
			begun.await();
			while (i <= PARKED ? thread.getState() != Thread.State.WAITING : !runs)
				Thread.sleep(1);
		}
	}

	private static void waves(int waves, int threads) throws Exception {
		for (int i = 0; i < waves; i++)
			work(threads);
	}

	private static void release() throws InterruptedException {
		go = true;
		if (release != null)
			release.countDown();
		Told.join(early.toArray(new Thread[0]));
		early.clear();
	}

	private static void work(int threads) throws Exception {
		Thread[] started;
		AtomicInteger numbers = new AtomicInteger();

		release();
		Thread accepts = Thread.ofPlatform().name("accepts").start(() -> accept(threads / SOCKET_EVERY));
		started = Told.start("many-", threads,
				root -> new Work(root, numbers.getAndIncrement()).run(root));
		accepts.join();
		Told.join(started);
	}

	private static void accept(int count) {
		Thread[] echoes = new Thread[count];
		Thread.Builder builder = Told.builder("echo-");

		try {
			for (int i = 0; i < count; i++) {
				Socket socket = server.accept();
				echoes[i] = builder.start(Told.thread(root -> Work.echo(root, socket)));
			}
			Told.join(echoes);
		} catch (IOException | InterruptedException e) {
			throw new IllegalStateException(e);
		}
	}

	static Socket connect() throws IOException {
		return new Socket(server.getInetAddress(), server.getLocalPort());
	}

	private static void silent(int threads) throws InterruptedException {
		for (int i = 0; i < threads; i++)
			Told.join(Told.builder("silent-").start(Thread::yield));
		Told.fact("silent", threads);
	}

	private static long[] carriers() {
		return Arrays.stream(bean.getThreadInfo(bean.getAllThreadIds()))
				.filter(info -> info != null && info.getThreadName().matches("ForkJoinPool-1-worker-[0-9]+"))
				.mapToLong(ThreadInfo::getThreadId).toArray();
	}

	/**
	 * Carriers are waited for: what has ended its last virtual thread may still be on its way to
	 * wait for the next.
	 */
	private static void look(String name) throws InterruptedException {
		long allocated = 0, cpu = 0, before;
		long[] carriers = carriers();

		do {
			before = allocated + cpu;
			allocated = cpu = 0;
			Thread.sleep(50);
			for (long id : carriers) {
				allocated += bean.getThreadAllocatedBytes(id);
				cpu += bean.getThreadCpuTime(id);
			}
		} while (before != allocated + cpu);
		Told.fact(name + "_carriers", carriers.length);
		Told.fact(name + "_alloc", allocated);
		Told.fact(name + "_cpu", cpu);
	}

	public static void main(String[] args) throws Exception {
		Told.settings(args);
		for (int i = 0; i < LOCKS; i++)
			locks[i] = new Object();
		server = new ServerSocket(0, 4096, InetAddress.getLoopbackAddress());
		Told.serve(Map.of(
				"early", words -> early(),
				"work", words -> work(Integer.parseInt(words[1])),
				"waves", words -> waves(Integer.parseInt(words[1]), Integer.parseInt(words[2])),
				"silent", words -> silent(Integer.parseInt(words[1])),
				"release", words -> release(),
				"look", words -> look(words[1])));
	}
}

/** All that is recorded. */
final class Work {
	private final int number;
	private int sum;

	Work(Told at, int number) {
		at.call("Work.<init>");
		this.number = number;
	}

	static int leaf(Told at, int i) {
		at.call("Work.leaf");
		return i ^ i >>> 3;
	}

	int fib(Told at, int n) {
		at = at.call("Work.fib");
		return n < 2 ? leaf(at, n) : fib(at, n - 1) + fib(at, n - 2);
	}

	void sleeps(Told at) throws InterruptedException {
		at = at.call("Work.sleeps");
		sum += leaf(at, 1);
		Thread.sleep(number % 10 == 0 ? 2 : 0);
		sum += leaf(at, 2);
	}

	/** Odd numbers take what even ones put. */
	void queues(Told at) throws InterruptedException {
		at = at.call("Work.queues");
		for (int i = 0; i < 3; i++) {
			if (number % 2 == 0)
				VirtualMany.queue.put(leaf(at, i));
			else
				sum += leaf(at, VirtualMany.queue.take());
		}
	}

	/** Others wait for the lock, while its owner is not on a carrier. */
	void locks(Told at) {
		at = at.call("Work.locks");
		synchronized (VirtualMany.locks[number / 2 % VirtualMany.LOCKS]) {
			sum += fib(at, 2);
			Thread.yield();
			sum += leaf(at, sum);
		}
	}

	void talks(Told at) throws IOException {
		at = at.call("Work.talks");
		try (Socket socket = VirtualMany.connect()) {
			for (int i = 0; i < 3; i++) {
				socket.getOutputStream().write(leaf(at, i));
				sum += leaf(at, socket.getInputStream().read());
			}
		}
	}

	static void echo(Told at, Socket socket) throws IOException {
		at = at.call("Work.echo");
		try (socket) {
			for (int c = socket.getInputStream().read(); c >= 0; c = socket.getInputStream().read())
				socket.getOutputStream().write(leaf(at, c));
		}
	}

	void run(Told at) throws Exception {
		at = at.call("Work.run");
		sum = fib(at, 3);
		sleeps(at);
		queues(at);
		locks(at);
		if (number % VirtualMany.SOCKET_EVERY == 0)
			talks(at);
		sum += fib(at, 1);
	}

	/** If the record begins anew while it waits, its own call is not in it, and what it calls then is
	 * the root's. */
	static void held(Told at, int i) throws InterruptedException {
		int age = Told.age();

		at = at.call("Work.held");
		VirtualMany.hold(i);
		if (age != Told.age())
			at = Told.root();
		deeper(at, 3);
	}

	static void deeper(Told at, int n) throws InterruptedException {
		at = at.call("Work.deeper");
		leaf(at, n);
		Thread.sleep(1);
		if (n > 0)
			deeper(at, n - 1);
		leaf(at, n);
	}
}

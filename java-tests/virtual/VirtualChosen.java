// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
import java.util.ArrayList;
import java.util.List;

/**
 * 2 * N virtual threads, "in-1".. and "out-1"..: each calls outer, which calls inner twice and leaf
 * once; inner calls leaf. They sleep in each, so that they are mounted again there.
 */
final class VirtualChosen {
	static int sum;

	static void pause() {
		try {
			Thread.sleep(1);
		} catch (InterruptedException e) {
			throw new AssertionError(e);
		}
	}

	static synchronized void leaf() {
		sum++;
	}

	static void inner() {
		pause();
		leaf();
		pause();
	}

	static void outer() {
		pause();
		inner();
		leaf();
		inner();
		pause();
	}

	public static void main(String[] args) throws Exception {
		int count = Integer.parseInt(args[0]);
		List<Thread> threads = new ArrayList<>();

		for (int i = 1; i <= count; i++)
			for (String name : new String[] {"in-", "out-"})
				threads.add(Thread.ofVirtual().name(name + i).start(VirtualChosen::outer));
		for (Thread thread : threads)
			thread.join();
		System.out.println("leaf " + sum);
	}
}

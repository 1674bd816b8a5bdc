// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;

import jprof.JProf;

/** What a change of the thread's tags costs, from Java: ns of processor time, the least of some rounds. */
class Switches {
	static final int ROUNDS = 12, TIMES = 1000000;
	static final ThreadMXBean BEAN = ManagementFactory.getThreadMXBean();
	static final JProf.PreparedTag ONE = JProf.prepareTag("user", "one"), TWO = JProf.prepareTag("user", "two");

	static void prepared() {
		for (int i = 0; i < TIMES / 2; i++) {
			ONE.set();
			TWO.set();
		}
	}

	static void opened() {
		for (int i = 0; i < TIMES / 2; i++)
			try (var tag = ONE.open()) {
			}
	}

	static void texts() {
		for (int i = 0; i < TIMES / 2; i++) {
			JProf.tagSet("user", "one");
			JProf.tagSet("user", "two");
		}
	}

	static void measure(String what, Runnable changes) {
		long least = Long.MAX_VALUE;

		for (int round = 0; round < ROUNDS; round++) {
			long before = BEAN.getCurrentThreadCpuTime();

			changes.run();
			least = Math.min(least, BEAN.getCurrentThreadCpuTime() - before);
		}
		System.out.printf("%-30s %6.1f ns a change%n", what, (double) least / TIMES);
	}

	public static void main(String[] arguments) {
		measure("a prepared tag", Switches::prepared);
		measure("opened and closed", Switches::opened);
		measure("texts", Switches::texts);
	}
}

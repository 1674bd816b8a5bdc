// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors

import java.lang.instrument.Instrumentation;
import java.lang.management.ManagementFactory;

/**
 * What classes cost that are retransformed again and again, by an agent without any transformer: two of them, called meanwhile
 * as often as a compiler looks at. Prints the CPU time of a round, two retransformations and 300 calls, for each hundred.
 *
 *   Retransformed ROUNDS plain|closing [collect]
 *
 * closing: of the two, one closes what it has opened, so that the verifier resolves Throwable in it. collect: after each hundred
 * there are collections, until the JVM has nothing left to collect.
 */
public final class Retransformed {
	private static final int HUNDRED = 100;
	private static final int CALLS = 300;

	private static Instrumentation instrumentation;
	private static int sum;

	private Retransformed() {
	}

	/** As an agent. */
	public static void premain(String arguments, Instrumentation given) {
		instrumentation = given;
	}

	/** A class that is changed. */
	static final class Plain {
		private Plain() {
		}

		static int next(int i) {
			return i * 31 + 1;
		}
	}

	/** A class that is changed. */
	static final class Closing implements AutoCloseable {
		static int next(int i) {
			try (Closing closing = new Closing()) {
				return i * 31 + closing.hashCode() % 2;
			}
		}

		@Override
		public void close() {
			sum++;
		}
	}

	private static long cpu() {
		return ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime();
	}

	private static void collect() throws InterruptedException {
		for (int i = 0; i < 5; i++) {
			System.gc();
			Thread.sleep(HUNDRED);
		}
	}

	/** The program. */
	public static void main(String[] arguments) throws Exception {
		boolean closing = arguments[1].equals("closing");
		long before = cpu();

		for (int i = 1; i <= Integer.parseInt(arguments[0]); i++) {
			for (int times = 0; times < 2; times++)
				instrumentation.retransformClasses(Plain.class, closing ? Closing.class : Plain.class);
			for (int call = 0; call < CALLS; call++)
				sum += Plain.next(call) + (closing ? Closing.next(call) : 0);
			if (i % HUNDRED > 0)
				continue;
			System.out.printf("%d %.1f ms%n", i, (cpu() - before) / 1e6 / HUNDRED);
			if (arguments.length > 2)
				collect();
			before = cpu();
		}
	}
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors

import java.util.List;

/**
 * What no subtraction gives back: without probes the compiler, or the processor, spares work that
 * has to be done once there are probes. That work is not the probes' own.
 */
final class Examples {
	private Examples() {
	}

	static List<Program> table() {
		return List.of(
				Program.whole("Getter", Getter::loop),
				Program.whole("Escape", Escape::loop),
				Program.whole("Overlap", Overlap::loop));
	}

	/** A getter in a hot loop: inlined, its loads are done several at a time. */
	static final class Getter {
		private static final Getter[] some = new Getter[1024];
		private final int value;

		static {
			for (int i = 0; i < some.length; i++)
				some[i] = new Getter(i);
		}

		private Getter(int value) {
			this.value = value;
		}

		int value() {
			return value;
		}

		static long loop(int n) {
			long sum = 0;
			for (int i = 0; i < n; i++)
				sum += some[i & some.length - 1].value();
			return sum;
		}
	}

	/**
	 * An object that only inlined methods see is never made. What is called now and then is inlined
	 * up to a size (-XX:MaxInlineSize, 35 bytes of code), and probes make `mean` larger than that.
	 * JDK 17 does not count one call in 16 as now and then, and makes no object with probes either.
	 */
	static final class Escape {
		private final long from, to;

		private Escape(long from, long to) {
			this.from = from;
			this.to = to;
		}

		long length() {
			return to - from;
		}

		long mean() {
			return (from >> 1) + (to >> 1) + (from & to & 1);
		}

		static long work(long x) {
			Escape range = new Escape(x, x + 10);
			return (x & 15) == 0 ? range.mean() : range.length();
		}

		static long loop(int n) {
			long sum = 0;
			for (int i = 0; i < n; i++)
				sum += work(sum ^ i);
			return sum;
		}
	}

	/** Calls that do not wait for one another: the processor has several of them under way. */
	static final class Overlap {
		static long work(long x) {
			for (int i = 0; i < 24; i++)
				x = x * 31 + 7;
			return x;
		}

		static long loop(int n) {
			long sum = 0;
			for (int i = 0; i < n; i++)
				sum += work(i);
			return sum;
		}
	}
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
// run: interpreted -Xint
// run[instrument attach]: compiled -Xcomp -XX:TieredStopAtLevel=1
// run: mixed
package cases;

/** How calls ran: all interpreted, all compiled, or nearly all once it is hot. The JVM's events
 * make it interpret. */
final class States {
	static long fib, cold;

	static int fib(int n) {
		fib++;
		return n < 2 ? n : fib(n - 1) + fib(n - 2);
	}

	static void cold() {
		cold++;
	}

	public static void main(String[] args) {
		Class<?> in = States.class;
		String method = "fib(I)I";
		String run = Truth.way().equals("events") ? "interpreted" : Truth.run();

		/* Compilers have some milliseconds: a hundredth of what the mixed run takes is far more. */
		fib(run.equals("mixed") ? 34 : 20);
		cold();
		switch (run) {
		case "interpreted" -> Truth.entered("interpreted", in, method, fib, fib);
		case "compiled" -> Truth.entered("jitted", in, method, fib, fib);
		default -> {
			Truth.entered("jitted", in, method, fib - fib / 100, fib - 1);
			Truth.entered("interpreted", in, "cold()V", 1, 1);
		}
		}
		Truth.calls(in, method, fib);
		Truth.calls(in, "cold()V", cold);
		Truth.save(in);
	}
}

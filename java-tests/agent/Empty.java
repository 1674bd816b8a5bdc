// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
package agent;

/** Methods that do nothing, called many times: what is seen of them is the probes. */
public final class Empty {
	private static int leaf(int x) {
		return x + 1;
	}

	private static int middle(int x) {
		return leaf(leaf(x));
	}

	private static int loop(int n, int x) {
		for (int i = 0; i < n; i++)
			x = middle(x);
		return x;
	}

	/**
	 * Runs them.
	 *
	 * @param arguments how often a thousand times
	 */
	public static void main(String[] arguments) {
		int x = 0;

		for (int i = Integer.parseInt(arguments[0]); i > 0; i--)
			x = loop(1000, x);
		System.out.println(x);
	}
}

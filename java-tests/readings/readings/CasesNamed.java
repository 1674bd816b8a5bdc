// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
package readings;

/** Methods with an argument that has the name by which it is asked for, and one without. */
class CasesNamed {
	CasesNamed(long other, String wanted) {
	}

	static int first(int wanted, int other) {
		return wanted + other;
	}

	static double second(long other, double wanted) {
		for (int i = 0; i < 2; i++)
			other++;
		return wanted + other;
	}

	void third(double other, Object wanted, long more) {
	}

	/** A variable, not an argument. */
	static int without(int other) {
		int wanted = other;

		return wanted + 1;
	}
}

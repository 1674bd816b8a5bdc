// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
// run: plain
package cases;

import java.util.function.IntUnaryOperator;

/** tableswitch and lookupswitch at every alignment, many in one method, and backwards. */
final class Switches {
	static final int[] KEYS = {Integer.MIN_VALUE, -1, 5, 1000, Integer.MAX_VALUE};
	static final int[] TRIED = {Integer.MIN_VALUE, Integer.MIN_VALUE + 1, -2, -1, 0, 1, 2, 3, 4, 5,
			6, 7, 8, 9, 999, 1000, 1001, Integer.MAX_VALUE - 1, Integer.MAX_VALUE};

	static int table(int key, int shift) {
		return key >= 0 && key < 8 ? 10 * key + shift : -1;
	}

	static int lookup(int key, int shift) {
		for (int i = 0; i < KEYS.length; i++)
			if (KEYS[i] == key)
				return 10 * i + shift;
		return -1;
	}

	static void compare(IntUnaryOperator[] tables, IntUnaryOperator[] lookups) {
		for (int shift = 0; shift < 4; shift++) {
			for (int key : TRIED) {
				Truth.expect(tables[shift].applyAsInt(key) == table(key, shift),
						"table" + shift + " of " + key);
				Truth.expect(lookups[shift].applyAsInt(key) == lookup(key, shift),
						"lookup" + shift + " of " + key);
			}
		}
	}

	public static void main(String[] args) {
		String hidden = "cases.Switches$$Lambda";
		Class<?> in = SwitchCode.class;

		compare(new IntUnaryOperator[] {SwitchCode::table0, SwitchCode::table1,
				SwitchCode::table2, SwitchCode::table3},
				new IntUnaryOperator[] {SwitchCode::lookup0, SwitchCode::lookup1,
						SwitchCode::lookup2, SwitchCode::lookup3});
		for (int key : TRIED)
			Truth.expect(SwitchCode.row(key) == (key == 0 || key == 1 ? 48 : 0), "row " + key);
		for (int n = 1; n < 30; n++)
			Truth.expect(SwitchCode.back(n) == n, "back " + n);
		for (int shift = 0; shift < 4; shift++) {
			Truth.calls(in, "table" + shift + "(I)I", TRIED.length);
			Truth.calls(in, "lookup" + shift + "(I)I", TRIED.length);
		}
		Truth.calls(in, "row(I)I", TRIED.length);
		Truth.calls(in, "back(I)I", 29);
		Truth.calls(Switches.class, "<clinit>()V", 1);
		Truth.calls(Switches.class, "table(II)I", 4 * TRIED.length);
		Truth.calls(Switches.class, "lookup(II)I", 4 * TRIED.length);
		Truth.calls(Switches.class, "compare([Ljava/util/function/IntUnaryOperator;"
				+ "[Ljava/util/function/IntUnaryOperator;)V", 1);
		Truth.calls(hidden, "<init>()V", 8);
		Truth.calls(hidden, "applyAsInt(I)I", 8 * TRIED.length);
		Truth.save(Switches.class);
	}
}

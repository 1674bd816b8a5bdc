// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors

import java.util.ArrayList;
import java.util.List;

/** A class of a common size: a dozen methods, loops, a handler, strings. */
public final class Copied00000 implements Runnable {
	private final List<String> names = new ArrayList<>();
	private int state = 17;

	public Copied00000() {
		for (int i = 0; i < 4; i++)
			names.add("name" + i);
	}

	@Override
	public void run() {
		next();
		if (isOdd())
			choose();
		else
			parse("12");
	}

	private void next() {
		state = state * 31 + 7;
	}

	private boolean isOdd() {
		return (state & 1) != 0;
	}

	private int choose() {
		switch (state & 3) {
		case 0:
			return first();
		case 1:
			return second();
		default:
			return third(state);
		}
	}

	private int first() {
		return names.get(0).length();
	}

	private int second() {
		int sum = 0;

		for (String name : names)
			sum += name.hashCode();
		return sum;
	}

	private static int third(int value) {
		return value > 100 ? value / 3 : value * 3;
	}

	private static int parse(String text) {
		try {
			return Integer.parseInt(text);
		} catch (NumberFormatException e) {
			return -1;
		}
	}

	public synchronized String describe() {
		StringBuilder text = new StringBuilder();

		for (String name : names)
			text.append(name).append(' ').append(state);
		return text.toString();
	}
}

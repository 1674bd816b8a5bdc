// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
package java.lang;

import java.util.List;

/** What the methods call that native/readings.c has put probes into: notes the calls, where somebody waits for them. */
public final class JprofProbe {
	/** A call: the probe's name, and what it was called with: a number, and in front of it a value. */
	public record Call(String probe, char type, Object value, int number) {
	}

	/** NULL: nobody waits. One thread at a time. */
	public static List<Call> calls;
	/** Thrown by the probes that have values, if it is not null. */
	public static RuntimeException thrown;

	private JprofProbe() {
	}

	private static void note(String probe, int id) {
		if (calls != null)
			calls.add(new Call(probe, 'I', null, id));
	}

	private static void note(String probe, char type, Object value, int number) {
		if (calls == null)
			return;
		calls.add(new Call(probe, type, value, number));
		if (thrown != null)
			throw thrown;
	}

	public static void enter(int id) {
		note("enter", id);
	}

	public static void watched(int id) {
		note("enter", id);
	}

	public static void entered(int id) {
		note("entered", id);
	}

	public static void count(int id) {
		note("count", id);
	}

	public static void exit(int id) {
		note("exit", id);
	}

	public static void unwind(int id) {
		note("unwind", id);
	}

	public static void caught(int id) {
		note("caught", id);
	}

	public static void value(Object value, int number) {
		note("value", 'L', value, number);
	}

	public static void value(long value, int number) {
		if (calls != null)
			note("value", 'J', value, number);
	}

	public static void value(double value, int number) {
		if (calls != null)
			note("value", 'D', value, number);
	}

	public static void result(Object value, int number) {
		note("result", 'L', value, number);
	}

	public static void result(long value, int number) {
		if (calls != null)
			note("result", 'J', value, number);
	}

	public static void result(double value, int number) {
		if (calls != null)
			note("result", 'D', value, number);
	}
}

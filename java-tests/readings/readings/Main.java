// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
package readings;

import java.lang.JprofProbe.Call;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;

/**
 * Calls the methods of Cases and compares what arrives at the probes with what they were called with. A line for each
 * difference. Numbers: native/readings.c.
 *
 * <pre>
 *   readings.Main KINDS     the set of probes that the methods have
 *   readings.Main named     prints what is read in CasesNamed
 * </pre>
 */
final class Main {
	private static final int NEAR = (1 << 20) - 1, RESULT = 1, THIS = 2, FIRST = 3, NAMED = 500;
	private static final int TIMED = 1;
	private static int kinds, checks;
	/** Whom `this` is compared with. */
	private static Object self;

	private Main() {
	}

	private static void fail(String what, String text) {
		System.out.println(what + ": " + text);
	}

	private static List<Call> calls(Callable<?> call, Class<?> thrown) {
		List<Call> calls = new ArrayList<>();
		Throwable was = null;

		JprofProbe.calls = calls;
		try {
			call.call();
		} catch (Throwable e) {
			was = e;
		}
		JprofProbe.calls = null;
		if (thrown == null ? was != null : !thrown.isInstance(was))
			fail("thrown", String.valueOf(was));
		return calls;
	}

	private static String text(Object value) {
		if (value == self && self != null)
			return "self";
		return value != null && value.getClass().isArray() ? value.getClass().getName() : String.valueOf(value);
	}

	private static String text(Call call) {
		int number = call.number() & NEAR;
		String where = number == RESULT ? "result" : number == THIS ? "this" : Integer.toString(number - FIRST);

		if (call.type() == 'I')
			return call.probe();
		if (call.probe().equals("result") != (number == RESULT))
			fail(call.probe(), "number " + number);
		return where + call.type() + "=" + text(call.value());
	}

	/** expected: of each call, words; what the method has of other probes is put around them. */
	private static void check(String what, Callable<?> call, String... expected) {
		compare(what, calls(call, null), expected);
	}

	private static void compare(String what, List<Call> calls, String... expected) {
		StringBuilder found = new StringBuilder(), wanted = new StringBuilder();

		for (Call call : calls)
			found.append(text(call)).append(' ');
		for (String one : expected)
			wanted.append(around(one));
		if (!found.toString().equals(wanted.toString()))
			fail(what, "found " + found + "expected " + wanted);
		checks++;
	}

	private static String around(String call) {
		StringBuilder all = new StringBuilder();
		boolean timed = (kinds & TIMED) != 0, begins = call.startsWith("("), ends = call.endsWith(")");
		String inside = call.replaceAll("[()]", "").trim();
		String[] words = inside.isEmpty() ? new String[0] : inside.split(" ");

		if (!begins)
			all.append(timed ? "enter " : "").append((kinds & 2) != 0 ? "entered " : "")
					.append((kinds & 4) != 0 ? "count " : "");
		for (String word : words)
			if (timed || !(word.equals("unwind") || word.equals("caught")))
				all.append(word).append(' ');
		if (!ends && timed)
			all.append("exit ");
		return all.toString();
	}

	private static void types() {
		check("nothing", () -> {
			Cases.nothing();
			return 0;
		}, "");
		check("booleans", () -> Cases.booleans(true, false), "0J=1 1J=0 resultJ=0");
		check("booleans", () -> Cases.booleans(true, true), "0J=1 1J=1 resultJ=1");
		check("bytes", () -> Cases.bytes((byte) -128, (byte) 3), "0J=-128 1J=3 resultJ=-125");
		check("chars", () -> Cases.chars('\uffff', 'a'), "0J=65535 1J=97 resultJ=65535");
		check("shorts", () -> Cases.shorts((short) -32768, (short) 32767), "0J=-32768 1J=32767 resultJ=-1");
		check("ints", () -> Cases.ints(Integer.MIN_VALUE, 1), "0J=-2147483648 1J=1 resultJ=-2147483647");
		check("longs", () -> Cases.longs(Long.MIN_VALUE, 7, 5_000_000_000L),
				"0J=-9223372036854775808 1J=7 2J=5000000000 resultJ=-9223372031854775801");
		check("floats", () -> Cases.floats(-0.0f, 0.5f), "0D=-0.0 1D=0.5 resultD=-0.0");
		check("floats", () -> Cases.floats(0.1f, 0), "0D=0.10000000149011612 1D=0.0 resultD=Infinity");
		check("floats", () -> Cases.floats(0, 0), "0D=0.0 1D=0.0 resultD=NaN");
		check("doubles", () -> Cases.doubles(0.1, 2, Double.MIN_VALUE), "0D=0.1 1D=2.0 2D=4.9E-324 resultD=0.0");
		check("objects", () -> Cases.objects(null, "text"), "0L=null 1L=text resultL=text");
		check("objects", () -> Cases.objects(self, null), "0L=self 1L=null resultL=self");
		check("arrays", () -> Cases.arrays(new int[1], new long[2][]), "0L=[I 1L=[[J resultL=[[J");
		check("strings", () -> Cases.strings("a", "b"), "0L=[Ljava.lang.String; resultL=a+b");
		check("larger", () -> Cases.larger("a", "b"), "0L=a 1L=b resultL=b");
		check("colours", () -> Cases.Colour.other(Cases.Colour.RED), "0L=RED resultL=GREEN");
	}

	private static void instances() {
		Cases cases = (Cases) self;

		check("mixed", () -> cases.mixed(1L << 40, "b", 2.5, 3, 0.5f, (byte) -1),
				"thisL=self 0J=1099511627776 1L=b 2D=2.5 3J=3 4D=0.5 5J=-1 resultD=1.099511627781E12");
		check("same", cases::same, "thisL=self resultL=self");
		check("eight", () -> Cases.eight(1, 2, 3, 4, 5, 6, 7, 8), "0J=1 1J=2 2J=3 5J=6 6J=7 7J=8 resultJ=36");
		Cases.Default said = new Cases.Default() {
		};
		self = said;
		check("say", () -> said.say("ab", 2), "thisL=self 0L=ab 1J=2 resultL=abab");
	}

	/** The outer constructor is entered first, and both end after the inner one. */
	private static void constructors() {
		check("Child", () -> new Cases.Child(5, 2.5), "0J=5 1D=2.5 )", "0J=5", "(");
		check("Child of a text", () -> new Cases.Child("four"), "0L=four )", "0J=4 1D=0.5 )", "0J=4", "(", "(");
		check("given", () -> new Cases.Child(-1, 9.0).given(), "0J=-1 1D=9.0 )", "0J=9", "(",
				"thisL=parent resultJ=9");
	}

	private static void flow() {
		Object lock = new Object();

		for (int n : new int[] {-5, 1, 7, 100})
			check("loop", () -> Cases.loop(n), "0J=" + n + " resultJ=" + Cases.loop(n));
		check("changed", () -> Cases.changed(20), "0J=20 resultJ=41");
		for (int n : new int[] {0, 1, 5, 6, 101})
			check("several", () -> Cases.several(n), "0J=" + n + " resultJ=" + Cases.several(n));
		compare("several", calls(() -> Cases.several(-1), IllegalArgumentException.class), "0J=-1 unwind )");
		check("tried", () -> Cases.tried(1), "0J=1 )", "0J=1 resultJ=11", "( resultJ=11");
		check("tried", () -> Cases.tried(-1), "0J=-1 )", "0J=-1 unwind )", "( caught resultJ=77");
		check("guarded", () -> Cases.guarded(3), "0J=3 resultJ=4");
		self = lock;
		check("locked", () -> Cases.locked(lock, 0), "0L=self 1J=0 resultJ=5");
		check("locked", () -> Cases.locked(lock, 1), "0L=self 1J=1 resultJ=2");
		check("lockedWhole", () -> Cases.lockedWhole(4), "0J=4 resultJ=4");
	}

	/** What a probe throws ends the call, as it was entered and not left. */
	private static void throwing() {
		JprofProbe.thrown = new IllegalStateException("of a probe");
		compare("guarded", calls(() -> Cases.guarded(3), IllegalStateException.class), "0J=3 unwind )");
		compare("mixed", calls(() -> new Cases().same(), IllegalStateException.class), "", "thisL=cases unwind )");
		compare("guardedResult", calls(Cases::guardedResult, IllegalStateException.class), "resultJ=32 unwind )");
		compare("values", calls(Cases.Colour::values, IllegalStateException.class),
				"resultL=[Lreadings.Cases$Colour; unwind )");
		JprofProbe.thrown = null;
	}

	/** All slots that a method may have: generated. */
	private static void wide() throws ReflectiveOperationException {
		Class<?> wide = Class.forName("readings.CasesWide");
		Object[] longs = new Object[127], all = new Object[128];
		Object made = wide.getDeclaredConstructor().newInstance();
		Class<?>[] types = new Class<?>[128];

		for (int i = 0; i < 127; i++) {
			all[i] = longs[i] = (1L << 40) + i;
			types[i] = long.class;
		}
		all[127] = 99;
		types[127] = int.class;
		java.lang.reflect.Method one = wide.getDeclaredMethod("statics", types);
		java.lang.reflect.Method other = wide.getDeclaredMethod("instances", java.util.Arrays.copyOf(types, 127));
		String first = "0J=1099511627776 1J=1099511627777 2J=1099511627778 ";

		check("statics", () -> one.invoke(null, all),
				first + "125J=1099511627901 126J=1099511627902 127J=99 resultJ=1099511628001");
		self = made;
		check("instances", () -> other.invoke(made, longs), "thisL=self " + first
				+ "124J=1099511627900 125J=1099511627901 126J=1099511627902 resultJ=1099511627902");
	}

	private static void named() {
		List<Call> calls = calls(() -> {
			CasesNamed.first(1, 2);
			CasesNamed.second(3, 4.5);
			new CasesNamed(5, "six").third(7.5, "eight", 9);
			CasesNamed.without(10);
			return 0;
		}, null);

		for (Call call : calls)
			if ((call.number() & NEAR) == NAMED)
				System.out.println(call.type() + " " + call.value());
	}

	public static void main(String[] args) throws ReflectiveOperationException {
		if (args[0].equals("named")) {
			named();
			return;
		}
		Cases.Colour.values();
		kinds = Integer.parseInt(args[0]);
		/* Often enough to be compiled, where the JVM does so. */
		for (int i = 0; i < 30; i++) {
			self = new Cases();
			types();
			instances();
			wide();
			constructors();
			flow();
			throwing();
		}
		System.out.println(checks + " checks");
	}
}

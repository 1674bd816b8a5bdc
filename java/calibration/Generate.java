// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * Writes the calibration program's methods, of which there are many alike: `java Generate.java
 * FOLDER`. Each program has its own copies, so that none is compiled by the profile of another.
 *
 * <pre>
 *   Drive.runN (no probes) --> calibrated.Chains  *A --> *B --> *C, *D   every sequence of types
 *                              calibrated.Calls   * --> callee, 1 or 5 times   what a call costs
 *                              calibrated.Bodies  known work in the middle of calls
 *                              calibrated.Throws  methods left by an exception
 * </pre>
 *
 * Classes of package jprof get no probes: those that are to have some are in package calibrated.
 *
 * A method's name begins with how it is to run: what begins with `interpreted` is kept from the
 * compilers by an option of the JVM, what begins with `native` is bound by class Natives.
 */
final class Generate {
	/** A type is 2 * its state + 1 if it is static, as in calibration/sequence.h. */
	static final String[] STATES = {"interpreted", "jitted", "native"};
	static final int TYPES = 6;
	static final int JITTED = 2, JITTED_STATIC = 3;
	/** In a native line: throw instead of working. */
	static final int THROWS = -1;

	/** A method that generated code calls. */
	record Callee(String name, int type, int slot) {
		String call() {
			return "x = " + (type % 2 == 1 ? "" : "SELF.") + name + "(" + slot + ", x); ";
		}
	}

	/** A class of package calibrated. */
	static final class Work {
		final String name;
		final StringBuilder methods = new StringBuilder(), natives = new StringBuilder();

		Work(String name) {
			this.name = name;
		}

		Callee add(String method, int type, int chain, String body, Callee... callees) {
			if (type / 2 == 2)
				return addNative(method, type, chain, callees);
			methods.append("\t").append(type % 2 == 1 ? "static " : "").append("int ")
					.append(method).append("(int slot, int x) {\n\t\t").append(body)
					.append("\n\t}\n\n");
			return new Callee(method, type, 0);
		}

		private Callee addNative(String method, int type, int chain, Callee... callees) {
			int slot = slots++;

			methods.append("\t").append(type % 2 == 1 ? "static " : "")
					.append("native int ").append(method).append("(int slot, int x);\n\n");
			natives.append(slot + " " + method + " " + chain);
			for (Callee callee : callees)
				natives.append(" " + callee.name + " " + callee.slot);
			natives.append("\n");
			return new Callee(method, type, slot);
		}

		void write(Path folder) throws IOException {
			Files.writeString(folder.resolve(name + ".java"), """
					package calibrated;

					import jprof.calibration.Memory;
					import jprof.calibration.Natives;

					public final class %1$s {
						public static final %1$s SELF = new %1$s();
						/** See Natives.bind. */
						public static final String NATIVES = \"""
					%2$s\""";

					%3$s}
					""".formatted(name, natives, methods.toString()
					.replaceAll("(?m)^\\t((?:static )?(?:native )?int )", "\tpublic $1")));
		}
	}

	static int slots;
	static final Work chains = new Work("Chains"), calls = new Work("Calls"),
			bodies = new Work("Bodies"), thrown = new Work("Throws"),
			paths = new Work("Paths");
	static final List<String> names = new ArrayList<>();
	static final StringBuilder drive = new StringBuilder();

	/** The loop around a program, which is outside of what has probes. */
	static void drive(String name, Work work, Callee callee) {
		run(name, "for (int i = 0; i < n; i++) "
				+ callee.call().replace("x = ", "x = " + work.name + ".") + "return x;");
	}

	static void run(String name, String code) {
		drive.append("\tprivate static int run").append(names.size())
				.append("(int n, int x) {\n\t\t").append(code).append("\n\t}\n\n");
		names.add(name);
	}

	static String name(int type, String rest) {
		return STATES[type / 2] + rest;
	}

	static Callee leaf(Work work, int type, String rest) {
		return work.add(name(type, rest), type, 0, "return x + 1;");
	}

	static Callee caller(Work work, int type, String rest, Callee... callees) {
		StringBuilder body = new StringBuilder();

		for (Callee callee : callees)
			body.append(callee.call());
		return work.add(name(type, rest), type, 0, body + "return x;", callees);
	}

	/* ---- every sequence ---- */

	/** A calls B, which calls C and D. With d = a + c each triple of types occurs as a-b-c (entry,
	 * entry), c-b-d (exit, entry) and d-b-a (exit, exit). */
	static void chains() {
		for (int i = 0; i < TYPES * TYPES * TYPES; i++) {
			int a = i / (TYPES * TYPES), b = i / TYPES % TYPES, c = i % TYPES;
			Callee first = leaf(chains, c, "C" + i);
			Callee second = leaf(chains, (a + c) % TYPES, "D" + i);
			Callee middle = caller(chains, b, "B" + i, first, second);

			drive("types_" + i, chains, caller(chains, a, "A" + i, middle));
		}
		for (int type = 0; type < TYPES; type++)
			drive("types_leaf" + type, chains, leaf(chains, type, "Alone" + type));
	}

	/* ---- calls ---- */

	static void calls() {
		for (int i = 0; i < TYPES * TYPES; i++) {
			for (int times : new int[] {1, 5}) {
				String rest = i + "_" + times;
				Callee callee = leaf(calls, i % TYPES, "Callee" + rest);
				Callee[] callees = Collections.nCopies(times, callee).toArray(Callee[]::new);

				drive("calls_" + i / TYPES + "_" + i % TYPES + "_" + times, calls,
						caller(calls, i / TYPES, "Caller" + rest, callees));
			}
		}
	}

	/* ---- bodies ---- */

	record Body(String name, int chain, String code) {
	}

	/** So many times. Compilers do not know how often, and would have to ask before a probe that might
	 * change it: so no work is moved past it. Nor has the work constants, beyond those that are part of
	 * an instruction on all processors: others are made anew behind a probe on some, or before one. So
	 * how often is in a field of `this`. */
	static String loop(int times) {
		return "for (int j = times" + times + "; j > 0; j--) ";
	}

	static final int[] TIMES = {1, 4, 8, 16, 32, 64};

	static Body chain(int length) {
		return new Body("chain" + length, length,
				loop(length) + "{ x ^= x << 13; x ^= x >>> 17; x ^= x << 5; } ");
	}

	static Body wide(int length) {
		return new Body("wide" + length, 0, "{ int a = x, b = x ^ 5, c = x + 9, d = x ^ 77; "
				+ loop(length / 4) + "{ a = a + (a << 3) ^ j; b = b + (b << 5) ^ j; "
				+ "c = c + (c << 7) ^ j; d = d + (d << 9) ^ j; } x = a ^ b ^ c ^ d; } ");
	}

	static Body memory(String name, String array, int shift, int hops) {
		return new Body(name, 0, "{ int[] places = Memory." + array + "; "
				+ "int p = x ^ x << 15; p ^= p << 7; p >>>= " + shift + "; "
				+ loop(hops) + "p = places[p]; x += p; } ");
	}

	static final Body EMPTY = new Body("empty", 0, "");
	static final Body BRANCHES = new Body("branches", 0,
			"{ int bits = x ^ x << 13; bits ^= bits >>> 17; "
			+ loop(8) + "{ if ((bits >>> j & 1) != 0) x += bits >>> 3; "
			+ "else { x ^= bits; x ^= x << 5; } } } ");
	static final List<Body> COMPILED = List.of(EMPTY, chain(1), chain(4), chain(8), chain(16),
			chain(32), chain(64), wide(4), wide(16), wide(64), BRANCHES,
			memory("near4", "NEAR", 22, 4), memory("far1", "FAR", 10, 1),
			memory("far4", "FAR", 10, 4));
	static final List<Body> OTHERS = List.of(EMPTY, chain(1), chain(4), chain(16), chain(64));

	/** Behind the work as many calls as the shape has, and work behind each. All depends on the call
	 * before: what does not is done beside it without probes, and not with them. */
	static void body(int type, Body body, String shape, int count) {
		String rest = "_" + shape + "_" + body.name;
		String name = name(type, rest);
		Callee[] callees = new Callee[count];
		StringBuilder code = new StringBuilder(body.code);

		for (int i = 0; i < count; i++) {
			callees[i] = leaf(bodies, JITTED_STATIC, "Leaf" + names.size() + "_" + i);
			code.append(callees[i].call()).append(body.code);
		}
		Callee worker = bodies.add(name, type, body.chain, code + "return x;", callees);
		Callee loop = bodies.add("jittedLoop" + names.size(), JITTED, 0,
				"for (int i = 0; i < slot; i++) " + worker.call().replace("SELF.", "")
						+ "return x;");
		run("bodies_" + name, "return Bodies.SELF." + loop.name + "(n, x);");
	}

	static void bodies() {
		for (int times : TIMES)
			bodies.methods.append("\tpublic int times" + times + " = " + times + ";\n\n");
		for (int state = 0; state < STATES.length; state++)
			for (Body body : state == 1 ? COMPILED : OTHERS) {
				body(2 * state, body, "leaf", 0);
				body(2 * state, body, "once", 1);
				body(2 * state, body, "twice", 2);
			}
	}

	/* ---- exceptions ---- */

	static void thrown() {
		for (int type = 0; type < TYPES; type++) {
			Callee thrower = thrown.add(name(type, "Thrower" + type), type, THROWS,
					"throw Natives.THROWN;");

			drive("throws_" + type, thrown, thrown.add("jittedCatcher" + type,
					JITTED_STATIC, 0, "try { " + thrower.call()
							+ "} catch (Natives.Thrown e) { x++; } return x;"));
		}
	}

	/* ---- many call paths ---- */

	/** Each round is a path of so many calls more: which of two methods comes next is a bit of x. So a
	 * tree has 2 << depth nodes below its root but one. At first all paths are walked in an order
	 * that has nothing to do with the later one, so that their nodes are not side by side. */
	static void paths(int depth) {
		String name = name(JITTED_STATIC, "Path" + depth + "_");

		for (int bit = 0; bit < 2; bit++)
			paths.add(name + bit, JITTED_STATIC, 0, "if (slot == 0) return x; "
					+ "return (x & 1) != 0 ? " + name + "1(slot - 1, x >> 1) : "
					+ name + "0(slot - 1, x >> 1);");
		run("paths_" + depth, ("int last = (1 << %1$d) - 1; "
				+ "if (Memory.PATHS[%1$d] == 0) for (int i = 0; i <= last; i++) "
				+ "x += Paths.%2$s0(%1$d, i * 0x2c1b3c6d & last); "
				+ "for (int i = 0; i < n; i++) "
				+ "x += Paths.%2$s0(%1$d, Memory.PATHS[%1$d]++ & last); return x;")
				.formatted(depth, name));
	}

	/* ---- the drivers ---- */

	static String driver() {
		StringBuilder text = new StringBuilder("""
				package jprof.calibration;

				import calibrated.Bodies;
				import calibrated.Calls;
				import calibrated.Chains;
				import calibrated.Paths;
				import calibrated.Throws;

				/** One loop a program; n rounds, beginning with x. */
				final class Drive {
					static final String[] NAMES = {
				""");

		for (String name : names)
			text.append("\t\t\"").append(name).append("\",\n");
		text.append("\t};\n\n\tprivate Drive() {\n\t}\n\n"
				+ "\tstatic int run(int program, int n, int x) {\n\t\tswitch (program) {\n");
		for (int i = 0; i < names.size(); i++)
			text.append("\t\tcase " + i + ": return run" + i + "(n, x);\n");
		text.append("\t\tdefault: throw new IllegalArgumentException();\n\t\t}\n\t}\n\n");
		return text.append(drive).append("}\n").toString();
	}

	public static void main(String[] arguments) throws IOException {
		Path folder = Files.createDirectories(Path.of(arguments[0], "jprof", "calibration"));
		Path work = Files.createDirectories(Path.of(arguments[0], "calibrated"));

		chains();
		calls();
		bodies();
		thrown();
		for (int depth : new int[] {6, 9, 12, 15})
			paths(depth);
		for (Work each : List.of(chains, calls, bodies, thrown, paths))
			each.write(work);
		Files.writeString(folder.resolve("Drive.java"), driver());
	}
}

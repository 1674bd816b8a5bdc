// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors

import java.util.List;
import java.util.Map;
import java.util.function.IntToLongFunction;

import jprof.JProf;

/**
 * Runs one program whose methods' own CPU time and allocation are known, beside jprof.
 *
 * Usage: Accuracy programs | examples | run PROGRAM
 *
 * The agent is there, but does not record (start=no). What the program uses without probes is
 * measured first, and again when they are out; between the two its first loop runs with them,
 * between the snapshots begin and end. So all of it is about one JVM, one place of its data in
 * memory, and one moment of the machine. Prints one JSON object: how often the loop ran with
 * probes, and what each method uses of an iteration, ns before and after, and bytes.
 */
final class Accuracy {
	private static final long RECORDED = 200_000_000; // ns

	private Accuracy() {
	}

	/** Runs the loop with probes, and returns how many iterations are between the snapshots. */
	private static int record(IntToLongFunction loop) {
		JProf.start();
		int iterations = Loops.warm(loop, RECORDED);
		// A call site that was bound before the loop was compiled enters the interpreter once more.
		Loops.run(loop, 1);
		Loops.run(loop, 1);
		JProf.snapshot("begin");
		Loops.run(loop, iterations);
		JProf.snapshot("end");
		JProf.stop();
		return iterations;
	}

	private static void run(Program program) {
		Map<String, Loops.Cost> before = program.costs();
		int iterations = record(program.first());
		Map<String, Loops.Cost> after = program.costs();
		String between = "";

		System.out.printf("{\"program\": \"%s\", \"iterations\": %d, \"truths\": [", program.name(),
				iterations);
		for (Program.Truth truth : program.truths()) {
			Loops.Cost first = truth.of(before), second = truth.of(after);
			System.out.printf("%s%n {\"method\": \"%s\", \"before\": %.4f, \"after\": %.4f, "
					+ "\"bytes\": %.4f}", between, truth.method(), first.ns(), second.ns(), first.bytes());
			between = ",";
		}
		System.out.println("]}");
	}

	private static void list(List<Program> programs) {
		for (Program program : programs)
			System.out.println(program.name());
	}

	private static Program named(String name) {
		for (List<Program> table : List.of(Programs.table(), Examples.table()))
			for (Program program : table)
				if (program.name().equals(name))
					return program;
		throw new IllegalArgumentException("no program '" + name + "'");
	}

	public static void main(String[] arguments) {
		switch (arguments[0]) {
		case "programs" -> list(Programs.table());
		case "examples" -> list(Examples.table());
		case "run" -> run(named(arguments[1]));
		default -> throw new IllegalArgumentException(arguments[0]);
		}
	}
}

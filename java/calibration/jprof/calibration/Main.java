// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
package jprof.calibration;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.StringJoiner;

import jprof.JProf;
import calibrated.Bodies;
import calibrated.Calls;
import calibrated.Chains;
import calibrated.Throws;

/**
 * Runs the calibration's programs: `Main METRICS MILLISECONDS GROUP...`, metrics joined by '+'.
 *
 * <p>All programs are warmed up, then each group is run again and again, the groups in turn, until
 * the time has passed: at least three times. Each time the counts of the profile are kept before
 * and after the group, as snapshots GROUP.N.begin and GROUP.N.end. Then it is printed what each
 * batch took: one JSON object a line. Between the batches as little as can be is done.
 */
public final class Main {
	private static final int LEAST = 3, MOST = 25;
	/** The JIT compilers are told to be early. Loops are compiled for having been called often, too, so
	 * they are. Then, and in two batches that nobody measures, code settles. */
	private static final int WARM_CALLS = 150, WARM_ROUNDS = 15, WARM = 700, UNMEASURED = 2;
	/** A batch is about so long for each millisecond that all may take, but no longer or shorter than
	 * so many rounds. */
	private static final long BATCH_NS = 150;
	private static final int BATCH_LEAST = 250, BATCH_MOST = 100_000;

	private final String[] metrics;
	private final List<Group> groups = new ArrayList<>();
	private final PrintStream out = System.out;
	private final long milliseconds, batch;
	/** What the programs come to, so that nobody leaves them out. */
	private int result;

	private static final class Group {
		final String name;
		final List<Integer> programs = new ArrayList<>();
		int[] rounds;

		Group(String name) {
			this.name = name;
			for (int i = 0; i < Drive.NAMES.length; i++)
				if (Drive.NAMES[i].startsWith(name + "_"))
					programs.add(i);
			rounds = new int[programs.size()];
		}
	}

	private Main(String metrics, long milliseconds, List<String> groups) {
		this.metrics = metrics.split("\\+");
		this.milliseconds = milliseconds;
		batch = milliseconds * BATCH_NS;
		for (String name : groups)
			this.groups.add(new Group(name));
	}

	/** Has compilers: the JVM says "mixed mode", "interpreted mode" or the like. */
	private static boolean compiles() {
		return !System.getProperty("java.vm.info", "").contains("interpreted mode");
	}

	private void compile(int program) {
		for (int call = 0; call < WARM_CALLS; call++)
			result += Drive.run(program, WARM_ROUNDS, result);
		result += Drive.run(program, WARM, result);
	}

	private void warm(Group group) {
		int rounds = compiles() ? WARM : WARM_ROUNDS;

		for (int i = 0; i < group.rounds.length; i++) {
			int program = group.programs.get(i);

			if (compiles())
				compile(program);
			long begin = System.nanoTime();
			result += Drive.run(program, rounds, result);
			group.rounds[i] = roundsFor(rounds, System.nanoTime() - begin);
		}
		for (int times = compiles() ? 0 : UNMEASURED; times < UNMEASURED; times++)
			for (int i = 0; i < group.rounds.length; i++)
				result += Drive.run(group.programs.get(i), group.rounds[i], result);
	}

	private int roundsFor(int rounds, long ns) {
		return (int) Math.max(BATCH_LEAST,
				Math.min(BATCH_MOST, batch * rounds / Math.max(1, ns)));
	}

	/** Of this thread, and the time, into values. */
	private void read(long[] values) {
		for (int i = 0; i < metrics.length; i++)
			values[i] = JProf.threadValue(metrics[i]);
		values[metrics.length] = System.nanoTime();
	}

	private void print(Group group, int index, int repetition, long[] before, long[] after) {
		StringJoiner values = new StringJoiner(",");

		for (int i = 0; i < metrics.length; i++)
			values.add("\"" + metrics[i] + "\":" + (after[i] - before[i]));
		out.println("{\"program\":\"" + Drive.NAMES[group.programs.get(index)]
				+ "\",\"repetition\":" + repetition + ",\"rounds\":" + group.rounds[index]
				+ ",\"ns\":" + (after[metrics.length] - before[metrics.length])
				+ ",\"values\":{" + values + "}}");
	}

	private void repeat(Group group, int repetition) {
		long[][][] values = new long[group.rounds.length][2][metrics.length + 1];
		String label = group.name + "." + repetition;

		JProf.snapshot(label + ".begin");
		for (int i = 0; i < group.rounds.length; i++) {
			read(values[i][0]);
			result += Drive.run(group.programs.get(i), group.rounds[i], result);
			read(values[i][1]);
		}
		JProf.snapshot(label + ".end");
		for (int i = 0; i < group.rounds.length; i++)
			print(group, i, repetition, values[i][0], values[i][1]);
	}

	private void run() {
		groups.forEach(this::warm);
		out.println("{\"warm\":true}");
		long end = System.nanoTime() + milliseconds * 1_000_000;
		int repetition = 0;
		while (repetition < LEAST || repetition < MOST && System.nanoTime() < end) {
			repetition++;
			for (Group group : groups)
				repeat(group, repetition);
			out.flush();
		}
		out.println("{\"repetitions\":" + repetition + ",\"result\":" + result + "}");
	}

	/**
	 * Runs them.
	 *
	 * @param arguments see above
	 * @throws ReflectiveOperationException if the agent is not loaded
	 */
	public static void main(String[] arguments) throws ReflectiveOperationException {
		List<String> words = List.of(arguments);

		Natives.open();
		Natives.bind(Chains.class, Chains.SELF, Chains.NATIVES);
		Natives.bind(Calls.class, Calls.SELF, Calls.NATIVES);
		Natives.bind(Bodies.class, Bodies.SELF, Bodies.NATIVES);
		Natives.bind(Throws.class, Throws.SELF, Throws.NATIVES);
		new Main(words.get(0), Long.parseLong(words.get(1)), words.subList(2, words.size())).run();
		System.out.flush();
	}
}

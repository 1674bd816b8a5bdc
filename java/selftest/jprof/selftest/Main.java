// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
package jprof.selftest;

import java.util.EnumMap;
import java.util.Map;
import java.util.StringJoiner;
import jprof.JProf;
import jprof.calibration.Natives;
import selftest.Shares;

/**
 * The program with known shares, under jprof: `Main METRICS MILLISECONDS WITHOUT WITH`, where the last
 * two are options of the recordings without probes and with them.
 *
 * <p>Without probes it finds out how often, and with how much work, each method has to be called to get
 * its share of time, and measures what each uses. Then the same methods run with probes, between the
 * snapshots `begin` and `end`. Then it is measured without probes once more. A JSON object a line
 * is printed for each method: what it should have used in the measured time.
 */
public final class Main {
	/** Turns in which work is chosen; repetitions of each. */
	private static final int TUNINGS = 4, TUNING = 3, REPETITIONS = 11;
	/** Of the time for all, a batch of one loop. */
	private static final int BATCHES = 600;
	/** Of every part at least so many calls in a round of all of them, and so many such rounds. */
	private static final int CALLS_LEAST = 20, ROUNDS_LEAST = 5;
	private static final double ROUND_NS = 1e6;

	private final Meter meter;
	private final long milliseconds;
	private final String without, with;
	/** Rounds of each part's loop in a round of the program. */
	private final Map<Loop, Integer> times = new EnumMap<>(Loop.class);
	private long rounds;

	private Main(String[] arguments) {
		milliseconds = Long.parseLong(arguments[1]);
		meter = new Meter(arguments[0].split("\\+"), milliseconds * 1_000_000 / BATCHES);
		without = arguments[2];
		with = arguments[3];
	}

	/* ---- without probes ---- */

	private void tune() {
		Truth truth = new Truth(meter, TUNING);

		for (int i = 0; i < TUNINGS; i++) {
			for (Method method : Method.ALL)
				method.tune(truth);
			truth = new Truth(meter, TUNING);
		}
		choose(truth);
	}

	/** So that each part gets its share of a round of the program. */
	private void choose(Truth truth) {
		double round = ROUND_NS;

		for (Method method : Method.ALL)
			if (method.isRoot())
				round = Math.max(round, CALLS_LEAST * 100.0 / method.wholeShare()
						* truth.round(method.loop, Meter.TIME));
		for (Method method : Method.ALL)
			if (method.isRoot())
				times.put(method.loop, (int) Math.max(1, Math.round(round * method.wholeShare()
						/ 100 / truth.round(method.loop, Meter.TIME))));
		rounds = Math.max(ROUNDS_LEAST, Math.round(milliseconds * 1e6 / round));
	}

	/* ---- with probes ---- */

	private void runParts() {
		times.forEach((loop, n) -> meter.result += loop.run(n, meter.result));
	}

	/** What was compiled: it was for other work than was chosen since. Methods that get probes, or lose
	 * them, are new to the compilers. */
	private void forgetCode() {
		JProf.start(with);
		JProf.stop();
	}

	private void runWithProbes() {
		JProf.start(with);
		meter.warm();
		for (long i = 0; i < ROUNDS_LEAST; i++)
			runParts();
		JProf.snapshot("begin");
		for (long i = 0; i < rounds; i++)
			runParts();
		JProf.snapshot("end");
		JProf.stop();
	}

	/* ---- what is known ---- */

	private long roundsOf(Method method) {
		return method.isRoot() ? rounds * times.get(method.loop) : roundsOf(method.caller);
	}

	private String values(Method method, Truth truth) {
		StringJoiner values = new StringJoiner(",", "{", "}");

		for (int i = 0; i < meter.metrics().length; i++)
			values.add("\"" + meter.metrics()[i] + "\":"
					+ method.own(truth, Meter.FIRST + i) * roundsOf(method));
		return values.toString();
	}

	private void print(Method method, Truth before, Truth after) {
		System.out.println("{\"method\":\"" + method.name + "\",\"share\":" + method.share
				+ ",\"calls\":" + method.calls() * roundsOf(method)
				+ ",\"bytes\":" + method.own(before, Meter.BYTES) * roundsOf(method)
				+ ",\"before\":" + values(method, before)
				+ ",\"after\":" + values(method, after) + "}");
	}

	private void run() {
		JProf.start(without);
		meter.warm();
		tune();
		JProf.stop();
		forgetCode();
		JProf.start(without);
		meter.warm();
		Truth before = new Truth(meter, REPETITIONS);
		JProf.stop();
		runWithProbes();
		JProf.start(without);
		meter.warm();
		Truth after = new Truth(meter, REPETITIONS);
		JProf.stop();
		for (Method method : Method.ALL)
			print(method, before, after);
		System.out.println("{\"rounds\":" + rounds + ",\"result\":" + meter.result + "}");
	}

	/**
	 * Runs it.
	 *
	 * @param arguments see above
	 * @throws ReflectiveOperationException if the agent is not loaded
	 */
	public static void main(String[] arguments) throws ReflectiveOperationException {
		Natives.open();
		Natives.bind(Shares.class, Shares.SELF, Shares.NATIVES);
		new Main(arguments).run();
		System.out.flush();
	}
}

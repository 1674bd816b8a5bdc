// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
package jprof.selftest;

import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;

/** What a round of each loop takes without probes, by metric: the median of repetitions. */
final class Truth {
	private static final Loop[][] ONCE = {
		{Loop.ONCE, Loop.ONCE_INTERPRETED, Loop.ONCE_NATIVE}, {Loop.INTERPRETED_ONCE},
		{Loop.NATIVE_ONCE}};
	private static final Loop[][] FIVE = {
		{Loop.FIVE, Loop.FIVE_INTERPRETED, Loop.FIVE_NATIVE}, {Loop.INTERPRETED_FIVE},
		{Loop.NATIVE_FIVE}};

	private final Map<Loop, double[]> rounds = new EnumMap<>(Loop.class);

	/** Measures all loops, in turns. */
	Truth(Meter meter, int repetitions) {
		double[][][] seen = new double[Loop.values().length][meter.count()][repetitions];

		for (int i = 0; i < repetitions; i++)
			for (Loop loop : Loop.values())
				meter.measure(loop, seen[loop.ordinal()], i);
		for (Loop loop : Loop.values()) {
			double[] medians = new double[meter.count()];

			for (int metric = 0; metric < medians.length; metric++) {
				double[] sorted = seen[loop.ordinal()][metric];

				Arrays.sort(sorted);
				medians[metric] = sorted[repetitions / 2];
			}
			rounds.put(loop, medians);
		}
	}

	double round(Loop loop, int metric) {
		return rounds.get(loop)[metric];
	}

	/** What a call takes by itself. */
	double call(Method.Kind caller, Method.Kind callee, int metric) {
		return (round(FIVE[caller.ordinal()][callee.ordinal()], metric)
				- round(ONCE[caller.ordinal()][callee.ordinal()], metric)) / 4;
	}
}

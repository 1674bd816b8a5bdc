// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntToLongFunction;

/**
 * A program of known work: a loop that calls its methods, further loops that call parts of it or
 * none, and what each method uses in an iteration of the first, told by differences of the loops.
 *
 * "loop - bare" is what the first takes more than the same without the call. Terms are loops,
 * with blanks between; "empty/2" is the half of one.
 */
record Program(String name, Map<String, IntToLongFunction> loops, List<Truth> truths) {
	/** What a method uses; "*" is all of them together. */
	record Truth(String method, String terms) {
		Loops.Cost of(Map<String, Loops.Cost> costs) {
			double ns = 0, bytes = 0, sign = 1;

			for (String term : terms.split(" ")) {
				if (term.equals("+") || term.equals("-")) {
					sign = term.equals("+") ? 1 : -1;
					continue;
				}
				double factor = term.endsWith("/2") ? sign / 2 : sign;
				Loops.Cost cost = costs.get(term.replace("/2", ""));
				ns += factor * cost.ns();
				bytes += factor * cost.bytes();
			}
			return new Loops.Cost(ns, bytes);
		}
	}

	/** Without loops and truths; {@link #loop} and {@link #truth} add them. */
	static Program named(String name) {
		return new Program(name, new LinkedHashMap<>(), new ArrayList<>());
	}

	/** One method, `work`, that calls nothing. */
	static Program leaf(String name, IntToLongFunction loop, IntToLongFunction bare) {
		return named(name).loop("loop", loop).loop("bare", bare)
				.truth("loop", "bare").truth("work", "loop - bare");
	}

	/**
	 * The same where a call costs something by itself, as that of an interpreted or a native method
	 * does: half of it is the caller's, half the callee's. `empty` calls a method that does nothing.
	 */
	static Program slowLeaf(String name, IntToLongFunction loop, IntToLongFunction empty,
			IntToLongFunction bare) {
		return named(name).loop("loop", loop).loop("empty", empty).loop("bare", bare)
				.truth("loop", "empty/2 + bare/2").truth("work", "loop - empty/2 - bare/2");
	}

	/** One whose methods together are what is looked at. */
	static Program whole(String name, IntToLongFunction loop) {
		return named(name).loop("loop", loop).truth("*", "loop");
	}

	Program loop(String loop, IntToLongFunction function) {
		loops.put(loop, function);
		return this;
	}

	Program truth(String method, String terms) {
		truths.add(new Truth(method, terms));
		return this;
	}

	/** The loop that calls all there is. */
	IntToLongFunction first() {
		return loops.get("loop");
	}

	/** What each loop takes now. */
	Map<String, Loops.Cost> costs() {
		Map<String, Loops.Cost> costs = new LinkedHashMap<>();

		loops.forEach((loop, function) -> costs.put(loop, Loops.cost(function)));
		return costs;
	}
}

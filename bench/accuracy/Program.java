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
 * "loop - empty" is what the first takes more than one that calls a method that does nothing. Terms
 * are loops, with blanks between.
 */
record Program(String name, Map<String, IntToLongFunction> loops, List<Truth> truths) {
	/** What a method uses; "*" is all of them together. */
	record Truth(String method, String terms) {
		Loops.Cost of(Map<String, Loops.Cost> costs) {
			double ns = 0, bytes = 0, factor = 1;

			for (String term : terms.split(" ")) {
				if (!costs.containsKey(term)) {
					factor = term.equals("-") ? -1 : 1;
					continue;
				}
				Loops.Cost cost = costs.get(term);
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

	/**
	 * One method, `work`, that calls nothing. What a call itself costs is the caller's: `empty` calls
	 * a method that does nothing.
	 */
	static Program leaf(String name, IntToLongFunction loop, IntToLongFunction empty) {
		return named(name).loop("loop", loop).loop("empty", empty)
				.truth("loop", "empty").truth("work", "loop - empty");
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

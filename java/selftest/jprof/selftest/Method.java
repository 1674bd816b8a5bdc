// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
package jprof.selftest;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntConsumer;
import selftest.Shares;

/**
 * A method whose own use is known by what loops take without probes, with it and with what it calls
 * alone.
 *
 * <p>What a call takes by itself is the caller's, as in a profile that is adjusted.
 */
final class Method {
	/** How a method runs. */
	enum Kind {
		JITTED(Loop.EMPTY), INTERPRETED(Loop.INTERPRETED_EMPTY), NATIVE(Loop.NATIVE_EMPTY);

		/** A loop around such a method that does nothing. */
		final Loop empty;

		Kind(Loop empty) {
			this.empty = empty;
		}
	}

	/** The methods of the chain, and how often each of its frames is one of them. */
	private static final int CHAINED = 4, TURNS = (Shares.CHAIN + 1) / CHAINED;

	/** In the order of the report; a method stands behind its caller. */
	static final List<Method> ALL = new ArrayList<>();

	static {
		add("own22", 22, Loop.OWN);
		add("wide8", 8, Loop.WIDE);
		add("memory7", 7, Loop.MEMORY);
		Method calls = add("calls5", 5, Loop.CALLS).steps(n -> Shares.SELF.callsSteps = n, 100);
		add("tiny15", 15, Loop.TINY).calledBy(calls, Shares.TINY);
		add("recursion8", 8, Loop.RECURSION).calledByItself(Shares.RECURSION);
		for (String name : List.of("deepA3", "deepB3", "deepC3", "deepD3"))
			add(name, 3, Loop.DEEP).chained();
		Method mixes = add("mixes2", 2, Loop.MIXES).steps(n -> Shares.SELF.mixesSteps = n, 100);
		Method interpreted = add("interpreted4", 4, Loop.INTERPRETED).calledBy(mixes, 1);
		interpreted.kind = Kind.INTERPRETED;
		add("answers2", 2, Loop.ANSWERS2).calledBy(interpreted, 1)
				.steps(n -> Shares.SELF.answers2Steps = n, 100);
		add("native3", 3, Loop.NATIVE).kind = Kind.NATIVE;
		Method natives = add("nativeCalls2", 2, Loop.NATIVE_CALLS);
		natives.kind = Kind.NATIVE;
		add("answers1", 1, Loop.ANSWERS1).calledBy(natives, 1)
				.steps(n -> Shares.SELF.answers1Steps = n, 100);
		add("arrays6", 6, Loop.ARRAYS);
		add("objects3", 3, Loop.OBJECTS);
	}

	final String name;
	final int share;
	final Loop loop;
	Kind kind = Kind.JITTED;
	/** Calls for each call of its caller, or for each round of its loop. */
	int times = 1;
	/** NULL: the loop. Of the chain's methods the first is the caller of all. */
	Method caller;
	private final List<Method> callees = new ArrayList<>();
	/** In the chain, from 0; -1: it is not. */
	private int place = -1;
	/** Where its work can be chosen. */
	private IntConsumer steps;
	private double stepCount;

	private Method(String name, int share, Loop loop) {
		this.name = name;
		this.share = share;
		this.loop = loop;
	}

	private static Method add(String name, int share, Loop loop) {
		Method method = new Method(name, share, loop);

		ALL.add(method);
		return method;
	}

	private Method calledBy(Method other, int calls) {
		caller = other;
		times = calls;
		other.callees.add(this);
		return this;
	}

	/** All that it does by its own calls is its own. */
	private Method calledByItself(int calls) {
		times = 1 + calls;
		return this;
	}

	private void chained() {
		Method before = ALL.size() > 1 ? ALL.get(ALL.size() - 2) : this;

		place = before.place + 1;
		if (place > 0)
			caller = place == 1 ? before : before.caller;
		times = place == 0 ? TURNS : 1;
	}

	private Method steps(IntConsumer setter, int first) {
		steps = setter;
		stepCount = first;
		setter.accept(first);
		return this;
	}

	/** Whether its loop is part of the measured program. */
	boolean isRoot() {
		return caller == null;
	}

	/** Calls in one round of the measured program's loop. */
	long calls() {
		return times * (caller == null ? 1 : caller.calls());
	}

	/** The percent of it and of all that it calls. */
	int wholeShare() {
		int sum = 0;

		for (Method method : ALL)
			for (Method above = method; above != null; above = above.caller)
				sum += above == this ? method.share : 0;
		return sum;
	}

	/** What it uses of a metric, by itself, in one round of the measured program's loop. */
	double own(Truth truth, int metric) {
		return place < 0 ? callsOfRound() * ownOfCall(truth, metric) : ownInChain(truth, metric);
	}

	/** Calls from outside of it in a round of the loop. */
	private long callsOfRound() {
		return isRoot() ? 1 : calls();
	}

	/** One call with all that it calls, without what the call itself takes. */
	private double whole(Truth truth, int metric) {
		return truth.round(loop, metric) - truth.round(kind.empty, metric);
	}

	private double ownOfCall(Truth truth, int metric) {
		double own = whole(truth, metric);

		for (Method callee : callees)
			own -= callee.times * callee.whole(truth, metric);
		return own;
	}

	/** Frames are alike, but the last makes no call. */
	private double ownInChain(Truth truth, int metric) {
		double call = truth.call(kind, kind, metric);
		double frame = (whole(truth, metric) - Shares.CHAIN * call) / (Shares.CHAIN + 1);

		return TURNS * (frame + call) - (place == CHAINED - 1 ? call : 0);
	}

	/** Where its work can be chosen: chooses it so that beside the others of its part its share of
	 * time comes nearer to what it should be. */
	void tune(Truth truth) {
		Method beside = callees.isEmpty() ? caller : callees.get(0);

		if (steps == null)
			return;
		double wanted = Math.max(0, beside.own(truth, 0)) * share / beside.share;
		double own = Math.max(own(truth, 0), wanted / 3);
		stepCount = Math.max(1, Math.min(1_000_000, stepCount * wanted / own));
		steps.accept((int) Math.round(stepCount));
	}
}

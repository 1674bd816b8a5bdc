// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
package jprof;

import java.util.Objects;

/**
 * What a program may ask of jprof while it is profiled by it: to start and stop recordings, to
 * keep snapshots and marks in the profile, and what it has used so far.
 *
 * <p>Where the jprof agent is not loaded, every method does nothing and returns at once: values are
 * -1. The agent may be loaded, and detached, at any time. Where it is loaded, what it refuses is
 * thrown as an {@link IllegalStateException} with the reason.
 *
 * <p>All methods may be called on any thread at any time. What they cost is charged to no thread,
 * but for {@link #start} and {@link #stop}. They are no part of the profile, and allocate
 * nothing in the heap unless they throw.
 */
public final class JProf {
	/** Whether the natives may be called; set by the agent alone. */
	private static volatile boolean present;

	static {
		bind();
	}

	private JProf() {
	}

	/** An agent that is there by now gives this class its natives; one that comes later finds it. */
	private static void bind() {
		try {
			Class.forName("jprof.Inside", true, null).getMethod("bind", Class.class)
					.invoke(null, JProf.class);
		} catch (ReflectiveOperationException | LinkageError | SecurityException e) {
			// There is no agent.
		}
	}

	/**
	 * Whether the agent is loaded.
	 *
	 * @return true if it is, recording or not
	 */
	public static boolean isLoaded() {
		return present;
	}

	/**
	 * Whether something is being recorded. The recording may end at any time.
	 *
	 * @return false also where there is no agent
	 */
	public static boolean isRecording() {
		return present && isRecording0();
	}

	/**
	 * Begins to record with the options that the agent was loaded with. When it returns, every
	 * loaded class that was chosen has its probes. A recording after the first writes a profile
	 * of its own, whose name gets a number.
	 *
	 * @throws IllegalStateException if something is being recorded already, another command is
	 *         under way, or it cannot be done
	 */
	public static void start() {
		start(null);
	}

	/**
	 * The same with options over those that the agent was loaded with.
	 *
	 * @param options {@code key=value,key=value,...} or a JSON object; null for none
	 * @throws IllegalStateException as in {@link #start()}, or if an option is not legal
	 */
	public static void start(String options) {
		if (present)
			start0(options);
	}

	/**
	 * Ends the recording. When it returns, the profile is complete, and no class has probes.
	 *
	 * @throws IllegalStateException if nothing is being recorded, or another command is under way
	 */
	public static void stop() {
		if (present)
			stop0();
	}

	/**
	 * Keeps a copy of all counts in the profile, for reports of the time between two of them.
	 * Returns when it is in the file, which takes some milliseconds or, with very large call trees,
	 * seconds.
	 *
	 * @param label at most 100 bytes of UTF-8, without control characters and {@code ..}; null for a
	 *        number
	 * @throws IllegalStateException if there is that label already, it is not legal, nothing is being
	 *         recorded, or another command is under way
	 */
	public static void snapshot(String label) {
		if (present)
			snapshot0(label);
	}

	/**
	 * Like a snapshot without a label, and reports begin here unless they are asked otherwise.
	 *
	 * @throws IllegalStateException if nothing is being recorded, or another command is under way
	 */
	public static void reset() {
		if (present)
			reset0();
	}

	/**
	 * The profile gets a mark with this name, the time, and the calling thread: about a
	 * microsecond. Nothing happens while nothing is recorded.
	 *
	 * @param name of which 200 bytes of UTF-8 are kept
	 */
	public static void mark(String name) {
		Objects.requireNonNull(name);
		if (present)
			mark0(name);
	}

	/**
	 * What the calling thread has used of a metric of the recording since it began: what a report
	 * shows, so neither what was used outside the recording's scope, nor by jprof itself. In a
	 * virtual thread it is its own, on whichever carriers it ran.
	 *
	 * @param metric its name as in the option {@code metrics}: wall, cpu, alloc, instructions...
	 * @return in the metric's unit (ns, bytes, a count); -1 if it is not known: nothing is being
	 *         recorded, the metric is not, or the thread is not
	 */
	public static long threadValue(String metric) {
		Objects.requireNonNull(metric);
		return present ? threadValue0(metric) : -1;
	}

	/**
	 * What another thread has used of a metric of the recording since it began, or the thread did; also of one that
	 * ended. Of a running thread it has what can be seen from outside: its allocation is counted when it takes a
	 * new buffer from the heap, or at its next event.
	 *
	 * @param thread of the recording; one that shares a row with others there has no value of its own: a virtual
	 *        thread, unless the recording has {@code virtual=separate}, or an ended one that was folded
	 * @param metric its name as in the option {@code metrics}
	 * @return in the metric's unit; -1 if it is not known, as in {@link #threadValue(String)}
	 */
	public static long threadValue(Thread thread, String metric) {
		Objects.requireNonNull(thread);
		Objects.requireNonNull(metric);
		return present ? threadValueOf0(thread, metric) : -1;
	}

	/**
	 * What all threads of the recording together have used of a metric since it began, those that
	 * ended included. Of other running threads it has what can be seen from outside: their
	 * allocation is counted when they take a new buffer from the heap, or at their next event.
	 *
	 * @param metric its name as in the option {@code metrics}
	 * @return in the metric's unit; -1 if it is not known: nothing is being recorded, or the metric
	 *         is not
	 */
	public static long totalValue(String metric) {
		Objects.requireNonNull(metric);
		return present ? totalValue0(metric) : -1;
	}

	private static native void start0(String options);

	private static native void stop0();

	private static native boolean isRecording0();

	private static native void snapshot0(String label);

	private static native void reset0();

	private static native void mark0(String name);

	private static native long threadValue0(String metric);

	private static native long threadValueOf0(Thread thread, String metric);

	private static native long totalValue0(String metric);
}

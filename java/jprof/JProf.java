// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
package jprof;

import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.Executor;

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
 * nothing in the heap unless they throw; but for what is returned of tags, some 30 bytes.
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
	 * Begins to record with the options that the agent was loaded with, as the session
	 * {@code program}; others may record beside it. When it returns, every loaded class that was
	 * chosen has its probes. A recording after the first writes a profile of its own, whose name
	 * gets a number.
	 *
	 * @throws IllegalStateException if that session records already, another command is
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
	 * Ends that session, or, where there is none, the only one that records. When it returns, the
	 * profile is complete, and, if nobody else records, no class has probes.
	 *
	 * @throws IllegalStateException if there is no such session, or another command is under way
	 */
	public static void stop() {
		if (present)
			stop0();
	}

	/**
	 * Keeps a copy of all counts in the profile of that session, or, where there is none, of all
	 * that record, for reports of the time between two of them. Returns when it is in the file, which takes some milliseconds or, with very large call trees,
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

	/**
	 * What the calling thread does from now on has that tag: whose work it is. Reports tell tags apart. A virtual thread keeps its
	 * tags wherever it runs; a thread that begins has none. Nothing happens while nothing is recorded, and what was set then is
	 * not known to a recording that begins later.
	 *
	 * @param key 1 to 64 bytes of UTF-8 without control characters and {@code =}, at most 64 different ones: any other is
	 *        no tag, and nothing happens
	 * @param value of which the first 200 bytes of UTF-8 count (the option {@code parameter_length}); null: the thread has
	 *        no tag of that key any more
	 */
	public static void tagSet(String key, String value) {
		if (present)
			tagPut0(key, value);
	}

	/**
	 * The calling thread has no tag of that key from now on.
	 *
	 * @param key as in {@link #tagSet}
	 */
	public static void tagClear(String key) {
		if (present)
			tagPut0(key, null);
	}

	/**
	 * The calling thread has that tag until it is closed: {@code try (var tag = JProf.tag("user", name)) {...}}.
	 *
	 * @param key as in {@link #tagSet}
	 * @param value as there
	 * @return what gives the key back the value that it had before
	 */
	public static Tag tag(String key, String value) {
		return present ? Tag.of(tagPut0(key, value)) : Tag.NONE;
	}

	/**
	 * A tag that is used often: a change to it looks at no text.
	 *
	 * @param key as in {@link #tagSet}
	 * @param value as there
	 * @return the tag, for any thread and all recordings
	 */
	public static PreparedTag prepareTag(String key, String value) {
		return new PreparedTag(key, value);
	}

	/**
	 * All tags that the calling thread has now, for where its work goes on.
	 *
	 * @return the tags, of the recording that is under way
	 */
	public static Tags tags() {
		long number = present ? tags0() : -1;

		return number > 0 ? new Tags(number) : Tags.NONE;
	}

	/**
	 * A task that has the tags of the thread that calls this, wherever it runs, and gives that thread back those that it had.
	 *
	 * @param task to be run
	 * @return the task itself where nothing is recorded
	 */
	public static Runnable wrap(Runnable task) {
		Tags tags = tags();

		return tags == Tags.NONE ? task : () -> tags.run(task);
	}

	/**
	 * The same of a task with a result.
	 *
	 * @param <T> of the result
	 * @param task to be called
	 * @return the task itself where nothing is recorded
	 */
	public static <T> Callable<T> wrap(Callable<T> task) {
		Tags tags = tags();

		return tags == Tags.NONE ? task : () -> tags.call(task);
	}

	/**
	 * An executor whose tasks have the tags of the thread that hands them over.
	 *
	 * @param executor that runs them
	 * @return what hands them to it
	 */
	public static Executor carrying(Executor executor) {
		Objects.requireNonNull(executor);
		return task -> executor.execute(wrap(task));
	}

	/** A tag that a thread has until this is closed, on that thread. */
	public static final class Tag implements AutoCloseable {
		static final Tag NONE = new Tag(null, -1);

		private final Thread thread;
		private long before;

		private Tag(Thread thread, long before) {
			this.thread = thread;
			this.before = before;
		}

		static Tag of(long before) {
			return before > 0 ? new Tag(Thread.currentThread(), before) : NONE;
		}

		/** The tag's key has the value again that it had before. On another thread, or a second time, nothing happens. */
		@Override
		public void close() {
			if (before <= 0 || thread != Thread.currentThread())
				return;
			if (present)
				tagPut0(before);
			before = -1;
		}
	}

	/** A tag whose number in the recording is known. */
	public static final class PreparedTag {
		private final String key, value;
		private volatile long number = -1;

		PreparedTag(String key, String value) {
			this.key = key;
			this.value = value;
		}

		/** What the calling thread does from now on has this tag: as {@link JProf#tagSet}. */
		public void set() {
			if (present)
				put();
		}

		/**
		 * The calling thread has this tag until what is returned is closed: as {@link JProf#tag}.
		 *
		 * @return what gives the key back the value that it had before
		 */
		public Tag open() {
			return present ? Tag.of(put()) : Tag.NONE;
		}

		private long put() {
			long known = number, before = known > 0 ? tagPut0(known) : -1;

			if (before > 0)
				return before;
			// Of another recording, or of none.
			long now = tagNumber0(key, value);
			if (now != known)
				number = now;
			return now > 0 ? tagPut0(now) : -1;
		}
	}

	/** All tags that a thread had. */
	public static final class Tags {
		static final Tags NONE = new Tags(-1);

		private final long number;

		Tags(long number) {
			this.number = number;
		}

		/**
		 * Runs the task with these tags, and gives the thread back those that it had.
		 *
		 * @param task to be run, which may throw
		 */
		public void run(Runnable task) {
			long before = begin();

			try {
				task.run();
			} finally {
				end(before);
			}
		}

		/**
		 * The same of a task with a result.
		 *
		 * @param <T> of the result
		 * @param task to be called
		 * @return its result
		 * @throws Exception what the task throws
		 */
		public <T> T call(Callable<T> task) throws Exception {
			long before = begin();

			try {
				return task.call();
			} finally {
				end(before);
			}
		}

		private long begin() {
			return number > 0 && present ? tagsUse0(number) : -1;
		}

		private static void end(long before) {
			if (before > 0 && present)
				tagsUse0(before);
		}
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

	private static native long tagNumber0(String key, String value);

	/** Returns the tag of that key that there was, to be put back; below 1: nothing has changed. */
	private static native long tagPut0(String key, String value);

	private static native long tagPut0(long tag);

	private static native long tags0();

	private static native long tagsUse0(long tags);
}

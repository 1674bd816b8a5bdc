// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
package cases;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * What a case knows about itself, written down for the comparison with its profile.
 *
 * A case counts its own calls in plain counters (the first statement of a method counts the
 * call), hands the counts over at its end, and saves. One line of the file is one fact; the
 * facts are listed in README.md. Methods of this class are excluded from every profile.
 */
final class Truth {
	private static final StringBuilder lines = new StringBuilder();

	private Truth() {
	}

	/** Methods that cannot be timed are counted, as all may be. */
	static boolean counted() {
		return way().equals("count") || way().equals("auto");
	}

	/** The run's name, for cases that are run in several ways. */
	static String run() {
		return System.getProperty("truth.run", "plain");
	}

	/** How calls are seen: events, instrument or attach. */
	static String way() {
		return System.getProperty("truth.way", "events");
	}

	/** How many levels of the tree a lambda's own frame takes: no agent is shown its hidden class,
	 * so that only the JVM's events tell of it. */
	static int hiddenLevels() {
		return way().equals("events") ? 1 : 0;
	}

	/** The method was called exactly so often, over all threads. */
	static void calls(Class<?> in, String method, long count) {
		line("calls", key(in.getName(), method), count);
	}

	/** The same for classes that cannot be named by a literal; hidden ones among them. */
	static void calls(String in, String method, long count) {
		if (!in.contains("$$Lambda") || way().equals("events"))
			line("calls", key(in, method), count);
	}

	/** The method was called at least so often. */
	static void least(Class<?> in, String method, long count) {
		line("least", key(in.getName(), method), count);
	}

	/** The method was called at most so often. */
	static void most(Class<?> in, String method, long count) {
		line("most", key(in.getName(), method), count);
	}

	/** The thread (or all threads of that name) called the method exactly so often. */
	static void in(String thread, Class<?> in, String method, long count) {
		line("in", thread, key(in.getName(), method), count);
	}

	/** Calls of the method that began at this level of the tree (a thread's root is 0) with so
	 * many frames of the same method above. A method with one such fact needs all. */
	static void at(String thread, int level, int recursion, Class<?> in, String method,
			long count) {
		line("at", thread, level, recursion, key(in.getName(), method), count);
	}

	/** All calls of the method ran as native code. */
	static void natives(Class<?> in, String method) {
		line("native", key(in.getName(), method));
	}

	/** Methods of classes whose name begins so need no fact. */
	static void loose(String prefix) {
		line("loose", prefix);
	}

	/** At least min and at most max of the calls ran so: interpreted, jitted or native. */
	static void entered(String state, Class<?> in, String method, long min, long max) {
		line("entered", state, key(in.getName(), method), min, max);
	}

	/** The method and all below it used at least min and at most max of the metric. */
	static void cum(String metric, Class<?> in, String method, long min, long max) {
		line("cum", metric, key(in.getName(), method), min, max);
	}

	/** The method itself used at least min and at most max of the metric. */
	static void base(String metric, Class<?> in, String method, long min, long max) {
		line("base", metric, key(in.getName(), method), min, max);
	}

	/** The method itself allocated byte arrays of these lengths, so many times: each has a
	 * header of 16 bytes and whole words of 8. */
	static void allocated(Class<?> in, String method, int times, int... lengths) {
		long bytes = 0;
		for (int length : lengths)
			bytes += 16 + (length + 7) / 8 * 8L;
		base("alloc", in, method, times * bytes, times * bytes);
	}

	/** Nothing was recorded; there may be no profile at all. */
	static void nothing() {
		line("nothing");
	}

	/**
	 * The summary lists this class, or method, as left without probes for this reason. All of them
	 * need it.
	 */
	static void untouched(String name, String reason) {
		line("untouched", name + ": " + reason);
	}

	/** All calls of the profile; paths may have been folded. */
	static void total(long count) {
		line("total", count);
	}

	/** So many calls, in all threads, were left by an exception. */
	static void unwound(long count) {
		line("unwound", count);
	}

	/** The view of threads has at most so many rows. */
	static void rows(long max) {
		line("rows", max);
	}

	/** Something the case found wrong by itself. */
	static void expect(boolean right, String what) {
		if (!right)
			line("fail", what.replace(' ', '_'));
	}

	/** Adds main, which every case runs once, and writes the file. */
	static void save(Class<?> main) {
		calls(main, "main([Ljava/lang/String;)V", 1);
		write();
	}

	static void write() {
		try {
			Files.writeString(Path.of(System.getProperty("truth.file")), lines);
		} catch (IOException e) {
			throw new UncheckedIOException(e);
		}
	}

	private static String key(String in, String method) {
		return in + "." + method;
	}

	private static synchronized void line(Object... words) {
		for (int i = 0; i < words.length; i++)
			lines.append(i == 0 ? "" : " ").append(words[i]);
		lines.append('\n');
	}
}

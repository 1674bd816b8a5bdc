// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/**
 * A program's own record of its call paths: a node is a path, and every recorded method is handed
 * its caller's node and calls call() on it first. Nothing here asks which thread it is on, so what
 * moves threads about cannot mislead it. And the loop in which a program does what it is told.
 * None of it is recorded.
 */
final class Told {
	private static final ConcurrentHashMap<String, Told> roots = new ConcurrentHashMap<>();
	private static final Map<String, Object> facts = new TreeMap<>();
	/** Whether threads are virtual, whether each is to have a row of its own, and whether the JDK's
	 * locks are recorded. */
	static boolean virtual = true, separate, locks;

	private static volatile int age;

	private final ConcurrentHashMap<String, Told> below = new ConcurrentHashMap<>();
	private final LongAdder calls = new LongAdder();

	interface Verb {
		void run(String[] words) throws Exception;
	}

	interface Body {
		void run(Told root) throws Exception;
	}

	/** A thread's body: its record begins at the root of the row that the thread is to be in. */
	static Runnable thread(Body body) {
		return () -> {
			try {
				body.run(root());
			} catch (Exception e) {
				throw new IllegalStateException(e);
			}
		};
	}

	static Thread.Builder builder() {
		return virtual ? Thread.ofVirtual() : Thread.ofPlatform();
	}

	/** Threads PREFIX0, PREFIX1... */
	static Thread.Builder builder(String prefix) {
		return builder().name(prefix, 0);
	}

	static Thread[] start(String prefix, int threads, Body body) {
		Thread.Builder builder = builder(prefix);
		Thread[] started = new Thread[threads];

		for (int i = 0; i < threads; i++)
			started[i] = builder.start(thread(body));
		return started;
	}

	static void join(Thread... threads) throws InterruptedException {
		for (Thread thread : threads)
			thread.join();
	}

	/** Of the calling thread, which is one more in its row. */
	static Told root() {
		String name = Thread.currentThread().getName();
		Told root = child(roots, separate ? name : name.replaceAll("[0-9]+", "*"));

		root.calls.increment();
		return root;
	}

	/** Without a lock where there is one already: the record shall not make threads wait. */
	private static Told child(ConcurrentHashMap<String, Told> in, String name) {
		Told found = in.get(name);

		return found != null ? found : in.computeIfAbsent(name, key -> new Told());
	}

	/** What every recorded method begins with: the node of this call's path. */
	Told call(String method) {
		Told node = child(below, method);

		node.calls.increment();
		return node;
	}

	/** Before a recorded method calls one of the JDK's locks. */
	void jdk(String method) {
		if (locks)
			call(method);
	}

	static void fact(String name, Object value) {
		facts.put(name, value);
	}

	/** Changes when the record begins anew: nodes that a thread has from before count nowhere then,
	 * and its root is another. */
	static int age() {
		return age;
	}

	/** Forgets what was so far. What is under way waits. */
	private static void forget() {
		roots.clear();
		facts.clear();
		age++;
	}

	private void write(PrintWriter out, int[] last, int parent) {
		for (Map.Entry<String, Told> one : below.entrySet()) {
			int number = ++last[0];

			out.printf(",%n[%d, \"%s\", %d]", parent, one.getKey(), one.getValue().calls.sum());
			one.getValue().write(out, last, number);
		}
	}

	/** As JSON: of each row the number of its threads, and [parent, method, calls] of nodes 1, 2,
	 * 3...; parent 0 is the thread's root. */
	static void save(Path file) throws IOException {
		String between = "";

		try (PrintWriter out = new PrintWriter(Files.newBufferedWriter(file))) {
			out.printf("{\"virtual\": %b, \"separate\": %b", virtual, separate);
			facts.forEach((name, value) -> out.printf(",%n\"%s\": %s", name, value));
			out.printf(",%n\"rows\": {");
			for (Map.Entry<String, Told> one : roots.entrySet()) {
				out.printf("%s%n\"%s\": {\"threads\": %d, \"nodes\": [[0, \"\", 0]", between,
						one.getKey(), one.getValue().calls.sum());
				one.getValue().write(out, new int[] {0}, 0);
				out.print("]}");
				between = ",";
			}
			out.println("}}");
		}
	}

	/** Reads lines, "VERB WORDS...", and answers each with "done"; "quit" exits with 7. Two verbs
	 * are every program's: "truth FILE" saves the record, "forget" begins another. */
	static void serve(Map<String, Verb> verbs) throws Exception {
		BufferedReader in = new BufferedReader(new InputStreamReader(System.in));

		for (String line = in.readLine(); line != null && !line.equals("quit"); line = in.readLine()) {
			String[] words = line.split(" ");

			if (words[0].equals("truth"))
				save(Path.of(words[1]));
			else if (words[0].equals("forget"))
				forget();
			else
				verbs.get(words[0]).run(words);
			System.out.println("done");
		}
		System.exit(7);
	}

	/** The words that every program may be started with. */
	static void settings(String[] args) {
		for (String word : args) {
			virtual &= !word.equals("platform");
			separate |= word.equals("separate");
			locks |= word.equals("locks");
		}
	}
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
package agent;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.TreeMap;

/** What a program says it does: enters methods and leaves them. Counts what lies between three of
 * them in a row. */
final class SequenceLog {
	private static final Deque<String> stack = new ArrayDeque<>();
	private static final Map<String, Integer> counts = new TreeMap<>();
	private static String first = "outside", begin = "entry", second = "outside";

	private static void event(String end, String third) {
		String sequence = end.equals("unwind")
				? "||" + second + "|unwind|"
				: first + "|" + begin + "|" + second + "|" + end + "|" + third;

		counts.merge(sequence, 1, Integer::sum);
		first = second;
		begin = end.equals("unwind") ? "exit" : end;
		second = third;
	}

	private static String top() {
		return stack.isEmpty() ? "outside" : stack.peek();
	}

	static void enter(String type) {
		stack.push(type);
		event("entry", type);
	}

	static void exit() {
		stack.pop();
		event("exit", top());
	}

	static void unwind() {
		stack.pop();
		event("unwind", top());
	}

	static void save(String file) throws IOException {
		StringBuilder lines = new StringBuilder();

		counts.forEach((sequence, count) -> lines.append(sequence + "|" + count + "\n"));
		Files.writeString(Path.of(file), lines);
	}
}

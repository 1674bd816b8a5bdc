// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Measures its own speed three times: before jprof records, while it does, and after it has
 * stopped. Prints the three medians, in microseconds a round.
 *
 * Its argument says how the recording begins: "attach" loads the agent by jcmd, "start" starts
 * one that is there but does not record, "control" does nothing and tells the noise.
 */
final class StopSpeed {
	private static final int WARM_UP_ROUNDS = 400, ROUNDS = 800;
	private static long sink;

	/** The work: small methods, virtual calls, exceptions, the JDK's collections. */
	interface Shape {
		double area();
	}

	record Square(double side) implements Shape {
		public double area() {
			return side * side;
		}
	}

	record Circle(double radius) implements Shape {
		public double area() {
			return Math.PI * radius * radius;
		}
	}

	record Sum(Shape first, Shape second) implements Shape {
		public double area() {
			return first.area() + second.area();
		}
	}

	private static Shape shape(int i) {
		switch (i % 3) {
		case 0:
			return new Square(i);
		case 1:
			return new Circle(i);
		default:
			return new Sum(shape(i - 1), shape(i - 2));
		}
	}

	private static int fib(int n) {
		return n < 2 ? n : fib(n - 1) + fib(n - 2);
	}

	private static int parse(String text) {
		try {
			return Integer.parseInt(text);
		} catch (NumberFormatException e) {
			return -1;
		}
	}

	private static synchronized long words(int count) {
		Map<String, Integer> seen = new HashMap<>();

		for (int i = 0; i < count; i++)
			seen.merge("word" + i % 37, i, Integer::sum);
		return seen.values().stream().mapToLong(StopSpeed::twice).sum();
	}

	private static long twice(int value) {
		return 2L * value;
	}

	private static void round() {
		double area = 0;

		for (int i = 0; i < 20_000; i++)
			area += shape(i).area();
		for (int i = 0; i < 1000; i++)
			sink += parse(i % 100 == 0 ? "none" : "12");
		sink += (long) area + fib(18) + words(4000);
	}

	private static double speed() {
		List<Long> times = new ArrayList<>();

		for (int i = 0; i < WARM_UP_ROUNDS; i++)
			round();
		for (int i = 0; i < ROUNDS; i++) {
			long begin = System.nanoTime();
			round();
			times.add(System.nanoTime() - begin);
		}
		long[] sorted = times.stream().mapToLong(Long::longValue).toArray();
		Arrays.sort(sorted);
		return sorted[ROUNDS / 2] / 1000.0;
	}

	public static void main(String[] args) throws Exception {
		double before = speed(), recording;

		switch (args[0]) {
		case "attach":
			Control.attach(args[1]);
			break;
		case "start":
			Control.call("jprof_start");
			break;
		default:
		}
		recording = speed();
		if (!args[0].equals("control"))
			Control.call("jprof_stop");
		System.out.println(Control.format("%.1f %.1f %.1f", before, recording, speed()));
	}
}

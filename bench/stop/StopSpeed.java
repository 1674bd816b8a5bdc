// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors

import java.lang.instrument.Instrumentation;
import java.lang.instrument.UnmodifiableClassException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Measures its own speed three times: before jprof records, while it does, and after it has
 * stopped. Prints the three, in microseconds a round: what nine rounds of ten took longer than,
 * so that what else the machine did is not in it.
 *
 * The first argument is the work: "fib", calls alone; "mixed"; "lambdas". The JVM makes the
 * class of a lambda again when its method is retransformed, and the JDK's code that calls it has
 * seen more than one then. The second argument says how the
 * recording begins: "attach" loads the agent by jcmd, "start" starts one that is there but does
 * not record. "nothing" tells the noise; "retransform" has the JVM define the classes anew twice,
 * with nothing changed, by the JDK's own means: what the compiler then makes of them is not
 * jprof's doing.
 */
final class StopSpeed {
	private static final long WARM_UP = 2_000_000_000L, MEASURED = 1_000_000_000L; // ns
	private static long sink;
	private static Instrumentation instrumentation;

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
		long sum = 0;

		for (int i = 0; i < count; i++) {
			Integer before = seen.get("word" + i % 37);
			seen.put("word" + i % 37, before == null ? i : before + i);
		}
		for (int value : seen.values())
			sum += twice(value);
		return sum;
	}

	private static long twice(int value) {
		return 2L * value;
	}

	private static long lambdas(int count) {
		Map<String, Integer> seen = new HashMap<>();

		for (int i = 0; i < count; i++)
			seen.merge("word" + i % 37, i, Integer::sum);
		return seen.values().stream().mapToLong(StopSpeed::twice).sum();
	}

	private static void mixed() {
		double area = 0;

		for (int i = 0; i < 20_000; i++)
			area += shape(i).area();
		for (int i = 0; i < 1000; i++)
			sink += parse(i % 100 == 0 ? "none" : "12");
		sink += (long) area + fib(18) + words(4000);
	}

	private static double speed(Runnable work) {
		List<Long> times = new ArrayList<>();

		run(work, WARM_UP, new ArrayList<>());
		run(work, MEASURED, times);
		long[] sorted = times.stream().mapToLong(Long::longValue).toArray();
		Arrays.sort(sorted);
		return sorted[sorted.length / 10] / 1000.0;
	}

	private static void run(Runnable work, long nanoseconds, List<Long> times) {
		long begin = System.nanoTime(), before = begin;

		while (before - begin < nanoseconds) {
			work.run();
			long now = System.nanoTime();
			times.add(now - before);
			before = now;
		}
	}

	/** Called by the JVM for -javaagent. */
	public static void premain(String options, Instrumentation given) {
		instrumentation = given;
	}

	private static void retransform() throws UnmodifiableClassException {
		for (Class<?> each : instrumentation.getAllLoadedClasses())
			if (each.getClassLoader() == ClassLoader.getSystemClassLoader() &&
					instrumentation.isModifiableClass(each))
				instrumentation.retransformClasses(each);
	}

	private static void begin(String way, String options) throws Exception {
		switch (way) {
		case "attach":
			Control.attach(options);
			break;
		case "start":
			Control.call("jprof_start");
			break;
		case "retransform":
			retransform();
			break;
		default:
		}
	}

	private static void end(String way) throws Exception {
		switch (way) {
		case "attach":
		case "start":
			Control.call("jprof_stop");
			break;
		case "retransform":
			retransform();
			break;
		default:
		}
	}

	public static void main(String[] args) throws Exception {
		Map<String, Runnable> works = Map.of("fib", () -> sink += fib(18), "mixed", StopSpeed::mixed,
				"lambdas", () -> sink += lambdas(10_000));
		Runnable work = works.get(args[0]);
		double before = speed(work), recording;

		begin(args[1], args[2]);
		recording = speed(work);
		end(args[1]);
		System.out.println(Control.format("%.2f %.2f %.2f", before, recording, speed(work)));
	}
}

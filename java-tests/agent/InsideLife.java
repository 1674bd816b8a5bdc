// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
package agent;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;

import jprof.JProf;

/**
 * A program that asks jprof, whether it is there or not.
 *
 *   absent           without an agent: nothing happens, and it says so
 *   life FOLDER      with an armed one: two recordings, one.jprof of 150 steps with two marks and a
 *                    snapshot, two.jprof of 7
 *   wait FILE JAR    says when the agent comes and goes, until there is FILE: a line "app second new",
 *                    true or false for the program's own class, another loader's, and one loaded now
 */
public final class InsideLife {
	private InsideLife() {
	}

	private static void step() {
	}

	private static void steps(int n) {
		for (int i = 0; i < n; i++)
			step();
	}

	private static void check(boolean right, String what) {
		if (right)
			return;
		System.out.println("wrong: " + what);
		System.exit(3);
	}

	/** The reason why it was refused. */
	private static String refused(Runnable action) {
		try {
			action.run();
		} catch (IllegalStateException e) {
			return e.getMessage();
		}
		return "not refused";
	}

	private static void absent() {
		check(!JProf.isLoaded() && !JProf.isRecording(), "loaded");
		JProf.start();
		JProf.start("no option at all");
		JProf.snapshot("a..b");
		JProf.reset();
		JProf.mark("mark");
		JProf.stop();
		check(JProf.threadValue("wall") == -1 && JProf.totalValue("wall") == -1, "values");
	}

	private static void life(Path folder) {
		check(JProf.isLoaded() && !JProf.isRecording(), "not armed");
		check(JProf.threadValue("wall") == -1 && JProf.totalValue("wall") == -1, "values");
		JProf.mark("nowhere");
		check(refused(JProf::stop).startsWith("nothing is being recorded"), "stop");
		check(refused(JProf::reset).startsWith("nothing is being recorded"), "reset");
		check(refused(() -> JProf.start("metrics=nonsense")).contains("'nonsense'"), "nonsense");
		check(refused(() -> JProf.start("metrics=\ud83d\ude00")).contains("'?'"), "no ASCII");
		steps(1000);
		JProf.start("file=" + folder.resolve("one.jprof") + ",metrics=alloc+wall");
		check(JProf.isRecording(), "not recording");
		/* Samples come while jprof is asked, too. */
		for (int i = 0; i < 300_000; i++)
			JProf.threadValue("wall");
		steps(100);
		JProf.mark("phase begins");
		JProf.snapshot("half");
		steps(50);
		JProf.mark("phase ends \ud83d\ude00");
		check(JProf.threadValue("alloc") >= 0 && JProf.threadValue("cpu") == -1, "metrics");
		JProf.stop();
		check(!JProf.isRecording(), "still recording");
		steps(1000);
		JProf.start("{\"file\": \"" + folder.resolve("two.jprof") + "\"}");
		steps(7);
		check(JProf.threadValue("cpu") > 0, "metrics of the second recording");
		JProf.stop();
	}

	private static MethodHandle isLoadedIn(URL jar) throws ReflectiveOperationException {
		ClassLoader loader = new URLClassLoader(new URL[] {jar}, ClassLoader.getPlatformClassLoader());
		Class<?> second = Class.forName("jprof.JProf", true, loader);

		return MethodHandles.publicLookup().findStatic(second, "isLoaded",
				MethodType.methodType(boolean.class));
	}

	/** Asks all the time, whatever comes and goes. */
	private static void ask() {
		while (true) {
			JProf.mark("mark");
			JProf.threadValue("alloc");
			JProf.totalValue("alloc");
			JProf.isRecording();
		}
	}

	private static void await(Path end, URL jar) throws Throwable {
		MethodHandle second = isLoadedIn(jar);
		String before = "";

		for (int i = 0; i < 2; i++) {
			Thread asking = new Thread(InsideLife::ask);
			asking.setDaemon(true);
			asking.start();
		}
		while (!Files.exists(end)) {
			String now = JProf.isLoaded() + " " + (boolean) second.invokeExact() + " "
					+ (boolean) isLoadedIn(jar).invokeExact();
			if (!now.equals(before))
				System.out.println(now);
			before = now;
			steps(10);
			Thread.sleep(10);
		}
	}

	public static void main(String[] args) throws Throwable {
		switch (args[0]) {
		case "absent" -> absent();
		case "life" -> life(Path.of(args[1]));
		default -> await(Path.of(args[1]), Path.of(args[2]).toUri().toURL());
		}
		System.out.println("done, named module " + JProf.class.getModule().isNamed());
	}
}

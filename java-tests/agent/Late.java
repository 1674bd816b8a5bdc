// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
package agent;

import java.io.BufferedReader;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/**
 * What is there, or under way, when a session ends, and still when the next begins. With the
 * native library "cases".
 *
 *   Late FOLDER        reads lines, and answers each with "done":
 *     phase N          five threads do N jobs each; tells the calls made, "agent.LateJobs.METHOD COUNT"
 *     noise            from now on two threads call a native method without end
 *     native I VERB N  the native thread I attaches to the JVM, detaches, or works: calls Java N times
 *     archive          reads the entries of FOLDER/late.zip, which is opened by the first time
 *     accept           a thread waits for a connection
 *     connect          which comes; both ends are closed; the files FOLDER/file-* are opened. Tells
 *                      "socket NUMBER" of both, and "PATH NUMBER" of the files
 *     read             reads the files, a byte each
 *     quit             exits with 7
 */
final class Late {
	private static final int POOL = 3, NEW = 2, FILES = 20;
	private static final List<String> VERBS = List.of("attach", "work", "detach");
	private static final ExecutorService pool = Executors.newFixedThreadPool(POOL, task -> {
		Thread thread = new Thread(task, "pool");
		thread.setDaemon(true);
		return thread;
	});
	private static final List<FileInputStream> files = new ArrayList<>();
	private static Path folder;
	private static ZipFile zip;
	private static ServerSocket server;
	private static Thread acceptor;
	private static volatile Socket accepted;

	/** False: it could not. */
	static native boolean order(int thread, int verb, int calls);

	/** Called by native threads. */
	static void enter(int calls) {
		for (int i = 0; i < calls; i++)
			step();
	}

	static void step() {
	}

	private static void phase(int count) throws Exception {
		List<Callable<Void>> tasks = new ArrayList<>();
		List<Thread> threads = new ArrayList<>();
		long all = (long) count * (POOL + NEW);

		for (int i = 0; i < POOL; i++)
			tasks.add(() -> {
				LateJobs.run(count);
				return null;
			});
		for (int i = 0; i < NEW; i++) {
			threads.add(new Thread(() -> LateJobs.run(count), "new-" + i));
			threads.get(i).start();
		}
		for (var done : pool.invokeAll(tasks))
			done.get();
		for (Thread thread : threads)
			thread.join();
		Map<String, Long> calls = new TreeMap<>(Map.of("run", (long) POOL + NEW, "job", all,
				"add", all, "back", all, "leaf", 2 * all));
		calls.forEach((method, number) ->
				System.out.println("agent.LateJobs." + method + " " + number));
	}

	private static void noise() {
		for (int i = 0; i < 2; i++) {
			Thread thread = new Thread(LateNoise::run, "noise-" + i);
			thread.setDaemon(true);
			thread.start();
		}
	}

	private static void tellNative(String[] words) {
		int calls = words.length > 3 ? Integer.parseInt(words[3]) : 0;

		if (!order(Integer.parseInt(words[1]), VERBS.indexOf(words[2]), calls))
			throw new IllegalStateException(String.join(" ", words));
	}

	private static void archive() throws IOException {
		if (zip == null)
			zip = new ZipFile(folder.resolve("late.zip").toFile());
		for (ZipEntry entry : zip.stream().toList()) {
			try (InputStream in = zip.getInputStream(entry)) {
				in.readAllBytes();
			}
		}
	}

	/** Inside the native method, most likely in the system. */
	private static boolean waits(Thread thread) {
		StackTraceElement[] stack = thread.getStackTrace();

		return stack.length > 0 && stack[0].isNativeMethod()
				&& stack[0].getClassName().equals("sun.nio.ch.Net");
	}

	private static void accept() throws Exception {
		server = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
		acceptor = new Thread(() -> {
			try {
				accepted = server.accept();
			} catch (IOException e) {
				e.printStackTrace();
			}
		}, "acceptor");
		acceptor.start();
		while (!waits(acceptor))
			Thread.sleep(10);
		Thread.sleep(50);
	}

	/** The kernel's names of those that match, by their numbers. */
	private static Map<String, String> descriptors(String pattern) throws IOException {
		Map<String, String> found = new TreeMap<>();

		for (String number : Path.of("/proc/self/fd").toFile().list()) {
			Path link = Path.of("/proc/self/fd", number);
			if (!Files.isSymbolicLink(link))
				continue;
			String name = Files.readSymbolicLink(link).toString();
			if (name.matches(pattern))
				found.put(number, name);
		}
		return found;
	}

	private static void connect() throws Exception {
		Map<String, String> before = descriptors("socket:.*");
		Socket client = new Socket(server.getInetAddress(), server.getLocalPort());

		acceptor.join();
		descriptors("socket:.*").forEach((number, name) -> {
			if (!before.containsValue(name))
				System.out.println("socket " + number);
		});
		client.close();
		accepted.close();
		for (int i = 0; i < FILES; i++)
			files.add(new FileInputStream(folder.resolve("file-" + i).toFile()));
		descriptors(".*/file-[0-9]+").forEach((number, path) -> System.out.println(path + " " + number));
	}

	private static void read() throws IOException {
		for (FileInputStream file : files)
			file.read();
	}

	private static void act(String[] words) throws Exception {
		switch (words[0]) {
		case "phase" -> phase(Integer.parseInt(words[1]));
		case "noise" -> noise();
		case "native" -> tellNative(words);
		case "archive" -> archive();
		case "accept" -> accept();
		case "connect" -> connect();
		case "read" -> read();
		default -> throw new IllegalArgumentException(Arrays.toString(words));
		}
	}

	public static void main(String[] args) throws Exception {
		BufferedReader in = new BufferedReader(new InputStreamReader(System.in));

		System.loadLibrary("cases");
		folder = Path.of(args[0]).toRealPath();
		for (String line = in.readLine(); line != null && !line.equals("quit"); line = in.readLine()) {
			act(line.split(" "));
			System.out.println("done");
		}
		System.exit(7);
	}
}

/** What is counted. */
final class LateJobs {
	static native int add(int a, int b);

	/** Calls leaf() so often. */
	static native void back(int times);

	static void leaf() {
	}

	static void job(int i) {
		if (add(i, 1) != i + 1)
			throw new IllegalStateException("add");
		back(2);
	}

	static void run(int count) {
		for (int i = 0; i < count; i++)
			job(i);
	}
}

/** Runs all the time, while sessions begin and end. */
final class LateNoise {
	static native int add(int a, int b);

	static void run() {
		for (int sum = 0;; ) {
			sum = add(sum, 1);
			if (sum < 0)
				sum = 0;
		}
	}
}

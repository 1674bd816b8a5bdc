// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Starts a server (its arguments from the second on), asks it as often as the first says, in four
 * threads, and prints what the server needed until it listened, and what the requests took, in milliseconds; and what
 * all but one in a hundred of them took at most, in microseconds.
 */
final class Requests {
	private static final int THREADS = 4;

	private Requests() {
	}

	public static void main(String[] args) throws Exception {
		int requests = Integer.parseInt(args[0]);
		Process server = new ProcessBuilder(Arrays.asList(args).subList(1, args.length))
				.redirectError(ProcessBuilder.Redirect.DISCARD).start();

		try (OutputStream end = server.getOutputStream();
				BufferedReader says = new BufferedReader(
						new InputStreamReader(server.getInputStream()))) {
			String[] portAndTime = portAndTime(says);
			long begin = System.nanoTime();

			long[] took = askAll("http://127.0.0.1:" + portAndTime[0] + "/?seed=", requests);
			long all = System.nanoTime() - begin;
			Arrays.sort(took);
			System.out.println(portAndTime[1] + " " + all / 1_000_000 + " "
					+ (requests > 0 ? took[(int) (requests * 0.99)] / 1000 : 0));
		}
		if (server.waitFor() != 0)
			throw new IllegalStateException("the server failed");
	}

	/** The server's first line. An agent may have its say before. */
	static String[] portAndTime(BufferedReader says) {
		return says.lines().filter(line -> line.matches("\\d+ \\d+")).findFirst().orElseThrow()
				.split(" ");
	}

	/** What each took, in nanoseconds. */
	static long[] askAll(String address, int requests) throws InterruptedException {
		long[] took = new long[requests];
		AtomicInteger next = new AtomicInteger();
		AtomicInteger failed = new AtomicInteger();
		Thread[] threads = new Thread[THREADS];

		for (int i = 0; i < THREADS; i++) {
			threads[i] = new Thread(() -> {
				for (int seed = next.getAndIncrement(); seed < requests;
						seed = next.getAndIncrement()) {
					long begin = System.nanoTime();

					if (!answered(address + seed))
						failed.incrementAndGet();
					took[seed] = System.nanoTime() - begin;
				}
			});
			threads[i].start();
		}
		for (Thread thread : threads)
			thread.join();
		if (failed.get() > 0)
			throw new IllegalStateException(failed + " requests failed");
		return took;
	}

	private static boolean answered(String address) {
		try {
			return page(address).endsWith("</table>\n");
		} catch (IOException e) {
			return false;
		}
	}

	static String page(String address) throws IOException {
		HttpURLConnection connection = (HttpURLConnection) URI.create(address).toURL().openConnection();
		String page = new String(connection.getInputStream().readAllBytes());

		if (connection.getResponseCode() != 200)
			throw new IOException(connection.getResponseCode() + " for " + address);
		return page;
	}
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;

/** Told "run", a virtual thread runs, and calls nothing, until "end"; "quit" ends the program. */
final class VirtualBefore {
	private static volatile boolean running;
	private static volatile long turns;
	private static Thread thread;

	private VirtualBefore() {
	}

	private static void turn() {
		while (running)
			turns = turns + 1;
	}

	private static void run() {
		long begin = turns;

		running = true;
		thread = Thread.startVirtualThread(VirtualBefore::turn);
		while (turns == begin)
			Thread.onSpinWait();
	}

	private static void end() throws InterruptedException {
		running = false;
		thread.join();
	}

	public static void main(String[] args) throws IOException, InterruptedException {
		BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
		String line = in.readLine();

		for (; line != null && !line.equals("quit"); line = in.readLine()) {
			if (line.equals("run"))
				run();
			else
				end();
			System.out.println("done");
		}
		System.exit(7);
	}
}

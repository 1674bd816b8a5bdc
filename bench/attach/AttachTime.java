// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors

import com.sun.tools.attach.VirtualMachine;
import java.io.IOException;
import java.io.InputStream;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Has so many classes loaded and used, attaches the agent to its own JVM, and prints in
 * milliseconds: the longest pause that a busy thread saw in as long a time before; how long the
 * attaching took; the longest pause meanwhile; the time a round of calls took before, just after
 * attaching and a while later.
 *
 * A class in the namespace of each copy: the bytes of Copied00000, its name changed.
 */
final class AttachTime {
	/** Defines the copies. */
	private static final class Copies extends ClassLoader {
		private final byte[] bytes;

		Copies() throws IOException {
			super(AttachTime.class.getClassLoader());
			try (InputStream in = AttachTime.class.getResourceAsStream("Copied00000.class")) {
				bytes = in.readAllBytes();
			}
		}

		Runnable copy(int number) throws ReflectiveOperationException {
			byte[] name = String.format("Copied%05d", number).getBytes();
			byte[] copy = bytes.clone();

			for (int i = 0; i + name.length <= copy.length; i++)
				if (begins(copy, i))
					System.arraycopy(name, 0, copy, i, name.length);
			Class<?> made = defineClass(null, copy, 0, copy.length);
			return (Runnable) made.getDeclaredConstructor().newInstance();
		}

		private static boolean begins(byte[] bytes, int at) {
			String name = "Copied00000";

			for (int i = 0; i < name.length(); i++)
				if (bytes[at + i] != name.charAt(i))
					return false;
			return true;
		}
	}

	/** A thread that does nothing but look at the clock. */
	private static final class Pauses extends Thread {
		final AtomicLong longest = new AtomicLong();

		Pauses() {
			setDaemon(true);
		}

		@Override
		public void run() {
			long before = System.nanoTime();

			for (;;) {
				long now = System.nanoTime();

				if (now - before > longest.get())
					longest.set(now - before);
				before = now;
			}
		}

		double take() {
			return longest.getAndSet(0) / 1e6;
		}
	}

	private AttachTime() {
	}

	private static double round(Runnable[] copies) {
		long begin = System.nanoTime();

		for (Runnable copy : copies)
			copy.run();
		return (System.nanoTime() - begin) / 1e6;
	}

	public static void main(String[] args) throws Exception {
		Runnable[] copies = new Runnable[Integer.parseInt(args[0])];
		Copies loader = new Copies();
		Pauses pauses = new Pauses();
		double before = 0;

		for (int i = 0; i < copies.length; i++)
			copies[i] = loader.copy(i);
		for (int i = 0; i < 200; i++)
			before = round(copies);
		VirtualMachine self = VirtualMachine.attach(
				Long.toString(ProcessHandle.current().pid()));
		pauses.start();
		Thread.sleep(2000);
		double pauseBefore = pauses.take();
		long begin = System.nanoTime();
		self.loadAgentPath(args[1], args[2]);
		double attaching = (System.nanoTime() - begin) / 1e6;
		double pause = pauses.take();
		double first = round(copies);
		double later = 0;
		for (int i = 0; i < 200; i++)
			later = round(copies);
		self.detach();
		System.out.printf(java.util.Locale.ROOT, "%.1f %.0f %.1f %.1f %.1f %.1f%n", pauseBefore,
				attaching, pause, before, first, later);
	}
}

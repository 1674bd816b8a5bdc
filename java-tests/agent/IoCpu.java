/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.lang.reflect.Method;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Reads that compute and a read that waits; and the processor time that the JVM says they took. */
class IoCpu {
	static final ThreadMXBean threads = ManagementFactory.getThreadMXBean();
	static final int READS = 2000, BYTES = 256 * 1024;

	/** What the thread of the system has run: the JVM tells it of no virtual thread. */
	static long ran() throws IOException {
		try (FileInputStream times = new FileInputStream("/proc/thread-self/schedstat")) {
			return Long.parseLong(new String(times.readAllBytes(), StandardCharsets.US_ASCII).split(" ")[0]);
		}
	}

	static long reads(byte[] bytes) throws IOException {
		long before = ran();
		try (FileInputStream zero = new FileInputStream("/dev/zero")) {
			for (int i = 0; i < READS; i++)
				zero.read(bytes);
		}
		return ran() - before;
	}

	static void writes(byte[] bytes) throws IOException {
		try (FileOutputStream none = new FileOutputStream("/dev/null")) {
			for (int i = 0; i < READS; i++)
				none.write(bytes);
		}
	}

	/** The other side computes for so long before it sends a byte. */
	static void send(Socket socket, long ns) throws IOException {
		long end = threads.getCurrentThreadCpuTime() + ns;
		while (threads.getCurrentThreadCpuTime() < end)
			;
		socket.getOutputStream().write(1);
	}

	static long waits(ServerSocket server, Socket socket) throws Exception {
		try (Socket accepted = server.accept(); InputStream in = socket.getInputStream()) {
			Thread sender = new Thread(() -> {
				try {
					send(accepted, 200_000_000);
				} catch (IOException e) {
					throw new RuntimeException(e);
				}
			}, "sender");
			sender.start();
			long before = threads.getCurrentThreadCpuTime();
			in.read();
			long took = threads.getCurrentThreadCpuTime() - before;
			sender.join();
			return took;
		}
	}

	static void files() throws IOException {
		byte[] bytes = new byte[BYTES];
		System.out.println("reads " + reads(bytes));
		writes(bytes);
	}

	/** "wait": for a line, first. "virtual": files are read and written by a virtual thread. */
	public static void main(String[] args) throws Exception {
		List<String> words = List.of(args);

		if (words.contains("wait")) {
			System.out.println("waiting 0");
			System.in.read();
		}
		if (words.contains("virtual")) {
			Method start = Thread.class.getMethod("startVirtualThread", Runnable.class);
			((Thread) start.invoke(null, (Runnable) () -> {
				try {
					files();
				} catch (IOException e) {
					throw new UncheckedIOException(e);
				}
			})).join();
		} else {
			files();
		}
		InetAddress here = InetAddress.getLoopbackAddress();
		try (ServerSocket server = new ServerSocket(0, 1, here);
				Socket socket = new Socket(here, server.getLocalPort())) {
			System.out.println("waits " + waits(server, socket));
		}
	}
}

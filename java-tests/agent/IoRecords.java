// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;

/**
 * Threads that each write, in turns, 1, 2, 3... bytes to a file of their own, by two methods; and
 * one that sends so to another. Arguments: the folder, threads, writes of each; and a word, to
 * write a byte each by many call paths instead.
 */
public class IoRecords {
	static void writeOdd(OutputStream out, byte[] bytes, int count) throws IOException {
		out.write(bytes, 0, count);
	}

	static void writeEven(OutputStream out, byte[] bytes, int count) throws IOException {
		out.write(bytes, 0, count);
	}

	/** The size of write i. */
	static int size(int i) {
		return 1 + i % 1000;
	}

	/** By a call path of 16 calls that says the number, so that paths come all the time. */
	static void left(OutputStream out, int number, int depth) throws IOException {
		if (depth == 0)
			out.write(number);
		else if (number % 2 == 0)
			left(out, number / 2, depth - 1);
		else
			right(out, number / 2, depth - 1);
	}

	static void right(OutputStream out, int number, int depth) throws IOException {
		if (depth == 0)
			out.write(number);
		else if (number % 2 == 0)
			right(out, number / 2, depth - 1);
		else
			left(out, number / 2, depth - 1);
	}

	static void writeAll(OutputStream out, int writes) throws IOException {
		byte[] bytes = new byte[1000];
		for (int i = 0; i < writes; i++)
			if (size(i) % 2 == 1)
				writeOdd(out, bytes, size(i));
			else
				writeEven(out, bytes, size(i));
	}

	static void writer(Path folder, int thread, int writes, boolean paths) {
		try (FileOutputStream out = new FileOutputStream(folder.resolve("out-" + thread).toFile())) {
			for (int i = 0; paths && i < writes; i++) {
				left(out, i, 16);
				if (i % 200 == 0)
					Thread.sleep(1);
			}
			if (!paths)
				writeAll(out, writes);
		} catch (IOException | InterruptedException e) {
			throw new IllegalStateException(e);
		}
	}

	static void receiver(ServerSocket server) {
		try (Socket socket = server.accept(); InputStream in = socket.getInputStream()) {
			byte[] bytes = new byte[5000];
			long sum = 0;
			for (int n; (n = in.read(bytes)) > 0;)
				sum += n;
			System.out.println("received " + sum);
		} catch (IOException e) {
			throw new IllegalStateException(e);
		}
	}

	public static void main(String[] args) throws Exception {
		Path folder = Path.of(args[0]);
		int threads = Integer.parseInt(args[1]), writes = Integer.parseInt(args[2]);
		Thread[] thread = new Thread[threads + 1];

		try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
			thread[threads] = new Thread(() -> receiver(server), "receiver");
			for (int t = 0; t < threads; t++) {
				int me = t;
				thread[t] = new Thread(() -> writer(folder, me, writes, args.length > 3), "writer-" + t);
			}
			for (Thread t : thread)
				t.start();
			try (Socket socket = new Socket(server.getInetAddress(), server.getLocalPort())) {
				writeAll(socket.getOutputStream(), 100);
			}
			for (Thread t : thread)
				t.join();
		}
	}
}

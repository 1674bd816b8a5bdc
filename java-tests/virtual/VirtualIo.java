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
import java.util.Map;

/**
 * Virtual threads that write to files and talk over sockets, and know how much. VirtualIo FOLDER.
 *
 *   do N     N threads "io-0"... write to a file each and send to as many "echo-0"..., which send
 *            it back. Tells "METHOD OPS BYTES" of the methods of Io
 */
final class VirtualIo {
	static final int ROUNDS = 10;
	private static Path folder;
	private static ServerSocket server;

	private static void work(int threads) throws Exception {
		Thread[] all = new Thread[2 * threads];
		Thread.Builder clients = Told.builder("io-"), echoes = Told.builder("echo-");

		for (int i = 0; i < threads; i++) {
			int number = i;
			Socket client = new Socket(server.getInetAddress(), server.getLocalPort());
			Socket other = server.accept();
			FileOutputStream file = new FileOutputStream(folder.resolve("io-" + i).toFile());

			all[i] = clients.start(Told.thread(root -> {
				try (client; file) {
					Io.run(root, number, file, client.getOutputStream(), client.getInputStream());
				}
			}));
			all[threads + i] = echoes.start(Told.thread(root -> {
				try (other) {
					Io.echo(root, number, other.getInputStream(), other.getOutputStream());
				}
			}));
		}
		Told.join(all);
		tell(threads);
	}

	/** How many bytes thread i sends at a time. */
	static int size(int i) {
		return 1 + i % 200;
	}

	/** A receive is one operation or more: its number is 0 here. */
	private static void tell(int threads) {
		long bytes = 0, ops = (long) threads * ROUNDS;

		for (int i = 0; i < threads; i++)
			bytes += (long) size(i) * ROUNDS;
		System.out.println("writes write " + ops + " " + bytes);
		System.out.println("writes deeper " + 2 * ops + " " + 2 * bytes);
		System.out.println("sent send " + 2 * ops + " " + 2 * bytes);
		System.out.println("received receive 0 " + 2 * bytes);
	}

	public static void main(String[] args) throws Exception {
		folder = Path.of(args[0]);
		Told.settings(args);
		server = new ServerSocket(0, 100, InetAddress.getLoopbackAddress());
		Told.serve(Map.of("do", words -> work(Integer.parseInt(words[1]))));
	}
}

/** All that is recorded. */
final class Io {
	private Io() {
	}

	static void write(Told at, OutputStream file, byte[] bytes) throws IOException {
		at.call("Io.write");
		file.write(bytes);
	}

	/** Writes twice what it is given, before and after it has been off its carrier. */
	static void deeper(Told at, int depth, OutputStream file, byte[] bytes) throws IOException {
		at = at.call("Io.deeper");
		if (depth > 0) {
			deeper(at, depth - 1, file, bytes);
			return;
		}
		file.write(bytes);
		Thread.yield();
		file.write(bytes);
	}

	static void send(Told at, OutputStream out, byte[] bytes) throws IOException {
		at.call("Io.send");
		Thread.yield();
		out.write(bytes);
	}

	static void receive(Told at, InputStream in, byte[] bytes) throws IOException {
		at.call("Io.receive");
		in.readNBytes(bytes, 0, bytes.length);
	}

	static void run(Told at, int number, OutputStream file, OutputStream out, InputStream in)
			throws IOException {
		byte[] bytes = new byte[VirtualIo.size(number)];

		at = at.call("Io.run");
		for (int i = 0; i < VirtualIo.ROUNDS; i++) {
			write(at, file, bytes);
			send(at, out, bytes);
			receive(at, in, bytes);
			deeper(at, 5, file, bytes);
		}
	}

	static void echo(Told at, int number, InputStream in, OutputStream out) throws IOException {
		byte[] bytes = new byte[VirtualIo.size(number)];

		at = at.call("Io.echo");
		for (int i = 0; i < VirtualIo.ROUNDS; i++) {
			receive(at, in, bytes);
			send(at, out, bytes);
		}
	}
}

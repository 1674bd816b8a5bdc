/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
import java.io.*;
import java.net.*;
import java.nio.file.*;

/**
 * Many connections and many files, one after the other, each used once: what was done is printed.
 * Words: connections, files, a folder. Among the first ones one is large.
 */
class IoMany {
	static final int REQUEST = 5, ANSWER = 100, LARGE = 4_000_000, LARGE_ONE = 30;
	static volatile long received, answered;

	static void serve(ServerSocket server, int count) throws IOException {
		byte[] request = new byte[REQUEST], answer = new byte[ANSWER];

		for (int i = 0; i < count; i++) {
			try (Socket socket = server.accept()) {
				received += socket.getInputStream().readNBytes(request, 0, REQUEST);
				byte[] bytes = i == LARGE_ONE ? new byte[LARGE] : answer;
				socket.getOutputStream().write(bytes);
				answered += bytes.length;
			}
		}
	}

	static void ask(int port, int count) throws IOException {
		byte[] request = new byte[REQUEST];

		for (int i = 0; i < count; i++) {
			try (Socket socket = new Socket("127.0.0.1", port)) {
				socket.getOutputStream().write(request);
				socket.getInputStream().readAllBytes();
			}
		}
	}

	static void upload(Path path, int bytes) throws IOException {
		try (OutputStream out = new FileOutputStream(path.toFile())) {
			out.write(new byte[bytes]);
		}
		Files.delete(path);
	}

	static void deleteNothing(Path path) {
		path.toFile().delete();
	}

	public static void main(String[] arguments) throws Exception {
		int connections = Integer.parseInt(arguments[0]), files = Integer.parseInt(arguments[1]);
		Path folder = Path.of(arguments[2]);
		ServerSocket server = new ServerSocket(0, 50, InetAddress.getByName("127.0.0.1"));
		Thread thread = new Thread(() -> {
			try {
				serve(server, connections);
			} catch (IOException e) {
				throw new UncheckedIOException(e);
			}
		}, "server");
		long written = 0;

		thread.start();
		ask(server.getLocalPort(), connections);
		thread.join();
		for (int i = 0; i < files; i++) {
			int bytes = i == LARGE_ONE ? LARGE : i % 7 + 1;

			upload(folder.resolve("upload_" + Integer.toHexString(i * 7919) + "_" + i + ".tmp"), bytes);
			written += bytes;
		}
		System.out.println("port " + server.getLocalPort());
		System.out.println("connections " + connections);
		System.out.println("received " + received);
		System.out.println("answered " + answered);
		System.out.println("files " + files);
		System.out.println("written " + written);
	}
}

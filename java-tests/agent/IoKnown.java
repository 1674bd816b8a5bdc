// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
import java.io.Closeable;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.RandomAccessFile;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Opens 1000 files and 200 sockets and uses them, has jprof record from then on, and uses each
 * once more. Prints what a profile must hold, apart by tabs, with what the kernel says of names
 * and descriptors:
 *
 *   F path descriptor thread closes reads bytes writes bytes      a file
 *   C local remote closes receives bytes sends bytes              a connection
 *   T path before after                                           nanoTime around its opening
 *   S before after                                                ... around the start
 *
 * Arguments: the folder, "start" or "attach", the options to attach with.
 */
public class IoKnown {
	private static final int FILES = 1000, PAIRS = 100, THREADS = 4, SIZE = 4096;
	private static Path folder;

	/** One way to have a file open. */
	interface Handle extends Closeable {
		void read(byte[] bytes) throws IOException;

		void write(byte[] bytes) throws IOException;
	}

	static Handle random(Path path) throws IOException {
		RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw");

		return new Handle() {
			public void read(byte[] bytes) throws IOException {
				file.read(bytes);
			}

			public void write(byte[] bytes) throws IOException {
				file.write(bytes);
			}

			public void close() throws IOException {
				file.close();
			}
		};
	}

	static Handle channel(Path path) throws IOException {
		FileChannel file = FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE);

		return new Handle() {
			public void read(byte[] bytes) throws IOException {
				file.read(ByteBuffer.wrap(bytes));
			}

			public void write(byte[] bytes) throws IOException {
				file.write(ByteBuffer.wrap(bytes), 0);
			}

			public void close() throws IOException {
				file.close();
			}
		};
	}

	static final class Known {
		Path path;
		Handle handle;
		String thread;
		long before, after;

		void open(int i) throws IOException {
			/* A number that another file had before. */
			new FileInputStream(folder.resolve("gone").toFile()).close();
			path = folder.resolve("file-" + i);
			thread = Thread.currentThread().getName();
			before = System.nanoTime();
			handle = i % 2 == 0 ? random(path) : channel(path);
			after = System.nanoTime();
			handle.read(new byte[5]);
			handle.write(new byte[6]);
		}
	}

	private static void openAll(Known[] known) throws InterruptedException {
		List<Thread> threads = new ArrayList<>();

		for (int t = 0; t < THREADS; t++) {
			int first = t;
			Thread thread = new Thread(() -> {
				try {
					for (int i = first; i < FILES; i += THREADS)
						(known[i] = new Known()).open(i);
				} catch (IOException e) {
					e.printStackTrace();
				}
			}, "opener-" + t);
			thread.start();
			threads.add(thread);
		}
		for (Thread thread : threads)
			thread.join();
	}

	/** Some are renamed, some deleted, while they are open: the kernel names them so. */
	private static void rename(Known[] known) throws IOException {
		for (int i = 7; i < FILES; i += 50) {
			Path path = known[i].path;

			if (i % 100 == 7) {
				known[i].path = path.resolveSibling("renamed-" + i);
				Files.move(path, known[i].path);
			} else {
				known[i].path = Path.of(path + " (deleted)");
				Files.delete(path);
			}
		}
	}

	/** The kernel's name of every descriptor, to its number. */
	private static Map<String, String> descriptors() throws IOException {
		Map<String, String> numbers = new HashMap<>();

		try (var links = Files.newDirectoryStream(Path.of("/proc/self/fd"))) {
			for (Path link : links)
				if (Files.exists(link) || Files.isSymbolicLink(link))
					numbers.put(Files.readSymbolicLink(link).toString(), link.getFileName().toString());
		}
		return numbers;
	}

	private static String address(java.net.SocketAddress address) {
		InetSocketAddress inet = (InetSocketAddress) address;

		return inet.getAddress().getHostAddress() + ":" + inet.getPort();
	}

	private static void useFiles(Known[] known, PrintStream out) throws IOException {
		Map<String, String> numbers = descriptors();

		for (int i = 0; i < FILES; i++) {
			Known file = known[i];
			int reads = 0, writes = 0, closes = i % 3 == 0 ? 1 : 0;

			if (i % 4 < 2)
				file.handle.read(new byte[reads = i % 97 + 1]);
			else
				file.handle.write(new byte[writes = i % 89 + 1]);
			if (closes == 1)
				file.handle.close();
			out.printf("F\t%s\t%s\t%s\t%d\t%d\t%d\t%d\t%d%n", file.path, numbers.get(file.path.toString()),
					file.thread, closes, reads > 0 ? 1 : 0, reads, writes > 0 ? 1 : 0, writes);
			out.printf("T\t%s\t%d\t%d%n", file.path, file.before, file.after);
		}
	}

	private static void useSockets(List<Socket> clients, List<Socket> accepted, PrintStream out)
			throws IOException {
		for (int i = 0; i < PAIRS; i++) {
			Socket client = clients.get(i), other = accepted.get(i);

			client.getOutputStream().write(new byte[i + 1]);
			other.getInputStream().read(new byte[i + 1]);
			String local = address(client.getLocalSocketAddress());
			String remote = address(client.getRemoteSocketAddress());
			out.printf("C\t%s\t%s\t0\t0\t0\t1\t%d%n", local, remote, i + 1);
			out.printf("C\t%s\t%s\t%d\t1\t%d\t0\t0%n", remote, local, i % 2, i + 1);
			if (i % 2 == 1)
				other.close();
		}
	}

	public static void main(String[] args) throws Exception {
		Known[] known = new Known[FILES];
		List<Socket> clients = new ArrayList<>(), accepted = new ArrayList<>();

		folder = Path.of(args[0]).toRealPath();
		Files.write(folder.resolve("gone"), new byte[SIZE]);
		for (int i = 0; i < FILES; i++)
			Files.write(folder.resolve("file-" + i), new byte[SIZE]);
		openAll(known);
		rename(known);
		try (ServerSocket server = new ServerSocket(0, PAIRS, InetAddress.getLoopbackAddress());
				PrintStream out = new PrintStream(folder.resolve("../truth").toFile())) {
			for (int i = 0; i < PAIRS; i++) {
				clients.add(new Socket(server.getInetAddress(), server.getLocalPort()));
				accepted.add(server.accept());
				clients.get(i).getOutputStream().write(new byte[9]);
				accepted.get(i).getInputStream().readNBytes(9);
			}
			long before = System.nanoTime();
			if (args[1].equals("attach"))
				Control.attach(args[2]);
			else
				Control.call("jprof_start");
			out.printf("S\t%d\t%d%n", before, System.nanoTime());
			useFiles(known, out);
			useSockets(clients, accepted, out);
		}
		System.out.println("done");
	}
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
import java.io.File;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.RandomAccessFile;
import java.lang.reflect.Constructor;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/**
 * I/O that is easily counted wrong. What it prints is the same in every run. In the file of the
 * second argument it says what it did, apart by tabs; "-" is what it does not know:
 *
 *   F path opens closes failures reads bytes writes bytes     a file; all its rows together
 *   C local remote closes received sent                       a connection, in bytes
 *
 * Arguments: the part, the file for the facts, a folder.
 */
public class IoHard {
	private static final InetAddress LOCAL = InetAddress.getLoopbackAddress();
	private static PrintStream facts;
	private static Path folder;

	private static void file(Object... fact) {
		StringBuilder line = new StringBuilder("F");

		for (Object part : fact)
			line.append('\t').append(part);
		facts.println(line);
	}

	private static String text(SocketAddress address) {
		InetSocketAddress inet = (InetSocketAddress) address;

		return inet.getAddress().getHostAddress() + ":" + inet.getPort();
	}

	private static void connection(SocketAddress local, SocketAddress remote, int closes, long received,
			long sent) {
		facts.printf("C\t%s\t%s\t%d\t%d\t%d%n", text(local), text(remote), closes, received, sent);
	}

	private static void say(Exception e) {
		System.out.println(e);
	}

	/* ---- descriptors that were there before ---- */

	private static int readAll(InputStream in, byte[] part) throws IOException {
		int operations = 1;

		while (in.read(part) > 0)
			operations++;
		return operations;
	}

	/** The descriptors 0, 1, 2 and 7 of the program that started this one. */
	static void inherited() throws Exception {
		Constructor<FileDescriptor> make = FileDescriptor.class.getDeclaredConstructor(int.class);
		Path in = folder.resolve("in"), seven = folder.resolve("seven");

		make.setAccessible(true);
		file(in, 0, 0, 0, readAll(new FileInputStream(FileDescriptor.in), new byte[700]), Files.size(in), 0, 0);
		try (FileInputStream other = new FileInputStream("/dev/fd/7")) {
			file("/dev/fd/7", 1, 1, 0, readAll(other, new byte[100]), Files.size(seven), 0, 0);
		}
		try (FileInputStream raw = new FileInputStream(make.newInstance(7))) {
			file(seven, 0, 1, 0, readAll(raw, new byte[99]), Files.size(seven), 0, 0);
		}
		OutputStream out = new FileOutputStream(FileDescriptor.out);
		for (int i = 0; i < 5; i++)
			out.write("to standard output\n".getBytes());
		file(folder.resolve("../out").normalize(), 0, 0, 0, 0, 0, 5, 5 * 19);
		System.err.print("to standard error\n");
		System.err.flush();
		file(folder.resolve("../err").normalize(), 0, 0, 0, 0, 0, "-", 18);
	}

	/* ---- sockets that are closed under a reader ---- */

	interface Body {
		void run() throws Exception;
	}

	private static Thread reader(Body body) {
		Thread thread = new Thread(() -> {
			try {
				body.run();
			} catch (Exception e) {
				say(e);
			}
		});

		thread.start();
		return thread;
	}

	static void closedSocket() throws Exception {
		try (ServerSocket server = new ServerSocket(0, 1, LOCAL)) {
			Socket client = new Socket(LOCAL, server.getLocalPort()), other = server.accept();
			SocketAddress one = client.getLocalSocketAddress(), two = client.getRemoteSocketAddress();
			CountDownLatch half = new CountDownLatch(1);
			Thread thread = reader(() -> {
				client.getInputStream().readNBytes(10);
				half.countDown();
				client.getInputStream().read(new byte[10]);
			});

			other.getOutputStream().write(new byte[10]);
			half.await();
			Thread.sleep(300); // it is in the next read then
			client.close();
			thread.join();
			System.out.println(other.getInputStream().read());
			other.close();
			connection(one, two, 1, 10, 0);
			connection(two, one, 1, 0, 10);
		}
	}

	static void closedChannel(boolean interrupt) throws Exception {
		try (ServerSocketChannel server = ServerSocketChannel.open().bind(new InetSocketAddress(LOCAL, 0))) {
			SocketChannel client = SocketChannel.open(server.getLocalAddress()), other = server.accept();
			SocketAddress one = client.getLocalAddress(), two = client.getRemoteAddress();
			CountDownLatch half = new CountDownLatch(1);
			Thread thread = reader(() -> {
				ByteBuffer bytes = ByteBuffer.allocate(20);
				while (bytes.position() < 20)
					client.read(bytes);
				half.countDown();
				bytes.clear();
				client.read(bytes);
			});

			other.write(ByteBuffer.allocate(20));
			half.await();
			Thread.sleep(300); // it is in the next read then
			if (interrupt)
				thread.interrupt();
			else
				client.close();
			thread.join();
			System.out.println(client.isOpen() + " " + other.read(ByteBuffer.allocate(1)));
			other.close();
			connection(one, two, 1, 20, 0);
			connection(two, one, 1, 0, 20);
		}
	}

	static void sockets() throws Exception {
		closedSocket();
		closedChannel(false);
		closedChannel(true);
		try (FileChannel channel = FileChannel.open(folder.resolve("in"))) {
			Thread.currentThread().interrupt();
			channel.read(ByteBuffer.allocate(1));
		} catch (IOException e) {
			System.out.println(e + " " + Thread.interrupted());
		}
		file(folder.resolve("in"), 1, 1, 0, 0, 0, 0, 0);
	}

	/* ---- transfers ---- */

	static void transfers() throws Exception {
		final int size = 1_000_000;
		Path from = folder.resolve("from"), to = folder.resolve("to");

		Files.write(from, new byte[size]);
		Files.createFile(to);
		try (ServerSocketChannel server = ServerSocketChannel.open().bind(new InetSocketAddress(LOCAL, 0));
				SocketChannel client = SocketChannel.open(server.getLocalAddress());
				SocketChannel other = server.accept();
				FileChannel source = FileChannel.open(from);
				FileChannel target = FileChannel.open(to, StandardOpenOption.WRITE)) {
			Thread thread = reader(() -> {
				long position = 0, count;
				while ((count = target.transferFrom(other, position, 50_000)) > 0)
					position += count;
				System.out.println(position);
			});
			for (long position = 0; position < size;)
				position += source.transferTo(position, size - position, client);
			client.shutdownOutput();
			thread.join();
			connection(client.getLocalAddress(), client.getRemoteAddress(), 1, 0, size);
			connection(client.getRemoteAddress(), client.getLocalAddress(), 1, size, 0);
		}
		System.out.println(Files.size(to));
		file(from, 2, 2, "-", "-", size, "-", size);
		file(to, 2, 2, 0, 0, 0, "-", size);
	}

	/* ---- very many ---- */

	static void many() throws IOException {
		List<FileInputStream> files = new ArrayList<>();

		Files.write(folder.resolve("small"), new byte[100]);
		for (int i = 0; i < 10_000; i++)
			Files.createLink(folder.resolve("many-" + i), folder.resolve("small"));
		for (int i = 0; i < 10_000; i++)
			files.add(new FileInputStream(folder.resolve("many-" + i).toFile()));
		for (int i = 0; i < 10_000; i++)
			files.get(i).read(new byte[i % 50 + 1]);
		for (int i = 0; i < 10_000; i += 2)
			files.get(i).close();
		for (int i = 0; i < 10_000; i++)
			file(folder.resolve("many-" + i), 1, 1 - i % 2, 0, 1, i % 50 + 1, 0, 0);
		System.out.println(files.size());
	}

	/** As many as there may be; what then fails, fails as ever. */
	static void limit() throws IOException {
		List<FileInputStream> files = new ArrayList<>();
		String name = folder.resolve("in").toString();

		/* The libraries that sockets need are descriptors, too, while they are loaded. */
		try (ServerSocket server = new ServerSocket(0, 1, LOCAL)) {
			new Socket(LOCAL, server.getLocalPort()).close();
		}
		try {
			while (files.size() < 1000)
				files.add(new FileInputStream(name));
		} catch (IOException e) {
			say(e);
		}
		try {
			FileChannel.open(Path.of(name));
		} catch (IOException e) {
			say(e);
		}
		try {
			new Socket(LOCAL, 1);
		} catch (IOException e) {
			say(e);
		}
		for (FileInputStream file : files)
			file.read();
		System.err.println(files.size());
		file(name, files.size() + 2, 0, 2, files.size(), files.size(), 0, 0);
		throw new IOException("with all descriptors used");
	}

	/* ---- names ---- */

	static void deleted() throws IOException {
		Path path = folder.resolve("deleted"), other = folder.resolve("moved");

		try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw")) {
			file.write(new byte[50]);
			System.out.println(path.toFile().delete());
			file.seek(0);
			System.out.println(file.read(new byte[100]));
		}
		file(path, 1, 1, 0, 1, 50, 1, 50);
		try (FileChannel channel = FileChannel.open(other, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
			Files.move(other, folder.resolve("elsewhere"));
			channel.write(ByteBuffer.allocate(60));
			Files.delete(folder.resolve("elsewhere"));
			channel.write(ByteBuffer.allocate(6));
		}
		file(other, 1, 1, 0, 0, 0, 2, 66);
	}

	/** Each file of a folder, by a name that a string cannot hold; then a very long one. */
	static void names() throws IOException {
		try (DirectoryStream<Path> paths = Files.newDirectoryStream(folder.resolve("names"))) {
			for (Path path : paths)
				try (InputStream in = Files.newInputStream(path)) {
					in.read(new byte[1000]);
				}
		}
		Path deep = folder;
		while (deep.toString().length() < 3850)
			deep = deep.resolve("d".repeat(200));
		Files.createDirectories(deep);
		deep = deep.resolve("f".repeat(4094 - deep.toString().length()));
		System.out.println(deep.toString().length());
		try (FileOutputStream out = new FileOutputStream(deep.toFile())) {
			out.write(new byte[20]);
		}
		try (FileChannel channel = FileChannel.open(deep)) {
			System.out.println(channel.read(ByteBuffer.allocate(30)));
		}
		file(deep, 2, 2, 0, 1, 20, 1, 20);
		String longer = deep.getParent() + "/" + "x".repeat(4250 - deep.getParent().toString().length());
		try {
			new FileInputStream(longer).close();
		} catch (IOException e) {
			say(e);
		}
		file(longer, 1, 0, 1, 0, 0, 0, 0);
	}

	/* ---- what cannot be written ---- */

	static void full() throws IOException {
		try (FileOutputStream out = new FileOutputStream("/dev/full")) {
			out.write(new byte[10]);
		} catch (IOException e) {
			say(e);
		}
		try (FileChannel channel = FileChannel.open(Path.of("/dev/full"), StandardOpenOption.WRITE)) {
			channel.write(ByteBuffer.allocate(10));
		} catch (IOException e) {
			say(e);
		}
		file("/dev/full", 2, 2, 2, 0, 0, 2, 0);
	}

	/** In a file system of 64 KiB. */
	static void tiny() throws IOException {
		Path path = folder.resolve("tiny/file"), other = folder.resolve("tiny/other");
		int written = 0;

		try (FileOutputStream out = new FileOutputStream(path.toFile())) {
			for (;; written += 4096)
				out.write(new byte[4096]);
		} catch (IOException e) {
			say(e);
		}
		System.out.println(written + " " + Files.size(path));
		file(path, 1, 1, 1, 0, 0, written / 4096 + 1, written);
		Files.delete(path);
		try (FileChannel channel = FileChannel.open(other, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
			System.out.println(channel.write(ByteBuffer.allocateDirect(1_000_000)));
			channel.write(ByteBuffer.allocateDirect(1));
		} catch (IOException e) {
			say(e);
		}
		file(other, 1, 1, 1, 0, 0, 2, Files.size(other));
	}

	/** In a folder that is mounted for reading only. */
	static void readOnly() throws IOException {
		Path path = folder.resolve("tiny/there"), none = folder.resolve("tiny/none");

		try {
			new FileOutputStream(none.toFile()).close();
		} catch (IOException e) {
			say(e);
		}
		try {
			Files.write(none, new byte[5]);
		} catch (IOException e) {
			say(e);
		}
		System.out.println(none.toFile().delete() + " " + path.toFile().delete());
		try {
			Files.delete(path);
		} catch (IOException e) {
			say(e);
		}
		System.out.println(Files.readAllBytes(path).length);
		file(none, 2, 0, 3, 0, 0, 0, 0);
		file(path, 1, 1, 2, "-", Files.size(path), 0, 0);
	}

	/* ---- what the program's own classes and locks are ---- */

	/** Has a field of the name and type of its superclass's. */
	static final class OddFile extends File {
		private final long[] space = new long[4];
		private final String path = "not the path";

		OddFile(Path path) {
			super(path.toString());
		}

		int odd() {
			return space.length + path.length();
		}
	}

	static final class OddStream extends FileInputStream {
		private final FileDescriptor fd = new FileDescriptor();

		OddStream(Path path) throws IOException {
			super(path.toFile());
		}

		boolean odd() {
			return fd.valid();
		}
	}

	static void fields() throws IOException {
		Path odd = folder.resolve("odd"), plain = folder.resolve("plain");
		Path made = File.createTempFile("made", ".tmp", folder.toFile()).toPath();
		OddFile file = new OddFile(odd);

		/* The odd ones first: who looks for fields must not find theirs. */
		System.out.println(file.odd() + " " + file.delete());
		System.out.println(plain.toFile().delete());
		Files.write(plain, new byte[9]);
		try (OddStream in = new OddStream(plain)) {
			System.out.println(in.odd() + " " + in.read(new byte[5]));
		}
		try (FileInputStream in = new FileInputStream(plain.toFile())) {
			System.out.println(in.read(new byte[7]));
		}
		file(odd, 0, 0, 1, 0, 0, 0, 0);
		file(plain, 3, 3, 1, 2, 12, 1, 9);
		file(made, 1, 1, 0, 0, 0, 0, 0);
	}

	/** A lock on an archive is there as long as the program says. */
	static void locks() throws IOException {
		Path path = folder.resolve("locked.zip");

		try (ZipOutputStream out = new ZipOutputStream(new FileOutputStream(path.toFile()))) {
			out.putNextEntry(new ZipEntry("entry"));
			out.write(new byte[100]);
		}
		String inode = ":" + Files.getAttribute(path, "unix:ino") + " ";
		try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw")) {
			file.getChannel().lock();
			System.out.println(file.read(new byte[50]));
			try (Stream<String> lines = Files.lines(Path.of("/proc/locks"))) {
				System.out.println(lines.filter(line -> line.contains(inode)).count());
			}
		}
		file(path, 2, 2, 0, 1, 50, "-", Files.size(path));
	}

	public static void main(String[] args) throws Exception {
		facts = new PrintStream(args[1]);
		folder = Path.of(args[2]);
		switch (args[0]) {
		case "inherited" -> inherited();
		case "sockets" -> sockets();
		case "transfers" -> transfers();
		case "many" -> many();
		case "limit" -> limit();
		case "deleted" -> deleted();
		case "names" -> names();
		case "full" -> full();
		case "tiny" -> tiny();
		case "read-only" -> readOnly();
		case "fields" -> fields();
		case "locks" -> locks();
		default -> throw new IllegalArgumentException(args[0]);
		}
		System.exit(5);
	}
}

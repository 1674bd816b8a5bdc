// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
import java.io.File;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.UnixDomainSocketAddress;
import java.net.StandardProtocolFamily;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.AsynchronousFileChannel;
import java.nio.channels.AsynchronousServerSocketChannel;
import java.nio.channels.AsynchronousSocketChannel;
import java.nio.channels.DatagramChannel;
import java.nio.channels.FileChannel;
import java.nio.channels.Pipe;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.Future;

/** Does I/O by every API of the JDK, in files of a folder and on connections of its own. */
public class EveryApi {
	private static final InetAddress LOCAL = InetAddress.getLoopbackAddress();

	interface Body {
		void run() throws Exception;
	}

	private static Thread start(Body body) {
		Thread thread = new Thread(() -> {
			try {
				body.run();
			} catch (Exception e) {
				e.printStackTrace();
			}
		});

		thread.start();
		return thread;
	}

	static void streams(Path folder) throws Exception {
		File file = folder.resolve("streams").toFile();

		try (FileOutputStream out = new FileOutputStream(file)) {
			out.write(7);
			out.write(new byte[1000]);
			out.write(new byte[8000], 10, 5000);
		}
		try (FileOutputStream out = new FileOutputStream(file, true)) {
			out.write(new byte[3]);
		}
		try (FileInputStream in = new FileInputStream(file)) {
			in.read();
			in.read(new byte[100]);
			in.skip(200);
			in.readAllBytes();
			in.read();
		}
		try (RandomAccessFile random = new RandomAccessFile(file, "rw")) {
			random.seek(100);
			random.write(1);
			random.writeLong(2);
			random.write(new byte[500]);
			random.seek(0);
			random.read();
			random.readInt();
			random.readFully(new byte[900]);
			random.getFD().sync();
		}
		new File(folder.toFile(), "streams").renameTo(new File(folder.toFile(), "renamed"));
		new File(folder.toFile(), "renamed").delete();
		try {
			new FileInputStream(new File(folder.toFile(), "nothing")).close();
		} catch (IOException e) {
			/* as it should be */
		}
		try (FileOutputStream out = new FileOutputStream(folder.resolve("large").toFile())) {
			out.write(new byte[3_000_000]);
		}
		try (FileInputStream in = new FileInputStream(folder.resolve("large").toFile())) {
			in.read(new byte[2_500_000]);
		}
	}

	static void channels(Path folder) throws Exception {
		Path path = folder.resolve("channel"), target = folder.resolve("target");
		ByteBuffer[] parts = {ByteBuffer.allocate(10), ByteBuffer.allocateDirect(20)};

		try (FileChannel channel = FileChannel.open(path, StandardOpenOption.CREATE,
				StandardOpenOption.READ, StandardOpenOption.WRITE)) {
			channel.write(ByteBuffer.allocate(9000));
			channel.write(ByteBuffer.allocate(100), 20_000);
			channel.write(parts);
			channel.position(0);
			parts[0].clear();
			parts[1].clear();
			channel.read(parts);
			channel.read(ByteBuffer.allocateDirect(300));
			channel.read(ByteBuffer.allocate(50), 5);
			channel.read(ByteBuffer.allocate(50), 1_000_000);
			channel.force(true);
			MappedByteBuffer mapped = channel.map(FileChannel.MapMode.READ_WRITE, 0, 8192);
			mapped.put(0, (byte) 1);
			mapped.force();
			try (FileChannel to = FileChannel.open(target, StandardOpenOption.CREATE,
					StandardOpenOption.WRITE, StandardOpenOption.READ)) {
				channel.transferTo(0, 15_000, to);
				to.transferFrom(channel.position(100), 0, 2000);
			}
			channel.truncate(5000);
		}
		try (AsynchronousFileChannel channel = AsynchronousFileChannel.open(
				folder.resolve("asynchronous"), StandardOpenOption.CREATE,
				StandardOpenOption.READ, StandardOpenOption.WRITE)) {
			channel.write(ByteBuffer.allocate(700), 0).get();
			channel.write(ByteBuffer.allocate(70), 700).get();
			channel.read(ByteBuffer.allocate(1000), 0).get();
			channel.force(false);
		}
	}

	static void files(Path folder) throws Exception {
		Path path = folder.resolve("files"), copy = folder.resolve("copy");

		Files.write(path, new byte[40_000]);
		Files.readAllBytes(path);
		try (InputStream in = Files.newInputStream(path)) {
			in.read(new byte[123]);
			in.transferTo(OutputStream.nullOutputStream());
		}
		try (OutputStream out = Files.newOutputStream(path, StandardOpenOption.APPEND)) {
			out.write(new byte[10]);
		}
		Files.copy(path, copy);
		Files.copy(path, copy, StandardCopyOption.REPLACE_EXISTING);
		try (InputStream in = Files.newInputStream(path)) {
			Files.copy(in, folder.resolve("from-stream"));
		}
		Files.move(copy, folder.resolve("moved"));
		Files.delete(folder.resolve("moved"));
		Files.createDirectory(folder.resolve("directory"));
		try (var entries = Files.list(folder)) {
			entries.count();
		}
		Files.delete(folder.resolve("directory"));
		Files.writeString(folder.resolve("text"), "one\ntwo\n");
		try (var lines = Files.lines(folder.resolve("text"))) {
			lines.count();
		}
	}

	static void sockets() throws Exception {
		try (ServerSocket server = new ServerSocket(0, 5, LOCAL)) {
			Thread other = start(() -> {
				try (Socket socket = server.accept()) {
					socket.getInputStream().readNBytes(5001);
					socket.getOutputStream().write(new byte[300]);
					socket.getOutputStream().write(9);
				}
			});
			try (Socket socket = new Socket(LOCAL, server.getLocalPort())) {
				socket.getOutputStream().write(new byte[5000]);
				socket.getOutputStream().write(1);
				socket.setSoTimeout(10_000);
				socket.getInputStream().readAllBytes();
			}
			other.join();
		}
	}

	static void socketChannels() throws Exception {
		try (ServerSocketChannel server = ServerSocketChannel.open();
				Selector selector = Selector.open()) {
			server.bind(new InetSocketAddress(LOCAL, 0));
			SocketChannel client = SocketChannel.open();
			client.configureBlocking(false);
			client.register(selector, SelectionKey.OP_CONNECT);
			if (!client.connect(server.getLocalAddress()))
				while (!client.finishConnect())
					selector.select();
			SocketChannel accepted = server.accept();
			client.write(ByteBuffer.allocate(1234));
			client.write(new ByteBuffer[] {ByteBuffer.allocate(6), ByteBuffer.allocate(7)});
			ByteBuffer in = ByteBuffer.allocate(1247);
			while (in.hasRemaining())
				accepted.read(in);
			accepted.write(ByteBuffer.allocateDirect(99));
			client.register(selector, SelectionKey.OP_READ);
			selector.wakeup();
			selector.select();
			selector.select(1000);
			ByteBuffer back = ByteBuffer.allocate(200);
			while (back.position() < 99)
				client.read(back);
			accepted.shutdownOutput();
			client.close();
			accepted.close();
		}
	}

	static void asynchronousSockets() throws Exception {
		try (AsynchronousServerSocketChannel server = AsynchronousServerSocketChannel.open()) {
			server.bind(new InetSocketAddress(LOCAL, 0));
			Future<AsynchronousSocketChannel> accepting = server.accept();
			AsynchronousSocketChannel client = AsynchronousSocketChannel.open();
			client.connect(server.getLocalAddress()).get();
			AsynchronousSocketChannel accepted = accepting.get();
			client.write(ByteBuffer.allocate(777)).get();
			ByteBuffer in = ByteBuffer.allocate(777);
			while (in.hasRemaining())
				accepted.read(in).get();
			client.close();
			accepted.close();
		}
	}

	static void datagrams() throws Exception {
		byte[] bytes = new byte[500];

		try (DatagramSocket one = new DatagramSocket(0, LOCAL);
				DatagramSocket two = new DatagramSocket(0, LOCAL)) {
			one.send(new DatagramPacket(bytes, 400, two.getLocalSocketAddress()));
			two.receive(new DatagramPacket(bytes, 500));
		}
		try (DatagramChannel one = DatagramChannel.open(); DatagramChannel two = DatagramChannel.open()) {
			one.bind(new InetSocketAddress(LOCAL, 0));
			two.bind(new InetSocketAddress(LOCAL, 0));
			one.send(ByteBuffer.allocate(60), two.getLocalAddress());
			two.receive(ByteBuffer.allocate(100));
			one.connect(two.getLocalAddress());
			two.connect(one.getLocalAddress());
			one.write(ByteBuffer.allocate(44));
			two.read(ByteBuffer.allocateDirect(100));
			one.write(new ByteBuffer[] {ByteBuffer.allocate(4), ByteBuffer.allocate(5)});
			two.read(new ByteBuffer[] {ByteBuffer.allocate(4), ByteBuffer.allocate(50)});
		}
	}

	static void unixSockets(Path folder) throws Exception {
		UnixDomainSocketAddress address = UnixDomainSocketAddress.of(folder.resolve("socket"));

		try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
			server.bind(address);
			SocketChannel client = SocketChannel.open(address);
			SocketChannel accepted = server.accept();
			client.write(ByteBuffer.allocate(321));
			ByteBuffer in = ByteBuffer.allocate(321);
			while (in.hasRemaining())
				accepted.read(in);
			client.close();
			accepted.close();
		}
		Files.delete(address.getPath());
	}

	static void pipes() throws Exception {
		Pipe pipe = Pipe.open();

		pipe.sink().write(ByteBuffer.allocate(88));
		pipe.source().read(ByteBuffer.allocate(100));
		pipe.sink().close();
		pipe.source().close();
	}

	static void processes() throws Exception {
		Process process = new ProcessBuilder("cat").start();

		process.getOutputStream().write(new byte[600]);
		process.getOutputStream().close();
		process.getInputStream().readAllBytes();
		process.waitFor();
	}

	static void transferToSocket(Path folder) throws Exception {
		try (ServerSocketChannel server = ServerSocketChannel.open().bind(new InetSocketAddress(LOCAL, 0));
				FileChannel file = FileChannel.open(folder.resolve("files"))) {
			Thread other = start(() -> {
				try (SocketChannel socket = server.accept();
						FileChannel to = FileChannel.open(folder.resolve("received"),
								StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
					long position = 0, n;
					while ((n = to.transferFrom(socket, position, 10_000)) > 0)
						position += n;
				}
			});
			try (SocketChannel socket = SocketChannel.open(server.getLocalAddress())) {
				long position = 0;
				while (position < 40_010)
					position += file.transferTo(position, 40_010 - position, socket);
			}
			other.join();
		}
	}

	public static void main(String[] args) throws Exception {
		Path folder = Path.of(args[0]);

		streams(folder);
		channels(folder);
		files(folder);
		sockets();
		socketChannels();
		asynchronousSockets();
		datagrams();
		unixSockets(folder);
		pipes();
		processes();
		transferToSocket(folder);
		System.out.println("done");
	}
}

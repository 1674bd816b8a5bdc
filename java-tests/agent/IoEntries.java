// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Enumeration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/**
 * Reads archives, and prints what it found in them. Arguments: the folder of the archives.
 * Their names say how they are read: "good-" 12 times each entry, in 3 openings by 4 threads;
 * "some-" entries whose names end in 00, once; "raw-" all bytes, in 3 ways; "shared-" by one
 * thread while another moves the descriptor's position; "system-" each entry once, by the file
 * system; "replaced-" each entry once, and then those of two others that take its place; "bad-"
 * each entry, as far as that goes.
 */
public class IoEntries {
	private static final int OPENINGS = 3, THREADS = 4;

	/** The sum of the checksums of all entries. */
	private static long readAll(ZipFile zip, String end) throws IOException {
		long sum = 0;

		for (Enumeration<? extends ZipEntry> entries = zip.entries(); entries.hasMoreElements();) {
			ZipEntry entry = entries.nextElement();
			if (!entry.getName().endsWith(end))
				continue;
			CRC32 crc = new CRC32();
			try (InputStream in = zip.getInputStream(entry)) {
				crc.update(in.readAllBytes());
			}
			sum += crc.getValue();
		}
		return sum;
	}

	static long good(Path path) throws Exception {
		AtomicLong sum = new AtomicLong();

		for (int i = 0; i < OPENINGS; i++) {
			try (ZipFile zip = new ZipFile(path.toFile())) {
				List<Thread> threads = new ArrayList<>();
				for (int t = 0; t < THREADS; t++) {
					Thread thread = new Thread(() -> {
						try {
							sum.addAndGet(readAll(zip, ""));
						} catch (IOException e) {
							e.printStackTrace();
						}
					});
					thread.start();
					threads.add(thread);
				}
				for (Thread thread : threads)
					thread.join();
			}
		}
		return sum.get();
	}

	static long once(Path path, String end) throws IOException {
		try (ZipFile zip = new ZipFile(path.toFile())) {
			return readAll(zip, end);
		}
	}

	static long raw(Path path) throws IOException {
		long bytes = 0;

		try (FileInputStream in = new FileInputStream(path.toFile())) {
			for (int n; (n = in.read(new byte[1000])) > 0;)
				bytes += n;
		}
		try (FileChannel channel = FileChannel.open(path)) {
			for (long end = channel.size(); end > 0; end -= 777) {
				int part = (int) Math.min(end, 777);
				bytes += channel.read(ByteBuffer.allocate(part), end - part);
			}
		}
		Path copy = path.resolveSibling("copy");
		Files.copy(path, copy);
		bytes += Files.size(copy);
		Files.delete(copy);
		return bytes;
	}

	static void shared(Path path) throws Exception {
		byte[] part = new byte[1000];

		try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "r")) {
			Thread other = new Thread(() -> {
				try {
					for (int i = 0; i < 50_000; i++)
						file.seek(i % 2 * 100);
				} catch (IOException e) {
					e.printStackTrace();
				}
			});
			other.start();
			while (other.isAlive())
				file.read(part);
			other.join();
		}
	}

	static long system(Path path) throws IOException {
		long bytes = 0;

		try (FileSystem zip = FileSystems.newFileSystem(path);
				var files = Files.walk(zip.getPath("/"))) {
			for (Path file : (Iterable<Path>) files::iterator)
				if (Files.isRegularFile(file))
					bytes += Files.readAllBytes(file).length;
		}
		return bytes;
	}

	static long replaced(Path path) throws IOException {
		long sum = once(path, "");

		/* Another file; then the same file with other bytes, of the same number. */
		Files.move(path.resolveSibling("second"), path, StandardCopyOption.REPLACE_EXISTING);
		sum += once(path, "");
		Files.write(path, Files.readAllBytes(path.resolveSibling("third")));
		return sum + once(path, "");
	}

	static void bad(Path path) {
		try (ZipFile zip = new ZipFile(path.toFile())) {
			for (Enumeration<? extends ZipEntry> entries = zip.entries(); entries.hasMoreElements();) {
				ZipEntry entry = entries.nextElement();
				try (InputStream in = zip.getInputStream(entry)) {
					System.out.println(entry + " " + in.readAllBytes().length);
				} catch (IOException | RuntimeException e) {
					System.out.println(entry + " " + e);
				}
			}
		} catch (IOException | RuntimeException e) {
			System.out.println(e);
		}
	}

	public static void main(String[] args) throws Exception {
		List<Path> paths;

		try (var list = Files.list(Path.of(args[0]))) {
			paths = list.sorted().toList();
		}
		for (Path path : paths) {
			String name = path.getFileName().toString();
			System.out.println(name);
			switch (name.replaceAll("-.*", "")) {
			case "good" -> System.out.println(good(path));
			case "some" -> System.out.println(once(path, "00"));
			case "raw" -> System.out.println(raw(path));
			case "shared" -> shared(path);
			case "system" -> System.out.println(system(path));
			case "replaced" -> System.out.println(replaced(path));
			case "bad" -> bad(path);
			}
		}
	}
}

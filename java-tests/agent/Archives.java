/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
import java.io.BufferedOutputStream;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/**
 * An archive of many entries, and links to it: each is read from, while it is open beside the others.
 *
 *   Archives FOLDER ENTRIES LINKS      prints "open KB", "closed KB": what is resident
 */
public class Archives {
	static long resident() throws Exception {
		for (String line : Files.readAllLines(Path.of("/proc/self/status")))
			if (line.startsWith("VmRSS:"))
				return Long.parseLong(line.replaceAll("[^0-9]", ""));
		return 0;
	}

	static void write(Path file, int entries) throws Exception {
		try (ZipOutputStream out = new ZipOutputStream(
			new BufferedOutputStream(Files.newOutputStream(file)))) {
			out.setLevel(0);
			for (int i = 0; i < entries; i++) {
				out.putNextEntry(new ZipEntry("a/folder/of/some/length/entry-" + i));
				out.write(i);
				out.closeEntry();
			}
		}
	}

	public static void main(String[] arguments) throws Exception {
		Path folder = Path.of(arguments[0]), first = folder.resolve("first.zip");
		List<RandomAccessFile> open = new ArrayList<>();
		byte[] bytes = new byte[1];

		write(first, Integer.parseInt(arguments[1]));
		for (int i = 0; i < Integer.parseInt(arguments[2]); i++) {
			Path link = folder.resolve("link-" + i + ".zip");

			Files.createLink(link, first);
			open.add(new RandomAccessFile(link.toFile(), "r"));
			open.get(i).read(bytes);
		}
		System.out.println("open " + resident());
		for (RandomAccessFile file : open)
			file.close();
		System.out.println("closed " + resident());
	}
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors

package com.acme.shop.store;

import com.acme.shop.Visit;
import com.acme.shop.truth.Counts;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/** A file of each user, of which every report has the bytes. */
public final class Documents {
	private static final Map<String, Integer> SIZES = Map.of("alice", 10_000, "bob", 25_000, "carol", 60_000);
	private static final int AT_ONCE = 4096;

	private final Path folder;
	private final Counts counts;

	public Documents(Path folder, Counts counts) throws IOException {
		this.folder = folder;
		this.counts = counts;
		for (Map.Entry<String, Integer> size : SIZES.entrySet())
			Files.write(path(size.getKey()), new byte[size.getValue()]);
	}

	/** How many bytes the visitor's file has. */
	public int size(Visit visit) {
		return SIZES.get(visit.user.getName());
	}

	/** Sends them. */
	public void send(Visit visit, OutputStream out) throws IOException {
		Counts.Cell<Counts.Work> cell = counts.work(visit.user.getName(), visit.kind);
		byte[] bytes = new byte[AT_ONCE];

		try (InputStream in = new FileInputStream(path(visit.user.getName()).toFile())) {
			for (;;) {
				long begin = System.nanoTime();
				int got = in.read(bytes);
				long took = System.nanoTime() - begin;

				if (got < 0) {
					cell.add(Counts.Work.FILE_ENDS, 1, took);
					return;
				}
				cell.add(Counts.Work.FILE_READS, 1, took);
				cell.add(Counts.Work.FILE_BYTES, got, 0);
				out.write(bytes, 0, got);
			}
		}
	}

	private Path path(String user) {
		return folder.resolve("document-" + user + ".bin");
	}
}

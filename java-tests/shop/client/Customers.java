// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors

package com.acme.shop.client;

import com.acme.shop.Settings;
import com.acme.shop.truth.Counts;
import java.io.BufferedInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Threads with a connection each, which send requests as fast as they are answered. The number says what a request is: whose (by
 * turns), and of which kind (four lists, three details, two orders and a report in ten).
 */
public final class Customers implements AutoCloseable {
	private static final String[] USERS = {"alice", "bob", "carol"};
	/** What each user looks for. */
	private static final String[] WORDS = {"lamp", "chair", "table"};
	private static final String[] KINDS = {"list", "detail", "list", "order", "detail", "list", "report", "order",
			"detail", "list"};

	private final int port;
	private final boolean virtual;
	private final Counts counts;
	private final List<Connection> connections = new ArrayList<>();

	public Customers(int port, Settings settings, Counts counts) throws IOException {
		this.port = port;
		this.counts = counts;
		virtual = settings.is("threads", "virtual");
		for (int i = Integer.parseInt(settings.get("clients")); i > 0; i--)
			connections.add(new Connection());
	}

	/** So many requests, all answered as they have to be. */
	public void ask(int requests) throws Exception {
		AtomicInteger next = new AtomicInteger();
		AtomicReference<Exception> failed = new AtomicReference<>();
		List<Thread> threads = new ArrayList<>();

		for (Connection connection : connections)
			threads.add(start(() -> {
				try {
					for (int number = next.getAndIncrement(); number < requests;
							number = next.getAndIncrement())
						connection.ask(number);
				} catch (IOException e) {
					failed.set(e);
				}
			}));
		for (Thread thread : threads)
			thread.join();
		if (failed.get() != null)
			throw failed.get();
	}

	@Override
	public void close() throws IOException {
		for (Connection connection : connections)
			connection.socket.close();
	}

	/** Virtual threads are younger than the release that this is compiled for. */
	private Thread start(Runnable body) throws ReflectiveOperationException {
		if (virtual)
			return (Thread) Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, body);
		Thread thread = new Thread(body, "customer");
		thread.start();
		return thread;
	}

	/** What comes out of a connection. */
	private final class Counted extends FilterInputStream {
		Counted(InputStream in) {
			super(in);
		}

		@Override
		public int read(byte[] bytes, int from, int length) throws IOException {
			int count = super.read(bytes, from, length);

			counts.exchanged(0, Math.max(count, 0));
			return count;
		}
	}

	/** HTTP, as far as needed. */
	private final class Connection {
		private final Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
		private final InputStream in = new BufferedInputStream(new Counted(socket.getInputStream()));

		Connection() throws IOException {
			socket.setTcpNoDelay(true);
		}

		void ask(int number) throws IOException {
			String user = USERS[number % USERS.length];
			String kind = KINDS[number / USERS.length % KINDS.length];

			byte[] request = ((kind.equals("order") ? "POST /" : "GET /") + kind
					+ "?word=" + WORDS[number % USERS.length] + " HTTP/1.1\r\nHost: shop\r\nX-User: " + user
					+ "\r\nX-Number: " + number + "\r\nContent-Length: 0\r\n\r\n")
					.getBytes(StandardCharsets.US_ASCII);
			socket.getOutputStream().write(request);
			counts.exchanged(request.length, 0);
			String status = line();
			int length = length();
			if (in.readNBytes(length).length < length
					|| !status.startsWith("HTTP/1.1 200") && !(kind.equals("order") && status.startsWith("HTTP/1.1 409")))
				throw new IOException("request " + number + ": " + status);
		}

		/** The headers, of which this is the one that counts. */
		private int length() throws IOException {
			int length = -1;

			for (String line = line(); !line.isEmpty(); line = line())
				if (line.toLowerCase(Locale.ROOT).startsWith("content-length:"))
					length = Integer.parseInt(line.substring(line.indexOf(':') + 1).trim());
			if (length < 0)
				throw new IOException("an answer without a length");
			return length;
		}

		private String line() throws IOException {
			StringBuilder line = new StringBuilder();

			for (int c = in.read(); c != '\n'; c = in.read()) {
				if (c < 0)
					throw new IOException("the server has closed the connection");
				if (c != '\r')
					line.append((char) c);
			}
			return line.toString();
		}
	}
}

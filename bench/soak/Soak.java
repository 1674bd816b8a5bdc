// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors

import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.DataOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.catalina.Context;
import org.apache.catalina.startup.Tomcat;

/**
 * Tomcat under a steady load: "serve FOLDER" prints its port, and answers until its standard input
 * ends; "ask RATE PORT..." sends so many requests a second to each port, a new connection for each
 * three of them, until its standard input ends, and prints how many were answered each second.
 */
final class Soak {
	private static final int REQUESTS = 3; /* of a connection */

	private Soak() {
	}

	public static void main(String[] args) throws Exception {
		if (args[0].equals("serve"))
			serve(Path.of(args[1]));
		else
			ask(args);
	}

	/** A page of a table; a file that is uploaded, read and deleted. */
	static final class Page extends HttpServlet {
		private final transient Path folder;

		Page(Path folder) {
			this.folder = folder;
		}

		@Override
		protected void doGet(HttpServletRequest request, HttpServletResponse response)
				throws IOException {
			Map<String, String> rows = new TreeMap<>();
			int seed = Integer.parseInt(request.getParameter("seed"));
			Path upload = Files.createTempFile(folder, "upload_", ".tmp");

			Files.write(upload, request.getQueryString().getBytes(StandardCharsets.UTF_8));
			for (int i = 0; i < 20; i++)
				rows.put("row" + Integer.toHexString(i * seed), "" + (seed ^ i));
			response.setContentType("text/html");
			PrintWriter out = response.getWriter();
			rows.forEach((name, cell) -> out.println(name + " " + cell));
			out.println(new String(Files.readAllBytes(upload), StandardCharsets.UTF_8));
			Files.delete(upload);
		}
	}

	private static void serve(Path folder) throws Exception {
		File base = folder.toFile();
		Tomcat tomcat = new Tomcat();

		tomcat.setBaseDir(base.getPath());
		tomcat.setPort(0);
		tomcat.getConnector().setProperty("address", "127.0.0.1");
		Context context = tomcat.addContext("", base.getPath());
		Tomcat.addServlet(context, "page", new Page(folder));
		context.addServletMappingDecoded("/", "page");
		tomcat.start();
		System.out.println(tomcat.getConnector().getLocalPort());
		while (System.in.read() >= 0)
			continue;
		tomcat.stop();
		tomcat.destroy();
	}

	private static void ask(String[] args) throws Exception {
		int rate = Integer.parseInt(args[1]);
		AtomicLong[] answered = new AtomicLong[args.length - 2];

		for (int i = 0; i < answered.length; i++) {
			int port = Integer.parseInt(args[i + 2]);
			AtomicLong count = answered[i] = new AtomicLong();
			Thread thread = new Thread(() -> askAlways(port, rate, count));
			thread.setDaemon(true);
			thread.start();
		}
		while (System.in.available() == 0) {
			StringBuilder line = new StringBuilder();

			for (AtomicLong count : answered)
				line.append(count).append(' ');
			System.out.println(line.toString().trim());
			Thread.sleep(1000);
		}
	}

	private static void askAlways(int port, int rate, AtomicLong answered) {
		long next = System.nanoTime();

		while (true) {
			try {
				askSome(port, (int)answered.get());
				answered.addAndGet(REQUESTS);
			} catch (IOException e) {
				System.err.println(e);
			}
			next = Math.max(next + REQUESTS * 1_000_000_000L / rate,
					System.nanoTime() - 1_000_000_000L);
			try {
				Thread.sleep(Math.max(0, (next - System.nanoTime()) / 1_000_000));
			} catch (InterruptedException e) {
				return;
			}
		}
	}

	private static void askSome(int port, int seed) throws IOException {
		try (Socket socket = new Socket(InetAddress.getByName("127.0.0.1"), port)) {
			DataOutputStream out = new DataOutputStream(socket.getOutputStream());
			InputStream in = socket.getInputStream();

			for (int i = 1; i <= REQUESTS; i++) {
				out.write(("GET /?seed=" + (seed + i) + " HTTP/1.1\r\nHost: a\r\nConnection: " +
						(i < REQUESTS ? "keep-alive" : "close") + "\r\n\r\n")
						.getBytes(StandardCharsets.US_ASCII));
				if (i < REQUESTS)
					readAnswer(in);
			}
			in.readAllBytes();
		}
	}

	/** As long as its Content-Length says. */
	private static void readAnswer(InputStream in) throws IOException {
		StringBuilder head = new StringBuilder();
		String field = "content-length: ";

		while (head.indexOf("\r\n\r\n") < 0) {
			int c = in.read();
			if (c < 0)
				throw new IOException("the answer ends in its head");
			head.append((char)Character.toLowerCase(c));
		}
		int at = head.indexOf(field) + field.length();
		in.readNBytes(Integer.parseInt(head.substring(at, head.indexOf("\r\n", at))));
	}
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors

import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.util.Map;
import java.util.TreeMap;
import org.apache.catalina.Context;
import org.apache.catalina.LifecycleException;
import org.apache.catalina.startup.Tomcat;

/**
 * Tomcat with one servlet, which makes a page of a table of 50 rows. Prints the port it listens
 * at and the milliseconds since the JVM began; ends when its standard input does.
 */
final class Server {
	/** The page. */
	static final class Table extends HttpServlet {
		@Override
		protected void doGet(HttpServletRequest request, HttpServletResponse response)
				throws IOException {
			Map<String, String> rows = new TreeMap<>();
			int seed = Integer.parseInt(request.getParameter("seed"));

			response.setContentType("text/html");
			for (int i = 0; i < 50; i++)
				rows.put(name(seed * 31 + i), cell(seed, i));
			PrintWriter out = response.getWriter();
			out.println("<table>");
			rows.forEach((name, cell) -> row(out, name, cell));
			out.println("</table>");
		}

		private static String name(int i) {
			return "row" + Integer.toHexString(i * 0x9e3779b9);
		}

		private static String cell(int seed, int i) {
			return escape("<" + (seed ^ i) + " & " + i + ">");
		}

		private static String escape(String text) {
			StringBuilder escaped = new StringBuilder();

			for (int i = 0; i < text.length(); i++)
				escape(escaped, text.charAt(i));
			return escaped.toString();
		}

		private static void escape(StringBuilder escaped, char c) {
			switch (c) {
			case '<':
				escaped.append("&lt;");
				break;
			case '>':
				escaped.append("&gt;");
				break;
			case '&':
				escaped.append("&amp;");
				break;
			default:
				escaped.append(c);
			}
		}

		private static void row(PrintWriter out, String name, String cell) {
			out.print("<tr><td>");
			out.print(name);
			out.print("</td><td>");
			out.print(cell);
			out.println("</td></tr>");
		}
	}

	private Server() {
	}

	public static void main(String[] args) throws Exception {
		File base = Files.createTempDirectory("jprof-tomcat").toFile();
		Tomcat tomcat = start(base);
		long begin = ManagementFactory.getRuntimeMXBean().getStartTime();

		System.out.println(tomcat.getConnector().getLocalPort() + " " +
				(System.currentTimeMillis() - begin));
		while (System.in.read() >= 0)
			continue;
		tomcat.stop();
		tomcat.destroy();
		delete(base);
	}

	static Tomcat start(File base) throws LifecycleException {
		Tomcat tomcat = new Tomcat();

		tomcat.setBaseDir(base.getPath());
		tomcat.setPort(0);
		tomcat.getConnector().setProperty("address", "127.0.0.1");
		Context context = tomcat.addContext("", base.getPath());
		Tomcat.addServlet(context, "table", new Table());
		context.addServletMappingDecoded("/", "table");
		tomcat.start();
		return tomcat;
	}

	static void delete(File file) {
		File[] files = file.listFiles();

		for (File each : files == null ? new File[0] : files)
			delete(each);
		file.delete();
	}
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors

package com.acme.shop;

import com.acme.shop.client.Customers;
import com.acme.shop.pool.Sources;
import com.acme.shop.store.Articles;
import com.acme.shop.store.Documents;
import com.acme.shop.store.Orders;
import com.acme.shop.store.Reports;
import com.acme.shop.store.Schema;
import com.acme.shop.store.Shape;
import com.acme.shop.truth.Counts;
import com.acme.shop.truth.Statistics;
import com.acme.shop.truth.Truth;
import com.acme.shop.web.DetailServlet;
import com.acme.shop.web.ListServlet;
import com.acme.shop.web.OrderServlet;
import com.acme.shop.web.ReportServlet;
import jakarta.servlet.http.HttpServlet;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.apache.catalina.Context;
import org.apache.catalina.LifecycleException;
import org.apache.catalina.core.StandardVirtualThreadExecutor;
import org.apache.catalina.startup.Tomcat;
import org.apache.tomcat.util.descriptor.web.FilterDef;
import org.apache.tomcat.util.descriptor.web.FilterMap;

/**
 * A shop: a database (H2), a web server (Tomcat) with a filter and four servlets, and its customers, in one JVM. It counts itself
 * what it does: for whom, in which kind of request, with which statement.
 *
 * <p>Arguments are settings, KEY=VALUE (Settings). Then it does what it is told, a line at a time, and answers "done":
 * <pre>
 *     serve N   so many requests, numbered from 0 on: the number says what it is; a line "ns", how long they took together
 *     forget    all counts are zero, its own and H2's
 *     aside     one statement that only H2 counts: the next truth has to say so
 *     truth     a line of JSON: what was counted since, and where H2 has counted otherwise
 *     quit      the end, with exit status 7
 * </pre>
 */
public final class Shop {
	private static final int QUIT_STATUS = 7;

	private final Settings settings;
	private final Path folder;
	private final Counts counts = new Counts();
	private final Work work;
	private final Sources sources;
	private final Tomcat tomcat;
	private final Customers customers;

	private Shop(Settings settings) throws Exception {
		this.settings = settings;
		work = new Work(counts, settings.is("tags", "yes"));
		folder = Files.createTempDirectory("jprof-shop");
		sources = new Sources(settings, folder);
		Schema.create(sources.admin());
		tomcat = start();
		customers = new Customers(tomcat.getConnector().getLocalPort(), settings, counts);
	}

	public static void main(String[] args) throws Exception {
		Settings settings = null;

		try {
			settings = new Settings(args);
		} catch (IllegalArgumentException e) {
			System.err.println(e.getMessage());
			System.exit(2);
		}
		Shop shop = new Shop(settings);
		try {
			shop.listen();
		} finally {
			shop.close();
		}
		System.exit(QUIT_STATUS);
	}

	private void listen() throws Exception {
		BufferedReader told = new BufferedReader(new InputStreamReader(System.in));

		for (String line = told.readLine(); line != null; line = told.readLine()) {
			String[] words = line.split(" ");

			switch (words[0]) {
			case "serve" -> serve(Integer.parseInt(words[1]));
			case "aside" -> aside();
			case "forget" -> forget();
			case "truth" -> System.out.println(new Truth(settings, counts, sources.admin()).json());
			case "quit" -> {
				return;
			}
			default -> throw new IllegalArgumentException("unknown command: " + line);
			}
			System.out.println("done");
		}
	}

	/** Customers may have their answers before the work for them has ended. */
	private void serve(int requests) throws Exception {
		long begin = System.nanoTime();

		customers.ask(requests);
		System.out.println("ns " + (System.nanoTime() - begin));
		work.await(requests);
	}

	private void aside() throws SQLException {
		try (Connection connection = sources.admin().getConnection();
				PreparedStatement statement = connection.prepareStatement(Shape.DETAIL.shape)) {
			statement.setInt(1, 1);
			statement.executeQuery().close();
		}
	}

	private void forget() throws Exception {
		counts.forget();
		Statistics.forget(sources.admin());
	}

	private Tomcat start() throws LifecycleException, IOException {
		Tomcat server = new Tomcat();

		server.setBaseDir(folder.toString());
		server.setPort(0);
		server.getConnector().setProperty("address", "127.0.0.1");
		server.getConnector().setProperty("maxKeepAliveRequests", "-1");
		if (settings.is("threads", "virtual")) {
			StandardVirtualThreadExecutor executor = new StandardVirtualThreadExecutor();

			executor.setName("virtual");
			server.getService().addExecutor(executor);
			server.getConnector().getProtocolHandler().setExecutor(executor);
		}
		Context context = server.addContext("", folder.toString());
		DataSource source = sources.source();
		Articles articles = new Articles(source, counts);
		add(context, "list", new ListServlet(articles));
		add(context, "detail", new DetailServlet(articles));
		add(context, "order", new OrderServlet(new Orders(source, counts)));
		add(context, "report", new ReportServlet(new Reports(source, counts), new Documents(folder, counts)));
		addFilter(context, new UserFilter(work));
		server.start();
		return server;
	}

	private static void add(Context context, String kind, HttpServlet servlet) {
		Tomcat.addServlet(context, kind, servlet).addMapping("/" + kind);
	}

	private static void addFilter(Context context, UserFilter filter) {
		FilterDef definition = new FilterDef();
		FilterMap map = new FilterMap();

		definition.setFilterName("user");
		definition.setFilter(filter);
		context.addFilterDef(definition);
		map.setFilterName("user");
		map.addURLPattern("/*");
		context.addFilterMap(map);
	}

	private void close() throws Exception {
		customers.close();
		tomcat.stop();
		tomcat.destroy();
		sources.close();
		try (Stream<Path> paths = Files.walk(folder)) {
			List<Path> inside = paths.sorted(Comparator.reverseOrder()).toList();

			for (Path path : inside)
				Files.delete(path);
		}
	}
}

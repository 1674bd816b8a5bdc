// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors

package com.acme.shop.pool;

import com.acme.shop.Settings;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Map;
import java.util.function.BiFunction;
import javax.sql.DataSource;
import org.apache.tomcat.dbcp.dbcp2.BasicDataSource;
import org.apache.tomcat.jdbc.pool.PoolProperties;
import org.h2.jdbcx.JdbcConnectionPool;
import org.h2.jdbcx.JdbcDataSource;
import org.h2.tools.Server;

/** Where connections come from: the shop's through a pool, in proxies if so set; the administrator's from H2 itself. */
public final class Sources implements AutoCloseable {
	private static final String USER = "sa";
	private static final String WITH = ";DB_CLOSE_DELAY=-1;LOCK_TIMEOUT=60000";
	/** By the setting pool: made of the database's address and the number of connections. */
	private static final Map<String, BiFunction<String, Integer, DataSource>> POOLS = Map.of(
			"h2", Sources::h2, "tomcat", Sources::tomcat, "dbcp", Sources::dbcp);

	/** With database=tcp, otherwise null. */
	private final Server server;
	private final JdbcDataSource admin = new JdbcDataSource();
	private final DataSource pool;
	private final boolean wrapped;

	public Sources(Settings settings, Path folder) throws SQLException {
		server = settings.is("database", "tcp")
				? Server.createTcpServer("-tcpPort", "0", "-ifNotExists").start() : null;
		String address = switch (settings.get("database")) {
		case "file" -> "jdbc:h2:file:" + folder.resolve("shop") + WITH;
		case "tcp" -> "jdbc:h2:tcp://127.0.0.1:" + server.getPort() + "/mem:shop" + WITH;
		default -> "jdbc:h2:mem:shop" + WITH;
		};

		admin.setURL(address);
		admin.setUser(USER);
		pool = POOLS.get(settings.get("pool")).apply(address, Integer.parseInt(settings.get("clients")));
		wrapped = settings.is("wrap", "yes");
	}

	/** The shop's. */
	public DataSource source() {
		return wrapped ? Wrapped.around(DataSource.class, pool) : pool;
	}

	/** H2's own. */
	public DataSource admin() {
		return admin;
	}

	@Override
	public void close() throws SQLException {
		if (pool instanceof JdbcConnectionPool h2)
			h2.dispose();
		else if (pool instanceof BasicDataSource dbcp)
			dbcp.close();
		else if (pool instanceof org.apache.tomcat.jdbc.pool.DataSource tomcat)
			tomcat.close();
		if (server != null)
			server.stop();
	}

	private static DataSource h2(String address, int connections) {
		JdbcConnectionPool pool = JdbcConnectionPool.create(address, USER, "");

		pool.setMaxConnections(connections);
		return pool;
	}

	private static DataSource tomcat(String address, int connections) {
		PoolProperties properties = new PoolProperties();

		properties.setUrl(address);
		properties.setDriverClassName("org.h2.Driver");
		properties.setUsername(USER);
		properties.setPassword("");
		properties.setMaxActive(connections);
		properties.setJmxEnabled(false);
		return new org.apache.tomcat.jdbc.pool.DataSource(properties);
	}

	private static DataSource dbcp(String address, int connections) {
		BasicDataSource pool = new BasicDataSource();

		pool.setUrl(address);
		pool.setUsername(USER);
		pool.setPassword("");
		pool.setMaxTotal(connections);
		return pool;
	}
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.TreeMap;

/**
 * A driver of databases without a database, what wraps it, and a program that uses both and counts for itself what is executed, and the
 * rows that are found, by statement. Prints "EXECUTIONS ROWS TEXT".
 */
public final class ParametersJdbc {
    static final int TIMES = 20, ROWS = 3, THREADS = 8;

    private static final TreeMap<String, int[]> counted = new TreeMap<>();

    static synchronized String count(String text, int executions, int rows) {
        int[] row = counted.computeIfAbsent(text, key -> new int[2]);

        row[0] += executions;
        row[1] += rows;
        return text;
    }

    // --- the driver ---

    static final class Rows extends StubResultSet {
        private int left = ROWS;

        @Override
        public boolean next() {
            return left-- > 0;
        }
    }

    static class Plain extends StubStatement {
        private boolean fails;
        /** What it executes to do its own work. */
        private Plain inner;

        private Rows rows() throws SQLException {
            if (fails) {
                throw new SQLException("it fails");
            }
            if (inner != null) {
                new Plain().executeQuery("select of the driver");
                inner.executeQuery();
            }
            return new Rows();
        }

        @Override
        public ResultSet executeQuery() throws SQLException {
            return rows();
        }

        @Override
        public ResultSet executeQuery(String text) throws SQLException {
            return rows();
        }

        @Override
        public boolean execute() throws SQLException {
            return rows() != null;
        }

        @Override
        public boolean execute(String text) throws SQLException {
            return rows() != null;
        }

        @Override
        public int executeUpdate() throws SQLException {
            rows();
            return 1;
        }

        @Override
        public int executeUpdate(String text, int keys) throws SQLException {
            rows();
            return 1;
        }

        @Override
        public void addBatch() {
        }

        @Override
        public void addBatch(String text) {
        }

        @Override
        public int[] executeBatch() {
            return new int[0];
        }

        @Override
        public ResultSet getResultSet() {
            return new Rows();
        }

        @Override
        public ResultSet getGeneratedKeys() {
            return new Rows();
        }

        @Override
        public boolean getMoreResults() {
            return true;
        }

        @Override
        public void close() {
        }
    }

    /** A statement that is its own result. */
    static final class Both extends StubBoth {
        private int left;

        @Override
        public ResultSet executeQuery() {
            left = ROWS;
            return this;
        }

        @Override
        public boolean next() {
            return left-- > 0;
        }
    }

    static final class Driver extends StubConnection {
        private PreparedStatement again;

        @Override
        public Statement createStatement() {
            return new Plain();
        }

        @Override
        public PreparedStatement prepareStatement(String text) throws SQLException {
            if (text.startsWith("wrong")) {
                throw new SQLException("it cannot be prepared");
            }
            if (text.contains("both")) {
                return new Both();
            }
            Plain plain = new Plain();
            if (text.contains("inside")) {
                plain.inner = new Plain();
            }
            plain.fails = text.contains("fails");
            if (text.contains("again")) {
                again = again == null ? plain : again;
                return again;
            }
            return plain;
        }
    }

    // --- what wraps it ---

    static final class WrappedRows extends StubResultSet {
        private final ResultSet inner;

        WrappedRows(ResultSet inner) {
            this.inner = inner;
        }

        @Override
        public boolean next() throws SQLException {
            return inner.next();
        }
    }

    static final class WrappedStatement extends StubStatement {
        private final PreparedStatement inner;

        WrappedStatement(PreparedStatement inner) {
            this.inner = inner;
        }

        @Override
        public ResultSet executeQuery() throws SQLException {
            return new WrappedRows(inner.executeQuery());
        }
    }

    static final class Wrapped extends StubConnection {
        private final Connection inner;

        Wrapped(Connection inner) {
            this.inner = inner;
        }

        @Override
        public PreparedStatement prepareStatement(String text) throws SQLException {
            return new WrappedStatement(inner.prepareStatement(text));
        }
    }

    /** By a proxy, and so what its methods return. */
    static <T> T proxy(Class<T> type, Object inner) {
        return type.cast(Proxy.newProxyInstance(ParametersJdbc.class.getClassLoader(), new Class<?>[] {type}, (self, method, arguments) -> {
            try {
                Object result = method.invoke(inner, arguments);
                Class<?> returned = method.getReturnType();
                return result != null && returned.isInterface() && returned.getName().startsWith("java.sql.") ? proxy(returned, result) : result;
            } catch (InvocationTargetException thrown) {
                throw thrown.getCause();
            }
        }));
    }

    // --- the program ---

    static void read(ResultSet rows) throws SQLException {
        int found = 0;

        while (rows.next()) {
            found++;
        }
        if (found != ROWS) {
            throw new AssertionError(found);
        }
    }

    static void prepared(Connection connection, String name) throws SQLException {
        PreparedStatement statement = connection.prepareStatement(count("select a from " + name + " where b = ?", TIMES, TIMES * ROWS));

        for (int i = 0; i < TIMES; i++) {
            read(statement.executeQuery());
        }
    }

    static void plain(Connection connection) throws SQLException {
        Statement statement = connection.createStatement();

        for (int i = 0; i < TIMES; i++) {
            read(statement.executeQuery(count("select a from plain_" + (char) ('a' + i % 3), 1, ROWS)));
            statement.execute(count("select a from results", 1, ROWS * 2));
            read(statement.getResultSet());
            statement.getMoreResults();
            read(statement.getResultSet());
            statement.executeUpdate(count("insert into keys values (?)", 1, ROWS), Statement.RETURN_GENERATED_KEYS);
            read(statement.getGeneratedKeys());
        }
    }

    static void batches(Connection connection) throws SQLException {
        PreparedStatement statement = connection.prepareStatement(count("insert into batch values (?)", TIMES, 0));

        for (int i = 0; i < TIMES; i++) {
            statement.addBatch();
            statement.addBatch();
            statement.executeBatch();
        }
        for (int i = 0; i < TIMES; i++) {
            Statement several = connection.createStatement();
            several.addBatch("insert into first values (?)");
            several.addBatch(count("insert into last values (?)", 1, 0));
            several.executeBatch();
            several.close();
        }
    }

    static void failing(Connection connection) throws SQLException {
        PreparedStatement statement = connection.prepareStatement(count("update fails set a = ?", TIMES, 0));

        for (int i = 0; i < TIMES; i++) {
            try {
                connection.prepareStatement("wrong");
                throw new AssertionError();
            } catch (SQLException expected) {
                // It was not prepared.
            }
            try {
                statement.executeUpdate();
                throw new AssertionError();
            } catch (SQLException expected) {
                // It was executed.
            }
        }
    }

    static void again(Connection connection) throws SQLException {
        for (int i = 0; i < TIMES; i++) {
            PreparedStatement statement = connection.prepareStatement(count("select a from again_" + (char) ('a' + i % 2), 1, ROWS));
            read(statement.executeQuery());
            statement.close();
        }
    }

    static void threads(Connection connection) throws Exception {
        PreparedStatement shared = connection.prepareStatement(count("select a from shared", THREADS * TIMES, THREADS * TIMES * ROWS));
        Thread[] threads = new Thread[THREADS];

        for (int t = 0; t < THREADS; t++) {
            threads[t] = new Thread(() -> {
                try {
                    for (int i = 0; i < TIMES; i++) {
                        read(shared.executeQuery());
                    }
                } catch (SQLException wrong) {
                    throw new AssertionError(wrong);
                }
            });
            threads[t].start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
    }

    public static void main(String[] arguments) throws Exception {
        Driver driver = new Driver();

        plain(driver);
        batches(driver);
        failing(driver);
        again(driver);
        threads(driver);
        prepared(driver, "prepared");
        prepared(driver, "both");
        prepared(driver, "inside");
        prepared(new Wrapped(driver), "wrapped");
        prepared(new Wrapped(new Wrapped(driver)), "wrapped_twice");
        prepared(proxy(Connection.class, driver), "proxies");
        prepared(new Wrapped(proxy(Connection.class, new Wrapped(driver))), "wrapped_proxies");
        prepared(proxy(Connection.class, new Wrapped(driver)), "proxies_wrapped");
        prepared(proxy(Connection.class, new Wrapped(driver)), "both_proxies");
        counted.forEach((text, row) -> System.out.println(row[0] + " " + row[1] + " " + text));
    }
}

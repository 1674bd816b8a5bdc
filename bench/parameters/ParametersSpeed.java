// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/**
 * What a call costs by the kind of value that is read of it: prints "KIND NS", the best of so many rounds of some milliseconds.
 *
 *   ParametersSpeed ROUNDS
 */
public final class ParametersSpeed {
    static final int CALLS = 20_000, VALUES = 16;

    enum Color { RED, GREEN }

    static class Item {
        private final String name;

        Item(String name) {
            this.name = name;
        }

        String getName() {
            return name;
        }
    }

    static final class Rows extends StubResultSet {
        private int left;

        @Override
        public boolean next() {
            return left-- > 0;
        }
    }

    static final class Prepared extends StubStatement {
        private final Rows rows = new Rows();

        @Override
        public ResultSet executeQuery() {
            return rows;
        }
    }

    static final class Driver extends StubConnection {
        @Override
        public PreparedStatement prepareStatement(String text) {
            return new Prepared();
        }
    }

    static volatile int sink;

    static void callInt(int value) {
        sink++;
    }

    static void callShort(String value) {
        sink++;
    }

    static void callLong(String value) {
        sink++;
    }

    static void callBoxed(Object value) {
        sink++;
    }

    static void callEnum(Object value) {
        sink++;
    }

    static void callField(Item value) {
        sink++;
    }

    static void callGetter(Item value) {
        sink++;
    }

    static void callShape(String value) {
        sink++;
    }

    static void callTag(String value) {
        sink++;
    }

    static String callResult(String value) {
        sink++;
        return value;
    }

    interface Calls {
        void round() throws SQLException;
    }

    static void measure(String kind, int rounds, Calls calls) throws SQLException {
        long best = Long.MAX_VALUE;

        for (int i = 0; i < rounds; i++) {
            long begin = System.nanoTime();
            calls.round();
            best = Math.min(best, System.nanoTime() - begin);
        }
        System.out.printf("%s %.1f%n", kind, (double) best / CALLS);
    }

    public static void main(String[] arguments) throws SQLException {
        int rounds = Integer.parseInt(arguments[0]);
        String[] shorts = new String[VALUES], longs = new String[VALUES], statements = new String[VALUES];
        Object[] boxed = new Object[VALUES];
        Item[] items = new Item[VALUES];
        Color[] colors = Color.values();
        PreparedStatement prepared = new Driver().prepareStatement("select a from t where b = ?");
        Rows rows = (Rows) prepared.executeQuery();

        for (int i = 0; i < VALUES; i++) {
            shorts[i] = String.format("a text of twenty %03d", i);
            longs[i] = shorts[i].repeat(10);
            statements[i] = String.format("select id, name, price from articles where id = %d and name like 'text %d%%' order by price desc limit 10", i, i);
            boxed[i] = i;
            items[i] = new Item(shorts[i]);
        }
        measure("int", rounds, () -> {
            for (int i = 0; i < CALLS; i++) {
                callInt(i % VALUES);
            }
        });
        measure("String of 20", rounds, () -> {
            for (int i = 0; i < CALLS; i++) {
                callShort(shorts[i % VALUES]);
            }
        });
        measure("String of 200", rounds, () -> {
            for (int i = 0; i < CALLS; i++) {
                callLong(longs[i % VALUES]);
            }
        });
        measure("boxed", rounds, () -> {
            for (int i = 0; i < CALLS; i++) {
                callBoxed(boxed[i % VALUES]);
            }
        });
        measure("enum", rounds, () -> {
            for (int i = 0; i < CALLS; i++) {
                callEnum(colors[i % 2]);
            }
        });
        measure("field", rounds, () -> {
            for (int i = 0; i < CALLS; i++) {
                callField(items[i % VALUES]);
            }
        });
        measure("getter", rounds, () -> {
            for (int i = 0; i < CALLS; i++) {
                callGetter(items[i % VALUES]);
            }
        });
        measure("shape of SQL", rounds, () -> {
            for (int i = 0; i < CALLS; i++) {
                callShape(statements[i % VALUES]);
            }
        });
        measure("tag", rounds, () -> {
            for (int i = 0; i < CALLS; i++) {
                callTag(shorts[i % VALUES]);
            }
        });
        measure("result", rounds, () -> {
            for (int i = 0; i < CALLS; i++) {
                callResult(shorts[i % VALUES]);
            }
        });
        measure("recalled statement", rounds, () -> {
            for (int i = 0; i < CALLS; i++) {
                prepared.executeQuery();
            }
        });
        measure("ResultSet.next", rounds, () -> {
            rows.left = CALLS;
            for (int i = 0; i < CALLS; i++) {
                rows.next();
            }
        });
    }
}

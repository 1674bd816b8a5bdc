// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
import java.io.IOException;
import java.io.PrintWriter;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Writes classes that have all methods of interfaces of java.sql, each of which throws, so that a driver needs no more than what it does:
 *
 *   ParametersStubs FOLDER
 */
final class ParametersStubs {
    private static String names(Class<?>[] types, String separator) {
        return Arrays.stream(types).map(Class::getCanonicalName).collect(Collectors.joining(separator));
    }

    private static void write(Path folder, String name, Class<?>... interfaces) throws IOException {
        TreeMap<String, Method> methods = new TreeMap<>();

        for (Class<?> type : interfaces) {
            for (Method method : type.getMethods()) {
                if (Modifier.isAbstract(method.getModifiers())) {
                    methods.put(method.getName() + "(" + names(method.getParameterTypes(), ",") + ")", method);
                }
            }
        }
        try (PrintWriter out = new PrintWriter(Files.newBufferedWriter(folder.resolve(name + ".java")))) {
            out.printf("@SuppressWarnings({\"rawtypes\", \"unchecked\", \"deprecation\"})%npublic class %s implements %s {%n", name,
                    names(interfaces, ", "));
            for (Method method : methods.values()) {
                int[] number = {0};
                String arguments = Arrays.stream(method.getParameterTypes()).map(type -> type.getCanonicalName() + " a" + number[0]++)
                        .collect(Collectors.joining(", "));
                String thrown = names(method.getExceptionTypes(), ", ");
                out.printf("    public %s %s(%s) %s { throw new UnsupportedOperationException(); }%n", method.getReturnType().getCanonicalName(),
                        method.getName(), arguments, thrown.isEmpty() ? "" : "throws " + thrown);
            }
            out.println("}");
        }
    }

    public static void main(String[] arguments) throws IOException {
        Path folder = Path.of(arguments[0]);

        write(folder, "StubConnection", java.sql.Connection.class);
        write(folder, "StubStatement", java.sql.PreparedStatement.class);
        write(folder, "StubResultSet", java.sql.ResultSet.class);
        write(folder, "StubBoth", java.sql.PreparedStatement.class, java.sql.ResultSet.class);
    }
}

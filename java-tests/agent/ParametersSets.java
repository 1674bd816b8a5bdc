// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Proxy;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Hashtable;
import java.util.TreeMap;
import javax.naming.Context;
import javax.naming.InitialContext;
import javax.naming.NamingException;
import javax.naming.spi.InitialContextFactory;

/**
 * Serves requests, sends them with the JDK's own clients, and looks names up, and counts for itself what the ready-made sets are to tell
 * of that. Prints "CALLS SET VALUE".
 */
public final class ParametersSets {
    static final int TIMES = 20;

    private static final TreeMap<String, Integer> counted = new TreeMap<>();

    static synchronized void count(String set, String value) {
        counted.merge(set + " " + value, 1, Integer::sum);
    }

    static final class Handler implements HttpHandler {
        @Override
        public void handle(HttpExchange exchange) throws IOException {
            count("http", exchange.getRequestMethod() + " " + exchange.getRequestURI().getPath());
            try (InputStream body = exchange.getRequestBody()) {
                body.readAllBytes();
            }
            exchange.sendResponseHeaders(200, 2);
            exchange.getResponseBody().write(new byte[] {'o', 'k'});
            exchange.close();
        }
    }

    static void clients(URI server) throws Exception {
        HttpClient client = HttpClient.newHttpClient();
        HttpRequest get = HttpRequest.newBuilder(server.resolve("/orders")).build();
        HttpRequest post = HttpRequest.newBuilder(server.resolve("/orders")).POST(HttpRequest.BodyPublishers.ofString("x")).build();

        for (int i = 0; i < TIMES; i++) {
            count("http_client", "GET " + server.getHost());
            client.send(get, HttpResponse.BodyHandlers.ofString());
            count("http_client", "POST " + server.getHost());
            client.sendAsync(post, HttpResponse.BodyHandlers.ofString()).get();
        }
    }

    /** What a connection does inside of one of its calls is not told again. */
    static void connections(URI server) throws Exception {
        for (int i = 0; i < TIMES; i++) {
            HttpURLConnection connection = (HttpURLConnection) server.resolve("/stock").toURL().openConnection();

            if (i % 2 == 0) {
                count("http_client", server.getHost());
                connection.connect();
            }
            if (i % 4 < 2) {
                count("http_client", server.getHost());
                if (connection.getResponseCode() != 200) {
                    throw new AssertionError();
                }
            }
            count("http_client", server.getHost());
            try (InputStream in = connection.getInputStream()) {
                in.readAllBytes();
            }
        }
        // Nobody answers there.
        for (int i = 0; i < TIMES; i++) {
            HttpURLConnection connection = (HttpURLConnection) URI.create("https://localhost:1/").toURL().openConnection();
            try {
                count("http_client", "localhost");
                if (i % 2 == 0) {
                    connection.connect();
                } else {
                    connection.getInputStream();
                }
                throw new AssertionError();
            } catch (IOException expected) {
                // It was asked for.
            }
        }
    }

    public static final class Names implements InitialContextFactory {
        @Override
        public Context getInitialContext(Hashtable<?, ?> environment) {
            return (Context) Proxy.newProxyInstance(Names.class.getClassLoader(), new Class<?>[] {Context.class},
                    (self, method, arguments) -> method.getName().equals("lookup") ? "found " + arguments[0] : null);
        }
    }

    static void names() throws NamingException {
        Hashtable<String, String> environment = new Hashtable<>();

        environment.put(Context.INITIAL_CONTEXT_FACTORY, Names.class.getName());
        for (int i = 0; i < TIMES; i++) {
            InitialContext context = new InitialContext(environment);
            String name = i % 2 == 0 ? "jdbc/orders" : "jms/stock";

            count("jndi", name);
            if (!context.lookup(name).equals("found " + name)) {
                throw new AssertionError();
            }
        }
    }

    public static void main(String[] arguments) throws Exception {
        HttpServer http = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        URI server = URI.create("http://127.0.0.1:" + http.getAddress().getPort());

        http.createContext("/", new Handler());
        http.start();
        clients(server);
        connections(server);
        names();
        http.stop(0);
        synchronized (ParametersSets.class) {
            counted.forEach((key, calls) -> System.out.println(calls + " " + key));
        }
        System.exit(0);
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
import java.net.URL;
import java.net.URLClassLoader;

/**
 * A server with applications, whose loaders are named as Tomcat's and Jetty's are: by fields. Each has a handler, which it makes
 * once and calls twice, and a copy of the same library.
 */
public final class Applications {
    /** What all applications have. */
    public static final class Library {
        static int worked;

        static void work() {
            worked++;
        }
    }

    /** What one application has alone. */
    public static final class Shop implements Runnable {
        public void run() {
            for (int i = 0; i < 7; i++)
                Library.work();
        }
    }

    public static final class Blog implements Runnable {
        public void run() {
            for (int i = 0; i < 5; i++)
                Library.work();
        }
    }

    public static final class Third implements Runnable {
        public void run() {
            Library.work();
        }
    }

    static void serve(ClassLoader loader, String name) throws Exception {
        Runnable handler =
                (Runnable) Class.forName(name, true, loader).getDeclaredConstructor().newInstance();

        handler.run();
        handler.run();
    }

    private static ClassLoader named(String name, Object... arguments) throws Exception {
        return (ClassLoader) Class.forName(name).getDeclaredConstructors()[0].newInstance(arguments);
    }

    public static void main(String[] args) throws Exception {
        URL[] classes = {Applications.class.getProtectionDomain().getCodeSource().getLocation()};
        ClassLoader tomcat = named("org.apache.catalina.loader.WebappLoader", classes, "/shop");
        ClassLoader jetty = named("org.eclipse.jetty.webapp.WebAppClassLoader", classes, "blog");
        ClassLoader nameless = named("org.apache.catalina.loader.Nameless", (Object) classes);

        serve(tomcat, "Applications$Shop");
        serve(jetty, "Applications$Blog");
        serve(nameless, "Applications$Third");
    }
}

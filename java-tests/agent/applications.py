#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
"""The view applications: calls by class loader. Loaders of Tomcat and Jetty are called what their fields say, and a field that is not
there, or holds nothing, is no harm; a class that several loaders have belongs to the one that calls it."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from harness import Test, run  # noqa: E402

# The loaders, with the fields that those of the servers have. None of the methods that would tell the name may be called.
SOURCES = {
    "org.apache.catalina.WebResourceRoot": "public interface WebResourceRoot {}",
    "org.apache.catalina.Context": "public interface Context {}",
    "org.apache.catalina.loader.Root": """
class Root implements org.apache.catalina.WebResourceRoot {
    private org.apache.catalina.Context context;
    Root(String name) { context = new Named(name); }
    static class Base { private String name; Base(String name) { this.name = name; }
        public String getName() { throw new IllegalStateException(); } }
    static final class Named extends Base implements org.apache.catalina.Context { Named(String name) { super(name); } }
}""",
    "org.apache.catalina.loader.WebappLoader": """
public class WebappLoader extends java.net.URLClassLoader {
    protected org.apache.catalina.WebResourceRoot resources;
    public WebappLoader(java.net.URL[] classes, String name) { super(classes, null); resources = new Root(name); }
}""",
    "org.apache.catalina.loader.Nameless": """
public class Nameless extends java.net.URLClassLoader {
    protected org.apache.catalina.WebResourceRoot resources;
    public Nameless(java.net.URL[] classes) { super(classes, null); }
}""",
    "org.eclipse.jetty.webapp.WebAppClassLoader": """
public class WebAppClassLoader extends java.net.URLClassLoader {
    private String _name;
    public WebAppClassLoader(java.net.URL[] classes, String name) { super(classes, null); _name = name; }
}""",
}
def compile_all(test):
    test.javac(test.javas[0], "Applications")
    folder = test.work / "sources"
    files = []
    for name, text in SOURCES.items():
        package, simple = name.rsplit(".", 1)
        file = folder / name.replace(".", "/")
        file.parent.mkdir(parents=True, exist_ok=True)
        file = file.with_name(simple + ".java")
        file.write_text(f"package {package};\n{text}\n")
        files.append(file)
    done = run(pathlib.Path(test.javas[0]).parent / "javac", "-d", test.work, *files)
    test.expect(done.status == 0, str(done))


def check(test, java):
    profile = test.new_profile()
    done = run(java, "-Xcheck:jni", f"-agentpath:{test.agent}=calls=instrument,traces=classes,file={profile}",
               "-cp", test.work, "Applications")
    test.expect(done.status == 0 and not done.err and "WARNING" not in done.out, f"{java}: {done}")
    rows = {row["component"]: row for row in test.views(profile).rows("applications")}
    nameless = [name for name in rows if name.startswith("Nameless #")]
    test.same(f"{java}: loaders", sorted(["app (AppClassLoader)", "/shop (WebappLoader)", "blog (WebAppClassLoader)", *nameless[:1]]),
              sorted(name for name in rows if name != "JDK and JVM"))
    # The server makes a handler and runs it twice; its constructor, run, and the library's method are the application's.
    for name in "/shop (WebappLoader)", "blog (WebAppClassLoader)", *nameless[:1]:
        test.same(f"{java}: {name}", [3, 3], [rows[name]["calls"], rows[name]["methods"]] if name in rows else [])


def main():
    test = Test()
    compile_all(test)
    for java in test.javas:
        check(test, java)
    test.finish()


main()

#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
#
# io-natives: every native method of the JDK's I/O classes has a row in io_native_rows.h, or is
# known to do no I/O that is counted (io-natives.none): a JDK that brings a new one fails.
. "$(dirname "$0")/common.sh"

cat >"$work/Natives.java" <<'JAVA'
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.net.URI;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;

/** Prints the native methods of the JDK's classes that could do I/O: "CLASS.METHOD". */
public class Natives {
	private static final String PACKAGES = "(java/io|java/net|java/nio|java/util/zip|jdk/net|jdk/nio|jdk/internal/io|"
			+ "sun/net|sun/nio)/.*|java/lang/Process.*";

	public static void main(String[] args) throws Exception {
		Path modules = FileSystems.getFileSystem(URI.create("jrt:/")).getPath("/modules");

		try (var paths = Files.walk(modules)) {
			paths.filter(path -> path.toString().endsWith(".class")).forEach(path -> {
				String name = modules.relativize(path).subpath(1, path.getNameCount() - 1).toString();

				if (name.matches(PACKAGES))
					print(name.substring(0, name.length() - 6).replace('/', '.'));
			});
		}
	}

	private static void print(String name) {
		try {
			for (Method method : Class.forName(name, false, null).getDeclaredMethods())
				if (Modifier.isNative(method.getModifiers()))
					System.out.println(name + "." + method.getName());
		} catch (ClassNotFoundException | LinkageError e) {
			/* of a module that is not there, or of another loader */
		}
	}
}
JAVA

"${CC:-cc}" -E -P "$source_dir/agent/io_calls/io_native_rows.h" |
	grep -o '"[a-z]*\.[A-Za-z0-9_.$]*", "[A-Za-z0-9_]*"' |
	sed 's/"\(.*\)", "\(.*\)"/\1.\2/' | sort -u >"$work/rows"
grep -v '^#' "$source_dir/java-tests/agent/io-natives.none" | sed 's/ .*//' >"$work/none"

for java in "${javas[@]}"; do
	"$(dirname "$java")/javac" -d "$work" "$work/Natives.java" || exit 1
	"$java" -cp "$work" Natives | sort -u >"$work/natives"
	[ "$(wc -l <"$work/natives")" -gt 200 ] || fail "only $(wc -l <"$work/natives") natives"
	missing=$(grep -vxFf "$work/rows" "$work/natives" | grep -vxf "$work/none")
	[ -z "$missing" ] || fail "$java: no row for
$missing"
	# At least those that every release has are still what the rows say.
	for method in java.io.FileInputStream.readBytes sun.nio.ch.Net.connect0; do
		grep -qxF "$method" "$work/natives" || fail "$java: $method is gone"
	done
done
finish

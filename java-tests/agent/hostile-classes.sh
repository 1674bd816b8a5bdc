#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
#
# hostile-classes: a class loader defines cut, changed and made-up class files: those that the JVM
# refuses without the agent it refuses with it, and the others give the same results.
. "$(dirname "$0")/common.sh"
need jq

cat >"$work/Hostile.java" <<'JAVA'
import java.io.*;
import java.util.*;

public class Hostile extends ClassLoader {
	static int answer(int n) {
		int sum = 0;
		for (int i = 0; i < n; i++) {
			try {
				sum += i % 7 == 0 ? 100 / (i % 14) : i;
			} catch (ArithmeticException e) {
				sum -= i;
			}
		}
		return sum;
	}

	static int fates;

	/** What comes of a class file: an error's class, or the answer. */
	static String fate(byte[] bytes) {
		/* Half of them are defined without a name. */
		String name = fates++ % 2 == 0 ? null : "Hostile";

		try {
			Class<?> c = new Hostile().defineClass(name, bytes, 0, bytes.length);
			java.lang.reflect.Method answer = c.getDeclaredMethod("answer", int.class);
			answer.setAccessible(true);
			return c.getName() + " " + answer.invoke(null, 50);
		} catch (LinkageError e) {
			/* Which one may differ: an index behind the constants is that of a new one. */
			return "refused";
		} catch (Throwable e) {
			return e.getClass().getName() + (e.getCause() == null ? "" : " " + e.getCause().getClass());
		}
	}

	Hostile() {
		super(null);
	}

	public static void main(String[] args) throws Exception {
		byte[] whole;
		try (InputStream in = Hostile.class.getResourceAsStream("Hostile.class")) {
			whole = in.readAllBytes();
		}
		Random random = new Random(42);
		for (int size = 0; size < whole.length; size += 13)
			System.out.println("cut " + size + " " + fate(Arrays.copyOf(whole, size)));
		for (int i = 0; i < 3000; i++) {
			byte[] changed = whole.clone();
			for (int k = random.nextInt(3); k >= 0; k--)
				changed[8 + random.nextInt(whole.length - 8)] = (byte) random.nextInt();
			System.out.println("changed " + i + " " + fate(changed));
		}
		byte[] noise = new byte[500];
		for (int i = 0; i < 200; i++) {
			random.nextBytes(noise);
			System.arraycopy(whole, 0, noise, 0, 10);
			System.out.println("noise " + i + " " + fate(noise));
		}
	}
}
JAVA

for java in "${javas[@]}"; do
	"$(dirname "$java")/javac" --release 17 -d "$work" "$work/Hostile.java" || exit 1
	"$java" -cp "$work" Hostile >"$work/plain" 2>"$work/err" || fail 'the program alone failed'
	"$java" "-agentpath:$agent=file=$work/p.jprof,calls=instrument" -cp "$work" Hostile >"$work/out" 2>"$work/err" ||
		fail "exit status $?: $(head -5 "$work/err")"
	[ "$(grep -c '^changed.*Hostile' "$work/plain")" -gt 20 ] || fail 'no class survived'
	cmp -s "$work/plain" "$work/out" ||
		fail "other fates: $(diff "$work/plain" "$work/out" | head -10)"
	[ ! -s "$work/err" ] || fail "printed: $(head -5 "$work/err")"
	# All of that passed the rewriter: it did most, and found some not well-formed.
	[ "$(fact probes.classes)" -gt 1000 ] || fail "probes in $(fact probes.classes) classes only"
	[ "$(fact untouched)" -gt 1 ] || fail "$(fact untouched) classes left alone only"
done
finish

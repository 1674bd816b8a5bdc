// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
// run: plain
// run[instrument attach]: compiled -Xcomp -XX:TieredStopAtLevel=1 -XX:CompileCommand=quiet -XX:CompileCommand=compileonly,cases.Bytecode_*::*
package cases;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;

/** A class for each bytecode (generate/Bytecodes.java): it runs, gives the right result, and is
 * counted. */
final class EveryBytecode {
	static final int TIMES = 3;
	static long classes;

	static void one(String name, String helper, String expected)
			throws ReflectiveOperationException {
		Method run = Class.forName("cases." + name).getDeclaredMethod("run");

		for (int i = 0; i < TIMES; i++) {
			Object result = run.invoke(null);

			Truth.expect(expected.equals(result), name + ": " + result);
		}
		Truth.calls("cases." + name, "run()Ljava/lang/String;", TIMES);
		if (!helper.equals("-"))
			Truth.calls("cases." + name, helper, TIMES);
		classes++;
	}

	public static void main(String[] args) throws IOException, ReflectiveOperationException {
		try (BufferedReader lines = new BufferedReader(new InputStreamReader(
				EveryBytecode.class.getResourceAsStream("bytecodes.txt"),
				StandardCharsets.UTF_8))) {
			for (String line = lines.readLine(); line != null; line = lines.readLine()) {
				String[] word = line.split(" ", 3);

				one(word[0], word[1], word[2]);
			}
		}
		Truth.expect(classes > 150, "only so many classes: " + classes);
		Truth.calls(EveryBytecode.class,
				"one(Ljava/lang/String;Ljava/lang/String;Ljava/lang/String;)V", classes);
		Truth.save(EveryBytecode.class);
	}
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
package cases;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Runs another class's main once the agent is there: says that it waits by the file attach.ready,
 * and goes on when there is attach.go. It is excluded from every profile.
 */
final class Attach {
	private Attach() {
	}

	/** For cases that are to be in the middle of something by then. */
	static void await() throws IOException, InterruptedException {
		Path directory = Path.of(System.getProperty("attach.directory"));

		Files.createFile(directory.resolve("attach.ready"));
		while (!Files.exists(directory.resolve("attach.go")))
			Thread.sleep(5);
	}

	public static void main(String[] args) throws Throwable {
		await();
		MethodHandles.lookup()
				.findStatic(Class.forName(args[0]), "main",
						MethodType.methodType(void.class, String[].class))
				.invokeExact(new String[0]);
	}
}

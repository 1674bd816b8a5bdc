// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
package generate;

import java.io.IOException;
import java.nio.file.Path;

/**
 * Writes class files that no compiler makes, for the cases that call them.
 *
 *   generate.Main DIRECTORY
 */
final class Main {
	private Main() {
	}

	interface Topic {
		void write(Path directory) throws IOException;
	}

	public static void main(String[] args) throws IOException {
		Topic[] topics = {BigCode::write, WideCode::write, OldCode::write, ConstructorCode::write,
				IndyCode::write, LockCode::write, ModuleCode::write};

		for (Topic topic : topics)
			topic.write(Path.of(args[0]));
	}
}

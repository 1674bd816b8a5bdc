// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors

import java.io.IOException;
import java.util.Locale;

/** How a benchmark switches jprof. */
final class Control {
	private static final String AGENT = System.getProperty("agent");

	private Control() {
	}

	/** Calls the agent's function: jprof_start, jprof_stop. */
	static void call(String function) {
		System.loadLibrary("control");
		if (call(AGENT, function) != 0)
			throw new IllegalStateException(function + " failed");
	}

	/** Has jcmd load the agent into this JVM. Without quotes of its own jcmd takes key=value for
	 * an option of the command's. */
	static void attach(String options) throws IOException, InterruptedException {
		jcmd("JVMTI.agent_load", '"' + AGENT + '"', '"' + options + '"');
	}

	static void jcmd(String... words) throws IOException, InterruptedException {
		String[] command = new String[words.length + 2];

		command[0] = System.getProperty("java.home") + "/bin/jcmd";
		command[1] = Long.toString(ProcessHandle.current().pid());
		System.arraycopy(words, 0, command, 2, words.length);
		Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
		String said = new String(process.getInputStream().readAllBytes());
		if (process.waitFor() != 0 || (said.contains("return code:") &&
				!said.contains("return code: 0")))
			throw new IllegalStateException(said);
	}

	static String format(String format, Object... values) {
		return String.format(Locale.ROOT, format, values);
	}

	private static native int call(String library, String function);
}

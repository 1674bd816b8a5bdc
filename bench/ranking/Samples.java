// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordedMethod;
import jdk.jfr.consumer.RecordingFile;

/**
 * The samples of the thread main in a flight recording, by method. A sample is the topmost frame's
 * whose class is of the package: as jprof charges what the JDK uses to the method that called it.
 * Hidden classes, as those of lambdas, have no probes and are passed over, too.
 *
 * Prints lines "event half class method signature samples inlined direct", with tabs: of the
 * samples, how many were of a frame that was inlined, and of the topmost frame itself. Samples
 * are dealt to the halves 0 and 1 by seconds in turns. A class - are samples without such a frame.
 *
 *   Samples RECORDING PACKAGE
 */
final class Samples {
	private static final List<String> EVENTS = List.of("jdk.ExecutionSample", "jdk.CPUTimeSample");

	private static final Pattern HIDDEN = Pattern.compile("\\$\\$Lambda|[./+]0x");

	private final Map<String, long[]> counts = new TreeMap<>();
	private final String prefix;

	private Samples(String packageName) {
		prefix = packageName + ".";
	}

	private boolean isChosen(RecordedFrame frame) {
		String type = frame.getMethod().getType().getName();

		return type.startsWith(prefix) && !HIDDEN.matcher(type).find();
	}

	private void add(String event, long half, RecordedFrame frame, boolean direct) {
		RecordedMethod method = frame == null ? null : frame.getMethod();
		String name = frame == null ? "-\t-\t-" : String.join("\t", method.getType().getName(),
				method.getName(), method.getDescriptor());
		long[] count = counts.computeIfAbsent(event + "\t" + half + "\t" + name,
				k -> new long[3]);

		count[0]++;
		if (frame != null && frame.getType().equals("Inlined"))
			count[1]++;
		if (direct)
			count[2]++;
	}

	private static boolean isMain(RecordedEvent event) {
		String field = event.hasField("sampledThread") ? "sampledThread" : "eventThread";

		return event.getThread(field) != null
				&& "main".equals(event.getThread(field).getJavaName());
	}

	private void take(RecordedEvent event) {
		String name = event.getEventType().getName();
		long half = event.getStartTime().getEpochSecond() % 2;

		if (!EVENTS.contains(name) || !isMain(event) || event.getStackTrace() == null)
			return;
		boolean top = true;
		for (RecordedFrame frame : event.getStackTrace().getFrames()) {
			if (frame.isJavaFrame() && isChosen(frame)) {
				add(name, half, frame, top);
				return;
			}
			top = false;
		}
		add(name, half, null, false);
	}

	public static void main(String[] args) throws IOException {
		Samples samples = new Samples(args[1]);

		try (RecordingFile file = new RecordingFile(Path.of(args[0]))) {
			while (file.hasMoreEvents())
				samples.take(file.readEvent());
		}
		samples.counts.forEach((name, count) -> System.out.println(
				name + "\t" + count[0] + "\t" + count[1] + "\t" + count[2]));
	}
}

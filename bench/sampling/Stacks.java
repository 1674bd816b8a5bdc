// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordedThread;
import jdk.jfr.consumer.RecordingFile;

/**
 * The samples of processor time in a flight recording, as lines "[THREAD];OUTERMOST;...;INNERMOST NANOSECONDS":
 * those that failed have no frames.
 *
 *   Stacks RECORDING
 */
final class Stacks {
	private static String line(RecordedEvent event) {
		RecordedThread thread = event.getThread("eventThread");
		StringBuilder line = new StringBuilder("[");

		line.append(thread == null ? null : thread.getJavaName()).append(']');
		List<RecordedFrame> frames = event.getStackTrace() == null ? List.of()
				: event.getStackTrace().getFrames();
		for (int i = frames.size() - 1; i >= 0; i--)
			line.append(';').append(frames.get(i).getMethod().getType().getName()).append('.')
					.append(frames.get(i).getMethod().getName());
		return line.append(' ').append(event.getDuration("samplingPeriod").toNanos()).toString();
	}

	public static void main(String[] args) throws IOException {
		try (RecordingFile file = new RecordingFile(Path.of(args[0]))) {
			while (file.hasMoreEvents()) {
				RecordedEvent event = file.readEvent();
				if (event.getEventType().getName().equals("jdk.CPUTimeSample"))
					System.out.println(line(event));
			}
		}
	}
}

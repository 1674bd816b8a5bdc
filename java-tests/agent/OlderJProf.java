// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
package jprof;

/** The class of a jprof.jar of before there were tags, as far as the agent sees it, and a program that uses it. */
final class JProf {
    private static volatile boolean present;

    static {
        try {
            Class.forName("jprof.Inside", true, null).getMethod("bind", Class.class).invoke(null, JProf.class);
        } catch (ReflectiveOperationException absent) {
            // There is no agent.
        }
    }

    private JProf() {
    }

    public static void main(String[] arguments) {
        boolean before = isRecording0();
        start0(null);
        boolean during = isRecording0();
        stop0();
        System.out.printf("loaded %b, recording %b %b %b%n", present, before, during, isRecording0());
    }

    private static native void start0(String options);

    private static native void stop0();

    private static native boolean isRecording0();

    private static native void snapshot0(String label);

    private static native void reset0();

    private static native void mark0(String name);

    private static native long threadValue0(String metric);

    private static native long threadValueOf0(Thread thread, String metric);

    private static native long totalValue0(String metric);
}

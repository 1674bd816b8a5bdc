// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
package java.lang;

public class Thread {
	public static native Thread currentThread();
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
package jdk.internal.misc;

public final class Unsafe {
	public static native Unsafe getUnsafe();

	public native long objectFieldOffset(Class<?> in, String field);

	public native long getLong(Object base, long offset);

	public native void putLong(Object base, long offset, long value);
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors

package com.acme.shop.store;

import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;

/** What nobody but the database is to see. Each is new, and can be found by how it begins. */
public final class Secrets {
	/** So begin texts. */
	public static final String TEXT = "SECRET-";
	/** So begin numbers of 16 digits. */
	public static final String NUMBER = "4999";

	private static final AtomicLong MADE = new AtomicLong();

	private Secrets() {
	}

	static String text() {
		MADE.incrementAndGet();
		return TEXT + Long.toHexString(ThreadLocalRandom.current().nextLong());
	}

	static long number() {
		MADE.incrementAndGet();
		return Long.parseLong(NUMBER) * 1_000_000_000_000L
				+ ThreadLocalRandom.current().nextLong(1_000_000_000_000L);
	}

	/** How many there are. */
	public static long made() {
		return MADE.get();
	}
}

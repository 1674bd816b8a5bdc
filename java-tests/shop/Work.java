// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors

package com.acme.shop;

import com.acme.shop.truth.Counts;
import java.lang.reflect.Method;
import java.util.concurrent.Semaphore;

/** Whose work a thread does, and in which kind of request. */
public final class Work {
	private final Counts counts;
	private final Semaphore done = new Semaphore(0);
	/** Of jprof.JProf; null: it is not told. */
	private final Method set;
	private final Method clear;

	Work(Counts counts, boolean tags) {
		this.counts = counts;
		set = tags ? tagMethod("tagSet", String.class, String.class) : null;
		clear = tags ? tagMethod("tagClear", String.class) : null;
	}

	/** Until so many more bodies have been run. */
	void await(int bodies) throws InterruptedException {
		done.acquire(bodies);
	}

	/** The body is this user's work. */
	public void run(String user, String kind, Runnable body) {
		long begin = System.nanoTime();

		call(set, "user", user);
		call(set, "kind", kind);
		try {
			body.run();
		} finally {
			call(clear, "kind");
			call(clear, "user");
			counts.work(user, kind).add(Counts.Work.REQUESTS, 1, System.nanoTime() - begin);
			done.release();
		}
	}

	private static Method tagMethod(String name, Class<?>... types) {
		try {
			return Class.forName("jprof.JProf").getMethod(name, types);
		} catch (ReflectiveOperationException e) {
			throw new IllegalStateException("tags=yes: " + e, e);
		}
	}

	private static void call(Method method, Object... arguments) {
		if (method == null)
			return;
		try {
			method.invoke(null, arguments);
		} catch (ReflectiveOperationException e) {
			throw new IllegalStateException(e);
		}
	}
}

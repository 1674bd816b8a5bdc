// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors

import java.util.Map;
import java.util.concurrent.StructuredTaskScope;

/**
 * Scoped values and structured concurrency, as JDK 25 has them. "do N": N threads "scoped-0"...,
 * each of which forks three threads "forked-0"... and joins them.
 */
final class VirtualScopes {
	static final ScopedValue<Told> node = ScopedValue.newInstance();
	/** Here, so that the lambdas are of this class, which is not recorded. */
	static final Runnable leaf = Scopes::leaf, twice = Scopes::twice;

	/** What a thread forks is bound to its scoped values. The record of a forked thread begins anew. */
	static void fork(int depth) throws InterruptedException {
		try (var scope = StructuredTaskScope.open(
				StructuredTaskScope.Joiner.<Boolean>awaitAllSuccessfulOrThrow(),
				config -> config.withThreadFactory(Told.builder("forked-").factory()))) {
			for (int i = 0; i < 3; i++)
				scope.fork(Told.thread(root -> ScopedValue.where(node, root).call(() -> {
					Scopes.forked(depth);
					return null;
				})));
			scope.join();
		}
	}

	private static void scoped(int threads) throws InterruptedException {
		Told.join(Told.start("scoped-", threads, root -> Scopes.forks(root, 2)));
	}

	public static void main(String[] args) throws Exception {
		Told.settings(args);
		Told.serve(Map.of("do", words -> scoped(Integer.parseInt(words[1]))));
	}
}

/** All that is recorded. */
final class Scopes {
	private static volatile int sink;

	private Scopes() {
	}

	/** Its caller's node is a scoped value. */
	static void leaf() {
		VirtualScopes.node.get().call("Scopes.leaf");
		sink++;
	}

	static void forks(Told at, int depth) throws InterruptedException {
		at = at.call("Scopes.forks");
		Thread.yield();
		ScopedValue.where(VirtualScopes.node, at).run(new Leaves(at));
		VirtualScopes.fork(depth);
		ScopedValue.where(VirtualScopes.node, at).run(new Leaves(at));
	}

	/** Called by the JDK, with a scoped value bound to the caller's node. */
	static final class Leaves implements Runnable {
		Leaves(Told at) {
			at.call("Scopes$Leaves.<init>");
		}

		@Override
		public void run() {
			Told at = VirtualScopes.node.get().call("Scopes$Leaves.run");

			Thread.yield();
			ScopedValue.where(VirtualScopes.node, at).call(new Twice(at));
		}
	}

	static final class Twice implements ScopedValue.CallableOp<Object, RuntimeException> {
		Twice(Told at) {
			at.call("Scopes$Twice.<init>");
		}

		@Override
		public Object call() {
			Told at = VirtualScopes.node.get().call("Scopes$Twice.call");

			ScopedValue.where(VirtualScopes.node, at).run(VirtualScopes.twice);
			return null;
		}
	}

	static void twice() {
		Told at = VirtualScopes.node.get().call("Scopes.twice");

		ScopedValue.where(VirtualScopes.node, at).run(VirtualScopes.leaf);
		Thread.yield();
		ScopedValue.where(VirtualScopes.node, at).run(VirtualScopes.leaf);
	}

	static void forked(int depth) throws InterruptedException {
		Told at = VirtualScopes.node.get();

		at = at.call("Scopes.forked");
		Thread.sleep(1);
		if (depth > 0)
			forks(at, depth - 1);
	}
}

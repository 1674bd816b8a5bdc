// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
// run: plain
package cases;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.Future;
import java.util.concurrent.RecursiveTask;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** A fixed pool, and fork and join. */
final class ThreadPools {
	static final int TASKS = 2000;
	static final AtomicLong call = new AtomicLong(), step = new AtomicLong();
	static final AtomicLong compute = new AtomicLong(), made = new AtomicLong();

	static final class Task implements Callable<Integer> {
		final int n;

		Task(int n) {
			this.n = n;
		}

		@Override
		public Integer call() {
			ThreadPools.call.incrementAndGet();
			int sum = 0;
			for (int i = 0; i < n % 5; i++)
				sum += step(i);
			return sum;
		}
	}

	static int step(int n) {
		step.incrementAndGet();
		return n;
	}

	static final class Sum extends RecursiveTask<Long> {
		private static final long serialVersionUID = 1;
		final int from, to;

		Sum(int from, int to) {
			this.from = from;
			this.to = to;
			made.incrementAndGet();
		}

		@Override
		protected Long compute() {
			compute.incrementAndGet();
			if (to - from < 8)
				return (long) to - from;
			int middle = (from + to) / 2;
			Sum left = new Sum(from, middle);
			left.fork();
			return new Sum(middle, to).compute() + left.join();
		}
	}

	static final class Factory implements ThreadFactory {
		int made;

		@Override
		public Thread newThread(Runnable work) {
			return new Thread(work, "pool-" + made++);
		}
	}

	public static void main(String[] args) throws Exception {
		ExecutorService pool = Executors.newFixedThreadPool(8, new Factory());
		List<Future<Integer>> results = new ArrayList<>();
		for (int i = 0; i < TASKS; i++)
			results.add(pool.submit(new Task(i)));
		for (Future<Integer> result : results)
			result.get();
		pool.shutdown();
		pool.awaitTermination(1, TimeUnit.MINUTES);
		ForkJoinPool forks = new ForkJoinPool(4);
		Truth.expect(forks.invoke(new Sum(0, 20_000)) == 20_000, "sum");
		forks.shutdown();
		forks.awaitTermination(1, TimeUnit.MINUTES);
		Truth.calls(ThreadPools.class, "<clinit>()V", 1);
		Truth.calls(ThreadPools.class, "step(I)I", step.get());
		Truth.calls(Task.class, "<init>(I)V", TASKS);
		Truth.calls(Task.class, "call()Ljava/lang/Integer;", call.get());
		Truth.calls(Task.class, "call()Ljava/lang/Object;", call.get());
		Truth.calls(Factory.class, "<init>()V", 1);
		Truth.calls(Factory.class,
				"newThread(Ljava/lang/Runnable;)Ljava/lang/Thread;", 8);
		Truth.calls(Sum.class, "<init>(II)V", made.get());
		Truth.calls(Sum.class, "compute()Ljava/lang/Long;", compute.get());
		/* Half of the tasks are computed by their makers directly, not through the bridge. */
		Truth.calls(Sum.class, "compute()Ljava/lang/Object;", (made.get() + 1) / 2);
		Truth.save(ThreadPools.class);
	}
}

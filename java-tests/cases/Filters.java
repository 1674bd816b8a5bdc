// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
// run: include -- include=cases.Filters$One,include=cases.Filters.main
// run: exclude -- exclude=cases.Filters$Two
// run: method -- include=cases.Filters$One.call,include=cases.Filters.main
// run: both -- include=cases.*,exclude=cases.*Two,exclude=cases.Filters.work
// run: jdk -- include=cases.*,include=java.util.TreeMap,include=java.lang.System.arraycopy
// run: plus -- include=+java.util.TreeMap,exclude=cases.Filters$Two
// run: star -- include=*
// run: threads -- threads=chosen-*
package cases;

import java.util.TreeMap;

/**
 * Which methods and threads are recorded. One.call -> Two.call -> Three.call -> work: what an
 * excluded one in the middle uses belongs to the nearest included caller.
 */
final class Filters {
	static long one, two, three, work, puts;
	static Object keep;

	static final class One {
		static void call() {
			one++;
			keep = new byte[1000];
			Two.call();
		}
	}

	static final class Two {
		static void call() {
			two++;
			keep = new byte[2000];
			Three.call();
		}
	}

	static final class Three {
		static void call() {
			three++;
			keep = new byte[3000];
			work();
		}
	}

	static void work() {
		work++;
		keep = new byte[4000];
	}

	public static void main(String[] args) throws Exception {
		/* Loading a class allocates: not in the methods whose bytes are counted. */
		for (String name : new String[] {"One", "Two", "Three"})
			Class.forName("cases.Filters$" + name);
		for (int i = 0; i < 50; i++)
			One.call();
		TreeMap<String, String> map = new TreeMap<>();
		for (int i = 0; i < 30; i++) {
			map.put("key" + i, "");
			puts++;
			System.arraycopy(new int[2], 0, new int[2], 0, 2);
		}
		for (String name : new String[] {"chosen-1", "chosen-2", "other"}) {
			Thread thread = new Thread(new Work(), name);
			thread.start();
			thread.join();
		}
		truth();
	}

	static final class Work implements Runnable {
		@Override
		public void run() {
			for (int i = 0; i < 9; i++)
				work();
		}
	}

	static void truth() {
		Class<?> main = Filters.class;
		String call = "call()V";
		boolean chosen = Truth.run().equals("threads");
		if (chosen) {
			Truth.calls(Work.class, "run()V", 2);
			Truth.calls(main, "work()V", 18);
			Truth.write();
			return;
		}
		boolean three = false, work = false;
		switch (Truth.run()) {
		case "include", "method" -> {
			Truth.allocated(One.class, call, 50, 1000, 2000, 3000, 4000);
			Truth.at("main", 2, 0, One.class, call, 50);
		}
		case "plus" -> {
			three = work = true;
			Truth.at("main", 3, 0, Three.class, call, 50);
			Truth.least(java.util.TreeMap.class,
					"put(Ljava/lang/Object;Ljava/lang/Object;)Ljava/lang/Object;",
					puts);
			Truth.loose("java.");
		}
		case "exclude" -> {
			three = work = true;
			Truth.allocated(One.class, call, 50, 1000, 2000);
			Truth.at("main", 3, 0, Three.class, call, 50);
		}
		case "both" -> {
			three = true;
			Truth.allocated(Three.class, call, 50, 3000, 4000);
		}
		case "jdk" -> {
			three = work = true;
			Truth.calls(Two.class, call, two);
			Truth.least(java.util.TreeMap.class,
					"put(Ljava/lang/Object;Ljava/lang/Object;)Ljava/lang/Object;",
					puts);
			/* The compilers replace it with code of their own: probes leave it alone. */
			if (Truth.way().equals("events"))
				Truth.least(System.class,
						"arraycopy(Ljava/lang/Object;ILjava/lang/Object;II)V", puts);
			Truth.loose("java.");
		}
		default -> {
			three = work = true;
			Truth.calls(Two.class, call, two);
		}
		}
		Truth.calls(One.class, call, one);
		if (three)
			Truth.calls(Three.class, call, Filters.three);
		if (work)
			Truth.calls(main, "work()V", Filters.work);
		if (!Truth.run().equals("include") && !Truth.run().equals("method")) {
			Truth.calls(main, "truth()V", 1);
			Truth.calls(Work.class, "<init>()V", 3);
			Truth.calls(Work.class, "run()V", 3);
		}
		Truth.save(main);
	}
}

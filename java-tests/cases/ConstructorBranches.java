// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
// run: plain
// may-be-above-0[auto]: repaired
// run[instrument]: compiled -Xcomp -XX:TieredStopAtLevel=1
package cases;

/**
 * Constructors that no Java compiler makes (generate/ConstructorCode.java): several calls of super
 * and this in branches, loops and handlers before them, none at all.
 */
final class ConstructorBranches {
	static final int ROUNDS = 20;
	static long parent, fail, probe, all;

	static class Parent {
		Parent(int n) {
			parent++;
			if (n == 0)
				throw new IllegalStateException();
		}

		int value() {
			return 9;
		}
	}

	static void fail() {
		fail++;
		throw new IllegalStateException();
	}

	static void probe() {
		probe++;
	}

	interface Maker {
		Parent make();
	}

	static void made(boolean well, Maker maker) {
		boolean thrown = false;

		try {
			maker.make();
		} catch (IllegalStateException e) {
			thrown = true;
		}
		Truth.expect(thrown != well, "it was thrown: " + thrown);
		probe();
	}

	static void all() {
		all++;
		made(true, () -> new OldConstructors(0));
		made(true, () -> new OldConstructors(7));
		made(false, () -> new OldConstructors(13));
		made(false, () -> new OldConstructors(-1));
		made(false, () -> new OldConstructors(0L));
		made(true, () -> new OldConstructors(1f));
		made(false, () -> new OldConstructors(0f));
		made(true, () -> new OldConstructors(3.0));
		made(false, () -> new OldConstructors(""));
		made(true, () -> new NoMapsConstructors(0));
		made(true, () -> new NoMapsConstructors(7));
		made(false, () -> new NoMapsConstructors(13));
		made(false, () -> new NoMapsConstructors(-1));
		made(false, () -> new NoMapsConstructors(0L));
		made(true, () -> new NoMapsConstructors(1f));
		made(false, () -> new NoMapsConstructors(0f));
		made(true, () -> new NoMapsConstructors(3.0));
		made(false, () -> new NoMapsConstructors(""));
		made(true, () -> new NewConstructors(0));
		made(true, () -> new NewConstructors(7));
		made(false, () -> new NewConstructors(13));
		made(false, () -> new NewConstructors(-1));
		made(false, () -> new NewConstructors(0L));
		made(true, () -> new NewConstructors(1f));
		made(false, () -> new NewConstructors(0f));
		made(true, () -> new NewConstructors(3.0));
		made(false, () -> new NewConstructors(""));
	}

	static void truth(Class<?> type) {
		Truth.calls(type, "<init>(I)V", 4 * all);
		Truth.calls(type, "<init>(J)V", 3 * all); /* two of them from (I)V */
		Truth.calls(type, "<init>(F)V", 2 * all);
		Truth.calls(type, "<init>(D)V", 4 * all); /* 3, 2, 1, 0 */
		Truth.calls(type, "<init>(Ljava/lang/Object;)V", all);
	}

	public static void main(String[] args) {
		for (int i = 0; i < ROUNDS; i++)
			all();
		Class<?> in = ConstructorBranches.class;
		truth(OldConstructors.class);
		truth(NoMapsConstructors.class);
		truth(NewConstructors.class);
		Truth.calls(in, "truth(Ljava/lang/Class;)V", 3);
		Truth.calls(in, "all()V", all);
		Truth.calls(in, "fail()V", fail);
		Truth.calls(in, "probe()V", probe);
		Truth.calls(in, "made(ZLcases/ConstructorBranches$Maker;)V", probe);
		Truth.calls(Parent.class, "<init>(I)V", parent);
		Truth.calls(Parent.class, "value()I", 3 * 3 * all);
		/* main, all, made */
		Truth.at("main", 4, 0, in, "probe()V", probe);
		Truth.loose("cases.ConstructorBranches.lambda$all$");
		Truth.loose("cases.ConstructorBranches$$Lambda");
		Truth.save(in);
	}
}

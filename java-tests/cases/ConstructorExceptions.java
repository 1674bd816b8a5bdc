// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
// may-be-above-0[auto]: repaired
// run: plain
package cases;

/**
 * Constructors that are left by an exception: while their arguments for super are evaluated, by
 * super itself, after it, through chains of them. probe() is called after each, in the method
 * that caught it: its level would be wrong if a constructor were thought to be still there.
 */
final class ConstructorExceptions {
	static final int ROUNDS = 30;
	static long probe, boom, thrower, base, derived, chain, chainOther, body, argument, own;
	static long list, outer, passed, catching;

	static final class Boom extends RuntimeException {
		private static final long serialVersionUID = 1;

		Boom() {
			super("on purpose");
			boom++;
		}
	}

	static int thrower(boolean really) {
		thrower++;
		if (really)
			throw new Boom();
		return 1;
	}

	static void probe() {
		probe++;
	}

	static class Base {
		Base(int kind) {
			base++;
			if (kind == 1)
				throw new Boom();
		}
	}

	/** super throws. */
	static class Derived extends Base {
		Derived(int kind) {
			super(kind);
			derived++;
		}
	}

	/** super's super throws. */
	static final class Chain extends Derived {
		Chain(int kind) {
			super(kind);
			chain++;
		}

		/** this(...) throws. */
		Chain() {
			this(1);
			chainOther++;
		}
	}

	/** The argument throws; or holds a conditional with objects of the same class. */
	static final class Argument extends Base {
		Argument(boolean really) {
			super(thrower(really) - 1 + new Base(really ? 0 : 2).hashCode() * 0);
			argument++;
		}

		Argument(Object choice) {
			super((choice == null ? new Base(0) : new Base(1)).hashCode() * 0);
			argument++;
		}
	}

	/** The body throws, or catches what it called. */
	static final class Body extends Base {
		Body(boolean really) {
			super(0);
			body++;
			try {
				new Derived(1);
			} catch (Boom e) {
				probe();
			}
			if (really)
				throw new Boom();
		}
	}

	/** The constructor of a class of the JDK throws: it has no probes itself. */
	static final class Own extends java.util.ArrayList<String> {
		private static final long serialVersionUID = 1;

		Own() {
			super(-1);
			own++;
		}
	}

	/** Nobody here catches. */
	static Object passed() {
		passed++;
		return new Chain(1);
	}

	static void catching(Runnable action) {
		catching++;
		try {
			action.run();
			Truth.expect(false, "nothing was thrown");
		} catch (Boom | IllegalArgumentException e) {
			probe();
		}
	}

	/** Each kind throws. */
	static final class Kind implements Runnable {
		private final int kind;

		Kind(int kind) {
			this.kind = kind;
		}

		@Override
		public void run() {
			switch (kind) {
			case 0 -> new Base(1);
			case 1 -> new Derived(1);
			case 2 -> new Chain(1);
			case 3 -> new Chain();
			case 4 -> new Argument(true);
			case 5 -> new Argument("");
			case 6 -> new Body(true);
			case 7 -> new Own();
			default -> passed();
			}
		}
	}

	static final int KINDS = 9;

	static void all() {
		outer++;
		for (int kind = 0; kind < KINDS; kind++)
			catching(new Kind(kind));
		/* In the same method, without a frame between. */
		try {
			new Chain(1);
		} catch (Boom e) {
			probe();
		}
		new Argument(false);
		new Argument((Object) null);
		new Body(false);
		probe();
	}

	public static void main(String[] args) {
		for (int i = 0; i < ROUNDS; i++)
			all();
		Class<?> in = ConstructorExceptions.class;
		Truth.calls(in, "all()V", outer);
		Truth.calls(in, "catching(Ljava/lang/Runnable;)V", catching);
		Truth.calls(Kind.class, "run()V", catching);
		Truth.calls(Kind.class, "<init>(I)V", catching);
		Truth.calls(in, "probe()V", probe);
		Truth.calls(in, "passed()Ljava/lang/Object;", passed);
		Truth.calls(in, "thrower(Z)I", thrower);
		Truth.calls(Boom.class, "<init>()V", boom);
		Truth.calls(Base.class, "<init>(I)V", base);
		/* What throws before its first statement is not in the program's own counters. */
		Truth.calls(Derived.class, "<init>(I)V", ROUNDS * 7L);
		Truth.calls(Chain.class, "<init>(I)V", ROUNDS * 4L);
		Truth.calls(Chain.class, "<init>()V", ROUNDS);
		Truth.calls(Argument.class, "<init>(Z)V", ROUNDS * 2L);
		Truth.calls(Argument.class, "<init>(Ljava/lang/Object;)V", ROUNDS * 2L);
		Truth.calls(Body.class, "<init>(Z)V", ROUNDS * 2L);
		Truth.calls(Own.class, "<init>()V", ROUNDS);
		Truth.expect(derived + chain + chainOther + own == 0, "a constructor went on");
		Truth.expect(argument == ROUNDS * 2L && body == ROUNDS * 2L, "one did not");
		/* main is at 1, all at 2, catching at 3. */
		Truth.at("main", 3, 0, in, "probe()V", ROUNDS * 2L);
		Truth.at("main", 4, 0, in, "probe()V", ROUNDS * (KINDS + 1L));
		Truth.at("main", 6, 0, in, "probe()V", ROUNDS);
		Truth.unwound(ROUNDS * 36L);
		Truth.save(in);
	}
}

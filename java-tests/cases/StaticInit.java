// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
// run: plain
package cases;

/** Static initialisers: once each, also when they fail, in circles, and in other threads. */
final class StaticInit {
	static long failed, missing, inits;

	static long next() {
		return ++inits;
	}

	static class Parent {
		static long value = next();

		static void touch() {
		}
	}

	static class Child extends Parent {
		static long value = next();

		static void call() {
		}
	}

	static class Broken {
		static long value = fail();

		static long fail() {
			failed++;
			throw new IllegalStateException("on purpose");
		}
	}

	static class Left {
		static long value = Right.value + 1;
	}

	static class Right {
		static long value = Left.value + 1;
	}

	interface Constants {
		long VALUE = next();

		default long value() {
			return VALUE;
		}
	}

	static class Implementor implements Constants {
	}

	static class Elsewhere {
		static long value = next();

		static void call() {
		}
	}

	public static void main(String[] args) throws InterruptedException {
		for (int i = 0; i < 3; i++) {
			Child.call();
			Child.touch();
		}
		for (int i = 0; i < 4; i++) {
			try {
				Broken.value++;
			} catch (ExceptionInInitializerError e) {
				missing += 10;
			} catch (NoClassDefFoundError e) {
				missing++;
			}
		}
		Truth.expect(missing == 13, "initialiser errors " + missing);
		Truth.expect(Left.value == 2, "circle " + Left.value);
		new Implementor().value();
		Thread thread = new Thread("elsewhere") {
			@Override
			public void run() {
				Elsewhere.call();
				Elsewhere.call();
			}
		};
		thread.start();
		thread.join();
		Truth.calls(StaticInit.class, "next()J", inits);
		Truth.calls(Parent.class, "<clinit>()V", 1);
		Truth.calls(Parent.class, "touch()V", 3);
		Truth.calls(Child.class, "<clinit>()V", 1);
		Truth.calls(Child.class, "call()V", 3);
		Truth.calls(Broken.class, "<clinit>()V", 1);
		Truth.calls(Broken.class, "fail()J", failed);
		Truth.calls(Left.class, "<clinit>()V", 1);
		Truth.calls(Right.class, "<clinit>()V", 1);
		Truth.calls(Constants.class, "<clinit>()V", 1);
		Truth.calls(Constants.class, "value()J", 1);
		Truth.calls(Implementor.class, "<init>()V", 1);
		Truth.calls(Elsewhere.class, "<clinit>()V", 1);
		Truth.calls(Elsewhere.class, "call()V", 2);
		Truth.calls("cases.StaticInit$1", "<init>(Ljava/lang/String;)V", 1);
		Truth.calls("cases.StaticInit$1", "run()V", 1);
		Truth.in("elsewhere", Elsewhere.class, "<clinit>()V", 1);
		Truth.save(StaticInit.class);
	}
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
// run: first -javaagent:@BUILD@/premain.jar
// run[events instrument]: second -javaagent:@BUILD@/premain.jar @AGENT@
package cases;

import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.security.ProtectionDomain;

/** A java.lang.instrument agent in the same JVM, which also retransforms a class that is in
 * the middle of a call, and again and again while another thread calls its methods. */
public final class JavaAgent {
	static Instrumentation instrumentation;
	static final int TIMES = 40;
	static long transforms, target, busy;

	static final class Transformer implements ClassFileTransformer {
		@Override
		public byte[] transform(ClassLoader loader, String name, Class<?> redefined,
				ProtectionDomain domain, byte[] bytes) {
			transforms++;
			return name != null && name.startsWith("cases/JavaAgent$") ? bytes.clone() : null;
		}
	}

	static final class Target {
		static void call(int n) throws Exception {
			target++;
			if (n == 3)
				instrumentation.retransformClasses(Target.class);
			if (n > 0)
				call(n - 1);
		}
	}

	/** Its methods are called while it is retransformed. */
	static final class Busy extends Thread {
		volatile boolean end;
		long sum;

		Busy() {
			super("busy");
		}

		long call(int n) {
			busy++;
			return n == 0 ? 0 : call(n - 1) + n;
		}

		@Override
		public void run() {
			while (!end)
				sum += call(5);
			Truth.expect(sum * 6 == busy * 15, "sum " + sum + " of " + busy);
		}
	}

	static void retransformOften() throws Exception {
		Busy thread = new Busy();

		thread.start();
		for (int i = 0; i < TIMES; i++) {
			instrumentation.retransformClasses(Busy.class);
			Thread.sleep(1);
		}
		thread.end = true;
		thread.join();
	}

	public static void premain(String arguments, Instrumentation given) {
		instrumentation = given;
	}

	public static void main(String[] args) throws Exception {
		Transformer transformer = new Transformer();
		Target.call(1);
		instrumentation.addTransformer(transformer, true);
		Target.call(5);
		retransformOften();
		instrumentation.removeTransformer(transformer);
		Target.call(1);
		Truth.expect(transforms > 0, "no class was transformed");
		/* Agents start in the order of the command line: what runs before is not seen. */
		Truth.calls(JavaAgent.class,
				"premain(Ljava/lang/String;Ljava/lang/instrument/Instrumentation;)V",
				Truth.run().equals("first") && !Truth.way().equals("attach") ? 1 : 0);
		Truth.calls(Transformer.class, "<init>()V", 1);
		String transform = "transform(Ljava/lang/ClassLoader;Ljava/lang/String;"
				+ "Ljava/lang/Class;Ljava/security/ProtectionDomain;[B)[B";
		/* Not the calls from within jprof, as it changes classes. */
		if (Truth.way().equals("auto"))
			Truth.most(Transformer.class, transform, transforms);
		else
			Truth.calls(Transformer.class, transform, transforms);
		Truth.calls(Target.class, "call(I)V", target);
		Truth.in("main", Target.class, "call(I)V", target);
		Truth.calls(JavaAgent.class, "retransformOften()V", 1);
		Truth.calls(Busy.class, "<init>()V", 1);
		Truth.calls(Busy.class, "run()V", 1);
		Truth.calls(Busy.class, "call(I)J", busy);
		Truth.save(JavaAgent.class);
	}
}

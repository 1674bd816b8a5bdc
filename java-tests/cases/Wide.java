// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
// run: plain
package cases;

import java.lang.reflect.Method;
import java.util.Map;

/**
 * Wide instructions, branches over more than 32 KB, and some that just reach their target: with
 * probes they would not, so that their methods have none, and the summary says so.
 */
final class Wide {
	static final int[] NUMBERS = {-1, 0, 1, 99, 100, 119, 120};
	static final String OPERANDS = "(IILjava/lang/Object;Ljava/lang/Object;)I";
	static long edges;

	interface Condition {
		boolean taken(int a, Object p);
	}

	/** When the branches are taken; the other int is 0, the other object null. */
	static final Map<String, Condition> BRANCHES = Map.ofEntries(
			Map.entry("ifeq", (a, p) -> a == 0), Map.entry("ifne", (a, p) -> a != 0),
			Map.entry("iflt", (a, p) -> a < 0), Map.entry("ifge", (a, p) -> a >= 0),
			Map.entry("ifgt", (a, p) -> a > 0), Map.entry("ifle", (a, p) -> a <= 0),
			Map.entry("if_icmpeq", (a, p) -> a == 0), Map.entry("if_icmpne", (a, p) -> a != 0),
			Map.entry("if_icmplt", (a, p) -> a < 0), Map.entry("if_icmpge", (a, p) -> a >= 0),
			Map.entry("if_icmpgt", (a, p) -> a > 0), Map.entry("if_icmple", (a, p) -> a <= 0),
			Map.entry("if_acmpeq", (a, p) -> p == null), Map.entry("if_acmpne", (a, p) -> p != null),
			Map.entry("ifnull", (a, p) -> p == null), Map.entry("ifnonnull", (a, p) -> p != null),
			Map.entry("jump", (a, p) -> a == 0));

	/** No room for probes that time it: the JVM's events see the method, and one that counts it. */
	static void seenByEvents(Class<?> in, String name, String descriptor, long calls) {
		boolean events = Truth.way().equals("events") || Truth.counted();

		Truth.calls(in, name + descriptor, events ? calls : 0);
		if (!events)
			Truth.untouched(in.getName() + "." + name,
					"a branch would be longer than 32,767 bytes");
	}

	static void edge(String name, Condition condition) throws ReflectiveOperationException {
		Method method = EdgeCode.class.getDeclaredMethod(name, int.class, int.class, Object.class,
				Object.class);

		for (int a : NUMBERS) {
			for (Object p : new Object[] {null, ""}) {
				int other = a >= 100 && a < 120 ? a - 100 : 2;
				int expected = condition.taken(a, p) ? 1 : other;

				Truth.expect(method.invoke(null, a, 0, p, null).equals(expected),
						name + " of " + a);
			}
		}
		seenByEvents(EdgeCode.class, name, OPERANDS, 2L * NUMBERS.length);
		edges++;
	}

	public static void main(String[] args) throws ReflectiveOperationException {
		for (Map.Entry<String, Condition> branch : BRANCHES.entrySet())
			edge(branch.getKey(), branch.getValue());
		for (int n = 0; n < 20; n++) {
			String text = (n + 997) + "" + (n - 32768) + "50000000001.52.5text";

			Truth.expect(WideCode.locals(n).equals(text), "locals " + n);
			Truth.expect(WideCode.ahead(n) == (n == 0 ? 7 : n + 11_000), "ahead " + n);
			Truth.expect(WideCode.back(n) == 11_000 * n, "back " + n);
			Truth.expect(WideCode.backEdge(n) == 3 * Math.max(n, 1), "backEdge " + n);
		}
		Truth.expect(WideCode.backEdge(107) == 7, "return in backEdge");
		Truth.loose("cases.Wide$$Lambda");
		Truth.loose("cases.Wide.lambda$static$");
		Truth.calls(Wide.class, "<clinit>()V", 1);
		Truth.calls(Wide.class, "edge(Ljava/lang/String;Lcases/Wide$Condition;)V", edges);
		Truth.expect(edges == 17, "edges " + edges);
		Truth.calls(WideCode.class, "locals(I)Ljava/lang/String;", 20);
		Truth.calls(WideCode.class, "ahead(I)I", 20);
		Truth.calls(WideCode.class, "back(I)I", 20);
		seenByEvents(WideCode.class, "backEdge", "(I)I", 21);
		Truth.calls(Wide.class, "seenByEvents(Ljava/lang/Class;Ljava/lang/String;Ljava/lang/String;J)V",
				edges + 1);
		Truth.save(Wide.class);
	}
}

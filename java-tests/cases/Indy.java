// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
// run: plain
package cases;

import java.io.Serializable;
import java.lang.invoke.CallSite;
import java.lang.invoke.ConstantCallSite;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.function.IntFunction;
import java.util.function.IntUnaryOperator;
import java.util.function.Supplier;

/**
 * invokedynamic by the compiler (concatenation, lambdas, method references) and by hand, with
 * dynamic constants (generate/IndyCode.java). Bootstrap methods are called once for each place.
 */
class Indy {
	static final int ROUNDS = 30;
	static long twice, constant, number, link, fail, text, inherited, captured, failed;

	static Object constant(MethodHandles.Lookup lookup, String name, Class<?> type) {
		constant++;
		return name + type.getSimpleName();
	}

	static long number(MethodHandles.Lookup lookup, String name, Class<?> type) {
		number++;
		return 5_000_000_000L;
	}

	static CallSite link(MethodHandles.Lookup lookup, String name, MethodType type,
			Object argument) throws ReflectiveOperationException {
		link++;
		Truth.expect(argument.equals("argument") || argument.equals("textObject"),
				"argument " + argument);
		return new ConstantCallSite(MethodHandles.lookup().findStatic(Indy.class, name, type));
	}

	static CallSite fail(MethodHandles.Lookup lookup, String name, MethodType type,
			Object argument) {
		fail++;
		throw new IllegalStateException();
	}

	static int twice(int n) {
		twice++;
		return 2 * n;
	}

	@Override
	public String toString() {
		text++;
		return "indy";
	}

	class Inner extends Indy {
		Supplier<String> supplier() {
			return super::toString;
		}
	}

	interface Operator extends IntUnaryOperator, Serializable {
	}

	String concatenation(int n, long l, Object o) {
		return "n " + n + this + l + o + 'c' + 1.5 + null;
	}

	int captures(int n) {
		Operator add = k -> {
			captured++;
			return k + n;
		};
		return add.applyAsInt(1);
	}

	static void all(Indy indy, int n) {
		Truth.expect(indy.concatenation(n, 2, "o").equals("n " + n + "indy2oc1.5null"), "text");
		Truth.expect(indy.captures(n) == n + 1, "captures");
		IntFunction<int[]> array = int[]::new;
		Truth.expect(array.apply(n).length == n, "array");
		Truth.expect(indy.new Inner().supplier().get().equals("indy"), "super");
		Truth.expect(IndyCode.constant().equals("textObject"), "constant");
		Truth.expect(IndyCode.wideConstant() == 5_000_000_000L, "wide constant");
		Truth.expect(IndyCode.linked(n) == 2 * n, "linked");
		Truth.expect(IndyCode.linkedWithConstant(n) == 2 * n, "linked with a constant");
		try {
			IndyCode.failing(n);
		} catch (BootstrapMethodError e) {
			failed++;
		}
	}

	public static void main(String[] args) {
		Indy indy = new Indy();

		for (int i = 0; i < ROUNDS; i++)
			all(indy, i);
		Class<?> in = Indy.class;
		long n = ROUNDS;
		/* A class that is changed is linked anew. */
		boolean again = Truth.way().equals("auto");
		Truth.expect(failed == n && (fail == 1 || again), "failed " + failed + " " + fail);
		Truth.calls(in, "<init>()V", n + 1);
		Truth.calls(in, "all(Lcases/Indy;I)V", n);
		Truth.calls(in, "concatenation(IJLjava/lang/Object;)Ljava/lang/String;", n);
		Truth.calls(in, "captures(I)I", n);
		Truth.calls(in, "toString()Ljava/lang/String;", text);
		Truth.calls(in, "twice(I)I", twice);
		Truth.expect(twice == 2 * n && text == 2 * n && captured == n, "twice " + twice);
		String lookup = "(Ljava/lang/invoke/MethodHandles$Lookup;Ljava/lang/String;";
		String linking = "Ljava/lang/invoke/MethodType;Ljava/lang/Object;)"
				+ "Ljava/lang/invoke/CallSite;";
		/* Twice: as a constant of its own, and as an argument of a call site. */
		Truth.calls(in, "constant" + lookup + "Ljava/lang/Class;)Ljava/lang/Object;", constant);
		Truth.calls(in, "number" + lookup + "Ljava/lang/Class;)J", number);
		Truth.calls(in, "link" + lookup + linking, link);
		Truth.calls(in, "fail" + lookup + linking, fail);
		Truth.expect(again || constant <= 2 && number == 1 && link == 2, "bootstraps " + constant);
		Truth.calls(IndyCode.class, "constant()Ljava/lang/Object;", n);
		Truth.calls(IndyCode.class, "wideConstant()J", n);
		Truth.calls(IndyCode.class, "linked(I)I", n);
		Truth.calls(IndyCode.class, "linkedWithConstant(I)I", n);
		Truth.calls(IndyCode.class, "failing(I)I", n);
		Truth.calls(Inner.class, "<init>(Lcases/Indy;)V", n);
		Truth.calls(Inner.class, "supplier()Ljava/util/function/Supplier;", n);
		Truth.loose("cases.Indy$$Lambda");
		Truth.loose("cases.Indy$Inner$$Lambda");
		Truth.loose("cases.Indy.lambda$");
		Truth.loose("cases.Indy$Inner.lambda$");
		Truth.loose("cases.Indy$Inner.access$");
		Truth.save(in);
	}
}

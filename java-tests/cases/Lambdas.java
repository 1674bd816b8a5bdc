// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
// run: plain
// run: hidden-classes -- include=cases.Lambdas*
package cases;

import java.util.List;
import java.util.function.Function;
import java.util.function.IntBinaryOperator;
import java.util.function.IntUnaryOperator;
import java.util.function.Supplier;

/** Lambdas and method references. The JVM makes a hidden class for each; its name, without the
 * address, is the same in every run. */
final class Lambdas {
	static long plain, capturing, target, bound, made, twice, inner;
	static IntUnaryOperator factorial;

	Lambdas() {
		made++;
	}

	static int target(int n) {
		target++;
		return n;
	}

	int bound(int n) {
		bound++;
		return n;
	}

	static int twice(IntUnaryOperator f, int n) {
		twice++;
		return f.applyAsInt(f.applyAsInt(n));
	}

	public static void main(String[] args) {
		IntBinaryOperator add = (a, b) -> {
			plain++;
			return a + b;
		};
		int offset = args.length + 3;
		IntUnaryOperator shift = n -> {
			capturing++;
			return n + offset;
		};
		factorial = n -> {
			inner++;
			return n < 2 ? 1 : n * factorial.applyAsInt(n - 1);
		};
		Supplier<Lambdas> constructor = Lambdas::new;
		Lambdas object = constructor.get();
		IntUnaryOperator reference = Lambdas::target;
		IntUnaryOperator onObject = object::bound;
		Function<Lambdas, Integer> unbound = Lambdas::hashCode;
		for (int i = 0; i < 40; i++) {
			add.applyAsInt(i, 1);
			twice(shift, i);
			twice(reference, i);
			twice(onObject, i);
			unbound.apply(object);
		}
		factorial.applyAsInt(12);
		long sum = List.of(1, 2, 3, 4).stream().mapToInt(n -> n).map(reference).sum();
		Truth.expect(sum == 10, "sum " + sum);
		Class<?> in = Lambdas.class;
		Truth.calls(in, "<init>()V", made);
		Truth.calls(in, "target(I)I", target);
		Truth.calls(in, "bound(I)I", bound);
		Truth.calls(in, "hashCode()I", hash);
		Truth.calls(in, "twice(Ljava/util/function/IntUnaryOperator;I)I", twice);
		Truth.calls(in, "lambda$main$0(II)I", plain);
		Truth.calls(in, "lambda$main$1(II)I", capturing);
		Truth.calls(in, "lambda$main$2(I)I", inner);
		Truth.calls(in, "lambda$main$3(Ljava/lang/Integer;)I", 4);
		String hidden = "cases.Lambdas$$Lambda";
		Truth.calls(hidden, "<init>()V", 6); /* one each, also of those that hold nothing */
		Truth.calls(hidden, "<init>(I)V", 1);
		Truth.calls(hidden, "<init>(Lcases/Lambdas;)V", 1);
		Truth.calls(hidden, "applyAsInt(II)I", plain);
		Truth.calls(hidden, "applyAsInt(I)I", capturing + inner + target + bound);
		Truth.calls(hidden, "applyAsInt(Ljava/lang/Object;)I", 4);
		Truth.calls(hidden, "get()Ljava/lang/Object;", made);
		Truth.calls(hidden, "apply(Ljava/lang/Object;)Ljava/lang/Object;", hash);
		Truth.save(in);
	}

	static long hash;

	@Override
	public int hashCode() {
		hash++;
		return 7;
	}
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
// run: plain
package cases;

import java.util.List;
import java.util.Objects;

/** Records with constructors of their own that throw, records in records, and sealed types. */
final class Records {
	static final int ROUNDS = 40;
	static long compact, canonical, other, made, thrown, area, scaled, visit, leaf, probe;

	record Range(int low, int high) implements Comparable<Range> {
		static final Range EMPTY = new Range(0, 0);

		Range {
			compact++;
			if (low > high)
				throw new IllegalArgumentException();
		}

		Range(int high) {
			this(0, high);
			other++;
		}

		static Range of(int... ends) {
			made++;
			return new Range(ends[0], ends[1]);
		}

		@Override
		public int low() {
			return low;
		}

		@Override
		public int compareTo(Range range) {
			return Integer.compare(low, range.low);
		}
	}

	record Pair<A, B extends Comparable<B>>(A first, B second) {
		Pair(A first, B second) {
			canonical++;
			this.first = Objects.requireNonNull(first);
			this.second = second;
		}
	}

	record Wide(long a, double b, float c, byte[] d, Pair<Range, Range> e) {
	}

	abstract static sealed class Shape permits Circle, Polygon {
		abstract long area();

		final long scaled(long factor) {
			scaled++;
			return factor * area();
		}
	}

	static final class Circle extends Shape {
		@Override
		long area() {
			area++;
			return 3;
		}
	}

	abstract static sealed class Polygon extends Shape permits Square, Free {
	}

	static final class Square extends Polygon {
		@Override
		long area() {
			area++;
			return 4;
		}
	}

	static non-sealed class Free extends Polygon {
		@Override
		long area() {
			area++;
			return 5;
		}
	}

	sealed interface Node {
		record Leaf(int value) implements Node {
		}

		record Inner(Node left, Node right) implements Node {
		}
	}

	static int visit(Node node) {
		visit++;
		if (node instanceof Node.Leaf one) {
			leaf++;
			return one.value();
		}
		return node instanceof Node.Inner two ? visit(two.left()) + visit(two.right()) : 0;
	}

	static void probe() {
		probe++;
	}

	static void all(int i) {
		try {
			new Range(i + 1, i);
		} catch (IllegalArgumentException e) {
			thrown++;
			probe();
		}
		try {
			new Pair<Object, Range>(null, Range.EMPTY);
		} catch (NullPointerException e) {
			thrown++;
			probe();
		}
		Pair<Range, Range> pair = new Pair<>(new Range(i), Range.of(i, i));
		Wide wide = new Wide(1, 2, 3, null, pair);
		Truth.expect(wide.equals(new Wide(1, 2, 3, null, pair)), "equals");
		Truth.expect(wide.hashCode() != 0, "hashCode");
		Truth.expect(new Range(i).toString().equals("Range[low=0, high=" + i + "]"), "toString");
		Truth.expect(pair.first().compareTo(pair.second()) <= 0, "compareTo");
		for (Shape shape : List.of(new Circle(), new Square(), new Free()))
			shape.scaled(2);
		Node leaf = new Node.Leaf(i);
		visit(new Node.Inner(leaf, new Node.Inner(leaf, leaf)));
	}

	public static void main(String[] args) {
		for (int i = 0; i < ROUNDS; i++)
			all(i);
		Class<?> in = Records.class;
		long n = ROUNDS;
		Truth.expect(thrown == 2 * n, "thrown " + thrown);
		Truth.calls(in, "all(I)V", n);
		Truth.calls(in, "probe()V", probe);
		Truth.at("main", 3, 0, in, "probe()V", probe);
		Truth.calls(Range.class, "<clinit>()V", 1);
		Truth.calls(Range.class, "<init>(II)V", compact);
		Truth.calls(Range.class, "<init>(I)V", other);
		Truth.calls(Range.class, "of([I)Lcases/Records$Range;", made);
		Truth.calls(Range.class, "compareTo(Lcases/Records$Range;)I", n);
		/* pair.hashCode() asks both, as Objects.hash does. */
		Truth.calls(Range.class, "hashCode()I", 2 * n);
		Truth.calls(Range.class, "toString()Ljava/lang/String;", n);
		Truth.calls(Pair.class, "<init>(Ljava/lang/Object;Ljava/lang/Comparable;)V", canonical);
		Truth.calls(Pair.class, "first()Ljava/lang/Object;", n);
		Truth.calls(Pair.class, "second()Ljava/lang/Comparable;", n);
		Truth.calls(Pair.class, "hashCode()I", n);
		String fields = "(JDF[BLcases/Records$Pair;)V";
		Truth.calls(Wide.class, "<init>" + fields, 2 * n);
		Truth.calls(Wide.class, "equals(Ljava/lang/Object;)Z", n);
		Truth.calls(Wide.class, "hashCode()I", n);
		for (Class<?> shape : new Class<?>[] {Circle.class, Square.class, Free.class}) {
			Truth.calls(shape, "<init>()V", n);
			Truth.calls(shape, "area()J", n);
		}
		Truth.calls(Shape.class, "<init>()V", 3 * n);
		Truth.calls(Shape.class, "scaled(J)J", scaled);
		Truth.calls(Polygon.class, "<init>()V", 2 * n);
		Truth.expect(area == 3 * n, "area " + area);
		Truth.calls(in, "visit(Lcases/Records$Node;)I", visit);
		Truth.calls(Node.Leaf.class, "<init>(I)V", n);
		Truth.calls(Node.Leaf.class, "value()I", leaf);
		Truth.calls(Node.Inner.class, "<init>(Lcases/Records$Node;Lcases/Records$Node;)V", 2 * n);
		Truth.calls(Node.Inner.class, "left()Lcases/Records$Node;", 2 * n);
		Truth.calls(Node.Inner.class, "right()Lcases/Records$Node;", 2 * n);
		Truth.save(in);
	}
}

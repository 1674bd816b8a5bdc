// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
// run: plain
package cases;

/** Default, static, private and abstract interface methods, bridges, varargs. */
final class Interfaces {
	static long left, right, hidden, both, make, area, compare, bridge, many, generic;

	interface Left {
		default int hello() {
			left++;
			return hidden();
		}

		private int hidden() {
			hidden++;
			return 1;
		}

		static Left make() {
			make++;
			return new Both();
		}
	}

	interface Right {
		default int hello() {
			right++;
			return 2;
		}
	}

	static class Both implements Left, Right {
		@Override
		public int hello() {
			both++;
			return Left.super.hello() + Right.super.hello();
		}
	}

	abstract static class Shape {
		abstract Number area();
	}

	static class Square extends Shape implements Comparable<Square> {
		@Override
		Integer area() { /* a bridge returns Number */
			area++;
			return 4;
		}

		@Override
		public int compareTo(Square other) { /* a bridge takes Object */
			compare++;
			return 0;
		}
	}

	static int many(Object... all) {
		many++;
		return all.length;
	}

	static <T extends Comparable<T>> int generic(T one, T two) {
		generic++;
		return one.compareTo(two);
	}

	public static void main(String[] args) {
		Right right = new Right() {
		};
		for (int i = 0; i < 25; i++) {
			Truth.expect(Left.make().hello() == 3, "hello");
			right.hello();
			Shape shape = new Square();
			shape.area();
			bridge++;
			new Square().area();
			generic(new Square(), new Square());
			many();
			many(1, 2, 3);
			many((Object[]) new String[7]);
		}
		Truth.calls(Left.class, "hello()I", left);
		Truth.calls(Left.class, "hidden()I", hidden);
		Truth.calls(Left.class, "make()Lcases/Interfaces$Left;", make);
		Truth.calls(Right.class, "hello()I", Interfaces.right);
		Truth.calls(Both.class, "hello()I", both);
		Truth.calls(Both.class, "<init>()V", make);
		Truth.calls(Shape.class, "<init>()V", 4 * 25);
		Truth.calls(Square.class, "<init>()V", 4 * 25);
		Truth.calls(Square.class, "area()Ljava/lang/Integer;", area);
		Truth.calls(Square.class, "area()Ljava/lang/Number;", bridge);
		Truth.calls(Square.class, "compareTo(Lcases/Interfaces$Square;)I", compare);
		Truth.calls(Square.class, "compareTo(Ljava/lang/Object;)I", generic);
		Truth.calls(Interfaces.class, "many([Ljava/lang/Object;)I", many);
		Truth.calls(Interfaces.class,
				"generic(Ljava/lang/Comparable;Ljava/lang/Comparable;)I", generic);
		Truth.calls("cases.Interfaces$1", "<init>()V", 1);
		Truth.save(Interfaces.class);
	}
}

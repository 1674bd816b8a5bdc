// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
// run: plain
package cases;

import java.util.Objects;

/** Enums, records, sealed types, switches on strings and enums, inner, local and anonymous
 * classes: what the compiler generates is called and counted like the rest. */
final class Modern {
	static long apply, perimeter, compact, inner, local, anonymous, area;

	enum Operation {
		ADD {
			@Override
			int apply(int a, int b) {
				apply++;
				return a + b;
			}
		},
		NEGATE {
			@Override
			int apply(int a, int b) {
				apply++;
				return -a;
			}
		};

		abstract int apply(int a, int b);
	}

	enum Plain {
		ONE,
		TWO
	}

	sealed interface Shape permits Circle, Box {
	}

	record Circle(int radius) implements Shape {
	}

	record Box(int width, int height) implements Shape {
		Box {
			compact++;
			Objects.checkIndex(width, 1000);
		}

		int perimeter() {
			perimeter++;
			return 2 * (width + height);
		}
	}

	static int area(Shape shape) {
		area++;
		if (shape instanceof Circle circle)
			return 3 * circle.radius() * circle.radius();
		if (shape instanceof Box box)
			return box.width() * box.height();
		return 0;
	}

	static int byName(String name, Plain plain) {
		int value = switch (name) {
		case "first" -> 1;
		case "second" -> 2;
		default -> 3;
		};
		return value + switch (plain) {
		case ONE -> 1;
		case TWO -> 2;
		};
	}

	final class Inner {
		private int value = 1;

		int outer() {
			inner++;
			return secret() + value;
		}
	}

	private int secret() {
		return 1;
	}

	public static void main(String[] args) {
		Modern modern = new Modern();
		for (int i = 0; i < 10; i++) {
			for (Operation operation : Operation.values())
				operation.apply(i, 1);
			Operation.valueOf("ADD").apply(1, 1);
			area(new Circle(i));
			area(new Box(i, i));
			new Box(i, 2).perimeter();
			Truth.expect(new Box(i, 3).equals(new Box(i, 3)), "records differ");
			new Circle(i).hashCode();
			new Circle(i).toString();
			byName("second", Plain.TWO);
			modern.new Inner().outer();
			class Local {
				int call() {
					local++;
					return modern.secret();
				}
			}
			new Local().call();
			new Object() {
				void call() {
					anonymous++;
				}
			}.call();
		}
		Class<?> in = Modern.class;
		String type = "Lcases/Modern$Operation;";
		Truth.calls(in, "<init>()V", 1);
		Truth.calls(in, "area(Lcases/Modern$Shape;)I", area);
		Truth.calls(in, "byName(Ljava/lang/String;Lcases/Modern$Plain;)I", 10);
		Truth.calls(in, "secret()I", inner + local);
		Truth.calls(Operation.class, "<clinit>()V", 1);
		Truth.calls(Operation.class, "$values()[" + type, 1);
		Truth.calls(Operation.class, "<init>(Ljava/lang/String;I)V", 2);
		Truth.calls(Operation.class, "values()[" + type, 11); /* one from valueOf */
		Truth.calls(Operation.class, "valueOf(Ljava/lang/String;)" + type, 10);
		Truth.calls("cases.Modern$Operation$1", "<init>(Ljava/lang/String;I)V", 1);
		Truth.calls("cases.Modern$Operation$2", "<init>(Ljava/lang/String;I)V", 1);
		Truth.calls("cases.Modern$Operation$1", "apply(II)I", 20);
		Truth.calls("cases.Modern$Operation$2", "apply(II)I", 10);
		Truth.expect(apply == 30, "apply " + apply);
		Truth.calls(Plain.class, "<clinit>()V", 1);
		Truth.calls(Plain.class, "$values()[Lcases/Modern$Plain;", 1);
		Truth.calls(Plain.class, "values()[Lcases/Modern$Plain;", 1); /* for the switch */
		Truth.calls(Plain.class, "<init>(Ljava/lang/String;I)V", 2);
		Truth.calls("cases.Modern$2", "<clinit>()V", 1); /* the switch's own table */
		Truth.calls(Circle.class, "<init>(I)V", 30);
		Truth.calls(Circle.class, "radius()I", 20);
		Truth.calls(Circle.class, "hashCode()I", 10);
		Truth.calls(Circle.class, "toString()Ljava/lang/String;", 10);
		Truth.calls(Box.class, "<init>(II)V", compact);
		Truth.calls(Box.class, "width()I", 10);
		Truth.calls(Box.class, "height()I", 10);
		Truth.calls(Box.class, "perimeter()I", perimeter);
		Truth.calls(Box.class, "equals(Ljava/lang/Object;)Z", 10);
		Truth.calls(Inner.class, "<init>(Lcases/Modern;)V", 10);
		Truth.calls(Inner.class, "outer()I", inner);
		Truth.calls("cases.Modern$1Local", "<init>(Lcases/Modern;)V", 10);
		Truth.calls("cases.Modern$1Local", "call()I", local);
		Truth.calls("cases.Modern$1", "<init>()V", 10);
		Truth.calls("cases.Modern$1", "call()V", anonymous);
		Truth.save(in);
	}
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
// run: plain
package cases;

/** Chains of this(...) and super(...), initialisers, constructors that throw. */
final class Constructors {
	static long base, baseInt, middle, middleInt, leaf, copy, failing, field, initialiser;

	static class Base {
		int value = field();

		Base() {
			this(1);
			base++;
		}

		Base(int value) {
			baseInt++;
			this.value += value;
		}

		static int field() {
			field++;
			return 1;
		}
	}

	static class Middle extends Base {
		{
			initialiser++;
		}

		Middle() {
			middle++;
		}

		Middle(int value) {
			super(value);
			middleInt++;
		}
	}

	static final class Leaf extends Middle implements Cloneable {
		Leaf(boolean wide) {
			super(wide ? 2 : 3);
			leaf++;
		}

		Leaf(Leaf other) {
			this(other.value > 2);
			copy++;
		}

		Leaf twin() throws CloneNotSupportedException {
			return (Leaf) clone();
		}
	}

	static final class Failing extends Middle {
		Failing(int n) {
			failing++;
			if (n % 2 == 0)
				throw new IllegalArgumentException();
		}
	}

	public static void main(String[] args) throws CloneNotSupportedException {
		int thrown = 0;
		for (int i = 0; i < 30; i++) {
			new Base();
			new Middle();
			new Leaf(new Leaf(i % 3 == 0)).twin();
			try {
				new Failing(i);
			} catch (IllegalArgumentException e) {
				thrown++;
			}
		}
		Truth.expect(thrown == 15, "thrown " + thrown);
		Truth.calls(Base.class, "<init>()V", base);
		Truth.calls(Base.class, "<init>(I)V", baseInt);
		Truth.calls(Base.class, "field()I", field);
		Truth.calls(Middle.class, "<init>()V", middle);
		Truth.calls(Middle.class, "<init>(I)V", middleInt);
		Truth.expect(initialiser == middle + middleInt, "initialisers " + initialiser);
		Truth.calls(Leaf.class, "<init>(Z)V", leaf);
		Truth.calls(Leaf.class, "<init>(Lcases/Constructors$Leaf;)V", copy);
		Truth.calls(Leaf.class, "twin()Lcases/Constructors$Leaf;", 30);
		Truth.calls(Failing.class, "<init>(I)V", failing);
		Truth.save(Constructors.class);
	}
}

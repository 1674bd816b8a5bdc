// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
import java.util.Random;

/**
 * Objects of all ages, until some collections were asked for: or, told "forever", for as long as it is let. Young ones die at
 * once, old ones are replaced at random, large ones come now and then.
 */
public class Garbage {
	private static final Object[] kept = new Object[30_000];
	private static volatile Object last;

	private static void step(Random random, int i) {
		last = new byte[random.nextInt(2000)];
		if (i % 4 == 0)
			kept[random.nextInt(kept.length)] = new byte[random.nextInt(6000)];
		if (i % 2000 == 0)
			last = new byte[1 << 20];
	}

	public static void main(String[] arguments) {
		Random random = new Random(1);
		boolean forever = arguments[0].equals("forever");
		int asked = forever ? 0 : Integer.parseInt(arguments[0]);

		for (int i = 1; forever || asked > 0; i++) {
			step(random, i);
			if (i % 150_000 == 0) {
				System.gc();
				asked--;
			}
		}
	}
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors

import java.util.List;
import java.util.Random;

/**
 * The programs: a class each, and a row of the table. The classes alone get probes, this one does
 * not. Their methods do work of many kinds, most of it dependent on the call before; the copies
 * differ in constants that the compilers unroll loops by.
 */
final class Programs {
	private static final int[] near = cycle(1 << 11);

	private Programs() {
	}

	static List<Program> table() {
		return List.of(
				Program.leaf("Chain1", Chain1::loop, Programs::empty),
				Program.leaf("Chain4", Chain4::loop, Programs::empty),
				Program.leaf("Chain16", Chain16::loop, Programs::empty),
				Program.leaf("Chain64", Chain64::loop, Programs::empty),
				Program.leaf("Chain256", Chain256::loop, Programs::empty),
				Program.leaf("Chain1k", Chain1k::loop, Programs::empty),
				Program.leaf("Chain6k", Chain6k::loop, Programs::empty),
				Program.leaf("Divide", Divide::loop, Programs::empty),
				Program.leaf("Wide16", Wide16::loop, Programs::empty),
				Program.leaf("Wide64", Wide64::loop, Programs::empty),
				Program.leaf("Wide512", Wide512::loop, Programs::empty),
				Program.leaf("Branches", Branches::loop, Programs::empty),
				Program.leaf("Table", Table::loop, Programs::empty),
				Program.leaf("Strings", Strings::loop, Programs::empty),
				Program.leaf("Allocate", Allocate::loop, Programs::empty),
				Program.named("Allocations").loop("loop", Allocations::loop)
						.loop("bytes", Allocations::onlyBytes).loop("boxes", Allocations::onlyBoxes)
						.loop("empty", Programs::empty)
						.truth("loop", "empty").truth("both", "loop - bytes - boxes + empty")
						.truth("bytes", "bytes - empty").truth("boxes", "boxes - empty"),
				Program.leaf("Virtual", Virtual::loop, Virtual::empty),
				Program.leaf("Near", Near::loop, Programs::empty),
				Program.leaf("Far1", Far1::loop, Programs::empty),
				Program.leaf("Far8", Far8::loop, Programs::empty),
				Program.named("Deep").loop("loop", Deep::loop).loop("b", Deep::onlyB)
						.loop("c", Deep::onlyC).loop("empty", Programs::empty)
						.truth("loop", "empty").truth("a", "loop - b").truth("b", "b - c")
						.truth("c", "c - empty"),
				Program.named("Tiny").loop("loop", Tiny::loop).loop("own", Tiny::own)
						.loop("empty", Programs::empty).truth("loop", "empty")
						.truth("work", "own - empty").truth("tiny", "loop - own"),
				Program.leaf("Recurse", Recurse::loop, Programs::empty),
				Program.leaf("Tree", Tree::loop, Programs::empty),
				Program.named("Mixed").loop("loop", Mixed::loop).loop("b", Mixed::onlyB)
						.loop("c", Mixed::onlyC).loop("empty", Programs::empty)
						.truth("loop", "empty").truth("a", "loop - b - c + empty")
						.truth("b", "b - empty").truth("c", "c - empty"),
				Program.leaf("Interpreted16", Interpreted16::loop, Interpreted16::empty),
				Program.leaf("Interpreted256", Interpreted256::loop, Interpreted256::empty),
				Program.leaf("Native1k", Native1k::loop, Native1k::empty),
				Program.leaf("Native16k", Native16k::loop, Native16k::empty));
	}

	/** What is called by an empty loop. */
	static long none(long x) {
		return x;
	}

	static long empty(int n) {
		long x = n;
		for (int i = 0; i < n; i++)
			x = none(x) ^ i;
		return x;
	}

	/** Each element is the index of the next one of a random cycle through all. */
	private static int[] cycle(int length) {
		int[] order = new int[length], next = new int[length];
		Random random = new Random(1);

		for (int i = 0; i < length; i++) {
			int other = random.nextInt(i + 1);
			order[i] = order[other];
			order[other] = i;
		}
		for (int i = 0; i < length; i++)
			next[order[i]] = order[(i + 1) % length];
		return next;
	}

	static final class Chain1 {
		static long work(long x) {
			return x * 31 + 7;
		}

		static long loop(int n) {
			long x = n;
			for (int i = 0; i < n; i++)
				x = work(x) ^ i;
			return x;
		}
	}

	static final class Chain4 {
		static long work(long x) {
			for (int i = 0; i < 4; i++)
				x = x * 31 + 7;
			return x;
		}

		static long loop(int n) {
			long x = n;
			for (int i = 0; i < n; i++)
				x = work(x) ^ i;
			return x;
		}
	}

	static final class Chain16 {
		static long work(long x) {
			for (int i = 0; i < 16; i++)
				x = x * 31 + 7;
			return x;
		}

		static long loop(int n) {
			long x = n;
			for (int i = 0; i < n; i++)
				x = work(x) ^ i;
			return x;
		}
	}

	static final class Chain64 {
		static long work(long x) {
			for (int i = 0; i < 64; i++)
				x = x * 31 + 7;
			return x;
		}

		static long loop(int n) {
			long x = n;
			for (int i = 0; i < n; i++)
				x = work(x) ^ i;
			return x;
		}
	}

	static final class Chain256 {
		static long work(long x) {
			for (int i = 0; i < 256; i++)
				x = x * 31 + 7;
			return x;
		}

		static long loop(int n) {
			long x = n;
			for (int i = 0; i < n; i++)
				x = work(x) ^ i;
			return x;
		}
	}

	static final class Chain1k {
		static long work(long x) {
			for (int i = 0; i < 1024; i++)
				x = x * 31 + 7;
			return x;
		}

		static long loop(int n) {
			long x = n;
			for (int i = 0; i < n; i++)
				x = work(x) ^ i;
			return x;
		}
	}

	/** About 10 us. */
	static final class Chain6k {
		static long work(long x) {
			for (int i = 0; i < 6500; i++)
				x = x * 31 + 7 + (x >>> 60);
			return x;
		}

		static long loop(int n) {
			long x = n;
			for (int i = 0; i < n; i++)
				x = work(x) ^ i;
			return x;
		}
	}

	static final class Divide {
		static long work(long x) {
			return 0x7fffffffffffffffL / (x | 1) + x % 1000003;
		}

		static long loop(int n) {
			long x = n;
			for (int i = 0; i < n; i++)
				x = work(x) ^ i;
			return x;
		}
	}

	/** Work that does not wait for itself: four strands. */
	static final class Wide16 {
		static long work(long x) {
			long a = x, b = x + 1, c = x + 2, d = x + 3;
			for (int i = 0; i < 16; i++) {
				a = a * 31 + 1;
				b = b * 33 + 2;
				c = c * 35 + 3;
				d = d * 37 + 4;
			}
			return a ^ b ^ c ^ d;
		}

		static long loop(int n) {
			long x = n;
			for (int i = 0; i < n; i++)
				x = work(x) ^ i;
			return x;
		}
	}

	static final class Wide64 {
		static long work(long x) {
			long a = x, b = x + 1, c = x + 2, d = x + 3;
			for (int i = 0; i < 64; i++) {
				a = a * 31 + 1;
				b = b * 33 + 2;
				c = c * 35 + 3;
				d = d * 37 + 4;
			}
			return a ^ b ^ c ^ d;
		}

		static long loop(int n) {
			long x = n;
			for (int i = 0; i < n; i++)
				x = work(x) ^ i;
			return x;
		}
	}

	/** And calls that do not wait for one another. */
	static final class Wide512 {
		static long work(long x) {
			long a = x, b = x + 1, c = x + 2, d = x + 3;
			for (int i = 0; i < 512; i++) {
				a = a * 31 + 1;
				b = b * 33 + 2;
				c = c * 35 + 3;
				d = d * 37 + 4;
			}
			return a ^ b ^ c ^ d;
		}

		static long loop(int n) {
			long x = n;
			for (int i = 0; i < n; i++)
				x ^= work(i);
			return x;
		}
	}

	/** Branches that no processor foresees. */
	static final class Branches {
		static long work(long x) {
			long s = 0;
			for (int i = 0; i < 24; i++) {
				if ((x >>> 40 & 1) != 0)
					s += i;
				else
					s ^= x;
				x = x * 0x5851F42D4C957F2DL + 1;
			}
			return s + x;
		}

		static long loop(int n) {
			long x = n;
			for (int i = 0; i < n; i++)
				x = work(x) ^ i;
			return x;
		}
	}

	static final class Table {
		static long work(long x) {
			long s = 0;
			for (int i = 0; i < 32; i++)
				s += near[(int) (x + i * 61) & near.length - 1];
			return s;
		}

		static long loop(int n) {
			long x = n;
			for (int i = 0; i < n; i++)
				x = work(x) ^ i;
			return x;
		}
	}

	static final class Strings {
		private static final String text = "the quick brown fox jumps over the lazy dog, and over the moon";

		static long work(long x) {
			long s = 0;
			for (int i = 0; i < text.length(); i++)
				s = s * 131 + (text.charAt(i) ^ x);
			return s;
		}

		static long loop(int n) {
			long x = n;
			for (int i = 0; i < n; i++)
				x = work(x) ^ i;
			return x;
		}
	}

	static final class Allocate {
		static long[] kept;

		static long work(long x) {
			long[] a = new long[32];
			kept = a;
			for (int i = 0; i < a.length; i++)
				x = a[i] + x * 31;
			return x;
		}

		static long loop(int n) {
			long x = n;
			for (int i = 0; i < n; i++)
				x = work(x) ^ i;
			return x;
		}
	}

	/** Methods that allocate, and call such: arrays, and boxes. */
	static final class Allocations {
		static Object kept;

		static long bytes(long x) {
			byte[] a = new byte[83];
			kept = a;
			return x * 31 + a[(int) (x & 7)];
		}

		static long boxes(long x) {
			Long[] a = new Long[8];
			for (int i = 0; i < a.length; i++)
				a[i] = Long.valueOf(1000 + i);
			kept = a;
			return x * 33 + a[(int) (x & 7)];
		}

		static long both(long x) {
			kept = new int[100];
			return boxes(bytes(x));
		}

		static long loop(int n) {
			long x = n;
			for (int i = 0; i < n; i++)
				x = both(x) ^ i;
			return x;
		}

		static long onlyBytes(int n) {
			long x = n;
			for (int i = 0; i < n; i++)
				x = bytes(x) ^ i;
			return x;
		}

		static long onlyBoxes(int n) {
			long x = n;
			for (int i = 0; i < n; i++)
				x = boxes(x) ^ i;
			return x;
		}
	}

	static final class Virtual {
		private static final Virtual[] some = {new Virtual(), new Virtual()};
		private long field = 3;

		long work(long x) {
			for (int i = 0; i < 20; i++)
				x = x * 31 + field;
			return x;
		}

		static long loop(int n) {
			long x = n;
			for (int i = 0; i < n; i++)
				x = some[i & 1].work(x) ^ i;
			return x;
		}

		long none(long x) {
			return x;
		}

		static long empty(int n) {
			long x = n;
			for (int i = 0; i < n; i++)
				x = some[i & 1].none(x) ^ i;
			return x;
		}
	}

	/** A walk through memory that the first cache holds. */
	static final class Near {
		static long work(long x) {
			int k = (int) x & near.length - 1;
			for (int i = 0; i < 50; i++)
				k = near[k];
			return k;
		}

		static long loop(int n) {
			long x = n;
			for (int i = 0; i < n; i++)
				x = work(x) ^ i;
			return x;
		}
	}

	/** 64 MB of memory, more than caches hold. */
	private static final class Far {
		static final int[] next = cycle(1 << 24);
		/** Where the walk goes on, so that no cache has seen what comes. */
		static long place;
	}

	static final class Far1 {
		static long work(long x) {
			return Far.next[(int) x & Far.next.length - 1];
		}

		static long loop(int n) {
			long x = Far.place;
			for (int i = 0; i < n; i++)
				x = work(x);
			Far.place = x;
			return x;
		}
	}

	static final class Far8 {
		static long work(long x) {
			int k = (int) x & Far.next.length - 1;
			for (int i = 0; i < 8; i++)
				k = Far.next[k];
			return k;
		}

		static long loop(int n) {
			long x = Far.place;
			for (int i = 0; i < n; i++)
				x = work(x);
			Far.place = x;
			return x;
		}
	}

	static final class Deep {
		static long a(long x) {
			for (int i = 0; i < 100; i++)
				x = x * 31 + 7;
			return b(x);
		}

		static long b(long x) {
			for (int i = 0; i < 60; i++)
				x = x * 33 + 5;
			return c(x);
		}

		static long c(long x) {
			for (int i = 0; i < 200; i++)
				x = x * 35 + 3;
			return x;
		}

		static long loop(int n) {
			long x = n;
			for (int i = 0; i < n; i++)
				x = a(x) ^ i;
			return x;
		}

		static long onlyB(int n) {
			long x = n;
			for (int i = 0; i < n; i++)
				x = b(x) ^ i;
			return x;
		}

		static long onlyC(int n) {
			long x = n;
			for (int i = 0; i < n; i++)
				x = c(x) ^ i;
			return x;
		}
	}

	/** Twenty calls of a tiny method to some work of its own. What the calls themselves cost, some ns, is
	 * hidden behind the work, or counts as that of `tiny`. */
	static final class Tiny {
		static long tiny(long x) {
			return x * 31 + 7;
		}

		static long work(long x) {
			for (int i = 0; i < 400; i++)
				x = x * 35 + 3;
			for (int i = 0; i < 20; i++)
				x = tiny(x);
			return x;
		}

		static long alone(long x) {
			for (int i = 0; i < 400; i++)
				x = x * 35 + 3;
			return x;
		}

		static long loop(int n) {
			long x = n;
			for (int i = 0; i < n; i++)
				x = work(x) ^ i;
			return x;
		}

		static long own(int n) {
			long x = n;
			for (int i = 0; i < n; i++)
				x = alone(x) ^ i;
			return x;
		}
	}

	static final class Recurse {
		static long work(long x, int depth) {
			for (int i = 0; i < 50; i++)
				x = x * 31 + 7;
			return depth == 0 ? x : work(x, depth - 1) + 1;
		}

		static long loop(int n) {
			long x = n;
			for (int i = 0; i < n; i++)
				x = work(x, 30) ^ i;
			return x;
		}
	}

	static final class Tree {
		static long work(long x, int depth) {
			for (int i = 0; i < 30; i++)
				x = x * 31 + 7;
			return depth == 0 ? x : work(work(x, depth - 1), depth - 1);
		}

		static long loop(int n) {
			long x = n;
			for (int i = 0; i < n; i++)
				x = work(x, 5) ^ i;
			return x;
		}
	}

	/** Work before, between and after two calls. */
	static final class Mixed {
		static long a(long x) {
			for (int i = 0; i < 60; i++)
				x = x * 31 + 7;
			x = b(x);
			for (int i = 0; i < 80; i++)
				x = x * 37 + 7;
			x = c(x);
			for (int i = 0; i < 60; i++)
				x = x * 39 + 7;
			return x;
		}

		static long b(long x) {
			for (int i = 0; i < 300; i++)
				x = x * 33 + 5;
			return x;
		}

		static long c(long x) {
			long d = x + 1;
			for (int i = 0; i < 40; i++) {
				x = x * 31 + 1;
				d = d * 33 + 2;
			}
			return x ^ d;
		}

		static long loop(int n) {
			long x = n;
			for (int i = 0; i < n; i++)
				x = a(x) ^ i;
			return x;
		}

		static long onlyB(int n) {
			long x = n;
			for (int i = 0; i < n; i++)
				x = b(x) ^ i;
			return x;
		}

		static long onlyC(int n) {
			long x = n;
			for (int i = 0; i < n; i++)
				x = c(x) ^ i;
			return x;
		}
	}

	/** Its `work` and `none` are kept from the compilers: see run.sh. */
	static final class Interpreted16 {
		static long work(long x) {
			for (int i = 0; i < 16; i++)
				x = x * 31 + 7;
			return x;
		}

		static long none(long x) {
			return x;
		}

		static long loop(int n) {
			long x = n;
			for (int i = 0; i < n; i++)
				x = work(x) ^ i;
			return x;
		}

		static long empty(int n) {
			long x = n;
			for (int i = 0; i < n; i++)
				x = none(x) ^ i;
			return x;
		}
	}

	static final class Interpreted256 {
		static long work(long x) {
			for (int i = 0; i < 256; i++)
				x = x * 31 + 7;
			return x;
		}

		static long none(long x) {
			return x;
		}

		static long loop(int n) {
			long x = n;
			for (int i = 0; i < n; i++)
				x = work(x) ^ i;
			return x;
		}

		static long empty(int n) {
			long x = n;
			for (int i = 0; i < n; i++)
				x = none(x) ^ i;
			return x;
		}
	}

	/** Natives of libaccuracy.so: chains of so many multiplications. */
	static final class Native1k {
		static {
			System.loadLibrary("accuracy");
		}

		static native long work(long x, int steps);

		static native long none(long x, int steps);

		static long loop(int n) {
			long x = n;
			for (int i = 0; i < n; i++)
				x = work(x, 1000) ^ i;
			return x;
		}

		static long empty(int n) {
			long x = n;
			for (int i = 0; i < n; i++)
				x = none(x, 0) ^ i;
			return x;
		}
	}

	static final class Native16k {
		static {
			System.loadLibrary("accuracy");
		}

		static native long work(long x, int steps);

		static native long none(long x, int steps);

		static long loop(int n) {
			long x = n;
			for (int i = 0; i < n; i++)
				x = work(x, 16000) ^ i;
			return x;
		}

		static long empty(int n) {
			long x = n;
			for (int i = 0; i < n; i++)
				x = none(x, 0) ^ i;
			return x;
		}
	}
}

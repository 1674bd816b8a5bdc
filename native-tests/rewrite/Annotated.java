// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** Annotations of types within code, of every kind of target (JVM specification 4.7.20.1). */
class Annotated {
	enum Kind { ONE, TWO }

	@Retention(RetentionPolicy.RUNTIME)
	@interface Inner {
		long[] value() default {1, 2};
	}

	@Retention(RetentionPolicy.RUNTIME)
	@Target(ElementType.TYPE_USE)
	@interface Seen {
		int number() default 0;

		String[] names() default {};

		Kind kind() default Kind.ONE;

		Inner inner() default @Inner;

		Class<?> type() default Object.class;
	}

	static <T> T same(T value) {
		return value;
	}

	int work(Object value) throws @Seen(number = 7) Exception {
		@Seen(names = {"a", "b"}, kind = Kind.TWO) List<@Seen(inner = @Inner({3})) String> list =
			new @Seen(type = String.class) ArrayList<@Seen String>();
		Supplier<List<String>> made = @Seen ArrayList<String>::new;
		Supplier<String> found = value::toString;

		try (@Seen AutoCloseable closed = () -> { }) {
			list.add((@Seen(number = 1) String) value);
			if (value instanceof @Seen(number = 2) CharSequence)
				list.add(Annotated.<@Seen(number = 3) String>same(found.get()));
		} catch (@Seen(number = 4) IllegalStateException e) {
			return made.get().size();
		}
		return list.size();
	}
}

/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* What is remembered of a stack's number holds as long as all is the same that the number was made of. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "agent/stack/known_keys.h"
#include "native-tests/stack/fake_jvm.h"
#include "native-tests/stack/in_threads.h"

enum { WORDS = 1024, TOP = 100, WORD = sizeof(uintptr_t) };

static struct fake_jvm *jvm;
static struct seen_methods *seen;
static struct known_keys *known;
static uintptr_t stack[WORDS];
static uint32_t code; /* the number of some */
static uintptr_t method;
static uint64_t now; /* ns */
static uint64_t note;

static const struct fake_method before = {"acme/Before", "run", "()V", 20, NULL, NULL};
static const struct fake_method after = {"acme/After", "run", "()V", 20, NULL, NULL};

static int create(bool sweeper)
{
	jvm = fake_jvm_create(FAKE_25);
	seen = jvm ? seen_methods_create(&jvm->layout) : NULL;
	known = known_keys_create(sweeper);
	if (!seen || !known)
		return -1;
	for (uintptr_t i = 0; i < WORDS; i++)
		stack[i] = i * 17;
	code = 5;
	now = 12345;
	method = fake_method_add(jvm, &before);
	return 0;
}

static int create_swept(void **state)
{
	return create(true);
}

static int create_unswept(void **state)
{
	return create(false);
}

static int destroy(void **state)
{
	known_keys_destroy(known);
	seen_methods_destroy(seen);
	fake_jvm_destroy(jvm);
	return 0;
}

static struct known_key about(unsigned top)
{
	return (struct known_key){.java = 0x1000,
		.stack_base = (uintptr_t)(stack + WORDS),
		.sp = (uintptr_t)(stack + top),
		.pc = 0x2000,
		.fp = 0x3000,
		.seed = 7,
		.now = now};
}

/* A walk that read so many words, each third one, and that code and that method. */
static void walk(unsigned top, unsigned words, uint64_t key)
{
	struct known_key of = about(top);
	struct key_words noted;

	key_words_begin(&noted, &of);
	for (unsigned i = 0; i < words; i++)
		key_words_add(&noted, (uintptr_t)(stack + top + 3 * i), stack[top + 3 * i]);
	key_words_add_code(&noted, (uintptr_t)&code, code);
	key_words_add_method(&noted, method, seen_method(seen, method));
	known_keys_put(known, &of, &noted, key);
}

static uint64_t look(unsigned top)
{
	struct known_key of = about(top);

	return known_keys_find(known, &of, seen, &note);
}

static void test_found(void **state)
{
	struct known_key of;

	assert_int_equal(look(TOP), 0);
	walk(TOP, 20, 77);
	assert_int_equal(look(TOP), 77);
	assert_int_equal(look(TOP + 1), 0);
#define DIFFERS(member)                                                                        \
	of = about(TOP);                                                                       \
	of.member++;                                                                           \
	assert_int_equal(known_keys_find(known, &of, seen, &note), 0)
	DIFFERS(java);
	DIFFERS(stack_base);
	DIFFERS(sp);
	DIFFERS(pc);
	DIFFERS(fp);
	DIFFERS(seed);
#undef DIFFERS
	assert_int_equal(look(TOP), 77);
	of = about(TOP);
	assert_int_equal(known_keys_find(NULL, &of, seen, &note), 0);
	known_keys_put(NULL, &of, NULL, 1);
}

/* Words that the walk did not look at may be any. */
static void test_words(void **state)
{
	walk(TOP, 20, 77);
	for (unsigned i = 0; i < 60; i++) {
		stack[TOP + i]++;
		assert_int_equal(look(TOP), i % 3 == 0 ? 0 : 77);
		stack[TOP + i]--;
	}
	assert_int_equal(look(TOP), 77);
}

/* Any two words exchanged, and any two that differ by the same, up and down. */
static void test_two_words(void **state)
{
	walk(TOP, 20, 77);
	for (unsigned i = 0; i < 60; i += 3) {
		for (unsigned k = i + 3; k < 60; k += 3) {
			uintptr_t first = stack[TOP + i], second = stack[TOP + k];

			stack[TOP + i] = second;
			stack[TOP + k] = first;
			assert_int_equal(look(TOP), 0);
			stack[TOP + i] = first + 8;
			stack[TOP + k] = second - 8;
			assert_int_equal(look(TOP), 0);
			stack[TOP + i] = first;
			stack[TOP + k] = second;
		}
	}
	assert_int_equal(look(TOP), 77);
}

static void test_room(void **state)
{
	struct known_key of = about(TOP);
	struct key_words noted;

	walk(0, KEY_WORDS, 77);
	assert_int_equal(look(0), 77);
	walk(1, KEY_WORDS + 1, 78);
	assert_int_equal(look(1), 0);
	walk(TOP, 20, 0);
	assert_int_equal(look(TOP), 0);
	/* Something that is not in the list. */
	key_words_begin(&noted, &of);
	key_words_spoil(&noted);
	key_words_add(&noted, (uintptr_t)stack, 1);
	known_keys_put(known, &of, &noted, 77);
	assert_int_equal(look(TOP), 0);
	/* Far from where Java was left. */
	key_words_begin(&noted, &of);
	key_words_add(&noted, of.sp + (1 << 20), 1);
	known_keys_put(known, &of, &noted, 77);
	assert_int_equal(look(TOP), 0);
}

/* One of the same place after another: the newest ones are known. */
static void test_many(void **state)
{
	enum { MANY = 10, KEPT = 4 };

	for (unsigned i = 0; i < MANY; i++) {
		stack[TOP] = i;
		walk(TOP, 20, 100 + i);
	}
	for (unsigned i = 0; i < MANY; i++) {
		stack[TOP] = i;
		assert_int_equal(look(TOP), i < MANY - KEPT ? 0 : 100 + i);
	}
}

/* Code whose memory is another's. Nothing was collected yet, so that it is not known whether that is told. */
static void test_not_told(void **state)
{
	walk(TOP, 20, 77);
	assert_int_equal(look(TOP), 77);
	code++;
	assert_int_equal(look(TOP), 0);
}

static void test_code(void **state)
{
	known_keys_collected();
	walk(TOP, 20, 77);
	code++;
	/* It is hardly possible so soon, and not looked at. */
	now += KEY_SURE_NS - 1;
	assert_int_equal(look(TOP), 77);
	now++;
	assert_int_equal(look(TOP), 0);
	code--;
	assert_int_equal(look(TOP), 77);
	code++;
	known_keys_collected();
	assert_int_equal(look(TOP), 0);
}

static void test_swept_code(void **state)
{
	known_keys_collected();
	walk(TOP, 20, 77);
	assert_int_equal(look(TOP), 77);
	code++;
	assert_int_equal(look(TOP), 0);
}

/* The method's memory is another's. */
static void test_methods(void **state)
{
	known_keys_collected();
	walk(TOP, 20, 77);
	now += KEY_SURE_NS;
	assert_int_equal(look(TOP), 77);
	fake_method_replace(jvm, method, &after);
	known_keys_collected();
	assert_int_equal(look(TOP), 0);
	walk(TOP, 20, 78);
	assert_int_equal(look(TOP), 78);
	/* As it may be without a collection. */
	fake_method_replace(jvm, method, &before);
	now += KEY_SURE_NS;
	assert_int_equal(look(TOP), 0);
}

/* Without a look at methods only what is sure is known. */
static void test_without_methods(void **state)
{
	struct known_key of = about(TOP);

	walk(TOP, 20, 77);
	assert_int_equal(known_keys_find(known, &of, NULL, &note), 0);
	known_keys_collected();
	assert_int_equal(known_keys_find(known, &of, NULL, &note), 0);
	/* A look that is whole. */
	assert_int_equal(look(TOP), 77);
	assert_int_equal(known_keys_find(known, &of, NULL, &note), 77);
	of.now = now += KEY_SURE_NS;
	assert_int_equal(known_keys_find(known, &of, NULL, &note), 0);
	assert_int_equal(look(TOP), 77);
	assert_int_equal(known_keys_find(known, &of, NULL, &note), 77);
}

/* It is left with that number, and gone with it. */
static void test_note(void **state)
{
	struct known_key of = about(TOP);

	walk(TOP, 20, 77);
	assert_int_equal(look(TOP), 77);
	assert_int_equal(note, 0);
	known_keys_note(known, &of, 78, 5);
	assert_int_equal(look(TOP), 77);
	assert_int_equal(note, 0);
	known_keys_note(known, &of, 77, 5);
	/* However often it is looked at. */
	for (int i = 0; i < 3; i++) {
		assert_int_equal(look(TOP), 77);
		assert_int_equal(note, 5);
	}
	stack[TOP]++;
	assert_int_equal(look(TOP), 0);
	walk(TOP, 20, 78);
	assert_int_equal(look(TOP), 78);
	assert_int_equal(note, 0);
	known_keys_note(NULL, &of, 77, 5);
}

static void test_cleared(void **state)
{
	known_keys_collected();
	for (int i = 0; i < 3; i++) {
		walk(TOP, 20, 77 + i);
		assert_int_equal(look(TOP), 77 + i);
		known_keys_clear(known);
		assert_int_equal(look(TOP), 0);
	}
}

/* Threads whose stacks are all of one set, and of many words, so that a slot becomes another's while it is looked
 * at. */
static void *hammer(void *argument)
{
	enum { MANY_WORDS = 200 };
	struct known_key of = about(TOP);
	uintptr_t found = 0;

	of.java = (uintptr_t)argument;
	for (uintptr_t i = 0; i < 200000; i++) {
		struct key_words noted;
		uint64_t key, made, left;

		of.fp = i / 7 % 3;
		made = of.java * 1000 + of.fp + 1;
		key = known_keys_find(known, &of, i % 2 ? seen : NULL, &left);
		if (key != 0 && key != made)
			return NULL;
		if (left != 0 && (key != made || left != made + 1))
			return NULL;
		found += key != 0;
		if (key != 0)
			continue;
		key_words_begin(&noted, &of);
		for (unsigned k = 0; k < MANY_WORDS; k++)
			key_words_add(&noted, (uintptr_t)(stack + TOP + k), stack[TOP + k]);
		known_keys_put(known, &of, &noted, made);
		known_keys_note(known, &of, made, made + 1);
	}
	return (void *)found;
}

static void test_threads(void **state)
{
	known_keys_collected();
	in_threads(hammer);
}

/* One puts, and clears; the others look meanwhile, as they may without `seen`. */
static void *clear_or_look(void *argument)
{
	struct known_key of = about(TOP);
	uint64_t found = 0;

	for (uint64_t i = 0; i < 20000; i++) {
		uint64_t made = 2 * i + 2, key, left;
		struct key_words noted;

		if ((uintptr_t)argument > 1) {
			key = known_keys_find(known, &of, NULL, &left);
			if (key % 2 != 0 || (left != 0 && left != key + 1))
				return NULL;
			found++;
			continue;
		}
		known_keys_collected();
		key_words_begin(&noted, &of);
		key_words_add(&noted, of.sp, stack[TOP]);
		known_keys_put(known, &of, &noted, made);
		known_keys_note(known, &of, made, made + 1);
		found += known_keys_find(known, &of, NULL, &left) == made && left == made + 1;
		known_keys_clear(known);
	}
	return (void *)(uintptr_t)found;
}

static void test_cleared_meanwhile(void **state)
{
	in_threads(clear_or_look);
}

int main(void)
{
#define TEST(test) cmocka_unit_test_setup_teardown(test, create_unswept, destroy)
	const struct CMUnitTest tests[] = {
		TEST(test_not_told),
		TEST(test_code),
		cmocka_unit_test_setup_teardown(test_swept_code, create_swept, destroy),
		TEST(test_found),
		TEST(test_words),
		TEST(test_two_words),
		TEST(test_room),
		TEST(test_many),
		TEST(test_methods),
		TEST(test_without_methods),
		TEST(test_note),
		TEST(test_cleared),
		TEST(test_threads),
		TEST(test_cleared_meanwhile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

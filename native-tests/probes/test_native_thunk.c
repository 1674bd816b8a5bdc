/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* native_thunk: every argument and result passes through, whatever enter and exit do to
 * registers, and debuggers see through the frame. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <execinfo.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "agent/probes/native_thunk.h"

typedef int64_t J;
typedef double D;
typedef float F;
typedef int32_t I;

/* ---- enter and exit ---- */

enum { DEEPEST = 1001 };

/* What the thread has entered and not left. */
static __thread struct {
	const struct native_record *record;
	void *env;
} inside[DEEPEST];
static __thread int depth, entered, left, mismatches;
static __thread bool turned_away;

/* Overwrites what a called function may. */
static void spoil_registers(void)
{
#ifdef __x86_64__
	__asm__ volatile(
		"pcmpeqd %%xmm0, %%xmm0; movdqa %%xmm0, %%xmm1; movdqa %%xmm0, %%xmm2;"
		"movdqa %%xmm0, %%xmm3; movdqa %%xmm0, %%xmm4; movdqa %%xmm0, %%xmm5;"
		"movdqa %%xmm0, %%xmm6; movdqa %%xmm0, %%xmm7; mov $-1, %%rax;"
		"mov %%rax, %%rdi; mov %%rax, %%rsi; mov %%rax, %%rdx; mov %%rax, %%rcx;"
		"mov %%rax, %%r8; mov %%rax, %%r9; mov %%rax, %%r10; mov %%rax, %%r11" ::
			: "rax", "rdi", "rsi", "rdx", "rcx", "r8", "r9", "r10", "r11", "xmm0",
		"xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7");
#else
	__asm__ volatile(
		"mov x0, #-1; mov x1, x0; mov x2, x0; mov x3, x0; mov x4, x0; mov x5, x0;"
		"mov x6, x0; mov x7, x0; mov x8, x0; mov x9, x0; mov x10, x0; mov x11, "
		"x0;"
		"mov x12, x0; mov x13, x0; mov x14, x0; mov x15, x0; mov x16, x0;"
		"mov x17, x0; fmov d0, x0; fmov d1, x0; fmov d2, x0; fmov d3, x0;"
		"fmov d4, x0; fmov d5, x0; fmov d6, x0; fmov d7, x0" ::
			: "x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10",
		"x11", "x12", "x13", "x14", "x15", "x16", "x17", "v0", "v1", "v2", "v3", "v4",
		"v5", "v6", "v7");
#endif
}

bool native_thunk_enter(const struct native_record *record, void *jni)
{
	entered++;
	if (!turned_away) {
		inside[depth].record = record;
		inside[depth++].env = jni;
	}
	spoil_registers();
	return !turned_away;
}

void native_thunk_exit(const struct native_record *record, void *jni)
{
	left++;
	depth--;
	mismatches += inside[depth].record != record || inside[depth].env != jni;
	spoil_registers();
}

static int begin(void **state)
{
	depth = entered = left = mismatches = 0;
	turned_away = false;
	return 0;
}

static int end(void **state)
{
	assert_int_equal(depth, 0);
	assert_int_equal(mismatches, 0);
	return 0;
}

static void *through(unsigned number, void *original, const char *descriptor)
{
	native_records[number] = (struct native_record){
		original, number + 7, native_stack_words(descriptor, NATIVE_LEADING_WORDS)};
	return native_thunk(number);
}

/* ---- methods as they are written ---- */

static J few(void *env, void *self)
{
	return env == &entered ? -5 : 0;
}

static int8_t narrow(void *env, void *self, int8_t a, uint16_t b)
{
	return (int8_t)(a - b);
}

static J many_integers(void *env, void *self, J a, I b, J c, I d, J e, I f, J g, I h, J i, I j,
	J k, I l, J m, I n, J o)
{
	return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + 9 * i + 10 * j +
	       11 * k + 12 * l + 13 * m + 14 * n + 15 * o;
}

static D many_floats(
	void *env, void *self, D a, F b, D c, F d, D e, F f, D g, F h, D i, F j, D k)
{
	return a + 2 * (D)b + 3 * c + 4 * (D)d + 5 * e + 6 * (D)f + 7 * g + 8 * (D)h + 9 * i +
	       10 * (D)j + 11 * k;
}

static F mixed(void *env, void *self, I a, D b, J c, F d, I e, D f, J g, F h, I i, D j, J k,
	F l, I m, D n, J o, F p, D q, D r, J s)
{
	return (F)((D)(a + c + e + g + i + k + m + o + s) * 1000 + b + (D)d + f + (D)h + j +
		   (D)l + n + (D)p + q + r);
}

static void call_all(void)
{
	__typeof__(&few) one = (__typeof__(&few))through(0, (void *)few, "()J");
	__typeof__(&narrow) bytes = (__typeof__(&narrow))through(4, (void *)narrow, "(BC)B");
	__typeof__(&many_integers) integers = (__typeof__(&many_integers))through(
		1, (void *)many_integers, "(JIJIJIJIJIJIJIJ)J");
	__typeof__(&many_floats) floats =
		(__typeof__(&many_floats))through(2, (void *)many_floats, "(DFDFDFDFDFD)D");
	__typeof__(&mixed) both = (__typeof__(&mixed))through(
		NATIVE_THUNKS - 1, (void *)mixed, "(IDJFIDJFIDJFIDJFDDJ)F");

	assert_int_equal(one(&entered, NULL), -5);
	assert_int_equal(bytes(&left, NULL, -100, 28), -128);
	assert_int_equal(
		integers(&left, NULL, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15), 1240);
	assert_true(floats(&left, NULL, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11) == 506);
	assert_true(both(&left, NULL, 1, .5, 2, .25f, 3, .5, 4, .25f, 5, .5, 6, .25f, 7, .5, 8,
			    .25f, 1, 2, 9) == 45006.f);
}

static void arguments(void **state)
{
	call_all();
	assert_int_equal(entered, 5);
	assert_int_equal(left, 5);
	assert_int_equal(inside[0].record - native_records, NATIVE_THUNKS - 1);
	assert_int_equal(inside[0].record->ref, NATIVE_THUNKS - 1 + 7);
	assert_ptr_equal(inside[0].env, &left);
}

static void what_is_turned_away_has_no_exit(void **state)
{
	turned_away = true;
	call_all();
	assert_int_equal(entered, 5);
	assert_int_equal(left, 0);
}

/* ---- whatever the arguments are ---- */

/* Every signature is a choice from these places: registers of both kinds, and words on
 * the stack. So one function that has more of each than there are registers stands for
 * all. */
enum { INTEGERS = 26, FLOATS = 8, ON_STACK = INTEGERS - NATIVE_INTEGER_REGISTERS };

static struct {
	J integer[INTEGERS];
	D number[FLOATS];
	volatile uintptr_t frame;
} seen;

static J everywhere(J i0, J i1, J i2, J i3, J i4, J i5, J i6, J i7, J i8, J i9, J i10, J i11,
	J i12, J i13, J i14, J i15, J i16, J i17, J i18, J i19, J i20, J i21, J i22, J i23,
	J i24, J i25, D d0, D d1, D d2, D d3, D d4, D d5, D d6, D d7)
{
	const J integer[INTEGERS] = {i0, i1, i2, i3, i4, i5, i6, i7, i8, i9, i10, i11, i12, i13,
		i14, i15, i16, i17, i18, i19, i20, i21, i22, i23, i24, i25};
	const D number[FLOATS] = {d0, d1, d2, d3, d4, d5, d6, d7};

	memcpy(seen.integer, integer, sizeof(integer));
	memcpy(seen.number, number, sizeof(number));
	/* Both processors' frame pointers are aligned if the caller kept the stack so. */
	seen.frame = (uintptr_t)__builtin_frame_address(0);
	return -i0;
}

static void every_number_of_words(void **state)
{
	__typeof__(&everywhere) call = (__typeof__(&everywhere))native_thunk(9);

	for (int words = 0; words <= ON_STACK; words++) {
		native_records[9] =
			(struct native_record){(void *)everywhere, 1, (uint32_t)words};
		memset(&seen, 0, sizeof(seen));
		assert_int_equal(call(100, 101, 102, 103, 104, 105, 106, 107, 108, 109, 110,
					 111, 112, 113, 114, 115, 116, 117, 118, 119, 120, 121,
					 122, 123, 124, 125, .0, .1, .2, .3, .4, .5, .6, .7),
			-100);
		for (int i = 0; i < NATIVE_INTEGER_REGISTERS + words; i++)
			assert_int_equal(seen.integer[i], 100 + i);
		for (int i = 0; i < FLOATS; i++)
			assert_true(seen.number[i] == i / 10.);
		assert_int_equal(seen.frame % 16, 0);
	}
}

/* ---- the caller's frame ---- */

#ifdef __x86_64__
#define KEPT(X) X("rbx", a) X("r12", b) X("r13", c) X("r14", d) X("r15", e)
#else
#define KEPT(X) X("x19", a) X("x20", b) X("x21", c) X("x27", d) X("x28", e)
#endif

/* A compiler that does not leave these where they are makes the test weaker, not wrong.
 */
static __attribute__((noinline)) int changed_registers(J (*call)(void *env, void *self))
{
	uint64_t value = 0x5eed;
	int changed = 0;

#define X(register_name, name) register uint64_t name __asm__(register_name) = value++;
	KEPT(X)
#undef X
	__asm__ volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d), "+r"(e));
	call(NULL, NULL);
	__asm__ volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d), "+r"(e));
	value = 0x5eed;
#define X(register_name, name) changed += name != value++;
	KEPT(X)
#undef X
	return changed;
}

static void registers_are_kept(void **state)
{
	__typeof__(&few) call = (__typeof__(&few))through(5, (void *)few, "()J");

	assert_int_equal(changed_registers(call), 0);
	turned_away = true;
	assert_int_equal(changed_registers(call), 0);
}

enum { FRAMES = 16 };

static void *frames[FRAMES];
static int frames_found;

static J look_back(void *env, void *self)
{
	frames_found = backtrace(frames, FRAMES);
	return frames_found;
}

/* Returns where it returns to. */
static __attribute__((noinline)) void *call_look_back(J words[8])
{
	J(*call)
	(void *, void *, J, J, J, J, J, J, J, J, J) = (J(*)(void *, void *, J, J, J, J, J, J, J,
		J, J))through(6, (void *)look_back, "(JJJJJJJJJ)J");

	words[0] = call(NULL, NULL, 1, 2, 3, 4, 5, 6, 7, 8, 9);
	return __builtin_return_address(0);
}

/* By call frame information: look_back, thunk, call_look_back, here. */
static void frames_can_be_unwound(void **state)
{
	J words[8];
	void *here = call_look_back(words);
	int at = 0;

	while (at < frames_found && frames[at] != here)
		at++;
	assert_in_range(at, 3, frames_found - 1);
}

/* ---- many at once ---- */

static J deep(void *env, void *self, J n, J a, J b, J c, J d, J e, J f)
{
	__typeof__(&deep) again = (__typeof__(&deep))native_thunk(3);

	return n == 0 ? a + b + c + d + e + f : 1 + again(env, self, n - 1, a, b, c, d, e, f);
}

static void *recursion(void *argument)
{
	__typeof__(&deep) call = (__typeof__(&deep))native_thunk(3);

	for (int i = 0; i < 100; i++) {
		if (call(&call, NULL, DEEPEST - 1, 1, 2, 3, 4, 5, 6) != DEEPEST - 1 + 21)
			return (void *)"a wrong result";
	}
	if (entered != 100 * DEEPEST || left != entered)
		return (void *)"a wrong number of calls";
	return mismatches ? (void *)"an exit that is not the last entry's" : NULL;
}

static void threads(void **state)
{
	pthread_t thread[4];
	void *result;

	through(3, (void *)deep, "(JJJJJJJ)J");
	for (int i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&thread[i], NULL, recursion, NULL), 0);
	for (int i = 0; i < 4; i++) {
		assert_int_equal(pthread_join(thread[i], &result), 0);
		if (result)
			fail_msg("%s", (char *)result);
	}
}

/* ---- the table ---- */

static void stack_words(void **state)
{
	static const struct {
		int line;
		const char *descriptor;
		uint32_t integers, floats;
	} rows[] = {
		{__LINE__, "()V", 2, 0},
		{__LINE__, "(IJZBCS)V", 8, 0},
		{__LINE__, "(IJZBCSI)V", 9, 0},
		{__LINE__, "([[D[Ljava/lang/String;Ljava/lang/Object;[I)J", 6, 0},
		{__LINE__, "(DDDDDDDF)D", 2, 8},
		{__LINE__, "(FDFDFDFDFDLFoo;D)V", 3, 11},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		uint32_t words = 0;

		if (rows[i].integers > NATIVE_INTEGER_REGISTERS)
			words += rows[i].integers - NATIVE_INTEGER_REGISTERS;
		if (rows[i].floats > NATIVE_FLOAT_REGISTERS)
			words += rows[i].floats - NATIVE_FLOAT_REGISTERS;
		if (native_stack_words(rows[i].descriptor, NATIVE_LEADING_WORDS) != words)
			fail_msg("row of line %d", rows[i].line);
	}
}

static void thunks_know_themselves(void **state)
{
	assert_true(native_is_thunk(native_thunk(0)));
	assert_true(native_is_thunk(native_thunk(NATIVE_THUNKS - 1)));
	assert_false(native_is_thunk(native_thunk(NATIVE_THUNKS)));
	assert_false(native_is_thunk((void *)few));
}

/* Each has its own record. */
static void every_thunk(void **state)
{
	for (unsigned i = 0; i < NATIVE_THUNKS; i++) {
		__typeof__(&few) call = (__typeof__(&few))through(i, (void *)few, "()J");

		assert_int_equal(call(&entered, NULL), -5);
		assert_ptr_equal(inside[0].record, &native_records[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(arguments, begin, end),
		cmocka_unit_test_setup_teardown(what_is_turned_away_has_no_exit, begin, end),
		cmocka_unit_test_setup_teardown(every_number_of_words, begin, end),
		cmocka_unit_test_setup_teardown(registers_are_kept, begin, end),
		cmocka_unit_test_setup_teardown(frames_can_be_unwound, begin, end),
		cmocka_unit_test(threads),
		cmocka_unit_test(stack_words),
		cmocka_unit_test(thunks_know_themselves),
		cmocka_unit_test_setup_teardown(every_thunk, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

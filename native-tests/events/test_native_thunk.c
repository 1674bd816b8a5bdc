/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* native_thunk: every argument and result passes through, whatever enter and exit do to
 * registers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "agent/events/native_thunk.h"

static __thread int entered, left;
static __thread bool turned_away;
static __thread const struct native_record *last;
static __thread void *last_env;

/* Overwrites what a called function may. */
static void spoil_registers(void)
{
#ifdef __x86_64__
	__asm__ volatile("pcmpeqd %%xmm0, %%xmm0; movdqa %%xmm0, %%xmm1; movdqa %%xmm0, %%xmm2;"
			 "movdqa %%xmm0, %%xmm3; movdqa %%xmm0, %%xmm4; movdqa %%xmm0, %%xmm5;"
			 "movdqa %%xmm0, %%xmm6; movdqa %%xmm0, %%xmm7; mov $-1, %%rax;"
			 "mov %%rax, %%rdi; mov %%rax, %%rsi; mov %%rax, %%rdx; mov %%rax, %%rcx;"
			 "mov %%rax, %%r8; mov %%rax, %%r9; mov %%rax, %%r10; mov %%rax, %%r11" ::
				 : "rax", "rdi", "rsi", "rdx", "rcx", "r8", "r9", "r10", "r11",
			 "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7");
#else
	__asm__ volatile("mov x0, #-1; mov x1, x0; mov x2, x0; mov x3, x0; mov x4, x0; mov x5, x0;"
			 "mov x6, x0; mov x7, x0; mov x9, x0; mov x10, x0; mov x11, x0; mov x12, x0;"
			 "fmov d0, x0; fmov d1, x0; fmov d2, x0; fmov d3, x0; fmov d4, x0;"
			 "fmov d5, x0; fmov d6, x0; fmov d7, x0" ::
				 : "x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x9", "x10", "x11",
			 "x12", "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7");
#endif
}

bool native_thunk_enter(const struct native_record *record, void *jni)
{
	entered++;
	last = record;
	last_env = jni;
	spoil_registers();
	return !turned_away;
}

void native_thunk_exit(const struct native_record *record, void *jni)
{
	left++;
	assert_ptr_equal(record, last);
	assert_ptr_equal(jni, last_env);
	spoil_registers();
}

static void *through(unsigned number, void *original, const char *descriptor)
{
	native_records[number] = (struct native_record){
		original, number + 7, native_stack_words(descriptor, NATIVE_LEADING_WORDS)};
	return native_thunk(number);
}

typedef int64_t J;
typedef double D;
typedef float F;
typedef int32_t I;

static J few(void *env, void *self)
{
	(void)self;
	return env == &entered ? -5 : 0;
}

static J many_integers(void *env, void *self, J a, I b, J c, I d, J e, I f, J g, I h, J i, I j,
	J k, I l, J m, I n, J o)
{
	/* movaps needs what the ABI promises. */
	_Alignas(16) volatile char aligned[16] = {0};

	(void)env;
	(void)self;
	assert_int_equal((uintptr_t)aligned % 16, 0);
	return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + 9 * i + 10 * j +
		11 * k + 12 * l + 13 * m + 14 * n + 15 * o;
}

static D many_floats(void *env, void *self, D a, F b, D c, F d, D e, F f, D g, F h, D i, F j,
	D k)
{
	(void)env;
	(void)self;
	return a + 2 * (D)b + 3 * c + 4 * (D)d + 5 * e + 6 * (D)f + 7 * g + 8 * (D)h + 9 * i +
		10 * (D)j + 11 * k;
}

static F mixed(void *env, void *self, I a, D b, J c, F d, I e, D f, J g, F h, I i, D j, J k, F l,
	I m, D n, J o, F p, D q, D r, J s)
{
	(void)env;
	(void)self;
	return (F)((D)(a + c + e + g + i + k + m + o + s) * 1000 + b + (D)d + f + (D)h + j + (D)l +
		n + (D)p + q + r);
}

static void arguments(void **state)
{
	J (*one)(void *, void *) = (J(*)(void *, void *))through(0, (void *)few, "()J");
	__typeof__(&many_integers) integers = (__typeof__(&many_integers))through(
		1, (void *)many_integers, "(JIJIJIJIJIJIJIJ)J");
	__typeof__(&many_floats) floats = (__typeof__(&many_floats))through(
		2, (void *)many_floats, "(DFDFDFDFDFD)D");
	__typeof__(&mixed) both = (__typeof__(&mixed))through(
		NATIVE_THUNKS - 1, (void *)mixed, "(IDJFIDJFIDJFIDJFDDJ)F");

	(void)state;
	for (int away = 0; away < 2; away++) {
		entered = left = 0;
		turned_away = away;
		assert_int_equal(one(&entered, NULL), -5);
		assert_ptr_equal(last_env, &entered);
		assert_int_equal(last->id, 7);
		assert_int_equal(integers(&left, NULL, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13,
					 14, 15), 1240);
		assert_true(floats(&left, NULL, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11) == 506);
		assert_true(both(&left, NULL, 1, .5, 2, .25f, 3, .5, 4, .25f, 5, .5, 6, .25f, 7,
				    .5, 8, .25f, 1, 2, 9) == 45006.f);
		assert_int_equal(last - native_records, NATIVE_THUNKS - 1);
		assert_int_equal(entered, 4);
		assert_int_equal(left, away ? 0 : 4);
	}
	turned_away = false;
}

static J deep(void *env, void *self, J n, J a, J b, J c, J d, J e, J f)
{
	__typeof__(&deep) again = (__typeof__(&deep))native_thunk(3);

	return n == 0 ? a + b + c + d + e + f
		      : 1 + again(env, self, n - 1, a, b, c, d, e, f);
}

/* Exits come in the order of returns here, so what is remembered of the last differs. */
static void *recursion(void *argument)
{
	__typeof__(&deep) call = (__typeof__(&deep))native_thunk(3);

	(void)argument;
	turned_away = true;
	for (int i = 0; i < 100; i++)
		if (call(NULL, NULL, 1000, 1, 2, 3, 4, 5, 6) != 1021)
			return (void *)1;
	return entered == 100100 ? NULL : (void *)2;
}

static void threads(void **state)
{
	pthread_t thread[4];
	void *result;

	(void)state;
	through(3, (void *)deep, "(JJJJJJJ)J");
	for (int i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&thread[i], NULL, recursion, NULL), 0);
	for (int i = 0; i < 4; i++) {
		assert_int_equal(pthread_join(thread[i], &result), 0);
		assert_null(result);
	}
}

static void stack_words(void **state)
{
	static const struct {
		int line;
		const char *descriptor;
		uint32_t integers, floats;
	} rows[] = {
		{__LINE__, "()V", 2, 0},
		{__LINE__, "(IJZBCS)V", 8, 0},
		{__LINE__, "([[D[Ljava/lang/String;Ljava/lang/Object;[I)J", 6, 0},
		{__LINE__, "(FDFDFDFDFDLFoo;D)V", 3, 11},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		uint32_t words = 0;

		if (rows[i].integers > NATIVE_INTEGER_REGISTERS)
			words += rows[i].integers - NATIVE_INTEGER_REGISTERS;
		if (rows[i].floats > NATIVE_FLOAT_REGISTERS)
			words += rows[i].floats - NATIVE_FLOAT_REGISTERS;
		if (native_stack_words(rows[i].descriptor, 2) != words)
			fail_msg("row of line %d", rows[i].line);
	}
}

static void thunks_know_themselves(void **state)
{
	(void)state;
	assert_true(native_is_thunk(native_thunk(0)));
	assert_true(native_is_thunk(native_thunk(NATIVE_THUNKS - 1)));
	assert_false(native_is_thunk(native_thunk(NATIVE_THUNKS)));
	assert_false(native_is_thunk((void *)few));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(arguments),
		cmocka_unit_test(threads),
		cmocka_unit_test(stack_words),
		cmocka_unit_test(thunks_know_themselves),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

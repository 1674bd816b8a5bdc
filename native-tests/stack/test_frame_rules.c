/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* Each instruction and operation, by a step over a stack whose words are known: a row each. And entries that are
 * broken in some place: no step. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "agent/stack/unwind.h"
#include "native-tests/stack/made_frames.h"
#include "unwind_registers.h"

/* The stack: the word at BASE + 8 * n is 0x1000 + 8 * n, so that it can be read on, up to 64 words. */
enum { BASE = 0x1000, WORDS = 64, PC = 100 };

#define FP     UNWIND_FP
#define SP     UNWIND_SP
#define RA     UNWIND_RETURN
#define BREG   0x70
#define LIT    0x30
#define OFFSET 0x80 /* with a register below 64: its value is at CFA - 8 * n */
#define RETAIN 0xc0 /* restore */
#define LATER  0x40 /* advance_loc */

/* CFA = SP + 16; return address at CFA - 8, FP at CFA - 16. */
static const uint8_t usual[] = {0x0c, SP, 16, OFFSET | RA, 1, OFFSET | FP, 2};

#define PROGRAM(...) .size = sizeof((uint8_t[]){__VA_ARGS__}), .program = {__VA_ARGS__}

/* SP is 0x1100, FP 0x1180 before the step. pc 0: there is no step. */
static const struct {
	const char *what;
	uintptr_t pc, sp, fp; /* behind it */
	size_t size;
	uint8_t program[32];
} rows[] = {
	{"the CIE's", 0x1108, 0x1110, 0x1100, PROGRAM(0)},
	{"def_cfa", 0x1118, 0x1120, 0x1110, PROGRAM(0x0c, SP, 32)},
	{"def_cfa_register", 0x1188, 0x1190, 0x1180, PROGRAM(0x0d, FP)},
	{"def_cfa_offset", 0x1118, 0x1120, 0x1110, PROGRAM(0x0e, 32)},
	{"def_cfa_sf", 0x1118, 0x1120, 0x1110, PROGRAM(0x12, SP, 0x7c)},
	{"def_cfa_offset_sf", 0x1118, 0x1120, 0x1110, PROGRAM(0x13, 0x7c)},
	{"offset", 0x1108, 0x1110, 0x10f8, PROGRAM(OFFSET | FP, 3)},
	{"offset_extended", 0x1108, 0x1110, 0x10f8, PROGRAM(0x05, FP, 3)},
	{"offset_extended_sf", 0x1108, 0x1110, 0x1118, PROGRAM(0x11, FP, 0x7f)},
	{"negative_offset", 0x1108, 0x1110, 0x1118, PROGRAM(0x2f, FP, 1)},
	{"val_offset", 0x1108, 0x1110, 0x10f0, PROGRAM(0x14, FP, 4)},
	{"val_offset_sf", 0x1108, 0x1110, 0x1118, PROGRAM(0x15, FP, 0x7f)},
	{"same_value", 0x1108, 0x1110, 0x1180, PROGRAM(0x08, FP)},
	{"undefined", 0x1108, 0x1110, 0, PROGRAM(0x07, FP)},
	{"register", 0x1108, 0x1110, 0, PROGRAM(0x09, FP, 3)},
	{"of others", 0x1108, 0x1110, 0x1100, PROGRAM(OFFSET | 3, 1, 0x07, 4, 0x09, 1, 2)},
	{"restore", 0x1108, 0x1110, 0x1100, PROGRAM(OFFSET | FP, 3, RETAIN | FP)},
	{"restore_extended", 0x1108, 0x1110, 0x1100, PROGRAM(0x07, RA, 0x06, RA)},
	{"states", 0x1108, 0x1110, 0x1100, PROGRAM(0x0a, 0x0e, 32, 0x0a, 0x07, FP, 0x0b, 0x0b)},
	{"without meaning", 0x1108, 0x1110, 0x1100, PROGRAM(0x2d, 0x2e, 0x90, 1, 0)},
	{"advance_loc", 0x1118, 0x1120, 0x1110,
		PROGRAM(LATER | 60, 0x0e, 8, LATER | 40, 0x0e, 32, LATER | 1, 0x0e, 64)},
	{"advance_loc1", 0x1118, 0x1120, 0x1110,
		PROGRAM(0x02, 100, 0x0e, 32, 0x02, 1, 0x0e, 64)},
	{"advance_loc2", 0x1118, 0x1120, 0x1110,
		PROGRAM(0x03, 100, 0, 0x0e, 32, 0x03, 1, 0, 0x0e, 64)},
	{"advance_loc4", 0x1118, 0x1120, 0x1110,
		PROGRAM(0x04, 100, 0, 0, 0, 0x0e, 32, 0x04, 0, 0, 0, 1, 0x0e, 64)},
	{"LEB128", 0x1108, 0x1110, 0x1100, PROGRAM(0x0e, 0x90, 0x80, 0x80, 0)},
	{"of a realigned stack", 0x1170, 0x1178, 0x1180,
		PROGRAM(0x0f, 3, BREG | FP, 0x78, 0x06, 0x10, FP, 2, BREG | FP, 0)},
	{"of a procedure linkage table, behind its push", 0x1108, 0x1110, 0x1180,
		PROGRAM(0x08, FP, 0x0f, 10, BREG | SP, 8, LIT | 15, LIT | 15, 0x1a, LIT | 11,
			0x2a, LIT | 3, 0x24, 0x22)},
	{"the same, in front of it", 0x1100, 0x1108, 0x1180,
		PROGRAM(0x08, FP, 0x0f, 10, BREG | SP, 8, LIT | 15, LIT | 9, 0x1a, LIT | 11,
			0x2a, LIT | 3, 0x24, 0x22)},
	{"further operations", 0x1108, 0x1110, 0x1100,
		PROGRAM(0x0f, 10, BREG | SP, 0, 0x23, 32, 0x08, 24, 0x1c, 0x09, 8, 0x22)},
	{"val_expression", 0x1108, 0x1110, 0x1118, PROGRAM(0x16, FP, 2, 0x23, 8)},
	{"expression on the CFA", 0x1108, 0x1110, 0x1118, PROGRAM(0x10, FP, 2, 0x23, 8)},

	{"def_cfa_offset behind an expression", 0x1108, 0x1110, 0x1100,
		PROGRAM(0x0f, 2, BREG | SP, 16, 0x0e, 32)},
	{"def_cfa_register behind one", 0x1108, 0x1110, 0x1100,
		PROGRAM(0x0f, 2, BREG | SP, 0, 0x0d, SP)},

	{"no caller", 0, 0, 0, PROGRAM(0x07, RA)},
	{"in another register", 0, 0, 0, PROGRAM(0x09, RA, 3)},
	{"CFA by another register", 0, 0, 0, PROGRAM(0x0c, 3, 16)},
	{"CFA not aligned", 0, 0, 0, PROGRAM(0x0e, 12)},
	{"CFA not above", 0, 0, 0, PROGRAM(0x0e, 0)},
	{"CFA below", 0, 0, 0, PROGRAM(0x13, 1)},
	{"beyond the stack", 0, 0, 0, PROGRAM(0x0e, 0x80, 0x20)},
	{"an unknown instruction", 0, 0, 0, PROGRAM(0x3f)},
	{"no end of a number", 0, 0, 0, PROGRAM(0x0e, 0x80)},
	{"no end of an expression", 0, 0, 0, PROGRAM(0x0f, 2, BREG | SP)},
	{"an empty expression", 0, 0, 0, PROGRAM(0x0f, 0)},
	{"an unknown operation", 0, 0, 0, PROGRAM(0x0f, 1, 0x01)},
	{"nothing to add", 0, 0, 0, PROGRAM(0x0f, 2, LIT | 1, 0x22)},
	{"too many values", 0, 0, 0,
		PROGRAM(0x0f, 9, LIT, LIT, LIT, LIT, LIT, LIT, LIT, LIT, LIT)},
	{"no state to restore", 0, 0, 0, PROGRAM(0x0b)},
	{"too many states", 0, 0, 0, PROGRAM(0x0a, 0x0a, 0x0a, 0x0a, 0x0a)},
};

static bool read_word(const void *user, uintptr_t address, uintptr_t *word)
{
	if (address % sizeof(*word) != 0 || address < BASE ||
		address >= BASE + WORDS * sizeof(*word))
		return false;
	*word = address;
	return true;
}

static const struct unwind_memory memory = {read_word, NULL};

/* LIT | 15 and LIT | 9 overlap with bits of LIT: see the rows; the code's PC is 100 behind its begin. */
static struct native_frame begin_frame(const struct made_frames *made)
{
	return (struct native_frame){
		.pc = made->module.begin + PC, .sp = 0x1100, .fp = 0x1180, .link = 0x1230};
}

static void test_rows(void **state)
{
	struct made_frames made;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct native_frame frame;
		bool stepped;

		made_frames_init(
			&made, "zR", usual, sizeof(usual), rows[i].program, rows[i].size);
		frame = begin_frame(&made);
		stepped = unwind_step(&made.modules, &memory, &frame, true);
		if (stepped != (rows[i].pc != 0) ||
			(stepped && (frame.pc != rows[i].pc || frame.sp != rows[i].sp ||
					    frame.fp != rows[i].fp)))
			fail_msg("%s: %d, pc %#lx, sp %#lx, fp %#lx", rows[i].what, stepped,
				frame.pc, frame.sp, frame.fp);
	}
}

/* The pc of callers is behind their call: one less counts, but not behind a signal. */
static void test_callers(void **state)
{
	static const uint8_t program[] = {0x02, PC, 0x0e, 32};
	struct made_frames made;
	struct native_frame frame;

	made_frames_init(&made, "zR", usual, sizeof(usual), program, sizeof(program));
	frame = begin_frame(&made);
	assert_true(unwind_step(&made.modules, &memory, &frame, false));
	assert_int_equal(frame.sp, 0x1110);
	frame = begin_frame(&made);
	frame.interrupted = true;
	assert_true(unwind_step(&made.modules, &memory, &frame, false));
	assert_int_equal(frame.sp, 0x1120);
	assert_false(frame.interrupted);

	made_frames_init(&made, "zRS", usual, sizeof(usual), program, sizeof(program));
	frame = begin_frame(&made);
	assert_true(unwind_step(&made.modules, &memory, &frame, true));
	assert_true(frame.interrupted);
}

/* On arm64 a function that calls nothing leaves its return address where it came. */
static void test_link(void **state)
{
	static const uint8_t program[] = {0x0e, 0, 0x08, RA, 0x08, FP};
	struct made_frames made;
	struct native_frame frame;

	made_frames_init(&made, "zR", usual, sizeof(usual), program, sizeof(program));
	frame = begin_frame(&made);
	assert_int_equal(unwind_step(&made.modules, &memory, &frame, true), UNWIND_HAS_LINK);
	assert_int_equal(frame.pc, UNWIND_HAS_LINK ? 0x1230 : made.module.begin + PC);
	assert_int_equal(frame.sp, 0x1100);
	frame = begin_frame(&made);
	assert_false(unwind_step(&made.modules, &memory, &frame, false));
}

static void test_letters(void **state)
{
	static const struct {
		const char *letters;
		bool known;
	} kinds[] = {{"zR", true}, {"zPLR", true}, {"", true}, {"zRB", true}, {"zLR", true},
		{"eh", false}, {"zRX", false}};
	struct made_frames made;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		struct native_frame frame;

		made_frames_init(&made, kinds[i].letters, usual, sizeof(usual), NULL, 0);
		frame = begin_frame(&made);
		if (unwind_step(&made.modules, &memory, &frame, true) != kinds[i].known)
			fail_msg("'%s'", kinds[i].letters);
	}
}

/* Where the table has nothing for a pc, the chain of frames leads on: sp = fp + 16. */
static void test_nothing(void **state)
{
	struct made_frames made;
	struct native_frame frame;

	made_frames_init(&made, "zR", usual, sizeof(usual), NULL, 0);
	made.module.end += 100;
	frame = begin_frame(&made);
	frame.pc = made.module.begin + MADE_CODE;
	assert_true(unwind_step(&made.modules, &memory, &frame, true));
	assert_int_equal(frame.sp, 0x1190);
	assert_int_equal(frame.pc, 0x1188);
	assert_int_equal(frame.fp, 0x1180);
	/* Its other kinds of table are not known, nor is a file without. */
	for (int i = 0; i < 3; i++) {
		made_frames_init(&made, "zR", usual, sizeof(usual), NULL, 0);
		if (i == 0)
			made.bytes[3] = 0x1b;
		else if (i == 1)
			made.module.frame_header = NULL;
		else
			made.module.frame_header_size = 16;
		frame = begin_frame(&made);
		assert_true(unwind_step(&made.modules, &memory, &frame, true));
		assert_int_equal(frame.sp, 0x1190);
	}
}

/* Every byte of the entries changed to several others, and the end at each place: nothing is read
 * outside, as the address sanitizer sees; what comes of it is any frame or none. */
static void test_broken(void **state)
{
	static const uint8_t values[] = {0, 1, 0x7f, 0x80, 0xff};
	struct made_frames made;

	for (size_t at = 0;; at++) {
		made_frames_init(&made, "zPLR", usual, sizeof(usual), usual, sizeof(usual));
		if (at == made.size)
			break;
		for (size_t i = 0; i < sizeof(values); i++) {
			struct native_frame frame = begin_frame(&made);

			made.bytes[at] = values[i];
			unwind_step(&made.modules, &memory, &frame, true);
		}
		made_frames_init(&made, "zPLR", usual, sizeof(usual), usual, sizeof(usual));
		if (at >= made.header) {
			struct native_frame frame = begin_frame(&made);

			made.module.readable_end = made.bytes + at;
			assert_false(unwind_step(&made.modules, &memory, &frame, true));
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_callers),
		cmocka_unit_test(test_link),
		cmocka_unit_test(test_letters),
		cmocka_unit_test(test_nothing),
		cmocka_unit_test(test_broken),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

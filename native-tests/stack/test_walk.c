/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* walk: stacks of a made-up JVM, frame by frame, from every kind of code; and stacks that are broken. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "agent/stack/known_keys.h"
#include "agent/stack/known_places.h"
#include "native-tests/stack/fake_jvm.h"

enum { ROOM = 64, WORD = sizeof(uintptr_t) };

static struct fake_jvm *jvm;
static struct walker walker;
/* Methods, by their names. */
static uintptr_t a, b, c, native;
/* Compiled code: of a, with b inlined at the return of its call; of b; the wrapper of `native`. */
static uintptr_t code_a, code_b, wrapper;
static struct fake_code made_a;

/* ---- a JVM with some methods ---- */

static uintptr_t add_method(const char *name, uint16_t code_size)
{
	const struct fake_method made = {"acme/A", name, "()V", code_size, NULL, NULL};

	return fake_method_add(jvm, &made);
}

static uintptr_t add_code(struct fake_code *made, const char *name)
{
	made->name = name;
	made->bytes = fake_java_bytes;
	made->size = fake_java_size;
	made->frame_words = FAKE_JAVA_WORDS;
	made->frame_complete = fake_java_complete;
	return fake_code_add(jvm, made);
}

static void add_java(void)
{
	static const struct fake_scope scopes_a[] = {
		{-1, 0, -1}, {-1, 0, 7}, {1, 1, 3}, {-1, 0, 20}, {.bci = -2}};
	static const struct fake_scope scopes_b[] = {{-1, 0, 1}, {.bci = -2}};
	const struct fake_place places_a[] = {
		{2, 0}, {fake_java_return, 2}, {fake_java_return + 4, 3}, {-1, 0}};
	const struct fake_place places_b[] = {{fake_java_return, 0}, {-1, 0}};
	struct fake_code made_b = {
		.method = {b}, .level = 3, .scope = scopes_b, .place = places_b};
	struct fake_code made_native = {.method = {native}};

	made_a = (struct fake_code){.method = {a, b},
		.level = 4,
		.scope = scopes_a,
		.place = places_a,
		.original_pc = 8};
	code_a = add_code(&made_a, "nmethod");
	made_a.scope = NULL;
	made_a.place = NULL;
	code_b = add_code(&made_b, "nmethod");
	wrapper = add_code(&made_native, "native nmethod");
}

static int create(void **state)
{
	static int form;

	jvm = fake_jvm_create((enum fake_form)(form++ % FAKE_FORMS));
	if (!jvm)
		return -1;
	walker = (struct walker){.vm = &jvm->layout,
		.seen = seen_methods_create(&jvm->layout),
		.known = known_places_create(),
		.keys = known_keys_create(true)};
	a = add_method("a", 100);
	b = add_method("b", 100);
	c = add_method("c", 100);
	native = add_method("native", 0);
	add_java();
	return walker.seen && walker.known && walker.keys ? 0 : -1;
}

static int destroy(void **state)
{
	seen_methods_destroy(walker.seen);
	known_places_destroy(walker.known);
	known_keys_destroy(walker.keys);
	fake_jvm_destroy(jvm);
	return 0;
}

/* ---- what is walked, as text ---- */

/* KIND:NAME@BCI of Java's frames: interpreted, c1, c4 by its level, + inlined, native; of others s(tub), N(ative). */
static const char *text_of(const struct stack_frame *frame, unsigned count, enum walk_end end)
{
	static char text[2048];
	size_t used = 0;

	text[0] = '\0';
	for (unsigned i = 0; i < count; i++) {
		struct seen_names names = {0};
		char kind[8];

		snprintf(kind, sizeof(kind), "c%d", frame[i].level);
		if (frame_is_java(&frame[i]))
			assert_true(seen_method_names(
				walker.seen, (uint32_t)frame[i].what, &names));
		else
			assert_int_equal(frame[i].bci, -1);
		used += (size_t)snprintf(text + used, sizeof(text) - used,
			frame_is_java(&frame[i]) ? "%s:%.*s@%d " : "%s ",
			frame[i].kind == FRAME_INTERPRETED   ? "i"
			: frame[i].kind == FRAME_COMPILED    ? kind
			: frame[i].kind == FRAME_INLINED     ? "+"
			: frame[i].kind == FRAME_JAVA_NATIVE ? "n"
			: frame[i].kind == FRAME_STUB        ? "s"
							     : "N",
			names.name_length, names.name ? names.name : "", frame[i].bci);
	}
	snprintf(text + used, sizeof(text) - used, "%s", walk_end_names[end]);
	return text;
}

static const char *walk_once(const struct machine *machine)
{
	struct stack_frame frame[ROOM];
	struct walk_thread thread = fake_thread(jvm);
	enum walk_end end = WALK_ENDS;
	unsigned count = walk_stack(&walker, &thread, machine, frame, ROOM, &end);

	assert_true(end < WALK_ENDS);
	return text_of(frame, count, end);
}

/* Twice, as places of compiled code are known the second time: it says the same. */
static const char *walk_from(struct machine machine)
{
	char first[2048];

	snprintf(first, sizeof(first), "%s", walk_once(&machine));
	assert_string_equal(walk_once(&machine), first);
	return walk_once(&machine);
}

static const char *walk_now(void)
{
	return walk_from(jvm->now);
}

/* ---- interpreted frames ---- */

static void test_interpreted(void **state)
{
	struct machine machine;

	fake_enter_stub(jvm);
	fake_enter_interpreted(jvm, a, 5);
	fake_enter_interpreted(jvm, b, 99);
	fake_enter_interpreted(jvm, c, 0);
	machine = jvm->now;
	assert_string_equal(walk_from(machine), "i:c@0 i:b@99 i:a@5 whole");
	/* What it is about to interpret is in a register, unless that has something else. */
	machine.bytecode = seen_method_code(walker.seen, seen_method(walker.seen, c)) + 42;
	assert_string_equal(walk_from(machine), "i:c@42 i:b@99 i:a@5 whole");
	machine.bytecode += 58;
	assert_string_equal(walk_from(machine), "i:c@0 i:b@99 i:a@5 whole");
}

/* A native method that was called from the interpreter has no bytecodes. */
static void test_interpreted_native(void **state)
{
	fake_enter_stub(jvm);
	fake_enter_interpreted(jvm, a, 5);
	fake_enter_interpreted(jvm, native, 0);
	assert_string_equal(walk_now(), "n:native@-1 i:a@5 whole");
}

/* A method is entered, from compiled code, and its frame is not there. */
static void test_interpreter_entry(void **state)
{
	struct machine machine;
	uintptr_t *sp;

	fake_enter_stub(jvm);
	fake_enter_compiled(jvm, code_b, fake_java_return, FAKE_JAVA_WORDS);
	machine = jvm->now;
	sp = (uintptr_t *)machine.sp;
	sp[-1] = machine.link = machine.pc;
	machine.caller_sp = machine.sp;
	machine.sp -= WORD;
	machine.pc = jvm->interpreter + 500;
	machine.method = a;
	assert_string_equal(walk_from(machine), "i:a@-1 c3:b@1 whole");
	/* Its arguments are in between. */
	machine.sp -= 3 * WORD;
	sp[-4] = sp[-1];
	sp[-1] = 0;
	assert_string_equal(walk_from(machine), "i:a@-1 c3:b@1 whole");
	machine.method = 4096;
	assert_string_equal(walk_from(machine), "method");
	/* The method, but no return address. */
	machine.method = a;
	sp[-4] = machine.link = 77;
	machine.fp = 0;
	assert_string_equal(walk_from(machine), "i:a@-1 return");
}

static void test_unpacking(void **state)
{
	fake_enter_stub(jvm);
	fake_enter_interpreted(jvm, a, 5);
	fake_enter_compiled(jvm, code_b, fake_java_return, FAKE_JAVA_WORDS);
	*(uintptr_t *)(jvm->java + jvm->layout.thread_unpacking) = 1;
	assert_string_equal(walk_now(), "c3:b@1 deopt");
}

/* ---- compiled frames ---- */

static void test_compiled(void **state)
{
	fake_enter_stub(jvm);
	fake_enter_interpreted(jvm, c, 9);
	fake_enter_compiled(jvm, code_a, fake_java_return, FAKE_JAVA_WORDS);
	fake_enter_compiled(jvm, code_b, fake_java_return, FAKE_JAVA_WORDS);
	fake_enter_compiled(jvm, code_a, fake_java_return + 4, FAKE_JAVA_WORDS);
	assert_string_equal(walk_now(), "c4:a@20 c3:b@1 +:b@3 c4:a@7 i:c@9 whole");
}

/* The innermost frame, at each instruction of a prologue, of the code, of an epilogue. Its caller is interpreted, and is
 * found by its frame pointer: it has to be found as well. */
static void test_instructions(void **state)
{
	for (size_t i = 0; i < fake_java_step_count; i++) {
		const struct fake_step *step = &fake_java_steps[i];
		struct machine machine;
		const char *text;
		uintptr_t *sp;

		fake_stack_clear(jvm);
		fake_enter_stub(jvm);
		fake_enter_interpreted(jvm, c, 9);
		machine = jvm->now;
		sp = (uintptr_t *)machine.sp;
		machine.sp -= step->part.words * WORD;
		sp[-1] = sp[-2] = 1;
		if (step->part.linked)
			machine.link = machine.pc;
		else
			sp[-1] = machine.pc;
		if (step->part.words >= 2 && !step->part.linked) {
			sp[-2] = machine.fp;
			machine.fp = 1;
		}
		machine.pc = code_b + (uintptr_t)step->offset;
		text = walk_from(machine);
		if (strcmp(text, step->offset > fake_java_return ? "c3:b@-1 i:c@9 whole"
								 : "c3:b@1 i:c@9 whole") != 0)
			fail_msg("at %d: %s", step->offset, text);
	}
}

/* An intrinsic has put some words on top of the frame. */
static void test_shifted(void **state)
{
	fake_enter_stub(jvm);
	fake_enter_compiled(jvm, code_a, fake_java_return, FAKE_JAVA_WORDS);
	fake_enter_compiled(jvm, code_b, fake_java_return, FAKE_JAVA_WORDS + 3);
	assert_string_equal(walk_now(), "c3:b@1 +:b@3 c4:a@7 whole");
	/* Nowhere is a return address. */
	jvm->now.sp = (uintptr_t)jvm->stack;
	assert_string_equal(walk_now(), "c3:b@1 return");
}

/* Frames of a return to where they are to be interpreted from: the address is in the frame. */
static void test_deopt(void **state)
{
	for (int i = 0; i < 2; i++) {
		uintptr_t *frame;

		fake_stack_clear(jvm);
		fake_enter_stub(jvm);
		fake_enter_interpreted(jvm, c, 9);
		fake_enter_compiled(jvm, code_a, 0, FAKE_JAVA_WORDS);
		frame = (uintptr_t *)jvm->now.sp;
		frame[1] = code_a + (uintptr_t)fake_java_return + 4;
		jvm->now.pc = fake_code_handler(&made_a, code_a, i == 1);
		fake_enter_compiled(jvm, code_b, fake_java_return, FAKE_JAVA_WORDS);
		assert_string_equal(walk_now(), "c3:b@1 c4:a@20 i:c@9 whole");
	}
}

/* The same, so near to the stack's end that the address would be beyond. */
static void test_deopt_bounds(void **state)
{
	struct walk_thread thread = fake_thread(jvm);
	struct stack_frame frame[ROOM];
	uintptr_t *top = jvm->stack + FAKE_STACK_WORDS;
	enum walk_end end;
	unsigned count;

	jvm->now.pc = code_b + (uintptr_t)fake_java_return;
	jvm->now.sp = (uintptr_t)(top - FAKE_JAVA_WORDS - 1);
	memset(top - 7, 0, 7 * sizeof(*top));
	top[-2] = fake_code_handler(&made_a, code_a, false);
	/* As an innermost frame it is not believed; one that left Java is what it is. */
	assert_string_equal(walk_now(), "c3:b@1 return");
	fake_leave_java(jvm);
	count = walk_java(&walker, &thread, (uintptr_t)jvm->stack, frame, ROOM, &end);
	assert_string_equal(text_of(frame, count, end), "c3:b@1 bounds");
}

/* ---- native methods, stubs ---- */

#ifdef __x86_64__

/* A wrapper begins with a look at the receiver's class. Behind that its prologue is as that of other code, also where words
 * of the caller's look like return addresses. */
static void test_wrapper_prologue(void **state)
{
	/* mov r10d, [rsi + 8]; nop; mov [rsp - 81920], eax; push rbp; mov rbp, rsp; sub rsp, 64 */
	static const uint8_t bytes[64] = {0x44, 0x8b, 0x56, 0x08, 0x90, 0x90, 0x90, 0x90, 0x89,
		0x84, 0x24, 0x00, 0xc0, 0xfe, 0xff, 0x55, 0x48, 0x8b, 0xec, 0x48, 0x83, 0xec,
		0x40};
	static const struct {
		uint32_t at, pushed;
	} rows[] = {{8, 1}, {15, 1}, {16, 2}, {19, 2}};
	const struct fake_code code = {.name = "native nmethod",
		.bytes = bytes,
		.size = sizeof(bytes),
		.frame_words = FAKE_JAVA_WORDS,
		.frame_complete = 23,
		.entry = 8,
		.method = {native}};
	uintptr_t begin = fake_code_add(jvm, &code);

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		uintptr_t *sp, decoy = code_a + (uintptr_t)fake_java_return;

		fake_stack_clear(jvm);
		fake_enter_stub(jvm);
		fake_enter_interpreted(jvm, c, 9);
		fake_enter_compiled(jvm, code_a, fake_java_return, FAKE_JAVA_WORDS);
		fake_enter_compiled(jvm, code_b, fake_java_return, FAKE_JAVA_WORDS);
		sp = (uintptr_t *)jvm->now.sp;
		/* There is no room for them where it has the caller's frame pointer. */
		if (rows[i].pushed == 2) {
			sp[FAKE_JAVA_WORDS - 3] = decoy;
			sp[2 * FAKE_JAVA_WORDS - 3] = decoy;
		}
		sp[-1] = jvm->now.pc;
		sp[-2] = jvm->now.fp;
		jvm->now.sp = (uintptr_t)(sp - rows[i].pushed);
		jvm->now.pc = begin + rows[i].at;
		assert_string_equal(walk_now(), "n:native@-1 c3:b@1 +:b@3 c4:a@7 i:c@9 whole");
	}
}

#endif

static void test_wrapper(void **state)
{
	fake_enter_stub(jvm);
	fake_enter_interpreted(jvm, c, 9);
	fake_enter_compiled(jvm, wrapper, fake_java_return, FAKE_JAVA_WORDS);
	fake_leave_java(jvm);
	fake_enter_native(jvm);
	fake_enter_native(jvm);
	assert_string_equal(walk_now(), "N N n:native@-1 i:c@9 whole");
	/* The chain of frames is broken: the anchor leads on. */
	jvm->now.fp = 1;
	assert_string_equal(walk_now(), "N n:native@-1 i:c@9 whole");
}

/* Of a virtual thread the frames end where it was mounted. */
static void test_continuation(void **state)
{
	uintptr_t pc = wrapper + (uintptr_t)fake_java_return;

	jvm->layout.continuation_return = &pc;
	fake_enter_stub(jvm);
	fake_enter_compiled(jvm, wrapper, fake_java_return, FAKE_JAVA_WORDS);
	fake_enter_interpreted(jvm, a, 5);
	assert_string_equal(walk_now(), "i:a@5 virtual");
}

/* Stubs, the tables of virtual methods, and adapters have no frame, or one by the frame pointer. */
static void test_stubs(void **state)
{
	static const struct {
		int line;
		const char *name;
		int32_t words;
		uint32_t pushed; /* between sp and the return address */
		bool by_pointer;
		const char *expected;
	} rows[] = {
		{__LINE__, "StubRoutines (1)", 0, 0, false, "s c3:b@1 i:c@9 whole"},
		{__LINE__, "StubRoutines (1)", 0, 7, true, "s c3:b@1 i:c@9 whole"},
		{__LINE__, "StubRoutines (1)", 0, 7, false, "s code"},
		{__LINE__, "vtable chunks", 0, 0, false, "s c3:b@1 i:c@9 whole"},
		{__LINE__, "I2C/C2I adapters", 0, 0, false, "s c3:b@1 i:c@9 whole"},
		{__LINE__, "_new_instance_Java", 8, 7, false, "s c3:b@1 i:c@9 whole"},
		{__LINE__, "StubRoutines (continuation stubs)", 0, 0, false, "code"},
		{__LINE__, NULL, 0, 0, false, "s c3:b@1 i:c@9 whole"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const struct fake_code stub = {.name = rows[i].name,
			.bytes = fake_java_bytes,
			.size = fake_java_size,
			.frame_words = rows[i].words,
			.frame_complete = -1};
		uintptr_t begin = fake_code_add(jvm, &stub);
		struct machine machine;
		const char *text;
		uintptr_t *sp;

		fake_stack_clear(jvm);
		fake_enter_stub(jvm);
		fake_enter_interpreted(jvm, c, 9);
		fake_enter_compiled(jvm, code_b, fake_java_return, FAKE_JAVA_WORDS);
		machine = jvm->now;
		sp = (uintptr_t *)machine.sp;
		machine.sp -= (rows[i].pushed + 1) * WORD;
		memset((void *)machine.sp, 0, (rows[i].pushed + 1) * WORD);
		sp[-1] = machine.pc;
		sp[-2] = rows[i].pushed > 0 ? machine.fp : 0;
		machine.fp = rows[i].by_pointer                 ? (uintptr_t)(sp - 2)
			     : rows[i].words || !rows[i].pushed ? machine.fp
								: 0;
		machine.pc = begin + 8;
		text = walk_from(machine);
		if (strcmp(text, rows[i].expected) != 0)
			fail_msg("row of line %d: %s", rows[i].line, text);
	}
}

#ifdef __x86_64__

enum { NOWHERE = -100 };

/* An adapter moves the stack, and a word that looks like a return address may be on top: at each instruction it is known where
 * the right one is. */
static void test_adapter(void **state)
{
	static const struct {
		int line;
		uint8_t bytes[32]; /* from the instruction on; then padding */
		/* Words from the top to the caller's stack; behind the return address, but where that is in a
		 * register, or farther up. What looks like one is everywhere in between. */
		int caller;
		int address;
		int register_sp; /* what caller_sp says: words from the top */
		bool popped;
	} rows[] = {
		/* Arguments of an interpreted caller: mov rsi, [rax + 8]; jmp r11. It was aligned. */
		{__LINE__, {0x48, 0x8b, 0x70, 0x08, 0x41, 0xff, 0xe3}, 3, 0, 3, false},
		/* pop rax; and rsp, -16; push rax; jmp r11 */
		{__LINE__, {0x58, 0x48, 0x83, 0xe4, 0xf0, 0x50, 0x41, 0xff, 0xe3}, 1, 0, 1,
			false},
		{__LINE__, {0x48, 0x83, 0xe4, 0xf0, 0x50, 0x41, 0xff, 0xe3}, 0, NOWHERE, 0,
			true},
		{__LINE__, {0x50, 0x41, 0xff, 0xe3}, 1, NOWHERE, 1, true},
		/* Of a compiled one, in the interpreter's order: mov [rsp + 8], rsi; jmp rcx. */
		{__LINE__, {0x48, 0x89, 0x74, 0x24, 0x08, 0xff, 0xe1}, 40, 0, 40, false},
		/* Room for them: lea r13, [rsp + 8]; pop rax; sub rsp, 48; push rax; jmp rcx. */
		{__LINE__,
			{0x4c, 0x8d, 0x6c, 0x24, 0x08, 0x58, 0x48, 0x83, 0xec, 0x30, 0x50, 0xff,
				0xe1},
			1, 0, 9, false},
		{__LINE__, {0x58, 0x48, 0x83, 0xec, 0x30, 0x50, 0xff, 0xe1}, 1, 0, 1, false},
		{__LINE__, {0x48, 0x83, 0xec, 0x30, 0x50, 0xff, 0xe1}, 0, NOWHERE, 0, true},
		{__LINE__, {0x50, 0xff, 0xe1}, 6, NOWHERE, 6, true},
		/* As in JDK 17: pop rax; mov r13, rsp; sub rsp, 48; mov [rsp], rax; jmp rcx. */
		{__LINE__,
			{0x58, 0x4c, 0x8b, 0xec, 0x48, 0x83, 0xec, 0x30, 0x48, 0x89, 0x04, 0x24,
				0xff, 0xe1},
			1, 0, 9, false},
		{__LINE__, {0x48, 0x83, 0xec, 0x30, 0x48, 0x89, 0x04, 0x24, 0xff, 0xe1}, 0,
			NOWHERE, 0, true},
		{__LINE__, {0x48, 0x89, 0x04, 0x24, 0xff, 0xe1}, 6, NOWHERE, 6, true},
		/* A barrier in front of it, far from it: the register is of another call. Of its own
		 * words, sub rsp, 16; add rsp, 16, none is there yet; or both are. */
		{__LINE__,
			{0x48, 0x83, 0xec, 0x10, 0x48, 0x83, 0xc4, 0x10, 0x41, 0xff, 0xe2, 0x4c,
				0x8b, 0xec, 0xff, 0xe1},
			1, 0, 9, false},
		{__LINE__,
			{0x90, 0x48, 0x81, 0xc4, 0x10, 0, 0, 0, 0x4c, 0x8b, 0xec, 0xff, 0xe1},
			3, 2, 9, false},
		/* It saves registers to call the JVM, or has them again: mov r13, [rsp + 16]; mov rsp, r13. */
		{__LINE__,
			{0x9c, 0x48, 0x83, 0xec, 0x08, 0x4c, 0x8b, 0x6c, 0x24, 0x10, 0x49, 0x8b,
				0xe5},
			90, 89, 89, false},
		{__LINE__, {0x9d, 0x49, 0x8b, 0xe5, 0x4c, 0x8b, 0xec}, 4, 3, 3, false},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		uint8_t bytes[96] = {[1] = 0x90};
		const struct fake_code stub = {
			.name = "I2C/C2I adapters", .bytes = bytes, .size = sizeof(bytes)};
		struct machine machine;
		const char *text;
		uintptr_t *sp;

		memcpy(bytes + 16, rows[i].bytes, sizeof(rows[i].bytes));
		fake_stack_clear(jvm);
		fake_enter_stub(jvm);
		fake_enter_interpreted(jvm, c, 9);
		fake_enter_compiled(jvm, code_a, fake_java_return, FAKE_JAVA_WORDS);
		fake_enter_compiled(jvm, code_b, fake_java_return, FAKE_JAVA_WORDS);
		machine = jvm->now;
		machine.sp -= (uintptr_t)rows[i].caller * WORD;
		sp = (uintptr_t *)machine.sp;
		/* It leads to frames that there are not. */
		for (int word = 0; word < rows[i].caller; word++)
			sp[word] = code_a + fake_java_return;
		if (rows[i].address != NOWHERE)
			sp[rows[i].address] = machine.pc;
		machine.popped = rows[i].popped ? machine.pc : 1;
		machine.caller_sp = machine.sp + (uintptr_t)rows[i].register_sp * WORD;
		machine.pc = fake_code_add(jvm, &stub) + 16;
		text = walk_from(machine);
		if (strcmp(text, "s c3:b@1 +:b@3 c4:a@7 i:c@9 whole") != 0)
			fail_msg("row of line %d: %s", rows[i].line, text);
	}
}

/* What an adapter calls has used its registers: the caller's stack is where it has saved it. */
static void test_adapter_calls(void **state)
{
	/* call; add rsp, 256; mov r13, [rsp + 16]; mov rsp, r13; lea r13, [rsp + 8]; jmp rcx */
	static const uint8_t bytes[64] = {[16] = 0xe8,
		[21] = 0x48,
		0x81,
		0xc4,
		0x00,
		0x01,
		0x00,
		0x00,
		[28] = 0x4c,
		0x8b,
		0x6c,
		0x24,
		0x10,
		[33] = 0x49,
		0x8b,
		0xe5,
		[36] = 0x4c,
		0x8d,
		0x6c,
		0x24,
		0x08,
		[41] = 0xff,
		0xe1};
	const struct fake_code stub = {
		.name = "I2C/C2I adapters", .bytes = bytes, .size = sizeof(bytes)};
	uintptr_t begin = fake_code_add(jvm, &stub);
	uintptr_t *sp;

	fake_enter_stub(jvm);
	fake_enter_interpreted(jvm, c, 9);
	fake_enter_compiled(jvm, code_b, fake_java_return, FAKE_JAVA_WORDS);
	sp = (uintptr_t *)jvm->now.sp;
	sp[-1] = jvm->now.pc;
	sp -= 60;
	memset(sp, 0, 50 * WORD);
	sp[32 + 2] = (uintptr_t)(sp + 59);
	jvm->now.sp = (uintptr_t)sp;
	jvm->now.pc = begin + 21;
	fake_enter_native(jvm);
	assert_string_equal(walk_now(), "N c3:b@1 i:c@9 whole");
}

#else

/* While arguments are moved the caller's stack is where a register says. */
static void test_adapter(void **state)
{
	static const uint8_t bytes[64];
	const struct fake_code stub = {
		.name = "I2C/C2I adapters", .bytes = bytes, .size = sizeof(bytes)};
	uintptr_t begin = fake_code_add(jvm, &stub);
	struct machine machine;

	fake_enter_stub(jvm);
	fake_enter_interpreted(jvm, c, 9);
	fake_enter_compiled(jvm, code_b, fake_java_return, FAKE_JAVA_WORDS);
	machine = jvm->now;
	machine.caller_sp = machine.sp;
	machine.sp -= 5 * WORD;
	machine.popped = machine.pc;
	machine.pc = begin + 8;
	assert_string_equal(walk_from(machine), "s c3:b@1 i:c@9 whole");
}

/* What it calls has used its registers: it has a frame by the frame pointer. */
static void test_adapter_calls(void **state)
{
	/* blr x8; ldp x29, x30, [sp], #16; mov x19, sp; br x8 */
	static const uint32_t words[16] = {
		[4] = 0xd63f0100, 0xa8c17bfd, 0x910003f3, 0xd61f0100};
	const struct fake_code stub = {.name = "I2C/C2I adapters",
		.bytes = (const uint8_t *)words,
		.size = sizeof(words)};
	uintptr_t begin = fake_code_add(jvm, &stub);
	uintptr_t *sp;

	fake_enter_stub(jvm);
	fake_enter_interpreted(jvm, c, 9);
	fake_enter_compiled(jvm, code_b, fake_java_return, FAKE_JAVA_WORDS);
	sp = (uintptr_t *)jvm->now.sp;
	sp[-1] = jvm->now.pc;
	sp[-2] = jvm->now.fp;
	memset(sp - 60, 0, 58 * WORD);
	jvm->now.fp = (uintptr_t)(sp - 2);
	jvm->now.sp = (uintptr_t)(sp - 60);
	jvm->now.pc = begin + 20;
	fake_enter_native(jvm);
	assert_string_equal(walk_now(), "N c3:b@1 i:c@9 whole");
}

#endif

/* Code that calls the JVM has a frame of known size; from there the anchor leads on. */
static void test_runtime(void **state)
{
	const struct fake_code stub = {.name = "_new_instance_Java",
		.bytes = fake_java_bytes,
		.size = fake_java_size,
		.frame_words = 8,
		.frame_complete = -1};
	uintptr_t begin = fake_code_add(jvm, &stub);

	fake_enter_stub(jvm);
	fake_enter_interpreted(jvm, c, 9);
	fake_enter_compiled(jvm, code_b, fake_java_return, FAKE_JAVA_WORDS);
	fake_enter_compiled(jvm, begin, 20, 8);
	fake_leave_java(jvm);
	fake_enter_native(jvm);
	assert_string_equal(walk_now(), "N c3:b@1 i:c@9 whole");
}

/* ---- from Java to native code, and back ---- */

static void test_entries(void **state)
{
	fake_enter_stub(jvm);
	fake_enter_interpreted(jvm, a, 1);
	fake_leave_java(jvm);
	fake_enter_native(jvm);
	fake_enter_native(jvm);
	fake_enter_stub(jvm);
	fake_enter_interpreted(jvm, b, 2);
	fake_enter_compiled(jvm, code_a, fake_java_return, FAKE_JAVA_WORDS);
	fake_leave_java(jvm);
	fake_enter_native(jvm);
	fake_enter_stub(jvm);
	fake_enter_interpreted(jvm, c, 3);
	assert_string_equal(walk_now(), "i:c@3 +:b@3 c4:a@7 i:b@2 i:a@1 whole");
	fake_leave_java(jvm);
	fake_enter_native(jvm);
	assert_string_equal(walk_now(), "N i:c@3 +:b@3 c4:a@7 i:b@2 i:a@1 whole");
}

/* Where it left Java the address was not kept: it is below the top. */
static void test_no_address(void **state)
{
	uintptr_t *anchor_pc =
		(uintptr_t *)(jvm->java + jvm->layout.thread_anchor + jvm->layout.anchor_pc);

	fake_enter_stub(jvm);
	fake_enter_compiled(jvm, code_b, fake_java_return, FAKE_JAVA_WORDS);
	fake_leave_java(jvm);
	*anchor_pc = 0;
	fake_enter_native(jvm);
	jvm->now.fp = 1;
	assert_string_equal(walk_now(), "N c3:b@1 whole");
}

static void test_native(void **state)
{
	struct walk_thread thread = {.stack_base = fake_thread(jvm).stack_base};
	struct stack_frame frame[ROOM];
	enum walk_end end;

	/* A Java thread that runs no Java; one whose chain is broken. */
	fake_enter_native(jvm);
	fake_enter_native(jvm);
	assert_string_equal(walk_now(), "N N N whole");
	jvm->now.fp = 1;
	assert_string_equal(walk_now(), "N native");
	/* One of the JVM's own. */
	assert_int_equal(walk_stack(&walker, &thread, &jvm->now, frame, ROOM, &end), 1);
	assert_int_equal(end, WALK_WHOLE);
}

/* An anchor below what was walked already, or outside of the stack, is none. */
static void test_stale_anchor(void **state)
{
	uintptr_t *sp =
		(uintptr_t *)(jvm->java + jvm->layout.thread_anchor + jvm->layout.anchor_sp);

	fake_enter_stub(jvm);
	fake_enter_interpreted(jvm, a, 1);
	*sp = jvm->now.sp - WORD;
	assert_string_equal(walk_now(), "i:a@1 whole");
	*sp = (uintptr_t)(jvm->stack + FAKE_STACK_WORDS);
	assert_string_equal(walk_now(), "i:a@1 whole");
	*sp = jvm->now.sp + 1;
	assert_string_equal(walk_now(), "i:a@1 whole");
	*sp = 1;
	fake_enter_native(jvm);
	jvm->now.fp = 1;
	assert_string_equal(walk_now(), "N native");
}

/* ---- where it ends ---- */

static void test_room(void **state)
{
	struct walk_thread thread = fake_thread(jvm);
	static const char *const expected[] = {"cut", "i:c@3 cut", "i:c@3 +:b@3 cut",
		"i:c@3 +:b@3 c4:a@7 cut", "i:c@3 +:b@3 c4:a@7 i:b@2 whole",
		"i:c@3 +:b@3 c4:a@7 i:b@2 whole"};

	fake_enter_stub(jvm);
	fake_enter_interpreted(jvm, b, 2);
	fake_enter_compiled(jvm, code_a, fake_java_return, FAKE_JAVA_WORDS);
	fake_enter_interpreted(jvm, c, 3);
	for (unsigned room = 0; room < 6; room++) {
		struct stack_frame frame[ROOM];
		enum walk_end end;
		unsigned count = walk_stack(&walker, &thread, &jvm->now, frame, room, &end);

		assert_true(count <= room);
		assert_string_equal(text_of(frame, count, end), expected[room]);
	}
}

/* The stack ends at each of its words in turn: nothing behind is read, as the address sanitizer sees, and what is found
 * is the begin of what there is. */
static void test_bounds(void **state)
{
	static const char whole[] = "i:c@3 +:b@3 c4:a@7 i:b@2 i:a@1 ";
	const uintptr_t *top = jvm->stack + FAKE_STACK_WORDS;

	fake_enter_stub(jvm);
	fake_enter_interpreted(jvm, a, 1);
	fake_leave_java(jvm);
	fake_enter_native(jvm);
	fake_enter_stub(jvm);
	fake_enter_interpreted(jvm, b, 2);
	fake_enter_compiled(jvm, code_a, fake_java_return, FAKE_JAVA_WORDS);
	fake_enter_interpreted(jvm, c, 3);
	for (const uintptr_t *base = top; (uintptr_t)base >= jvm->now.sp; base--) {
		struct walk_thread thread = {.java = jvm->java, .stack_base = (uintptr_t)base};
		struct stack_frame frame[ROOM];
		enum walk_end end;
		unsigned count = walk_stack(&walker, &thread, &jvm->now, frame, ROOM, &end);
		const char *text = text_of(frame, count, end);

		const char *last = strrchr(text, ' ');

		if (last && strncmp(text, whole, (size_t)(last - text) + 1) != 0)
			fail_msg("%td words less: %s", top - base, text);
	}
}

/* The number of a stack is the same as long as the frames are, wherever in their methods those are that
 * are interpreted; it is none where a walk does not come to its end. */
static uint64_t key_now(void)
{
	struct walk_thread thread = fake_thread(jvm);
	uintptr_t low = (uintptr_t)jvm->stack;
	struct walker forgetful = walker;
	struct known_key about;
	uint64_t key, note;

	forgetful.keys = NULL;
	assert_true(walk_about(walker.vm, &thread, &about));
	about.seed = about.now = 1;
	key = walk_key(&forgetful, &thread, low, &about, &note);
	/* Of the stack that was there before, of this one for the first time, and for the second. */
	assert_true(walk_key(&walker, &thread, low, &about, &note) == key);
	assert_true(walk_key(&walker, &thread, low, &about, &note) == key);
	return key;
}

static uint64_t key_of(uintptr_t outer, uintptr_t inner)
{
	fake_stack_clear(jvm);
	fake_enter_stub(jvm);
	fake_enter_interpreted(jvm, outer, 1);
	fake_enter_compiled(jvm, code_a, fake_java_return, FAKE_JAVA_WORDS);
	fake_enter_interpreted(jvm, inner, 2);
	fake_leave_java(jvm);
	fake_enter_native(jvm);
	return key_now();
}

static void test_key(void **state)
{
	uint64_t key = key_of(a, b);

	assert_true(key != 0);
	assert_true(key_of(a, b) == key);
	assert_true(key_of(a, c) != key);
	assert_true(key_of(b, b) != key);
	assert_true(key_of(b, a) != key);
	fake_stack_clear(jvm);
	fake_enter_stub(jvm);
	fake_enter_interpreted(jvm, a, 1);
	fake_enter_interpreted(jvm, b, 2);
	fake_leave_java(jvm);
	assert_true(key_now() != key && key_now() != 0);
	*(uintptr_t *)(jvm->now.fp + (uintptr_t)(INTERPRETED_METHOD * (intptr_t)WORD)) = 0;
	assert_true(key_now() == 0);
}

/* Stale words that look like an entry frame whose caller is itself. */
static void test_circle(void **state)
{
	uintptr_t *fp, *at;

	fake_enter_stub(jvm);
	fp = (uintptr_t *)jvm->now.fp;
	at = (uintptr_t *)(fp[jvm->layout.entry_frame_wrapper] +
			   jvm->layout.call_wrapper_anchor);
	fake_enter_interpreted(jvm, a, 1);
	at[0] = *(uintptr_t *)(jvm->now.fp + INTERPRETED_CALLER_SP * WORD);
	at[1] = jvm->call_stub_return;
	at[2] = (uintptr_t)fp;
	assert_string_equal(walk_now(), "i:a@1 whole");
	/* Its wrapper at the end of the stack, and beyond. */
	for (int i = -3; i <= 1; i++) {
		fp[jvm->layout.entry_frame_wrapper] =
			fake_thread(jvm).stack_base + (uintptr_t)(intptr_t)(i * WORD);
		assert_string_equal(walk_now(), "i:a@1 bounds");
	}
}

/* The code that ran was thrown away. */
static void test_freed(void **state)
{
	fake_enter_stub(jvm);
	fake_enter_interpreted(jvm, c, 9);
	fake_enter_compiled(jvm, code_a, fake_java_return, FAKE_JAVA_WORDS);
	fake_enter_compiled(jvm, code_b, fake_java_return, FAKE_JAVA_WORDS);
	/* The next address that may be one is farther up. */
	fake_code_free(jvm, code_a);
	assert_string_equal(walk_now(), "c3:b@1 i:c@9 whole");
	fake_code_free(jvm, code_b);
	assert_string_equal(walk_now(), "code");
}

/* The method's memory is another's. */
static void test_no_method(void **state)
{
	fake_enter_stub(jvm);
	fake_enter_compiled(jvm, code_b, fake_java_return, FAKE_JAVA_WORDS);
	*(uintptr_t *)(b + jvm->layout.method_const) = 0;
	assert_string_equal(walk_now(), "method");
	fake_stack_clear(jvm);
	fake_enter_stub(jvm);
	fake_enter_interpreted(jvm, a, 9);
	fake_enter_compiled(jvm, code_a, fake_java_return, FAKE_JAVA_WORDS);
	assert_string_equal(walk_now(), "method");
}

/* ---- from where a thread left Java ---- */

static const char *walk_outside(uintptr_t low)
{
	struct walk_thread thread = fake_thread(jvm);
	struct stack_frame frame[ROOM];
	enum walk_end end = WALK_ENDS;
	unsigned count = walk_java(&walker, &thread, low, frame, ROOM, &end);

	return text_of(frame, count, end);
}

static void test_outside(void **state)
{
	uintptr_t low = (uintptr_t)jvm->stack, left;

	assert_string_equal(walk_outside(low), "whole");
	fake_enter_stub(jvm);
	fake_enter_interpreted(jvm, a, 1);
	assert_string_equal(walk_outside(low), "whole");
	fake_enter_compiled(jvm, code_a, fake_java_return, FAKE_JAVA_WORDS);
	fake_leave_java(jvm);
	left = jvm->now.sp;
	fake_enter_native(jvm);
	assert_string_equal(walk_outside(low), "+:b@3 c4:a@7 i:a@1 whole");
	assert_string_equal(walk_outside(low + 5), "+:b@3 c4:a@7 i:a@1 whole");
	assert_string_equal(walk_outside(left), "+:b@3 c4:a@7 i:a@1 whole");
	/* Nothing below is looked at. */
	assert_string_equal(walk_outside(left + WORD), "whole");
}

/* ---- another stack than the thread's own ---- */

/* The thread runs on a stack of its library's, below its own; between them is nothing: where frames lead there, it goes
 * on where the thread left Java. */
static void test_guarded(void **state)
{
	enum { PAGE = 4096, STACK = FAKE_STACK_WORDS * WORD };
	char *memory = mmap(NULL, 2 * PAGE + STACK, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uintptr_t *kept = jvm->stack, *low = (uintptr_t *)(void *)memory;
	uintptr_t hole = (uintptr_t)memory + PAGE + 64;
	struct stack_frame frame[ROOM];
	struct walk_thread thread;
	enum walk_end end;
	unsigned count;

	assert_true(memory != MAP_FAILED);
	assert_int_equal(mprotect(memory + PAGE, PAGE, PROT_NONE), 0);
	jvm->stack = (uintptr_t *)(void *)(memory + 2 * PAGE);
	fake_stack_clear(jvm);
	fake_enter_stub(jvm);
	fake_enter_interpreted(jvm, a, 1);
	fake_leave_java(jvm);
	thread = fake_thread(jvm);
	thread.guarded = true;
	low[8] = hole;
	low[9] = jvm->native;
	jvm->now = (struct machine){
		.pc = jvm->native, .sp = (uintptr_t)low, .fp = (uintptr_t)&low[8]};
	count = walk_stack(&walker, &thread, &jvm->now, frame, ROOM, &end);
	assert_string_equal(text_of(frame, count, end), "N N i:a@1 whole");
	/* An interpreted frame there. */
	thread.java = 0;
	jvm->now.pc = jvm->interpreter + 500;
	jvm->now.fp = hole;
	count = walk_stack(&walker, &thread, &jvm->now, frame, ROOM, &end);
	assert_string_equal(text_of(frame, count, end), "method");
	/* From outside, of a thread that has ended. */
	thread.java = hole;
	count = walk_java(&walker, &thread, (uintptr_t)low, frame, ROOM, &end);
	assert_string_equal(text_of(frame, count, end), "whole");
	jvm->stack = kept;
	munmap(memory, 2 * PAGE + STACK);
}

int main(void)
{
#define IN_ALL_FORMS(test)                                                                     \
	cmocka_unit_test_setup_teardown(test, create, destroy),                                \
		cmocka_unit_test_setup_teardown(test, create, destroy),                        \
		cmocka_unit_test_setup_teardown(test, create, destroy)
	const struct CMUnitTest tests[] = {
		IN_ALL_FORMS(test_interpreted),
		IN_ALL_FORMS(test_interpreted_native),
		IN_ALL_FORMS(test_interpreter_entry),
		IN_ALL_FORMS(test_unpacking),
		IN_ALL_FORMS(test_compiled),
		IN_ALL_FORMS(test_instructions),
		IN_ALL_FORMS(test_shifted),
		IN_ALL_FORMS(test_deopt),
		IN_ALL_FORMS(test_deopt_bounds),
#ifdef __x86_64__
		IN_ALL_FORMS(test_wrapper_prologue),
#endif
		IN_ALL_FORMS(test_wrapper),
		IN_ALL_FORMS(test_continuation),
		IN_ALL_FORMS(test_stubs),
		IN_ALL_FORMS(test_adapter),
		IN_ALL_FORMS(test_adapter_calls),
		IN_ALL_FORMS(test_runtime),
		IN_ALL_FORMS(test_entries),
		IN_ALL_FORMS(test_no_address),
		IN_ALL_FORMS(test_native),
		IN_ALL_FORMS(test_stale_anchor),
		IN_ALL_FORMS(test_room),
		IN_ALL_FORMS(test_bounds),
		IN_ALL_FORMS(test_key),
		IN_ALL_FORMS(test_circle),
		IN_ALL_FORMS(test_freed),
		IN_ALL_FORMS(test_no_method),
		IN_ALL_FORMS(test_outside),
		IN_ALL_FORMS(test_guarded),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

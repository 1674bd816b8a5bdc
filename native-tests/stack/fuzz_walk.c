/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * Stacks of a made-up JVM in which anything was changed: registers, words of the stack, and all that has to be read
 * with care (fake_jvm.h, guarded). Walks end, read nothing outside of the stack and of what they are given, and find
 * frames that are some.
 *
 *   | form | count | frames: kind, number | changes: place, offset of 2 bytes, kind of word, number of 2 bytes | ...
 *
 * Memory is read with care by a load that knows what there is: a read of anything else is refused, as a fault would be. The
 * headers of pieces of code stay as they are.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/sample/sample_buffer.h"
#include "agent/stack/known_keys.h"
#include "agent/stack/known_places.h"
#include "agent/stack/safe_read.h"
#include "native-tests/fuzz/text_mutator.h"
#include "native-tests/stack/fake_jvm.h"
#include "native-tests/stack/made_frames.h"

enum {
	WORD = sizeof(uintptr_t),
	FRAMES_MAX = 36,
	ROOM = 128,
	READS_MAX = 2000000,
	METHODS = 4
};

static void require(bool condition, const char *what)
{
	if (!condition) {
		fprintf(stderr, "violated: %s\n", what);
		abort();
	}
}

/* ---- a JVM of each form, made once; what is changed is put back ---- */

struct made_jvm {
	struct fake_jvm *jvm;
	uintptr_t method[METHODS];
	uintptr_t code
		[4]; /* compiled, compiled, a native method's wrapper, a stub with a frame */
	uintptr_t continuation, adapter;
	char *kept_code, *kept_data;
};

static struct made_frames module;
static struct made_jvm current;
static size_t reads;

static bool is_in(uintptr_t at, uintptr_t begin, size_t bytes)
{
	return at >= begin && at - begin < bytes;
}

/* The word is whole in there, or there is none. */
static intptr_t careful_load(const intptr_t *from, intptr_t otherwise)
{
	uintptr_t at = (uintptr_t)from, word = 0;
	const struct fake_jvm *jvm = current.jvm;

	require(++reads < READS_MAX, "it ends");
	require(at % WORD == 0, "words are at their places");
	if (!is_in(at, jvm->code, FAKE_CODE_BYTES) && !is_in(at, jvm->data, FAKE_DATA_BYTES) &&
		!is_in(at, (uintptr_t)jvm->stack, FAKE_STACK_WORDS * WORD) &&
		!is_in(at, fake_code_names().begin, fake_code_names().bytes) &&
		!is_in(at, (uintptr_t)module.bytes / WORD * WORD, sizeof(module.bytes)))
		return otherwise;
	memcpy(&word, from, sizeof(word));
	return (intptr_t)word;
}

static void add_java(struct made_jvm *made)
{
	static const char *const names[METHODS] = {"a", "b", "c", "native"};
	static const struct fake_line lines[] = {{0, 1}, {9, 2}, {0}};
	static const struct fake_scope scopes[] = {
		{-1, 0, -1}, {-1, 0, 7}, {1, 1, 3}, {2, 2, 200}, {-1, 0, 20}, {.bci = -2}};
	const struct fake_place places[] = {
		{2, 0}, {fake_java_return, 3}, {fake_java_return + 4, 4}, {-1, 0}};
	const struct fake_code usual = {.name = "nmethod",
		.bytes = fake_java_bytes,
		.size = fake_java_size,
		.frame_words = FAKE_JAVA_WORDS,
		.frame_complete = fake_java_complete,
		.level = 4,
		.original_pc = 8,
		.scope = scopes,
		.place = places};
	struct fake_code code = usual;
	struct fake_jvm *jvm = made->jvm;

	for (int i = 0; i < METHODS; i++) {
		const struct fake_method method = {
			"acme/A", names[i], "()V", i == 3 ? 0 : 100, "A.java", lines};

		made->method[i] = fake_method_add(jvm, &method);
	}
	memcpy(code.method, made->method, 3 * WORD);
	made->code[0] = fake_code_add(jvm, &code);
	code.method[0] = made->method[1];
	code.level = 2;
	made->code[1] = fake_code_add(jvm, &code);
	code = (struct fake_code){.name = "native nmethod",
		.bytes = fake_java_bytes,
		.size = fake_java_size,
		.frame_words = FAKE_JAVA_WORDS,
		.method = {made->method[3]}};
	made->code[2] = fake_code_add(jvm, &code);
	made->continuation = made->code[2] + 30;
	jvm->layout.continuation_return = &made->continuation;
	code = (struct fake_code){.name = "_new_instance_Java",
		.bytes = fake_java_bytes,
		.size = fake_java_size,
		.frame_words = FAKE_JAVA_WORDS,
		.frame_complete = -1};
	made->code[3] = fake_code_add(jvm, &code);
	code.name = "I2C/C2I adapters";
	code.frame_words = 0;
	made->adapter = fake_code_add(jvm, &code);
	code.name = "StubRoutines (continuation stubs)";
	fake_code_add(jvm, &code);
}

/* The one of that form. The JVM's statics are of one at a time: it is made anew where the form changes. */
static void use_jvm(enum fake_form form)
{
	static const uint8_t program[] = {0x0c, 7, 8, 0x90, 1, 0x41, 0x0e, 16, 0x86, 2};

	if (current.jvm && current.jvm->form == form)
		return;
	if (current.jvm) {
		fake_jvm_destroy(current.jvm);
		free(current.kept_code);
		free(current.kept_data);
	}
	memset(&current, 0, sizeof(current));
	current.jvm = fake_jvm_create(form);
	require(current.jvm != NULL, "memory");
	add_java(&current);
	current.kept_code = malloc(current.jvm->code_used);
	current.kept_data = malloc(current.jvm->data_used);
	require(current.kept_code && current.kept_data, "memory");
	memcpy(current.kept_code, (void *)current.jvm->code, current.jvm->code_used);
	memcpy(current.kept_data, (void *)current.jvm->data, current.jvm->data_used);
	made_frames_init(&module, "zR", program, sizeof(program), NULL, 0);
	safe_read_by(careful_load);
}

static void put_back(void)
{
	memcpy((void *)current.jvm->code, current.kept_code, current.jvm->code_used);
	memcpy((void *)current.jvm->data, current.kept_data, current.jvm->data_used);
}

/* ---- what the bytes say ---- */

struct input {
	const uint8_t *at, *end;
};

static unsigned take(struct input *in)
{
	return in->at < in->end ? *in->at++ : 0;
}

/* A method is about to be entered, in the interpreter or by an adapter: its frame is to come, its caller's stack is in a
 * register. */
static void be_called(unsigned number)
{
	struct machine *now = &current.jvm->now;
	uintptr_t *sp = (uintptr_t *)now->sp;

	sp[-1] = now->link = now->pc;
	now->caller_sp = now->sp;
	now->sp -= WORD;
	now->pc = number % 2 ? current.jvm->interpreter + 500 : current.adapter + 8;
	now->method = current.method[number / 2 % METHODS];
	if (number & 64)
		now->fp = 0;
}

static void add_frame(struct input *in)
{
	struct fake_jvm *jvm = current.jvm;
	unsigned kind = take(in), number = take(in);

	switch (kind % 7) {
	case 0:
		fake_enter_native(jvm);
		if (number % 2)
			jvm->now.pc = module.module.begin + number;
		break;
	case 1:
		fake_enter_stub(jvm);
		break;
	case 2:
		fake_enter_interpreted(jvm, current.method[number % METHODS], (int32_t)number);
		break;
	case 3:
		fake_enter_compiled(jvm, current.code[number % 4],
			(int32_t)(number / 4 % fake_java_size), FAKE_JAVA_WORDS);
		break;
	case 4:
		fake_enter_compiled(
			jvm, current.code[number % 4], fake_java_return, FAKE_JAVA_WORDS);
		break;
	case 5:
		fake_leave_java(jvm);
		break;
	default:
		be_called(number);
	}
}

/* Most words are addresses of what there is. */
static uintptr_t take_word(struct input *in)
{
	const struct fake_jvm *jvm = current.jvm;
	unsigned kind = take(in), number = take(in);

	number |= take(in) << 8;
	switch (kind % 9) {
	case 0:
		return number;
	case 1:
		return (uintptr_t)(jvm->stack + number % (FAKE_STACK_WORDS + 8));
	case 2:
		return jvm->code + number;
	case 3:
		return jvm->data + number;
	case 4:
		return current.code[number % 4] + number / 4 % 128;
	case 5:
		return number % 2 ? jvm->call_stub_return : jvm->interpreter + number;
	case 6:
		return current.method[number % METHODS];
	case 7:
		return module.module.begin + number % MADE_CODE;
	default:
		return (uintptr_t)number << 48 | number;
	}
}

/* sp: where the frames end. */
static void change(struct input *in, uintptr_t sp)
{
	struct fake_jvm *jvm = current.jvm;
	unsigned place = take(in), offset = take(in);
	uintptr_t word;
	char *at;

	offset |= take(in) << 8;
	word = take_word(in);
	switch (place % 8) {
	case 0:
	case 1:
		/* A word of the stack, from the innermost one on. */
		at = (char *)sp + offset % 256 * WORD;
		if ((uintptr_t)at <= (uintptr_t)(jvm->stack + FAKE_STACK_WORDS - 1))
			memcpy(at, &word, WORD);
		break;
	case 2:
		memcpy((char *)&jvm->now + offset % (sizeof(jvm->now) / WORD) * WORD, &word,
			WORD);
		break;
	case 3:
		at = (char *)jvm->java + jvm->layout.thread_anchor;
		if (offset % 4 == 3)
			at = (char *)jvm->java + jvm->layout.thread_unpacking - 3 * WORD;
		memcpy(at + offset % 4 * WORD, &word, WORD);
		break;
	default: {
		const struct fake_range *range = &jvm->guarded[place / 8 % jvm->guarded_count];
		size_t bytes = range->begin == jvm->data ? jvm->data_used : range->bytes;
		size_t size = place % 4 == 0 ? 1 : place % 4 == 1 ? 2 : WORD;

		offset %= (unsigned)bytes;
		memcpy((char *)range->begin + offset, &word,
			bytes - offset < size ? bytes - offset : size);
	}
	}
}

/* ---- what has to be true ---- */

static void check(const struct seen_methods *seen, const struct stack_frame *frame,
	unsigned count, enum walk_end end)
{
	require(count <= ROOM, "there is room");
	require(end < WALK_ENDS, "it ends for a reason");
	require(end != WALK_CUT || count == ROOM || count == 5, "it is cut where room ends");
	for (unsigned i = 0; i < count; i++) {
		struct stack_frame again = frame_unpack(frame_pack(&frame[i]));
		struct seen_names names;

		require(frame[i].kind <= FRAME_NATIVE, "frames are of a kind");
		if (!frame_is_java(&frame[i]))
			continue;
		require(again.what == frame[i].what && again.kind == frame[i].kind &&
				again.level == frame[i].level,
			"frames are packed");
		require(frame[i].what > 0 && frame[i].what < seen_methods_end(seen),
			"methods have numbers");
		require(seen_method_names(seen, (uint32_t)frame[i].what, &names),
			"methods have names");
		require(names.signature[0] == '(', "signatures are some");
	}
}

static bool same_frames(
	const struct stack_frame *a, const struct stack_frame *b, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		if (a[i].what != b[i].what || a[i].bci != b[i].bci || a[i].kind != b[i].kind ||
			a[i].level != b[i].level)
			return false;
	return true;
}

static void walk_all(void)
{
	struct fake_jvm *jvm = current.jvm;
	struct seen_methods *seen = seen_methods_create(&jvm->layout);
	const struct walker walker = {&jvm->layout, seen, &module.modules,
		known_places_create(), known_keys_create(true)};
	const struct walker forgetful = {&jvm->layout, seen, &module.modules, NULL, NULL};
	struct known_key about;
	uint64_t note, key;
	struct walk_thread thread = fake_thread(jvm);
	struct stack_frame frame[ROOM], again[ROOM];
	enum walk_end end, end_again;
	unsigned count;
	/* The handler's own stack: it is from the register on. */
	struct machine from = jvm->now;

	require(seen != NULL, "memory");
	module.modules.module = &module.module;
	if (from.sp < (uintptr_t)jvm->stack || from.sp > thread.stack_base)
		from.sp = (uintptr_t)jvm->stack;
	count = walk_stack(&walker, &thread, &from, frame, ROOM, &end);
	check(seen, frame, count, end);
	require(walk_stack(&walker, &thread, &from, again, ROOM, &end_again) == count &&
			end_again == end && same_frames(frame, again, count),
		"what is known is what was read");
	count = walk_stack(&walker, &thread, &from, frame, 5, &end);
	check(seen, frame, count, end);
	count = walk_java(&walker, &thread, (uintptr_t)jvm->stack, frame, ROOM, &end);
	check(seen, frame, count, end);
	require(walk_about(walker.vm, &thread, &about), "the thread's struct can be read");
	about.seed = about.now = 1;
	key = walk_key(&walker, &thread, (uintptr_t)jvm->stack, &about, &note);
	require(walk_key(&walker, &thread, (uintptr_t)jvm->stack, &about, &note) == key &&
			walk_key(&forgetful, &thread, (uintptr_t)jvm->stack, &about, &note) ==
				key,
		"a known number is that of the walk");
	thread.java = 0;
	count = walk_stack(&walker, &thread, &from, frame, ROOM, &end);
	check(seen, frame, count, end);
	/* Its own stack is far above, or it has ended: what is not there must not be read. */
	thread.guarded = true;
	thread.stack_base = UINTPTR_MAX / WORD * WORD;
	count = walk_stack(&walker, &thread, &from, frame, ROOM, &end);
	check(seen, frame, count, end);
	thread.java = jvm->java;
	count = walk_stack(&walker, &thread, &from, frame, ROOM, &end);
	check(seen, frame, count, end);
	thread.java = from.fp;
	count = walk_java(&walker, &thread, (uintptr_t)jvm->stack, frame, ROOM, &end);
	check(seen, frame, count, end);
	known_keys_destroy(walker.keys);
	known_places_destroy(walker.known);
	seen_methods_destroy(seen);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = {data, data + size};
	unsigned frames;
	uintptr_t sp;

	use_jvm((enum fake_form)(take(&in) % FAKE_FORMS));
	fake_stack_clear(current.jvm);
	frames = take(&in) % FRAMES_MAX;
	for (unsigned i = 0; i < frames; i++)
		add_frame(&in);
	sp = current.jvm->now.sp;
	while (in.at < in.end)
		change(&in, sp);
	reads = 0;
	walk_all();
	put_back();
	return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed)
{
	return LLVMFuzzerMutate(data, size, max_size);
}

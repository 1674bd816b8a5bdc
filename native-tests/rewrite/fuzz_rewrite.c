/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * Any bytes as a class file. What the rewriter makes of them must be a class file to
 * itself: it can be rewritten once more, and keeps the constants of before in their
 * places.
 *
 * The corpus is made of real classes (class_corpus.sh). A third of the mutations are
 * those of the library, a third know where numbers stand: they change two bytes to a
 * value near another place's, as lengths, indices and offsets are. The others know what a
 * Code attribute is: they put branches, switches and returns into code, places of it into
 * its tables, and make code long enough that its branches become too short.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/rewrite/rewrite.h"

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition, const char *what)
{
	if (!condition) {
		fprintf(stderr, "violated: %s\n", what);
		abort();
	}
}

/* As many sets of probes as there are. */
enum { ALL_KINDS = (PROBE_TIMED | PROBE_ENTRY | PROBE_COUNTED) + 1 };

struct asked {
	uint32_t next;
	uint32_t untouched;
	struct rewrite_reading reading[READINGS_MAX + 1];
	unsigned readings; /* of the last method */
	unsigned unread;
};

/* None for half of the methods; of the others all places, those that a method may not have, too. */
static void readings_choose(struct asked *asked)
{
	asked->readings = asked->next % 2 ? asked->next / 2 % (READINGS_MAX + 2) : 0;
	asked->unread = 0;
	for (unsigned i = 0; i < asked->readings; i++)
		asked->reading[i] = (struct rewrite_reading){
			(int)((asked->next + i) % 6) - 3, asked->next * (i + 1)};
}

/* Every eighth method has no probes, the others have each set of them, and each in place of it; ids are of every width. */
static struct rewrite_probes method_probes(void *user, const struct rewrite_method *method)
{
	struct asked *asked = user;

	require(strlen(method->name) < 65536 && strlen(method->descriptor) < 65536 &&
			strlen(method->class_name) < 65536,
		"names are texts");
	require(rewrite_outline(method).instructions <= method->code_size,
		"an instruction is a byte at least");
	require(rewrite_argument_place(method, "value") < 255, "an argument is one of 255");
	asked->next = asked->next * 7 % 100003 + 1;
	readings_choose(asked);
	return (struct rewrite_probes){.kinds = (probe_set)(asked->next % ALL_KINDS),
		.otherwise = (probe_set)(asked->next / ALL_KINDS % ALL_KINDS),
		.id = asked->next,
		.sites = asked->next % 3 == 0,
		.reading = asked->reading,
		.readings = asked->readings};
}

/* Of every width, too; some lines are not told. */
static uint32_t site_number(void *user, uint32_t id, uint16_t line)
{
	return line % 7 == 0 ? 0 : line * 100003u % 200000 + 1;
}

static void method_untouched(
	void *user, const struct rewrite_method *method, enum rewrite_reason why)
{
	struct asked *asked = user;

	require(why != REWRITE_OK && *rewrite_reason_text(why), "there is a reason");
	asked->untouched++;
}

static void reading_unread(void *user, const struct rewrite_method *method,
	const struct rewrite_reading *reading, enum rewrite_reason why)
{
	struct asked *asked = user;

	require(reading >= asked->reading && reading < asked->reading + asked->readings,
		"it is one that was asked for");
	require(why != REWRITE_OK && *rewrite_reason_text(why), "there is a reason");
	require(++asked->unread <= asked->readings, "each is told once");
}

/* What the fuzzer itself knows of a class file. */
struct layout {
	size_t pool_end;    /* offset of the first byte behind the constants; 0: there is
			       none */
	uint16_t code_name; /* index of "Code"; 0: there is none */
	size_t code;        /* offset of the chosen Code attribute's length; 0: there is none */
};

static uint16_t get_u2(const uint8_t *at)
{
	return (uint16_t)(at[0] << 8 | at[1]);
}

static uint32_t get_u4(const uint8_t *at)
{
	return (uint32_t)get_u2(at) << 16 | get_u2(at + 2);
}

static void put_u2(uint8_t *at, uint32_t value)
{
	at[0] = (uint8_t)(value >> 8);
	at[1] = (uint8_t)value;
}

static void put_u4(uint8_t *at, uint32_t value)
{
	put_u2(at, value >> 16);
	put_u2(at + 2, value);
}

/* JVM specification, 4.4. */
static void find_pool(const uint8_t *data, size_t size, struct layout *layout)
{
	static const uint8_t sizes[] = {
		0, 3, 0, 5, 5, 9, 9, 3, 3, 5, 5, 5, 5, 0, 0, 4, 3, 5, 5, 3, 3};
	size_t at = 10;
	uint32_t count = size < 10 ? 0 : get_u2(data + 8);

	for (uint32_t i = 1; i < count; i++) {
		uint8_t tag = at + 3 < size ? data[at] : 0;

		if (tag >= sizeof(sizes) || sizes[tag] == 0)
			return;
		if (tag == 1 && at + 7 <= size && memcmp(data + at, "\1\0\4Code", 7) == 0)
			layout->code_name = (uint16_t)i;
		at += sizes[tag] + (tag == 1 ? get_u2(data + at + 1) : 0u);
		i += tag == 5 || tag == 6;
	}
	if (count && at <= size)
		layout->pool_end = at;
}

static enum rewrite_reason rewrite(
	const uint8_t *data, size_t size, struct rewrite_result *result, struct asked *asked)
{
	const struct rewrite_request request = {.probes = method_probes,
		.untouched = method_untouched,
		.unread = reading_unread,
		.user = asked,
		.probe = "java/lang/JprofProbe",
		.site = site_number};
	enum rewrite_reason reason = REWRITE_OK;

	*asked = (struct asked){.next = 1};
	reason = rewrite_class(data, size, &request, result);
	require(reason == REWRITE_OK || result->bytes == NULL, "refused, so nothing");
	require(result->bytes == NULL || result->methods > 0, "rewritten, so a method");
	require(result->read <= result->methods, "what has readings is rewritten");
	return reason;
}

/* What was made is a class file to the rewriter itself. A method that was left as it is
 * may be found malformed where it is only now read as a whole. */
static void check_again(const struct rewrite_result *once, const struct asked *asked_before)
{
	bool known = asked_before->untouched == 0;
	struct rewrite_result twice;
	struct asked asked;
	enum rewrite_reason reason = rewrite(once->bytes, once->size, &twice, &asked);

	require(reason == REWRITE_OK || reason == REWRITE_POOL ||
			(reason == REWRITE_MALFORMED && !known),
		"what was made can be read");
	free(twice.bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct rewrite_result once;
	struct layout layout = {0};
	struct asked asked;

	if (rewrite(data, size, &once, &asked) != REWRITE_OK || !once.bytes)
		return 0;
	require(once.size > 8, "there is a head");
	require(memcmp(data, once.bytes, 8) == 0, "magic and version stay");
	find_pool(data, size, &layout);
	require(layout.pool_end > 10 && once.size > layout.pool_end, "there are constants");
	require(memcmp(data + 10, once.bytes + 10, layout.pool_end - 10) == 0,
		"constants stay in their places");
	check_again(&once, &asked);
	free(once.bytes);
	return 0;
}

/* xorshift */
static uint32_t random_next(uint32_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 17;
	*state ^= *state << 5;
	return *state;
}

/* Goes over fields or methods from `at`, and notes each Code that is whole; one of them
 * is chosen. What is behind them, 0 if the file ends before. */
static size_t find_code(
	const uint8_t *data, size_t size, size_t at, struct layout *layout, uint32_t *state)
{
	uint32_t members = at + 2 <= size ? get_u2(data + at) : 0, seen = 0;

	for (at += 2; members > 0; members--) {
		uint32_t attributes = at + 8 <= size ? get_u2(data + at + 6) : 0;

		if (at + 8 > size)
			return 0;
		for (at += 8; attributes > 0; attributes--) {
			uint32_t length;

			if (at + 6 > size || get_u4(data + at + 2) > size - at - 6)
				return 0;
			length = get_u4(data + at + 2);
			if (get_u2(data + at) == layout->code_name && length > 8 &&
				get_u4(data + at + 10) <= length - 8 &&
				random_next(state) % ++seen == 0)
				layout->code = at + 2;
			at += 6 + (size_t)length;
		}
	}
	return at;
}

/* Puts an instruction that has targets at a place of the code. */
static void put_branch(uint8_t *code, uint32_t length, uint32_t *state)
{
	static const uint8_t opcodes[] = {0x99, 0xa5, 0xa7, 0xa8, 0xa9, 0xaa, 0xab, 0xac, 0xb1,
		0xb7, 0xbf, 0xc4, 0xc6, 0xc7, 0xc8, 0xc9};
	uint32_t from = random_next(state) % length, to = random_next(state) % length;
	uint8_t opcode = opcodes[random_next(state) % sizeof(opcodes)];

	code[from] = opcode;
	if (opcode == 0xaa || opcode == 0xab) {
		uint32_t operands = (from & ~3u) + 4;

		if (operands + 16 > length)
			return;
		put_u4(code + operands, to - from);
		put_u4(code + operands + 4, opcode == 0xaa ? 0 : 1);
		put_u4(code + operands + 8, random_next(state) % 2);
		put_u4(code + operands + 12, to - from);
	} else if (opcode >= 0xc8 && from + 5 <= length) {
		put_u4(code + from + 1, to - from);
	} else if (from + 3 <= length) {
		put_u2(code + from + 1, to - from);
	}
}

/* Makes the code longer by a run of one instruction; the new size of the file. */
static size_t put_run(uint8_t *data, size_t size, size_t max_size, size_t at, uint32_t *state)
{
	static const uint8_t instructions[] = {0x00, 0xb1, 0xb1, 0xac};
	uint32_t length = get_u4(data + at + 8);
	uint32_t more = random_next(state) % 9000 + 1;
	size_t place = at + 12 + random_next(state) % (length + 1);

	if (more > max_size - size)
		return size;
	memmove(data + place + more, data + place, size - place);
	memset(data + place, instructions[random_next(state) % 4], more);
	put_u4(data + at, get_u4(data + at) + more);
	put_u4(data + at + 8, length + more);
	return size + more;
}

/* Changes a Code attribute, whose length stands at `at`. */
static size_t mutate_code(
	uint8_t *data, size_t size, size_t max_size, size_t at, uint32_t *state)
{
	uint32_t length = get_u4(data + at + 8);
	uint32_t rest = get_u4(data + at) - 8 - length;
	uint8_t *code = data + at + 12;

	switch (random_next(state) % 5) {
	case 0:
		return put_run(data, size, max_size, at, state);
	case 1:
		if (rest >= 2)
			put_u2(code + length + random_next(state) % (rest - 1),
				random_next(state) % (length + 1));
		break;
	case 2:
		if (rest >= 1)
			code[length + random_next(state) % rest] = (uint8_t)random_next(state);
		break;
	case 3:
		if (length)
			code[random_next(state) % length] = (uint8_t)random_next(state);
		break;
	default:
		if (length)
			put_branch(code, length, state);
	}
	return size;
}

/* Numbers that are near numbers of other places. */
static void mutate_numbers(uint8_t *data, size_t size, uint32_t *state)
{
	for (uint32_t i = random_next(state) % 4; i < 4; i++) {
		uint32_t from = random_next(state) % (uint32_t)(size - 1);
		uint32_t to = random_next(state) % (uint32_t)(size - 1);

		put_u2(data + to, get_u2(data + from) + random_next(state) % 5 - 2);
	}
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed)
{
	struct layout layout = {0};
	uint32_t state = seed | 1;
	uint32_t kind = random_next(&state) % 3;
	size_t at;

	if (size < 16 || kind == 0)
		return LLVMFuzzerMutate(data, size, max_size);
	if (kind == 1) {
		mutate_numbers(data, size, &state);
		return size;
	}
	find_pool(data, size, &layout);
	if (!layout.pool_end || layout.pool_end + 8 > size)
		return LLVMFuzzerMutate(data, size, max_size);
	at = layout.pool_end + 8 + 2 * (size_t)get_u2(data + layout.pool_end + 6);
	at = find_code(data, size, at, &layout, &state);
	if (at)
		find_code(data, size, at, &layout, &state);
	if (!layout.code)
		return LLVMFuzzerMutate(data, size, max_size);
	for (uint32_t i = random_next(&state) % 3; i < 3; i++)
		size = mutate_code(data, size, max_size, layout.code, &state);
	return size;
}

/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * Any bytes as a class file. What the rewriter makes of them must be a class file to itself: it
 * can be rewritten once more, and keeps the constants of before in their places.
 *
 * The corpus is made of real classes (class_corpus.sh). Half of the mutations are those of the
 * library, the others know where numbers stand: they change two bytes to a value near another
 * place's, as lengths, indices and offsets are.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/rewrite/rewrite.h"

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(
	uint8_t *data, size_t size, size_t max_size, unsigned int seed);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition, const char *what)
{
	if (!condition) {
		fprintf(stderr, "violated: %s\n", what);
		abort();
	}
}

struct asked {
	uint32_t next;
	uint32_t untouched;
};

/* Every fourth method is left alone; ids are of every width. */
static uint32_t method_id(void *user, const struct rewrite_method *method)
{
	struct asked *asked = user;

	require(strlen(method->name) < 65536 && strlen(method->descriptor) < 65536 &&
			strlen(method->class_name) < 65536,
		"names are texts");
	asked->next = asked->next * 7 % 100003 + 1;
	return asked->next % 4 == 0 ? 0 : asked->next;
}

static void method_untouched(
	void *user, const struct rewrite_method *method, enum rewrite_reason why)
{
	struct asked *asked = user;

	(void)method;
	require(why != REWRITE_OK && *rewrite_reason_text(why), "there is a reason");
	asked->untouched++;
}

static enum rewrite_reason rewrite(
	const uint8_t *data, size_t size, struct rewrite_result *result)
{
	struct asked asked = {.next = 1};
	const struct rewrite_request request = {.id = method_id,
		.untouched = method_untouched,
		.user = &asked,
		.probe = "java/lang/JprofProbe"};
	enum rewrite_reason reason = rewrite_class(data, size, &request, result);

	require(reason == REWRITE_OK || result->bytes == NULL, "refused, so nothing");
	require(result->bytes == NULL || result->methods > 0, "rewritten, so a method");
	return reason;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct rewrite_result once, twice;
	enum rewrite_reason reason;

	if (rewrite(data, size, &once) != REWRITE_OK || !once.bytes) {
		free(once.bytes);
		return 0;
	}
	require(once.size > 8, "there is a head");
	require(memcmp(data, once.bytes, 8) == 0, "magic and version stay");
	reason = rewrite(once.bytes, once.size, &twice);
	require(reason == REWRITE_OK || reason == REWRITE_POOL, "what was made can be read");
	free(twice.bytes);
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

size_t LLVMFuzzerCustomMutator(
	uint8_t *data, size_t size, size_t max_size, unsigned int seed)
{
	uint32_t state = seed | 1;
	uint32_t from, to, value;

	if (size < 16 || random_next(&state) % 2)
		return LLVMFuzzerMutate(data, size, max_size);
	for (uint32_t i = random_next(&state) % 4; i < 4; i++) {
		from = random_next(&state) % (uint32_t)(size - 1);
		to = random_next(&state) % (uint32_t)(size - 1);
		value = (uint32_t)(data[from] << 8 | data[from + 1]);
		value += random_next(&state) % 5 - 2;
		data[to] = (uint8_t)(value >> 8);
		data[to + 1] = (uint8_t)value;
	}
	return size;
}

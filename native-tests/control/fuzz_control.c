/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * Any bytes from a client, in pieces whose sizes are the first bytes: whatever they are, each
 * line gets one line of JSON, and the same lines come out of other pieces.
 */
#include <jansson.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/control/line.h"
#include "agent/control/message.h"
#include "native-tests/fuzz/text_mutator.h"

static void require(bool condition, const char *what)
{
	if (!condition) {
		fprintf(stderr, "violated: %s\n", what);
		abort();
	}
}

static int echo(const struct control_peer *peer, const json_t *request, json_t **result,
	struct error *error)
{
	*result = json_pack("{s:O}", "request", request);
	return *result ? 0 : error_set(error, ERROR_MEMORY, "no memory");
}

static const struct control_verb verbs[] = {{"echo", echo, false}, {"detach", echo, true}, {0}};
static const struct control_setup setup = {.verbs = verbs};
static const struct control_peer peer = {.connection = 7};

static void check_answer(const char *line, size_t line_length)
{
	size_t length;
	bool last;
	char *answer = verbs_answer(&setup, &peer, line, line_length, &length, &last);

	require(answer, "there is an answer");
	require(memchr(answer, '\n', length) == answer + length - 1, "it is one line");
	json_t *json = json_loadb(answer, length, JSON_REJECT_DUPLICATES, NULL);
	require(json_is_object(json), "it is a JSON object");
	bool ok = json_is_true(json_object_get(json, "ok"));
	require(json_is_object(json_object_get(json, ok ? "result" : "error")),
		"it is complete");
	require(ok || !last, "who failed is not the last");
	json_decref(json);
	free(answer);
}

/* Sums up the lines, order and lengths included. */
struct sum {
	uint64_t value;
	unsigned lines;
};

static void add(struct sum *sum, const char *line, size_t length)
{
	for (size_t i = 0; i < length; i++)
		sum->value = sum->value * 31 + (uint8_t)line[i];
	sum->value = sum->value * 31 + length;
	sum->lines++;
}

static void take_lines(struct line_input *input, struct sum *sum, bool check)
{
	const char *line;
	size_t length;

	while (line_next(input, &line, &length)) {
		require(length > 0, "empty lines are skipped");
		require(!memchr(line, '\n', length), "a line has no line break");
		add(sum, line, length);
		if (check)
			check_answer(line, length);
		line_done(input);
	}
}

static struct sum try_pieces(
	const uint8_t *bytes, size_t size, const uint8_t *piece, size_t pieces, bool check)
{
	struct line_pool pool = {.limit = 1 << 22};
	struct line_input input = {.pool = &pool};
	struct sum sum = {0};

	for (size_t i = 0; size > 0; i++) {
		size_t room, want = pieces ? (size_t)piece[i % pieces] + 1 : size;
		char *space = line_space(&input, &room, NULL);

		require(space && room > 0, "short lines fit");
		if (want > room)
			want = room;
		if (want > size)
			want = size;
		memcpy(space, bytes, want);
		line_filled(&input, want);
		bytes += want;
		size -= want;
		take_lines(&input, &sum, check);
	}
	line_fini(&input);
	require(pool.used == 0, "what was taken from the pool is given back");
	return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	enum { PIECES = 4 };

	if (size < PIECES || size > LINE_MAX_BYTES)
		return 0;
	struct sum one = try_pieces(bytes + PIECES, size - PIECES, bytes, PIECES, true);
	struct sum other = try_pieces(bytes + PIECES, size - PIECES, NULL, 0, false);
	require(one.value == other.value && one.lines == other.lines,
		"lines do not depend on the pieces");
	return 0;
}

/* ---- mutations ---- */

static const char *const words[] = {"jprof", "id", "verb", "echo", "detach", "label", "1", "2",
	"{", "}", "\n", "\r\n", "[]", "{\"jprof\":1,\"verb\":\"echo\"}\n", NULL};

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed)
{
	return text_mutate(data, size, max_size, 4, words, seed);
}

/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* text_mutator: see text_mutator.h. */
#include "native-tests/fuzz/text_mutator.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

enum { TOKENS_MAX = 8192, PIECE_MAX = 4096 };

struct token {
	size_t at, length;
};

/* A text on its way. */
struct text {
	uint8_t *data;
	size_t size, max_size, from;
	struct token *token;
	size_t count;
	uint32_t state;
};

/* xorshift */
static uint32_t below(struct text *text, size_t limit)
{
	text->state ^= text->state << 13;
	text->state ^= text->state >> 17;
	text->state ^= text->state << 5;
	return text->state % (uint32_t)limit;
}

static bool is_word(uint8_t c)
{
	return isalnum(c) || c == '_' || c == '.' || c == '-' || c >= 0x80;
}

static size_t token_length(const struct text *text, size_t at)
{
	const uint8_t *data = text->data;
	size_t end = at + 1;

	if (data[at] == '"') {
		while (end < text->size && data[end] != '"')
			end += data[end] == '\\' ? 2 : 1;
		end++;
	} else if (is_word(data[at])) {
		while (end < text->size && is_word(data[end]))
			end++;
	}
	return (end < text->size ? end : text->size) - at;
}

static void find_tokens(struct text *text)
{
	size_t at = text->from;

	for (text->count = 0; at < text->size && text->count < TOKENS_MAX;) {
		struct token *token = &text->token[text->count];

		*token = (struct token){at, token_length(text, at)};
		text->count += !isspace(text->data[at]);
		at += token->length;
	}
}

/* Puts bytes in the place of others. False: they are too many. */
static bool replace(
	struct text *text, size_t at, size_t length, const void *bytes, size_t count)
{
	if (text->size - length + count > text->max_size)
		return false;
	memmove(text->data + at + count, text->data + at + length, text->size - at - length);
	memcpy(text->data + at, bytes, count);
	text->size = text->size - length + count;
	return true;
}

/* From a token on, at most so many; within PIECE_MAX bytes. */
static struct token delta(struct text *text, size_t tokens)
{
	size_t first = below(text, text->count), last = first + below(text, tokens);
	struct token piece = text->token[first];

	if (last >= text->count)
		last = text->count - 1;
	piece.length = text->token[last].at + text->token[last].length - piece.at;
	if (piece.length > PIECE_MAX)
		piece.length = PIECE_MAX;
	return piece;
}

/* As a string where one stood. */
static void put_word(struct text *text, const char *const *words)
{
	struct token token = text->token[below(text, text->count)];
	bool quoted = text->data[token.at] == '"';
	char word[256];
	size_t count = 0, length = 0;

	while (words[count])
		count++;
	word[length++] = '"';
	for (const char *c = words[below(text, count)]; *c && length < sizeof(word) - 1; c++)
		word[length++] = *c;
	word[length++] = '"';
	replace(text, token.at, token.length, word + !quoted, length - (quoted ? 0 : 2));
}

static void put_limit(struct text *text)
{
	static const char *const limits[] = {"0", "1", "-1", "0.5", "1e9", "1.0000001e9",
		"-1e9", "1e308", "1e-300", "4294967295", "4294967296", "9223372036854775807",
		"18446744073709551616", "null", "true", "[]", "{}", "\"\"", "64", "65", "1024"};
	const char *limit = limits[below(text, sizeof(limits) / sizeof(*limits))];

	for (int i = 0; i < 16; i++) {
		struct token token = text->token[below(text, text->count)];

		if (!isdigit(text->data[token.at]) && text->data[token.at] != '-' && i < 15)
			continue;
		replace(text, token.at, token.length, limit, strlen(limit));
		return;
	}
}

static void copy_delta(struct text *text, size_t tokens, bool instead)
{
	struct token from = delta(text, tokens), to = text->token[below(text, text->count)];
	uint8_t piece[PIECE_MAX];

	memcpy(piece, text->data + from.at, from.length);
	replace(text, to.at, instead ? to.length : 0, piece, from.length);
}

static void mutate_once(struct text *text, const char *const *words)
{
	find_tokens(text);
	if (text->count == 0)
		return;
	switch (below(text, 6)) {
	case 0:
		copy_delta(text, 1, true);
		break;
	case 1:
		copy_delta(text, 24, false);
		break;
	case 2:
		put_limit(text);
		break;
	case 3: {
		struct token gone = delta(text, 8);

		replace(text, gone.at, gone.length, "", 0);
		break;
	}
	default:
		put_word(text, words);
	}
}

size_t text_mutate(uint8_t *data, size_t size, size_t max_size, size_t from,
	const char *const *words, unsigned int seed)
{
	static struct token tokens[TOKENS_MAX];
	struct text text = {.data = data,
		.size = size,
		.max_size = max_size,
		.from = from,
		.token = tokens,
		.state = seed * 2654435761u | 1};

	if (below(&text, 3) == 0 || size <= from)
		return LLVMFuzzerMutate(data, size, max_size);
	for (uint32_t i = below(&text, 3); i < 3; i++)
		mutate_once(&text, words);
	return text.size;
}

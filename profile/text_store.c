/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* text_store: see text_store.h. */
#include "profile/text_store.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK_BYTES 65536

struct text_block {
	struct text_block *next;
	size_t used;
	char bytes[];
};

/* The bytes of the character at text, 0 if it is not one. Shortest forms only, no
 * surrogates, nothing above U+10FFFF (RFC 3629). */
static size_t character_length(const unsigned char *text)
{
	/* First byte from..to, second byte from..to, length. */
	static const unsigned char rows[][5] = {
		{0x01, 0x7f, 0x00, 0xff, 1},
		{0xc2, 0xdf, 0x80, 0xbf, 2},
		{0xe0, 0xe0, 0xa0, 0xbf, 3},
		{0xe1, 0xec, 0x80, 0xbf, 3},
		{0xed, 0xed, 0x80, 0x9f, 3},
		{0xee, 0xef, 0x80, 0xbf, 3},
		{0xf0, 0xf0, 0x90, 0xbf, 4},
		{0xf1, 0xf3, 0x80, 0xbf, 4},
		{0xf4, 0xf4, 0x80, 0x8f, 4},
	};

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		const unsigned char *row = rows[i];
		if (text[0] < row[0] || text[0] > row[1])
			continue;
		if (text[1] < row[2] || text[1] > row[3])
			return 0;
		/* The zero at the end is no continuation: never read past it. */
		for (size_t k = 2; k < row[4]; k++)
			if ((text[k] & 0xc0) != 0x80)
				return 0;
		return row[4];
	}
	return 0;
}

static void make_valid(char *text)
{
	while (*text) {
		size_t length = character_length((const unsigned char *)text);
		if (length == 0)
			*text = '?';
		text += length ? length : 1;
	}
}

static bool add_block(struct text_store *store, size_t bytes)
{
	size_t size = bytes > BLOCK_BYTES ? bytes : BLOCK_BYTES;
	struct text_block *block = malloc(sizeof *block + size);

	if (!block) {
		store->failed = true;
		return false;
	}
	block->next = store->block;
	block->used = 0;
	store->block = block;
	store->free = size;
	return true;
}

char *text_store_add(struct text_store *store, const char *text)
{
	size_t bytes = strlen(text) + 1;

	if (bytes > store->free && !add_block(store, bytes))
		return NULL;
	char *copy = store->block->bytes + store->block->used;
	memcpy(copy, text, bytes);
	store->block->used += bytes;
	store->free -= bytes;
	make_valid(copy);
	return copy;
}

void text_store_fini(struct text_store *store)
{
	while (store->block) {
		struct text_block *next = store->block->next;
		free(store->block);
		store->block = next;
	}
	*store = (struct text_store){0};
}

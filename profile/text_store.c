/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* text_store: see text_store.h. */
#include "profile/text_store.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "error/utf8.h"

#define BLOCK_BYTES 65536

struct text_block {
	struct text_block *next;
	size_t used;
	char bytes[];
};

static void make_valid(char *text)
{
	while (*text) {
		size_t length = utf8_length(text, UTF8_MAX);
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

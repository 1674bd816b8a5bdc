/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* store: large things have a block each, small ones share some. */
#include "profile/store.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { SHARED = 64 * 1024, LARGE = SHARED / 8, ALIGNED = 16 };

struct store_block {
	struct store_block *next;
	_Alignas(ALIGNED) char bytes[];
};

void store_fini(struct store *store)
{
	while (store->blocks) {
		struct store_block *next = store->blocks->next;

		free(store->blocks);
		store->blocks = next;
	}
	*store = (struct store){0};
}

/* Zeroed by the kernel, if it is large. */
static char *add_block(struct store *store, size_t size)
{
	struct store_block *block = calloc(1, sizeof(*block) + size);

	if (!block) {
		store->failed = true;
		return NULL;
	}
	block->next = store->blocks;
	store->blocks = block;
	return block->bytes;
}

void *store_room(struct store *store, size_t count, size_t size)
{
	char *bytes;

	if (count >= PTRDIFF_MAX / (size + 1)) {
		store->failed = true;
		return NULL;
	}
	size = (count * size / ALIGNED + 1) * ALIGNED;
	if (size > LARGE)
		return add_block(store, size);
	if (store->left < size) {
		store->free = add_block(store, SHARED);
		store->left = store->free ? SHARED : 0;
	}
	if (!store->free)
		return NULL;
	bytes = store->free;
	store->free += size;
	store->left -= size;
	return bytes;
}

struct label store_bytes(struct store *store, const char *bytes, size_t length)
{
	char *copy = store_room(store, length + 1, 1);

	if (!copy)
		return (struct label){"", 0};
	if (length > 0)
		memcpy(copy, bytes, length);
	copy[length] = '\0';
	return (struct label){copy, length};
}

struct label store_format(struct store *store, const char *format, ...)
{
	struct label label = {"", 0};
	char *text = NULL;
	va_list arguments;
	int length;

	va_start(arguments, format);
	length = vasprintf(&text, format, arguments);
	va_end(arguments);
	if (length < 0) {
		store->failed = true;
		return label;
	}
	label = store_bytes(store, text, (size_t)length);
	free(text);
	return label;
}

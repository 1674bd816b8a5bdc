/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* pieces: see pieces.h. A list of blocks of the heap. */
#include "agent/values/pieces.h"

#include <stdint.h>
#include <stdlib.h>

enum { CARVED = 32 << 10 }; /* bytes that small ones come from */

struct piece {
	struct piece *before;
	max_align_t bytes[];
};

void *pieces_take(struct pieces *pieces, size_t bytes, size_t most)
{
	struct piece *piece;

	if (bytes > most || pieces->bytes > most - bytes)
		return NULL;
	piece = calloc(1, sizeof(*piece) + bytes);
	if (!piece)
		return NULL;
	piece->before = pieces->last;
	pieces->last = piece;
	pieces->bytes += bytes;
	return piece->bytes;
}

void *pieces_carve(struct pieces *pieces, size_t bytes, size_t most)
{
	void *carved;

	bytes = (bytes / sizeof(uint32_t) + 1) * sizeof(uint32_t);
	if (bytes > CARVED / 4)
		return pieces_take(pieces, bytes, most);
	if (bytes > pieces->left) {
		char *fresh = pieces_take(pieces, CARVED, most);

		if (!fresh)
			return NULL;
		pieces->at = fresh;
		pieces->left = CARVED;
	}
	carved = pieces->at;
	pieces->at += bytes;
	pieces->left -= bytes;
	return carved;
}

void pieces_forget(struct pieces *pieces)
{
	while (pieces->last) {
		struct piece *piece = pieces->last;

		pieces->last = piece->before;
		free(piece);
	}
	*pieces = (struct pieces){0};
}

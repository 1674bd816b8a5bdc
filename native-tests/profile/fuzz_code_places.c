/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* Any bytes as places of compiled code: what is decoded can be looked at everywhere, and coded anew it is the
 * same. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error/error.h"
#include "native-tests/fuzz/text_mutator.h"
#include "profile/code_places.h"

enum { DEPTH = 64 };

static void require(bool condition, const char *what)
{
	if (!condition) {
		fprintf(stderr, "violated: %s\n", what);
		abort();
	}
}

static void look(const struct code_places *places)
{
	struct code_position position[DEPTH];

	for (uint32_t i = 1; i < places->frames; i++)
		require(places->frame[i].outer < i, "frames stand behind their outer ones");
	for (uint32_t i = 0; i < places->places; i++) {
		const struct code_place *place = &places->place[i];
		unsigned depth = code_places_at(places, place->offset, position, DEPTH);

		require(place->frame < places->frames, "a place's frame is there");
		require(i == 0 || place->offset > place[-1].offset, "offsets rise");
		require(depth > 0 && depth <= DEPTH, "a place has a stack");
		require(position[0].line == place->line, "and it is its own");
	}
	code_places_at(places, UINT32_MAX, position, DEPTH);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct code_places places, again;
	size_t coded;
	uint8_t *code;
	int status = code_places_decode(&places, bytes, size);

	if (status < 0) {
		require(status == -ERROR_FORMAT && !places.frame, "nothing is given out");
		return 0;
	}
	look(&places);
	code = code_places_encode(&places, &coded);
	require(code && coded <= size, "the coding is the shortest");
	require(code_places_decode(&again, code, coded) == 0, "it can be read");
	require(again.frames == places.frames && again.places == places.places &&
			memcmp(again.place, places.place,
				places.places * sizeof(*places.place)) == 0,
		"it is the same");
	free(code);
	code_places_fini(&places);
	code_places_fini(&again);
	return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed)
{
	/* Small numbers are most of it. */
	size = LLVMFuzzerMutate(data, size, max_size);
	if (size > 0 && seed % 2)
		data[seed % size] &= 0x0f;
	return size;
}

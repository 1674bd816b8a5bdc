/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* code_places: see code_places.h. */
#include "profile/code_places.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "error/error.h"

enum {
	NUMBER_BYTES = 5,   /* of 32 bits, or 33 */
	FRAME_BYTES_MIN = 3 /* three numbers */
};

/* ---- numbers: seven bits a byte, the lowest first; the last byte is below 128 ---- */

static void put_number(uint8_t **to, uint64_t number)
{
	for (; number >= 0x80; number >>= 7)
		*(*to)++ = (uint8_t)(number | 0x80);
	*(*to)++ = (uint8_t)number;
}

/* The difference to the number before, its sign in the lowest bit. */
static void put_difference(uint8_t **to, uint32_t number, uint32_t before)
{
	int64_t difference = (int64_t)number - before;

	put_number(to, ((uint64_t)difference << 1) ^ (uint64_t)(difference >> 63));
}

struct numbers {
	const uint8_t *at, *end;
	bool wrong;
};

static uint64_t take_number(struct numbers *from)
{
	uint64_t number = 0;

	for (unsigned i = 0; i < NUMBER_BYTES && from->at < from->end; i++) {
		uint8_t byte = *from->at++;

		number |= (uint64_t)(byte & 0x7f) << 7 * i;
		if (byte < 0x80)
			return number;
	}
	from->wrong = true;
	return 0;
}

static uint32_t take_difference(struct numbers *from, uint32_t before)
{
	uint64_t number = take_number(from);
	int64_t sum = (int64_t)before + ((int64_t)(number >> 1) ^ -(int64_t)(number & 1));

	from->wrong |= sum < 0 || sum > UINT32_MAX;
	return (uint32_t)sum;
}

/* ---- to bytes ---- */

uint8_t *code_places_encode(const struct code_places *places, size_t *size)
{
	size_t most = NUMBER_BYTES * (1 + 3 * ((size_t)places->frames + places->places));
	uint32_t *line = calloc(places->frames, sizeof(*line)), offset = 0, frame = 0;
	uint8_t *bytes = malloc(most), *to = bytes, *fitting;

	*size = 0;
	if (!line || !bytes) {
		free(line);
		free(bytes);
		return NULL;
	}
	put_number(&to, places->frames - 1);
	for (uint32_t i = 1; i < places->frames; i++) {
		const struct code_frame *one = &places->frame[i];

		put_number(&to, i - one->outer);
		put_difference(&to, one->line, i > 1 ? one[-1].line : 0);
		put_difference(&to, one->method, i > 1 ? one[-1].method : 0);
	}
	for (uint32_t i = 0; i < places->places; i++) {
		const struct code_place *one = &places->place[i];

		put_number(&to, (uint64_t)(one->offset - offset) << 1 | (one->frame != frame));
		if (one->frame != frame)
			put_difference(&to, one->frame, frame);
		put_difference(&to, one->line, line[one->frame]);
		offset = one->offset;
		frame = one->frame;
		line[frame] = one->line;
	}
	free(line);
	*size = (size_t)(to - bytes);
	fitting = realloc(bytes, *size);
	return fitting ? fitting : bytes;
}

/* ---- from bytes ---- */

static void take_frames(struct code_places *places, struct numbers *from)
{
	struct code_frame before = {0};

	for (uint32_t i = 1; i < places->frames && !from->wrong; i++) {
		struct code_frame *one = &places->frame[i];
		uint64_t outwards = take_number(from);

		from->wrong |= outwards == 0 || outwards > i;
		one->outer = (uint32_t)(i - outwards);
		one->line = take_difference(from, before.line);
		one->method = take_difference(from, before.method);
		before = *one;
	}
}

/* line: of each frame, the last one. */
static void take_places(struct code_places *places, uint32_t *line, struct numbers *from)
{
	uint64_t offset = 0;
	uint32_t frame = 0;

	while (from->at < from->end && !from->wrong) {
		struct code_place *one = &places->place[places->places];
		uint64_t head = take_number(from);

		offset += head >> 1;
		if (head & 1)
			frame = take_difference(from, frame);
		from->wrong |= frame >= places->frames || offset > UINT32_MAX ||
			       (places->places > 0 && head >> 1 == 0);
		if (from->wrong)
			return;
		line[frame] = take_difference(from, line[frame]);
		*one = (struct code_place){(uint32_t)offset, frame, line[frame]};
		places->places++;
	}
}

int code_places_decode(struct code_places *places, const uint8_t *bytes, size_t size)
{
	struct numbers from = {bytes, bytes + size, false};
	uint64_t frames = take_number(&from);
	uint32_t *line;

	*places = (struct code_places){0};
	if (from.wrong || frames > size / FRAME_BYTES_MIN)
		return -ERROR_FORMAT;
	places->frames = (uint32_t)frames + 1;
	places->frame = calloc(places->frames, sizeof(*places->frame));
	/* A place has two bytes at least. */
	places->place = calloc(size / 2 + 1, sizeof(*places->place));
	line = calloc(places->frames, sizeof(*line));
	if (!places->frame || !places->place || !line) {
		free(line);
		code_places_fini(places);
		return -ERROR_MEMORY;
	}
	take_frames(places, &from);
	take_places(places, line, &from);
	free(line);
	if (!from.wrong)
		return 0;
	code_places_fini(places);
	return -ERROR_FORMAT;
}

void code_places_fini(struct code_places *places)
{
	free(places->frame);
	free(places->place);
	*places = (struct code_places){0};
}

unsigned code_places_at(const struct code_places *places, uint32_t offset,
	struct code_position *position, unsigned most)
{
	uint32_t low = 0, high = places->places, frame, line;
	unsigned count = 0;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (places->place[middle].offset < offset)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == places->places)
		return 0;
	frame = places->place[low].frame;
	line = places->place[low].line;
	while (count < most) {
		position[count++] = (struct code_position){places->frame[frame].method, line};
		if (frame == 0)
			break;
		line = places->frame[frame].line;
		frame = places->frame[frame].outer;
	}
	return count;
}

/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * code_places: which methods and lines the instructions of a piece of compiled code belong to.
 *
 *   frames: a tree. 0 is the code's own method, each other one is inlined into its outer one, at a line
 *   places: ranges of the code, one behind the other; each has a frame, and a line in that frame's method
 *
 *      | 12: frame 0, line 40 | 31: frame 2, line 7 | 44: frame 0, line 41 |    up to that offset, included
 *
 * As bytes (of the profile) this is numbers, differences mostly; docs/profile-format.md has the coding. Two to
 * three bytes a place, and five a frame.
 *
 * Owns: what is decoded. Runs: anywhere; bytes may be anybody's.
 */
#ifndef JPROF_PROFILE_CODE_PLACES_H
#define JPROF_PROFILE_CODE_PLACES_H

#include <stddef.h>
#include <stdint.h>

/* Made by the caller or by code_places_decode. */
struct code_frame {
	uint32_t outer;  /* below its own number; of frame 0 nothing */
	uint32_t line;   /* of the call, in the outer one's method; 0: not known */
	uint32_t method; /* id; of frame 0 nothing: the code's method */
};

struct code_place {
	uint32_t offset; /* of the last instruction; above the place's before */
	uint32_t frame;
	uint32_t line; /* 0: not known */
};

struct code_places {
	struct code_frame *frame; /* frames, one at least */
	struct code_place *place;
	uint32_t frames, places;
};

/* The bytes, owned (free); *size of them. NULL without memory. */
uint8_t *code_places_encode(const struct code_places *places, size_t *size);

/* 0; -ERROR_MEMORY; or -ERROR_FORMAT: these are no places, and nothing is given out. fini is harmless then. */
int code_places_decode(struct code_places *places, const uint8_t *bytes, size_t size);
void code_places_fini(struct code_places *places);

/* A method of the stack at a place. */
struct code_position {
	uint32_t method; /* id; 0: the code's own */
	uint32_t line;
};

/* What an instruction belongs to, innermost first, at most so many. Returns how many; 0: it lies behind the
 * last place. */
unsigned code_places_at(const struct code_places *places, uint32_t offset,
	struct code_position *position, unsigned most);

#endif

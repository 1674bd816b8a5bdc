/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* sequence: the words of a code. */
#include "calibration/sequence.h"

#include <stddef.h>
#include <string.h>

static const char *const type_names[SEQUENCE_TYPES] = {"interpreted", "interpreted static",
	"jitted", "jitted static", "native", "native static", "outside"};
static const char *const transition_names[] = {"entry", "exit"};
static const char unwind_name[] = "unwind";

bool sequence_to_words(uint32_t code, struct sequence_words *words)
{
	if (code >= SEQUENCE_CODES)
		return false;
	if (code >= SEQUENCE_UNWIND) {
		*words = (struct sequence_words){
			.second = type_names[sequence_second_type(code)], .end = unwind_name};
		return words->second != NULL;
	}
	*words = (struct sequence_words){
		.first = type_names[sequence_first_type(code)],
		.begin = transition_names[sequence_begin(code)],
		.second = type_names[sequence_second_type(code)],
		.end = transition_names[sequence_end(code)],
		.third = type_names[sequence_third_type(code)],
	};
	return words->first && words->second && words->third;
}

/* Its place among the names, or -1. */
static int find(const char *const *names, int count, const char *name)
{
	for (int i = 0; i < count; i++)
		if (name && names[i] && strcmp(names[i], name) == 0)
			return i;
	return -1;
}

static int find_type(const char *name)
{
	return find(type_names, SEQUENCE_TYPES, name);
}

static uint32_t third_of(int type)
{
	return sequence_third((enum call_state)(type >> 1), type & 1);
}

int sequence_from_words(const struct sequence_words *words)
{
	int first = find_type(words->first), second = find_type(words->second);
	int third = find_type(words->third);
	int begin = find(transition_names, 2, words->begin);
	int end = find(transition_names, 2, words->end);
	uint32_t code;

	if (words->end && strcmp(words->end, unwind_name) == 0) {
		if (second < 0 || words->first || words->begin || words->third)
			return -1;
		return SEQUENCE_UNWIND + second;
	}
	if (first < 0 || second < 0 || third < 0 || begin < 0 || end < 0)
		return -1;
	code = sequence_roll(0, third_of(first), TRANSITION_ENTRY);
	code = sequence_roll(code, third_of(second), (enum transition)begin);
	return (int)sequence_roll(code, third_of(third), (enum transition)end);
}

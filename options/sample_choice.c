/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* sample_choice: see sample_choice.h. */
#include "options/sample_choice.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct unit {
	const char *name;
	uint64_t factor;
};

static const struct unit times[] = {
	{"ns", 1}, {"us", 1000}, {"ms", 1000000}, {"s", 1000000000}, {NULL, 0}};
static const struct unit sizes[] = {
	{"", 1}, {"k", 1 << 10}, {"m", 1 << 20}, {"g", 1 << 30}, {NULL, 0}};
static const struct unit counts[] = {
	{"", 1}, {"k", 1000}, {"m", 1000000}, {"g", 1000000000}, {NULL, 0}};

/* A kind by the word before the colon; the last one is any other word. */
static const struct kind {
	const char *word;
	enum sample_event_kind kind;
	const struct unit *units;
	uint64_t least, most;
	const char *unit;
	const char *wrong; /* period */
} kinds[] = {
	{"cpu", SAMPLE_CPU, times, 10000, UINT64_C(60000000000), "ns",
		"has a period that is no time from 10us to 60s"},
	{"wall", SAMPLE_WALL, times, 1000000, UINT64_C(3600000000000), "ns",
		"has a period that is no time from 1ms to 3600s"},
	{"alloc", SAMPLE_ALLOC, sizes, 1, UINT64_C(1) << 30, "bytes",
		"has a period that is no size up to 1g"},
	{"enter", SAMPLE_ENTER, counts, 1, UINT32_MAX, "entries",
		"has a number behind the method that is none from 1 to 4294967295"},
	{NULL, SAMPLE_EVENT, counts, 1000, UINT64_C(1) << 40, "count",
		"has a period that is no number from 1000 to 1099511627776"},
};

/* The number, and the unit of it. 0: it is none. */
static uint64_t read_period(const char *text, const struct unit *units)
{
	char *end;
	uint64_t number;

	if (!isdigit((unsigned char)*text))
		return 0;
	number = strtoull(text, &end, 10);
	for (; units->name; units++)
		if (strcasecmp(end, units->name) == 0)
			return number <= UINT64_MAX / units->factor ? number * units->factor
								    : 0;
	return 0;
}

const char *sample_choice_read(const char *item, struct sample_choice *choice)
{
	const char *colon = strrchr(item, ':'), *begin = item;
	const struct kind *kind = kinds;
	size_t length;

	while (kind->word && (strncmp(item, kind->word, strlen(kind->word)) != 0 ||
				     item[strlen(kind->word)] != ':'))
		kind++;
	*choice = (struct sample_choice){.kind = kind->kind, .period = 1};
	/* Names of events and methods may have colons, these words have none. */
	if (kind->word && kind->kind != SAMPLE_ENTER)
		colon = item + strlen(kind->word);
	if (!colon || (kind->kind == SAMPLE_ENTER && !colon[1]))
		return kind->word && kind->kind == SAMPLE_ENTER ? "names no method"
								: "has no period behind a ':'";
	if (kind->kind == SAMPLE_ENTER) {
		begin = item + strlen("enter:");
		/* A method's name may not begin with a digit (JVMS 4.2.2 and JLS 3.8). */
		if (colon < begin || !isdigit((unsigned char)colon[1]))
			colon = item + strlen(item);
	}
	if (*colon)
		choice->period = read_period(colon + 1, kind->units);
	if (choice->period < kind->least || choice->period > kind->most)
		return kind->wrong;
	length = (size_t)(colon - begin);
	if (length == 0 || length >= sizeof(choice->event))
		return "names no event";
	memcpy(choice->event, begin, length);
	choice->event[length] = '\0';
	return NULL;
}

const char *sample_choice_unit(const struct sample_choice *choice)
{
	for (const struct kind *kind = kinds;; kind++)
		if (kind->kind == choice->kind)
			return kind->unit;
}

int sample_choice_entered(const struct pattern_list *sample, struct pattern_list *entered)
{
	struct sample_choice choice;

	for (size_t i = 0; i < sample->count; i++) {
		if (sample_choice_read(sample->pattern[i], &choice) != NULL ||
			choice.kind != SAMPLE_ENTER)
			continue;
		if (pattern_list_add(entered, choice.event) != 0)
			return -1;
	}
	return 0;
}

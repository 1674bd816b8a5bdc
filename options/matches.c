/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* matches: see matches.h. */
#include "options/matches.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "options/pattern.h"

json_t *matches_row(const char *option, const char *pattern, uint64_t matches, json_t *near)
{
	json_t *row = json_pack("{s:s, s:s, s:I}", "option", option, "pattern", pattern,
		"matches", (json_int_t)matches);

	if (row && near && json_object_set(row, "near", near) != 0) {
		json_decref(row);
		row = NULL;
	}
	json_decref(near);
	return row;
}

/* False: it is no row, or has matched something. */
static bool read_unmatched(
	const json_t *row, const char **option, const char **pattern, const json_t **near)
{
	const json_t *matches = json_object_get(row, "matches");

	*option = json_string_value(json_object_get(row, "option"));
	*pattern = json_string_value(json_object_get(row, "pattern"));
	*near = json_object_get(row, "near");
	return *option && *pattern && json_is_integer(matches) &&
	       json_integer_value(matches) == 0;
}

/* What no pattern of the option has matched. */
static const char *thing_of(const char *option)
{
	static const char *const things[][2] = {
		{"threads", "thread"},
		{"events", "event of a method"},
		{"events_when", "event of a method"},
	};

	for (size_t i = 0; i < sizeof(things) / sizeof(*things); i++)
		if (strcmp(option, things[i][0]) == 0)
			return things[i][1];
	return "method";
}

static void put_near(FILE *out, const json_t *near)
{
	const char *before = "; near it are ";

	for (size_t i = 0; i < json_array_size(near); i++) {
		const char *name = json_string_value(json_array_get(near, i));

		if (!name)
			continue;
		fprintf(out, "%s'%s'", before, name);
		before = ", ";
	}
}

size_t matches_say(const json_t *rows, bool has_ended, size_t most,
	void (*say)(void *user, const char *line), void *user)
{
	const char *option, *pattern;
	const json_t *near;
	size_t count = 0, size;
	char more[80];

	for (size_t i = 0; i < json_array_size(rows); i++) {
		char *line = NULL;
		FILE *out;

		if (!read_unmatched(json_array_get(rows, i), &option, &pattern, &near))
			continue;
		if (++count > most && most > 0)
			continue;
		out = open_memstream(&line, &size);
		if (!out)
			continue;
		fprintf(out, "%s=%s: no %s of this name %s", option, pattern, thing_of(option),
			has_ended ? "was seen" : "is there yet");
		put_near(out, near);
		if (fclose(out) == 0)
			say(user, line);
		free(line);
	}
	if (count > most && most > 0) {
		snprintf(more, sizeof(more), "and %zu patterns more have matched nothing",
			count - most);
		say(user, more);
	}
	return count;
}

const char *matches_nothing(const json_t *rows)
{
	static const char *const keys[] = {"threads", "scope", "include"};
	bool any[3] = {false}, matched[3] = {false};
	const char *option, *pattern;
	const json_t *near;

	for (size_t i = 0; i < 3 * json_array_size(rows); i++) {
		bool unmatched =
			read_unmatched(json_array_get(rows, i / 3), &option, &pattern, &near);

		if (!option || strcmp(option, keys[i % 3]) != 0)
			continue;
		any[i % 3] = true;
		/* What adds to all application classes leaves those. */
		matched[i % 3] |= !unmatched || *pattern == PATTERN_ADD;
	}
	/* Methods of the scope are recorded whatever include says. */
	matched[2] |= matched[1];
	for (size_t k = 0; k < 3; k++)
		if (any[k] && !matched[k])
			return keys[k];
	return NULL;
}

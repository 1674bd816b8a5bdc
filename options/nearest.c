/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * nearest: edit distance, one row at a time.
 */
#include "options/nearest.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static size_t nearest_min(size_t a, size_t b)
{
	return a < b ? a : b;
}

size_t nearest_distance(const char *a, const char *b, bool is_pattern)
{
	size_t columns = nearest_min(strlen(b), NEAREST_NAME - 1);
	size_t rows = nearest_min(strlen(a), NEAREST_NAME - 1);
	size_t row[NEAREST_NAME], missing = is_pattern ? 2 : 1;

	for (size_t j = 0; j <= columns; j++)
		row[j] = j;
	for (size_t i = 1; i <= rows; i++) {
		bool any = is_pattern && a[i - 1] == '*';
		size_t diagonal = row[0];

		row[0] += any ? 0 : missing;
		for (size_t j = 1; j <= columns; j++) {
			bool differs = tolower((unsigned char)a[i - 1]) !=
				       tolower((unsigned char)b[j - 1]);
			size_t replace = diagonal + (differs ? missing : 0);
			size_t skip = nearest_min(row[j] + missing, row[j - 1] + 1);

			diagonal = row[j];
			row[j] = any ? nearest_min(row[j], row[j - 1])
				     : nearest_min(replace, skip);
		}
	}
	return row[columns];
}

void nearest_offer(struct nearest *nearest, const char *candidate)
{
	size_t distance = nearest_distance(nearest->wanted, candidate, nearest->is_pattern);
	size_t at = nearest->count;

	while (at > 0 && nearest->best[at - 1].distance > distance)
		at--;
	if (at == NEAREST_COUNT)
		return;
	for (size_t i = 0; i < at; i++) {
		if (!strcmp(nearest->best[i].name, candidate))
			return;
	}
	if (nearest->count < NEAREST_COUNT)
		nearest->count++;
	memmove(&nearest->best[at + 1], &nearest->best[at],
		(nearest->count - 1 - at) * sizeof(nearest->best[0]));
	nearest->best[at].distance = distance;
	snprintf(nearest->best[at].name, NEAREST_NAME, "%s", candidate);
}

void nearest_text(const struct nearest *nearest, char *text, size_t size)
{
	size_t used = 0;

	text[0] = '\0';
	for (size_t i = 0; i < nearest->count && used < size; i++)
		used += (size_t)snprintf(text + used, size - used, "%s'%s'", i ? ", " : "",
			nearest->best[i].name);
}

void choices_add(struct choices *choices, const char *name)
{
	size_t used = strlen(choices->known);

	nearest_offer(&choices->nearest, name);
	snprintf(choices->known + used, sizeof(choices->known) - used, "%s%s",
		used > 0 ? ", " : "", name);
}

const char *choices_text(struct choices *choices, const char *what)
{
	const struct nearest *nearest = &choices->nearest;
	const char *guess = NULL;

	/* So little has to be changed that it was probably meant. */
	if (nearest->count > 0 &&
		nearest->best[0].distance <= (strlen(nearest->wanted) + 1) / 3)
		guess = nearest->best[0].name;
	snprintf(choices->text, sizeof(choices->text), ";%s%s%s the %s are %s",
		guess != NULL ? " did you mean '" : "", guess ? guess : "",
		guess != NULL ? "'?" : "", what, choices->known);
	return choices->text;
}

/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* number: see number.h. */
#include "options/number.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct number_unit {
	const char *name;
	uint64_t ns;
} number_times[] = {{"ns", 1}, {"us", 1000}, {"ms", 1000000}, {"s", 1000000000},
	{"m", UINT64_C(60000000000)}, {"h", UINT64_C(3600000000000)}, {NULL, 0}};

bool number_read(const char *text, uint64_t *number)
{
	char *end;

	errno = 0;
	*number = strtoull(text, &end, 10);
	return text[0] >= '0' && text[0] <= '9' && *end == '\0' && errno == 0;
}

bool number_read_percent(const char *text, double *part)
{
	char *end;

	*part = strtod(text, &end) / 100;
	end += *end == '%';
	return text[0] >= '0' && text[0] <= '9' && *end == '\0' && isfinite(*part);
}

/* The unit that the text begins with, the longest; NULL: none. */
static const struct number_unit *unit_of(const char *text)
{
	const struct number_unit *best = NULL;

	for (const struct number_unit *unit = number_times; unit->name; unit++)
		if (strncmp(text, unit->name, strlen(unit->name)) == 0 &&
			(!best || strlen(unit->name) > strlen(best->name)))
			best = unit;
	return best;
}

bool number_read_time(const char *text, uint64_t *ns)
{
	double sum = 0;

	do {
		const struct number_unit *unit;
		char *end;
		double number;

		/* No signs, no exponents, no hexadecimal digits. */
		if (text[0] < '0' || text[0] > '9' || text[1] == 'x' || text[1] == 'X' ||
			text[strspn(text, "0123456789.")] == 'e')
			return false;
		number = strtod(text, &end);
		unit = unit_of(end);
		if (!unit)
			return false;
		sum += number * (double)unit->ns;
		text = end + strlen(unit->name);
	} while (*text);
	*ns = (uint64_t)(sum + 0.5);
	return sum < 9e18;
}

void number_write_time(uint64_t ns, char text[NUMBER_TIME])
{
	const struct number_unit *best = number_times;

	for (const struct number_unit *unit = number_times; unit->name; unit++)
		if (ns % unit->ns == 0)
			best = unit;
	snprintf(text, NUMBER_TIME, "%" PRIu64 "%s", ns / best->ns, best->name);
}

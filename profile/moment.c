/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* moment: see moment.h. */
#include "profile/moment.h"

#include <math.h>
#include <string.h>
#include <time.h>

/* Digits, with a point among them perhaps; no signs, no exponents. Returns what is behind them; the text itself: there were
 * none. */
static const char *read_number(const char *text, const char *end, double *number)
{
	double digit = 1;
	bool point = false;

	*number = 0;
	if (text < end && *text == '.')
		return text;
	for (; text < end && ((*text >= '0' && *text <= '9') || (*text == '.' && !point));
		text++) {
		if (*text == '.') {
			point = true;
			continue;
		}
		digit *= point ? 10 : 1;
		*number = 10 * *number + (*text - '0');
	}
	*number /= digit;
	return text;
}

/* ---- since the begin ---- */

static bool read_span(const char *text, const char *end, double *ns)
{
	static const struct {
		const char *name;
		double ns;
	} units[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"h", 3600e9}, {"m", 60e9},
		{"s", 1e9}, {"", 1e9}};
	const char *at = text;

	*ns = 0;
	do {
		double number;
		const char *unit = read_number(at, end, &number);
		size_t u = 0;

		while (strlen(units[u].name) > (size_t)(end - unit) ||
			memcmp(unit, units[u].name, strlen(units[u].name)) != 0)
			u++;
		/* Digits there must be; a number without a unit is alone. */
		if (unit == at || (units[u].name[0] == '\0' && (unit < end || at > text)))
			return false;
		*ns += number * units[u].ns;
		at = unit + strlen(units[u].name);
	} while (at < end);
	return true;
}

/* ---- by the clock ---- */

/* "2026-11-27T14:03:20.125Z" */
uint64_t moment_begin(const struct profile *profile)
{
	const char *started = profile_meta_get(profile, "started"), *rest;
	struct tm day = {0};
	double seconds;
	time_t begin;

	rest = started ? strptime(started, "%Y-%m-%dT%H:%M:", &day) : NULL;
	if (!rest || read_number(rest, rest + strlen(rest), &seconds) == rest)
		return 0;
	begin = timegm(&day);
	return begin > 0 && begin < INT64_MAX / 2000000000
		       ? (uint64_t)begin * 1000000000 + (uint64_t)(seconds * 1e9 + 0.5)
		       : 0;
}

/* Hours, minutes and seconds: as seconds of a day. */
static bool read_clock(const char *text, const char *end, struct tm *day, double *more)
{
	double part[3] = {0};
	int parts = 0;

	for (; parts < 3 && text < end; parts++) {
		const char *behind = read_number(text, end, &part[parts]);

		if (behind == text || (behind < end && (*behind != ':' || behind + 1 == end)) ||
			part[parts] >= (parts == 0 ? 24 : 60) ||
			(parts < 2 && part[parts] != floor(part[parts])))
			return false;
		text = behind + (behind < end);
	}
	*day = (struct tm){.tm_year = day->tm_year,
		.tm_mon = day->tm_mon,
		.tm_mday = day->tm_mday,
		.tm_hour = (int)part[0],
		.tm_min = (int)part[1],
		.tm_sec = (int)part[2],
		.tm_isdst = -1};
	*more = part[2] - floor(part[2]);
	return parts >= 2 && text == end;
}

static bool read_time_of_day(
	const struct profile *profile, const char *text, const char *end, double *ns)
{
	enum { HALF_DAY = 12 * 3600 };
	uint64_t begin_ns = moment_begin(profile);
	time_t begin = (time_t)(begin_ns / 1000000000), at;
	bool is_utc = end > text && end[-1] == 'Z';
	double more;
	struct tm day;

	if (begin == 0 || !(is_utc ? gmtime_r(&begin, &day) : localtime_r(&begin, &day)) ||
		!read_clock(text, end - is_utc, &day, &more))
		return false;
	at = is_utc ? timegm(&day) : mktime(&day);
	if (at < begin - HALF_DAY) {
		day.tm_mday++;
		day.tm_isdst = -1;
		at = is_utc ? timegm(&day) : mktime(&day);
	}
	*ns = (difftime(at, begin) + more) * 1e9 - (double)(begin_ns % 1000000000);
	*ns = fmax(*ns, 0);
	return true;
}

bool moment_read(const struct profile *profile, const char *text, size_t length, uint64_t *ns)
{
	const char *end = text + length;
	double found;

	if (!(memchr(text, ':', length) ? read_time_of_day(profile, text, end, &found)
					: read_span(text, end, &found)) ||
		!(found < 9e18))
		return false;
	*ns = (uint64_t)(found + 0.5);
	return true;
}

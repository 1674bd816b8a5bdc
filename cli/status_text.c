/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* status_text: a row for each line; a printer for each kind of value. */
#include "cli/status_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error/columns.h"
#include "error/harmless.h"
#include "options/matches.h"
#include "report/text/out.h"

enum { LABEL_WIDTH = 20 };

/* ---- values ---- */

/* Whoever answers may not be the agent. */
static void put_text(FILE *out, const json_t *value)
{
	const char *text = json_string_value(value);

	if (text)
		harmless_put(out, text);
}

static uint64_t number_of(const json_t *value)
{
	return json_integer_value(value) < 0 ? 0 : (uint64_t)json_integer_value(value);
}

static void put_count(FILE *out, const json_t *value)
{
	char digits[NUMBER_WIDTH], *end = digits + sizeof(digits);
	const char *start = number_grouped(end, number_of(value));

	fprintf(out, "%.*s", (int)(end - start), start);
}

/* A process id is no quantity. */
static void put_plain(FILE *out, const json_t *value)
{
	fprintf(out, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
}

static void put_bytes(FILE *out, const json_t *value)
{
	put_count(out, value);
	fputs(" bytes", out);
}

static void put_time(FILE *out, const json_t *value)
{
	char digits[NUMBER_WIDTH], *end = digits + sizeof(digits);
	const char *start = number_milliseconds(end, number_of(value));

	fprintf(out, "%.*s ms", (int)(end - start), start);
}

static void put_nanoseconds(FILE *out, const json_t *value)
{
	fprintf(out, "%.1f ns", json_number_value(value));
}

static void put_share(FILE *out, const json_t *value)
{
	fprintf(out, "%.2f %%", json_number_value(value) * 100);
}

static void put_list(FILE *out, const json_t *value)
{
	for (size_t i = 0; i < json_array_size(value); i++) {
		fputs(i > 0 ? ", " : "", out);
		put_text(out, json_array_get(value, i));
	}
}

/* Options: on one line, as in a config file. */
static void put_object(FILE *out, const json_t *value)
{
	char *text = json_dumps(value, JSON_COMPACT);

	harmless_put(out, text ? text : "?");
	free(text);
}

/* ---- rows ---- */

/* Of which JSON type a value has to be; a real one may be an integer, too. */
static const struct kind {
	json_type type;
	void (*put)(FILE *out, const json_t *value);
} text = {JSON_STRING, put_text}, count = {JSON_INTEGER, put_count},
  plain = {JSON_INTEGER, put_plain}, bytes = {JSON_INTEGER, put_bytes},
  span = {JSON_INTEGER, put_time}, nanoseconds = {JSON_REAL, put_nanoseconds},
  share = {JSON_REAL, put_share}, list = {JSON_ARRAY, put_list},
  object = {JSON_OBJECT, put_object};

static bool fits(const struct kind *kind, const json_t *value)
{
	if (kind->type == JSON_REAL)
		return json_is_number(value);
	return value && json_typeof(value) == kind->type &&
	       (kind->type != JSON_ARRAY || json_array_size(value) > 0);
}

static const struct row {
	const char *group, *key; /* group: NULL for the answer itself */
	const char *label;
	const struct kind *kind;
} rows[] = {
	{NULL, "state", "state", &text},
	{NULL, "pid", "pid in the JVM", &plain},
	{NULL, "agent", "agent", &text},
	{NULL, "uptime_ns", "loaded for", &span},
	{NULL, "clients", "clients", &count},
	{NULL, "file", "profile", &text},
	{NULL, "started", "started", &text},
	{NULL, "duration_ns", "recording for", &span},
	{NULL, "flushed_ns_ago", "written before", &span},
	{NULL, "options", "options", &object},
	{NULL, "threads", "threads", &count},
	{NULL, "threads_live", "threads alive", &count},
	{NULL, "calls", "calls", &count},
	{NULL, "events", "events", &count},
	{NULL, "nodes", "nodes", &count},
	{NULL, "pruned", "pruned nodes", &count},
	{NULL, "methods", "methods", &count},
	{NULL, "classes", "classes", &count},
	{NULL, "records", "I/O records", &count},
	{"memory", "used", "memory", &bytes},
	{"memory", "peak", "memory, peak", &bytes},
	{"memory", "limit", "memory, limit", &bytes},
	{"lost", "events", "lost events", &count},
	{"lost", "threads", "lost threads", &count},
	{"lost", "methods", "lost methods", &count},
	{"lost", "records", "lost records", &count},
	{"lost", "metrics", "lost metrics", &count},
	{"lost", "marks", "lost marks", &count},
	{"overhead", "event_ns", "cost of an event", &nanoseconds},
	{"overhead", "share", "share of CPU time", &share},
	{"overhead", "known_from", "both known from", &text},
	{NULL, "snapshots", "snapshots", &list},
	{NULL, "error", "last failure", &text},
};

static void put_unmatched(void *user, const char *line)
{
	fprintf(user, "%-*s", LABEL_WIDTH, "matches nothing");
	harmless_put(user, line);
	fputc('\n', user);
}

char *status_text(const json_t *status, unsigned width)
{
	char *lines = NULL;
	size_t size;
	FILE *out = open_memstream(&lines, &size);

	if (!out)
		return NULL;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const struct row *row = &rows[i];
		const json_t *group = row->group ? json_object_get(status, row->group) : status;
		const json_t *value = json_object_get(group, row->key);

		if (!fits(row->kind, value))
			continue;
		fprintf(out, "%-*s", LABEL_WIDTH, row->label);
		row->kind->put(out, value);
		fputc('\n', out);
	}
	matches_say(json_object_get(status, "matches"), false, 0, put_unmatched, out);
	if (fclose(out) != 0) {
		free(lines);
		return NULL;
	}
	if (width > 0)
		columns_cut_lines(lines, width);
	return lines;
}

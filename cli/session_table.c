/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* session_table: see session_table.h. */
#include "cli/session_table.h"

#include <pwd.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include "error/columns.h"
#include "error/harmless.h"

/* Between columns, and the room of a name at least, whose column the lines below leave free. */
enum { GAP = 2, NAME_ROOM = 4, MOST_ROWS = 8, NARROWEST = 40 };

static const char *text_at(const json_t *object, const char *key)
{
	return json_string_value(json_object_get(object, key));
}

/* ---- cells: each writes its text, or nothing ---- */

static void put_plain(FILE *out, const char *text)
{
	if (text)
		harmless_put(out, text);
}

static void put_name(FILE *out, const json_t *session)
{
	put_plain(out, text_at(session, "name"));
}

/* The name of the client's user is known here, not in the JVM. */
static void put_owner(FILE *out, const json_t *session)
{
	const json_t *owner = json_object_get(session, "owner");
	const json_t *uid = json_object_get(owner, "uid");
	const struct passwd *user =
		json_is_integer(uid) ? getpwuid((uid_t)json_integer_value(uid)) : NULL;
	const char *by = text_at(owner, "by");

	if (!json_is_integer(uid)) {
		put_plain(out, text_at(owner, "text"));
		return;
	}
	if (user)
		put_plain(out, user->pw_name);
	else
		fprintf(out, "uid %" JSON_INTEGER_FORMAT, json_integer_value(uid));
	if (by && *by) {
		fputs(", ", out);
		put_plain(out, by);
	}
}

/* "12 s", "3 min", "5 h" */
static void put_span(FILE *out, double seconds)
{
	static const struct {
		double from, unit;
		const char *name;
	} units[] = {{2 * 24 * 3600, 24 * 3600, "days"}, {2 * 3600, 3600, "h"},
		{120, 60, "min"}, {0, 1, "s"}};
	size_t i = 0;

	while (units[i].from > 0 && seconds < units[i].from)
		i++;
	fprintf(out, "%.0f %s", seconds / units[i].unit, units[i].name);
}

static void put_time(FILE *out, const json_t *session)
{
	const json_t *duration = json_object_get(session, "duration_ns");
	const json_t *left = json_object_get(session, "ends_in_ms");

	if (!json_is_integer(duration))
		return;
	put_span(out, (double)json_integer_value(duration) / 1e9);
	if (json_is_integer(left)) {
		fputs(", ", out);
		put_span(out, (double)json_integer_value(left) / 1e3);
		fputs(" left", out);
	}
}

/* A text, a number, or a list, "gc+locks". */
static void put_value(FILE *out, const json_t *value)
{
	const json_t *one;
	size_t i;

	put_plain(out, json_string_value(value));
	if (json_is_integer(value))
		fprintf(out, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
	json_array_foreach(value, i, one)
	{
		fputs(i ? "+" : "", out);
		put_plain(out, json_string_value(one));
	}
}

static void put_calls(FILE *out, const json_t *session)
{
	put_value(out, json_object_get(json_object_get(session, "options"), "calls"));
}

static void put_metrics(FILE *out, const json_t *session)
{
	put_value(out, json_object_get(json_object_get(session, "options"), "metrics"));
}

static void put_traces(FILE *out, const json_t *session)
{
	put_value(out, json_object_get(session, "traces"));
}

/* "include com.acme.*  threads worker-*": what it leaves out. */
static void put_filter(FILE *out, const json_t *session)
{
	static const char *const keys[] = {"include", "exclude", "threads", "scope"};
	const json_t *options = json_object_get(session, "options");
	bool any = false;

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		const json_t *value = json_object_get(options, keys[i]);
		const char *text = json_string_value(value);

		if (text ? *text == '\0' : json_array_size(value) == 0)
			continue;
		fprintf(out, "%s%s ", any ? "  " : "", keys[i]);
		put_value(out, value);
		any = true;
	}
	/* Chosen while it records. */
	if (text_at(session, "scope")) {
		fprintf(out, "%sscope tag:", any ? "  " : "");
		put_plain(out, text_at(session, "scope"));
	}
}

static void put_file(FILE *out, const json_t *session)
{
	put_plain(out, text_at(session, "file"));
}

/* ---- the table ---- */

static const struct column {
	const char *title;
	const char *word; /* before it, where it stands below its row */
	void (*put)(FILE *out, const json_t *session);
} columns[] = {
	{"Name", "", put_name},
	{"Owner", "of ", put_owner},
	{"For", "for ", put_time},
	{"Calls", "calls ", put_calls},
	{"Metrics", "metrics ", put_metrics},
	{"Traces", "traces ", put_traces},
	{"Filter", "", put_filter},
	{"File", "into ", put_file},
};

enum { COLUMNS = sizeof(columns) / sizeof(*columns) };

struct table {
	size_t rows;
	char *cell[MOST_ROWS][COLUMNS]; /* owned; NULL: no memory */
	size_t width[COLUMNS];
	size_t beside; /* so many columns stand in a row */
};

/* What a cell's function writes. Owned. */
static char *cell_of(const struct column *column, const json_t *session)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	column->put(out, session);
	fclose(out);
	return text;
}

static size_t columns_of(const char *text)
{
	return columns_count(text, strlen(text));
}

static const char *shown(const struct table *table, size_t row, size_t column)
{
	const char *text = table->cell[row][column];

	return text && *text ? text : "-";
}

static void fill(struct table *table, const json_t *sessions, size_t width)
{
	const json_t *session;
	size_t row, used = 0;

	json_array_foreach(sessions, row, session)
	{
		if (row == MOST_ROWS)
			break;
		table->rows++;
		for (size_t at = 0; at < COLUMNS; at++)
			table->cell[row][at] = cell_of(&columns[at], session);
	}
	for (size_t at = 0; at < COLUMNS; at++) {
		table->width[at] = strlen(columns[at].title);
		for (row = 0; row < table->rows; row++) {
			size_t own = columns_of(shown(table, row, at));

			if (own > table->width[at])
				table->width[at] = own;
		}
	}
	for (size_t at = 0; at < COLUMNS; at++) {
		used += table->width[at] + (at ? GAP : 0);
		if (width && at && used > width)
			return;
		table->beside = at + 1;
	}
}

static void put_padded(FILE *out, const struct table *table, size_t at, const char *text)
{
	fputs(text, out);
	if (at + 1 < table->beside)
		fprintf(out, "%*s", (int)(table->width[at] + GAP - columns_of(text)), "");
}

/* The middle of what is too long is left out. */
static void put_clipped(FILE *out, const char *text, size_t room)
{
	size_t all = columns_of(text), head = room / 3;

	if (all <= room) {
		fputs(text, out);
		return;
	}
	fprintf(out, "%.*s..%s", (int)columns_at_most(text, head), text,
		text + columns_at_least(text, all - (room - head - 2)));
}

/* What does not stand in the row: as many a line as there is room for. */
static void put_below(FILE *out, const struct table *table, size_t row, size_t width)
{
	size_t indent = table->width[0] + GAP, used = 0;

	for (size_t at = table->beside; at < COLUMNS; at++) {
		const char *text = table->cell[row][at];
		size_t word = strlen(columns[at].word), own;

		if (!text || !*text)
			continue;
		own = word + columns_of(text);
		if (used && used + GAP + own > width) {
			fputc('\n', out);
			used = 0;
		}
		fprintf(out, "%*s%s", (int)(used ? GAP : indent), "", columns[at].word);
		used += used ? GAP : indent;
		put_clipped(out, text, width - used - word);
		used += own;
	}
	if (used)
		fputc('\n', out);
}

void session_table_put(FILE *out, const json_t *sessions, unsigned width)
{
	struct table table = {0};

	if (width && width < NARROWEST)
		width = NARROWEST;
	fill(&table, sessions, width);
	for (size_t at = 0; at < table.beside; at++)
		put_padded(out, &table, at, columns[at].title);
	fputc('\n', out);
	for (size_t row = 0; row < table.rows; row++) {
		for (size_t at = 0; at < table.beside; at++)
			put_padded(out, &table, at, shown(&table, row, at));
		fputc('\n', out);
		put_below(out, &table, row, width);
		for (size_t at = 0; at < COLUMNS; at++)
			free(table.cell[row][at]);
	}
}

char *session_owner(const json_t *session)
{
	static const struct column owner = {.put = put_owner};
	char *text = cell_of(&owner, session);

	if (text && *text)
		return text;
	free(text);
	return NULL;
}

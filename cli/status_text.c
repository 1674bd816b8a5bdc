/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* status_text: see status_text.h. */
#include "cli/status_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/record/profile_file.h"
#include "cli/session_table.h"
#include "cli/terminal/outcome.h"
#include "error/columns.h"
#include "error/harmless.h"
#include "options/matches.h"
#include "report/text/out.h"

/* Of what was written into a memory stream, whose text is NULL if it could not be made. Lines
 * are cut to the width, 0: to none. Owned; NULL without memory. */
static char *text_of(FILE *out, char **text, unsigned width)
{
	if (!out || fclose(out) != 0) {
		free(*text);
		return NULL;
	}
	if (width > 0)
		columns_cut_lines(*text, width);
	return *text;
}

/* ---- the state: a row for each line, a printer for each kind of value ---- */

enum { LABEL_WIDTH = 20 };

static uint64_t number_of(const json_t *value)
{
	return json_integer_value(value) < 0 ? 0 : (uint64_t)json_integer_value(value);
}

/* What answers may not be the agent. */
static void put_text(FILE *out, const json_t *value)
{
	if (json_is_string(value))
		harmless_put(out, json_string_value(value));
}

static void put_count(FILE *out, const json_t *value)
{
	char digits[NUMBER_WIDTH] = "";

	fputs(number_grouped(digits + sizeof(digits) - 1, number_of(value)), out);
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
	char digits[NUMBER_WIDTH] = "";

	fprintf(out, "%s ms",
		number_milliseconds(digits + sizeof(digits) - 1, number_of(value)));
}

static void put_milliseconds(FILE *out, const json_t *value)
{
	put_count(out, value);
	fputs(" ms", out);
}

static void put_owner(FILE *out, const json_t *value)
{
	json_t *session = json_pack("{s:O}", "owner", value);
	char *owner = session_owner(session);

	fputs(owner ? owner : "?", out);
	free(owner);
	json_decref(session);
}

static void put_nanoseconds(FILE *out, const json_t *value)
{
	fprintf(out, "%.1f ns", json_number_value(value));
}

static void put_share(FILE *out, const json_t *value)
{
	fprintf(out, "%.2f %%", json_number_value(value) * 100);
}

static void put_percent(FILE *out, const json_t *value)
{
	put_count(out, value);
	fputs(" %", out);
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

/* Whose values are a session's, not all sessions' together. */
static const char session_group[] = "session";

static const struct row {
	const char *group, *key; /* group: NULL for the answer itself */
	const char *label;
	json_type type; /* that a value has to be of; a real one may be an integer, too */
	void (*put)(FILE *out, const json_t *value);
} lines_of_state[] = {
	{NULL, "state", "state", JSON_STRING, put_text},
	{NULL, "pid", "pid in the JVM", JSON_INTEGER, put_plain},
	{NULL, "agent", "agent", JSON_STRING, put_text},
	{NULL, "uptime_ns", "loaded for", JSON_INTEGER, put_time},
	{NULL, "clients", "clients", JSON_INTEGER, put_count},
	{session_group, "name", "session", JSON_STRING, put_text},
	{session_group, "owner", "owner", JSON_OBJECT, put_owner},
	{session_group, "file", "profile", JSON_STRING, put_text},
	{session_group, "started", "started", JSON_STRING, put_text},
	{session_group, "duration_ns", "recording for", JSON_INTEGER, put_time},
	{session_group, "ends_in_ms", "ends in", JSON_INTEGER, put_milliseconds},
	{NULL, "flushed_ns_ago", "written before", JSON_INTEGER, put_time},
	{session_group, "options", "options", JSON_OBJECT, put_object},
	{NULL, "threads", "threads", JSON_INTEGER, put_count},
	{NULL, "threads_live", "threads alive", JSON_INTEGER, put_count},
	{NULL, "calls", "calls", JSON_INTEGER, put_count},
	{NULL, "events", "events", JSON_INTEGER, put_count},
	{NULL, "nodes", "nodes", JSON_INTEGER, put_count},
	{NULL, "pruned", "pruned nodes", JSON_INTEGER, put_count},
	{NULL, "methods", "methods", JSON_INTEGER, put_count},
	{NULL, "classes", "classes", JSON_INTEGER, put_count},
	{NULL, "records", "I/O records", JSON_INTEGER, put_count},
	{"memory", "used", "memory", JSON_INTEGER, put_bytes},
	{"memory", "peak", "memory, peak", JSON_INTEGER, put_bytes},
	{"memory", "limit", "memory, limit", JSON_INTEGER, put_bytes},
	{"lost", "events", "lost events", JSON_INTEGER, put_count},
	{"lost", "threads", "lost threads", JSON_INTEGER, put_count},
	{"lost", "methods", "lost methods", JSON_INTEGER, put_count},
	{"lost", "records", "lost records", JSON_INTEGER, put_count},
	{"lost", "metrics", "lost metrics", JSON_INTEGER, put_count},
	{"lost", "marks", "lost marks", JSON_INTEGER, put_count},
	{"overhead", "event_ns", "cost of an event", JSON_REAL, put_nanoseconds},
	{"overhead", "share", "share of CPU time", JSON_REAL, put_share},
	{"overhead", "known_from", "both known from", JSON_STRING, put_text},
	{"budget", "percent", "budget", JSON_INTEGER, put_percent},
	{"budget", "timed", "methods timed", JSON_INTEGER, put_count},
	{"budget", "counted", "methods counted", JSON_INTEGER, put_count},
	{"budget", "dear", "as too dear", JSON_INTEGER, put_count},
	{NULL, "snapshots", "snapshots", JSON_ARRAY, put_list},
	{NULL, "error", "last failure", JSON_STRING, put_text},
};

struct unmatched {
	FILE *out;
	const char *session; /* its name, where there are several; or NULL */
};

static void put_unmatched(void *user, const char *line)
{
	const struct unmatched *unmatched = user;
	FILE *out = unmatched->out;

	fprintf(out, "%-*s", LABEL_WIDTH, "matches nothing");
	if (unmatched->session) {
		harmless_put(out, unmatched->session);
		fputs(": ", out);
	}
	harmless_put(out, line);
	fputc('\n', out);
}

/* A line for each value; session: NULL: those that are one session's are left out. */
static void put_state(FILE *out, const json_t *status, const json_t *session)
{
	for (size_t i = 0; i < sizeof(lines_of_state) / sizeof(*lines_of_state); i++) {
		const struct row *row = &lines_of_state[i];
		const json_t *group = row->group ? json_object_get(status, row->group) : status;
		const json_t *value;

		if (row->group == session_group)
			group = session;
		value = json_object_get(group, row->key);

		if (row->type == JSON_REAL ? !json_is_number(value)
					   : !value || json_typeof(value) != row->type)
			continue;
		if (row->type == JSON_ARRAY && json_array_size(value) == 0)
			continue;
		fprintf(out, "%-*s", LABEL_WIDTH, row->label);
		row->put(out, value);
		fputc('\n', out);
	}
}

/* The one that is meant: of that name, or the only one; NULL: all of them are. An agent that tells of none has what
 * it would tell of it in its answer itself. */
static const json_t *session_meant(const json_t *status, const char *name)
{
	const json_t *sessions = json_object_get(status, "sessions"), *session;
	size_t i;

	if (json_array_size(sessions) == 0)
		return status;
	if (json_array_size(sessions) == 1)
		return json_array_get(sessions, 0);
	json_array_foreach(sessions, i, session)
	{
		const char *own = json_string_value(json_object_get(session, "name"));

		if (name && own && strcmp(own, name) == 0)
			return session;
	}
	return NULL;
}

static void put_unmatched_of_all(FILE *out, const json_t *sessions)
{
	const json_t *session;
	size_t i;

	json_array_foreach(sessions, i, session)
	{
		struct unmatched unmatched = {
			out, json_string_value(json_object_get(session, "name"))};

		matches_say(json_object_get(session, "matches"), false, 0, put_unmatched,
			&unmatched);
	}
}

char *status_text(const json_t *status, const char *name, unsigned width, unsigned table_width)
{
	const json_t *session = session_meant(status, name);
	const json_t *sessions = json_object_get(status, "sessions");
	char *lines = NULL;
	size_t size;
	FILE *out = open_memstream(&lines, &size);

	if (out && !session) {
		session_table_put(out, sessions, table_width);
		fputc('\n', out);
	}
	if (out)
		put_state(out, status, session);
	if (out && session)
		matches_say(json_object_get(session, "matches"), false, 0, put_unmatched,
			&(struct unmatched){out, NULL});
	else if (out)
		put_unmatched_of_all(out, sessions);
	return text_of(out, &lines, width);
}

/* ---- rates: what is missing is below 0, and shown as "-" ---- */

/* Columns of names and shares; more is no count, and does not fit. */
enum { NAME_LINE = 34, NARROWEST = 20, SHARE_WIDTH = 26, TOP_LINE = 30 };
#define LARGEST 1e18

static double value_of(const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);

	return json_is_integer(value) && json_integer_value(value) >= 0
		       ? (double)json_integer_value(value)
		       : -1;
}

static double rate_of(const json_t *object, const char *key, double seconds)
{
	return value_of(object, key) < 0 ? -1 : value_of(object, key) / seconds;
}

struct shown {
	char text[NUMBER_WIDTH];
};

/* "1,234,567" */
static struct shown count_of(double value)
{
	struct shown shown = {"-"};
	char digits[NUMBER_WIDTH] = "", *end = digits + sizeof(digits) - 1;

	if (value >= 0)
		strcpy(shown.text, number_grouped(end, (uint64_t)(value < LARGEST ? value + 0.5
										  : LARGEST)));
	return shown;
}

/* "12.3 MB", with three digits. */
static struct shown size_of(double bytes)
{
	static const char *const units[] = {"bytes", "kB", "MB", "GB", "TB"};
	struct shown shown = {"-"};
	size_t unit = 0;

	if (bytes < 0)
		return shown;
	for (; bytes >= 999.5 && unit + 1 < sizeof(units) / sizeof(*units); unit++)
		bytes /= 1000;
	snprintf(shown.text, sizeof(shown.text), "%.*f %s", unit == 0 || bytes >= 99.95 ? 0 : 1,
		bytes, units[unit]);
	return shown;
}

static struct shown share_of(double share)
{
	struct shown shown = {"-"};

	if (share >= 0)
		snprintf(shown.text, sizeof(shown.text), "%.0f %%", share * 100);
	return shown;
}

/* In at most that many columns, the middle of a longer one left out. Returns how many it
 * took. */
static size_t put_name(FILE *out, const char *name, size_t width)
{
	enum { LONGEST = 1024 };
	char plain[LONGEST];
	size_t columns, head = width / 3, tail = width - head - 2, from;

	if (!name)
		name = "?";
	harmless_copy(plain, sizeof(plain), name, strlen(name));
	columns = columns_count(plain, strlen(plain));
	if (columns <= width) {
		fputs(plain, out);
		return columns;
	}
	from = columns_at_least(plain, columns - tail);
	head = columns_at_most(plain, head);
	fprintf(out, "%.*s..%s", (int)head, plain, plain + from);
	return columns_count(plain, head) + 2 +
	       columns_count(plain + from, strlen(plain + from));
}

static const char *method_of(const json_t *row)
{
	return json_string_value(json_object_get(row, "method"));
}

/* ns: since the last look. */
static void put_screen(FILE *out, const json_t *status, double ns, long pid, unsigned width)
{
	const json_t *rates = json_object_get(status, "rates");
	const json_t *metrics = json_object_get(rates, "metrics");
	const json_t *memory = json_object_get(status, "memory");
	const json_t *top = json_object_get(rates, "top"), *row;
	size_t room = width > NARROWEST + SHARE_WIDTH ? width - SHARE_WIDTH : NARROWEST, i;
	double seconds = ns / 1e9;

	fprintf(out, "process %ld, recording for %.0f s; the last %.1f s, per second:\n", pid,
		value_of(status, "duration_ns") / 1e9, seconds);
	fprintf(out, "calls       %16s   processor   %s in profiled threads, %s in all\n",
		count_of(rate_of(rates, "calls", seconds)).text,
		share_of(rate_of(metrics, "cpu", ns)).text,
		share_of(rate_of(rates, "process_cpu_ns", ns)).text);
	fprintf(out, "allocation       %s   I/O %s operations, %s\n",
		size_of(rate_of(metrics, "alloc", seconds)).text,
		count_of(rate_of(rates, "io_ops", seconds)).text,
		size_of(rate_of(rates, "io_bytes", seconds)).text);
	fprintf(out, "threads     %16s   memory %s of %s; a look takes %.1f ms\n",
		count_of(value_of(status, "threads_live")).text,
		size_of(value_of(memory, "used")).text, size_of(value_of(memory, "limit")).text,
		value_of(rates, "took_ns") / 1e6);
	if (json_array_size(top) > 0)
		fprintf(out, "%-*s%16s%10s\n", (int)room, "Method", "Calls/s", "CPU");
	json_array_foreach(top, i, row)
	{
		if (i == RATES_TOP)
			break;
		fprintf(out, "%*s%16s", (int)(room - put_name(out, method_of(row), room - 1)),
			"", count_of(rate_of(row, "calls", seconds)).text);
		if (value_of(row, "cpu") >= 0)
			fprintf(out, "%8.1f %%", value_of(row, "cpu") / ns * 100);
		fputc('\n', out);
	}
}

static void put_line(FILE *out, const json_t *rates, double ns)
{
	const json_t *metrics = json_object_get(rates, "metrics");
	const json_t *top = json_object_get(rates, "top");
	double seconds = ns / 1e9, cpu = rate_of(metrics, "cpu", ns);

	fprintf(out, "calls/s %s  cpu %s  alloc/s %s  io/s %s %s",
		count_of(rate_of(rates, "calls", seconds)).text,
		share_of(cpu >= 0 ? cpu : rate_of(rates, "process_cpu_ns", ns)).text,
		size_of(rate_of(metrics, "alloc", seconds)).text,
		count_of(rate_of(rates, "io_ops", seconds)).text,
		size_of(rate_of(rates, "io_bytes", seconds)).text);
	if (json_array_size(top) > 0) {
		fputs("  top ", out);
		put_name(out, method_of(json_array_get(top, 0)), TOP_LINE);
	}
}

char *status_rates(const json_t *status, long pid, unsigned width)
{
	const json_t *rates = json_object_get(status, "rates");
	const char *state = json_string_value(json_object_get(status, "state"));
	double ns = value_of(rates, "span_ns");
	char *lines = NULL;
	size_t size;
	FILE *out = open_memstream(&lines, &size);

	if (out && ns > 0 && width > 0) {
		put_screen(out, status, ns, pid, width);
	} else if (out && ns > 0) {
		put_line(out, rates, ns);
	} else if (out) {
		fprintf(out, "process %ld: ", width > 0 ? pid : (long)value_of(status, "pid"));
		put_name(out, state, NAME_LINE);
		fprintf(out, ", %s%s",
			state && strcmp(state, "recording") == 0 ? "no rates are told"
								 : "nothing is recorded",
			width > 0 ? "\n" : "");
	}
	return text_of(out, &lines, width);
}

/* ---- patterns ---- */

static void say_line(void *user, const char *line)
{
	say("%s", line);
}

bool status_say_matches(const json_t *rows, bool has_ended)
{
	const char *option = matches_nothing(rows);

	matches_say(rows, has_ended, MATCHES_SAID, say_line, NULL);
	if (!option || !has_ended)
		return false;
	say(MATCHES_NOTHING, "", option);
	return true;
}

/* ---- sessions ---- */

bool status_put_session(const json_t *started, const char *given, long pid)
{
	const char *name = json_string_value(json_object_get(started, "name"));
	const json_t *others = json_object_get(started, "shared_with"), *other;
	size_t i;

	if (!name || (!given && json_array_size(others) == 0))
		return false;
	fputs(" as session ", stderr);
	profile_file_put(name);
	json_array_foreach(others, i, other)
	{
		fputs(i ? ", " : ", beside ", stderr);
		profile_file_put(json_is_string(other) ? json_string_value(other) : "?");
	}
	fprintf(stderr, "; end it with: jprof stop %ld --name ", pid);
	profile_file_put(name);
	fputc('\n', stderr);
	return true;
}

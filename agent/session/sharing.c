/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* sharing: see sharing.h. */
#include "agent/session/sharing.h"

#include <stdlib.h>
#include <string.h>

/* ---- what the options that must agree are about ---- */

static bool always(const struct session *session)
{
	return true;
}

static bool times_calls(const struct session *session)
{
	return session_has_events(session);
}

static bool does_io(const struct session *session)
{
	return session->options.io != IO_OFF;
}

static bool watches(const struct session *session)
{
	return session->options.distribution.count > 0;
}

static bool reads_values(const struct session *session)
{
	return session_reads_values(session);
}

static bool has_scope(const struct session *session)
{
	return session_has_scope(session);
}

static bool reads_code(const struct session *session)
{
	return options_sample(&session->options) || session->options.keep_code;
}

static bool keeps_code(const struct session *session)
{
	return session->options.keep_code;
}

static bool traces_events(const struct session *session)
{
	return session->traces & 1U << TRACE_EVENTS;
}

static bool traces_objects(const struct session *session)
{
	return session->traces & 1U << TRACE_OBJECTS;
}

static bool traces_gc(const struct session *session)
{
	return session->traces & 1U << TRACE_GC;
}

static bool watches_calls(const struct session *host)
{
	return trace_watches_calls(host->trace);
}

/* An option that is the recording's until it ends: as the first session that settles it has it. Others to which it matters must
 * have it alike, also when that one has left. */
static const struct agreed {
	const char *key;
	bool (*matters)(const struct session *session);
	bool (*settles)(const struct session *session);
} agreed[] = {
	{"timing", times_calls, always},
	{"virtual", always, always},
	{"fold_below", always, always},
	{"io_cpu", does_io, does_io},
	{"io_class_loading", does_io, does_io},
	{"scope_follow", has_scope, has_scope},
	{"slowest", watches, watches},
	{"distribution_process", watches, watches},
	{"parameter_values", reads_values, reads_values},
	{"parameter_length", reads_values, always},
	{"events", traces_events, traces_events},
	{"events_keep", traces_events, traces_events},
	{"events_when", traces_events, traces_events},
	{"objects", traces_objects, traces_objects},
	{"gc_in_paths", traces_gc, traces_gc},
	{"keep_code", keeps_code, reads_code},
	{"budget", session_keeps_budget, session_keeps_budget},
};

enum { AGREED = sizeof(agreed) / sizeof(*agreed) };

/* What the recording can have from its begin alone. */
static const struct {
	const char *what; /* as the user gives it */
	bool (*wants)(const struct session *session);
	bool (*there)(const struct session *host);
} from_begin[] = {
	{"distribution", watches, watches_calls},
};

static bool by_events(const struct session *session)
{
	return session->options.calls == CALLS_EVENTS;
}

/* ---- ---- */

/* The option's value as text; owned. */
static char *value_of(const json_t *options, const char *key)
{
	const json_t *value = json_object_get(options, key);

	if (json_is_string(value))
		return strdup(json_string_value(value));
	return json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY);
}

static int disagree(const struct session *guest, const struct session *other, const char *key,
	struct error *error)
{
	char *text[] = {
		options_to_json(&guest->options, 0), options_to_json(&other->options, 0)};
	json_t *options[] = {json_loads(text[0], 0, NULL), json_loads(text[1], 0, NULL)};
	char *value[] = {value_of(options[0], key), value_of(options[1], key)};
	int code = 0;

	if (!value[0] || !value[1])
		code = error_set(error, ERROR_MEMORY, "no memory for a session");
	else if (strcmp(value[0], value[1]) != 0)
		code = error_set(error, ERROR_VALUE,
			"%s=%s: the session '%s', %s, has %s=%s, and sessions that record at "
			"once have that in common",
			key, error_subject(value[0]).text, other->name,
			other->left ? "whose recording goes on" : "which records", key,
			error_subject(value[1]).text);
	for (int i = 0; i < 2; i++) {
		json_decref(options[i]);
		free(text[i]);
		free(value[i]);
	}
	return code;
}

/* The session whose option of the table is the recording's; NULL: it is not settled. */
static const struct session *settler(const struct session *host, int place)
{
	const struct session *session = host;

	while (session && !(session->settled & 1U << place))
		session = session->next;
	return session;
}

int sharing_agree(const struct session *session, struct error *error)
{
	int code = 0;

	for (int i = 0; i < AGREED && !code; i++) {
		const struct session *other = settler(session->host, i);

		if (other && other != session && agreed[i].matters(session))
			code = disagree(session, other, agreed[i].key, error);
	}
	return code;
}

/* One of those that record; the host, where it has not left. */
static const char *somebody(const struct session *host)
{
	const struct session *session = host;

	while (session->left && session->next)
		session = session->next;
	return session->name;
}

void sharing_settle(struct session *session)
{
	for (int i = 0; i < AGREED; i++) {
		if (!agreed[i].settles(session) || settler(session->host, i))
			continue;
		session->settled |= 1U << i;
		session->serves = true;
	}
}

int sharing_check(const struct session *guest, struct error *error)
{
	const struct session *host = guest->host;
	int code = sharing_agree(guest, error);

	for (const struct session *other = host; other && !code; other = other->next)
		if (!other->left && by_events(guest) != by_events(other) &&
			times_calls(guest) && times_calls(other))
			code = disagree(guest, other, "calls", error);
	for (size_t i = 0; i < sizeof(from_begin) / sizeof(*from_begin) && !code; i++)
		if (from_begin[i].wants(guest) && !from_begin[i].there(host))
			code = error_set(error, ERROR_VALUE,
				"%s cannot begin while the session '%s' records without it",
				from_begin[i].what, somebody(host));
	if (!code && guest->options.io > host->options.io)
		code = error_set(error, ERROR_VALUE,
			"io=%s cannot begin while the session '%s' records with io=%s",
			guest->options.io == IO_RECORDS ? "records" : "summary", somebody(host),
			host->options.io == IO_OFF ? "off" : "summary");
	if (!code && guest->options.resolution > 0)
		code = disagree(guest, host, "resolution", error);
	return code;
}

/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* session_matches: see session_matches.h. Names that are near lie beside the session, by
 * "KEY=PATTERN", under a lock of their own: another thread looks for them than tells them. */
#include "agent/session/session_matches.h"

#include <stdio.h>
#include <stdlib.h>

#include "metric/clock.h"
#include "options/json_text.h"
#include "options/matches.h"

/* The options whose patterns should all match something. */
struct filter {
	const char *key;
	const struct pattern_list *list;
	const char *before; /* the patterns, in the option; NULL: nothing */
};

enum { FILTERS = 10 };

#define NEAR_AGE_NS UINT64_C(10000000000)

static void filters_of(const struct session *session, struct filter filter[FILTERS])
{
	static const struct pattern_list none;
	const struct options *options = &session->options;
	bool calls = session_has_events(session), probes = session_has_probes(session);
	/* Methods are compared with theirs once the trace has been on. */
	bool traced = trace_events(session->trace) != NULL;

	filter[0] = (struct filter){"include", calls ? &options->include : &none, NULL};
	filter[1] = (struct filter){"scope", calls ? &options->scope : &none, NULL};
	filter[2] = (struct filter){"threads", &options->threads, NULL};
	filter[3] = (struct filter){"sample", &session->entered, "enter:"};
	filter[4] = (struct filter){"timed", probes ? &options->timed : &none, NULL};
	filter[5] = (struct filter){"counted", probes ? &options->counted : &none, NULL};
	filter[6] = (struct filter){"distribution", &options->distribution, NULL};
	filter[7] = (struct filter){"events", traced ? &options->events : &none, NULL};
	filter[8] = (struct filter){"events_when", traced ? &session->awaited : &none, NULL};
	filter[9] = (struct filter){"call_sites", probes ? &options->call_sites : &none, NULL};
}

void session_unmatched(const struct session *session,
	void (*each)(void *user, const struct unmatched *unmatched), void *user)
{
	struct filter filter[FILTERS];

	filters_of(session, filter);
	for (size_t f = 0; f < FILTERS; f++) {
		for (size_t i = 0; i < filter[f].list->count; i++) {
			const char *pattern = filter[f].list->pattern[i];
			bool is_threads = filter[f].list == &session->options.threads;
			const struct unmatched unmatched = {filter[f].key,
				is_threads ? pattern : pattern_text(pattern), filter[f].list,
				i};

			if (pattern_list_noted(filter[f].list, i) == 0)
				each(user, &unmatched);
		}
	}
}

/* Owned; NULL without memory. */
static char *name_of(const char *key, const char *pattern)
{
	char *name;

	return asprintf(&name, "%s=%s", key, pattern) < 0 ? NULL : name;
}

void session_note_near(struct session *session, const struct unmatched *unmatched,
	const struct nearest *nearest)
{
	char *name = name_of(unmatched->key, unmatched->list->pattern[unmatched->at]);
	json_t *names = json_array();

	for (size_t i = 0; i < nearest->count; i++)
		json_array_append_new(names, json_text(nearest->best[i].name));
	lock_take(&session->near_lock);
	session->near_at = clock_now();
	if (!session->near)
		session->near = json_object();
	if (name && json_object_set(session->near, name, names) != 0)
		json_object_del(session->near, name);
	lock_give(&session->near_lock);
	json_decref(names);
	free(name);
}

static void count_one(void *user, const struct unmatched *unmatched)
{
	++*(size_t *)user;
}

bool session_near_is_old(struct session *session)
{
	uint64_t at;
	size_t count = 0;

	lock_take(&session->near_lock);
	at = session->near_at;
	lock_give(&session->near_lock);
	if (at != 0 && clock_now() - at < NEAR_AGE_NS)
		return false;
	session_unmatched(session, count_one, &count);
	return count > 0;
}

/* Calls matches_row with the pattern as it is in the option. near: taken. */
static json_t *row_of(
	const struct filter *filter, const char *pattern, uint64_t matches, json_t *near)
{
	char *whole = NULL;
	json_t *row = NULL;

	if (!filter->before)
		return matches_row(filter->key, pattern, matches, near);
	if (asprintf(&whole, "%s%s", filter->before, pattern) < 0)
		json_decref(near);
	else
		row = matches_row(filter->key, whole, matches, near);
	free(whole);
	return row;
}

/* Names near it, owned, or NULL. */
static json_t *near_of(struct session *session, const char *key, const char *pattern)
{
	char *name = name_of(key, pattern);
	json_t *names;

	lock_take(&session->near_lock);
	names = name ? json_deep_copy(json_object_get(session->near, name)) : NULL;
	lock_give(&session->near_lock);
	free(name);
	return names;
}

json_t *session_matches(struct session *session)
{
	struct filter filter[FILTERS];
	json_t *rows = json_array();
	int failed = 0;

	filters_of(session, filter);
	for (size_t f = 0; f < FILTERS && !failed; f++) {
		for (size_t i = 0; i < filter[f].list->count && !failed; i++) {
			const char *pattern = filter[f].list->pattern[i];
			uint64_t matches = pattern_list_noted(filter[f].list, i);
			json_t *near =
				matches ? NULL : near_of(session, filter[f].key, pattern);

			failed = json_array_append_new(
				rows, row_of(&filter[f], pattern, matches, near));
		}
	}
	if (!failed)
		return rows;
	json_decref(rows);
	return NULL;
}

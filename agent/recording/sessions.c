/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* sessions: see sessions.h. */
#include "agent/recording/sessions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/session/session_matches.h"
#include "agent/tracers/tracers.h"
#include "options/json_text.h"

/* In the order of their numbers; under the lock, where not in a turn. */
static struct session *list[PROFILE_SESSIONS_MAX];
static unsigned count;
static struct lock list_lock = {PTHREAD_MUTEX_INITIALIZER, LOCK_SESSIONS};
static unsigned bits_taken; /* by those, and by some that have ended */
static uint32_t last_number;

/* ---- names ---- */

static bool is_meant(const struct session *session, const char *name, uint32_t number)
{
	return (!name || strcmp(name, session->name) == 0) &&
	       (number == 0 || number == session->number);
}

static bool is_name(const char *name)
{
	static const char legal[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				    "0123456789._-";
	size_t length = strlen(name);

	return length > 0 && length <= SESSION_NAME && strspn(name, legal) == length;
}

static struct session *named(const char *name)
{
	for (unsigned i = 0; i < count; i++)
		if (strcmp(list[i]->name, name) == 0)
			return list[i];
	return NULL;
}

int sessions_name(
	struct session *session, const char *name, const char *owner, struct error *error)
{
	unsigned bit = 0;

	if (name && !is_name(name))
		return error_set(error, ERROR_VALUE,
			"name '%s': 1 to %d of A-Z a-z 0-9 . _ - are wanted",
			error_subject(name).text, SESSION_NAME);
	if (name && named(name))
		return error_set(error, ERROR_BUSY, "a session '%s' records already, into '%s'",
			name, error_subject(named(name)->path).text);
	while (bit < PROFILE_SESSIONS_MAX && bits_taken & 1U << bit)
		bit++;
	if (bit == PROFILE_SESSIONS_MAX)
		return error_set(error, ERROR_BUSY,
			"%u sessions record already, and more cannot: stop one first", count);
	session->owner = strdup(owner ? owner : "");
	if (!session->owner)
		return error_set(error, ERROR_MEMORY, "no memory for the session's owner");
	session->bit = bit;
	session->number = ++last_number;
	snprintf(session->name, sizeof(session->name), "%s", name ? name : "");
	while (!name) {
		snprintf(session->name, sizeof(session->name), "s%u", session->number);
		if (!named(session->name))
			break;
		session->number = ++last_number;
	}
	return 0;
}

void sessions_add(struct session *session)
{
	lock_take(&list_lock);
	list[count++] = session;
	bits_taken |= 1U << session->bit;
	lock_give(&list_lock);
}

void sessions_remove(struct session *session, bool bit_is_free)
{
	unsigned i = 0;

	lock_take(&list_lock);
	while (i < count && list[i] != session)
		i++;
	if (i < count)
		memmove(&list[i], &list[i + 1], (--count - i) * sizeof(*list));
	/* With the recording goes whatever still had one. */
	if (count == 0)
		bits_taken = 0;
	else if (bit_is_free)
		bits_taken &= ~(1U << session->bit);
	lock_give(&list_lock);
}

void sessions_keep_bit(unsigned bit)
{
	lock_take(&list_lock);
	bits_taken |= 1U << bit;
	lock_give(&list_lock);
}

/* ---- which there are ---- */

unsigned sessions_count(void)
{
	return count;
}

struct session *sessions_at(unsigned place)
{
	return list[place];
}

uint32_t sessions_ever(void)
{
	return last_number;
}

/* "s1 (uid 1000, jprof attach), s2 (...)" */
static void put_list(char *text, size_t size)
{
	size_t used = 0;

	text[0] = '\0';
	for (unsigned i = 0; i < count && used < size; i++)
		used += (size_t)snprintf(text + used, size - used, "%s%s%s%s%s", i ? ", " : "",
			list[i]->name, *list[i]->owner ? " (" : "",
			error_subject(list[i]->owner).text, *list[i]->owner ? ")" : "");
}

struct session *sessions_meant(const char *name, uint32_t number, struct error *error)
{
	char text[sizeof(error->text)];

	for (unsigned i = 0; i < count; i++)
		if ((name || number || count == 1) && is_meant(list[i], name, number))
			return list[i];
	put_list(text, sizeof(text));
	if (count == 0)
		error_set(error, ERROR_BUSY,
			"nothing is being recorded: start a recording first");
	else if (name)
		error_set(error, ERROR_BUSY, "no session '%s' records; these do: %s",
			error_subject(name).text, text);
	else if (number)
		error_set(error, ERROR_BUSY, "session %u does not record any more", number);
	else
		error_set(error, ERROR_BUSY, "%u sessions record: %s; name one", count, text);
	return NULL;
}

bool sessions_have(const char *name, uint32_t number)
{
	bool have = false;

	lock_take(&list_lock);
	for (unsigned i = 0; i < count && !have; i++)
		have = is_meant(list[i], name, number);
	lock_give(&list_lock);
	return have;
}

/* ---- what is told of them ---- */

static json_t *options_of(const struct session *session)
{
	char *text = options_to_json(&session->options, 0);
	json_t *options = text ? json_loads(text, 0, NULL) : NULL;

	free(text);
	return options;
}

static json_t *failure_of(struct session *session)
{
	struct error failure = session_failure(session);

	return failure.code == ERROR_NONE ? json_null() : json_text(failure.text);
}

static json_t *describe(struct session *session)
{
	return json_pack("{s:s, s:I, s:o, s:o, s:s, s:I, s:o, s:o, s:o, s:s?, s:o}", "name",
		session->name, "number", (json_int_t)session->number, "owner",
		json_text(session->owner), "file",
		json_text(session->path ? session->path : ""), "started", session->started,
		"duration_ns", (json_int_t)(clock_now() - session->began), "options",
		options_of(session), "matches", session_matches(session), "traces",
		tracers_names(session->traces), "scope", atomic_load(&session->tag), "error",
		failure_of(session));
}

json_t *sessions_describe(void)
{
	json_t *rows = json_array();

	lock_take(&list_lock);
	for (unsigned i = 0; i < count; i++)
		json_array_append_new(rows, describe(list[i]));
	lock_give(&list_lock);
	return rows;
}

/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* write_sessions: see write_sessions.h. */
#include "agent/session/write_sessions.h"

#include <stdlib.h>
#include <string.h>

#include "agent/log/log.h"
#include "metric/clock.h"

enum { COPY_SHARE = 20 }; /* copies take one of so many parts of the time at most */

/* ---- facts of one session ---- */

enum { FACTS_MAX = 128 };

struct facts {
	struct profile_meta row[FACTS_MAX];
	size_t count;
};

static void add_fact(void *argument, const char *key, const char *value)
{
	struct facts *facts = argument;
	struct profile_meta *row = &facts->row[facts->count];

	if (facts->count == FACTS_MAX || !value)
		return;
	row->key = strdup(key);
	row->value = strdup(value);
	facts->count += row->key && row->value;
}

static void facts_fini(struct facts *facts)
{
	for (size_t i = 0; i < facts->count; i++) {
		free((char *)(uintptr_t)facts->row[i].key);
		free((char *)(uintptr_t)facts->row[i].value);
	}
	free(facts);
}

/* ---- which there are ---- */

static struct written_session *find(struct write_sessions *sessions, uint32_t number)
{
	for (unsigned i = 0; i < sessions->count; i++)
		if (sessions->session[i].number == number)
			return &sessions->session[i];
	return NULL;
}

static struct written_session *add(
	struct write_sessions *sessions, const struct writer_session *is)
{
	struct written_session *fresh = &sessions->session[sessions->count++];
	char *options;

	*fresh = (struct written_session){.is = *is, .ended = PROFILE_NOT_KNOWN};
	fresh->number = is->row(is->argument, &options).id;
	free(options);
	return fresh;
}

static void forget(struct write_sessions *sessions, struct written_session *gone)
{
	struct written_session *last = &sessions->session[--sessions->count];

	if (gone != last)
		*gone = *last;
}

void sessions_first(struct write_sessions *sessions, const struct writer_session *first)
{
	sessions->holder = add(sessions, first)->number;
}

int sessions_add(struct write_sessions *sessions, const struct writer_session *further,
	struct error *error)
{
	struct profile_copy *copy;
	int status;

	if (sessions->count == PROFILE_SESSIONS_MAX)
		return error_set(
			error, ERROR_BUSY, "%d sessions record already", PROFILE_SESSIONS_MAX);
	status = profile_copy_create(&copy, further->path, &further->creation, error);
	if (status == 0)
		add(sessions, further)->copy = copy;
	return status;
}

void sessions_begun(
	struct write_sessions *sessions, uint32_t number, uint32_t snapshot, uint64_t at)
{
	struct written_session *session = find(sessions, number);

	session->snapshot = snapshot;
	session->began = at;
}

void sessions_drop(struct write_sessions *sessions, uint32_t number)
{
	struct written_session *session = find(sessions, number);

	if (!session)
		return;
	profile_copy_discard(session->copy);
	forget(sessions, session);
}

void sessions_forget(struct write_sessions *sessions)
{
	*sessions = (struct write_sessions){0};
}

int sessions_put(const struct write_sessions *sessions, struct profile_writer *profile,
	struct error *error)
{
	int status = 0;

	for (unsigned i = 0; i < sessions->count && status == 0; i++) {
		const struct written_session *session = &sessions->session[i];
		char *options;
		struct profile_session row = session->is.row(session->is.argument, &options);

		row.snapshot = session->snapshot;
		row.began = session->began;
		row.ended = session->ended;
		status = profile_put(profile, &row, error);
		free(options);
	}
	return status;
}

/* ---- their files ---- */

static int copy_one(struct written_session *session, struct profile_writer *profile, bool final)
{
	struct facts *facts = calloc(1, sizeof(*facts));
	struct error error = {0};
	int status;

	if (!facts)
		return -ERROR_MEMORY;
	session->is.facts(session->is.argument, final, add_fact, facts);
	status = profile_copy_refresh(
		session->copy, profile, session->number, facts->row, facts->count, &error);
	if (status < 0 && session->error.code == ERROR_NONE)
		log_line(LOG_ERROR, "%s; the profile stays as it was, and is tried again",
			error.text);
	session->error = error;
	facts_fini(facts);
	return status;
}

void sessions_copy(struct write_sessions *sessions, struct profile_writer *profile, bool forced)
{
	uint64_t now = clock_system();

	if (!forced && now - sessions->copied_at < COPY_SHARE * sessions->copying_ns)
		return;
	for (unsigned i = 0; i < sessions->count; i++)
		if (sessions->session[i].copy)
			copy_one(&sessions->session[i], profile, false);
	sessions->copied_at = clock_system();
	sessions->copying_ns = sessions->copied_at - now;
}

bool sessions_end(struct write_sessions *sessions, uint32_t number, uint64_t now)
{
	struct written_session *session = find(sessions, number);

	if (session)
		session->ended = (int64_t)now;
	return session;
}

/* Another one that goes on; NULL: there is none. */
static struct written_session *heir(struct write_sessions *sessions)
{
	for (unsigned i = 0; i < sessions->count; i++)
		if (sessions->session[i].copy &&
			sessions->session[i].ended == PROFILE_NOT_KNOWN)
			return &sessions->session[i];
	return NULL;
}

static int finish_copy(
	struct written_session *session, struct profile_writer *profile, struct error *error)
{
	int status = copy_one(session, profile, true);
	int closed = profile_copy_close(session->copy, error);

	if (status < 0)
		*error = session->error;
	return status < 0 ? status : closed;
}

int sessions_finish(struct write_sessions *sessions, struct profile_writer *profile,
	uint32_t number, const struct writer_session **holder, struct error *error)
{
	struct written_session *session = find(sessions, number), *next;
	int status;

	*holder = NULL;
	if (session->copy) {
		status = finish_copy(session, profile, error);
		forget(sessions, session);
		return status;
	}
	next = heir(sessions);
	if (!next)
		return error_set(
			error, ERROR_BUSY, "no other session is there to take the database");
	status = profile_move(profile, next->copy, number, next->number, error);
	if (status < 0)
		return status;
	next->copy = NULL;
	sessions->holder = next->number;
	*holder = &next->is;
	forget(sessions, session);
	/* It may just have been moved to where that was. */
	*holder = &find(sessions, sessions->holder)->is;
	return 0;
}

void sessions_finish_all(struct write_sessions *sessions, struct profile_writer *profile)
{
	struct error error = {0};

	for (unsigned i = 0; i < sessions->count; i++)
		if (sessions->session[i].copy)
			finish_copy(&sessions->session[i], profile, &error);
	sessions->count = 0;
}

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

void shared_first(struct write_sessions *sessions, const struct writer_session *first)
{
	sessions->holder = add(sessions, first)->number;
}

int shared_add(struct write_sessions *sessions, const struct writer_session *further,
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

void shared_begun(
	struct write_sessions *sessions, uint32_t number, uint32_t snapshot, uint64_t at)
{
	struct written_session *session = find(sessions, number);

	session->snapshot = snapshot;
	session->began = at;
}

void shared_drop(struct write_sessions *sessions, uint32_t number)
{
	struct written_session *session = find(sessions, number);

	if (!session)
		return;
	profile_copy_discard(session->copy);
	forget(sessions, session);
}

void shared_forget(struct write_sessions *sessions)
{
	*sessions = (struct write_sessions){0};
}

int shared_put(const struct write_sessions *sessions, struct profile_writer *profile,
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

/* What a file is to have of the session; facts: to be given back. NULL, with error filled. */
static struct facts *share_of(const struct written_session *session, bool final,
	struct profile_share *share, struct error *error)
{
	struct facts *facts = calloc(1, sizeof(*facts));

	if (!facts) {
		error_set(error, ERROR_MEMORY, "no memory for a session's profile");
		return NULL;
	}
	session->is.facts(session->is.argument, final, add_fact, facts);
	*share = (struct profile_share){session->number, facts->row, facts->count};
	return facts;
}

static int copy_one(struct written_session *session, struct profile_writer *profile, bool final)
{
	struct profile_share share;
	struct error error = {0};
	struct facts *facts = share_of(session, final, &share, &error);
	int status = facts ? profile_copy_refresh(session->copy, profile, &share, &error)
			   : -(int)error.code;

	if (status < 0 && session->error.code == ERROR_NONE)
		log_line(LOG_ERROR, "%s; the profile stays as it was, and is tried again",
			error.text);
	session->error = error;
	if (facts)
		facts_fini(facts);
	return status;
}

void shared_copy(struct write_sessions *sessions, struct profile_writer *profile, bool forced)
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

bool shared_end(struct write_sessions *sessions, uint32_t number, uint64_t now)
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

	profile_copy_close(session->copy);
	if (status < 0)
		*error = session->error;
	return status;
}

/* The database becomes the file of that one. */
static int move(struct profile_writer *profile, const struct written_session *from,
	struct written_session *to, struct error *error)
{
	struct profile_share share[2];
	struct facts *facts[] = {
		share_of(from, true, &share[0], error), share_of(to, false, &share[1], error)};
	int status = -ERROR_MEMORY;

	if (facts[0] && facts[1])
		status = profile_move(profile, to->copy, &share[0], &share[1], error);
	for (int i = 0; i < 2; i++)
		if (facts[i])
			facts_fini(facts[i]);
	if (status == 0)
		to->copy = NULL;
	return status;
}

int shared_finish(struct write_sessions *sessions, struct profile_writer *profile,
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
	status = move(profile, session, next, error);
	if (status < 0)
		return status;
	sessions->holder = next->number;
	forget(sessions, session);
	/* It may just have been moved to where that was. */
	*holder = &find(sessions, sessions->holder)->is;
	return 0;
}

int shared_finish_all(
	struct write_sessions *sessions, struct profile_writer *profile, struct error *error)
{
	struct profile_share share;
	struct error ignored = {0};
	struct facts *facts;
	int status;

	for (unsigned i = 0; i < sessions->count; i++)
		if (sessions->session[i].copy)
			finish_copy(&sessions->session[i], profile, &ignored);
	facts = share_of(find(sessions, sessions->holder), true, &share, error);
	status = facts ? profile_close_shared(profile, &share, error)
		       : profile_close(profile, NULL);
	if (facts)
		facts_fini(facts);
	sessions->count = 0;
	return facts ? status : -ERROR_MEMORY;
}

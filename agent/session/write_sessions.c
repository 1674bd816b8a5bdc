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

void shared_forget(struct write_sessions *sessions)
{
	*sessions = (struct write_sessions){0};
}

static struct profile_session row_of(const struct written_session *session, char **options)
{
	struct profile_session row = session->is.row(session->is.argument, options);

	row.snapshot = session->snapshot;
	row.began = session->began;
	row.ended = session->ended;
	return row;
}

int shared_put(const struct write_sessions *sessions, struct profile_writer *profile,
	struct error *error)
{
	int status = 0;

	for (unsigned i = 0; i < sessions->count && status == 0; i++) {
		char *options;
		struct profile_session row = row_of(&sessions->session[i], &options);

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
	session->is.failed(session->is.argument, &error);
	if (facts)
		facts_fini(facts);
	return status;
}

void shared_copy(struct write_sessions *sessions, struct profile_writer *profile, bool forced)
{
	uint64_t now = clock_system();

	if (shared_hidden(sessions) ||
		(!forced && now - sessions->copied_at < COPY_SHARE * sessions->copying_ns))
		return;
	for (unsigned i = 0; i < sessions->count; i++)
		if (sessions->session[i].copy)
			copy_one(&sessions->session[i], profile, false);
	sessions->copied_at = clock_system();
	sessions->copying_ns = sessions->copied_at - now;
}

int shared_copy_of(struct write_sessions *sessions, struct profile_writer *profile,
	uint32_t number, struct error *error)
{
	struct written_session *session = find(sessions, number);
	int status = -(int)session->error.code;

	if (!session->copy) /* the database has just moved there */
		return 0;
	if (!shared_hidden(sessions))
		status = copy_one(session, profile, false);
	if (status < 0)
		error_set(error, session->error.code, "%s", session->error.text);
	return status;
}

bool shared_end(struct write_sessions *sessions, uint32_t number, uint64_t now)
{
	struct written_session *session = find(sessions, number);

	if (session)
		session->ended = (int64_t)now;
	return session;
}

/* Another one that goes on, behind that one (NULL: the first); NULL: there is none. */
static struct written_session *heir(
	struct write_sessions *sessions, const struct written_session *last)
{
	struct written_session *next =
		last ? sessions->session + (last - sessions->session) + 1 : sessions->session;

	while (next < sessions->session + sessions->count &&
		!(next->copy && next->ended == PROFILE_NOT_KNOWN))
		next++;
	return next < sessions->session + sessions->count ? next : NULL;
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

static int rescue_to(struct write_sessions *sessions, struct profile_writer *profile,
	struct written_session *next, struct error *error)
{
	struct written_session *holder = find(sessions, sessions->holder);
	struct profile_copy *left = NULL;
	struct profile_share share;
	struct facts *facts = share_of(next, false, &share, error);
	int status = -ERROR_MEMORY;

	if (facts) {
		status = profile_rescue(profile, next->copy, &share, &left, error);
		facts_fini(facts);
	}
	if (status < 0)
		return status;
	if (holder)
		holder->copy = left;
	else
		profile_copy_close(left);
	next->copy = NULL;
	sessions->holder = next->number;
	return 0;
}

const struct writer_session *shared_rescue(
	struct write_sessions *sessions, struct profile_writer *profile)
{
	struct written_session *next = NULL;

	while ((next = heir(sessions, next)) != NULL) {
		struct error error = {0};

		if (rescue_to(sessions, profile, next, &error) == 0)
			return &next->is;
		next->error = error;
		next->is.failed(next->is.argument, &error);
	}
	return NULL;
}

/* What one that has ended alone needed goes from the database. Of itself it stays when it was there. */
static int clear(struct write_sessions *sessions, struct profile_writer *profile,
	const struct written_session *gone, uint32_t *first, struct error *error)
{
	char *options;
	struct profile_session row = row_of(gone, &options);
	int status = profile_begin(profile, error);

	free(options);
	row.name = row.owner = row.options = "";
	row.tag = NULL;
	*first = UINT32_MAX;
	for (unsigned i = 0; i < sessions->count; i++)
		if (&sessions->session[i] != gone && sessions->session[i].snapshot < *first)
			*first = sessions->session[i].snapshot;
	if (status == 0)
		status = profile_drop_snapshots(profile, gone->number, *first, error);
	if (status == 0)
		status = profile_put(profile, &row, error);
	if (status == 0)
		status = profile_commit(profile, error);
	if (status < 0) {
		profile_rollback(profile);
		*first = 0;
	}
	return status;
}

static int hide(struct write_sessions *sessions, struct profile_writer *profile,
	const struct written_session *session, struct error *error)
{
	struct profile_share share;
	struct facts *facts = share_of(session, true, &share, error);
	int status = -ERROR_MEMORY;

	if (facts) {
		status = profile_hide(profile, &share, error);
		facts_fini(facts);
	}
	if (status == 0)
		sessions->holder = 0;
	return status;
}

/* The holder's file is complete, and another one's has the database, or none; or it is a copy from now on, to be finished as such. */
static int leave_database(struct write_sessions *sessions, struct profile_writer *profile,
	struct written_session *session, struct error *error)
{
	struct written_session *next = heir(sessions, NULL);

	if (!next)
		return error_set(
			error, ERROR_BUSY, "no other session is there to take the database");
	if (move(profile, session, next, &(struct error){0}) == 0) {
		sessions->holder = next->number;
		return 0;
	}
	if (shared_rescue(sessions, profile))
		return 0;
	return hide(sessions, profile, session, error);
}

void shared_drop(
	struct write_sessions *sessions, struct profile_writer *profile, uint32_t number)
{
	struct written_session *session = find(sessions, number);
	uint32_t first;

	if (!session)
		return;
	session->ended = (int64_t)session->began;
	if (!session->copy &&
		leave_database(sessions, profile, session, &(struct error){0}) < 0)
		return;
	if (session->snapshot > 0)
		clear(sessions, profile, session, &first, &(struct error){0});
	profile_copy_discard(session->copy);
	forget(sessions, session);
}

/* The last copy of one that is no holder. */
static int finish_copy(struct write_sessions *sessions, struct written_session *session,
	struct profile_writer *profile, struct error *error)
{
	int status = shared_hidden(sessions) ? -(int)session->error.code
					     : copy_one(session, profile, true);

	profile_copy_close(session->copy);
	if (status < 0)
		error_set(error, session->error.code, "%s", session->error.text);
	return status;
}

int shared_finish(struct write_sessions *sessions, struct profile_writer *profile,
	uint32_t number, const struct writer_session **holder, uint32_t *first,
	struct error *error)
{
	struct written_session *session = find(sessions, number);
	uint32_t before = sessions->holder;
	int status = 0;

	*holder = NULL;
	*first = 0;
	if (!session->copy)
		status = leave_database(sessions, profile, session, error);
	if (status < 0)
		return status;
	if (session->copy)
		status = finish_copy(sessions, session, profile, error);
	clear(sessions, profile, session, first, &(struct error){0});
	forget(sessions, session);
	/* It may just have been moved to where that was. */
	if (shared_hidden(sessions))
		*holder = &sessions->session[0].is;
	else if (sessions->holder != before)
		*holder = &find(sessions, sessions->holder)->is;
	return status;
}

int shared_finish_all(
	struct write_sessions *sessions, struct profile_writer *profile, struct error *error)
{
	int status = 0;

	for (unsigned i = 0; i < sessions->count; i++)
		if (sessions->session[i].copy &&
			finish_copy(sessions, &sessions->session[i], profile, error) < 0)
			status = -(int)error->code;
	sessions->count = 0;
	return status;
}

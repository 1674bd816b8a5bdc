/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * write_sessions: the sessions that share a recording, in its database; and a profile for each.
 *
 * The database is the file of one of them, the holder. The files of the others are copies of it, made anew when it has been
 * brought up to date, as long as that takes a small part of the time, and at the end of each. If the holder ends first, the database
 * moves to the file of another one. What a session did not want its file's readers leave out (profile/sessions.c).
 *
 * In:   sessions as they come and go (struct writer_session), whose strings are borrowed for as long.
 * Owns: the copies.
 * Runs: on the writer's thread. With one session that never had company there is nothing here.
 */
#ifndef JPROF_WRITE_SESSIONS_H
#define JPROF_WRITE_SESSIONS_H

#include "profile/fact.h"
#include "profile/profile_copy.h"
#include "profile/profile_write.h"

/* A session, for the file. */
struct writer_session {
	/* Its row as it is now; the strings' owner is the session, but for options, which is given back (free). */
	struct profile_session (*row)(const void *argument, char **options);
	/* Its facts: those of a profile of its own, in the place of the database's. */
	void (*facts)(void *argument, bool final, fact_put put, void *put_argument);
	/* What its file could not be written of is told, or that it can be again (ERROR_NONE). */
	void (*failed)(void *argument, const struct error *error);
	void *argument; /* of all */
	const char *path;
	struct profile_creation creation;
	/* Sources of the writer's that it needs; NULL: it does not. */
	const struct sample_source *samples;
	const struct code_source *code;
};

struct written_session {
	struct writer_session is;
	uint32_t number, snapshot;
	uint64_t began;
	int64_t ended;
	struct profile_copy *copy; /* NULL: of the holder */
	struct error error;        /* what the last copy failed of */
};

/* Embedded; all zero: nobody shares. */
struct write_sessions {
	struct written_session session[PROFILE_SESSIONS_MAX];
	unsigned count;
	uint32_t
		holder; /* its number; 0: the database has no name, as the others' files cannot be written */
	uint64_t copied_at, copying_ns;
};

static inline bool shared_any(const struct write_sessions *sessions)
{
	return sessions->count > 0;
}

/* The database is in no session's file. */
static inline bool shared_hidden(const struct write_sessions *sessions)
{
	return shared_any(sessions) && sessions->holder == 0;
}

/* A session that was alone until now has company: it is the holder. */
void shared_first(struct write_sessions *sessions, const struct writer_session *first);

/* Makes the file of a further one, with nothing in it. 0, or a negative code: it cannot be written. */
int shared_add(struct write_sessions *sessions, const struct writer_session *further,
	struct error *error);

/* It has begun: with that snapshot, at that time (ns since the profile's begin); or it has not, and its file goes, unless the database is there. */
void shared_begun(
	struct write_sessions *sessions, uint32_t number, uint32_t snapshot, uint64_t at);
void shared_drop(
	struct write_sessions *sessions, struct profile_writer *profile, uint32_t number);

/* The first one is alone again, as if nobody had come. */
void shared_forget(struct write_sessions *sessions);

/* Puts the rows of all; in a flush. */
int shared_put(const struct write_sessions *sessions, struct profile_writer *profile,
	struct error *error);

/* Behind a flush: copies are brought up to date; forced: even if that takes long. Failures are said once each. */
void shared_copy(struct write_sessions *sessions, struct profile_writer *profile, bool forced);

/* The first copy of one. 0, or a negative code: its file cannot be written. */
int shared_copy_of(struct write_sessions *sessions, struct profile_writer *profile,
	uint32_t number, struct error *error);

/* That one ends, now; puts no row. False: there is no such session. */
bool shared_end(struct write_sessions *sessions, uint32_t number, uint64_t now);

/* The database's file cannot be written: it goes on in that of another one, and the holder's is tried again as a copy. The new holder; NULL:
 * there is none whose file can be. */
const struct writer_session *shared_rescue(
	struct write_sessions *sessions, struct profile_writer *profile);

/* Behind a flush: the file of one that has ended is complete, and it is forgotten, and so is in the database what it alone needed: *first
 * is the first snapshot that somebody who goes on needs. The database moves if it was the holder, into a file without a name if no other
 * one's can be written: *holder is then one that goes on, else NULL. 0, or a negative code: its file is as it was when it was last copied. */
int shared_finish(struct write_sessions *sessions, struct profile_writer *profile,
	uint32_t number, const struct writer_session **holder, uint32_t *first,
	struct error *error);

/* The recording ends: all files are complete, but that of the holder, which is the database. 0, or a negative code: one is as it was when it
 * was last copied. */
int shared_finish_all(
	struct write_sessions *sessions, struct profile_writer *profile, struct error *error);

#endif

/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * profile_copy: the profiles of sessions that share a recording, which writes one database: the file of one of them.
 * Those of the others are copies of it, as old as their last refresh, with what is of their session alone.
 *
 * In:   a writer without an open transaction, whose table `session` has the session.
 * Out:  files that are whole at every instant: a copy is made beside one, and then has its name. Who has the file open
 *       goes on reading what it was.
 * Owns: a lock on each file, as profile_write.h has.
 * Runs: on the writer's thread.
 */
#ifndef JPROF_PROFILE_COPY_H
#define JPROF_PROFILE_COPY_H

#include "profile/profile_write.h"

struct profile_copy; /* created, closed or discarded */

/* Whose a file is, and the facts in which it is to differ from the database: their values are borrowed for the call, NULL takes one
 * out. That it is the session's, and the session's options, need not be said. */
struct profile_share {
	uint32_t session; /* id */
	const struct profile_meta *fact;
	size_t facts;
};

/* Takes the file for a session, as profile_create does, and for its errors. It is empty until it is refreshed. */
int profile_copy_create(struct profile_copy **copy, const char *path,
	const struct profile_creation *creation, struct error *error);

/* Makes it a copy of what was committed. 0, or a negative code: it is as it was. Takes some 5 ms a MB. */
int profile_copy_refresh(struct profile_copy *copy, struct profile_writer *writer,
	const struct profile_share *share, struct error *error);

/* Takes the copy: from now on the writer's database is that file, of the session `to`. What was its file is complete, a
 * copy for the session `from`, and closed. A negative code: the writer and the copy are as they were, and the copy
 * is still its owner's, and may have been refreshed. A transaction that is open is rolled back. */
int profile_move(struct profile_writer *writer, struct profile_copy *copy,
	const struct profile_share *from, const struct profile_share *to, struct error *error);

/* The writer's file is complete, a copy for the session `from`, and closed; the database goes on in a file without a name, until
 * profile_rescue has one for it: no copy can be made before that. A negative code: all is as it was. */
int profile_hide(
	struct profile_writer *writer, const struct profile_share *from, struct error *error);

/* The writer's file cannot be written, or has no name: the database goes on in the copy's, which is taken, as with a move. What was the
 * writer's file is as it was committed last, and a copy from now on: *left, its owner the caller. A negative code: all is as it was. */
int profile_rescue(struct profile_writer *writer, struct profile_copy *copy,
	const struct profile_share *to, struct profile_copy **left, struct error *error);

/* In the place of profile_close, for a writer that others shared: its file becomes a copy of itself, for that session. 0, or a negative
 * code: it is whole, or as profile_close has left it. */
int profile_close_shared(
	struct profile_writer *writer, const struct profile_share *share, struct error *error);

/* The file stays as it is; or goes, and an older profile that was set aside is what it was. NULL is allowed. */
void profile_copy_close(struct profile_copy *copy);
void profile_copy_discard(struct profile_copy *copy);

#endif

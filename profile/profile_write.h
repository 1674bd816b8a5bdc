/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * profile_write: makes a profile file and keeps it up to date.
 *
 * In:   records of profile.h.   Out: one SQLite database, whole at every instant: what is
 *       between begin and commit appears at once or not at all, also after kill -9.
 * Owns: the database handle, a lock on the file that tells two JVMs apart.
 * Runs: on one thread at a time; never on an application's thread but at the very end.
 */
#ifndef JPROF_PROFILE_WRITE_H
#define JPROF_PROFILE_WRITE_H

#include <stdbool.h>
#include <sys/types.h>

#include "error/error.h"
#include "profile/profile.h"
#include "profile/schema.h"

struct profile_writer; /* created, destroyed */

/* How a file is to be made. */
struct profile_creation {
	/* An older profile is set aside, as NAME-older, until the new one is closed or
	 * discarded, if the folder allows that. */
	bool set_aside;
	mode_t readers; /* who else may read a file that is made: S_IRGRP, S_IROTH */
};

/* Creates the file for a session with these metrics; its user alone may read it. An older
 * profile of that name and this user is replaced, and its mode kept; anything else
 * (another kind of file, a link, a file of another user, a directory, a profile that a
 * live JVM is writing) is left alone. The last case gives -ERROR_BUSY. creation: NULL: all zero. 0, or a
 * negative code; *writer is then NULL, and a file that did not exist before does not exist. */
int profile_create(struct profile_writer **writer, const char *path,
	const struct profile_metric *metric, unsigned metric_count,
	const struct profile_creation *creation, struct error *error);

/* Further metrics are counted: these are all, behind those that it has. Rows that are there, of snapshots and slices, too,
 * have 0 of them; those that are put have all from now on. Outside of a transaction, in one of its own: 0, or a negative code, and
 * all is as it was. */
int profile_widen(struct profile_writer *writer, const struct profile_metric *metric,
	unsigned metric_count, struct error *error);

/* A transaction. After a failure of any put the transaction can only be rolled back; the
 * file keeps what was committed before. A commit that fails has rolled back already.
 * profile_rollback is harmless without a transaction. */
int profile_begin(struct profile_writer *writer, struct error *error);
int profile_commit(struct profile_writer *writer, struct error *error);
void profile_rollback(struct profile_writer *writer);

/* The record, a struct of profile.h, is inserted, or replaces the one of the same key (schema.c). Strings
 * are borrowed for the call. A file that is forgotten is taken out; a forward that is there stays: later
 * ones of the same id only save a step. */
#define profile_put(writer, record, error)                                                     \
	profile_put_row(writer,                                                                \
		_Generic(*(record), struct profile_condition                                   \
			 : TABLE_CONDITION, struct profile_method                              \
			 : TABLE_METHOD, struct profile_thread                                 \
			 : TABLE_THREAD, struct profile_node                                   \
			 : TABLE_NODE, struct profile_forward                                  \
			 : TABLE_FORWARD, struct profile_file                                  \
			 : TABLE_FILE, struct profile_account                                  \
			 : TABLE_ACCOUNT, struct profile_sequence                              \
			 : TABLE_SEQUENCE, struct profile_distribution                         \
			 : TABLE_DISTRIBUTION, struct profile_slow_call                        \
			 : TABLE_SLOW_CALL, struct profile_record_thread                       \
			 : TABLE_RECORD_THREAD, struct profile_record                          \
			 : TABLE_RECORD, struct profile_event_thread                           \
			 : TABLE_EVENT_THREAD, struct profile_event_block                      \
			 : TABLE_EVENT_BLOCK, struct profile_event_write                       \
			 : TABLE_EVENT_WRITE, struct profile_code                              \
			 : TABLE_CODE, struct profile_machine_code                             \
			 : TABLE_MACHINE_CODE, struct profile_mark                             \
			 : TABLE_MARK, struct profile_trace_period                             \
			 : TABLE_TRACE_PERIOD, struct profile_thread_state                     \
			 : TABLE_THREAD_STATE, struct profile_class                            \
			 : TABLE_CLASS, struct profile_class_loader                            \
			 : TABLE_CLASS_LOADER, struct profile_collection                       \
			 : TABLE_COLLECTION, struct profile_safepoint                          \
			 : TABLE_SAFEPOINT, struct profile_compilation                         \
			 : TABLE_COMPILATION, struct profile_deoptimization                    \
			 : TABLE_DEOPTIMIZATION, struct profile_lock                           \
			 : TABLE_LOCK, struct profile_parameter                                \
			 : TABLE_PARAMETER, struct profile_session                             \
			 : TABLE_SESSION, struct profile_value                                 \
			 : TABLE_VALUE, struct profile_tag                                     \
			 : TABLE_TAG, struct profile_contention                                \
			 : TABLE_CONTENTION, struct profile_wait                               \
			 : TABLE_LONG_WAIT),                                                   \
		record, error)
int profile_put_row(struct profile_writer *writer, enum schema_table_id table,
	const void *record, struct error *error);
int profile_put_meta(
	struct profile_writer *writer, const char *key, const char *value, struct error *error);
/* Keeps a copy of all that tables of schema.h have copies of, threads, nodes, accounts and so on, as the transaction has them at this point, under
 * an id that is new. */
int profile_put_snapshot(struct profile_writer *writer, const struct profile_snapshot *snapshot,
	struct error *error);

/* Called some times a second while a transaction waits for readers, on the thread that begins it; it does not touch the writer. */
void profile_meanwhile(struct profile_writer *writer, void (*meanwhile)(void));

/* From now on what transactions add to counts is kept by slices of time, each as long as the resolution (ns, above 0)
 * or longer; slice_write.h tells how many there are. Once, outside of a transaction. */
int profile_keep_slices(
	struct profile_writer *writer, uint64_t resolution, struct error *error);

/* Fewer slices, and rows of them, than slice_write.h says. */
void profile_bound_slices(struct profile_writer *writer, uint64_t slices, uint64_t rows);

/* Within a transaction, before counts are put: they are of the time until now, ns since the session began. Behind
 * them: nothing more is put. Both do nothing where no slices are kept. Without a begin what is put is of no slice. */
int profile_begin_slice(struct profile_writer *writer, uint64_t now, struct error *error);
int profile_end_slice(struct profile_writer *writer, struct error *error);

/* Takes out a node, an account of I/O; a thread with all its nodes and I/O. */
int profile_drop_node(
	struct profile_writer *writer, uint32_t thread, uint32_t node, struct error *error);
int profile_drop_account(
	struct profile_writer *writer, uint32_t thread, uint32_t io, struct error *error);
int profile_drop_thread(struct profile_writer *writer, uint32_t thread, struct error *error);

/* Takes out all snapshots of that session alone, in a transaction of its own. 0, or a negative code, and they stay. */
int profile_drop_snapshots(
	struct profile_writer *writer, uint32_t session, struct error *error);

/* Takes out all waits that were unfinished (TABLE_UNFINISHED_WAIT, which profile_put_row puts). */
int profile_drop_unfinished(struct profile_writer *writer, struct error *error);

/* Makes it a single file without side files and gives everything back. Open transactions
 * are rolled back. NULL is allowed. A negative code: the journal could not be removed,
 * and the file is whole only with it. */
int profile_close(struct profile_writer *writer, struct error *error);

/* In the place of profile_close: the file goes, and an older profile that was set aside
 * is what it was. */
void profile_discard(struct profile_writer *writer);

#endif

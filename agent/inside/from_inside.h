/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * from_inside: what the application itself may ask: its own recording, snapshots, marks, and what it has
 * used so far. The functions of jprof.h (agent.c) and the natives of jprof.JProf (jprof_class.h) are made of
 * these. What they cost the calling thread is not charged to it.
 *
 *   application --> start, stop     --> recorder, as the session `program`
 *               --> snapshot, reset --> recorder
 *               --> mark            --> threads_look --> session/writer
 *               --> values          --> threads_look --> trace
 *               --> tags            --> thread_tags --> trace, values
 *
 * Others may record beside it (recorder.h). Without a session `program`, stop and reset mean the only session that
 * records, and a snapshot is in all profiles.
 * Snapshots and resets are refused while another command runs; marks and values are not: the
 * gate lets any number of threads in, and the end of the session waits until they are out.
 * Runs: on any thread, attached to the JVM or not, with an exception pending or not.
 */
#ifndef JPROF_FROM_INSIDE_H
#define JPROF_FROM_INSIDE_H

#include <stdbool.h>
#include <stdint.h>

#include "error/error.h"

/* True if something is being recorded, by the program or others. It may end at any time. */
bool from_inside_recording(void);

/* The session `program` begins, and ends. options: see options_override; NULL: as loaded. 0, or a negative
 * code, as of recorder_start and recorder_stop. */
int from_inside_start(const char *options, struct error *error);
int from_inside_stop(struct error *error);

/* Keeps a copy of all counts under the label; NULL: a number. Returns when it is in the file.
 * 0, or a negative code: there is that label, or it is none, or nothing is being recorded, or another
 * command is under way. */
int from_inside_snapshot(const char *label, struct error *error);

/* Reports begin here. 0, or a negative code as above. */
int from_inside_reset(struct error *error);

/* The profile gets a mark of that name, the time and the calling thread. 0, or -1: nothing is
 * being recorded. */
int from_inside_mark(const char *name);

/* What the calling thread has used of the metric since the session began, in the metric's unit;
 * outside the session's scope nothing is used. 0; or -1, and *value is not changed: the session
 * does not count the metric, or does not record the thread, or has not seen it inside the
 * scope. */
int from_inside_thread_value(const char *metric, uint64_t *value);

/* The same of the thread of that Thread.getId(), which may have ended, as far as it can be seen from outside. -1 also
 * where it shares its row with others. */
int from_inside_thread_value_of(int64_t java_id, const char *metric, uint64_t *value);

/* The calling thread has that tag from now on; value NULL: none of that key. 0, or -1: nothing is recorded, the thread is not, or
 * it is no key. */
int from_inside_tag_set(const char *key, const char *value);

/* What tags the thread has now, for from_inside_tags_use on whichever thread: thread_tags.h. -1 as above. */
int64_t from_inside_tags(void);
int from_inside_tags_use(int64_t tags);

/* The same of all threads of the session, ended ones too (trace_totals). */
int from_inside_total_value(const char *metric, uint64_t *value);

#endif

/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * recorder: begins recordings and ends them, by the options that the agent was loaded
 * with and those of each command.
 *
 *   recorder_load     a recording is made, which proves that the options can be had
 *   recorder_open     the JVM can run Java code: that recording begins, unless start=no
 *   recorder_start, recorder_stop ...      commands of the control channel, or from
 * inside recorder_finish   the process ends: the recording that runs is completed
 *   recorder_close    the agent is detached: nothing is recorded until it is loaded again
 */
#ifndef JPROF_RECORDER_H
#define JPROF_RECORDER_H

#include <jansson.h>
#include <jvmti.h>
#include <stdbool.h>
#include <stdint.h>

#include "agent/session/session.h"

/* The agent is loaded with these options, which are taken: the base of each recording's.
 * Behind recording_know. 0, or a negative code: they cannot be had, and nothing is
 * loaded. */
int recorder_load(struct options *options, struct error *error);

/* The four below are called in a turn (turn.h), on a Java thread. */

/* Recordings may begin, and the first one does, unless start=no. thread: the calling one,
 * if it is the application's; or NULL. 0, or a negative code: nothing is recorded. */
int recorder_open(JNIEnv *jni, jthread thread, struct error *error);

/* True between recorder_open and recorder_close. */
bool recorder_is_open(void);

/* What an answer says of a recording. */
struct recorder_told {
	char *path;      /* the profile's, owned; NULL: none is known */
	json_t *matches; /* session_matches, owned, or NULL */
};

/* Ends the recording, if there is one; told: as in recorder_stop. */
void recorder_close(JNIEnv *jni, struct recorder_told *told);

/* Completes the profile of the recording, if there is one; probes stay. jni: NULL where
 * the JVM is not to be asked. */
void recorder_finish(JNIEnv *jni);

/* The functions below may be called on any thread, in the live phase; one at a time,
 * others are turned away (-ERROR_BUSY). */

/* Begins to record; when it returns, every class that is loaded and chosen has its
 * probes. options: see options_override; NULL: as loaded. *number: the recording's; may
 * be NULL. 0, or a negative code: nothing is recorded. */
int recorder_start(const char *options, uint32_t *number, struct error *error);

/* Of the recording that runs; nothing if there is none. */
void recorder_tell(struct recorder_told *told);
void recorder_told_fini(struct recorder_told *told);

/* Ends the recording, completes the profile, and takes the probes out. number: the
 * recording that is meant; 0: the one that runs. told: filled, if it is not NULL; to be
 * given back. 0, or a negative code: nothing was being recorded; or the recording has
 * ended, but the last of it could not be written. */
int recorder_stop(uint32_t number, struct recorder_told *told, struct error *error);

/* Switches traces on and off in the recording that runs: bits 1 << enum trace_kind. Of one that is not to be had the
 * error says why; what stands before it in enum trace_kind has been switched. */
int recorder_trace(unsigned on, unsigned off, struct error *error);

/* The number of the recording that runs; 0: none does. */
uint32_t recorder_number(void);

/* Calls action with the session that records, which stays as long as that runs. 0,
 * action's negative code, or -ERROR_BUSY: nothing is being recorded, or is just beginning
 * or ending. */
int recorder_with(int (*action)(struct session *session, void *argument, struct error *error),
	void *argument, struct error *error);

/* Looks for what no pattern of the session has matched (filter_check), if that was not
 * done in the last 10 s and nothing else is under way. */
void recorder_check_filters(void);

#endif

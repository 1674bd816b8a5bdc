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

/* What an answer says of a session, or of several. */
struct recorder_told {
	char *name;       /* the session's, owned; NULL: none is known */
	char *path;       /* the profile's, owned; NULL: none is known */
	uint32_t number;  /* the session's */
	json_t *matches;  /* session_matches, owned, or NULL */
	json_t *sessions; /* of what is about all: see recorder_stop_all; owned, or NULL */
};

/* Ends all sessions; told: as in recorder_stop_all. */
void recorder_close(JNIEnv *jni, struct recorder_told *told);

/* Completes the profile of the recording, if there is one; probes stay. jni: NULL where
 * the JVM is not to be asked. */
void recorder_finish(JNIEnv *jni);

/* The functions below may be called on any thread, in the live phase; one at a time,
 * others are turned away (-ERROR_BUSY). */

/* What a session is begun with; all borrowed. */
struct recorder_request {
	const char *options; /* see options_override; NULL: as loaded */
	const char *name;    /* 1 to 32 of A-Za-z0-9._-; NULL: s1, s2, ... by its number */
	const char *owner;   /* whose it is, for people: "uid 1000, jprof attach, process 7" */
};

/* The names of sessions that no client of the control channel has begun. */
#define RECORDER_MAIN    "main"    /* by the JVM's command line */
#define RECORDER_PROGRAM "program" /* by the program itself */

/* Begins a session; when it returns, every class that is loaded and chosen has its
 * probes. *number: the session's, never used again in the process; may be NULL. 0, or a
 * negative code: there is no such session; -ERROR_BUSY: too many record, or one of that
 * name does; -ERROR_VALUE: the name is none, or what it wants goes not with the others. */
int recorder_start(
	const struct recorder_request *request, uint32_t *number, struct error *error);

/* Of the session of that number; nothing if it does not record. */
void recorder_tell(uint32_t number, struct recorder_told *told);
void recorder_told_fini(struct recorder_told *told);

/* Sessions are meant by name, or by number: NULL and 0 is the only one that records. If
 * several do, that is -ERROR_BUSY, and the error names them: "3 sessions record: s1
 * (OWNER), s2 (OWNER), ...; name one". -ERROR_BUSY also, where that session does not record.
 */

/* Ends the session and completes its profile; the last one takes the probes out. told:
 * filled, if it is not NULL; to be given back. 0, or a negative code: it was not
 * recording; or it has ended, but the last of it could not be written. */
int recorder_stop(
	const char *name, uint32_t number, struct recorder_told *told, struct error *error);

/* Ends all of them. told: as of the oldest, and `sessions`, by number: an array of objects
 * "name", "number", "file", "matches", and "error", a text, where the last could not be
 * written. 0, or a negative code: nothing is being recorded, or what failed first. */
int recorder_stop_all(struct recorder_told *told, struct error *error);

/* Brings the profile of the session up to date; NULL: of all of them. told: as in
 * recorder_stop_all. */
int recorder_flush(const char *name, struct recorder_told *told, struct error *error);

/* As writer_snapshot, in the profile of the session; name NULL: of all of them. */
int recorder_snapshot(const char *name, const char *label, char **label_out, uint64_t *at_ns,
	struct error *error);

/* Reports of the session's profile begin here. */
int recorder_reset(const char *name, struct error *error);

/* Switches traces on and off in the session: bits 1 << enum trace_kind. Of one that is not to be had the
 * error says why; what stands before it in enum trace_kind has been switched. *are_on: those that
 * are on for it then. */
int recorder_trace(
	const char *name, unsigned on, unsigned off, unsigned *are_on, struct error *error);

/* What the session records from now on: inside the methods of a pattern, or where the tag
 * has such a value ("tag:KEY=PATTERN"); NULL: everything. */
int recorder_scope(const char *name, const char *scope, struct error *error);

/* True if that session records; NULL and 0: any. It may end at any time. Beside commands. */
bool recorder_has(const char *name, uint32_t number);

/* The sessions that record, by number: an array, owned, of objects "name", "number", "owner"
 * (text), "file", "started", "duration_ns", "options" (object), "matches", "traces" (names of
 * those that are on for it), and "error", a text, where its profile could not be
 * written. Beside commands, in the live phase. 0, or a negative code: no memory. */
int recorder_sessions(json_t **list, struct error *error);

/* Calls action with what records for all sessions, which stays as long as that runs. 0,
 * action's negative code, or -ERROR_BUSY: nothing is being recorded, or is just beginning
 * or ending. */
int recorder_with(int (*action)(struct session *session, void *argument, struct error *error),
	void *argument, struct error *error);

/* Looks for what no pattern of the session has matched (filter_check), if that was not
 * done in the last 10 s and nothing else is under way. */
void recorder_check_filters(void);

#endif

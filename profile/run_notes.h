/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * run_notes: what the agents of one `jprof run` tell the command: which JVMs were
 * started, where their profiles are, why there is none.
 *
 * The environment variable JPROF_RUN names the run's folder, which belongs to the user
 * who runs it:
 *
 *   notes   a record for each note, in order of time: KIND \0 PID \0 TEXT \0 PROGRAM \0
 *   first   is there while a JVM has the profile's name to itself
 *
 * A JVM that cannot write there (of another user, in another container) is not heard of.
 */
#ifndef JPROF_PROFILE_RUN_NOTES_H
#define JPROF_PROFILE_RUN_NOTES_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "error/error.h"

#define RUN_NOTES_VARIABLE "JPROF_RUN"

enum run_note_kind {
	RUN_NOTE_JVM,        /* the agent is in a JVM */
	RUN_NOTE_PROFILE,    /* a recording has begun; text: the profile */
	RUN_NOTE_NO_PROGRAM, /* that profile was removed: the JVM ran no program */
	RUN_NOTE_REFUSED,    /* text: why this JVM is not profiled */
	RUN_NOTE_REMARK      /* text: what else there is to say of the recording */
};

/* ---- the agent's side; errno is kept ---- */

/* From now on notes are taken, if the environment names a folder. */
void run_notes_join(void);

/* True if they are: what the command tells need not stand on the program's standard error. */
bool run_notes_joined(void);

/* Adds a note of this process. text and program may be NULL. */
void run_notes_put(enum run_note_kind kind, const char *text, const char *program);

/* True if the name of the profile is this JVM's alone: it is the first of its run, or of
 * no run. */
bool run_notes_claim(void);
/* The next JVM may have it. */
void run_notes_unclaim(void);

/* ---- the command's side ---- */

struct run_note {
	enum run_note_kind kind;
	long pid;
	const char *text, *program; /* "" for none */
};

/* Embedded; zero-initialised is empty. */
struct run_notes {
	struct run_note *note;
	size_t count;
	char *bytes; /* of the texts */
};

/* Makes a folder, and has the children of this process find it. 0, or a negative code. */
int run_notes_open(char folder[PATH_MAX], struct error *error);

/* Reads what is there by now; notes holds none before. 0, or a negative code. */
int run_notes_read(struct run_notes *notes, const char *folder, struct error *error);
void run_notes_fini(struct run_notes *notes);

/* Removes the folder. */
void run_notes_close(const char *folder);

#endif

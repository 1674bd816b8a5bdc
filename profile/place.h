/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * place: where a profile file lies, in words that SQLite can open.
 *
 * SQLite takes names of at most 512 bytes (MAX_PATHNAME in its os_unix.c), reads a name
 * that begins with "file:" as a URI, and looks for the side files (-wal, -shm, -journal)
 * beside the file that a symbolic link leads to. So: the real path when it is short and
 * leads to the file (a path through /proc/PID/root has none), else /proc/self/fd/N/NAME
 * with N the directory, through a VFS that leaves names as they are (the ordinary one
 * would follow the link in /proc and find the name too long again). The same where a real
 * path cannot be had: below /proc/PID/root, in another mount namespace.
 *
 * That VFS also keeps SQLite from deleting what a journal beside the file names; a
 * writer's sees no write-ahead log.
 */
#ifndef JPROF_PROFILE_PLACE_H
#define JPROF_PROFILE_PLACE_H

#include <limits.h>

#include "error/error.h"

struct sqlite3;

struct place {
	char name[512];  /* for sqlite3_open_v2 and the other system calls */
	const char *vfs; /* for sqlite3_open_v2 */
	int directory;   /* descriptor, or -1 when the name does not need it */
	char shown[256]; /* the path for messages, long ones with the middle left out */
};

/* Only fills shown; name is empty. place_fini is harmless after it. */
void place_show(struct place *place, const char *path);

/* Finds the place of an existing file. 0, or a negative code; shown is filled in any case
 * and place_fini harmless. */
int place_init(struct place *place, const char *path, struct error *error);
void place_fini(struct place *place);

/* For a connection that writes: no write-ahead log is seen there. */
void place_without_log(struct place *place);

/* The name with a suffix ("-wal") behind it, into path (PATH_MAX bytes). */
void place_beside(const struct place *place, const char *suffix, char *path);

/* The same descriptor, or, when it is one of 0 to 2, which belong to the application, a
 * copy above them (the original is closed). -1 with errno set when that fails or fd is
 * -1. */
int place_above_stdio(int fd);

/* ---- what reading and writing do alike with SQLite ---- */

/* Fills error with "cannot DOING 'PATH': why" for a result of SQLite; returns -code. db
 * may be NULL. */
int sql_failed(struct error *error, struct sqlite3 *db, int result, const char *doing,
	const struct place *place);

/* The code that error.h has for a result of SQLite. */
enum error_code sql_error_code(int result);

/* Runs statements that give no rows that matter. A result of SQLite. */
int sql_exec(struct sqlite3 *db, const char *statements);

#endif

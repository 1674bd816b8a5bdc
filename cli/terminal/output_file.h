/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * output_file: a file that a command makes: it is there when it is whole, and not before.
 *
 * Until then it has no name (O_TMPFILE), or where the file system has no such files "PLACE.PID.part". What is no regular
 * file (a pipe, /dev/null) is written to directly; "-" is standard output.
 */
#ifndef JPROF_CLI_OUTPUT_FILE_H
#define JPROF_CLI_OUTPUT_FILE_H

#include <stdbool.h>
#include <sys/types.h>

#include "error/error.h"

struct output_file {
	int fd;
	char *place;     /* where it goes, owned; NULL: what is written is there at once */
	char *temporary; /* a name beside that, owned */
	bool is_named;   /* it has that name */
};

/* Whether a command may write to a name: one that is the user's may be anything's but the source's, which it is made of; one that is
 * not must be free. An exit status; for any but EXIT_DONE a line was printed. */
int output_file_check(const char *command, const char *name, const char *source, bool is_users);

/* In the profile's folder: prefix, its name without .jprof, suffix. Owned; NULL without memory. */
char *output_file_beside(const char *profile, const char *prefix, const char *suffix);

/* That of what it is made of: whoever may read that may read the file. */
mode_t output_file_mode_of(const char *source);

/* mode: as of open(2). 0, or a negative code. Embedded (output_file_close, also after a failure). */
int output_file_open(
	struct output_file *file, const char *name, mode_t mode, struct error *error);

/* With keep it takes its place, instead of what was there; without, nothing is left of it. 0, or a negative code: it could
 * not be kept. */
int output_file_close(struct output_file *file, bool keep, struct error *error);

#endif

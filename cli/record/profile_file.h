/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * profile_file: where a profile goes, and the lines that say where it is.
 */
#ifndef JPROF_CLI_PROFILE_FILE_H
#define JPROF_CLI_PROFILE_FILE_H

#include "cli/attach/target.h"

/* The path with %t replaced. %p and %% are left to the agent: its pid may not be known
 * yet, and a second may pass before it looks at the clock. Owned, NULL without memory. */
char *profile_file_fix_time(const char *file, long now);

/* The same, absolute: a relative path begins at our working directory (is_ours), or at /tmp.
 * Owned; NULL with error filled. */
char *profile_file_whole(const char *file, bool is_ours, struct error *error);

/* Whether a profile can be made there: %p, %t not yet replaced. 0, or a negative code:
 * the folder is missing or may not be written, or the path is a folder's. */
int profile_file_check(const char *file, struct error *error);

/* The file *.jprof of the working directory that was changed last, a regular one. Owned; NULL
 * with error filled. */
char *profile_file_newest(struct error *error);

/* For a command that tells of a profile: where the user named no *file it becomes that one, and a line says which.
 * EXIT_DONE, or a status of usage with its line on standard error. found: owned by the caller, or NULL; *file may
 * borrow from it. */
int profile_file_or_newest(const char *command, const char **file, char **found);

/* The path for the agent of a running process: absolute, as the target sees it,
 * with %t replaced. file: what the user asked for, or NULL. A relative path begins at our
 * working directory if the target shares it, else at its /tmp; without a file so does the
 * options' default, and also at /tmp for another user's process. Owned; NULL with error
 * filled. */
char *profile_file_place(const struct target *target, const char *file, struct error *error);

/* "jprof: the profile of PROGRAM is FILE; read it with: jprof report FILE" on standard error.
 * program: NULL: without that. */
void profile_file_say(const char *program, const char *path);

/* Writes a word to standard error so that a shell reads it back. */
void profile_file_put(const char *word);

#endif

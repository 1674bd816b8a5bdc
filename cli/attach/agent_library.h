/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * agent_library: where libjprof.so is, for this program and for a JVM in another place.
 */
#ifndef JPROF_CLI_AGENT_LIBRARY_H
#define JPROF_CLI_AGENT_LIBRARY_H

#include <limits.h>

#include "cli/attach/jvm_facts.h"

/* A file that belongs to this program, as built or as installed: in the first of these places
 * (to NULL), seen from the program's folder, that has it. False: none has. folder: for
 * messages; "" where it is not known (errno). */
bool own_file_find(char found[PATH_MAX], char folder[PATH_MAX], const char *name,
	const char *const *places);

/* The bytes of a regular file, mapped (munmap). Takes the descriptor, which may be negative. NULL
 * with errno if it is none, or empty. */
void *file_map(int file, size_t *size);

/* The absolute path of the library beside this program, or as installed. 0, or a negative
 * code. */
int agent_library_find(char library[PATH_MAX], struct error *error);

/* The word that loads it into a JVM with these options (may be NULL). *option: owned. 0, or a
 * negative code. */
int agent_library_option(char **option, const char *options, struct error *error);

/* The same library as the target sees it: the one that it has loaded already (another
 * file would be a second agent), that file itself, or a copy of it in a directory of the
 * target's user, which is kept. *path: owned. 0, or a negative code. */
int agent_library_place(const struct target *target, const struct jvm_maps *maps,
	const char *library, char **path, struct error *error);

#endif

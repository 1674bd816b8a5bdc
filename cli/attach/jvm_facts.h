/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * jvm_facts: what can be seen of a JVM from outside: files that it has mapped, the counters
 * that HotSpot publishes (PerfData, /tmp/hsperfdata_USER/PID), and the words that it was
 * started with.
 *
 * In:   /proc/PID; a file that another user may have written: any bytes, any size.
 * Out:  texts, and whether it can be attached to. That matters before a signal is sent: a JVM
 *       that does not attach would answer it by printing all its threads.
 */
#ifndef JPROF_CLI_JVM_FACTS_H
#define JPROF_CLI_JVM_FACTS_H

#include <stddef.h>

#include "cli/attach/target.h"

/* ---- mapped files ---- */

struct jvm_maps {
	bool jvm;       /* libjvm.so */
	bool launcher;  /* libjli.so: java on the way to become a JVM */
	char *agent;    /* libjprof.so, as the target sees it, owned; NULL: there is none */
	char *counters; /* HotSpot's file of counters, the same */
};

/* Fills maps, to be given back. 0, or a negative code (not permitted, gone). */
int jvm_maps_read(const struct target *target, struct jvm_maps *maps, struct error *error);
void jvm_maps_fini(struct jvm_maps *maps);

/* ---- HotSpot's counters ---- */

/* The file at that path, as the target sees it: a regular one, of the target's own user, and no
 * larger than such files are. Owned; NULL with a size of 0, as of a path that is NULL. */
unsigned char *jvm_counters_read(const struct target *target, const char *path, size_t *size);

/* The text of that name ("sun.rt.javaCommand"). Owned; NULL: there is none, or the bytes are
 * not understood. */
char *jvm_counters_text(const unsigned char *bytes, size_t size, const char *name);

/* Whether they say that attaching is supported: 1, 0, or -1 if they say nothing or are not
 * understood. */
int jvm_counters_attach(const unsigned char *bytes, size_t size);

/* ---- the file `release` of a JDK ---- */

/* The value of its line KEY="VALUE". Takes the descriptor, which may be negative. False: there
 * is none, or it is no regular file. */
bool jvm_release_value(int file, const char *key, char *value, size_t size);

/* ---- words ---- */

/* Reads a launcher's command line up to the program; words end with '\0'. *no_attach: set where
 * it says -XX:+DisableAttachMechanism or the opposite; with a target also in its @files.
 * Returns the main class, the jar or the module. Owned; NULL: it names none, or there is an
 * @file, which may. */
char *jvm_command_line(
	const struct target *target, const char *words, size_t size, bool *no_attach);

/* The same for options in the variable of that name of an environment. */
void jvm_variable(const char *name, const char *words, size_t size, bool *no_attach);

/* True if the JVM was started with -XX:+DisableAttachMechanism, as far as is known. */
bool jvm_forbids_attach(const struct target *target, const struct jvm_maps *maps);

#endif

/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * jvm_flags: how a JVM was told to meet attaching: by its command line, by the variables
 * that it reads options from, and by what it publishes itself (HotSpot's counters).
 *
 * It matters before a signal is sent: a JVM that does not attach would answer it by
 * printing all its threads.
 */
#ifndef JPROF_CLI_JVM_FLAGS_H
#define JPROF_CLI_JVM_FLAGS_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/attach/target_maps.h"

struct jvm_flags {
	bool no_attach; /* -XX:+DisableAttachMechanism */
};

/* What is known; nothing that cannot be read counts as given. */
void jvm_flags_read(
	const struct target *target, const struct target_maps *maps, struct jvm_flags *flags);

/* The parts, for tests. Words are separated by '\0' or by white space. */
void jvm_flags_command_line(
	const struct target *target, struct jvm_flags *flags, const char *words, size_t size);
void jvm_flags_environment(
	struct jvm_flags *flags, const char *words, size_t size, bool before_command_line);

/* The program on a launcher's command line: the main class, the jar, the module. Owned; NULL:
 * it names none, or there is an @file, which may. */
char *jvm_flags_program(const char *words, size_t size);

/* Whether HotSpot's counters (the file that it maps, PerfData) say that attaching
 * is supported: 1, 0, or -1 if they say nothing or are not understood. */
int jvm_flags_counters(const unsigned char *bytes, size_t size);

#endif

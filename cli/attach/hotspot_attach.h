/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * hotspot_attach: loads an agent into a HotSpot JVM that runs.
 *
 * HotSpot listens on /tmp/.java_pidPID once it was asked to: by a file .attach_pidPID and
 * the signal QUIT (attachListener_posix.cpp). One request a connection.
 */
#ifndef JPROF_CLI_HOTSPOT_ATTACH_H
#define JPROF_CLI_HOTSPOT_ATTACH_H

#include "cli/attach/jvm_facts.h"

/* Fails, with a line, if the process is no JVM; waits a little for one that is starting.
 * Fills maps, to be given back. */
int hotspot_find_jvm(const struct target *target, struct jvm_maps *maps, struct error *error);

/* What would keep hotspot_wake from making the JVM listen, as far as that can be seen:
 * nothing is done to the process. 0, or a negative code and a line. */
int hotspot_check(
	const struct target *target, const struct jvm_maps *maps, struct error *error);

/* Makes the JVM listen if it does not. Nothing is sent to what is no JVM, or to a JVM
 * that would answer the signal otherwise. 0, or a negative code and a line that says what
 * to do. */
int hotspot_wake(const struct target *target, const struct jvm_maps *maps, struct error *error);

/* Loads the library (an absolute path as the target sees it) with its options into a JVM
 * that listens. 0, or a negative code and a line: -ERROR_BUSY if the agent itself did not
 * want to start. */
int hotspot_load(const struct target *target, const char *library, const char *options,
	struct error *error);

/* Asks a JVM that listens: its own command of that name, with at most three arguments, up to NULL, each below 1024 bytes. *answer: what
 * it says, owned (free). 0, or a negative code and a line: it refused, or does not know the command. what: "to write a heap
 * dump", which may take long. */
int hotspot_ask(const struct target *target, const char *const words[4], const char *what,
	char **answer, struct error *error);

#endif

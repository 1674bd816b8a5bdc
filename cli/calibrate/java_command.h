/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * java_command: what belongs to every command by which jprof runs java for itself: where java is, and
 * the jar with its programs; the agent; options that keep times steady.
 */
#ifndef JPROF_CLI_JAVA_COMMAND_H
#define JPROF_CLI_JAVA_COMMAND_H

#include <limits.h>
#include <stddef.h>

#include "error/error.h"

/* At most so many words of java_command_steady. */
enum { JAVA_STEADY = 16 };

/* The java program. asked: it, or a JDK's or JRE's folder; NULL: that of JAVA_HOME, or of PATH. 0, or
 * a negative code. */
int java_command_find(char java[PATH_MAX], const char *asked, struct error *error);

/* The jar with the programs of jprof's own. 0, or a negative code. */
int java_command_jar(char jar[PATH_MAX], struct error *error);

/* The word that loads the agent with these options. 0, or a negative code. */
int java_command_agent(char *word, size_t size, const char *options, struct error *error);

/* Puts options of the JVM at word and returns how many. No thread more than need be, no files.
 * Methods are compiled early and at once; but how often the interpreter asks whether to compile is
 * left as it is, for that is part of what its calls cost. Where the JVM reports each call (calls is
 * "events") nothing is compiled: so it is to be without probes. Texts are static. */
size_t java_command_steady(const char **word, const char *calls);

#endif

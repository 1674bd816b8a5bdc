/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * java_command: the command by which jprof runs a program of its own under java: where java is,
 * and the jar with these programs; the agent; options that keep times steady; a folder for its
 * files.
 */
#ifndef JPROF_CLI_JAVA_COMMAND_H
#define JPROF_CLI_JAVA_COMMAND_H

#include <limits.h>
#include <stddef.h>

#include "error/error.h"

/* A key of the agent's options with its value. */
struct java_option {
	const char *key, *value;
};

/* What is to be run. All texts are borrowed. */
struct java_program {
	const char *java;    /* as for java_command_find */
	const char *folder;  /* for all files */
	const char *profile; /* the name of the agent's file there */
	const char *calls;   /* how calls are seen */
	const char *mode;    /* the JVM's option for how it runs code; "" or NULL: as usual */
	const char *package; /* of the methods; those named interpreted* are never compiled */
	const char *main;
	/* of the agent beside `file`; ends with a NULL key */
	const struct java_option *options;
	const char *const *arguments; /* of the program; ends with NULL */
};

enum { JAVA_WORDS = 40 };

/* Embedded. */
struct java_command {
	char java[PATH_MAX], agent[3 * PATH_MAX], crash[PATH_MAX + 32], jar[PATH_MAX];
	char profile[PATH_MAX + 32], exclude[128], dontinline[128];
	/* ends with NULL; points into this object and what is asked for */
	const char *word[JAVA_WORDS];
};

/* 0, or a negative code: there is no java, agent or jar, or an option is not legal. */
int java_command_make(
	struct java_command *command, const struct java_program *program, struct error *error);

/* The java program. asked: it, or a JDK's or JRE's folder; NULL: that of JAVA_HOME, or of PATH.
 * 0, or a negative code. */
int java_command_find(char java[PATH_MAX], const char *asked, struct error *error);

/* An option string up to one without a key: appends to *joined, which is owned. 0, or a
 * negative code. */
int java_options_join(char **joined, const struct java_option *options, struct error *error);

/* Makes a folder of this process alone, in TMPDIR or /tmp. 0, or a negative code and "". */
int work_folder_make(char folder[PATH_MAX], struct error *error);

/* Removes it with its files; it has no folders. Harmless for "". */
void work_folder_remove(const char *folder);

#endif

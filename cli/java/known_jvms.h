/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * known_jvms: the JVMs that this program's user has run, attached to or calibrated on this
 * machine.
 *
 *   jvms    in calibration/own_folder.h: the path of a java program each line
 *
 * A report may run these, and nothing else, without being told: a profile says which version
 * made it, and never what is run.
 */
#ifndef JPROF_CLI_KNOWN_JVMS_H
#define JPROF_CLI_KNOWN_JVMS_H

#include <limits.h>
#include <stdbool.h>

#include "cli/attach/target.h"

/* Notes HOME/bin/java, if it is a program that only root and this user can change
 * (calibration/trusted_path.h). What cannot be noted is no failure: a report then asks for
 * it. */
void known_jvms_note(const char *home);

/* The same for the JVM that a process runs, by what the kernel says of it. */
void known_jvms_note_process(const struct target *target);

/* The same for the JVM that has just written this profile, at the word of this user: the file
 * must be this user's own. */
void known_jvms_note_profile(const char *path);

/* The first that fits: the path of a program that is still there, and that can still be
 * trusted. False: none does. */
typedef bool known_jvm(const void *argument, const char *java);
bool known_jvms_find(char java[PATH_MAX], known_jvm *fits, const void *argument);

#endif

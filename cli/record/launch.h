/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * launch: how the agent gets into the JVMs that a command starts.
 *
 * In:   the command as a user wrote it; the agent's option (-agentpath:...).
 * Out:  which of these ways it goes; the environment, where that is the way.
 *
 *   java          its first argument
 *   JDK tools     -J-agentpath:..., their first argument (javac, jar, jshell...)
 *   all others    JAVA_TOOL_OPTIONS, which each JVM below reads. HotSpot prints a line
 *                 about that to standard error, always ("Picked up JAVA_TOOL_OPTIONS:
 *                 ...", arguments.cpp, parse_options_environment_variable); nothing
 *                 else reaches all of them.
 */
#ifndef JPROF_CLI_LAUNCH_H
#define JPROF_CLI_LAUNCH_H

#include "error/error.h"

enum launch_way { LAUNCH_JAVA, LAUNCH_TOOL, LAUNCH_ANY };

/* What execvp(3) will find by that word. A program that is not found is any. */
enum launch_way launch_way_of(const char *word);

/* Puts the option behind what JAVA_TOOL_OPTIONS holds, for children of this process. 0,
 * or a negative code: the variable loads jprof's agent already. */
int launch_set_environment(enum launch_way way, const char *agent, struct error *error);

#endif

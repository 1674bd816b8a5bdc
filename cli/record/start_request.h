/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * start_request: what `jprof attach` and `jprof start` tell the agent.
 *
 * In:   the words of the command, and the config file that they name, which is read here:
 *       the target may not see it.
 * Out:  the option string for loading the agent, which is short, and the JSON object of
 *       options for the recording.
 */
#ifndef JPROF_CLI_START_REQUEST_H
#define JPROF_CLI_START_REQUEST_H

#include <jansson.h>
#include <stdbool.h>

#include "cli/attach/target.h"
#include "cli/record/agent_words.h"

struct start_request {
	json_t *options; /* the given ones, without `start`; owned */
	char *load;      /* owned */
	bool is_armed;   /* start=no */
	bool has_start;  /* start was given */
};

/* 0, or a negative code; start_request_fini is harmless then. */
int start_request_read(
	struct start_request *request, const struct agent_words *words, struct error *error);
void start_request_fini(struct start_request *request);

/* Nothing is asked for beside what loading takes. */
bool start_request_is_plain(const struct start_request *request);

/* The agent was loaded with `load`: options that only loading takes are done. */
void start_request_loaded(struct start_request *request);

/* Sets `file` to where the profile goes in that target. 0, or a negative code. */
int start_request_place(
	struct start_request *request, const struct target *target, struct error *error);

#endif

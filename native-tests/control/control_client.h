/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * control_client: what tests of the control channel need: a root of their own, fake verbs, and
 * clients that are as dull, or as rude, as a case wants. It knows the protocol, and nothing of
 * the agent's code for it.
 */
#ifndef JPROF_CONTROL_CLIENT_H
#define JPROF_CONTROL_CLIENT_H

#include <jansson.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "agent/control/control.h"

/* Verbs: echo (gives "n" back), wait (300 ms), long (2 s), large (an answer of 100 KB), whoami
 * ("connection", "uid", "pid"), detach (the
 * last one). */
extern const struct control_setup channel_setup;
extern _Atomic unsigned channel_waits;  /* waits that have begun */
extern _Atomic uint64_t channel_needed; /* the number of a connection that does not give way */

/* A new directory for roots; and all that is in it removed. */
int channel_make_root(void **state);
int channel_remove_root(void **state);

/* ROOT/.jprof-PID/control. */
const char *channel_path(void);
bool channel_exists(void);

/* Each a connection, or negative. */
int channel_connect(void);
int channel_connect_to(const char *path);

/* Sends all of it; false: the other side is gone. */
bool channel_send(int connection, const void *bytes, size_t length);
bool channel_say(int connection, const char *line);

/* Reads one line into text, a string without the '\n'. False: the connection ended, or nothing
 * came within ten seconds. */
bool channel_read(int connection, char *text, size_t size);

/* True if the other side closes within ten seconds; what comes before is thrown away. */
bool channel_ends(int connection);

/* The code of an answer's error, "" if it is ok. */
const char *channel_code(int connection);

unsigned count_entries(const char *directory);
long now_in_ms(void);

#endif

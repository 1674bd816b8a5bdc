/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * local_socket: a Unix socket that a process listens on, not trusted before it was looked
 * at: it must be a socket of the target's user (or root's), closed to everybody else, and
 * its listener must be the target itself.
 */
#ifndef JPROF_CLI_LOCAL_SOCKET_H
#define JPROF_CLI_LOCAL_SOCKET_H

#include <stddef.h>
#include <stdint.h>

#include "cli/attach/target.h"
#include "cli/terminal/waiting.h"

/* Checks the socket and connects. what: for messages, e.g. "attach socket". A descriptor
 * that does not block, or a negative code: -ERROR_MISSING if there is no such name. */
int local_socket_connect(const struct target *target, int directory, const char *name,
	const char *what, struct error *error);

/* Sends all of it. 0, or a negative code: -ERROR_BUSY if the limit is reached. */
int local_socket_send(int descriptor, const char *bytes, size_t size, struct waiting *waiting,
	struct error *error);

/* What is there to read, at most size. 0: the other side has closed. A negative code:
 * -ERROR_BUSY if the limit is reached. */
long local_socket_receive(
	int descriptor, char *bytes, size_t size, struct waiting *waiting, struct error *error);

#endif

/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * protocol: what the agent and its clients must agree on (docs/control-protocol.md). The
 * command includes it, too.
 */
#ifndef JPROF_AGENT_CONTROL_PROTOCOL_H
#define JPROF_AGENT_CONTROL_PROTOCOL_H

#include <stddef.h>

enum {
	PROTOCOL_VERSION = 1,
	PROTOCOL_LINE_BYTES = 1 << 20 /* of a line with its '\n' */
};

/* The socket is ROOT/.jprof-PID/control: the first root where it can be made, and the process's
 * own number for itself, a long; where others have made all of these directories it is
 * ROOT/.jprof-PID.RANDOM/control: /proc/PID/fd tells which, as the agent has its directory
 * open. */
#define PROTOCOL_DIRECTORY       ".jprof-%ld"
#define PROTOCOL_DIRECTORY_OTHER ".jprof-%ld.%08x" /* an unsigned int */
#define PROTOCOL_SOCKET          "control"

static const char *const protocol_roots[] = {"/tmp", "/dev/shm", "/var/tmp", NULL};

#endif

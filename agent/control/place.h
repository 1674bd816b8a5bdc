/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * place: where the control socket is: ROOT/.jprof-PID/control.
 *
 * The directory (mode 0700, ours) protects the socket, from its first moment on. One that is
 * there already is used if it is ours alone, and a socket in it replaced if no process listens
 * (a killed one had this pid); otherwise the next root is taken: processes of several pid
 * namespaces may share a /tmp. Where all roots are taken, the directory gets a name that cannot
 * be foreseen.
 *
 * Owns: a descriptor of the directory, so that what is removed is what was made.
 * Runs: cold, on any thread, without locks.
 */
#ifndef JPROF_AGENT_CONTROL_PLACE_H
#define JPROF_AGENT_CONTROL_PLACE_H

#include <sys/types.h>
#include <sys/un.h>

#include "error/error.h"

struct place {
	int directory; /* its descriptor; negative: there is no place */
	dev_t device;  /* of the socket's file */
	ino_t inode;
	struct sockaddr_un address; /* sun_path: ROOT/.jprof-PID/control */
};

/* Makes directory and socket under the first root where that is possible. The listening socket,
 * not blocking and closed on exec, owned by the caller; or a negative code: nothing is left
 * behind, and the error says what is wrong with each root. */
int place_make(struct place *place, const char *const *roots, pid_t pid, struct error *error);

/* Removes the socket, if it is still the one that was made, and the directory if it is empty.
 * The second time it does nothing. */
void place_remove(struct place *place);

#endif

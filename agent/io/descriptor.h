/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * descriptor: what the system knows of an open descriptor.
 *
 * Kind by fstat(2); sockets by getsockopt(2), getsockname(2) and getpeername(2); the names of
 * others by /proc/self/fd (proc(5)), which gives them as the kernel sees them: absolute,
 * without links, " (deleted)" behind those that are gone. errno is left as found.
 */
#ifndef JPROF_DESCRIPTOR_H
#define JPROF_DESCRIPTOR_H

#include "agent/io/io_files.h"

enum {
	DESCRIPTOR_NAME_MAX = 4352, /* PATH_MAX and what /proc adds; or an address */
	DESCRIPTOR_ADDRESS_MAX = 64
};

struct descriptor {
	enum io_kind kind;
	struct io_name name, peer; /* in the text below */
	char name_text[DESCRIPTOR_NAME_MAX];
	char peer_text[160];
};

/* False: it is not open. */
bool descriptor_look(int number, struct descriptor *descriptor);

/* Its kind alone, of one that is no socket; IO_OTHER: not open, or something else. */
enum io_kind descriptor_kind(int number);

/* Calls found for every open descriptor of the process but those that this opens itself. */
void descriptors_each(void (*found)(void *user, int number), void *user);

/* A bare internet address of 4 or 16 bytes, into text (of DESCRIPTOR_ADDRESS_MAX bytes). */
void address_write(const void *bytes, size_t length, char *text);

/* The path made absolute by the process's working directory, into text (of
 * DESCRIPTOR_NAME_MAX bytes) if it was not. */
struct io_name path_absolute(struct io_name path, char *text);

#endif

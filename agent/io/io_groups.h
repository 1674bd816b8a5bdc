/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * io_groups: what files and connections have in common, as names with '*' in them (docs/io.md
 * has a table of examples; what becomes '*': profile/name_pattern.h).
 *
 *   fine    the path, digits and random parts as '*'; of a connection the server's side, and
 *           the other's address without its port
 *   coarse  the folder and the ending; the server's port
 *   kind    all of that kind
 */
#ifndef JPROF_IO_GROUPS_H
#define JPROF_IO_GROUPS_H

#include "agent/io/io_files.h"

enum io_grain { GRAIN_FINE, GRAIN_COARSE, GRAIN_KIND, IO_GRAINS };

enum { GROUP_TEXT = 4400 /* longer names are cut, and end with '*' */ };

struct io_group_text {
	char name[GROUP_TEXT], peer[GROUP_TEXT];
};

/* The opening of the group's own row; its names are in text. */
struct io_opening io_group_of(
	const struct io_opening *opening, enum io_grain grain, struct io_group_text *text);

#endif

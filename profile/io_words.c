/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* io_words: see io_words.h. */
#include "profile/io_words.h"

#include <string.h>

const char *const io_kind_names[IO_KINDS + 1] = {
#define X(kind, name) [kind] = name,
	IO_KIND_TABLE(X)
#undef X
};

const char *io_kind_name(enum io_kind kind)
{
	return io_kind_names[kind];
}

enum io_kind io_kind_find(const char *name)
{
	int i = 0;

	while (i < IO_KINDS && strcmp(io_kind_names[i], name) != 0)
		i++;
	return (enum io_kind)i;
}

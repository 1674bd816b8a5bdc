/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* io_words: see io_words.h. */
#include "profile/io_words.h"

#include <string.h>

static const char *const op_name[IO_OPS] = {
#define X(op, name, group) [op] = name,
	IO_OP_TABLE(X)
#undef X
};

static const char *const op_group[IO_OPS] = {
#define X(op, name, group) [op] = group,
	IO_OP_TABLE(X)
#undef X
};

static const char *const kind_name[IO_KINDS] = {
#define X(kind, name) [kind] = name,
	IO_KIND_TABLE(X)
#undef X
};

const char *io_op_name(enum io_op op)
{
	return op_name[op];
}

const char *io_op_group(enum io_op op)
{
	return op_group[op];
}

const char *io_kind_name(enum io_kind kind)
{
	return kind_name[kind];
}

enum io_op io_op_find(const char *name)
{
	int i = 0;

	while (i < IO_OPS && strcmp(op_name[i], name) != 0)
		i++;
	return (enum io_op)i;
}

enum io_kind io_kind_find(const char *name)
{
	int i = 0;

	while (i < IO_KINDS && strcmp(kind_name[i], name) != 0)
		i++;
	return (enum io_kind)i;
}

/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* query: what stands behind '?' in an address: "view=tree&thread=main&thread=w-*", read by a table. */
#ifndef JPROF_CLI_QUERY_H
#define JPROF_CLI_QUERY_H

#include <stdbool.h>
#include <stddef.h>

#include "error/error.h"

/* A parameter that was given; its value is decoded, and lasts as long as the query. */
struct given {
	const char *name, *value;
	void *to; /* what stands in words at the parameter's offset */
};

struct parameter {
	const char *name;
	/* Takes it. 0, or -ERROR_USAGE with a line. */
	int (*take)(const struct given *given, struct error *error);
	size_t offset; /* in words */
};

/* The pairs, owned. */
struct query;

/* Reads them all into words, which borrows from the query. 0, or a negative code: one is not known, or its value is not
 * legal; to be given back in any case. */
int query_read(struct query **query, const char *text, const struct parameter *parameters,
	size_t count, void *words, struct error *error);
void query_free(struct query *query);

#endif

/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * papi_names: PAPI's preset names as aliases of libpfm4's event names.
 */
#ifndef JPROF_PAPI_NAMES_H
#define JPROF_PAPI_NAMES_H

#include <stddef.h>

/* Most events that one preset can stand for, of which a machine has at most one. */
#define PAPI_EVENTS 4

struct papi_name {
	const char *name;
	const char *event[PAPI_EVENTS]; /* names of libpfm4, tried in this order; NULL ends */
};

extern const struct papi_name papi_names[];
extern const size_t papi_name_count;

/* The row of a preset, or NULL. Case does not matter. */
const struct papi_name *papi_name_find(const char *name);

#endif

/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* stubs: see stubs.h. */
#include "agent/code/stubs.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "agent/lock/lock.h"

struct stub {
	uintptr_t begin;
	size_t bytes;
	char *name;
};

static struct lock stubs_lock = {PTHREAD_MUTEX_INITIALIZER, LOCK_STUBS};
static struct stub *stub; /* under the lock */
static size_t count, room;

const char *stubs_add(const char *name, uintptr_t begin, size_t bytes)
{
	char *copy = strdup(name);
	const char *kept = NULL;
	size_t i = 0;

	lock_take(&stubs_lock);
	while (i < count && (stub[i].begin != begin || stub[i].bytes != bytes))
		i++;
	if (i == count && count == room) {
		size_t wanted = room ? 2 * room : 256;
		struct stub *grown = realloc(stub, wanted * sizeof(*grown));

		if (grown) {
			stub = grown;
			room = wanted;
		}
	}
	/* Without memory it has no name. One of before keeps its own: it may have been given out. */
	if (copy && i < room && (i == count || strcmp(stub[i].name, copy) != 0)) {
		stub[i] = (struct stub){begin, bytes, copy};
		copy = NULL;
		count += i == count;
	}
	if (i < count)
		kept = stub[i].name;
	lock_give(&stubs_lock);
	free(copy);
	return kept;
}

bool stubs_get(size_t i, const char **name, uintptr_t *begin, size_t *bytes)
{
	bool found;

	lock_take(&stubs_lock);
	found = i < count;
	if (found) {
		*name = stub[i].name;
		*begin = stub[i].begin;
		*bytes = stub[i].bytes;
	}
	lock_give(&stubs_lock);
	return found;
}

const char *stubs_find(uintptr_t pc, uintptr_t *begin)
{
	const struct stub *best = NULL;
	const char *name;

	lock_take(&stubs_lock);
	for (size_t i = 0; i < count; i++)
		if (pc - stub[i].begin < stub[i].bytes &&
			(!best || stub[i].bytes <= best->bytes))
			best = &stub[i];
	name = best ? best->name : NULL;
	if (best)
		*begin = best->begin;
	lock_give(&stubs_lock);
	return name;
}

uintptr_t stubs_named(const char *name)
{
	uintptr_t begin = 0;

	lock_take(&stubs_lock);
	for (size_t i = 0; i < count; i++)
		if (strcmp(stub[i].name, name) == 0)
			begin = stub[i].begin;
	lock_give(&stubs_lock);
	return begin;
}

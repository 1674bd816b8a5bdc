/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* io_openers: see io_openers.h. */
#include "agent/io/io_openers.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

#include "agent/lock/lock.h"

enum {
	BLOCK = 256,
	NAMED_MAX = 512 /* names of virtual threads */
};

struct io_opener {
	char *name;
	_Atomic uint32_t known_as; /* the opener that the thread is since; 0: none */
};

static struct io_opener *_Atomic block[IO_OPENERS_MAX / BLOCK];
static uint32_t openers = 1; /* under the lock */
static struct lock openers_lock = {PTHREAD_MUTEX_INITIALIZER, LOCK_OPENERS};
static uint32_t named_opener[NAMED_MAX]; /* under the lock, as is their number */
static unsigned named;
static __thread uint32_t self __attribute__((tls_model("initial-exec")));

static struct io_opener *at(uint32_t opener)
{
	return &block[opener / BLOCK][opener % BLOCK];
}

static uint32_t add(const char *name)
{
	char *copy = strdup(name);
	uint32_t id = 0;

	lock_take(&openers_lock);
	if (openers < IO_OPENERS_MAX && !block[openers / BLOCK])
		block[openers / BLOCK] = calloc(BLOCK, sizeof(struct io_opener));
	if (copy && openers < IO_OPENERS_MAX && block[openers / BLOCK]) {
		id = openers++;
		at(id)->name = copy;
	}
	lock_give(&openers_lock);
	if (id == 0)
		free(copy);
	return id;
}

/* Under the lock. 0: it is not there. */
static uint32_t find_named(const char *name)
{
	for (unsigned i = 0; i < named; i++)
		if (strcmp(at(named_opener[i])->name, name) == 0)
			return named_opener[i];
	return 0;
}

uint32_t io_opener_named(const char *name)
{
	uint32_t found, added;

	lock_take(&openers_lock);
	found = find_named(name);
	if (found == 0 && named == NAMED_MAX - 1) {
		name = "*";
		found = find_named(name);
	}
	lock_give(&openers_lock);
	if (found != 0 || (added = add(name)) == 0)
		return found;
	lock_take(&openers_lock);
	found = find_named(name);
	if (found == 0 && named < NAMED_MAX)
		named_opener[named++] = found = added;
	lock_give(&openers_lock);
	return found;
}

uint32_t io_opener_self(const char *name)
{
	char short_name[16] = ""; /* PR_GET_NAME */

	if (self != 0)
		return self;
	if (!name)
		prctl(PR_GET_NAME, short_name);
	return self = add(name ? name : short_name);
}

void io_opener_known_as(const char *name)
{
	uint32_t before = self;

	if (before == 0 || strcmp(at(before)->name, name) == 0)
		return;
	self = add(name);
	if (self == 0)
		self = before;
	else
		atomic_store(&at(before)->known_as, self);
}

const char *io_opener_name(uint32_t opener)
{
	uint32_t since;

	if (opener == 0)
		return NULL;
	while ((since = atomic_load(&at(opener)->known_as)) != 0)
		opener = since;
	return at(opener)->name;
}

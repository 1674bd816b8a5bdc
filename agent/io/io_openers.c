/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* io_openers: see io_openers.h. */
#include "agent/io/io_openers.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

#include "agent/lock/lock.h"
#include "profile/name_pattern.h"

enum {
	NAMED_MAX = 512, /* names that threads share */
	NAME_MAX_BYTES = 256
};

static struct io_opener {
	char *name;
	_Atomic uint32_t known_as; /* the opener that the thread is since; 0: none */
	bool shared;               /* of all threads of that name */
} opener_of[IO_OPENERS_MAX];       /* memory that is not touched is not there */
static uint32_t openers = 1;       /* under the lock */
static struct lock openers_lock = {PTHREAD_MUTEX_INITIALIZER, LOCK_OPENERS};
static uint32_t named_opener[NAMED_MAX]; /* under the lock, as is their number */
static unsigned named;
static __thread uint32_t self __attribute__((tls_model("initial-exec")));

/* Under the lock. Takes the name. 0: no memory. */
static uint32_t add(char *name, bool shared)
{
	if (!name || openers >= IO_OPENERS_MAX) {
		free(name);
		return 0;
	}
	opener_of[openers].name = name;
	opener_of[openers].shared = shared;
	return openers++;
}

/* Under the lock. 0: it is not there. */
static uint32_t find_named(const char *name)
{
	for (unsigned i = 0; i < named; i++)
		if (strcmp(opener_of[named_opener[i]].name, name) == 0)
			return named_opener[i];
	return 0;
}

/* Under the lock. The last name is for all further ones. */
static uint32_t share(const char *name)
{
	uint32_t found = find_named(name);

	if (found == 0 && named >= NAMED_MAX - 1) {
		name = "*";
		found = find_named(name);
	}
	if (found != 0)
		return found;
	found = add(strdup(name), true);
	if (found != 0)
		named_opener[named++] = found;
	return found;
}

uint32_t io_opener_named(const char *name)
{
	uint32_t opener;

	lock_take(&openers_lock);
	opener = share(name);
	lock_give(&openers_lock);
	return opener;
}

/* A thread of that name: by itself, or with all those whose names are alike. */
static uint32_t thread_named(const char *name)
{
	char pattern[NAME_MAX_BYTES];
	struct pattern_text text = {.bytes = pattern, .size = sizeof(pattern)};
	uint32_t opener;

	pattern_put_name(&text, name, strlen(name));
	pattern[text.length] = '\0';
	lock_take(&openers_lock);
	opener = openers <= IO_OPENERS_APART ? add(strdup(name), false) : share(pattern);
	lock_give(&openers_lock);
	return opener;
}

uint32_t io_opener_self(const char *name)
{
	char short_name[16] = ""; /* PR_GET_NAME */

	if (self != 0)
		return self;
	if (!name)
		prctl(PR_GET_NAME, short_name);
	return self = thread_named(name ? name : short_name);
}

void io_opener_known_as(const char *name)
{
	uint32_t before = self;

	if (before == 0 || strcmp(opener_of[before].name, name) == 0)
		return;
	self = thread_named(name);
	if (self == 0)
		self = before;
	else if (!opener_of[before].shared && self != before)
		atomic_store(&opener_of[before].known_as, self);
}

const char *io_opener_name(uint32_t opener)
{
	uint32_t since;

	if (opener == 0)
		return NULL;
	while ((since = atomic_load(&opener_of[opener].known_as)) != 0)
		opener = since;
	return opener_of[opener].name;
}

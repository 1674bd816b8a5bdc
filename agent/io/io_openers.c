/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* io_openers: see io_openers.h. */
#include "agent/io/io_openers.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "agent/lock/lock.h"

enum { BLOCK = 256 };

static struct io_opener *_Atomic block[IO_OPENERS_MAX / BLOCK];
static uint32_t openers = 1; /* under the lock */
static struct lock openers_lock = {PTHREAD_MUTEX_INITIALIZER, LOCK_OPENERS};
static __thread uint32_t self __attribute__((tls_model("initial-exec")));

static uint32_t add(const struct io_opener *opener)
{
	uint32_t id = 0;

	lock_take(&openers_lock);
	if (openers < IO_OPENERS_MAX && !block[openers / BLOCK])
		block[openers / BLOCK] = calloc(BLOCK, sizeof(*opener));
	if (openers < IO_OPENERS_MAX && block[openers / BLOCK]) {
		id = openers++;
		block[id / BLOCK][id % BLOCK] = *opener;
	}
	lock_give(&openers_lock);
	return id;
}

uint32_t io_opener_self(void)
{
	struct io_opener opener = {0};

	if (self != 0)
		return self;
	opener.os_id = gettid();
	prctl(PR_GET_NAME, opener.name);
	return self = add(&opener);
}

const struct io_opener *io_opener_get(uint32_t opener)
{
	return opener ? &block[opener / BLOCK][opener % BLOCK] : NULL;
}

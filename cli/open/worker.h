/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * worker: a thread that answers requests which take long, one after the other, so that the server answers others
 * meanwhile.
 *
 * In:   exchanges, on the server's thread.
 * Out:  the same with their answers; a descriptor that can be read when there are some.
 */
#ifndef JPROF_CLI_WORKER_H
#define JPROF_CLI_WORKER_H

#include <pthread.h>

#include "cli/open/exchange.h"
#include "error/error.h"

/* More are refused; the server may have some more connections for a moment. */
enum { WORKER_QUEUE = 128 };

/* Embedded. All but the thread and the descriptor below the lock. */
struct worker {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct exchange *queue, **queue_end, *done, **done_end;
	unsigned waiting;
	bool is_busy, ends;
	int wake; /* eventfd(2) */
};

/* 0, or a negative code. The thread gets none of the signals that end a command, nor those of
 * children; programs that it starts have them blocked, too. */
int worker_init(struct worker *worker, struct error *error);

/* Has run called with user, on the worker's thread. False: too many wait; the exchange is still the caller's. */
bool worker_give(struct worker *worker, struct exchange *exchange,
	void (*run)(void *user, struct exchange *exchange), void *user);

/* The next one that is done, or NULL. When there is none the descriptor can be read no more. */
struct exchange *worker_take(struct worker *worker);

/* Ends it; false: it is busy with something that takes longer than a moment, and stays. What waits or is done is given
 * to drop. */
bool worker_fini(struct worker *worker, void (*drop)(struct exchange *exchange));

#endif

/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * requests: what other threads ask the writer's thread for, and wait for.
 *
 * In:   requests_ask, on any thread but the one that answers.
 * Out:  one request after the other, to the thread that answers.
 * Owns: the requests. One that is not waited for any more, as answering takes too long, is freed
 *       when it is answered at last.
 * Runs: all under one lock, which is the writer's, and its condition; neither is held while a
 *       request is answered.
 */
#ifndef JPROF_REQUESTS_H
#define JPROF_REQUESTS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "agent/lock/lock.h"
#include "agent/session/labels.h"
#include "agent/session/write_sessions.h"
#include "metric/metric.h"
#include "error/error.h"

enum request_kind {
	REQUEST_SNAPSHOT,
	REQUEST_RESET,
	REQUEST_FLUSH,
	REQUEST_COUNT,
	REQUEST_LOOK,
	REQUEST_SHARE,
	REQUEST_JOIN,
	REQUEST_LEAVE,
	REQUEST_WIDEN
};

struct request {
	enum request_kind kind;
	/* The number of the session that it is of; 0: of all. */
	uint32_t session;
	struct writer_session comes, first; /* of a join: see writer_join */
	struct metric_set metrics;          /* of a widening */
	char label[LABEL_MAX + 1];          /* "": none; the answer may be another one */
	uint64_t at;                        /* the answer: ns since the profile's begin */
	struct error error;                 /* the answer: what failed */

	/* The queue's own. */
	struct request *next;
	bool answered, left;
};

/* Embedded; zero but for the two borrowed ones. */
struct requests {
	struct lock *lock;
	pthread_cond_t *wake;  /* of CLOCK_MONOTONIC; woken for every change here */
	struct request *first; /* waiting, the oldest */
	unsigned asking;       /* threads in requests_ask */
	bool closed;
};

/* Waits for the answer, at most so many seconds; *request is question and answer. 0, or the
 * negative code of what failed, which request->error has too. */
int requests_ask(struct requests *requests, struct request *request, unsigned seconds);

/* The next one to be answered, or NULL. */
struct request *requests_next(struct requests *requests);
void requests_answer(struct requests *requests, struct request *request);

/* Under the lock: is there one? */
static inline bool requests_wait(const struct requests *requests)
{
	return requests->first != NULL;
}

/* Under the lock: from now on all requests fail, also those that wait. */
void requests_close(struct requests *requests);

/* Returns when no thread is in requests_ask any more, after requests_close. */
void requests_drained(struct requests *requests);

#endif

/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* requests: see requests.h. */
#include "agent/session/requests.h"

#include <stdlib.h>
#include <time.h>

static void append(struct requests *requests, struct request *request)
{
	struct request **end = &requests->first;

	while (*end)
		end = &(*end)->next;
	*end = request;
	pthread_cond_broadcast(requests->wake);
}

/* True if it was still waiting. */
static bool take_out(struct requests *requests, const struct request *request)
{
	for (struct request **i = &requests->first; *i; i = &(*i)->next) {
		if (*i != request)
			continue;
		*i = request->next;
		return true;
	}
	return false;
}

static void wait_for_answer(struct requests *requests, struct request *request, unsigned seconds)
{
	struct timespec until;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += (time_t)seconds;
	append(requests, request);
	while (!request->answered &&
		pthread_cond_timedwait(requests->wake, &requests->lock->mutex, &until) == 0)
		;
}

static bool makes_snapshot(const struct request *request)
{
	return request->kind == REQUEST_SNAPSHOT || request->kind == REQUEST_RESET;
}

/* Under the lock. The request was answered, or has been waited for long enough. */
static void leave(
	struct requests *requests, struct request *request, struct request *copy, unsigned seconds)
{
	bool theirs = !request->answered && !take_out(requests, request);

	if (request->answered) {
		*copy = *request;
	} else {
		error_set(&copy->error, ERROR_IO,
			"writing the profile takes longer than %u s%s", seconds,
			theirs && makes_snapshot(request)
				? "; the snapshot may still be made" : "");
	}
	request->left = theirs;
	if (!theirs)
		free(request);
}

int requests_ask(struct requests *requests, struct request *question, unsigned seconds)
{
	struct request *request = malloc(sizeof(*request));

	if (!request)
		return error_set(&question->error, ERROR_MEMORY, "no memory to ask the writer");
	*request = *question;
	request->next = NULL;
	request->answered = request->left = false;
	lock_take(requests->lock);
	requests->asking++;
	if (requests->closed) {
		error_set(&request->error, ERROR_MISSING, "the recording has ended");
		request->answered = true;
	} else {
		wait_for_answer(requests, request, seconds);
	}
	leave(requests, request, question, seconds);
	requests->asking--;
	pthread_cond_broadcast(requests->wake);
	lock_give(requests->lock);
	return -(int)question->error.code;
}

struct request *requests_next(struct requests *requests)
{
	struct request *request;

	lock_take(requests->lock);
	request = requests->first;
	if (request)
		requests->first = request->next;
	lock_give(requests->lock);
	return request;
}

void requests_answer(struct requests *requests, struct request *request)
{
	lock_take(requests->lock);
	if (request->left)
		free(request);
	else
		request->answered = true;
	pthread_cond_broadcast(requests->wake);
	lock_give(requests->lock);
}

void requests_close(struct requests *requests)
{
	requests->closed = true;
	while (requests->first) {
		struct request *request = requests->first;

		requests->first = request->next;
		error_set(&request->error, ERROR_MISSING, "the recording has ended");
		request->answered = true;
	}
	pthread_cond_broadcast(requests->wake);
}

void requests_drained(struct requests *requests)
{
	lock_take(requests->lock);
	while (requests->asking > 0)
		pthread_cond_wait(requests->wake, &requests->lock->mutex);
	lock_give(requests->lock);
}

/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* requests: see requests.h. */
#include "agent/session/requests.h"

#include <stdlib.h>

/* Under the lock. True if it was still waiting. */
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

/* Under the lock, which is given meanwhile. */
static void wait_for_answer(
	struct requests *requests, struct request *request, unsigned seconds)
{
	struct request **end = &requests->first;
	struct timespec until = lock_deadline(UINT64_C(1000) * seconds);

	while (*end)
		end = &(*end)->next;
	*end = request;
	pthread_cond_broadcast(requests->wake);
	while (!request->answered &&
		pthread_cond_timedwait(requests->wake, &requests->lock->mutex, &until) == 0)
		;
}

int requests_ask(struct requests *requests, struct request *question, unsigned seconds)
{
	struct request *request = malloc(sizeof(*request));
	bool is_snapshot =
		question->kind == REQUEST_SNAPSHOT || question->kind == REQUEST_RESET;

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
	/* One that is being answered still is left to the writer's thread, which frees it. */
	if (request->answered)
		*question = *request;
	else
		request->left = !take_out(requests, request);
	if (!request->answered)
		error_set(&question->error, ERROR_IO,
			"writing the profile takes longer than %u s%s", seconds,
			request->left && is_snapshot ? "; the snapshot may still be made" : "");
	if (!request->left)
		free(request);
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

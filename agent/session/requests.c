/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* requests: see requests.h. */
#include "agent/session/requests.h"

#include <stdlib.h>

int requests_ask(struct requests *requests, struct request *question, unsigned seconds)
{
	struct request *request = malloc(sizeof(*request)), **i;
	struct timespec until = lock_deadline(UINT64_C(1000) * seconds);
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
		for (i = &requests->first; *i;)
			i = &(*i)->next;
		*i = request;
		pthread_cond_broadcast(requests->wake);
		while (!request->answered && pthread_cond_timedwait(requests->wake,
						     &requests->lock->mutex, &until) == 0)
			;
	}
	/* One that is being answered still is left to the writer's thread, which frees it. */
	if (request->answered) {
		*question = *request;
	} else {
		for (i = &requests->first; *i && *i != request;)
			i = &(*i)->next;
		request->left = !*i;
		if (*i)
			*i = request->next;
	}
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

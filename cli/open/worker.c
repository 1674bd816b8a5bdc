/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* worker: see worker.h. */
#include "cli/open/worker.h"

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

/* Seconds that an end waits for. */
enum { MOMENT = 1 };

static void append(struct exchange ***end, struct exchange *exchange)
{
	exchange->next = NULL;
	**end = exchange;
	*end = &exchange->next;
}

static struct exchange *take_first(struct exchange **list, struct exchange ***end)
{
	struct exchange *first = *list;

	if (first)
		*list = first->next;
	if (!*list)
		*end = list;
	return first;
}

static void *work(void *argument)
{
	struct worker *worker = argument;
	const uint64_t one = 1;

	pthread_mutex_lock(&worker->lock);
	while (!worker->ends) {
		struct exchange *exchange = take_first(&worker->queue, &worker->queue_end);

		if (!exchange) {
			pthread_cond_wait(&worker->changed, &worker->lock);
			continue;
		}
		worker->waiting--;
		worker->is_busy = true;
		pthread_mutex_unlock(&worker->lock);
		exchange->run(exchange->user, exchange);
		pthread_mutex_lock(&worker->lock);
		worker->is_busy = false;
		append(&worker->done_end, exchange);
		/* Can only fail when 2^64 are there. */
		(void)!write(worker->wake, &one, sizeof(one));
		pthread_cond_broadcast(&worker->changed);
	}
	pthread_mutex_unlock(&worker->lock);
	return NULL;
}

int worker_init(struct worker *worker, struct error *error)
{
	static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGCHLD};
	sigset_t blocked, before;
	int failed;

	*worker = (struct worker){.wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
	worker->queue_end = &worker->queue;
	worker->done_end = &worker->done;
	if (worker->wake < 0)
		return error_set_errno(error, ERROR_IO, errno, "cannot make an eventfd");
	pthread_mutex_init(&worker->lock, NULL);
	pthread_cond_init(&worker->changed, NULL);
	sigemptyset(&blocked);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		sigaddset(&blocked, numbers[i]);
	pthread_sigmask(SIG_BLOCK, &blocked, &before);
	failed = pthread_create(&worker->thread, NULL, work, worker);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (failed == 0)
		return 0;
	close(worker->wake);
	return error_set_errno(error, ERROR_MEMORY, failed, "cannot start a thread");
}

bool worker_give(struct worker *worker, struct exchange *exchange,
	void (*run)(void *user, struct exchange *exchange), void *user)
{
	bool has_room;

	exchange->run = run;
	exchange->user = user;
	pthread_mutex_lock(&worker->lock);
	has_room = worker->waiting < WORKER_QUEUE;
	if (has_room) {
		worker->waiting++;
		append(&worker->queue_end, exchange);
		pthread_cond_broadcast(&worker->changed);
	}
	pthread_mutex_unlock(&worker->lock);
	return has_room;
}

struct exchange *worker_take(struct worker *worker)
{
	struct exchange *exchange;
	uint64_t count;

	pthread_mutex_lock(&worker->lock);
	exchange = take_first(&worker->done, &worker->done_end);
	if (!exchange)
		(void)!read(worker->wake, &count, sizeof(count));
	pthread_mutex_unlock(&worker->lock);
	return exchange;
}

bool worker_fini(struct worker *worker, void (*drop)(struct exchange *exchange))
{
	struct exchange *exchange;
	struct timespec end;
	bool is_busy;

	clock_gettime(CLOCK_REALTIME, &end);
	end.tv_sec += MOMENT;
	pthread_mutex_lock(&worker->lock);
	worker->ends = true;
	pthread_cond_broadcast(&worker->changed);
	while (worker->is_busy &&
		pthread_cond_timedwait(&worker->changed, &worker->lock, &end) != ETIMEDOUT)
		;
	is_busy = worker->is_busy;
	while ((exchange = take_first(&worker->queue, &worker->queue_end)))
		drop(exchange);
	while ((exchange = take_first(&worker->done, &worker->done_end)))
		drop(exchange);
	pthread_mutex_unlock(&worker->lock);
	if (is_busy)
		return false;
	pthread_join(worker->thread, NULL);
	pthread_cond_destroy(&worker->changed);
	pthread_mutex_destroy(&worker->lock);
	close(worker->wake);
	return true;
}

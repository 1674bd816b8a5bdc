/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * bench_values: what it costs to find the number of a text, known and new, in each way that texts are kept, and to
 * change a thread's tags; and both by several threads at once.
 *
 *   bench_values [THREADS]
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "agent/values/tag_sets.h"
#include "agent/values/values.h"

enum { TEXTS = 1024, TEXT = 200, ROUNDS = 4000, THREADS_MAX = 64 };

/* ns this thread ran: other programs do not count. */
static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

struct job {
	const char *what;
	enum value_keep keep;
	const char *form; /* of a text; it is filled with 'x' up to the length */
	int length;
	uint32_t parameter;
	double ns;
};

static char texts[TEXTS][TEXT];

static void make_texts(const struct job *job)
{
	for (int i = 0; i < TEXTS; i++) {
		char filled[TEXT + 1];
		int length = snprintf(filled, sizeof(filled), job->form, i);

		if (length < job->length)
			memset(filled + length, 'x', (size_t)(job->length - length));
		memcpy(texts[i], filled, (size_t)job->length);
	}
}

static void *find(void *data)
{
	struct job *job = data;
	uint32_t sum = 0;
	double start = now();

	for (int round = 0; round < ROUNDS; round++)
		for (int i = 0; i < TEXTS; i++)
			sum += value_of(job->parameter, texts[i], (size_t)job->length);
	job->ns = (now() - start) / ((double)ROUNDS * TEXTS);
	return sum ? data : NULL;
}

static void *switch_tags(void *data)
{
	struct job *job = data;
	uint32_t value[16], other = value_of(2, "acme", 4), sum = 0;
	double start;

	for (int i = 0; i < 16; i++)
		value[i] = value_of(job->parameter, texts[i], (size_t)job->length);
	start = now();
	for (int round = 0; round < ROUNDS * TEXTS; round++) {
		uint32_t set = tag_set_with(0, value[round % 16]);

		set = tag_set_with(set, other);
		set = tag_set_without(set, 2);
		sum += tag_set_without(set, job->parameter);
	}
	job->ns = (now() - start) / ((double)ROUNDS * TEXTS * 4);
	return sum ? NULL : data;
}

/* By so many threads at once; what each one took, on average. */
static double run(void *(*function)(void *), const struct job *job, int threads)
{
	static struct job jobs[THREADS_MAX];
	pthread_t thread[THREADS_MAX];
	double ns = 0;

	for (int i = 0; i < threads; i++) {
		jobs[i] = *job;
		if (pthread_create(&thread[i], NULL, function, &jobs[i]) != 0)
			exit(1);
	}
	for (int i = 0; i < threads; i++) {
		pthread_join(thread[i], NULL);
		ns += jobs[i].ns / threads;
	}
	return ns;
}

int main(int count, char **word)
{
	static const char sql[] =
		"select o.id, o.total from orders o join lines l on l.id = o.id "
		"where o.day > '2026-01-01' and o.customer = %d and x = '";
	static struct job jobs[] = {
		{.what = "plain, 20 bytes",
			.keep = KEEP_PLAIN,
			.form = "user %d ",
			.length = 20},
		{.what = "plain, 200 bytes",
			.keep = KEEP_PLAIN,
			.form = "user %d ",
			.length = TEXT},
		{.what = "auto, no SQL, 20 bytes",
			.keep = KEEP_AUTO,
			.form = "user %d ",
			.length = 20},
		{.what = "shape of SQL, 200 bytes",
			.keep = KEEP_SHAPE,
			.form = sql,
			.length = TEXT},
		{.what = "hash, 20 bytes", .keep = KEEP_HASH, .form = "user %d ", .length = 20},
	};
	int threads = count > 1 ? atoi(word[1]) : 2;

	if (threads < 1 || threads > THREADS_MAX)
		return 1;
	printf("%-28s %10s %10s %10s\n", "ns a text", "new", "known", "by threads");
	for (size_t i = 0; i < sizeof(jobs) / sizeof(jobs[0]); i++) {
		struct job *job = &jobs[i];
		double start, fresh;

		tag_sets_forget();
		values_forget();
		make_texts(job);
		job->parameter = parameter_make("user", true, job->keep, TEXTS);
		parameter_make("tenant", true, KEEP_PLAIN, 10);
		start = now();
		for (int t = 0; t < TEXTS; t++)
			value_of(job->parameter, texts[t], (size_t)job->length);
		fresh = (now() - start) / TEXTS;
		printf("%-28s %10.1f %10.1f %10.1f\n", job->what, fresh, run(find, job, 1),
			run(find, job, threads));
	}
	printf("%-28s %10s %10.1f %10.1f\n", "a step between tag sets", "",
		run(switch_tags, &jobs[0], 1), run(switch_tags, &jobs[0], threads));
	return 0;
}

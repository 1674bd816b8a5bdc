/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * counter_proof: hardware counters against a loop whose instructions are known.
 *
 * For a machine with hardware counters, perhaps emulated. Not part of the ordinary tests.
 *
 *   counter_proof rdpmc [EVENT]            read from user space, one thread
 *   counter_proof read [EVENT]             the same by read()
 *   counter_proof threads [EVENT]          four threads at once, each for itself
 *   counter_proof fallback [EVENT]         user reads are forbidden: by read(), and labelled so
 *   counter_proof expect-missing [EVENT]   the event is refused: the machine has it not
 *   counter_proof expect-denied [EVENT]    the event is refused: it may not be used
 *
 * EVENT is "instructions" unless said otherwise; several are joined by '+', the first is
 * checked. Exit: 0 as it should be, 1 not so, 2 usage.
 */
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "metric/metric.h"
#include "user_counter.h"

#define PROOF_INSTRUCTIONS UINT64_C(20000000)
#define PROOF_ALLOWED      (PROOF_INSTRUCTIONS / 10000)
#define PROOF_THREADS      4

/* One instruction to count down, one to jump back, and nothing else. */
static void proof_loop(void)
{
	uint64_t left = PROOF_INSTRUCTIONS / 2;

#if defined(__x86_64__)
	__asm__ volatile("1:\n\tdec %0\n\tjnz 1b" : "+r"(left) : : "cc");
#elif defined(__aarch64__)
	__asm__ volatile("1:\n\tsubs %0, %0, #1\n\tb.ne 1b" : "+r"(left) : : "cc");
#endif
}

static struct metric_set set;
static pthread_barrier_t all_there; /* so that the threads really run at once */

struct proof_thread {
	pthread_t thread;
	int number;
	int failed;
};

static void *proof_run(void *argument)
{
	struct proof_thread *proof = argument;
	uint64_t before[METRIC_MAX], after[METRIC_MAX];
	struct metric_thread thread;
	uint64_t counted, off;

	metric_thread_open(&set, &thread, (struct alloc_source){0});
	pthread_barrier_wait(&all_there);
	metric_read(SHAPE_ANY, &set, &thread, before);
	proof_loop();
	metric_read(SHAPE_ANY, &set, &thread, after);
	metric_thread_close(&set, &thread);

	counted = after[0] - before[0];
	off = counted > PROOF_INSTRUCTIONS ? counted - PROOF_INSTRUCTIONS
					   : PROOF_INSTRUCTIONS - counted;
	proof->failed = off > PROOF_ALLOWED;
	printf("thread %d: %s by %s: %" PRIu64 ", off by %" PRIu64 " of %" PRIu64 ": %s\n",
		proof->number, set.metric[0].name, set.metric[0].how, counted, off,
		PROOF_INSTRUCTIONS, proof->failed ? "WRONG" : "right");
	for (unsigned i = 1; i < set.count; i++)
		printf("thread %d: %s by %s: %" PRIu64 "\n", proof->number, set.metric[i].name,
			set.metric[i].how, after[i] - before[i]);
	return NULL;
}

static int proof_threads(int count)
{
	struct proof_thread proof[PROOF_THREADS] = {0};
	int failed = 0;

	pthread_barrier_init(&all_there, NULL, (unsigned)count);
	for (int i = 0; i < count; i++) {
		proof[i].number = i + 1;
		if (pthread_create(&proof[i].thread, NULL, proof_run, &proof[i]) != 0)
			return 1;
	}
	for (int i = 0; i < count; i++) {
		pthread_join(proof[i].thread, NULL);
		failed |= proof[i].failed;
	}
	printf("read the dear way: %" PRIu64 ", lost: %" PRIu64 "\n", metric_fallbacks(),
		metric_losses());
	return failed || metric_losses() != 0;
}

/* The set's choice of how to read, which the mode says must be this one (behind it may stand
 * the event that a PAPI name means). */
static int proof_expect_how(const char *how)
{
	if (strncmp(set.metric[0].how, how, strlen(how)) == 0)
		return 0;
	printf("%s is read by %s, not by %s\n", set.metric[0].name, set.metric[0].how, how);
	return 1;
}

static int proof_rdpmc(void)
{
	int failed = proof_expect_how(USER_COUNTER_HOW);

	return proof_threads(1) | failed | (metric_fallbacks() != 0);
}

static int proof_read(void)
{
	for (unsigned i = 0; i < set.count; i++) {
		set.metric[i].perf.force_read = true;
		snprintf(set.metric[i].how, sizeof(set.metric[i].how), "read()");
	}
	return proof_threads(1);
}

static int proof_four(void)
{
	return proof_threads(PROOF_THREADS);
}

static int proof_fallback(void)
{
	int failed = proof_expect_how("read()");

	return proof_threads(1) | failed | (metric_fallbacks() == 0);
}

struct proof_mode {
	const char *name;
	int (*run)(void);         /* NULL: the set is to be refused, */
	enum error_code expected; /* so */
};

static const struct proof_mode modes[] = {
	{"rdpmc", proof_rdpmc, ERROR_NONE},
	{"read", proof_read, ERROR_NONE},
	{"threads", proof_four, ERROR_NONE},
	{"fallback", proof_fallback, ERROR_NONE},
	{"expect-missing", NULL, ERROR_MISSING},
	{"expect-denied", NULL, ERROR_DENIED},
};

static const struct proof_mode *proof_mode_find(const char *name)
{
	for (size_t i = 0; i < sizeof(modes) / sizeof(*modes); i++)
		if (strcmp(modes[i].name, name) == 0)
			return &modes[i];
	return NULL;
}

/* Borrows the pieces of text, which it cuts. */
static void proof_names(struct pattern_list *names, char **piece, char *text)
{
	char *rest = NULL;

	names->pattern = piece;
	names->count = 0;
	for (char *name = strtok_r(text, "+", &rest); name && names->count < METRIC_MAX;
		name = strtok_r(NULL, "+", &rest))
		piece[names->count++] = name;
}

int main(int argc, char **argv)
{
	const struct proof_mode *mode = argc > 1 ? proof_mode_find(argv[1]) : NULL;
	char standard[] = "instructions";
	char *piece[METRIC_MAX];
	struct pattern_list names;
	struct error error = {0};

	if (!mode || argc > 3) {
		fprintf(stderr, "usage: counter_proof MODE [EVENT+EVENT...], MODE one of:");
		for (size_t i = 0; i < sizeof(modes) / sizeof(*modes); i++)
			fprintf(stderr, " %s", modes[i].name);
		fprintf(stderr, "\n");
		return 2;
	}
	proof_names(&names, piece, argc > 2 ? argv[2] : standard);
	if (metric_set_init(&set, &names, &error) != 0) {
		printf("refused (%s): %s\n", error_name(error.code), error.text);
		return mode->run || error.code != mode->expected;
	}
	if (mode->run)
		return mode->run();
	printf("%s is counted, by %s, though it should be refused\n", set.metric[0].name,
		set.metric[0].how);
	return 1;
}

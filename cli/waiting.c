/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* waiting: clocks, poll(2) and signals. Runs: on the command's only thread. */
#include "cli/waiting.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ANSWER_LIMIT = 120000 };

/* Ten years: more is a mistake, and far from what the clock can hold. */
#define LONGEST 315360000000.0

int64_t waiting_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

int64_t waiting_until(int64_t milliseconds)
{
	return waiting_now() + milliseconds;
}

int64_t waiting_answer_limit(void)
{
	const char *text = getenv("JPROF_TIMEOUT");
	int64_t limit;

	return text != NULL && waiting_read_span(text, &limit, NULL) == 0 ? limit
									  : ANSWER_LIMIT;
}

int waiting_for(int descriptor, short events, int64_t moment)
{
	struct pollfd poller = {.fd = descriptor, .events = events};
	int64_t left;
	int ready;

	do {
		left = moment - waiting_now();
		if (left < 0)
			left = 0;
		ready = poll(&poller, 1, left > INT_MAX ? INT_MAX : (int)left);
	} while ((ready < 0 && errno == EINTR) || (ready == 0 && left > INT_MAX));
	return ready;
}

void waiting_sleep(int64_t milliseconds)
{
	struct timespec span = {
		.tv_sec = milliseconds / 1000, .tv_nsec = milliseconds % 1000 * 1000000};

	nanosleep(&span, NULL);
}

static volatile sig_atomic_t interrupted;

static void note_interrupt(int number)
{
	(void)number;
	interrupted = 1;
}

static const int interrupts[] = {SIGINT, SIGTERM};

enum { INTERRUPTS = sizeof(interrupts) / sizeof(*interrupts) };

static struct sigaction before[INTERRUPTS];

void waiting_catch_interrupt(void)
{
	struct sigaction action = {
		.sa_handler = note_interrupt, .sa_flags = (int)SA_RESETHAND};

	sigemptyset(&action.sa_mask);
	for (int i = 0; i < INTERRUPTS; i++)
		sigaction(interrupts[i], &action, &before[i]);
}

void waiting_leave_interrupt(void)
{
	for (int i = 0; i < INTERRUPTS; i++)
		sigaction(interrupts[i], &before[i], NULL);
}

bool waiting_interrupted(void)
{
	return interrupted;
}

static double unit_of(const char *suffix)
{
	static const struct {
		const char *suffix;
		double milliseconds;
	} units[] = {{"", 1000}, {"s", 1000}, {"m", 60000}, {"h", 3600000}};

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (strcmp(suffix, units[i].suffix) == 0)
			return units[i].milliseconds;
	}
	return 0;
}

int waiting_read_span(const char *text, int64_t *milliseconds, struct error *error)
{
	size_t length = strspn(text, "0123456789.");
	char *end;
	double number = strtod(text, &end), unit = unit_of(text + length),
	       span = number * unit;

	/* The comparison of ends refuses "1.2.3" and everything else that strtod knows.
	 */
	if (length == 0 || end != text + length || unit <= 0 || span < 1 ||
		span > LONGEST)
		return error_set(error, ERROR_USAGE,
			"'%s' is no time: write seconds above 0, or a number with s, m "
			"or h",
			error_subject(text).text);
	*milliseconds = (int64_t)span;
	return 0;
}

/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* waiting: clocks, poll(2) and signals. Runs: on any thread, a wait on one; what signals do is set on one alone. */
#include "cli/terminal/waiting.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/terminal/progress.h"

/* Milliseconds between two looks at the clock: seconds are shown. */
enum { LOOK = 250 };

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

void waiting_sleep(int64_t milliseconds)
{
	struct timespec span = {
		.tv_sec = milliseconds / 1000, .tv_nsec = milliseconds % 1000 * 1000000};

	nanosleep(&span, NULL);
}

int64_t waiting_answer_limit(int64_t milliseconds)
{
	const char *text = getenv("JPROF_TIMEOUT");
	int64_t limit;

	return text && waiting_read_span(text, &limit, NULL) == 0 ? limit : milliseconds;
}

/* ---- waits with a limit ---- */

void waiting_begin(struct waiting *waiting, int64_t limit, const char *format, ...)
{
	va_list arguments;

	*waiting = (struct waiting){.begin = waiting_now()};
	waiting->end = waiting->begin + limit;
	va_start(arguments, format);
	vsnprintf(waiting->what, sizeof(waiting->what), format, arguments);
	va_end(arguments);
}

static void show(struct waiting *waiting)
{
	int64_t seconds = (waiting_now() - waiting->begin) / 1000;

	if (seconds == waiting->shown)
		return;
	waiting->shown = seconds;
	passing_line_show("waiting for %s: %lld of %lld s", waiting->what, (long long)seconds,
		(long long)(waiting->end - waiting->begin + 999) / 1000);
}

bool waiting_again(struct waiting *waiting, int64_t milliseconds)
{
	int64_t left = waiting->end - waiting_now();

	show(waiting);
	if (left <= 0)
		return false;
	waiting_sleep(left < milliseconds ? left : milliseconds);
	return true;
}

int waiting_for(struct waiting *waiting, int descriptor, short events)
{
	struct pollfd poller = {.fd = descriptor, .events = events};
	int ready = 0;
	int64_t left;

	/* Also where the other side never ceases to send. */
	while (ready == 0 && (left = waiting->end - waiting_now()) > 0) {
		show(waiting);
		ready = poll(&poller, 1, (int)(left < LOOK ? left : LOOK));
		if (ready < 0 && errno == EINTR)
			ready = 0;
	}
	return ready;
}

void waiting_end(struct waiting *waiting)
{
	if (waiting->shown > 0)
		passing_line_erase();
	waiting->shown = 0;
}

int waiting_late(const struct waiting *waiting, struct error *error)
{
	return error_set(error, ERROR_BUSY, "no answer within %g s: waited for %s",
		(double)(waiting->end - waiting->begin) / 1000, waiting->what);
}

/* ---- Ctrl-C ---- */

static volatile sig_atomic_t interrupted;

static void note_interrupt(int number)
{
	interrupted = 1;
}

static const int interrupts[] = {SIGINT, SIGTERM};

enum { INTERRUPTS = sizeof(interrupts) / sizeof(*interrupts) };

static struct sigaction before[INTERRUPTS];

void waiting_catch_interrupt(void)
{
	struct sigaction action = {.sa_handler = note_interrupt, .sa_flags = (int)SA_RESETHAND};

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

int waiting_read_span(const char *text, int64_t *milliseconds, struct error *error)
{
	static const struct {
		const char *suffix;
		double milliseconds;
	} units[] = {{"", 1000}, {"s", 1000}, {"m", 60000}, {"h", 3600000}};
	size_t length = strspn(text, "0123456789.");
	char *end;
	double number = strtod(text, &end), span = 0;

	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (strcmp(text + length, units[i].suffix) == 0)
			span = number * units[i].milliseconds;
	/* The comparison of ends refuses "1.2.3" and everything else that strtod knows. */
	if (length == 0 || end != text + length || span < 1 || span > LONGEST)
		return error_set(error, ERROR_USAGE,
			"'%s' is no time: write seconds above 0, or a number with s, m or h",
			error_subject(text).text);
	*milliseconds = (int64_t)span;
	return 0;
}

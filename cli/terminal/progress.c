/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* progress: see progress.h. */
#include "cli/terminal/progress.h"

#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "error/harmless.h"

/* ---- a passing line ---- */

enum { LINE = 256 };

#define ERASE "\r\033[K"

static pthread_mutex_t line_lock = PTHREAD_MUTEX_INITIALIZER; /* of the terminal's line */
static bool is_there;

void passing_line_show(const char *format, ...)
{
	struct winsize size = {0};
	char line[2 * LINE] = "jprof: ", shown[LINE];
	size_t used = strlen(line), room = sizeof(shown);
	va_list arguments;

	if (!isatty(STDERR_FILENO))
		return;
	va_start(arguments, format);
	vsnprintf(line + used, sizeof(line) - used, format, arguments);
	va_end(arguments);
	/* Bytes, of which a character has one at least. */
	if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 &&
		size.ws_col < room)
		room = size.ws_col;
	harmless_copy(shown, room, line, strlen(line));
	pthread_mutex_lock(&line_lock);
	fputs(ERASE, stderr);
	fputs(shown, stderr);
	fflush(stderr);
	is_there = true;
	pthread_mutex_unlock(&line_lock);
}

void passing_line_erase(void)
{
	pthread_mutex_lock(&line_lock);
	if (is_there) {
		fputs(ERASE, stderr);
		fflush(stderr);
		is_there = false;
	}
	pthread_mutex_unlock(&line_lock);
}

/* ---- what the command is busy with ---- */

/* Seconds before the first line; milliseconds between two. */
enum { DELAY = 1, PAUSE = 250 };

/* Who begins or ends the thread has its life; what it looks at is below the lock, which is taken second; changed says that
 * there is something to look at. */
static struct {
	pthread_mutex_t life; /* never the thread's own */
	pthread_t thread;
	bool runs; /* there is a thread */
	pthread_mutex_t lock;
	pthread_cond_t changed;
	bool ends;    /* it is asked to end */
	time_t began; /* seconds of the monotonic clock: the first of what is shown */
	char what[LINE];
} progress = {.life = PTHREAD_MUTEX_INITIALIZER, .lock = PTHREAD_MUTEX_INITIALIZER};

static void *show(void *argument)
{
	pthread_mutex_lock(&progress.lock);
	while (!progress.ends) {
		struct timespec end;
		long seconds;

		clock_gettime(CLOCK_MONOTONIC, &end);
		seconds = (long)(end.tv_sec - progress.began);
		if (seconds >= DELAY)
			passing_line_show("%lds, %s", seconds, progress.what);
		end.tv_nsec += PAUSE * 1000000L;
		end.tv_sec += end.tv_nsec / 1000000000L;
		end.tv_nsec %= 1000000000L;
		pthread_cond_timedwait(&progress.changed, &progress.lock, &end);
	}
	pthread_mutex_unlock(&progress.lock);
	return argument;
}

/* Below both locks. Signals are for the command's own thread. Without a thread there is no line. */
static void start(void)
{
	pthread_condattr_t clock;
	struct timespec now;
	sigset_t all, before;

	pthread_condattr_init(&clock);
	pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
	pthread_cond_init(&progress.changed, &clock);
	pthread_condattr_destroy(&clock);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	progress.ends = false;
	clock_gettime(CLOCK_MONOTONIC, &now);
	progress.began = now.tv_sec;
	progress.runs = pthread_create(&progress.thread, NULL, show, NULL) == 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void progress_show(const char *format, ...)
{
	va_list arguments;

	if (!isatty(STDERR_FILENO))
		return;
	pthread_mutex_lock(&progress.life);
	pthread_mutex_lock(&progress.lock);
	va_start(arguments, format);
	vsnprintf(progress.what, sizeof(progress.what), format, arguments);
	va_end(arguments);
	if (!progress.runs)
		start();
	pthread_mutex_unlock(&progress.lock);
	pthread_mutex_unlock(&progress.life);
}

void progress_hide(void)
{
	pthread_mutex_lock(&progress.life);
	if (progress.runs) {
		pthread_mutex_lock(&progress.lock);
		progress.ends = true;
		pthread_cond_signal(&progress.changed);
		pthread_mutex_unlock(&progress.lock);
		pthread_join(progress.thread, NULL);
		pthread_cond_destroy(&progress.changed);
		progress.runs = false;
		passing_line_erase();
	}
	pthread_mutex_unlock(&progress.life);
}

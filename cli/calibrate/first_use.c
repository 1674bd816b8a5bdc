/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* first_use: see first_use.h. Runs: on the command's only thread. */
#include "cli/calibrate/first_use.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "calibration/cache.h"
#include "cli/calibrate/at_hand.h"
#include "cli/calibrate/calibrate.h"
#include "cli/terminal/progress.h"
#include "cli/terminal/waiting.h"

enum {
	PATIENCE = 70000, /* ms: longer than another one measures */
	PAUSE = 100
};

static int refuse_wait(struct error *error)
{
	return error_set(error, ERROR_BUSY,
		waiting_interrupted() ? "interrupted" : "another jprof is still measuring");
}

/* The lock's descriptor, or a negative code. */
static int wait_for_lock(struct error *error)
{
	int64_t end = waiting_until(PATIENCE);
	bool is_taken, said = false;
	int lock = cache_lock(&is_taken, error);

	while (lock < 0 && is_taken && !waiting_interrupted() && waiting_now() < end) {
		progress_hide();
		if (!said)
			fprintf(stderr, "jprof: another jprof measures what probes cost: "
					"waiting for it\n");
		said = true;
		waiting_sleep(PAUSE);
		lock = cache_lock(&is_taken, error);
	}
	return lock < 0 && is_taken ? refuse_wait(error) : lock;
}

static int refuse_again(const struct identity *identity, struct error *error)
{
	char why[512];

	if (!cache_failed(identity, why, sizeof(why)))
		return 0;
	return error_set(error, ERROR_BUSY,
		"measuring failed within the last hour: %s (run `jprof calibrate`)", why);
}

/* Says itself what goes on. */
static int measure(struct calibration **calibration, const char *java,
	const struct identity *identity, struct error *error)
{
	int failed;

	progress_hide();
	fprintf(stderr,
		"jprof: measuring what probes cost, once for this version of the JVM, how "
		"calls are seen, and the metrics: "
		"ten seconds or so, a minute at most (--calibration off goes without)\n");
	failed = calibrate_quick(identity, java, isatty(STDERR_FILENO), calibration, error);
	if (failed != 0 && !waiting_interrupted())
		cache_note_failure(identity, error->text);
	return failed;
}

/* Another one may have done it while this one waited. */
static int measure_locked(struct calibration **calibration, const char *java,
	const struct identity *identity, struct error *error)
{
	struct error missing = {0};
	int failed;

	if (cache_read(calibration, NULL, identity, &missing) == 0)
		return 0;
	failed = refuse_again(identity, error);
	return failed != 0 ? failed : measure(calibration, java, identity, error);
}

int first_use_measure(struct calibration **calibration, const struct profile *profile,
	const struct identity *identity, const char *asked, struct error *error)
{
	char java[PATH_MAX];
	int lock, failed = at_hand_check(profile, identity, asked, java, error);

	if (failed == 0)
		failed = refuse_again(identity, error);
	if (failed != 0)
		return failed;
	waiting_catch_interrupt();
	lock = wait_for_lock(error);
	failed = lock < 0 ? lock : measure_locked(calibration, java, identity, error);
	if (lock >= 0)
		close(lock);
	waiting_leave_interrupt();
	return failed;
}

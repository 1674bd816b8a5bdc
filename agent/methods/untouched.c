/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* untouched: see untouched.h. */
#include "agent/methods/untouched.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "agent/lock/lock.h"
#include "agent/log/log.h"
#include "agent/methods/name_counts.h"

enum {
	LISTED = 200,   /* by name */
	KNOWN = 1 << 19 /* beyond that a method may be counted twice */
};

static struct lock list_lock = {PTHREAD_MUTEX_INITIALIZER, LOCK_UNTOUCHED};
/* Under the lock. Lines are not changed or freed while facts may be put: that is done without
 * it. */
static char *list[LISTED];
static unsigned listed;
static uint64_t count;
static struct name_counts known; /* of all lines */

void untouched_add(const char *class_name, const char *method, const char *reason)
{
	char *line;
	bool is_new;

	if (asprintf(&line, "%s%s%s: %s", class_name, method ? "." : "", method ? method : "",
		    reason) < 0)
		return;
	lock_take(&list_lock);
	is_new = name_counts_of(&known, line) == 0;
	if (is_new && known.used < KNOWN)
		name_counts_add(&known, line);
	count += is_new;
	lock_give(&list_lock);
	if (is_new) {
		log_line(LOG_INFO, "no probes in %s", line);
		lock_take(&list_lock);
		if (listed < LISTED) {
			list[listed++] = line;
			line = NULL;
		}
		lock_give(&list_lock);
	}
	free(line);
}

void untouched_forget(void)
{
	lock_take(&list_lock);
	while (listed > 0)
		free(list[--listed]);
	name_counts_fini(&known);
	count = 0;
	lock_give(&list_lock);
}

void untouched_facts(fact_put put, void *argument)
{
	unsigned shown;
	uint64_t all;
	char key[32];

	lock_take(&list_lock);
	shown = listed;
	all = count;
	lock_give(&list_lock);
	fact_put_number(put, argument, "untouched", all);
	for (unsigned i = 0; i < shown; i++) {
		snprintf(key, sizeof(key), "untouched.%u", i + 1);
		put(argument, key, list[i]);
	}
}

/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* untouched: see untouched.h. */
#include "agent/events/untouched.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/lock/lock.h"
#include "agent/log/log.h"

enum {
	LISTED = 200, /* by name */
	FIRST = 256,  /* slots, a power of two */
	KNOWN = 1
		<< 20 /* slots at most; beyond half of it a method may be counted twice */
};

static struct lock list_lock = {PTHREAD_MUTEX_INITIALIZER, LOCK_UNTOUCHED};
/* Under the lock. Lines are not changed or freed while facts may be put: that is done without
 * it. */
static char *list[LISTED];
static unsigned listed;
static uint64_t count;
static uint64_t *known_hash; /* of all lines; 0: an empty slot */
static size_t slots;

/* FNV-1a. */
static uint64_t hash_of(const char *line)
{
	uint64_t hash = 0xcbf29ce484222325;

	for (; *line; line++)
		hash = (hash ^ (unsigned char)*line) * 0x100000001b3;
	return hash ? hash : 1;
}

/* The hash's slot, or the empty one where it belongs. */
static uint64_t *slot_of(uint64_t *slot, size_t size, uint64_t hash)
{
	size_t i = (hash ^ hash >> 32) & (size - 1);

	while (slot[i] != 0 && slot[i] != hash)
		i = (i + 1) & (size - 1);
	return &slot[i];
}

/* So that at most half of the slots are taken. */
static void make_slots(void)
{
	size_t size = slots ? 2 * slots : FIRST;
	uint64_t *fresh;

	if (2 * (count + 1) <= slots || size > KNOWN)
		return;
	fresh = calloc(size, sizeof(*fresh));
	if (!fresh)
		return;
	for (size_t i = 0; i < slots; i++)
		if (known_hash[i] != 0)
			*slot_of(fresh, size, known_hash[i]) = known_hash[i];
	free(known_hash);
	known_hash = fresh;
	slots = size;
}

/* True: it was not known before, as far as there is room to tell. */
static bool is_new(const char *line)
{
	uint64_t hash = hash_of(line), *slot;

	make_slots();
	if (slots == 0)
		return true;
	slot = slot_of(known_hash, slots, hash);
	if (*slot == hash)
		return false;
	if (2 * (count + 1) <= slots)
		*slot = hash;
	return true;
}

/* Takes the line. */
static void add_line(char *line)
{
	bool known;

	lock_take(&list_lock);
	known = !is_new(line);
	count += !known;
	if (!known && listed < LISTED) {
		list[listed++] = line;
		line = NULL;
	}
	lock_give(&list_lock);
	free(line);
}

void untouched_add(const char *class_name, const char *method, const char *reason)
{
	char *line;

	if (asprintf(&line, "%s%s%s: %s", class_name, method ? "." : "",
		    method ? method : "", reason) < 0)
		return;
	log_line(LOG_INFO, "no probes in %s", line);
	add_line(line);
}

void untouched_forget(void)
{
	lock_take(&list_lock);
	while (listed > 0)
		free(list[--listed]);
	free(known_hash);
	known_hash = NULL;
	slots = 0;
	count = 0;
	lock_give(&list_lock);
}

void untouched_facts(
	void (*put)(void *argument, const char *key, const char *value), void *argument)
{
	unsigned shown;
	uint64_t all;
	char text[32];

	lock_take(&list_lock);
	shown = listed;
	all = count;
	lock_give(&list_lock);
	snprintf(text, sizeof(text), "%" PRIu64, all);
	put(argument, "untouched", text);
	for (unsigned i = 0; i < shown; i++) {
		snprintf(text, sizeof(text), "untouched.%u", i + 1);
		put(argument, text, list[i]);
	}
}

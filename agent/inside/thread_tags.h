/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * thread_tags: whose work the calling thread does, as the program says.
 *
 * What is given out are numbers of one recording, which the program keeps and gives to other threads:
 *
 *   tags    recording (32 bits) | set of tags (32)
 *   tag     recording (32 bits) | value (32), or a tag's key joined with THREAD_TAG_NONE: it has no value
 *
 * One of another recording is refused, and harmless. So is any other number.
 *
 * Runs: on any thread. One that has not joined the recording does so; one that is not recorded has no tags. Outside of the
 * recording's scope a thread can have some from its first call in it on.
 */
#ifndef JPROF_THREAD_TAGS_H
#define JPROF_THREAD_TAGS_H

#include <stdbool.h>
#include <stdint.h>

#include "agent/threads/thread_slot.h"

#define THREAD_TAG_NONE 0x80000000u

enum { THREAD_TAG_KEY = 64 }; /* bytes of a key, at most */

/* The calling thread, while its tags are looked at or changed. */
struct tagged_thread {
	struct thread_slot *slot; /* entered */
	bool outside;             /* of the scope */
	bool aside;               /* what it uses meanwhile is charged to nothing */
};

/* False: nothing is recorded, or the thread is not; else tagged_end must follow. */
bool tagged_begin(struct tagged_thread *thread, bool aside);
void tagged_end(const struct tagged_thread *thread);

/* The number of that tag; value NULL: of the key without one. -1: it is no key (1 to 64 bytes, no control characters, no '='), or
 * there are too many. */
int64_t tagged_number(const struct tagged_thread *thread, const char *key, const char *value);

/* The thread has that tag from here on. Returns the one that it had of that key, -1: the number is refused. */
int64_t tagged_put(const struct tagged_thread *thread, int64_t tag);

/* All tags that it has; and from here on. Returns those that it had, -1: the number is refused. */
int64_t tagged_now(const struct tagged_thread *thread);
int64_t tagged_use(const struct tagged_thread *thread, int64_t tags);

#endif

/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * thread_choice: how a user names threads, in the items of the option `threads`.
 *
 * "#17" is the thread with that Java id, as a thread dump shows it; "tid:4711" the one
 * with that id of the system's, as `top -H` shows it; anything else a pattern for its name.
 */
#ifndef JPROF_THREAD_CHOICE_H
#define JPROF_THREAD_CHOICE_H

#include <stdbool.h>
#include <stdint.h>

#include "options/pattern.h"

/* The digits that an id may have: fewer than would overflow 64 bits. */
enum { THREAD_ID_DIGITS = 18 };

/* False for '#' or "tid:" with anything but a number from 1 behind it. */
bool thread_choice_is_legal(const char *item);

/* True if the item selects the thread: as below. */
bool thread_choice_item_matches(
	const char *item, const char *name, int64_t java_id, int64_t os_id);

/* True if any item selects the thread, or the list is empty. name may be NULL, an id 0, if
 * it is not known: then no item of that kind selects the thread. All items that do are noted. */
bool thread_choice_match(
	const struct pattern_list *list, const char *name, int64_t java_id, int64_t os_id);

#endif

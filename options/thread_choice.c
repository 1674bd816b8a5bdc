/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * thread_choice: looks threads up in a list of names and ids.
 *
 * Runs: cold (when a thread starts), on any thread, without locks.
 */
#include "options/thread_choice.h"

#include <stdlib.h>
#include <string.h>

enum id_kind { ID_NONE, ID_JAVA, ID_SYSTEM };

/* What kind of id the item begins as, and what stands behind its prefix. */
static enum id_kind kind_of(const char *item, const char **rest)
{
	static const char system[] = "tid:";
	bool is_system = strncmp(item, system, strlen(system)) == 0;

	*rest = item + (is_system ? strlen(system) : 1);
	return is_system ? ID_SYSTEM : *item == '#' ? ID_JAVA : ID_NONE;
}

bool thread_choice_is_legal(const char *item)
{
	const char *digits;
	if (kind_of(item, &digits) == ID_NONE)
		return true;
	size_t length = strlen(digits);
	return length > 0 && length <= THREAD_ID_DIGITS && digits[0] != '0' &&
	       strspn(digits, "0123456789") == length;
}

bool thread_choice_item_matches(
	const char *item, const char *name, int64_t java_id, int64_t os_id)
{
	const char *digits;
	switch (kind_of(item, &digits)) {
	case ID_JAVA:
		return java_id > 0 && atoll(digits) == java_id;
	case ID_SYSTEM:
		return os_id > 0 && atoll(digits) == os_id;
	case ID_NONE:
		break;
	}
	return name && pattern_match(item, name);
}

bool thread_choice_match(
	const struct pattern_list *list, const char *name, int64_t java_id, int64_t os_id)
{
	bool yes = list->count == 0;

	for (size_t i = 0; i < list->count; i++) {
		if (!thread_choice_item_matches(list->pattern[i], name, java_id, os_id))
			continue;
		pattern_list_note(list, i);
		yes = true;
	}
	return yes;
}

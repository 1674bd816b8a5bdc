/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* event_condition: see event_condition.h. */
#include "options/event_condition.h"

#include <string.h>

#include "options/number.h"

const char *event_condition_read(const char *item, char pattern[EVENT_PATTERN], uint64_t *ns)
{
	const char *than = strrchr(item, '>');
	size_t length = than ? (size_t)(than - item) : 0;

	if (!than || length == 0)
		return "has no method in front of a '>'";
	if (length >= EVENT_PATTERN)
		return "has a pattern of more than 511 bytes";
	if (!number_read_time(than + 1, ns) || *ns == 0)
		return "has no time like 200ms behind the '>'";
	memcpy(pattern, item, length);
	pattern[length] = '\0';
	return NULL;
}

int event_condition_patterns(const struct pattern_list *items, struct pattern_list *patterns)
{
	char pattern[EVENT_PATTERN];
	uint64_t ns;

	for (size_t i = 0; i < items->count; i++)
		if (event_condition_read(items->pattern[i], pattern, &ns) == NULL &&
			pattern_list_add(patterns, pattern) != 0)
			return -1;
	return 0;
}

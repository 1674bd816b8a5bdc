/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * label_choice: what a user wants of a profile by its labels: only what was done under some tags, and below some values.
 *
 * In:   patterns, as options/pattern.h has them.
 * Out:  nodes whose labels are others have done nothing; what cannot be told by labels is gone.
 */
#ifndef JPROF_PROFILE_LABEL_CHOICE_H
#define JPROF_PROFILE_LABEL_CHOICE_H

#include <stdbool.h>

#include "options/pattern.h"

/* Zero-initialised means all. A pattern that is letter by letter what some value is means that one. */
struct label_choice {
	/* "KEY=PATTERN": of one key any, of each key one. */
	struct pattern_list tags;
	/* "PATTERN" or "PARAMETER=PATTERN": any. */
	struct pattern_list values;
};

static inline bool label_choice_is_all(const struct label_choice *choice)
{
	return choice->tags.count == 0 && choice->values.count == 0;
}

void label_choice_fini(struct label_choice *choice);

/* True for a text that --tag can be: "KEY=PATTERN". */
bool label_choice_is_tag(const char *text);

/* How reports write a value without a text of its own, and patterns match it. */
#define VALUE_NULL_NAME   "(null)"
#define VALUE_OTHERS_NAME "(others)"
#define VALUE_NONE_NAME   "(none)" /* of a tag's key: what has no such tag */

#endif

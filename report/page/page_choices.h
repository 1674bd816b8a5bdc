/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * page_choices: what a page without a server can have of a profile beside all of it: what was done under the tags, below the values
 * and within the components that had most.
 *
 * In:   a model of all of it.
 * Out:  what each is chosen by, as the user would write it: the first of each kind, then the second ones...
 */
#ifndef JPROF_PAGE_CHOICES_H
#define JPROF_PAGE_CHOICES_H

#include "report/model/model.h"
#include "report/text/out.h"

enum page_choice_kind { PAGE_TAG, PAGE_VALUE, PAGE_COMPONENT };

struct page_choice {
	enum page_choice_kind kind;
	unsigned rank; /* among its kind, by what it had: 0 is the most */
	char *text;    /* "user=alice" */
};

/* At most `most` of each kind. Owned (page_choices_free), also after a failure. 0, or a negative code. */
int page_choices_find(const struct model *model, size_t most, struct page_choice **choices,
	size_t *count, struct error *error);
void page_choices_free(struct page_choice *choices, size_t count);

/* {"tags":["user=alice"],"values":[],"paths":[],"components":[],"threads":[]}: what of a profile was chosen, as the user wrote it. */
void page_choice_put(struct out *out, const struct model_choice *choice);

#endif

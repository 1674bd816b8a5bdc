/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* marks: see marks.h. */
#include "agent/session/marks.h"

#include <stdlib.h>
#include <string.h>

#include "error/utf8.h"

struct mark {
	struct mark *next;
	uint64_t at;
	int64_t java_id;
	char *thread; /* in text; NULL: not known */
	char text[];  /* the name */
};

void marks_init(struct marks *marks)
{
	*marks = (struct marks){0};
	lock_init(&marks->lock, LOCK_MARKS);
	marks->end = &marks->first;
}

static void free_list(struct mark *mark)
{
	while (mark) {
		struct mark *next = mark->next;

		free(mark);
		mark = next;
	}
}

void marks_fini(struct marks *marks)
{
	free_list(marks->first);
	free_list(marks->putting);
	lock_fini(&marks->lock);
}

/* How many bytes of a text are kept: no half characters of UTF-8. */
static size_t kept_bytes(const char *text)
{
	size_t bytes = strnlen(text, MARK_NAME_MAX + 1);

	return bytes <= MARK_NAME_MAX ? bytes : utf8_floor(text, MARK_NAME_MAX);
}

void marks_add(struct marks *marks, uint64_t at, const char *name, int64_t java_thread_id,
	const char *thread_name)
{
	size_t bytes = name ? kept_bytes(name) : 0;
	size_t more = thread_name ? kept_bytes(thread_name) : 0;
	struct mark *mark = calloc(1, sizeof(*mark) + bytes + 1 + more + 1);

	if (mark) {
		mark->at = at;
		mark->java_id = java_thread_id;
		memcpy(mark->text, name ? name : "", bytes);
		if (thread_name)
			mark->thread = memcpy(mark->text + bytes + 1, thread_name, more);
	}
	lock_take(&marks->lock);
	if (mark && marks->waiting < MARKS_WAITING && marks->taken < MARKS_MAX) {
		marks->taken++;
		*marks->end = mark;
		marks->end = &mark->next;
		marks->waiting++;
		mark = NULL;
	} else {
		marks->lost++;
	}
	lock_give(&marks->lock);
	free(mark);
}

int marks_put(struct marks *marks, struct profile_writer *profile, struct error *error)
{
	struct mark **end = &marks->putting;
	int status = 0;

	/* What waits goes behind what an earlier transaction could not put. */
	while (*end)
		end = &(*end)->next;
	lock_take(&marks->lock);
	*end = marks->first;
	marks->first = NULL;
	marks->end = &marks->first;
	lock_give(&marks->lock);
	for (const struct mark *mark = marks->putting; mark && status == 0; mark = mark->next) {
		const struct profile_mark record = {.at = mark->at,
			.java_id = mark->java_id,
			.thread = mark->thread,
			.name = mark->text};

		status = profile_put(profile, &record, error);
	}
	return status;
}

void marks_put_done(struct marks *marks, bool committed)
{
	uint32_t written = 0;

	if (!committed)
		return;
	for (const struct mark *mark = marks->putting; mark; mark = mark->next)
		written++;
	free_list(marks->putting);
	marks->putting = NULL;
	lock_take(&marks->lock);
	marks->waiting -= written;
	lock_give(&marks->lock);
}

uint64_t marks_lost(struct marks *marks)
{
	uint64_t lost;

	lock_take(&marks->lock);
	lost = marks->lost;
	lock_give(&marks->lock);
	return lost;
}

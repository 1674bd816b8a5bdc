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

static struct mark *mark_create(const char *name, const char *thread)
{
	size_t bytes = kept_bytes(name), more = thread ? kept_bytes(thread) : 0;
	struct mark *mark = calloc(1, sizeof(*mark) + bytes + 1 + more + 1);

	if (!mark)
		return NULL;
	memcpy(mark->text, name, bytes);
	if (thread) {
		mark->thread = mark->text + bytes + 1;
		memcpy(mark->thread, thread, more);
	}
	return mark;
}

void marks_add(struct marks *marks, uint64_t at, const char *name, int64_t java_thread_id,
	const char *thread_name)
{
	struct mark *mark = mark_create(name ? name : "", thread_name);

	if (mark) {
		mark->at = at;
		mark->java_id = java_thread_id;
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

/* What waits goes behind what an earlier transaction could not put. */
static void take_waiting(struct marks *marks)
{
	struct mark **end = &marks->putting;

	while (*end)
		end = &(*end)->next;
	lock_take(&marks->lock);
	*end = marks->first;
	marks->first = NULL;
	marks->end = &marks->first;
	lock_give(&marks->lock);
}

int marks_put(struct marks *marks, struct profile_writer *profile, struct error *error)
{
	int status = 0;

	take_waiting(marks);
	for (const struct mark *mark = marks->putting; mark && status == 0; mark = mark->next) {
		const struct profile_mark record = {.at = mark->at,
			.java_id = mark->java_id,
			.thread = mark->thread,
			.name = mark->text};

		status = profile_put_mark(profile, &record, error);
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

/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* block_times: moments that the program named, and operations with their times. */
#include <stdlib.h>

#include "report/page/block.h"

enum { RECORDS_MOST = 20000 };

/* The thread is one that the user named, or all are wanted: as the views snapshots and records have it. */
static bool is_chosen(const struct block *block, const char *thread)
{
	const struct pattern_list *threads = &block->model->choice->threads;

	return threads->count == 0 || (thread && pattern_list_match(threads, thread));
}

void put_marks(struct block *block)
{
	const struct profile *profile = block->model->profile;
	struct columns *columns = &block->columns;
	unsigned at = columns_add(columns, "mark", COLUMN_VARINT, "at", -1);
	unsigned name = columns_add(columns, "mark", COLUMN_VARINT, "name", -1);
	unsigned thread = columns_add(columns, "mark", COLUMN_VARINT, "thread", -1);

	for (size_t i = 0; profile->mark && i < profile->mark_count; i++) {
		const struct profile_mark *mark = &profile->mark[i];

		if (!is_chosen(block, mark->thread))
			continue;
		columns_number(columns, at, mark->at);
		columns_number(
			columns, name, strings_take(&block->strings, label_of(mark->name)));
		columns_number(
			columns, thread, strings_take(&block->strings, label_of(mark->thread)));
	}
}

static int fall_by_number(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x < y) - (x > y);
}

static const char *thread_of(const struct profile *profile, const struct profile_record *record)
{
	return record->thread > 0 ? profile->record_thread[record->thread - 1].name : NULL;
}

/* Which records are put: all that took longer than `ns`, and `as_long` that took just that long. */
struct longest {
	uint64_t ns;
	size_t as_long;
};

/* Of the chosen threads' records. False without memory. */
static bool find_longest(const struct block *block, struct longest *longest)
{
	const struct profile *profile = block->model->profile;
	uint64_t *ns = malloc((profile->record_count + 1) * sizeof(*ns));
	size_t count = 0;

	*longest = (struct longest){.as_long = RECORDS_MOST};
	if (!ns)
		return false;
	for (size_t i = 0; i < profile->record_count; i++)
		if (is_chosen(block, thread_of(profile, &profile->record[i])))
			ns[count++] = profile->record[i].ns;
	if (count > RECORDS_MOST) {
		qsort(ns, count, sizeof(*ns), fall_by_number);
		longest->ns = ns[RECORDS_MOST - 1];
		for (size_t i = 0; ns[i] > longest->ns; i++)
			longest->as_long--;
	}
	free(ns);
	return true;
}

bool put_records(struct block *block)
{
	static const struct column_row record_columns[] = {{COLUMN_VARINT, "begin"},
		{COLUMN_VARINT, "ns"}, {COLUMN_VARINT, "thread"}, {COLUMN_VARINT, "file"},
		{COLUMN_BYTE, "kind"}, {COLUMN_VARINT, "amount"}, {COLUMN_BYTE, "failed"},
		{COLUMN_VARINT, "method"}};
	const struct profile *profile = block->model->profile;
	struct columns *columns = &block->columns;
	unsigned first = COLUMNS_ADD(columns, "record", record_columns);
	struct longest longest;

	if (!find_longest(block, &longest))
		return false;
	for (size_t i = 0; i < profile->record_count; i++) {
		const struct profile_record *record = &profile->record[i];
		const char *thread = thread_of(profile, record);

		if (record->ns < longest.ns || !is_chosen(block, thread) ||
			(record->ns == longest.ns && longest.as_long == 0))
			continue;
		longest.as_long -= record->ns == longest.ns;
		columns_number(columns, first, record->begin);
		columns_number(columns, first + 1, record->ns);
		columns_number(
			columns, first + 2, strings_take(&block->strings, label_of(thread)));
		columns_number(columns, first + 3, record->subject);
		columns_byte(columns, first + 4, record->kind);
		columns_number(columns, first + 5, record->amount);
		columns_byte(columns, first + 6, record->failed);
		columns_number(columns, first + 7,
			record->node == 0 ? METHOD_ROW_ROOT
					  : method_row_of_id(block,
						    profile->path[record->node - 1].method));
	}
	return true;
}

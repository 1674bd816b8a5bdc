/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* block_times: moments that the program named, and operations with their times. */
#include <stdlib.h>

#include "report/page/block.h"

enum { RECORDS_MOST = 20000 };

void put_marks(struct block *block)
{
	const struct profile *profile = block->model->profile;
	struct columns *columns = &block->columns;
	unsigned at = columns_add(columns, "mark", COLUMN_VARINT, "at", -1);
	unsigned name = columns_add(columns, "mark", COLUMN_VARINT, "name", -1);
	unsigned thread = columns_add(columns, "mark", COLUMN_VARINT, "thread", -1);

	for (size_t i = 0; profile->mark && i < profile->mark_count; i++) {
		const struct profile_mark *mark = &profile->mark[i];

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

/* How long the last of the longest records took; 0: there is room for all. */
static uint64_t shortest_record(const struct profile *profile)
{
	uint64_t *ns, shortest = 0;

	if (profile->record_count <= RECORDS_MOST)
		return 0;
	ns = malloc(profile->record_count * sizeof(*ns));
	for (size_t i = 0; ns && i < profile->record_count; i++)
		ns[i] = profile->record[i].ns;
	if (ns) {
		qsort(ns, profile->record_count, sizeof(*ns), fall_by_number);
		shortest = ns[RECORDS_MOST - 1];
	}
	free(ns);
	return shortest;
}

void put_records(struct block *block)
{
	const struct profile *profile = block->model->profile;
	struct columns *columns = &block->columns;
	uint64_t shortest = shortest_record(profile), put = 0;
	unsigned first = columns->count;

	columns_add(columns, "record", COLUMN_VARINT, "begin", -1);
	columns_add(columns, "record", COLUMN_VARINT, "ns", -1);
	columns_add(columns, "record", COLUMN_VARINT, "thread", -1);
	columns_add(columns, "record", COLUMN_VARINT, "file", -1);
	columns_add(columns, "record", COLUMN_BYTE, "kind", -1);
	columns_add(columns, "record", COLUMN_VARINT, "amount", -1);
	columns_add(columns, "record", COLUMN_BYTE, "failed", -1);
	columns_add(columns, "record", COLUMN_VARINT, "method", -1);
	for (size_t i = 0; i < profile->record_count && put < RECORDS_MOST; i++) {
		const struct profile_record *record = &profile->record[i];
		const struct profile_record_thread *thread =
			record->thread > 0 ? &profile->record_thread[record->thread - 1] : NULL;

		if (record->ns < shortest)
			continue;
		put++;
		columns_number(columns, first, record->begin);
		columns_number(columns, first + 1, record->ns);
		columns_number(columns, first + 2,
			strings_take(&block->strings, label_of(thread ? thread->name : NULL)));
		columns_number(columns, first + 3, record->subject);
		columns_byte(columns, first + 4, record->kind);
		columns_number(columns, first + 5, record->amount);
		columns_byte(columns, first + 6, record->failed);
		columns_number(columns, first + 7,
			record->node == 0 ? METHOD_ROW_ROOT
					  : method_row_of_id(block,
						    profile->path[record->node - 1].method));
	}
}

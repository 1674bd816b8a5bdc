/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* counted_rows: rows by an id whose counts grow, as the interval has them. */
#include <stdlib.h>

#include "profile/reader.h"

static uint64_t *count_in(void *row, const struct schema_column *column)
{
	return (uint64_t *)(void *)((char *)row + column->offset);
}

/* Adds the counts; or takes them away, as far as there are as many. */
static void change(struct profile *profile, const struct schema_table *slice, void *row,
	void *by, bool add)
{
	for (int i = 0; i < slice->columns; i++) {
		const struct schema_column *column = &slice->column[i];
		uint64_t *count, amount;

		if (column->key)
			continue;
		count = count_in(row, column);
		amount = *count_in(by, column);
		if (!add && amount > *count) {
			profile->interval.clamped++;
			amount = *count;
		}
		*count += add ? amount : -amount;
	}
}

static void clear(const struct schema_table *slice, void *row)
{
	for (int i = 0; i < slice->columns; i++)
		if (!slice->column[i].key)
			*count_in(row, &slice->column[i]) = 0;
}

static char *rows_in(struct owned_profile *owned, const struct reader_list *list, size_t *count)
{
	*count = *(size_t *)(void *)((char *)owned + list->count);
	return *(char **)(void *)((char *)owned + list->array);
}

int counted_rows_read(
	struct reader *reader, const struct reader_list *list, enum schema_table_id slice)
{
	const struct profile_interval *interval = &reader->profile->interval;
	const struct schema_table *counts = &schema_tables[slice];
	struct reader_list changes = *list;
	struct reader other = *reader;
	size_t rows, others, place;
	char *row, *by;
	int status = reader_read(reader, list);

	if (status < 0 || (!interval->by_slices && !interval->from))
		return status;
	/* What slices added, or what there was already, in a profile of its own. */
	other.owned = calloc(1, sizeof *other.owned);
	if (!other.owned)
		return reader_no_memory(reader);
	other.profile = &other.owned->profile;
	other.snapshot = interval->by_slices ? 0 : interval->from->id;
	changes.table = interval->by_slices ? slice : list->table;
	changes.check = NULL;
	status = reader_read(&other, &changes);
	row = rows_in(reader->owned, list, &rows);
	by = rows_in(other.owned, list, &others);
	for (size_t i = 0; i < rows && status == 0 && interval->by_slices; i++)
		clear(counts, row + i * list->record);
	for (size_t i = 0; i < others && status == 0; i++, by += list->record) {
		place = rows_find(row, rows, list->record, KEY_U32, *(uint32_t *)(void *)by);
		if (place == ROWS_NONE)
			reader->profile->interval.clamped++;
		else
			change(reader->profile, counts, row + place * list->record, by,
				interval->by_slices);
	}
	store_fini(&other.owned->store);
	free(other.owned);
	return status;
}

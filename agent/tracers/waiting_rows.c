/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* waiting_rows: see waiting_rows.h. */
#include "agent/tracers/waiting_rows.h"

#include <stdlib.h>
#include <string.h>

static const char **text_of(const struct waiting_rows *rows, char *record, unsigned i)
{
	return (const char **)(void *)(record + rows->text[i]);
}

static void free_texts(const struct waiting_rows *rows, char *record)
{
	for (unsigned i = 0; i < rows->texts; i++)
		free((void *)*text_of(rows, record, i));
}

/* The record's texts become copies. False: no memory, and there are none. */
static bool copy_texts(const struct waiting_rows *rows, char *record)
{
	bool whole = true;

	for (unsigned i = 0; i < rows->texts; i++) {
		const char **text = text_of(rows, record, i);

		if (!*text)
			continue;
		*text = strdup(*text);
		whole = whole && *text;
	}
	if (!whole)
		free_texts(rows, record);
	return whole;
}

/* Under the lock. */
static bool make_room(const struct waiting_rows *rows, struct waiting_list *list)
{
	size_t room = list->room ? list->room * 2 : 64;
	char *row;

	if (list->rows + rows->unkept >= WAITING_ROWS_MAX)
		return false;
	if (list->rows < list->room)
		return true;
	row = realloc(list->row, room * rows->size);
	if (!row)
		return false;
	list->row = row;
	list->room = room;
	return true;
}

bool waiting_rows_add(struct waiting_rows *rows, const void *record)
{
	char copy[WAITING_ROW_BYTES];
	bool whole;

	memcpy(copy, record, rows->size);
	whole = copy_texts(rows, copy);
	lock_take(&rows->lock);
	if (whole && make_room(rows, &rows->adding)) {
		memcpy(rows->adding.row + rows->adding.rows++ * rows->size, copy, rows->size);
	} else {
		rows->lost++;
		if (whole)
			free_texts(rows, copy);
		whole = false;
	}
	lock_give(&rows->lock);
	return whole;
}

static void empty(const struct waiting_rows *rows, struct waiting_list *list)
{
	for (size_t i = 0; i < list->rows; i++)
		free_texts(rows, list->row + i * rows->size);
	free(list->row);
	*list = (struct waiting_list){0};
}

/* What was added is behind what a flush has not kept, unless memory is short. */
static void take_added(struct waiting_rows *rows)
{
	struct waiting_list *putting = &rows->putting, *adding = &rows->adding;
	size_t both;
	char *row;

	lock_take(&rows->lock);
	both = putting->rows + adding->rows;
	row = both > putting->room ? realloc(putting->row, both * rows->size) : putting->row;
	if (adding->rows > 0 && row) {
		memcpy(row + putting->rows * rows->size, adding->row,
			adding->rows * rows->size);
		putting->row = row;
		putting->room = both > putting->room ? both : putting->room;
		putting->rows = both;
		adding->rows = 0;
	}
	rows->unkept = putting->rows;
	lock_give(&rows->lock);
}

int waiting_rows_put(struct waiting_rows *rows, struct profile_writer *profile, uint64_t began,
	struct error *error)
{
	int status = 0;

	take_added(rows);
	for (size_t i = 0; i < rows->putting.rows && status == 0; i++) {
		_Alignas(max_align_t) char record[WAITING_ROW_BYTES];

		memcpy(record, rows->putting.row + i * rows->size, rows->size);
		rows->since(record, began);
		status = profile_put_row(profile, rows->table, record, error);
	}
	return status;
}

void waiting_rows_done(struct waiting_rows *rows, bool kept)
{
	if (!kept)
		return;
	empty(rows, &rows->putting);
	lock_take(&rows->lock);
	rows->unkept = 0;
	lock_give(&rows->lock);
}

uint64_t waiting_rows_lost(struct waiting_rows *rows)
{
	uint64_t lost;

	lock_take(&rows->lock);
	lost = rows->lost;
	lock_give(&rows->lock);
	return lost;
}

void waiting_rows_forget(struct waiting_rows *rows)
{
	empty(rows, &rows->adding);
	empty(rows, &rows->putting);
	rows->unkept = 0;
	rows->lost = 0;
}

/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* exceptions: rows in, pieces of rows out. */
#include "agent/rewrite/exceptions.h"

bool exceptions_announce(const struct exceptions *exceptions, struct code *code)
{
	bool known = true;

	for (uint32_t i = 0; i < exceptions->rows && known; i++)
		known = code_add_handler(
			code, get_u2(exceptions->row + i * ROW_SIZE + ROW_HANDLER));
	return known;
}

bool exceptions_check(const struct exceptions *exceptions, const struct code *code)
{
	for (uint32_t i = 0; i < exceptions->rows; i++) {
		const uint8_t *row = exceptions->row + i * ROW_SIZE;
		uint32_t start = get_u2(row + ROW_START), end = get_u2(row + ROW_END);

		if (start >= end || !code_begins(code, start) ||
			!code_begins(code, get_u2(row + ROW_HANDLER)))
			return false;
		if (end != code->length && !code_begins(code, end))
			return false;
	}
	return true;
}

/* The table being written. */
struct table {
	const struct code *code;
	struct writer *out;
	uint32_t rows;
};

/* What one row, or range, becomes: rows with the same handler. */
struct cover {
	uint32_t start, end; /* pc */
	uint32_t handler;    /* in the new code */
	uint32_t type;
	bool unwinds; /* the handler is that of `unwind`: it is for readings of results, too, and not for returns */
};

/* One row, of places in the new code. */
static void row_write(
	struct table *table, const struct cover *cover, uint32_t from, uint32_t to)
{
	uint8_t *row;

	if (from >= to)
		return;
	table->rows++;
	row = table->rows <= UINT16_MAX ? write_room(table->out, ROW_SIZE) : NULL;
	if (!row)
		return;
	put_u2(row + ROW_START, from);
	put_u2(row + ROW_END, to);
	put_u2(row + ROW_HANDLER, cover->handler);
	put_u2(row + ROW_TYPE, cover->type);
}

/* Rows around what is in front of returns; the first begins at a place in the new code. */
static void cover_write(struct table *table, const struct cover *cover, uint32_t from)
{
	const struct code *code = table->code;
	uint32_t i = code_exit_from(code, cover->start), size = probe_exit_size(code->probe);
	uint32_t results = cover->unwinds ? code->probe->results.size : 0;

	for (; i < code->exits && code->exit[i].pc < cover->end; i++) {
		row_write(table, cover, from, code->exit[i].probe + results);
		from = code->exit[i].probe + size + (uint32_t)cover->unwinds;
	}
	row_write(table, cover, from, code->label[cover->end]);
}

/* A row of the method's own. A handler that is under itself is not at its caught probe: for
 * C1 it would be one that throws to where it begins, which it does not compile. Without probes but
 * at the entry the row stays one. */
static void own_row_write(struct table *table, const uint8_t *row)
{
	const struct code *code = table->code;
	uint32_t start = get_u2(row + ROW_START), end = get_u2(row + ROW_END);
	uint32_t handler = get_u2(row + ROW_HANDLER);
	struct cover cover = {
		.start = start,
		.end = end,
		.handler = code->label[handler],
		.type = get_u2(row + ROW_TYPE),
	};

	if (handler < start || handler >= end || !code->probe->timed) {
		cover_write(table, &cover, code->label[start]);
		return;
	}
	cover.end = handler;
	if (start < handler)
		cover_write(table, &cover, code->label[start]);
	cover.start = handler;
	cover.end = end;
	cover_write(table, &cover, code_instruction(code, handler));
}

enum rewrite_reason exceptions_write(struct exceptions *exceptions, const struct code *code,
	const struct handlers *handlers, struct writer *out)
{
	struct table table = {code, out, 0};
	size_t count_at = out->size;

	if (!scratch_grow((void **)&exceptions->first, &exceptions->first_capacity,
		    exceptions->rows, 0, sizeof(*exceptions->first)))
		return REWRITE_MEMORY;
	write_u2(out, 0);
	for (uint32_t i = 0; i < exceptions->rows && table.rows <= UINT16_MAX; i++) {
		exceptions->first[i] = (uint16_t)table.rows;
		own_row_write(&table, exceptions->row + i * ROW_SIZE);
	}
	for (uint32_t i = 0; i < handlers->ranges && table.rows <= UINT16_MAX; i++) {
		const struct range *range = &handlers->range[i];
		struct cover cover = {
			.start = range->start,
			.end = range->end,
			.handler = handlers->at[range->handler],
			.unwinds = true,
		};

		cover_write(&table, &cover,
			range->start > 0 ? code->label[range->start]
					 : probe_calls_size(code->probe));
	}
	if (table.rows > UINT16_MAX)
		return REWRITE_TABLE;
	patch_u2(out, count_at, table.rows);
	return out->failed ? REWRITE_MEMORY : REWRITE_OK;
}

/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * exceptions: rows in, pieces of rows out.
 */
#include "agent/rewrite/exceptions.h"

/* The table being written. */
struct table {
	const struct code *code;
	struct writer *out;
	uint32_t rows;
};

/* What one row, or zone, becomes: pieces with the same handler. */
struct span {
	uint32_t start, end; /* pc */
	uint32_t handler;    /* in the new code */
	uint32_t type;
	bool skip_returns; /* returns are left out too, with their probes */
};

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

static void table_piece(
	struct table *table, const struct span *span, uint32_t from, uint32_t to)
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
	put_u2(row + ROW_HANDLER, span->handler);
	put_u2(row + ROW_TYPE, span->type);
}

static void table_span(struct table *table, const struct span *span, uint32_t from)
{
	const struct code *code = table->code;
	uint32_t to = code->label[span->end], i = code_hole_from(code, span->start);

	for (; i < code->holes && code->hole[i].pc < span->end; i++) {
		const struct hole *hole = &code->hole[i];

		table_piece(table, span, from, hole->start);
		from = hole->end + (uint32_t)(span->skip_returns && hole->exits);
	}
	if (i < code->holes && code->hole[i].pc == span->end && code->hole[i].start < to)
		to = code->hole[i].start;
	table_piece(table, span, from, to);
}

/* A row of the method's own. A handler that is under itself is not at its caught probe: for
 * C1 it would be one that throws to where it begins, which it does not compile. */
static void table_row(struct table *table, const uint8_t *row)
{
	const struct code *code = table->code;
	uint32_t handler = get_u2(row + ROW_HANDLER);
	struct span span = {
		.start = get_u2(row + ROW_START),
		.end = get_u2(row + ROW_END),
		.handler = code->label[handler],
		.type = get_u2(row + ROW_TYPE),
	};
	struct span before = span;

	if (handler >= span.start && handler < span.end) {
		before.end = handler;
		if (before.start < handler)
			table_span(table, &before, code->label[before.start]);
		span.start = handler;
		table_span(table, &span, code_instruction(code, handler));
	} else {
		table_span(table, &span, code->label[span.start]);
	}
}

static void table_zone(
	struct table *table, const struct zone *zone, const struct handlers *handlers)
{
	struct span span = {
		.start = zone->start,
		.end = zone->end,
		.handler = handlers->at[zone->handler],
		.skip_returns = true,
	};

	table_span(table, &span, table->code->label[zone->start]);
}

enum rewrite_reason exceptions_write(struct exceptions *exceptions,
	const struct code *code, const struct handlers *handlers, struct writer *out)
{
	struct table table = {code, out, 0};
	size_t count_at = out->size;

	if (!scratch_grow((void **)&exceptions->first, &exceptions->first_capacity,
		    exceptions->rows, 0, sizeof(*exceptions->first)))
		return REWRITE_MEMORY;
	write_u2(out, 0);
	for (uint32_t i = 0; i < exceptions->rows && table.rows <= UINT16_MAX; i++) {
		exceptions->first[i] = (uint16_t)table.rows;
		table_row(&table, exceptions->row + i * ROW_SIZE);
	}
	for (uint32_t i = 0; i < handlers->zones && table.rows <= UINT16_MAX; i++)
		table_zone(&table, &handlers->zone[i], handlers);
	if (table.rows > UINT16_MAX)
		return REWRITE_TABLE;
	patch_u2(out, count_at, table.rows);
	return out->failed ? REWRITE_MEMORY : REWRITE_OK;
}

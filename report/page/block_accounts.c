/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* block_accounts: samples by place, I/O by file, and calls that were counted. */
#include <stdlib.h>

#include "profile/pairs.h"
#include "report/page/block.h"

/* Accounts of the same row, about the same, put together. */
struct sum {
	uint32_t
		where; /* a row of node, or FLAT + one of flat; of samples a number of places.rows */
	uint32_t what; /* a number of sums.subjects */
	uint64_t count, failures, amount, ns;
};
#define FLAT 0x80000000u

/* Calls that were counted without their paths. */
void put_counted(struct block *block)
{
	const struct profile *profile = block->model->profile;
	struct columns *columns = &block->columns;
	unsigned thread = columns_add(columns, "counted", COLUMN_VARINT, "thread", -1);
	unsigned method = columns_add(columns, "counted", COLUMN_VARINT, "method", -1);
	unsigned calls = columns_add(columns, "counted", COLUMN_VARINT, "calls", -1);

	for (size_t i = 0; i < profile->account_count; i++) {
		const struct profile_account *account = &profile->account[i];
		uint32_t of = profile->node[account->node].thread;

		if (account->kind != CALLS || !block->model->selected[of])
			continue;
		columns_number(columns, thread, block->thread_row[of]);
		columns_number(
			columns, method, method_row_of_id(block, (uint32_t)account->subject));
		columns_number(columns, calls, account->count);
	}
}

/* ---- sums ---- */

/* Those of one table, while they are summed. */
struct sums {
	struct pairs subjects; /* what sums are about: two numbers */
	struct pairs pairs;    /* a `where`, and a number of `subjects` */
	struct sum *sum;
	size_t capacity;
	bool failed;
};

static const struct sums no_sums = {.subjects = {.slots = 1024}, .pairs = {.slots = 1024}};

static void sums_fini(struct sums *sums)
{
	pairs_fini(&sums->subjects);
	pairs_fini(&sums->pairs);
	free(sums->sum);
}

/* first, second: what the account is about. */
static void add_sum(struct sums *sums, uint32_t where, uint32_t first, uint32_t second,
	const struct profile_account *account)
{
	uint32_t what = pairs_take(&sums->subjects, first, second);
	uint32_t number = pairs_take(&sums->pairs, where, what);

	if (number > sums->capacity) {
		size_t capacity = sums->capacity * 2 + 1024;
		struct sum *grown = realloc(sums->sum, capacity * sizeof(*grown));

		if (grown) {
			memset(grown + sums->capacity, 0,
				(capacity - sums->capacity) * sizeof(*grown));
			sums->sum = grown;
			sums->capacity = capacity;
		}
	}
	sums->failed |= what == 0 || number == 0 || number > sums->capacity;
	if (sums->failed)
		return;
	sums->sum[number - 1].where = where;
	sums->sum[number - 1].what = what;
	sums->sum[number - 1].count += account->count;
	sums->sum[number - 1].failures += account->failures;
	sums->sum[number - 1].amount += account->amount;
	sums->sum[number - 1].ns += account->ns;
}

/* What a sum is about: what add_sum had first, and second. */
static uint32_t first_of(const struct sums *sums, const struct sum *sum)
{
	return (uint32_t)(sums->subjects.key[sum->what - 1] >> 32);
}

static uint32_t second_of(const struct sums *sums, const struct sum *sum)
{
	return (uint32_t)sums->subjects.key[sum->what - 1];
}

/* The rows of a node: its own, or of a folded one that for paths and that for methods. How many; 0: it is not below the
 * block's root. */
static unsigned rows_of(const struct block *block, uint32_t at, uint32_t rows[2])
{
	const struct profile_node *node = block->model->profile->node;

	/* Folds that are not shown stand for their parents. */
	while (block->node_row[at] == NO_ROW && node[at].parent != at)
		at = node[at].parent;
	rows[0] = block->node_row[at];
	rows[1] = FLAT | block->flat_row[at];
	return rows[0] == NO_ROW ? 0 : block->flat_row[at] == NO_ROW ? 1 : 2;
}

static uint64_t where_of(const struct block *block, uint32_t row)
{
	return row & FLAT ? (uint64_t)block->rows + (row & ~FLAT) : row;
}

/* Samples are kept apart by row, by the methods that views have them in, and by place: three numbers a sum. */
struct places {
	struct pairs methods; /* that states and lines are of */
	struct pairs rows;    /* a row, and a number of `methods` */
	struct sums sums;     /* `where`: a number of `rows` */
};

static void add_places(struct block *block, struct places *places)
{
	const struct model *model = block->model;

	for (size_t i = 0; i < model->profile->account_count; i++) {
		const struct profile_account *account = &model->profile->account[i];
		uint32_t line = (uint32_t)sample_place_line(account->subject), rows[2], methods;
		unsigned chosen, count;

		if (!model_is_sample(model, account, &chosen) &&
			!model_is_counting(model, account, &chosen))
			continue;
		count = rows_of(block, account->node, rows);
		methods = pairs_take(&places->methods, model_java_method(model, account->node),
			model_lines_method(model, account->node));
		for (unsigned r = 0; r < count; r++) {
			uint32_t where = pairs_take(&places->rows, rows[r], methods);

			places->sums.failed |= methods == 0 || where == 0;
			add_sum(&places->sums, where,
				(uint32_t)sample_place(
					chosen, sample_place_state(account->subject), 0),
				line, account);
		}
	}
}

bool put_places(struct block *block)
{
	static const struct column_row place_columns[] = {{COLUMN_VARINT, "where"},
		{COLUMN_BYTE, "condition"}, {COLUMN_BYTE, "state"}, {COLUMN_VARINT, "line"},
		{COLUMN_VARINT, "samples"}, {COLUMN_VARINT, "of_state"},
		{COLUMN_VARINT, "of_line"}};
	struct columns *columns = &block->columns;
	struct places places = {{.slots = 1024}, {.slots = 1024}, no_sums};
	unsigned first = COLUMNS_ADD(columns, "place", place_columns);
	bool failed;

	add_places(block, &places);
	for (size_t i = 0; i < places.sums.pairs.count && !places.sums.failed; i++) {
		const struct sum *sum = &places.sums.sum[i];
		uint64_t row = places.rows.key[sum->where - 1];
		uint64_t methods = places.methods.key[(uint32_t)row - 1];
		uint32_t place = first_of(&places.sums, sum);

		columns_number(columns, first, where_of(block, (uint32_t)(row >> 32)));
		columns_byte(columns, first + 1, sample_place_condition(place));
		columns_byte(columns, first + 2, sample_place_state(place));
		columns_number(columns, first + 3, second_of(&places.sums, sum));
		columns_number(columns, first + 4, sum->amount);
		columns_number(
			columns, first + 5, method_row_of_id(block, (uint32_t)(methods >> 32)));
		columns_number(columns, first + 6, method_row_of_id(block, (uint32_t)methods));
	}
	failed = places.sums.failed;
	pairs_fini(&places.methods);
	pairs_fini(&places.rows);
	sums_fini(&places.sums);
	return !failed;
}

void put_files(struct block *block)
{
	const struct profile *profile = block->model->profile;
	struct columns *columns = &block->columns;
	unsigned name = columns_add(columns, "file", COLUMN_VARINT, "name", -1);
	unsigned peer = columns_add(columns, "file", COLUMN_VARINT, "peer", -1);
	unsigned kind = columns_add(columns, "file", COLUMN_BYTE, "kind", -1);
	unsigned opener = columns_add(columns, "file", COLUMN_VARINT, "opened_by", -1);

	for (size_t i = 0; i < profile->file_count; i++) {
		const struct profile_file *file = &profile->file[i];

		columns_number(
			columns, name, strings_take(&block->strings, label_of(file->name)));
		columns_number(
			columns, peer, strings_take(&block->strings, label_of(file->peer)));
		columns_byte(columns, kind, file->kind);
		columns_number(columns, opener,
			strings_take(&block->strings, label_of(file->opened_by)));
	}
}

bool put_io(struct block *block)
{
	static const struct column_row io_columns[] = {{COLUMN_VARINT, "where"},
		{COLUMN_VARINT, "file"}, {COLUMN_BYTE, "kind"}, {COLUMN_VARINT, "count"},
		{COLUMN_VARINT, "failures"}, {COLUMN_VARINT, "amount"}, {COLUMN_VARINT, "ns"}};
	const struct profile *profile = block->model->profile;
	struct columns *columns = &block->columns;
	struct sums sums = no_sums;
	unsigned first = COLUMNS_ADD(columns, "io", io_columns);
	bool failed;

	for (size_t i = 0; i < profile->account_count; i++) {
		const struct profile_account *account = &profile->account[i];

		uint32_t rows[2];
		unsigned count = rows_of(block, account->node, rows);

		for (unsigned r = 0; r < count && account->kind < IO_ACCOUNTS; r++)
			add_sum(&sums, rows[r], (uint32_t)account->subject, account->kind,
				account);
	}
	for (size_t i = 0; i < sums.pairs.count && !sums.failed; i++) {
		const struct sum *sum = &sums.sum[i];

		columns_number(columns, first, where_of(block, sum->where));
		columns_number(columns, first + 1, first_of(&sums, sum));
		columns_byte(columns, first + 2, second_of(&sums, sum));
		columns_number(columns, first + 3, sum->count);
		columns_number(columns, first + 4, sum->failures);
		columns_number(columns, first + 5, sum->amount);
		columns_number(columns, first + 6, sum->ns);
	}
	failed = sums.failed;
	sums_fini(&sums);
	return !failed;
}

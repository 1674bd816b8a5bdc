/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* block: what a profile holds of one interval, as tables of columns (docs/page-data.md). What the page need not compute comes as
 * reports print it. */
#include "report/page/block.h"

#include "report/page/notes.h"

static void fill_rows(uint32_t *rows, size_t count)
{
	for (size_t i = 0; i < count; i++)
		rows[i] = NO_ROW;
}

/* The rooms by node and method. False without memory. */
static bool make_rooms(struct block *block)
{
	const struct profile *profile = block->model->profile;
	struct store *store = block->model->store;
	size_t nodes = profile->node_count + 1, methods = profile->method_count + 1;

	block->node_row = store_room(store, nodes, sizeof(uint32_t));
	block->flat_row = store_room(store, nodes, sizeof(uint32_t));
	block->thread_row = store_room(store, profile->thread_count + 1, sizeof(uint32_t));
	block->method_row = store_room(store, methods, sizeof(uint32_t));
	block->touched = store_room(store, methods, sizeof(uint32_t));
	block->flat = store_room(store, methods, sizeof(*block->flat));
	if (store->failed)
		return false;
	fill_rows(block->node_row, nodes);
	fill_rows(block->flat_row, nodes);
	return true;
}

/* The node that the block begins at; NO_ROW: whole threads, or there is none of that id (found false). */
static uint32_t find_root(const struct block *block, bool *found)
{
	const struct profile *profile = block->model->profile;
	uint64_t wanted = block->choice->root;

	*found = wanted == 0;
	for (size_t i = 0; i < block->model->node_count && !*found; i++) {
		uint32_t at = block->model->node[i];
		const struct profile_node *node = &profile->node[at];

		if (profile_node_id(profile->thread[node->thread].id, node->id) != wanted)
			continue;
		*found = true;
		return at;
	}
	return NO_ROW;
}

/* All tables. False without memory. */
static bool put_tables(struct block *block, uint32_t root)
{
	bool done;

	if (!make_rooms(block))
		return false;
	put_method_columns(block);
	put_first_methods(block);
	put_threads(block);
	put_paths(block, root);
	/* Which have no path: not in a block that begins at one. */
	if (root == NO_ROW)
		put_counted(block);
	done = put_places(block) && put_io(block);
	put_files(block);
	put_marks(block);
	done = done && put_records(block);
	return done && !block->strings.failed && !block->columns.failed;
}

/* What is made of the model here goes when the block is written: rooms of a store of its own. */
static int write_block(struct out *out, const struct model *model,
	const struct block_choice *choice, struct error *error)
{
	struct block block = {.model = model, .choice = choice};
	struct out header;
	bool found;
	uint32_t root = find_root(&block, &found);
	int failed = 0;

	if (!found)
		return error_set(error, ERROR_MISSING, "there is no call path %llu",
			(unsigned long long)choice->root);
	out_init(&header, -1);
	out_char(&header, '{');
	/* First, for they need much memory for themselves. */
	if (choice->root == 0)
		failed = notes_put(model, choice->state, &header, error);
	if (failed == 0)
		failed = put_views(&block, &header, error);
	block.cum = model_cum(model);
	block.link = links_make(model, NULL, 0);
	block.can_estimate = model_can_estimate(model);
	if (failed == 0 &&
		(!block.cum || !block.link ||
			(block.can_estimate && estimates_init(&block.estimates, model) != 0) ||
			fold_init(&block.fold, model, block.cum, root, choice->limit) != 0 ||
			!put_tables(&block, root)))
		failed = model_no_memory(error);
	if (failed == 0) {
		uint32_t length;

		put_header(&block, &header);
		length = (uint32_t)header.length;
		if (header.failed == 0) {
			out_bytes(out, (const char *)&length, sizeof(length));
			out_bytes(out, header.buffer, header.length);
			columns_put(&block.columns, out);
		}
		if (out->failed != 0 || header.failed != 0 || block.columns.failed)
			failed = model_no_memory(error);
	}
	out_fini(&header);
	columns_fini(&block.columns);
	strings_fini(&block.strings);
	return failed;
}

int block_write(struct out *out, const struct model *model, const struct block_choice *choice,
	struct error *error)
{
	struct model same = *model;
	struct store store = {0};
	int failed;

	same.store = &store;
	failed = write_block(out, &same, choice, error);
	store_fini(&store);
	return failed;
}

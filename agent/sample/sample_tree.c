/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* sample_tree: see sample_tree.h. */
#include "agent/sample/sample_tree.h"

#include <stdlib.h>
#include <string.h>

#include "agent/trace/tree_labels.h"

#define ANCHOR UINT32_MAX /* in the place of a method */

/* Places in an array of nodes; 0: none. */
struct node {
	uint32_t parent, first, next; /* child, sibling */
	uint32_t method;              /* or ANCHOR */
	uint32_t row;
	uint32_t id;    /* in its row; of an anchor that of the trace's node */
	uint32_t older; /* node of the same row */
	uint32_t into;  /* of a dead one: the node that stands for it */
	bool put, dead;
};

/* An account of a node. */
struct count {
	uint64_t subject, count, failures, amount, ns;
	uint32_t node, id;
	uint32_t older; /* count of the same row */
	uint8_t kind;   /* enum account_kind */
	bool put, dead;
};

/* A row of the file that is to go; to_id is where a node's counts went to. */
struct gone {
	uint32_t row, id, to_row, to_id;
	bool is_count;
};

/* The ids that come next in a row, and the newest of its items. */
struct row {
	uint32_t node, count;
	uint32_t newest_node, newest_count;
	uint32_t into; /* the row that it was folded into; 0: it was not */
};

/* An array that grows, and a hash of places in it, open addressing, 0: empty. */
struct table {
	void *item;
	uint32_t count, room, mask;
	uint32_t bounded; /* of the room, what is within the bound */
	uint32_t *slot;
};

struct sample_tree {
	struct table nodes, counts;
	struct row *row; /* by number */
	uint32_t rows;
	struct gone *gone;
	size_t gone_count, gone_room;
	uint64_t bytes, max_bytes, folded;
	bool all; /* nothing that was put is kept */
};

/* ---- memory ---- */

/* What the memory is for: sums have to be exact, whatever the bound. */
enum need { NEED_PATH, NEED_FOLD, NEED_SUM };

/* More room for items, to twice as many. False: there is none, or the bound is reached. */
static bool more(struct sample_tree *tree, void *array, size_t have, size_t want, size_t size,
	enum need need)
{
	void **at = array, *grown;

	if (need != NEED_SUM && tree->bytes + (want - have) * size > tree->max_bytes)
		return false;
	grown = realloc(*at, want * size);
	if (!grown)
		return false;
	memset((char *)grown + have * size, 0, (want - have) * size);
	*at = grown;
	tree->bytes += (want - have) * size;
	return true;
}

static struct node *node_at(const struct sample_tree *tree, uint32_t i)
{
	return (struct node *)tree->nodes.item + i;
}

static struct count *count_at(const struct sample_tree *tree, uint32_t i)
{
	return (struct count *)tree->counts.item + i;
}

static uint32_t hash(uint64_t a, uint64_t b)
{
	uint64_t mixed = (a * UINT64_C(0x9e3779b97f4a7c15) ^ b) * UINT64_C(0xff51afd7ed558ccd);

	return (uint32_t)(mixed >> 32);
}

static uint32_t node_hash(const struct sample_tree *tree, uint32_t i)
{
	const struct node *node = node_at(tree, i);

	if (node->method == ANCHOR)
		return hash((uint64_t)node->row << 32 | node->id, ANCHOR);
	return hash(node->parent, node->method);
}

static uint32_t count_hash(const struct sample_tree *tree, uint32_t i)
{
	const struct count *count = count_at(tree, i);

	return hash((uint64_t)count->kind << 32 | count->node, count->subject);
}

static void enter(struct table *table, uint32_t at, uint32_t item)
{
	while (table->slot[at & table->mask])
		at++;
	table->slot[at & table->mask] = item;
}

/* To twice as many items. Slots are twice as many as items. */
static bool grow(struct sample_tree *tree, struct table *table, size_t size,
	uint32_t (*hash_of)(const struct sample_tree *tree, uint32_t i), enum need need)
{
	uint32_t room = table->room ? 2 * table->room : 1024, *slot = NULL;

	if (room > UINT32_MAX / 4 ||
		!more(tree, &slot, 0, 2 * (size_t)room, sizeof(*slot), need))
		return false;
	if (!more(tree, &table->item, table->room, room, size, need)) {
		tree->bytes -= 2 * (size_t)room * sizeof(*slot);
		free(slot);
		return false;
	}
	tree->bytes -= 2 * (size_t)table->room * sizeof(*slot);
	free(table->slot);
	table->slot = slot;
	table->room = room;
	table->mask = 2 * room - 1;
	for (uint32_t i = 1; i < table->count; i++)
		enter(table, hash_of(tree, i), i);
	return true;
}

/* Room for one more item. Where a table cannot grow within the bound, its last quarter is left to folds. */
static bool reserve(struct sample_tree *tree, struct table *table, size_t size,
	uint32_t (*hash_of)(const struct sample_tree *tree, uint32_t i), enum need need)
{
	if (table->count < table->bounded - table->bounded / 4)
		return true;
	if (grow(tree, table, size, hash_of, NEED_PATH)) {
		table->bounded = table->room;
		return true;
	}
	if (need >= NEED_FOLD && table->count < table->bounded)
		return true;
	return need == NEED_SUM &&
	       (table->count < table->room || grow(tree, table, size, hash_of, need));
}

struct sample_tree *sample_tree_create(uint64_t max_bytes)
{
	struct sample_tree *tree = calloc(1, sizeof(*tree));

	if (!tree)
		return NULL;
	tree->max_bytes = max_bytes;
	tree->nodes.count = tree->counts.count = 1; /* the first place is none */
	return tree;
}

void sample_tree_destroy(struct sample_tree *tree)
{
	if (!tree)
		return;
	free(tree->nodes.item);
	free(tree->nodes.slot);
	free(tree->counts.item);
	free(tree->counts.slot);
	free(tree->row);
	free(tree->gone);
	free(tree);
}

/* ---- nodes ---- */

static struct row *row_at(struct sample_tree *tree, uint32_t row)
{
	uint32_t rows = tree->rows ? tree->rows : 64;

	while (rows <= row)
		rows *= 2;
	if (rows > tree->rows) {
		if (!more(tree, &tree->row, tree->rows, rows, sizeof(*tree->row), NEED_SUM))
			return NULL;
		tree->rows = rows;
	}
	return &tree->row[row];
}

/* The first item that is the same, from its hash on; 0: none. */
static uint32_t find_node(const struct sample_tree *tree, const struct node *wanted)
{
	uint32_t at = wanted->method == ANCHOR
			      ? hash((uint64_t)wanted->row << 32 | wanted->id, ANCHOR)
			      : hash(wanted->parent, wanted->method);
	uint32_t i;

	if (!tree->nodes.slot)
		return 0;
	for (; (i = tree->nodes.slot[at & tree->nodes.mask]) != 0; at++) {
		const struct node *node = node_at(tree, i);

		if (!node->dead && node->method == wanted->method &&
			(wanted->method == ANCHOR
					? node->row == wanted->row && node->id == wanted->id
					: node->parent == wanted->parent))
			return i;
	}
	return 0;
}

/* Found or made; 0: no memory. */
static uint32_t node_of(struct sample_tree *tree, struct node wanted, enum need need)
{
	uint32_t i = find_node(tree, &wanted);
	struct row *row;

	if (i)
		return i;
	row = row_at(tree, wanted.row);
	if (!row || !reserve(tree, &tree->nodes, sizeof(struct node), node_hash, need))
		return 0;
	i = tree->nodes.count++;
	if (wanted.method != ANCHOR) {
		wanted.id = NODE_SAMPLED_FIRST + row->node++;
		wanted.next = node_at(tree, wanted.parent)->first;
		node_at(tree, wanted.parent)->first = i;
	}
	wanted.older = row->newest_node;
	row->newest_node = i;
	*node_at(tree, i) = wanted;
	enter(&tree->nodes, node_hash(tree, i), i);
	return i;
}

uint32_t sample_tree_anchor(struct sample_tree *tree, uint32_t row, uint32_t node)
{
	/* Stacks may come later than the end of their thread. */
	while (row < tree->rows && tree->row[row].into) {
		row = tree->row[row].into;
		node = 0;
	}
	return node_of(tree, (struct node){.row = row, .id = node, .method = ANCHOR}, NEED_SUM);
}

static uint32_t child(
	struct sample_tree *tree, uint32_t parent, uint32_t method, enum need need)
{
	return node_of(tree,
		(struct node){
			.parent = parent, .row = node_at(tree, parent)->row, .method = method},
		need);
}

uint32_t sample_tree_child(struct sample_tree *tree, uint32_t parent, uint32_t method)
{
	return child(tree, parent, method, NEED_PATH);
}

/* The node of the method in the fold below the node; 0: memory is short. */
static uint32_t in_fold(
	struct sample_tree *tree, uint32_t node, uint32_t method, enum need need)
{
	uint32_t fold = child(tree, node, METHOD_FOLDED, need);

	return fold ? child(tree, fold, method, need) : 0;
}

uint32_t sample_tree_folded(struct sample_tree *tree, uint32_t node, uint32_t method)
{
	uint32_t flat = in_fold(tree, node, method, NEED_FOLD);

	tree->folded++;
	while (!flat && node_at(tree, node)->method != ANCHOR)
		node = node_at(tree, node)->parent;
	if (!flat)
		flat = in_fold(tree, node, method, NEED_SUM);
	return flat ? flat : node;
}

/* ---- counts ---- */

/* Found or made; NULL: no memory. */
static struct count *count_of(struct sample_tree *tree, uint32_t node, enum account_kind kind,
	uint64_t subject, enum need need)
{
	uint32_t at = hash((uint64_t)kind << 32 | node, subject), i;
	struct count *count;
	struct row *row;

	if (tree->counts.slot)
		for (; (i = tree->counts.slot[at & tree->counts.mask]) != 0; at++) {
			count = count_at(tree, i);
			if (count->node == node && count->subject == subject &&
				count->kind == kind && !count->dead)
				return count;
		}
	row = row_at(tree, node_at(tree, node)->row);
	if (!row || !reserve(tree, &tree->counts, sizeof(*count), count_hash, need))
		return NULL;
	i = tree->counts.count++;
	count = count_at(tree, i);
	/* Accounts of the trace number from below. */
	*count = (struct count){.subject = subject,
		.kind = (uint8_t)kind,
		.node = node,
		.id = NODE_SAMPLED_FIRST + row->count++,
		.older = row->newest_count};
	row->newest_count = i;
	enter(&tree->counts, count_hash(tree, i), i);
	return count;
}

static uint64_t without_line(uint64_t place)
{
	return sample_place(
		sample_place_condition(place), (enum sample_state)sample_place_state(place), 0);
}

bool sample_tree_add(struct sample_tree *tree, uint32_t node, const struct sample_sum *sum)
{
	struct count *found = count_of(tree, node, sum->kind, sum->subject, NEED_PATH);

	if (!found)
		found = count_of(tree, node, sum->kind,
			sum->kind == SAMPLES ? without_line(sum->subject) : sum->subject,
			NEED_SUM);
	if (!found)
		return false;
	found->count += sum->count;
	found->failures += sum->failures;
	found->amount += sum->amount;
	found->ns += sum->ns;
	found->put = false;
	return true;
}

uint32_t sample_tree_now(const struct sample_tree *tree, uint32_t node)
{
	while (node_at(tree, node)->dead && node_at(tree, node)->into)
		node = node_at(tree, node)->into;
	return node;
}

void sample_tree_node(
	const struct sample_tree *tree, uint32_t node, uint32_t *row, uint32_t *id)
{
	const struct node *now = node_at(tree, sample_tree_now(tree, node));

	*row = now->row;
	*id = now->id;
}

/* ---- the file ---- */

static int put_node(const struct sample_tree *tree, const struct node *node,
	struct profile_writer *profile, struct error *error)
{
	static const uint64_t nothing[PROFILE_METRIC_MAX];
	const struct profile_node record = {
		.thread = node->row,
		.id = node->id,
		.parent = node_at(tree, node->parent)->id,
		.method = label_method(node->method),
		.line = label_content(node->method, LABEL_LINE),
		.sampled = true,
		.base = nothing,
		.spent = nothing,
	};

	return profile_put(profile, &record, error);
}

static int put_count(const struct sample_tree *tree, const struct count *count,
	struct profile_writer *profile, struct error *error)
{
	const struct node *node = node_at(tree, count->node);
	const struct profile_account record = {
		.thread = node->row,
		.id = count->id,
		.node = node->id,
		.subject = count->subject,
		.kind = count->kind,
		.count = count->count,
		.failures = count->failures,
		.amount = count->amount,
		.ns = count->ns,
	};

	return profile_put(profile, &record, error);
}

static int put_gone(
	const struct gone *gone, struct profile_writer *profile, struct error *error)
{
	const struct profile_forward forward = {.thread = gone->row,
		.node = gone->id,
		.to_thread = gone->to_row,
		.to_node = gone->to_id};
	int status;

	if (gone->is_count)
		return profile_drop_account(profile, gone->row, gone->id, error);
	status = profile_drop_node(profile, gone->row, gone->id, error);
	return status == 0 ? profile_put(profile, &forward, error) : status;
}

int sample_tree_put(
	struct sample_tree *tree, struct profile_writer *profile, struct error *error)
{
	int status = 0;

	for (size_t i = 0; i < tree->gone_count && status == 0; i++)
		status = put_gone(&tree->gone[i], profile, error);
	for (uint32_t i = 1; i < tree->nodes.count && status == 0; i++) {
		struct node *node = node_at(tree, i);

		if (node->dead || node->method == ANCHOR || (node->put && !tree->all))
			continue;
		status = put_node(tree, node, profile, error);
		node->put = true;
	}
	for (uint32_t i = 1; i < tree->counts.count && status == 0; i++) {
		struct count *count = count_at(tree, i);

		if (count->dead || (count->put && !tree->all))
			continue;
		status = put_count(tree, count, profile, error);
		count->put = true;
	}
	return status;
}

void sample_tree_confirm(struct sample_tree *tree, bool kept)
{
	tree->all = !kept;
	if (kept)
		tree->gone_count = 0;
}

struct sample_tree_state sample_tree_state(const struct sample_tree *tree)
{
	return (struct sample_tree_state){
		.bytes = tree->bytes, .nodes = tree->nodes.count - 1, .folded = tree->folded};
}

/* ---- forwards ---- */

/* Without memory a row stays in the file. */
static void note_gone(struct sample_tree *tree, struct gone gone)
{
	if (tree->gone_count == tree->gone_room) {
		size_t room = tree->gone_room ? 2 * tree->gone_room : 64;
		struct gone *grown = realloc(tree->gone, room * sizeof(*grown));

		if (!grown)
			return;
		tree->gone = grown;
		tree->gone_room = room;
	}
	tree->gone[tree->gone_count++] = gone;
}

/* The other node that stands for one from now on; a pair for each of a subtree. */
struct moved {
	uint32_t from, to;
};

static int compare_moved(const void *a, const void *b)
{
	const struct moved *one = a, *other = b;

	return one->from < other->from ? -1 : one->from > other->from;
}

static uint32_t moved_to(const struct moved *moved, size_t count, uint32_t from)
{
	const struct moved wanted = {.from = from};
	const struct moved *found =
		bsearch(&wanted, moved, count, sizeof(*moved), compare_moved);

	return found ? found->to : 0;
}

/* The accounts of nodes that others stand for now. */
static void move_counts(
	struct sample_tree *tree, uint32_t row, const struct moved *moved, size_t nodes)
{
	uint32_t next;

	for (uint32_t i = tree->row[row].newest_count; i; i = next) {
		struct count old = *count_at(tree, i);
		uint32_t to = old.dead ? 0 : moved_to(moved, nodes, old.node);

		next = old.older;
		if (!to)
			continue;
		if (!sample_tree_add(tree, to,
			    &(struct sample_sum){old.kind, old.subject, old.count, old.failures,
				    old.amount, old.ns}))
			continue;
		count_at(tree, i)->dead = true;
		note_gone(tree, (struct gone){.row = row, .id = old.id, .is_count = true});
	}
}

/* The nodes of the row from that one on, oldest first: parents stand before their children. NULL: no
 * memory. */
static struct moved *list_row(
	const struct sample_tree *tree, uint32_t row, uint32_t from, size_t *count)
{
	struct moved *list;
	size_t i = 0;

	for (uint32_t n = tree->row[row].newest_node; n >= from; n = node_at(tree, n)->older)
		i++;
	*count = i;
	list = calloc(i + 1, sizeof(*list));
	for (uint32_t n = tree->row[row].newest_node; list && n >= from;
		n = node_at(tree, n)->older)
		list[--i].from = n;
	return list;
}

void sample_tree_forward(struct sample_tree *tree, const struct profile_forward *forward)
{
	const struct node wanted = {
		.row = forward->thread, .id = forward->node, .method = ANCHOR};
	uint32_t from = find_node(tree, &wanted), target;
	struct moved *moved;
	size_t nodes;

	if (forward->node == 0 && row_at(tree, forward->thread))
		row_at(tree, forward->thread)->into = forward->to_thread;
	if (!from)
		return;
	target = sample_tree_anchor(tree, forward->to_thread, forward->to_node);
	moved = target ? list_row(tree, forward->thread, from, &nodes) : NULL;
	if (!moved)
		return;
	for (size_t i = 0; i < nodes; i++) {
		struct node old = *node_at(tree, moved[i].from);
		uint32_t parent = moved_to(moved, i, old.parent), now;

		if (moved[i].from == from)
			moved[i].to = target;
		if (old.dead || old.method == ANCHOR || !parent)
			continue;
		now = sample_tree_child(tree, parent, old.method);
		moved[i].to = now ? now : parent;
		note_gone(tree, (struct gone){.row = old.row,
					.id = old.id,
					.to_row = node_at(tree, moved[i].to)->row,
					.to_id = node_at(tree, moved[i].to)->id});
	}
	move_counts(tree, forward->thread, moved, nodes);
	for (size_t i = 0; i < nodes; i++)
		if (moved[i].to) {
			node_at(tree, moved[i].from)->dead = true;
			node_at(tree, moved[i].from)->into = moved[i].to;
		}
	free(moved);
}

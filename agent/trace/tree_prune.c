/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * tree_prune: what a tree gives up when memory is short, and how trees become one.
 *
 * Every node has a fineness: 0 where a frame is on it, else 1 and more, the smaller its
 * share of its parent's cum; at least its parent's. With a cut, the nodes at or above it
 * and the flat nodes that there are already become members of the group of their owner,
 * the nearest node above that stays:
 *
 *   P, Q stay     P --- a --- b           P --- fold --- a (a + a), b, c
 *                 | \-- c --- a    ==>     \
 *                 Q --- b --- c             Q --- fold --- b, c
 *
 * The first member of a method gives its slot to the flat node, the others are added to
 * it. A group that would not get smaller is left as it is. The fold takes the lowest slot
 * of the group, so that parents stay below their children. Then all nodes that are left
 * are moved together, in order.
 *
 * What is flat from now on, and a new fold, are other paths, with ids of their own; a flat node
 * that stays below the fold of its owner keeps its id. Forwards are made of the ids that cease.
 *
 * The links, which can be made anew, are the scratch:
 *
 *            to                                        next
 *   owner    its fold, 0: it has none                  the group's first member
 *   member   the owner; folded: where its counts went  the next one, which is above
 *   at last  where its counts went (itself: it stays)  of a slot that is used, its new
 * index
 */
#include "agent/trace/call_tree.h"

#include <string.h>

#include "agent/trace/tree_labels.h"

enum {
	FINENESS_STEPS = 8, /* in a factor of two */
	FINENESS_MAX = 64 * FINENESS_STEPS - 1,
	MARK_FRAME = 1,      /* on the shadow stack */
	MARK_MEMBER = 2,     /* of a group */
	MARK_FREE = 4,       /* its slot */
	CUT_ALL = 0,         /* takes frames, too */
	HOLD_PATIENCE = 1000 /* a copy takes about a millisecond a megabyte */
};

static void add64(uint64_t *counter, uint64_t n)
{
	__atomic_store_n(counter, *counter + n, __ATOMIC_RELAXED);
}

/* Adds all counts of a node of the same method; `from` has no more metrics. */
static void add_node(uint32_t metrics, struct tree_node *to, uint32_t from_metrics,
	const struct tree_node *from)
{
	to->children |= from->children & TREE_NATIVE;
	add64(&to->calls, from->calls);
	add64(&to->jitted, from->jitted);
	for (int i = 0; i < 4; i++)
		add64(&to->transition[i / 2][i % 2], from->transition[i / 2][i % 2]);
	for (uint32_t i = 0; i < from_metrics; i++) {
		add64(&to->base[i], from->base[i]);
		add64(&to->base[metrics + i], from->base[from_metrics + i]); /* spent */
	}
}

/* ---- forwards ---- */

static bool is_known(const struct call_tree *tree, uint32_t index)
{
	return *tree_written(tree, index) != 0 ||
	       tree_at(tree, index)->children & TREE_REFERRED;
}

/* Room for so many more. False: the system has no memory. */
static bool forwards_room(struct call_tree *tree, uint32_t more)
{
	size_t count = (size_t)tree->forward_count + more;

	return count * sizeof(struct tree_forward) <= tree->forwards.bytes ||
	       arena_resize(&tree->forwards, tree->budget, count * sizeof(struct tree_forward),
		       MEMORY_FORCED) == 0;
}

static void forward(struct call_tree *tree, uint32_t thread, uint32_t from, uint32_t to)
{
	struct tree_forward *forwards = tree->forwards.base;

	forwards[tree->forward_count++] = (struct tree_forward){thread, from, to};
}

void tree_forget_forwards(struct call_tree *tree)
{
	struct tree_forward *forwards = tree->forwards.base;

	tree->forward_count -= tree->forward_shown;
	if (tree->forward_count == 0)
		arena_fini(&tree->forwards, tree->budget);
	else
		memmove(forwards, forwards + tree->forward_shown,
			tree->forward_count * sizeof(*forwards));
	tree->forward_shown = 0;
}

/* ---- merging ---- */

static uint32_t merged_to(const void *from, uint32_t node)
{
	return tree_at(from, node)->prune.to;
}

/* Without memory the forwards are left out: what is outside is not told where the counts are. */
static void merge_forwards(
	struct call_tree *tree, const struct call_tree *from, uint32_t thread)
{
	const struct tree_forward *forwards = tree_forwards(from);
	uint32_t known = 0;

	for (uint32_t i = 0; i < from->count; i++)
		known += is_known(from, i);
	if (known + from->forward_count == 0 ||
		!forwards_room(tree, known + from->forward_count))
		return;
	for (uint32_t i = 0; i < from->forward_count; i++)
		forward(tree, forwards[i].thread != 0 ? forwards[i].thread : thread,
			forwards[i].from, merged_to(from, forwards[i].to));
	for (uint32_t i = 0; i < from->count; i++)
		if (is_known(from, i))
			forward(tree, thread, tree_at(from, i)->id, merged_to(from, i));
}

void tree_merge(struct call_tree *tree, struct call_tree *from, uint32_t thread)
{
	for (uint32_t i = 0; i < from->count; i++) {
		struct tree_node *node = tree_at(from, i);
		uint32_t place = TREE_ROOT;

		if (i != TREE_ROOT)
			place = tree_place(
				tree, tree_at(from, node->parent)->prune.to, node->method);
		/* As in a fold: its method counted the calls. */
		if (is_label(node->method) && tree_at(tree, place)->method != node->method)
			node->calls = node->jitted = 0;
		add_node(tree->metrics, tree_at(tree, place), from->metrics, node);
		node->prune.to = place;
	}
	merge_forwards(tree, from, thread);
	accounts_merge(&tree->accounts, tree->budget, &from->accounts, merged_to, from);
	add64(&tree->pruned, from->pruned);
	if (tree->forced)
		tree_prune(tree, NULL, 0, NULL);
}

/* ---- pruning: weigh, grade ---- */

/* log2 in steps: the next three bits below the highest one, so within a twelfth. */
static unsigned log_steps(uint64_t n)
{
	unsigned high = 63 - (unsigned)__builtin_clzll(n);
	unsigned fraction = (unsigned)(high >= 3 ? n >> (high - 3) : n << (3 - high));

	return high * FINENESS_STEPS + (fraction & (FINENESS_STEPS - 1));
}

static unsigned fineness(uint64_t cum, uint64_t parent_cum)
{
	unsigned steps;

	if (cum == 0)
		return FINENESS_MAX;
	if (cum >= parent_cum)
		return 1;
	steps = log_steps(parent_cum) - log_steps(cum) + 1;
	return steps < FINENESS_MAX ? steps : FINENESS_MAX - 1;
}

static void weigh(struct call_tree *tree)
{
	for (uint32_t i = 0; i < tree->count; i++) {
		struct tree_node *node = tree_at(tree, i);

		node->prune.cum = node->base[0];
		node->prune.fineness = 0;
		node->prune.marks = 0;
	}
	for (uint32_t i = tree->count - 1; i > TREE_ROOT; i--) {
		struct tree_node *node = tree_at(tree, i);

		tree_at(tree, node->parent)->prune.cum += node->prune.cum;
	}
}

/* What one pruning works with. */
struct pruning {
	struct call_tree *tree;
	struct arena table;
	uint32_t *first; /* in table, by method: its slot in the group at work, 0: none */
	uint32_t most;   /* nodes that a cut may take */
	uint32_t graded[FINENESS_MAX + 1]; /* of them, how many are of each fineness */
};

/* Folds and flat nodes are as fine as what they are below. */
static void grade(struct pruning *pruning, const struct shadow_frame *frame, size_t frames)
{
	struct call_tree *tree = pruning->tree;

	for (size_t i = 0; i < frames; i++) {
		struct tree_node *node = tree_at(tree, frame[i].node);

		node->prune.marks |= MARK_FRAME;
		while (is_label(node->method)) {
			node = tree_at(tree, node->parent);
			node->prune.marks |= MARK_FRAME;
		}
	}
	for (uint32_t i = TREE_FOLDED + 1; i < tree->count; i++) {
		struct tree_node *node = tree_at(tree, i);
		struct tree_node *parent = tree_at(tree, node->parent);
		bool keeps_path =
			node->method != METHOD_FOLDED && parent->method != METHOD_FOLDED;
		unsigned own = 0;

		if (keeps_path && !(node->prune.marks & MARK_FRAME))
			own = fineness(node->prune.cum, parent->prune.cum);
		if (own < parent->prune.fineness)
			own = parent->prune.fineness;
		node->prune.fineness = (uint16_t)own;
		if (keeps_path && own > 0) {
			pruning->graded[own]++;
			pruning->most++;
		}
	}
}

/* ---- groups ---- */

static bool is_member(const struct call_tree *tree, uint32_t index)
{
	return tree_at(tree, index)->prune.marks & MARK_MEMBER;
}

/* A fold that stays is its owner's, and no member. */
static void find_owner(struct call_tree *tree, uint32_t index, unsigned cut)
{
	struct tree_node *node = tree_at(tree, index);
	struct tree_node *parent = tree_at(tree, node->parent);

	node->prune.to = node->prune.next = 0;
	node->prune.marks &= (uint16_t) ~(MARK_MEMBER | MARK_FREE);
	if (index == TREE_ROOT)
		return;
	if (node->method == METHOD_FOLDED && !is_member(tree, node->parent)) {
		parent->prune.to = index;
	} else if (node->method == METHOD_FOLDED || parent->method == METHOD_FOLDED ||
		   node->prune.fineness >= cut) {
		if (is_member(tree, node->parent))
			node->prune.to = parent->prune.to;
		else
			node->prune.to =
				parent->method == METHOD_FOLDED ? parent->parent : node->parent;
		node->prune.marks |= MARK_MEMBER;
	}
}

/* Lists each owner's members in rising order. */
static void make_groups(struct call_tree *tree, unsigned cut)
{
	for (uint32_t i = 0; i < tree->count; i++)
		find_owner(tree, i, cut);
	for (uint32_t i = tree->count; i-- > 0;) {
		struct tree_node *node = tree_at(tree, i);
		struct tree_node *owner = tree_at(tree, node->prune.to);

		if (!(node->prune.marks & MARK_MEMBER))
			continue;
		node->prune.next = owner->prune.next;
		owner->prune.next = i;
	}
}

static uint32_t *first_of(const struct pruning *pruning, uint32_t index)
{
	return &pruning->first[label_method(tree_at(pruning->tree, index)->method)];
}

/* How many nodes fewer there are when the owner's group is folded. */
static uint32_t gain_of(const struct pruning *pruning, uint32_t owner)
{
	const struct prune_scratch *group = &tree_at(pruning->tree, owner)->prune;
	uint32_t members = 0, left = group->to == 0;

	for (uint32_t i = group->next; i != 0; i = tree_at(pruning->tree, i)->prune.next) {
		uint32_t *first = first_of(pruning, i);

		members++;
		if (tree_at(pruning->tree, i)->method == METHOD_FOLDED || *first != 0)
			continue;
		left++;
		*first = i;
	}
	for (uint32_t i = group->next; i != 0; i = tree_at(pruning->tree, i)->prune.next)
		*first_of(pruning, i) = 0;
	return members > left ? members - left : 0;
}

static bool is_owner(const struct call_tree *tree, uint32_t index)
{
	const struct tree_node *node = tree_at(tree, index);

	return !(node->prune.marks & MARK_MEMBER) && node->method != METHOD_FOLDED;
}

static uint32_t gain_by(struct pruning *pruning, unsigned cut)
{
	struct call_tree *tree = pruning->tree;
	uint32_t gain = 0;

	make_groups(tree, cut);
	for (uint32_t i = 0; i < tree->count; i++)
		if (is_owner(tree, i))
			gain += gain_of(pruning, i);
	return gain;
}

/* The cut for what is below the user's threshold: within a twelfth of it, and nothing above. 0: there is none. */
static unsigned threshold_of(const struct call_tree *tree)
{
	enum { WHOLE = 100, FINE = 1 << 10 };
	uint64_t below = tree->budget->fold_below;

	return below == 0 ? 0 : fineness(below * FINE, (uint64_t)WHOLE * FINE) + 1;
}

/* The highest of some cuts that takes a third of the nodes, else the one that takes most.
 * Returns how many go by it. */
static uint32_t choose(struct pruning *pruning, bool frames_too, unsigned *cut)
{
	uint32_t count = pruning->tree->count, most = pruning->most;
	uint32_t best = 0, going = 0, wanted = most / 2;
	unsigned threshold = threshold_of(pruning->tree);

	if (threshold > 0 && (best = gain_by(pruning, threshold)) > count / 16) {
		*cut = threshold;
		return best;
	}
	best = 0;
	for (unsigned at = FINENESS_MAX; at > 0 && best < count / 3; at--) {
		uint32_t gain;

		going += pruning->graded[at];
		if (pruning->graded[at] == 0 || going < wanted)
			continue;
		gain = gain_by(pruning, at);
		if (gain > best) {
			best = gain;
			*cut = at;
		}
		/* Half of the rest, until that is little. */
		wanted = most - going > most / 32 ? going + (most - going) / 2 : most;
	}
	if (frames_too && best < count / 8) {
		uint32_t gain = gain_by(pruning, CUT_ALL);

		if (gain > best) {
			best = gain;
			*cut = CUT_ALL;
		}
	}
	if (best > 0 && threshold > 0 && *cut > threshold)
		*cut = threshold;
	return best;
}

/* ---- folding ---- */

static void free_slot(struct call_tree *tree, uint32_t slot)
{
	tree_at(tree, slot)->prune.marks |= MARK_FREE;
}

/* What a fold keeps wherever it is. */
struct fold_identity {
	uint32_t id;
	uint64_t written;
};

/* The owner's fold takes the lowest slot of its group; what is there goes into the free
 * slot. */
static void place_fold(struct pruning *pruning, uint32_t owner, uint32_t lowest, uint32_t slot,
	struct fold_identity identity)
{
	struct call_tree *tree = pruning->tree;
	struct tree_node *fold = tree_at(tree, lowest);
	struct prune_scratch scratch = fold->prune;

	if (lowest != slot) {
		struct tree_node *moved = tree_at(tree, slot);
		struct prune_scratch kept = moved->prune;

		*first_of(pruning, lowest) = slot;
		memcpy(moved, fold, tree->stride);
		*tree_written(tree, slot) = *tree_written(tree, lowest);
		moved->prune = kept;
		moved->prune.marks &= (uint16_t)~MARK_FREE;
		moved->parent = lowest;
		if (moved->prune.to == lowest)
			moved->prune.to = slot;
		scratch.to = slot;
	}
	memset(fold, 0, tree->stride);
	fold->id = identity.id;
	*tree_written(tree, lowest) = identity.written;
	fold->method = METHOD_FOLDED;
	fold->parent = owner;
	fold->prune = scratch;
	fold->prune.marks &= (uint16_t)~MARK_FREE;
}

/* Adds the member to the first of its method, or makes it that. stays: it is below the owner's fold
 * already. True: its slot is free. */
static bool fold_member(struct pruning *pruning, uint32_t member, bool stays)
{
	struct call_tree *tree = pruning->tree;
	struct tree_node *node = tree_at(tree, member), *to;
	uint32_t *first = first_of(pruning, member);

	/* What is flat is of the method, whatever told its calls apart; these are counted there. */
	if (is_label(node->method)) {
		node->method = label_folded(node->method);
		node->calls = node->jitted = 0;
	}
	/* Its path, and so its id, ceases. */
	if (!stays) {
		if (is_known(tree, member))
			forward(tree, 0, node->id, member);
		node->id = tree->next_id++;
		*tree_written(tree, member) = 0;
		node->children &= ~TREE_REFERRED;
	}
	if (node->method != METHOD_FOLDED && *first == 0) {
		*first = node->prune.to = member;
		return false;
	}
	if (node->method != METHOD_FOLDED) {
		node->prune.to = *first;
		to = tree_at(tree, *first);
		add_node(tree->metrics, to, tree->metrics, node);
		if (stays) {
			to->id = node->id;
			*tree_written(tree, *first) = *tree_written(tree, member);
			to->children |= node->children & TREE_REFERRED;
		}
	}
	free_slot(tree, member);
	return true;
}

/* A fold that lies above the first member comes down to it; one that is missing is made
 * as soon as a slot is free. */
static void fold_group(struct pruning *pruning, uint32_t owner, uint32_t fold)
{
	struct call_tree *tree = pruning->tree;
	uint32_t lowest = tree_at(tree, owner)->prune.next, last = 0, own = fold;
	struct fold_identity identity = {0};

	if (fold != 0)
		identity = (struct fold_identity){
			tree_at(tree, fold)->id, *tree_written(tree, fold)};
	else
		identity.id = tree->next_id++; /* below those of its flat nodes */
	if (fold > lowest) {
		free_slot(tree, fold);
		last = fold;
		fold = 0;
	}
	for (uint32_t i = lowest; i != 0; i = tree_at(tree, i)->prune.next) {
		bool stays = own != 0 && tree_at(tree, i)->parent == own;
		bool is_free = fold_member(pruning, i, stays);

		if (fold != 0 || !(is_free || last != 0))
			continue;
		place_fold(pruning, owner, lowest, is_free ? i : last, identity);
		fold = lowest;
	}
	for (uint32_t i = lowest; i != 0; i = tree_at(tree, i)->prune.next) {
		*first_of(pruning, i) = 0;
		if (i != fold)
			tree_at(tree, i)->parent = fold;
	}
	if (last != 0)
		*first_of(pruning, last) = 0;
}

/* False: no memory for the forwards, nothing is folded. */
static bool fold_groups(struct pruning *pruning, unsigned cut)
{
	struct call_tree *tree = pruning->tree;
	uint32_t known = 0;

	make_groups(tree, cut);
	for (uint32_t i = 0; i < tree->count; i++)
		known += is_member(tree, i) && is_known(tree, i);
	if (!forwards_room(tree, known))
		return false;
	for (uint32_t i = 0; i < tree->count; i++) {
		struct tree_node *owner = tree_at(tree, i);
		uint32_t fold = owner->prune.to;

		if (!is_owner(tree, i))
			continue;
		if (fold != 0)
			tree_at(tree, fold)->prune.to = fold;
		if (gain_of(pruning, i) > 0)
			fold_group(pruning, i, fold);
		else
			for (uint32_t member = owner->prune.next; member != 0;
				member = tree_at(tree, member)->prune.next)
				tree_at(tree, member)->prune.to = member;
		owner->prune.to = i;
	}
	return true;
}

/* ---- compacting ---- */

static bool is_free(const struct call_tree *tree, uint32_t slot)
{
	return tree_at(tree, slot)->prune.marks & MARK_FREE;
}

/* When those that stay have their new indices. */
static uint32_t compacted_to(const void *tree, uint32_t index)
{
	return tree_at(tree, tree_at(tree, index)->prune.to)->prune.next;
}

/* New indices for what stays; they are never above the old ones, so all can move down in
 * order. */
static uint32_t compact(struct call_tree *tree, struct shadow_frame *frame, size_t frames)
{
	struct tree_forward *forwards = tree->forwards.base;
	uint32_t kept = 0;

	for (uint32_t i = 0; i < tree->count; i++) {
		struct tree_node *node = tree_at(tree, i);

		if (is_free(tree, i))
			continue;
		node->prune.next = kept++;
		node->parent = tree_at(tree, node->parent)->prune.next;
	}
	for (size_t i = 0; i < frames; i++)
		frame[i].node = compacted_to(tree, frame[i].node);
	for (uint32_t i = 0; i < tree->forward_count; i++)
		forwards[i].to = compacted_to(tree, forwards[i].to);
	accounts_move(&tree->accounts, tree->budget, compacted_to, tree);
	kept = 0;
	for (uint32_t i = 0; i < tree->count; i++) {
		if (is_free(tree, i))
			continue;
		if (kept != i) {
			memcpy(tree_at(tree, kept), tree_at(tree, i), tree->stride);
			*tree_written(tree, kept) = *tree_written(tree, i);
		}
		kept++;
	}
	return kept;
}

/* Folds some. Returns how many nodes fewer there are. */
static uint32_t prune_once(struct call_tree *tree, struct shadow_frame *frame, size_t frames)
{
	uint32_t before = tree->count;
	size_t bytes = tree_bytes(tree);
	bool frames_too = memory_claim_of(tree->budget, bytes) != MEMORY_SMALL;
	struct pruning pruning = {.tree = tree};
	uint32_t highest = 0;
	unsigned cut = 0;

	for (uint32_t i = 0; i < tree->count; i++)
		if (label_method(tree_at(tree, i)->method) > highest)
			highest = label_method(tree_at(tree, i)->method);
	if (arena_resize(&pruning.table, tree->budget,
		    ((size_t)highest + 1) * sizeof(*pruning.first), MEMORY_FORCED) != 0)
		return 0;
	pruning.first = pruning.table.base;
	weigh(tree);
	grade(&pruning, frame, frames);
	if (choose(&pruning, frames_too, &cut) > 0 && fold_groups(&pruning, cut)) {
		tree->count = compact(tree, frame, frames);
		__atomic_store_n(&tree->moves, tree->moves + 1, __ATOMIC_RELAXED);
		add64(&tree->pruned, before - tree->count);
	}
	arena_fini(&pruning.table, tree->budget);
	tree_relink(tree);
	tree_shrink(tree, tree->count + tree->count / 8);
	return before - tree->count;
}

uint32_t tree_prune(
	struct call_tree *tree, struct shadow_frame *frame, size_t frames, uint32_t *current)
{
	uint32_t before = tree->count, gone = 0;

	if (tree->patience > 0) {
		tree->patience--;
		return 0;
	}
	lock_take(&tree->lock);
	if (tree->hold) {
		tree->patience = HOLD_PATIENCE;
	} else {
		/* What the budget gave in spite of its limit is given back, too. */
		while (prune_once(tree, frame, frames) > 0 &&
			memory_is_exceeded(tree->budget) &&
			tree_bytes(tree) > memory_share(tree->budget) / 2)
			;
		tree->forced = false;
		gone = before - tree->count;
		if (current != NULL)
			__atomic_store_n(current, frame[frames - 1].node, __ATOMIC_RELEASE);
		if (gone < tree->count / 3) /* a quarter of what it was */
			tree->patience = tree->count / 4;
	}
	lock_give(&tree->lock);
	return gone;
}

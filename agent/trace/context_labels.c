/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * context_labels: the labels of the node that a thread is in: a line, a parameter's value, tags.
 *
 * A frame's node is its method's, or the lowest of that method's labels. Tags are found by the tree alone: those of a node are
 * what the nearest node of tags on its path says, itself included.
 *
 *   root --- A --- [user=x] --- B --- [value 3] --- C
 *            |                                      `- user=x, though neither C nor B has a node of tags
 *            `- none
 *
 * A change of tags moves the innermost frame alone. The frames below it still have what they had: when the thread comes
 * back to one of them, that either gets a node of the new tags, or ends a tag that was one call's.
 */
#include "agent/trace/thread_context.h"

#include <stdlib.h>

#include "agent/trace/trace_rows.h"
#include "agent/trace/watched_calls.h"
#include "agent/values/tag_sets.h"
#include "agent/values/values.h"

/* The thread is at that node from here on, in its innermost frame. */
static void go_to(struct thread_context *context, uint32_t node)
{
	context->stack.top->node = node;
	__atomic_store_n(&context->current, node, __ATOMIC_RELEASE);
}

static void note_label(struct thread_context *context)
{
	if (__builtin_expect(context->watched != NULL, 0))
		watched_note_label(context);
}

static void count_one(_Atomic uint64_t *count)
{
	atomic_fetch_add_explicit(count, 1, memory_order_relaxed);
}

/* It is at the label below that node; without memory at the flat one of the method. */
static void go_below(struct thread_context *context, uint32_t node, uint32_t label)
{
	struct call_tree *tree = &context->tree;
	uint32_t child;

	go_to(context, node);
	child = context_guess_child(SHAPE_ANY, context, tree_at(tree, node), label);
	if (tree_at(tree, child)->method == label)
		__atomic_store_n(&tree_at(tree, node)->last_child, child, __ATOMIC_RELAXED);
	else
		child = tree_find(tree, node, label);
	/* One that is there is soon found, which is no rare way; to make it is one. */
	if (child == 0)
		child = context_child(context, label);
	if (tree_at(tree, child)->method != label)
		count_one(&context->trace->lost_labels);
	go_to(context, child);
	note_label(context);
}

/* The innermost frame can have labels: it found room, and its path is known. */
static bool has_labels(const struct thread_context *context, uint32_t method)
{
	const struct shadow_frame *top = context->stack.top;

	return top->method == method &&
	       !(tree_at(&context->tree, top->node)->children & TREE_FLAT);
}

/* The node, or the lowest one above it, that is none of its method's labels of that kind or one that stands further down. */
static uint32_t above(const struct call_tree *tree, uint32_t node, enum label_kind kind)
{
	while (is_label(tree_at(tree, node)->method) &&
		node_label_of(tree_at(tree, node)->method).kind >= (unsigned)kind)
		node = tree_at(tree, node)->parent;
	return node;
}

/* ---- lines and values ---- */

void context_reach(struct thread_context *context, uint32_t line)
{
	const struct call_tree *tree = &context->tree;
	uint32_t node = context->stack.top->node;

	/* Most often it is where it was. */
	if (tree_at(tree, node)->method == line || !has_labels(context, label_method(line)))
		return;
	go_below(context, above(tree, node, LABEL_LINE), line);
}

bool context_value(struct thread_context *context, uint32_t value, bool counts)
{
	struct shadow_frame *top = context->stack.top;
	uint32_t method = label_method(value);

	if (!value)
		return false;
	if (!has_labels(context, method)) {
		/* Its path is not kept, or its frame found no room; else it is another's. */
		if (top->method == method || context->stack.overflow > 0)
			count_one(&context->trace->lost_labels);
		return false;
	}
	go_below(context, top->node, value);
	top = context->stack.top;
	/* Without memory it is the flat one of the method, which counted the call. */
	if (tree_at(&context->tree, top->node)->method != value)
		return false;
	if (counts)
		context_count_call(
			tree_at(&context->tree, top->node), sequence_state(top->third));
	return true;
}

/* From the node on upwards: of the labels there, or (all) of the whole path. */
static uint32_t find_value(
	const struct call_tree *tree, uint32_t node, uint32_t parameter, bool all)
{
	for (; node != TREE_ROOT; node = tree_at(tree, node)->parent) {
		uint32_t value = label_content(tree_at(tree, node)->method, LABEL_VALUE);

		if (value && value_get(value).parameter == parameter)
			return value;
		if (!all && !is_label(tree_at(tree, node)->method))
			break;
	}
	return 0;
}

uint32_t context_value_above(const struct thread_context *context, uint32_t parameter)
{
	return find_value(&context->tree, context->current, parameter, true);
}

uint32_t context_value_own(const struct thread_context *context, uint32_t parameter)
{
	return find_value(&context->tree, context->current, parameter, false);
}

/* ---- tags ---- */

/* The nearest node of tags on the node's path; TREE_ROOT: there is none. */
static uint32_t tagged_by(const struct call_tree *tree, uint32_t node)
{
	while (node != TREE_ROOT &&
		(!is_label(tree_at(tree, node)->method) ||
			node_label_of(tree_at(tree, node)->method).kind != LABEL_TAGS))
		node = tree_at(tree, node)->parent;
	return node;
}

static uint32_t tags_of(const struct call_tree *tree, uint32_t by)
{
	return label_content(tree_at(tree, by)->method, LABEL_TAGS);
}

/* The node for the thread's tags, of a method's that is not one of tags or below one: itself, if its path says so. May be that of a
 * fold; 0, and it is not the root's: there is none. */
static bool find_tagged(struct thread_context *context, uint32_t own, uint32_t *node)
{
	const struct call_tree *tree = &context->tree;
	uint32_t set = context->tags, label;

	*node = own;
	if (tags_of(tree, tagged_by(tree, own)) == set)
		return true;
	label = node_label(label_method(tree_at(tree, own)->method), LABEL_TAGS, set);
	/* Rather no tags than those of before. */
	if (!label) {
		go_to(context, own);
		return false;
	}
	go_below(context, own, label);
	*node = context->current;
	/* Whoever samples the thread from outside may say that it was there. */
	tree_refer(&context->tree, *node);
	return tree_at(tree, *node)->method == label;
}

/* Where it may be remembered for the thread's tags; NULL: no memory. */
static struct tag_found *found_at(struct thread_context *context, uint32_t own)
{
	size_t bytes = TAG_FOUND * sizeof(*context->tag_found);

	if (!context->tag_found && memory_take(context->tree.budget, bytes, MEMORY_FORCED)) {
		context->tag_found = calloc(1, bytes);
		if (!context->tag_found)
			memory_give(context->tree.budget, bytes);
	}
	return context->tag_found ? &context->tag_found[(own + context->tags) % TAG_FOUND]
				  : NULL;
}

/* The innermost frame gets the thread's tags. False: it cannot have labels. */
static bool tag_frame(struct thread_context *context)
{
	const struct call_tree *tree = &context->tree;
	struct shadow_frame *top = context->stack.top;
	struct tag_found *found;
	uint32_t own, node;

	/* The root's label may have been folded, the root itself never is. */
	if (context_at_root(context))
		top->node = TREE_ROOT;
	if (context->stack.overflow > 0 || !has_labels(context, top->method))
		return false;
	own = above(tree, top->node, LABEL_TAGS);
	found = found_at(context, own);
	if (found && found->own == own && found->set == context->tags &&
		found->moves == tree->moves + 1) {
		node = found->node;
	} else {
		uint32_t moves = tree->moves;

		if (!find_tagged(context, own, &node) || moves != tree->moves)
			node = context->stack.top->node;
		else if (found)
			*found = (struct tag_found){own, context->tags, node, moves + 1};
	}
	go_to(context, node);
	note_label(context);
	return true;
}

/* Calls that have ended give their keys back the values of before. */
static void end_calls(struct thread_context *context)
{
	struct tag_calls *calls = context->tag_calls;
	size_t depth = shadow_depth(&context->stack) - 1;

	while (calls && calls->count > 0 && calls->call[calls->count - 1].depth > depth) {
		const struct tag_call *call = &calls->call[--calls->count];

		context->tags = call->before ? tag_set_with(context->tags, call->before)
					     : tag_set_without(context->tags, call->key);
	}
}

RARE void context_come_back_rare(struct thread_context *context)
{
	struct shadow_stack *stack = &context->stack;
	const struct call_tree *tree = &context->tree;
	uint32_t by;

	end_calls(context);
	by = tagged_by(tree, stack->top->node);
	/* Those below a flat node may have a path. */
	if (tags_of(tree, by) != context->tags ||
		tree_at(tree, stack->top->node)->children & TREE_FLAT) {
		tag_frame(context);
		stack->untagged = stack->top;
		return;
	}
	/* So have all frames that are below the same node. */
	stack->untagged = stack->top;
	while (stack->untagged > shadow_base(stack) && stack->untagged[-1].node >= by)
		stack->untagged--;
	/* One that ends a call's tag has to be looked at. */
	if (context->tag_calls && context->tag_calls->count > 0) {
		const struct tag_calls *calls = context->tag_calls;
		struct shadow_frame *frame =
			shadow_base(stack) + calls->call[calls->count - 1].depth;

		if (stack->untagged < frame)
			stack->untagged = frame;
	}
}

void context_tags(struct thread_context *context, uint32_t set)
{
	if (set == context->tags)
		return;
	if (!atomic_load_explicit(&context->outside, memory_order_relaxed))
		context_settle(context);
	context->tags = set;
	context->stack.untagged = context->stack.top;
	if (!tag_frame(context))
		count_one(&context->trace->lost_labels);
}

static size_t tag_calls_bytes(uint32_t room)
{
	return sizeof(struct tag_calls) + room * sizeof(struct tag_call);
}

/* With room for one more call; NULL: no memory, or there are TAG_CALLS. */
static struct tag_calls *tag_calls_room(struct thread_context *context)
{
	struct memory_budget *budget = context->tree.budget;
	struct tag_calls *calls = context->tag_calls, *grown;
	uint32_t before = calls ? calls->room : 0, room = before ? 2 * before : TAG_CALLS_FIRST;
	size_t more = tag_calls_bytes(room) - (before ? tag_calls_bytes(before) : 0);

	if (calls && calls->count < before)
		return calls;
	if (before == TAG_CALLS || !memory_take(budget, more, MEMORY_FORCED))
		return NULL;
	grown = realloc(calls, tag_calls_bytes(room));
	if (!grown) {
		memory_give(budget, more);
		return NULL;
	}
	grown->room = room;
	if (!calls)
		grown->count = 0;
	context->tag_calls = grown;
	return grown;
}

void tag_found_destroy(struct thread_context *context)
{
	if (context->tag_found)
		memory_give(context->tree.budget, TAG_FOUND * sizeof(*context->tag_found));
	free(context->tag_found);
	context->tag_found = NULL;
}

void tag_calls_destroy(struct tag_calls *calls, struct memory_budget *budget)
{
	if (calls)
		memory_give(budget, tag_calls_bytes(calls->room));
	free(calls);
}

/* Why it has no room. */
static void count_no_room(struct thread_context *context)
{
	const struct tag_calls *calls = context->tag_calls;

	count_one(calls && calls->count == TAG_CALLS ? &context->trace->deep_tags
						     : &context->trace->lost_labels);
}

bool context_tag_call(struct thread_context *context, uint32_t value)
{
	struct tag_calls *calls;
	uint32_t key;

	if (!value || context_at_root(context))
		return false;
	calls = tag_calls_room(context);
	if (!calls)
		count_no_room(context);
	else if (context->stack.overflow > 0)
		count_one(&context->trace->lost_labels);
	if (!calls || context->stack.overflow > 0)
		return false;
	key = value_get(value).parameter;
	calls->call[calls->count++] =
		(struct tag_call){(uint32_t)shadow_depth(&context->stack) - 1, key,
			tag_set_value(context->tags, key)};
	context->stack.untagged = context->stack.top;
	context_tags(context, tag_set_with(context->tags, value));
	return true;
}

/* ---- paths of stacks ---- */

/* The values among a frame's labels, outermost first. Returns how many; at most `room`. */
static uint32_t copy_values(
	const struct call_tree *tree, uint32_t node, uint32_t *path, uint32_t room)
{
	uint32_t label = tree_at(tree, node)->method, count;

	if (!is_label(label))
		return 0;
	count = copy_values(tree, tree_at(tree, node)->parent, path, room);
	if (count < room && node_label_of(label).kind == LABEL_VALUE)
		path[count++] = label;
	return count;
}

uint32_t context_path_values(const struct thread_context *context, const uint32_t *method,
	uint32_t count, uint32_t *path, uint32_t room)
{
	/* Behind that of the root. Timed calls are all on the stack, in this order. */
	const struct shadow_frame *frame = shadow_base(&context->stack) + 1;
	uint32_t copied = 0;

	for (uint32_t i = 0; i < count && copied < room; i++) {
		path[copied++] = method[i];
		if (frame > context->stack.top || frame->method != method[i])
			continue;
		/* There is room for all methods that are left. */
		copied += copy_values(&context->tree, frame->node, path + copied,
			room - copied - (count - i - 1));
		frame++;
	}
	return copied;
}

/* ---- virtual threads: frames on their way to another lane ---- */

static size_t copy_labels(const struct thread_context *context, uint32_t node, uint32_t third,
	struct shadow_frame *frame)
{
	const struct tree_node *label = tree_at(&context->tree, node);
	size_t count;

	if (!is_label(label->method))
		return 0;
	count = copy_labels(context, label->parent, third, frame);
	if (frame)
		frame[count] = (struct shadow_frame){node, label->method, third};
	return count + 1;
}

size_t context_copy_frames(const struct thread_context *context, struct shadow_frame *frame)
{
	const struct shadow_stack *stack = &context->stack;
	size_t frames = shadow_depth(stack) - (stack->overflow > 0), count = 0;

	for (size_t i = 0; i < frames; i++) {
		const struct shadow_frame *from = shadow_base(stack) + i;

		if (i > 0 && frame)
			frame[count] = *from;
		count += i > 0;
		count += copy_labels(
			context, from->node, from->third, frame ? frame + count : NULL);
	}
	return count;
}

void context_put_label(struct thread_context *context, const struct shadow_frame *frame)
{
	if (context->stack.overflow == 0 && has_labels(context, label_method(frame->method)))
		go_below(context, context->stack.top->node, frame->method);
	else
		count_one(&context->trace->lost_labels);
}

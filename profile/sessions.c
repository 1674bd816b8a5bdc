/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * sessions: the sessions that shared a recording, and what one of them did not want, which is taken out as its profile is read.
 *
 * Nodes of methods that it does not want, or wants counted alone, become a part of their callers, as do labels; so a sum of bases is what it
 * was. What is outside of its scope, and threads, traces, conditions and metrics that it does not want, are gone.
 *
 * Of the others' methods that samples are below of, a frame stays that samples alone have found:
 *
 *       A  calls 5, base 9  <--  B  calls 3, base 1    (B is not wanted)
 *                                  <--  C  sampled  2
 *   is
 *       A  calls 5, base 10 <--  B  sampled
 *                                  <--  C  sampled  2
 */
#include <stdlib.h>
#include <string.h>

#include "profile/parting.h"

/* What the session wants, by what the file has. */
struct session_view {
	const struct profile_session *session;
	uint32_t bit; /* 1 << bit */
	/* Sampled nodes are frames, of what is told with a stack; I/O, too. If not they are their anchor's. */
	bool frames, walks;
	uint32_t *unwanted; /* ids of threads, rising */
	size_t unwanted_count;
	/* Sets of tags, rising, and the set that has of each what the session wants: the first of those that are alike. */
	struct set_now {
		uint32_t set, now;
	} * set;
	size_t sets;
};

/* ---- which there are ---- */

static int check_session(struct reader *reader, void *record, size_t i)
{
	const struct profile_session *session = record;

	if (session->bit < PROFILE_SESSIONS_MAX)
		return 0;
	return read_damaged(reader->source, "session %u has an impossible bit", session->id);
}

int sessions_read(struct reader *reader)
{
	static const struct reader_list list = READER_LIST(TABLE_SESSION, sharer,
		.key = "session id", .least = 1, .most = UINT32_MAX, .check = check_session);
	struct profile *profile = reader->profile;
	uint64_t id = profile_meta_number(profile, "session");
	size_t place;
	int status = reader_read(reader, &list);

	if (status < 0 || !profile_meta_get(profile, "session"))
		return status;
	place = id <= UINT32_MAX ? PLACE_OF(profile, sharer, KEY_U32, (uint32_t)id) : ROWS_NONE;
	if (place == ROWS_NONE)
		return read_damaged(reader->source, "its session is missing");
	profile->session = &profile->sharer[place];
	return 0;
}

/* ---- threads ---- */

static int compare_ids(const void *left, const void *right)
{
	const uint32_t *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

static bool is_unwanted(const struct session_view *view, uint32_t thread)
{
	return view->unwanted_count > 0 &&
	       bsearch(&thread, view->unwanted, view->unwanted_count, sizeof thread,
		       compare_ids);
}

/* Of a thread that was folded it is the row's that has its counts. */
static bool is_unwanted_now(const struct owned_profile *owned, uint32_t thread)
{
	const struct profile_forward *forward;

	for (int i = 0; i < PROFILE_FORWARDS_MAX; i++) {
		forward = profile_forward_find(&owned->profile, thread, 0);
		if (!forward)
			break;
		thread = forward->to_thread;
	}
	return is_unwanted(owned->view, thread);
}

static int find_threads(struct owned_profile *owned, struct session_view *view)
{
	const struct profile *profile = &owned->profile;

	view->unwanted =
		store_room(&owned->store, profile->thread_count + 1, sizeof *view->unwanted);
	if (!view->unwanted)
		return -1;
	for (size_t t = 0; t < profile->thread_count; t++)
		if (!(profile->thread[t].wanted & view->bit))
			view->unwanted[view->unwanted_count++] = profile->thread[t].id;
	return 0;
}

/* ---- values and tags ---- */

/* The key of a tag that is the session's scope is wanted, too. */
static bool is_wanted_parameter(
	const struct session_view *view, const struct profile_parameter *parameter)
{
	const char *tag = view->session->tag;
	size_t length = strlen(parameter->name);

	return (parameter->wanted & view->bit) ||
	       (tag && parameter->is_tag && strncmp(tag, parameter->name, length) == 0 &&
		       tag[length] == '=');
}

static void drop_values(struct profile *profile, const struct session_view *view)
{
	size_t values = 0, parameters = 0;

	for (size_t i = 0; i < profile->value_count; i++) {
		size_t place =
			PLACE_OF(profile, parameter, KEY_U32, profile->value[i].parameter);

		if (is_wanted_parameter(view, &profile->parameter[place]))
			profile->value[values++] = profile->value[i];
	}
	for (size_t i = 0; i < profile->parameter_count; i++)
		if (is_wanted_parameter(view, &profile->parameter[i]))
			profile->parameter[parameters++] = profile->parameter[i];
	profile->value_count = values;
	profile->parameter_count = parameters;
}

static bool has_value(const struct profile *profile, uint32_t value)
{
	return PLACE_OF(profile, value, KEY_U32, value) != ROWS_NONE;
}

/* Rows of a set from first on that are of values which there are still, as a number: of equal ones the same. 0: none is; UINT32_MAX without
 * memory. next: the row behind the set. */
static uint32_t number_set(
	const struct profile *profile, struct pairs *known, size_t first, size_t *next)
{
	uint32_t number = 0, set = profile->tag[first].set;

	for (*next = first; *next < profile->tag_count && profile->tag[*next].set == set;
		++*next) {
		if (!has_value(profile, profile->tag[*next].value))
			continue;
		number = pairs_take(known, number, profile->tag[*next].value);
		if (number == 0)
			return UINT32_MAX;
	}
	return number;
}

/* Sets become what is left of them; those that are equal then the first of them, and those without anything the empty one. */
static int drop_tags(struct owned_profile *owned, struct session_view *view)
{
	struct profile *profile = &owned->profile;
	struct pairs known = {0};
	/* By the number of what is left: the first set. */
	uint32_t *first = store_room(&owned->store, profile->tag_count + 2, sizeof *first);
	size_t kept = 0, next;
	int status = 0;

	view->set = store_room(&owned->store, profile->tag_count + 1, sizeof *view->set);
	if (!first || !view->set)
		return -1;
	first[0] = 1;
	for (size_t i = 0; i < profile->tag_count && status == 0; i = next) {
		uint32_t set = profile->tag[i].set;
		uint32_t number = number_set(profile, &known, i, &next);
		bool is_new = number != UINT32_MAX && first[number] == 0;

		status = number == UINT32_MAX ? -1 : 0;
		if (is_new)
			first[number] = set;
		view->set[view->sets++] = (struct set_now){set, status ? 1 : first[number]};
		for (size_t k = i; k < next && is_new; k++)
			if (has_value(profile, profile->tag[k].value))
				profile->tag[kept++] = profile->tag[k];
	}
	pairs_fini(&known);
	profile->tag_count = kept;
	return status;
}

static uint32_t set_now(const struct session_view *view, uint32_t set)
{
	size_t place = rows_find(view->set, view->sets, sizeof *view->set, KEY_U32, set);

	return place == ROWS_NONE ? set : view->set[place].now;
}

/* ---- the view ---- */

/* Traces whose rows have stacks. */
#define STACK_TRACES                                                                           \
	(1u << TRACE_OBJECTS | 1u << TRACE_LOCKS | 1u << TRACE_GC | 1u << TRACE_EXCEPTIONS |   \
		1u << TRACE_CLASSES | 1u << TRACE_THREADS)

static struct session_view *make_view(struct owned_profile *owned)
{
	struct session_view *view = store_room(&owned->store, 1, sizeof *view);
	const struct profile_session *session = owned->profile.session;

	if (!view)
		return NULL;
	view->session = session;
	view->bit = 1u << session->bit;
	view->walks = session->conditions != 0;
	view->frames = view->walks || (session->traces & STACK_TRACES);
	if (find_threads(owned, view) != 0)
		return NULL;
	drop_values(&owned->profile, view);
	return drop_tags(owned, view) == 0 ? view : NULL;
}

static bool opens_scope(const struct session_view *view, const struct profile_method *method)
{
	return view->session->scoped && (method->scope & view->bit);
}

/* Its calls have nodes of their own. */
static bool is_timed(const struct session_view *view, const struct profile_method *method)
{
	return opens_scope(view, method) ||
	       ((method->wanted & view->bit) && !(method->counted & view->bit));
}

/* Takes out labels that are not wanted. in_force: the tags of the path above, and then below. */
static void keep_labels(
	const struct owned_profile *owned, struct profile_node *node, uint32_t *in_force)
{
	const struct session_view *view = owned->view;
	uint32_t tags = node->tags ? set_now(view, node->tags) : 0;

	if (!view->session->lines)
		node->line = 0;
	if (node->value > 0 && !has_value(&owned->profile, node->value))
		node->value = 0;
	node->tags = tags != *in_force ? tags : 0;
	*in_force = tags ? tags : *in_force;
}

/* ---- paths ---- */

struct path_state sessions_root(const struct owned_profile *owned, uint32_t thread)
{
	const struct session_view *view = owned->view;

	return (struct path_state){1, !view->session->scoped && !is_unwanted(view, thread)};
}

bool sessions_step(const struct owned_profile *owned, struct path_state *state, uint32_t thread,
	struct profile_node *step)
{
	const struct session_view *view = owned->view;
	const struct profile_method *method = &owned->profile.method[step->method];

	keep_labels(owned, step, &state->tags);
	if (step->sampled)
		return state->inside && view->frames;
	state->inside |= opens_scope(view, method) && !is_unwanted(view, thread);
	return state->inside && is_timed(view, method);
}

bool sessions_count_calls(const struct owned_profile *owned, uint32_t method)
{
	const struct profile_method *of = &owned->profile.method[method];

	return (of->wanted & owned->view->bit) || opens_scope(owned->view, of);
}

bool sessions_is_outside(const struct owned_profile *owned, uint32_t thread)
{
	return owned->view->session->scoped || is_unwanted_now(owned, thread);
}

/* ---- nodes ---- */

struct projection {
	struct owned_profile *owned;
	const struct session_view *view;
	struct path_state *state; /* by node as it was */
	uint32_t *
		exact; /* by node as it was: the one that has its counts, which calls have found */
	bool *frames; /* by node as it was: something with a stack is at it, or at frames below it */
	/* Calls that were counted, by (root, method): what pairs_take gives, - 1. */
	struct pairs counted;
	uint64_t *calls;
	size_t room;
};

static bool has_frame(const struct session_view *view, enum account_kind kind)
{
	return kind < IO_ACCOUNTS ? view->walks : view->frames;
}

static bool is_timed_node(const struct projection *projection, const struct profile_node *node)
{
	return is_timed(projection->view, &projection->owned->profile.method[node->method]);
}

/* From the leaves up. Nodes that stay have what is below them. */
static void find_frames(struct projection *projection)
{
	const struct profile *profile = &projection->owned->profile;
	bool *frames = projection->frames;

	for (size_t i = 0; i < profile->account_count; i++)
		frames[profile->account[i].node] |=
			has_frame(projection->view, profile->account[i].kind);
	for (size_t i = profile->node_count; i-- > 0;) {
		const struct profile_node *node = &profile->node[i];

		if (node->sampled || !is_timed_node(projection, node))
			frames[node->parent] |= frames[i];
	}
}

static int count_calls(
	struct projection *projection, uint32_t root, uint32_t method, uint64_t calls)
{
	uint32_t number = pairs_take(&projection->counted, root, method);

	if (number == 0)
		return -1;
	if (number > projection->room) {
		size_t room = 2 * projection->room + 64;
		uint64_t *more = reallocarray(projection->calls, room, sizeof *more);

		if (!more)
			return -1;
		memset(more + projection->room, 0, (room - projection->room) * sizeof *more);
		projection->calls = more;
		projection->room = room;
	}
	projection->calls[number - 1] += calls;
	return 0;
}

/* The name of its path's last step. */
static uint32_t step_name(const struct parting *parting, const struct profile_node *node)
{
	bool apart = parting->apart && node->sampled;

	return path_method(node) | (apart ? SAMPLED_METHOD : 0);
}

/* A caller that flat nodes are below of: what becomes a part of them is its caller's. */
static uint32_t above_fold(const struct profile *profile, uint32_t place)
{
	return profile->node[place].method == METHOD_FOLDED ? profile->node[place].parent
							    : place;
}

/* Whether calls there are in the session's scope, if that is of a tag. */
static bool is_tagged(const struct projection *projection, uint32_t tags)
{
	const char *tag = projection->view->session->tag;

	return !tag || labels_have_tag(&projection->owned->profile, tags, tag);
}

/* Tags that came while another one's method ran are its caller's: what was done under them has no frames in between. */
static int put_tags(struct parting *parting, size_t i, struct profile_node *node, uint32_t to)
{
	struct projection *projection = parting->user;
	const struct profile *profile = parting->profile;
	int status;

	/* Of a call values stand first, then tags, then a line. */
	while (profile->node[to].tags > 0 || profile->node[to].line > 0)
		to = profile->node[to].parent;
	node->method = profile->node[to].method;
	node->recursion = profile->node[to].recursion + 1;
	status = parting_put(parting, i, node, to, step_name(parting, node));
	projection->exact[i] = parting->place[i];
	return status;
}

/* Its method is another one's: it is a part of its caller, but for a frame where there are stacks. */
static int part_unwanted(
	struct parting *parting, size_t i, struct profile_node *node, bool was_label)
{
	struct projection *projection = parting->user;
	struct profile *profile = parting->profile;
	const struct profile_method *method = &profile->method[node->method];
	uint32_t caller = node->parent;
	uint32_t to = above_fold(profile, projection->exact[caller]);
	uint32_t frame = above_fold(profile, parting->place[caller]);
	bool counted = method->wanted & method->counted & projection->view->bit;

	if (was_label && node->tags > 0)
		return put_tags(parting, i, node, to);
	parting_add(profile, &profile->node[to], node);
	projection->exact[i] = to;
	parting->place[i] = frame;
	if (was_label)
		return 0;
	if (node->calls > 0 && counted && is_tagged(projection, projection->state[i].tags) &&
		count_calls(projection, (uint32_t)parting->first, node->method, node->calls) !=
			0)
		return -1;
	if (!projection->frames[i])
		return 0;
	labels_empty_node(profile, node);
	node->earlier = 0;
	node->sampled = true;
	return parting_put(parting, i, node, frame, step_name(parting, node));
}

/* The first node inside of a scope is called by the root; tags that are in force there are the root's. */
static int enter_scope(struct parting *parting, size_t i, uint32_t tags)
{
	struct projection *projection = parting->user;
	struct profile *profile = parting->profile;
	struct profile_node root = profile->node[parting->first];
	uint64_t *base = store_room(
		&projection->owned->store, 2 * profile->metric_count + 1, sizeof *base);

	parting->place[i] = (uint32_t)parting->first;
	if (tags == 1)
		return 0;
	if (!base)
		return -1;
	root.tags = tags;
	root.base = base;
	root.spent = base + profile->metric_count;
	labels_empty_node(profile, &root);
	root.earlier = 0;
	return parting_put(
		parting, i, &root, (uint32_t)parting->first, step_name(parting, &root));
}

/* A label that is no more; in a fold it is the method itself. Those of a root are the root's. */
static bool is_part_of(
	const struct parting *parting, const struct profile_node *node, uint32_t to)
{
	return node->method == METHOD_ROOT || parting->profile->node[to].method == node->method;
}

/* What samples alone have found. */
static int part_sampled(
	struct parting *parting, size_t i, struct profile_node *node, bool stays)
{
	struct projection *projection = parting->user;
	uint32_t to = parting->place[node->parent];

	projection->exact[i] = above_fold(parting->profile, projection->exact[node->parent]);
	parting->place[i] = projection->view->frames ? to : projection->exact[i];
	return stays ? parting_put(parting, i, node, to, step_name(parting, node)) : 0;
}

static int part_wanted(struct parting *parting, size_t i, struct profile_node *node, bool stays)
{
	struct projection *projection = parting->user;
	struct profile *profile = parting->profile;
	uint32_t to = node->method == METHOD_ROOT ? (uint32_t)parting->first
						  : projection->exact[node->parent];
	int status = 0;

	if (stays)
		status = parting_put(parting, i, node, to, step_name(parting, node));
	else
		parting_add(profile, &profile->node[to], node);
	if (!stays)
		parting->place[i] = to;
	projection->exact[i] = parting->place[i];
	return status;
}

static int part_root(struct parting *parting, size_t i, struct profile_node *node)
{
	struct projection *projection = parting->user;
	uint32_t thread = parting->profile->thread[node->thread].id;

	projection->state[i] = sessions_root(projection->owned, thread);
	if (!projection->state[i].inside)
		labels_empty_node(parting->profile, node);
	node->line = node->value = node->tags = 0;
	if (parting_put(parting, i, node, (uint32_t)parting->kept, METHOD_ROOT) != 0)
		return -1;
	projection->exact[i] = parting->place[i];
	return 0;
}

/* Where what is called from there hangs. */
static uint32_t caller_of(const struct parting *parting, const struct profile_node *node)
{
	const struct projection *projection = parting->user;

	return node->sampled ? parting->place[node->parent] : projection->exact[node->parent];
}

static int part_session(struct parting *parting, size_t i)
{
	struct projection *projection = parting->user;
	struct profile *profile = parting->profile;
	struct profile_node node = profile->node[i];
	struct path_state *state = &projection->state[i], caller;
	bool was_label = node_is_label(&node), stays;

	if (node.parent == i)
		return part_root(parting, i, &node);
	*state = caller = projection->state[node.parent];
	stays = sessions_step(projection->owned, state, profile->thread[node.thread].id, &node);
	if (!state->inside) {
		parting->place[i] = projection->exact[i] = (uint32_t)parting->first;
		return 0;
	}
	if (!caller.inside) {
		if (enter_scope(parting, i, caller.tags) != 0)
			return -1;
		/* Nothing else is looked at of its caller. */
		node.parent = (uint32_t)i;
		projection->exact[i] = parting->place[i];
	}
	if (!stays && !node.sampled)
		return part_unwanted(parting, i, &node, was_label);
	if (was_label && !node_is_label(&node))
		stays &= !is_part_of(parting, &node, caller_of(parting, &node));
	return (node.sampled ? part_sampled : part_wanted)(parting, i, &node, stays);
}

/* ---- accounts ---- */

/* True if the session wants what is told by it. */
static bool is_wanted_account(
	const struct projection *projection, const struct profile_account *account)
{
	const struct profile *profile = &projection->owned->profile;
	const struct profile_session *session = projection->view->session;
	enum trace_kind trace = account_kind_trace(account->kind);
	const struct profile_node *node = &profile->node[account->node];

	if (is_unwanted(projection->view, profile->thread[node->thread].id))
		return false;
	switch (account->kind) {
	case SAMPLES:
		return session->conditions >> sample_place_condition(account->subject) & 1;
	case CALLS:
		return profile->method[account->subject].wanted & projection->view->bit;
	case VALUE_ROWS:
		return has_value(profile, (uint32_t)account->subject);
	default:
		return trace == TRACE_KINDS
			       ? account->kind >= IO_ACCOUNTS || !session->without_io
			       : session->traces >> trace & 1;
	}
}

static void drop_accounts(struct projection *projection)
{
	struct profile *profile = &projection->owned->profile;
	size_t kept = 0;

	for (size_t i = 0; i < profile->account_count; i++)
		if (is_wanted_account(projection, &profile->account[i]))
			profile->account[kept++] = profile->account[i];
	profile->account_count = kept;
}

/* Those of nodes go where these are; calls that were counted are put together with those that are counted now. Of a scope it is not
 * known which of them were inside. */
static int follow_accounts(struct projection *projection, const uint32_t *place)
{
	struct profile *profile = &projection->owned->profile;
	size_t kept = 0;

	for (size_t i = 0; i < profile->account_count; i++) {
		struct profile_account account = profile->account[i];
		uint32_t at = account.node;

		if (!projection->state[at].inside ||
			(account.kind == CALLS && projection->view->session->tag))
			continue;
		account.node = has_frame(projection->view, account.kind)
				       ? place[at]
				       : projection->exact[at];
		if (account.kind != CALLS)
			profile->account[kept++] = account;
		else if (count_calls(projection, account.node, (uint32_t)account.subject,
				 account.count) != 0)
			return -1;
	}
	profile->account_count = kept;
	return 0;
}

static int put_calls(struct projection *projection)
{
	struct owned_profile *owned = projection->owned;
	struct profile *profile = &owned->profile;
	size_t count = profile->account_count, more = projection->counted.count;
	struct profile_account *account =
		store_room(&owned->store, count + more + 1, sizeof *account);

	if (!account)
		return -1;
	if (count > 0)
		memcpy(account, profile->account, count * sizeof *account);
	for (size_t i = 0; i < more; i++) {
		uint64_t key = projection->counted.key[i];

		account[count + i] =
			(struct profile_account){.id = ACCOUNT_OF_METHOD + (uint32_t)key,
				.node = (uint32_t)(key >> 32),
				.subject = (uint32_t)key,
				.kind = CALLS,
				.count = projection->calls[i]};
	}
	profile->account = account;
	profile->account_count = count + more;
	return 0;
}

/* ---- what has no nodes ---- */

static void drop_watched(struct profile *profile, const struct session_view *view)
{
	size_t rows = 0, calls = 0;

	for (size_t i = 0; i < profile->distribution_count; i++) {
		const struct profile_distribution *row = &profile->distribution[i];

		if ((profile->method[row->method].watched & view->bit) &&
			!is_unwanted(view, row->thread))
			profile->distribution[rows++] = *row;
	}
	for (size_t i = 0; i < profile->slow_call_count; i++) {
		const struct profile_slow_call *call = &profile->slow_call[i];

		if ((profile->method[call->method].watched & view->bit) &&
			!is_unwanted(view, call->thread))
			profile->slow_call[calls++] = *call;
	}
	/* Whether a call was inside is not known of each. */
	if (!view->session->watches || view->session->scoped || view->session->tag)
		rows = calls = 0;
	profile->distribution_count = rows;
	profile->slow_call_count = calls;
}

/* In its tree others' methods are their callers', too. place: room for as many as it has nodes. */
static int part_slow_call(struct profile *profile, const struct session_view *view,
	struct profile_slow_call *call, uint32_t *place)
{
	struct pairs paths = {0};
	size_t kept = 0;
	uint32_t number;
	int status = 0;

	for (size_t n = 0; n < call->nodes && status == 0; n++) {
		struct small_node node = call->tree[n], *to;
		uint32_t parent = n > 0 ? place[node.parent] : 0;
		bool stays = n == 0 || is_timed(view, &profile->method[node.method]);

		number = stays ? pairs_take(&paths, parent, n > 0 ? node.method : 0)
			       : parent + 1;
		status = number == 0 ? -1 : 0;
		if (status != 0)
			break;
		place[n] = number - 1;
		to = &call->tree[place[n]];
		if (place[n] == kept) {
			*to = node;
			to->parent = parent;
			kept++;
			continue;
		}
		to->calls += stays ? node.calls : 0;
		to->base += node.base;
		to->own += node.own;
	}
	pairs_fini(&paths);
	call->nodes = kept;
	return status;
}

static int part_slow_calls(struct owned_profile *owned)
{
	struct profile *profile = &owned->profile;
	size_t most = 0;
	uint32_t *place;
	int status = 0;

	for (size_t i = 0; i < profile->slow_call_count; i++)
		most = profile->slow_call[i].nodes > most ? profile->slow_call[i].nodes : most;
	place = store_room(&owned->store, most + 1, sizeof *place);
	for (size_t i = 0; place && i < profile->slow_call_count && status == 0; i++)
		status = part_slow_call(profile, owned->view, &profile->slow_call[i], place);
	return place ? status : -1;
}

static void drop_slice_use(struct profile *profile, const struct session_view *view)
{
	size_t kept = 0;

	for (size_t i = 0; i < profile->slice_use_count; i++)
		if (!is_unwanted(view, profile->slice_use[i].thread))
			profile->slice_use[kept++] = profile->slice_use[i];
	/* Nor what threads did there in each slice. */
	profile->slice_use_count = view->session->scoped ? 0 : kept;
}

/* Who waits is wanted: false if not; who holds is told if it is. */
static bool keep_wait(const struct session_view *view, uint32_t thread, uint64_t *holder,
	uint32_t *holder_thread)
{
	if (is_unwanted(view, *holder_thread))
		*holder = *holder_thread = 0;
	return !is_unwanted(view, thread);
}

static void drop_waits(const struct session_view *view, struct profile_wait *row, size_t *count)
{
	size_t kept = 0;

	for (size_t i = 0; i < *count; i++)
		if (keep_wait(view, row[i].thread, &row[i].holder, &row[i].holder_thread))
			row[kept++] = row[i];
	*count = kept;
}

static void drop_contention(struct profile *profile, const struct session_view *view)
{
	struct profile_contention *row = profile->contention;
	size_t kept = 0;

	for (size_t i = 0; i < profile->contention_count; i++)
		if (keep_wait(view, row[i].thread, &row[i].holder, &row[i].holder_thread))
			row[kept++] = row[i];
	profile->contention_count = kept;
	drop_waits(view, profile->long_wait, &profile->long_wait_count);
	drop_waits(view, profile->unfinished_wait, &profile->unfinished_wait_count);
	if (!(view->session->traces >> TRACE_LOCKS & 1))
		profile->lock_count = profile->contention_count = profile->long_wait_count =
			profile->unfinished_wait_count = 0;
}

void sessions_drop_event_threads(struct owned_profile *owned)
{
	struct profile *profile = &owned->profile;
	size_t kept = 0;

	for (size_t i = 0; i < profile->event_thread_count; i++)
		if (!owned->view || !is_unwanted_now(owned, profile->event_thread[i].row))
			profile->event_thread[kept++] = profile->event_thread[i];
	profile->event_thread_count = kept;
}

/* Those of the session's traces, while it was there. */
static void cut_periods(struct profile *profile, const struct profile_session *session)
{
	size_t kept = 0;

	for (size_t i = 0; i < profile->trace_period_count; i++) {
		struct profile_trace_period period = profile->trace_period[i];
		bool goes_on = period.ended == PROFILE_NOT_KNOWN;

		if (!(session->traces >> period.trace & 1) ||
			(!goes_on && period.ended <= (int64_t)session->began) ||
			(session->ended != PROFILE_NOT_KNOWN &&
				(int64_t)period.began >= session->ended))
			continue;
		if (period.began < session->began)
			period.began = session->began;
		if (session->ended != PROFILE_NOT_KNOWN &&
			(goes_on || period.ended > session->ended))
			period.ended = session->ended;
		profile->trace_period[kept++] = period;
	}
	profile->trace_period_count = kept;
}

/* ---- the whole ---- */

static int part_nodes(struct projection *projection)
{
	struct owned_profile *owned = projection->owned;
	size_t nodes = owned->profile.node_count + 1;
	struct parting parting = {.user = projection};

	projection->state = store_room(&owned->store, nodes, sizeof *projection->state);
	projection->exact = store_room(&owned->store, nodes, sizeof *projection->exact);
	projection->frames = store_room(&owned->store, nodes, sizeof *projection->frames);
	if (owned->store.failed)
		return -1;
	drop_accounts(projection);
	if (projection->view->session->scoped || projection->view->session->tag)
		labels_note_counting(&owned->profile);
	find_frames(projection);
	if (parting_all(&parting, owned, part_session) != 0 ||
		follow_accounts(projection, parting.place) != 0)
		return -1;
	return put_calls(projection);
}

int sessions_see(struct owned_profile *owned)
{
	if (!owned->profile.session)
		return 0;
	owned->view = make_view(owned);
	return owned->view ? 0 : -1;
}

int sessions_part(struct owned_profile *owned)
{
	struct profile *profile = &owned->profile;
	struct projection projection = {.owned = owned, .view = owned->view};
	int status;

	if (!owned->view)
		return 0;
	drop_watched(profile, owned->view);
	drop_slice_use(profile, owned->view);
	drop_contention(profile, owned->view);
	if (profile->session->without_io)
		profile->file_count = 0;
	cut_periods(profile, profile->session);
	status = part_slow_calls(owned);
	if (status == 0)
		status = part_nodes(&projection);
	free(projection.calls);
	pairs_fini(&projection.counted);
	if (status != 0)
		return -1;
	for (size_t t = 0; t < profile->thread_count; t++)
		if (profile->session->scoped || is_unwanted(owned->view, profile->thread[t].id))
			profile_sum_thread(profile, t);
	paths_count_recursion(profile, profile->session->scoped);
	return interval_drop_unused(profile);
}

/* ---- metrics and conditions ---- */

/* Bits as places: which of `count` stay, and where. UINT32_MAX: it goes. How many stay. */
static unsigned number_bits(uint32_t bits, unsigned count, uint32_t *place)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < count; i++)
		place[i] = bits >> i & 1 ? kept++ : UINT32_MAX;
	return kept;
}

static void keep_values(uint64_t *value, const uint32_t *place, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		if (place[i] != UINT32_MAX)
			value[place[i]] = value[i];
}

/* Two arrays, one behind the other, of `count` each. */
static void keep_two(uint64_t *value, const uint32_t *place, unsigned count, unsigned kept)
{
	keep_values(value, place, count);
	for (unsigned i = 0; i < count; i++)
		if (place[i] != UINT32_MAX)
			value[kept + place[i]] = value[count + i];
}

static void keep_node_metrics(struct profile *profile, const uint32_t *place, unsigned kept)
{
	unsigned metrics = profile->metric_count;

	for (size_t i = 0; i < profile->node_count; i++) {
		struct profile_node *node = &profile->node[i];

		keep_two((uint64_t *)(uintptr_t)node->base, place, metrics, kept);
		node->spent = node->base + kept;
	}
	for (unsigned m = 0; m < metrics; m++) {
		if (place[m] == UINT32_MAX)
			continue;
		profile->metric[place[m]] = profile->metric[m];
		profile->metric[place[m]].id = place[m];
	}
	profile->metric_count = kept;
}

static void keep_figures(struct profile *profile, const uint32_t *place)
{
	size_t rows = 0;

	for (size_t i = 0; i < profile->distribution_count; i++) {
		struct profile_distribution row = profile->distribution[i];

		int metric = (int)row.figure - CALL_PROCESS;

		if (metric >= 0 && place[metric] == UINT32_MAX)
			continue;
		if (metric >= 0)
			row.figure = (enum call_figure)(CALL_PROCESS + (int)place[metric]);
		profile->distribution[rows++] = row;
	}
	profile->distribution_count = rows;
	for (size_t i = 0; i < profile->slow_call_count; i++)
		keep_values(profile->slow_call[i].process, place, profile->metric_count);
}

static void keep_metrics(struct profile *profile)
{
	uint32_t place[PROFILE_METRIC_MAX];
	unsigned metrics = profile->metric_count;
	unsigned kept = number_bits(profile->session->metrics, metrics, place);

	for (unsigned m = metrics; m < PROFILE_METRIC_MAX; m++)
		place[m] = UINT32_MAX;
	keep_figures(profile, place);
	for (size_t t = 0; t < profile->thread_count; t++)
		keep_values(profile->thread[t].total, place, metrics);
	for (size_t i = 0; i < profile->slice_use_count; i++)
		keep_values(profile->slice_use[i].total, place, metrics);
	for (size_t i = 0; i < profile->sequence_count; i++) {
		struct profile_sequence *sequence = &profile->sequence[i];

		keep_two((uint64_t *)(uintptr_t)sequence->sum, place, metrics, kept);
		sequence->min = sequence->sum + kept;
	}
	if (profile->labelled) {
		keep_node_metrics(profile->labelled, place, kept);
		profile->labelled->distribution_count = profile->distribution_count;
	}
	keep_node_metrics(profile, place, kept);
}

static void keep_sample_places(struct profile *profile, const uint32_t *place)
{
	for (size_t i = 0; i < profile->account_count; i++) {
		struct profile_account *account = &profile->account[i];

		if (account->kind == SAMPLES)
			account->subject =
				sample_place(place[sample_place_condition(account->subject)],
					(enum sample_state)sample_place_state(account->subject),
					(uint32_t)sample_place_line(account->subject));
	}
}

static void keep_conditions(struct profile *profile)
{
	uint32_t place[SAMPLE_CONDITIONS_MAX];
	unsigned count = (unsigned)profile->condition_count;
	unsigned kept = number_bits(profile->session->conditions, count, place);

	for (unsigned c = 0; c < count; c++) {
		if (place[c] == UINT32_MAX)
			continue;
		profile->condition[place[c]] = profile->condition[c];
		profile->condition[place[c]].id = place[c];
	}
	keep_values(profile->counting_samples, place, count);
	for (size_t i = 0; i < profile->slice_use_count; i++)
		keep_values(profile->slice_use[i].samples, place, count);
	keep_sample_places(profile, place);
	profile->condition_count = kept;
	if (!profile->labelled)
		return;
	keep_sample_places(profile->labelled, place);
	keep_values(profile->labelled->counting_samples, place, count);
	profile->labelled->condition_count = kept;
}

void sessions_end(struct owned_profile *owned)
{
	if (!owned->view)
		return;
	keep_metrics(&owned->profile);
	keep_conditions(&owned->profile);
}

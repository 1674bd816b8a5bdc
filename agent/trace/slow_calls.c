/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* slow_calls: see slow_calls.h. */
#include "agent/trace/slow_calls.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct slow_list {
	struct slow_list *next;
	uint32_t method;
	uint32_t first_id;      /* its calls have this id and the ones behind it, by place */
	_Atomic uint64_t least; /* 0 while there is room */
	uint32_t count;
	struct slow_call call[];
};

void slow_calls_init(struct slow_calls *calls, struct memory_budget *budget, uint32_t most)
{
	*calls = (struct slow_calls){.budget = budget, .most = most, .next_id = 1};
	lock_init(&calls->lock, LOCK_SLOW);
}

static size_t list_bytes(const struct slow_calls *calls)
{
	return sizeof(struct slow_list) + calls->most * sizeof(struct slow_call);
}

static size_t tree_bytes_of(uint32_t nodes)
{
	return nodes * sizeof(struct small_node);
}

static void drop_tree(struct slow_calls *calls, struct slow_call *call)
{
	if (call->tree)
		memory_give(calls->budget, tree_bytes_of(call->nodes));
	free(call->tree);
	call->tree = NULL;
	call->nodes = 0;
}

void slow_calls_fini(struct slow_calls *calls)
{
	while (calls->first) {
		struct slow_list *list = calls->first;

		calls->first = list->next;
		for (uint32_t i = 0; i < list->count; i++)
			drop_tree(calls, &list->call[i]);
		memory_give(calls->budget, list_bytes(calls));
		free(list);
	}
	lock_fini(&calls->lock);
}

/* Under the lock. */
static struct slow_list *make_list(struct slow_calls *calls, uint32_t method)
{
	struct slow_list *list;

	if (!memory_take(calls->budget, list_bytes(calls), MEMORY_SMALL))
		return NULL;
	list = calloc(1, list_bytes(calls));
	if (!list) {
		memory_give(calls->budget, list_bytes(calls));
		return NULL;
	}
	list->method = method;
	list->first_id = calls->next_id;
	calls->next_id += calls->most;
	list->next = calls->first;
	calls->first = list;
	return list;
}

struct slow_list *slow_calls_of(struct slow_calls *calls, uint32_t method)
{
	int saved_errno = errno;
	struct slow_list *list;

	if (calls->most == 0)
		return NULL;
	lock_take(&calls->lock);
	for (list = calls->first; list && list->method != method; list = list->next)
		;
	if (!list)
		list = make_list(calls, method);
	lock_give(&calls->lock);
	errno = saved_errno;
	return list;
}

uint64_t slow_list_least(const struct slow_list *list)
{
	return atomic_load_explicit(&list->least, memory_order_relaxed);
}

static uint64_t elapsed_of(const struct slow_call *call)
{
	return call->figure[CALL_ELAPSED];
}

/* Under the lock: where the fastest is. */
static uint32_t fastest(const struct slow_list *list)
{
	uint32_t at = 0;

	for (uint32_t i = 1; i < list->count; i++)
		if (elapsed_of(&list->call[i]) < elapsed_of(&list->call[at]))
			at = i;
	return at;
}

struct small_node *slow_calls_room(
	struct slow_calls *calls, uint32_t nodes, enum memory_claim claim)
{
	int saved_errno = errno;
	struct small_node *room;

	if (nodes == 0 || !memory_take(calls->budget, tree_bytes_of(nodes), claim))
		return NULL;
	room = malloc(tree_bytes_of(nodes));
	if (!room)
		memory_give(calls->budget, tree_bytes_of(nodes));
	errno = saved_errno;
	return room;
}

void slow_calls_put(struct slow_calls *calls, struct slow_list *list, struct slow_call *call)
{
	int saved_errno = errno;
	struct slow_call before = *call;
	uint32_t at;

	lock_take(&calls->lock);
	at = list->count < calls->most ? list->count : fastest(list);
	if (at == list->count || elapsed_of(&list->call[at]) < elapsed_of(call)) {
		struct slow_call *to = &list->call[at];

		/* Behind the last one stands what slow_calls_close moved to the front. */
		before = at < list->count ? *to : (struct slow_call){0};
		list->count += at == list->count;
		*to = *call;
		to->id = list->first_id + at;
		to->method = list->method;
		to->written = false;
		if (list->count == calls->most)
			atomic_store_explicit(&list->least,
				elapsed_of(&list->call[fastest(list)]), memory_order_relaxed);
	}
	lock_give(&calls->lock);
	drop_tree(calls, &before);
	errno = saved_errno;
}

/* A copy of the next call of the list from *at on that is to be shown; its tree is owned. False: there is
 * none. */
static bool next_to_show(struct slow_calls *calls, struct slow_list *list, bool all,
	uint32_t *at, struct slow_call *copy)
{
	bool found = false;

	lock_take(&calls->lock);
	for (; *at < list->count && !found; ++*at) {
		struct slow_call *call = &list->call[*at];

		if (call->written && !all)
			continue;
		found = true;
		*copy = *call;
		copy->tree = slow_calls_room(calls, call->nodes, MEMORY_FORCED);
		if (copy->tree)
			memcpy(copy->tree, call->tree, tree_bytes_of(call->nodes));
		else
			copy->nodes = 0;
		call->written = true;
	}
	lock_give(&calls->lock);
	return found;
}

int slow_calls_show(struct slow_calls *calls, bool all, void *user,
	int (*show)(void *user, const struct slow_call *call))
{
	struct slow_list *list;
	int result = 0;

	/* Lists are added in front. */
	lock_take(&calls->lock);
	list = calls->first;
	lock_give(&calls->lock);
	for (; list && result == 0; list = list->next) {
		struct slow_call call;
		uint32_t at = 0;

		while (result == 0 && next_to_show(calls, list, all, &at, &call)) {
			result = show(user, &call);
			drop_tree(calls, &call);
		}
	}
	return result;
}

void slow_calls_close(struct slow_calls *calls)
{
	lock_take(&calls->lock);
	for (struct slow_list *list = calls->first; list; list = list->next) {
		uint32_t kept = 0;

		list->first_id = calls->next_id;
		calls->next_id += calls->most;
		for (uint32_t i = 0; i < list->count; i++) {
			struct slow_call *call = &list->call[i];

			if (call->written) {
				drop_tree(calls, call);
				continue;
			}
			list->call[kept] = *call;
			list->call[kept].id = list->first_id + kept;
			kept++;
		}
		list->count = kept;
		atomic_store_explicit(&list->least, 0, memory_order_relaxed);
	}
	lock_give(&calls->lock);
}

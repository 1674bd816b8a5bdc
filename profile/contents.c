/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* contents: how things are found in a profile. */
#include "profile/reader.h"

#include <stdlib.h>
#include <string.h>

const char *profile_meta_get(const struct profile *profile, const char *key)
{
	for (size_t i = 0; i < profile->meta_count; i++)
		if (strcmp(profile->meta[i].key, key) == 0)
			return profile->meta[i].value;
	return NULL;
}

uint64_t profile_meta_number(const struct profile *profile, const char *key)
{
	const char *value = profile_meta_get(profile, key);

	return value ? strtoull(value, NULL, 10) : 0;
}

bool profile_is_auto(const struct profile *profile)
{
	const char *calls = profile_meta_get(profile, "calls");

	return calls && strcmp(calls, "auto") == 0;
}

bool profile_is_unwritten(const struct profile *profile)
{
	return profile->thread_count == 0 && profile_meta_get(profile, "flushed_ns") == NULL;
}

static uint64_t key_of(const void *row, enum row_key kind)
{
	uint32_t word[2] = {0, 0};
	uint64_t number;

	memcpy(word, row, kind == KEY_U32 ? sizeof word[0] : sizeof word);
	memcpy(&number, word, sizeof number);
	if (kind == KEY_PAIR)
		return profile_node_id(word[0], word[1]);
	return kind == KEY_U32 ? word[0] : number;
}

size_t rows_find(const void *rows, size_t count, size_t stride, enum row_key kind, uint64_t key)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = (low + high) / 2;
		uint64_t found = key_of((const char *)rows + middle * stride, kind);

		if (found == key)
			return middle;
		if (found < key)
			low = middle + 1;
		else
			high = middle;
	}
	return ROWS_NONE;
}

size_t profile_tags_find(const struct profile *profile, uint32_t set)
{
	size_t low = 0, high = profile->tag_count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (profile->tag[middle].set < set)
			low = middle + 1;
		else
			high = middle;
	}
	return low < profile->tag_count && profile->tag[low].set == set ? low
									: profile->tag_count;
}

ptrdiff_t profile_thread_find(const struct profile *profile, uint32_t id)
{
	return (ptrdiff_t)PLACE_OF(profile, thread, KEY_U32, id);
}

/* The node's place among the first `nodes`. */
static size_t find_node(
	const struct profile *profile, size_t nodes, uint32_t thread, uint32_t node)
{
	ptrdiff_t at = profile_thread_find(profile, thread);

	return at < 0 ? ROWS_NONE
		      : rows_find(profile->node, nodes, sizeof *profile->node, KEY_PAIR,
				profile_node_id((uint32_t)at, node));
}

size_t profile_node_find(
	const struct profile *profile, size_t nodes, uint32_t thread, uint32_t node)
{
	size_t place = find_node(profile, nodes, thread, node);
	const struct profile_forward *forward;

	for (int i = 0; place == ROWS_NONE && i < PROFILE_FORWARDS_MAX; i++) {
		forward = profile_forward_find(profile, thread, node);
		if (!forward)
			break;
		thread = forward->to_thread;
		node = forward->to_node;
		place = find_node(profile, nodes, thread, node);
	}
	return place;
}

const struct profile_forward *profile_forward_find(
	const struct profile *profile, uint32_t thread, uint32_t node)
{
	size_t place = PLACE_OF(profile, forward, KEY_PAIR, profile_node_id(thread, node));

	return place == ROWS_NONE ? NULL : &profile->forward[place];
}

int profile_metric_find(const struct profile *profile, const char *name)
{
	for (unsigned i = 0; i < profile->metric_count; i++)
		if (strcmp(profile->metric[i].name, name) == 0)
			return (int)i;
	return -1;
}

/* ---- what accounts are about ---- */

static bool is_place(const struct profile *profile, uint64_t subject)
{
	return sample_place_condition(subject) < profile->condition_count &&
	       sample_place_state(subject) < SAMPLE_STATES &&
	       sample_place_line(subject) <= UINT32_MAX;
}

int reader_check_subject(struct reader *reader, const struct profile_account *account)
{
	const struct profile *profile = reader->profile;

	if (account_kind_subject(account->kind) == SUBJECT_PLACE &&
		!is_place(profile, account->subject))
		return read_damaged(reader->source, "samples in an impossible place");
	if (account_kind_subject(account->kind) == SUBJECT_METHOD &&
		account->subject >= profile->method_count)
		return read_damaged(reader->source, "calls of an unknown method");
	if (account_kind_subject(account->kind) == SUBJECT_VALUE &&
		PLACE_OF(profile, value, KEY_U32, account->subject) == ROWS_NONE)
		return read_damaged(reader->source, "rows of an unknown value");
	if (account_kind_subject(account->kind) == SUBJECT_THROWN &&
		(thrown_class(account->subject) >= profile->method_count ||
			thrown_catcher(account->subject) >= profile->method_count))
		return read_damaged(reader->source, "an exception of an unknown class");
	return 0;
}

static bool was_there(const struct profile_session *session, uint64_t at)
{
	return session->began <= at &&
	       (session->ended == PROFILE_NOT_KNOWN || (int64_t)at < session->ended);
}

/* There were most when one of them had just begun. */
unsigned profile_others(const struct profile *profile)
{
	const struct profile_session *own = profile->session;
	unsigned most = 0;

	for (size_t i = 0; own && i < profile->sharer_count; i++) {
		uint64_t at = profile->sharer[i].began > own->began ? profile->sharer[i].began
								    : own->began;
		unsigned there = 0;

		for (size_t k = 0; k < profile->sharer_count; k++)
			there += &profile->sharer[k] != own &&
				 was_there(&profile->sharer[k], at);
		if (was_there(own, at) && there > most)
			most = there;
	}
	return most;
}

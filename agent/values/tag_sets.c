/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* tag_sets: see tag_sets.h. */
#include "agent/values/tag_sets.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

#include "agent/lock/lock.h"
#include "agent/values/number_table.h"
#include "agent/values/pieces.h"
#include "agent/values/text_hash.h"
#include "agent/values/values.h"

enum { SET_BLOCK = 512, SET_BLOCKS = (TAG_SETS_MAX + 1) / SET_BLOCK, STEPS = 8192 };

/* A step's `of` is a parameter, not a value. */
#define WITHOUT 0x80000000u

_Static_assert(VALUES_MAX <= WITHOUT && TAG_SETS_MAX <= UINT16_MAX, "a step is one word");

static struct lock sets_lock = {PTHREAD_MUTEX_INITIALIZER, LOCK_TAG_SETS};

/* Written under the lock, with release; read with acquire. */
static _Atomic(struct tag_set *) blocks[SET_BLOCKS];
static _Atomic(struct number_table *) table;
static _Atomic uint32_t set_count;

static struct pieces pieces; /* under the lock */
static struct hash_key key;  /* under the lock: written once, before there is a set */
static _Atomic bool have_key;

/* Steps that were made: value or parameter (32 bits) | set (16) | the set that it leads to (16). Whoever comes last has the
 * place. Stored with release after the set can be read. */
static _Atomic uint64_t steps[STEPS];

/* Values by rising parameters, while a set is looked for. */
struct members {
	uint32_t value[TAG_KEYS_MAX];
	uint32_t count;
};

static struct tag_set *row_of(uint32_t set)
{
	return &atomic_load_explicit(
		&blocks[set / SET_BLOCK], memory_order_acquire)[set % SET_BLOCK];
}

static inline bool is_wanted(uint32_t set, const void *wanted)
{
	const struct members *members = wanted;
	const struct tag_set *row = row_of(set);

	return row->count == members->count &&
	       memcmp(row->value, members->value, row->count * sizeof(row->value[0])) == 0;
}

static uint64_t hash_of(const struct members *members)
{
	return text_hash(key, members->count, (const char *)members->value,
		members->count * sizeof(members->value[0]));
}

static uint32_t find(const struct members *members)
{
	return number_table_find(atomic_load_explicit(&table, memory_order_acquire),
		hash_of(members), is_wanted, members);
}

/* Under the lock. 0: no memory, or there are `limit` of them. */
static uint32_t add(const struct members *members, uint32_t limit)
{
	struct number_table *now = atomic_load_explicit(&table, memory_order_relaxed);
	uint32_t number = atomic_load_explicit(&set_count, memory_order_relaxed) + 1;
	_Atomic(struct tag_set *) *block = &blocks[number / SET_BLOCK];
	struct tag_set *row = atomic_load_explicit(block, memory_order_relaxed);
	size_t bytes = members->count * sizeof(members->value[0]);
	uint32_t *copy;

	if (number > limit)
		return 0;
	if (!number_table_has_room(now)) {
		now = number_table_grown(now, &pieces, SIZE_MAX);
		if (!now)
			return 0;
		atomic_store_explicit(&table, now, memory_order_release);
	}
	if (!row) {
		row = pieces_take(&pieces, SET_BLOCK * sizeof(*row), SIZE_MAX);
		if (!row)
			return 0;
		atomic_store_explicit(block, row, memory_order_release);
	}
	copy = pieces_carve(&pieces, bytes, SIZE_MAX);
	if (!copy)
		return 0;
	memcpy(copy, members->value, bytes);
	row[number % SET_BLOCK] = (struct tag_set){copy, members->count};
	atomic_store_explicit(&set_count, number, memory_order_release);
	number_table_add(now, hash_of(members), number);
	return number;
}

/* Of the tag, or of all: 0. */
static void make_others(struct members *members, uint32_t parameter)
{
	for (uint32_t i = 0; i < members->count; i++) {
		uint32_t of = value_get(members->value[i]).parameter;

		if (parameter == 0 || of == parameter)
			members->value[i] = value_others(of);
	}
}

static uint32_t find_or_add(const struct members *members, uint32_t limit)
{
	uint32_t set = find(members);

	if (!set && tag_sets_count() < limit) {
		lock_take(&sets_lock);
		set = find(members);
		if (!set)
			set = add(members, limit);
		lock_give(&sets_lock);
	}
	return set;
}

/* The set of these values, of which that of the tag that was changed, and then all, become "(others)" where there are too many
 * sets. 0: no values, or no such set. */
static uint32_t set_of(struct members *members, uint32_t changed)
{
	uint32_t set;

	if (members->count == 0)
		return 0;
	set = find_or_add(members, TAG_SETS_MAX - TAG_SETS_OTHERS - TAG_SETS_PARTLY);
	if (set)
		return set;
	make_others(members, changed);
	set = find_or_add(members, TAG_SETS_MAX - TAG_SETS_OTHERS);
	if (set)
		return set;
	make_others(members, 0);
	return find_or_add(members, TAG_SETS_MAX);
}

static void make_key(void)
{
	if (atomic_load_explicit(&have_key, memory_order_acquire))
		return;
	lock_take(&sets_lock);
	if (!atomic_load_explicit(&have_key, memory_order_relaxed))
		key = hash_key_random();
	atomic_store_explicit(&have_key, true, memory_order_release);
	lock_give(&sets_lock);
}

/* The members of the set without the tag, and with its new value, if there is one. */
static void step_members(
	struct members *members, uint32_t set, uint32_t parameter, uint32_t value)
{
	struct tag_set before = tag_set_get(set);
	bool placed = value == 0;

	members->count = 0;
	for (uint32_t i = 0; i < before.count; i++) {
		uint32_t at = value_get(before.value[i]).parameter;

		if (!placed && at >= parameter) {
			members->value[members->count++] = value;
			placed = true;
		}
		if (at != parameter)
			members->value[members->count++] = before.value[i];
	}
	if (!placed && members->count < TAG_KEYS_MAX)
		members->value[members->count++] = value;
}

/* of: a value, or a parameter joined with WITHOUT. */
static uint32_t take_step(uint32_t set, uint32_t of, _Atomic uint64_t *step)
{
	int saved_errno = errno;
	bool without = of & WITHOUT;
	uint32_t changed = without ? of & ~WITHOUT : value_get(of).parameter, to;
	struct members members;

	make_key();
	step_members(&members, set, changed, without ? 0 : of);
	to = set_of(&members, changed);
	if (to || members.count == 0)
		atomic_store_explicit(
			step, (uint64_t)of << 32 | set << 16 | to, memory_order_release);
	errno = saved_errno;
	return to;
}

static inline uint32_t step_from(uint32_t set, uint32_t of)
{
	uint64_t wanted = (uint64_t)of << 16 | set, word;
	_Atomic uint64_t *step = &steps[(wanted * 0x9e3779b97f4a7c15u >> 32) % STEPS];

	word = atomic_load_explicit(step, memory_order_acquire);
	if (word >> 16 == wanted)
		return word & UINT16_MAX;
	return take_step(set, of, step);
}

uint32_t tag_set_with(uint32_t set, uint32_t value)
{
	return value ? step_from(set, value) : set;
}

uint32_t tag_set_without(uint32_t set, uint32_t parameter)
{
	return set && parameter ? step_from(set, parameter | WITHOUT) : set;
}

uint32_t tag_set_value(uint32_t set, uint32_t parameter)
{
	struct tag_set members = tag_set_get(set);

	for (uint32_t i = 0; i < members.count; i++)
		if (value_get(members.value[i]).parameter == parameter)
			return members.value[i];
	return 0;
}

uint32_t tag_sets_count(void)
{
	return atomic_load_explicit(&set_count, memory_order_acquire);
}

struct tag_set tag_set_get(uint32_t set)
{
	return set ? *row_of(set) : (struct tag_set){0};
}

void tag_sets_forget(void)
{
	lock_take(&sets_lock);
	atomic_store(&table, NULL);
	atomic_store(&set_count, 0);
	for (uint32_t i = 0; i < SET_BLOCKS; i++)
		atomic_store_explicit(&blocks[i], NULL, memory_order_relaxed);
	for (uint32_t i = 0; i < STEPS; i++)
		atomic_store_explicit(&steps[i], 0, memory_order_relaxed);
	pieces_forget(&pieces);
	lock_give(&sets_lock);
}

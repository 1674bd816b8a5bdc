/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* values: see values.h. */
#include "agent/values/values.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>

#include "agent/lock/lock.h"
#include "agent/values/number_table.h"
#include "agent/values/pieces.h"
#include "agent/values/text_hash.h"
#include "agent/values/value_text.h"

enum {
	VALUE_BLOCK = 1024,
	VALUE_BLOCKS = VALUES_MAX / VALUE_BLOCK,
	KNOWN_TEXTS = 2048,
	KNOWN_PLACES = 4
};

struct kept_parameter {
	struct parameter is;
	uint32_t others, null;
	uint32_t values;   /* under the lock */
	_Atomic bool full; /* its limit is reached: no value comes any more */
	_Atomic uint32_t sessions;
};

static struct lock values_lock = {PTHREAD_MUTEX_INITIALIZER, LOCK_VALUES};

/* Written under the lock, those below before the counts, with release; read with acquire. */
static struct kept_parameter parameters[PARAMETERS_MAX + 1];
static _Atomic(struct value *) blocks[VALUE_BLOCKS];
static _Atomic(struct number_table *) table;
static _Atomic uint32_t parameter_count, value_count;
static _Atomic uint32_t edition; /* of which sessions want parameters */

/* Under the lock. */
static struct pieces pieces;
static uint32_t tag_keys;

/* Set before the first parameter is made. */
static size_t most = VALUES_BYTES;
static uint32_t length_limit = VALUES_LENGTH;
static struct hash_key table_key, told_key;

/* No new value of any parameter finds memory within the bound. */
static _Atomic bool all_full;

/* Values of texts as they were given, by their hash alone: it has 64 bits, and a key that nobody knows, so that two texts have
 * the same one at once in 10^19 look-ups. So a text is looked through, or compared, once. A hash has four places, which share a
 * cache line. Two words that may be of two writers: `hash` is mixed with the value, which shows that. */
static _Alignas(64) struct known_text {
	_Atomic uint64_t hash, value;
} known_texts[KNOWN_TEXTS][KNOWN_PLACES];

static uint64_t mixed(uint64_t value)
{
	return value * 0x9e3779b97f4a7c15u;
}

static uint32_t known_value(uint64_t hash)
{
	struct known_text *places = known_texts[hash % KNOWN_TEXTS];

	for (int i = 0; i < KNOWN_PLACES; i++) {
		uint64_t value = atomic_load_explicit(&places[i].value, memory_order_acquire);
		uint64_t word = atomic_load_explicit(&places[i].hash, memory_order_acquire);

		if (value != 0 && (word ^ mixed(value)) == hash)
			return (uint32_t)value;
	}
	return 0;
}

/* In an empty place, or that of another one. */
static void know_value(uint64_t hash, uint32_t value)
{
	struct known_text *places = known_texts[hash % KNOWN_TEXTS];
	int at = 0;

	while (at < KNOWN_PLACES &&
		atomic_load_explicit(&places[at].value, memory_order_relaxed) != 0)
		at++;
	if (at == KNOWN_PLACES)
		at = (int)(hash >> 32) & (KNOWN_PLACES - 1);
	atomic_store_explicit(&places[at].hash, hash ^ mixed(value), memory_order_release);
	atomic_store_explicit(&places[at].value, value, memory_order_release);
}

/* ---- rows ---- */

static struct value *row_of(uint32_t value)
{
	return &atomic_load_explicit(
		&blocks[value / VALUE_BLOCK], memory_order_acquire)[value % VALUE_BLOCK];
}

struct wanted {
	uint32_t parameter;
	size_t length;
	const char *text;
};

static uint64_t hash_of(const struct wanted *wanted)
{
	return text_hash(table_key, wanted->parameter, wanted->text, wanted->length);
}

static inline bool is_wanted(uint32_t value, const void *key)
{
	const struct wanted *wanted = key;
	const struct value *row = row_of(value);

	return row->parameter == wanted->parameter && row->length == wanted->length &&
	       memcmp(row->text, wanted->text, wanted->length) == 0;
}

static uint32_t find(uint64_t hash, const struct wanted *wanted)
{
	return number_table_find(
		atomic_load_explicit(&table, memory_order_acquire), hash, is_wanted, wanted);
}

/* Room for so many new rows; under the lock. False: no memory. */
static bool have_rows(uint32_t count, size_t bound)
{
	uint32_t last = atomic_load_explicit(&value_count, memory_order_relaxed) + count;
	_Atomic(struct value *) *block = &blocks[last / VALUE_BLOCK];
	struct value *fresh;

	if (last >= VALUES_MAX)
		return false;
	/* The block before has been there since its first row, or number 0. */
	if (atomic_load_explicit(block, memory_order_relaxed))
		return true;
	fresh = pieces_take(&pieces, VALUE_BLOCK * sizeof(*fresh), bound);
	atomic_store_explicit(block, fresh, memory_order_release);
	return fresh != NULL;
}

/* A new row, for which there is room; under the lock. It can be asked for when its number is counted. */
static uint32_t add_row(struct value row)
{
	uint32_t number = atomic_load_explicit(&value_count, memory_order_relaxed) + 1;

	*row_of(number) = row;
	atomic_store_explicit(&value_count, number, memory_order_release);
	return number;
}

/* A new value of that text, in the table; under the lock. 0: no memory. */
static uint32_t add_text(uint64_t hash, const struct wanted *wanted)
{
	struct number_table *now = atomic_load_explicit(&table, memory_order_relaxed);
	uint32_t number;
	char *text;

	if (!number_table_has_room(now)) {
		now = number_table_grown(now, &pieces, most);
		if (!now)
			return 0;
		atomic_store_explicit(&table, now, memory_order_release);
	}
	text = have_rows(1, most) ? pieces_carve(&pieces, wanted->length, most) : NULL;
	if (!text)
		return 0;
	memcpy(text, wanted->text, wanted->length);
	number = add_row((struct value){.text = text,
		.length = (uint32_t)wanted->length,
		.parameter = wanted->parameter});
	number_table_add(now, hash, number);
	return number;
}

/* Under the lock: as value_of for a text that was in no table; 0 for "(others)". */
static uint32_t find_or_add(uint64_t hash, const struct wanted *wanted)
{
	struct kept_parameter *of = &parameters[wanted->parameter];
	uint32_t number = find(hash, wanted);

	if (number)
		return number;
	if (of->values >= of->is.limit) {
		atomic_store_explicit(&of->full, true, memory_order_release);
		return 0;
	}
	if (atomic_load_explicit(&all_full, memory_order_relaxed))
		return 0;
	number = add_text(hash, wanted);
	of->values += number != 0;
	/* Within a bound that is nearly reached some may still fit; what that would tell is worth no lock at each call. */
	if (!number)
		atomic_store_explicit(&all_full, true, memory_order_release);
	return number;
}

static bool is_full(struct kept_parameter *of)
{
	return atomic_load_explicit(&of->full, memory_order_acquire) ||
	       atomic_load_explicit(&all_full, memory_order_acquire);
}

/* The value of a text as it is kept. */
static uint32_t value_of_kept(const struct wanted *wanted, uint64_t hash)
{
	struct kept_parameter *of = &parameters[wanted->parameter];
	uint32_t number = find(hash, wanted);

	if (!number && is_full(of)) {
		/* What was added in the meantime, before it was full. */
		number = find(hash, wanted);
	} else if (!number) {
		int saved_errno = errno;

		lock_take(&values_lock);
		number = find_or_add(hash, wanted);
		lock_give(&values_lock);
		errno = saved_errno;
	}
	return number ? number : of->others;
}

/* The value of a text as it was given. */
static __attribute__((noinline)) uint32_t look_up(const struct wanted *given, uint64_t hash)
{
	enum value_keep keep = parameters[given->parameter].is.keep;
	struct wanted wanted = *given;
	char kept[VALUE_TEXT_MAX];

	if (keep == KEEP_PLAIN && given->length <= length_limit)
		return value_of_kept(given, hash);
	wanted.text = kept;
	wanted.length =
		value_text(keep, told_key, given->text, given->length, kept, length_limit);
	return value_of_kept(&wanted, hash_of(&wanted));
}

/* ---- what others call, in the order of life ---- */

void values_bound(size_t bytes, uint32_t length)
{
	most = bytes;
	length_limit = length < 8 ? 8 : length > VALUE_TEXT_MAX ? VALUE_TEXT_MAX : length;
}

/* What it compares stays as it is once it is counted. */
static uint32_t parameter_find(const char *name, bool is_tag)
{
	uint32_t count = atomic_load_explicit(&parameter_count, memory_order_acquire);

	for (uint32_t i = 1; i <= count; i++)
		if (parameters[i].is.is_tag == is_tag &&
			strcmp(parameters[i].is.name, name) == 0)
			return i;
	return 0;
}

/* Under the lock, with a name that there is not yet. These bytes are taken whatever the bound is. */
static uint32_t add_parameter(
	const char *name, bool is_tag, enum value_keep keep, uint32_t limit)
{
	uint32_t number = atomic_load_explicit(&parameter_count, memory_order_relaxed) + 1;
	struct kept_parameter *of = &parameters[number];
	size_t size = strlen(name) + 1;
	char *copy;

	if (number > PARAMETERS_MAX || (is_tag && tag_keys == TAG_KEYS_MAX))
		return 0;
	copy = have_rows(2, SIZE_MAX) ? pieces_carve(&pieces, size, SIZE_MAX) : NULL;
	if (!copy)
		return 0;
	memcpy(copy, name, size);
	*of = (struct kept_parameter){.is = {copy, is_tag, keep, limit}};
	of->others = add_row((struct value){.parameter = number, .kind = VALUE_OTHERS});
	of->null = add_row((struct value){.parameter = number, .kind = VALUE_NULL});
	tag_keys += is_tag;
	atomic_store_explicit(&parameter_count, number, memory_order_release);
	return number;
}

uint32_t parameter_make(const char *name, bool is_tag, enum value_keep keep, uint32_t limit)
{
	uint32_t number = parameter_find(name, is_tag);
	int saved_errno = errno;

	if (number)
		return number;
	lock_take(&values_lock);
	if (table_key.a == 0 && table_key.b == 0) {
		table_key = hash_key_random();
		told_key = hash_key_random();
	}
	number = parameter_find(name, is_tag);
	if (!number)
		number = add_parameter(name, is_tag, keep, limit);
	lock_give(&values_lock);
	errno = saved_errno;
	return number;
}

void parameter_want(uint32_t parameter, uint32_t sessions)
{
	uint32_t before = atomic_fetch_or(&parameters[parameter].sessions, sessions);

	if ((before | sessions) != before)
		atomic_fetch_add(&edition, 1);
}

void parameters_leave(unsigned session)
{
	uint32_t count = parameters_count(), bit = 1U << session, before = 0;

	for (uint32_t i = 1; i <= count; i++)
		before |= atomic_fetch_and(&parameters[i].sessions, ~bit);
	/* Another session may have the bit next. */
	if (before & bit)
		atomic_fetch_add(&edition, 1);
}

uint8_t parameter_sessions(uint32_t parameter)
{
	uint32_t sessions = atomic_load(&parameters[parameter].sessions);

	return sessions & PARAMETER_EVERYBODY ? UINT8_MAX : (uint8_t)sessions;
}

uint32_t parameters_edition(void)
{
	return atomic_load(&edition);
}

uint32_t value_of(uint32_t parameter, const char *text, size_t length)
{
	struct wanted given = {parameter, length, text};
	uint64_t hash = hash_of(&given);
	uint32_t value = known_value(hash);

	if (!value) {
		value = look_up(&given, hash);
		know_value(hash, value);
	}
	return value;
}

uint32_t value_others(uint32_t parameter)
{
	return parameters[parameter].others;
}

uint32_t value_null(uint32_t parameter)
{
	return parameters[parameter].null;
}

uint32_t parameters_count(void)
{
	return atomic_load_explicit(&parameter_count, memory_order_acquire);
}

uint32_t values_count(void)
{
	return atomic_load_explicit(&value_count, memory_order_acquire);
}

struct parameter parameter_get(uint32_t parameter)
{
	return parameters[parameter].is;
}

struct value value_get(uint32_t value)
{
	return *row_of(value);
}

size_t values_bytes(void)
{
	size_t bytes;

	lock_take(&values_lock);
	bytes = pieces.bytes;
	lock_give(&values_lock);
	return bytes;
}

void values_forget(void)
{
	lock_take(&values_lock);
	atomic_store(&table, NULL);
	atomic_store(&parameter_count, 0);
	atomic_store(&value_count, 0);
	atomic_store(&all_full, false);
	for (uint32_t i = 0; i < VALUE_BLOCKS; i++)
		atomic_store_explicit(&blocks[i], NULL, memory_order_relaxed);
	for (uint32_t i = 0; i < KNOWN_TEXTS * KNOWN_PLACES; i++)
		atomic_store_explicit(&known_texts[i / KNOWN_PLACES][i % KNOWN_PLACES].value, 0,
			memory_order_relaxed);
	memset(parameters, 0, sizeof(parameters));
	tag_keys = 0;
	pieces_forget(&pieces);
	lock_give(&values_lock);
}

/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* value_rows: see value_rows.h. */
#include "agent/methods/value_rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/lock/lock.h"
#include "agent/methods/class_kin.h"
#include "agent/methods/untouched.h"
#include "agent/values/values.h"

/* ---- rows ---- */

static struct value_row *rows[VALUE_ROWS_MAX];
static _Atomic size_t row_count;
static _Atomic bool asks_kin;

/* "com.acme.Foo.find*" is for methods find* of com.acme.Foo, and of what is below it. */
static bool name_class(struct value_row *row)
{
	char *last = strrchr(row->choice.pattern, '.');
	size_t length = last ? (size_t)(last - row->choice.pattern) : 0;

	if (!last || memchr(row->choice.pattern, '*', length))
		return true;
	row->method = last + 1;
	row->below = strndup(row->choice.pattern, length);
	for (char *at = row->below; at && *at; at++)
		if (*at == '.')
			*at = '/';
	return row->below;
}

static int no_memory(struct error *error)
{
	return error_set(error, ERROR_MEMORY, "no memory for parameters and tags");
}

/* The row of that text, made if need be. NULL with error filled: no memory, or there are VALUE_ROWS_MAX. */
static struct value_row *row_of(const char *text, const struct parameter_choice *choice,
	const struct parameter_row *ready, struct error *error)
{
	struct value_row *row;

	for (size_t i = 0; i < row_count; i++)
		if (strcmp(rows[i]->text, text) == 0)
			return rows[i];
	if (row_count == VALUE_ROWS_MAX) {
		error_set(error, ERROR_VALUE,
			"too many different parameters and tags since the JVM began (%d)",
			VALUE_ROWS_MAX);
		return NULL;
	}
	row = calloc(1, sizeof(*row));
	if (!row) {
		no_memory(error);
		return NULL;
	}
	row->choice = *choice;
	row->text = strdup(text);
	if (ready) {
		snprintf(
			row->choice.pattern, sizeof(row->choice.pattern), "%s", ready->pattern);
		row->choice.keep = ready->keep;
		row->choice.part_count = 0;
		if (ready->what)
			parameter_parts_read(ready->what, &row->choice);
		row->choice.set = choice->set;
		row->stands = ready->stands;
		row->counts_true = ready->counts_true;
		row->aside = ready->aside;
		row->once = choice->set->once;
	}
	if (!row->text || !name_class(row)) {
		free((char *)row->text);
		free(row);
		no_memory(error);
		return NULL;
	}
	rows[row_count] = row;
	row_count++;
	return row;
}

/* Why parameter_make made none. */
static int no_parameter(bool is_tag, struct error *error)
{
	uint32_t count = parameters_count(), tags = 0;

	for (uint32_t i = 1; i <= count; i++)
		tags += parameter_get(i).is_tag;
	if (is_tag && tags == TAG_KEYS_MAX)
		return error_set(error, ERROR_VALUE,
			"too many keys of tags in one recording (%d)", TAG_KEYS_MAX);
	if (count == PARAMETERS_MAX)
		return error_set(error, ERROR_VALUE,
			"too many parameters and tags in one recording (%d)", PARAMETERS_MAX);
	return no_memory(error);
}

/* Classes of the JDK are reached where the pattern itself names them. */
static int add_patterns(const struct value_row *row, struct pattern_list *patterns)
{
	char any[PARAMETER_PATTERN + 2];

	snprintf(any, sizeof(any), "*.%s", row->below ? row->method : "");
	return pattern_list_add(patterns, row->choice.pattern) < 0 ||
			       (row->below && pattern_list_add(patterns, any) < 0)
		       ? -1
		       : 0;
}

/* Whose rows are made active. */
struct beginning {
	const struct options *options;
	unsigned session;
	struct pattern_list *patterns;
};

/* row: NULL where error is filled. */
static int begin_row(struct value_row *row, const char *name, const struct beginning *of,
	struct error *error)
{
	bool is_tag;
	uint32_t parameter;

	if (!row)
		return -(int)error->code;
	is_tag = row->choice.key[0] != '\0';
	parameter = parameter_make(is_tag ? row->choice.key : name, is_tag, row->choice.keep,
		(uint32_t)of->options->parameter_values);
	if (!parameter)
		return no_parameter(is_tag, error);
	if (add_patterns(row, of->patterns) < 0)
		return no_memory(error);
	parameter_want(parameter, 1U << of->session);
	atomic_store(&row->parameter, parameter);
	atomic_fetch_or(&row->sessions, (uint8_t)(1U << of->session));
	if (row->below)
		atomic_store(&asks_kin, true);
	return 0;
}

static int begin_item(
	const char *item, bool tag, const struct beginning *of, struct error *error)
{
	struct parameter_choice choice;
	const char *wrong = parameter_choice_read(item, tag, &choice);
	char text[PARAMETER_PATTERN + 64];
	int status = 0;

	if (wrong)
		return error_set(error, ERROR_VALUE, "'%s' %s", item, wrong);
	if (!choice.set)
		return begin_row(row_of(item, &choice, NULL, error), item, of, error);
	for (size_t i = 0; choice.set->row[i].pattern && status == 0; i++) {
		snprintf(text, sizeof(text), "%s:%s#%zu", choice.key, choice.set->name, i);
		status = begin_row(row_of(text, &choice, &choice.set->row[i], error),
			choice.set->name, of, error);
	}
	return status;
}

int value_rows_begin(const struct options *options, unsigned session,
	struct pattern_list *patterns, struct error *error)
{
	const struct beginning of = {options, session, patterns};
	int status = 0;

	for (size_t i = 0; i < options->parameters.count && status == 0; i++)
		status = begin_item(options->parameters.pattern[i], false, &of, error);
	for (size_t i = 0; i < options->tags.count && status == 0; i++)
		status = begin_item(options->tags.pattern[i], true, &of, error);
	if (status < 0)
		value_rows_leave(session);
	return status;
}

void value_rows_leave(unsigned session)
{
	uint8_t bit = (uint8_t)(1U << session);

	for (size_t i = 0; i < row_count; i++)
		if (atomic_fetch_and(&rows[i]->sessions, (uint8_t)~bit) == bit)
			atomic_store(&rows[i]->parameter, 0);
	parameters_leave(session);
}

void value_rows_end(void)
{
	atomic_store(&asks_kin, false);
	kin_forget();
	for (size_t i = 0; i < row_count; i++) {
		atomic_store(&rows[i]->sessions, 0);
		atomic_store(&rows[i]->parameter, 0);
	}
}

bool value_rows_ask_kin(void)
{
	return atomic_load_explicit(&asks_kin, memory_order_relaxed);
}

/* ---- which row is for which method ---- */

/* What is read is there, as far as the descriptor tells. */
static bool has_parts(const struct value_row *row, const struct jvm_method *method)
{
	const char *result = strchr(method->signature, ')');

	if (row->counts_true && !(result && result[1] == 'Z'))
		return false;
	if (method->is_static && (row->choice.part_count == 0 || row->stands & STANDS_THIS))
		return false;
	for (uint32_t i = 0; i < row->choice.part_count; i++) {
		const struct parameter_part *part = &row->choice.part[i];
		const char *argument =
			part->base == BASE_PLACE
				? rewrite_argument_type(method->signature, part->place)
				: NULL;

		if ((part->base == BASE_PLACE && !argument) ||
			(part->base == BASE_THIS && method->is_static) ||
			(part->base == BASE_RESULT && (!result || result[1] == 'V')))
			return false;
		/* SQL is a text. */
		if (row->choice.keep == KEEP_SHAPE && argument && part->step_count == 0 &&
			strncmp(argument, "Ljava/lang/String;", 18) != 0)
			return false;
	}
	return true;
}

static bool may_be_below(const struct value_row *row, const struct jvm_method *method)
{
	char name[JVM_CLASS_NAME];

	if (method->class && jvm_class_is_below(jvm_env(), method->class, row->below))
		return true;
	if (snprintf(name, sizeof(name), "%s", method->class_name) >= (int)sizeof(name))
		return true;
	for (char *at = name; *at; at++)
		if (*at == '.')
			*at = '/';
	return (!method->class && kin_of(name, row->below) != KIN_NO) ||
	       kin_has_heir(name, row->below);
}

/* By the class's own name; below: or by what it may be below, which is left to be seen. */
static bool is_for(const struct value_row *row, const struct jvm_method *method, bool *below)
{
	*below = false;
	if (atomic_load_explicit(&row->parameter, memory_order_relaxed) == 0 ||
		!has_parts(row, method))
		return false;
	if (pattern_match_method(row->choice.pattern, method->class_name, method->name))
		return true;
	*below = row->below && !method->is_static && !method->is_jdk &&
		 strcmp(method->name, "<init>") != 0 &&
		 pattern_match(row->method, method->name) && may_be_below(row, method);
	return *below;
}

bool value_rows_want(const struct jvm_method *method, unsigned session)
{
	bool below;

	for (size_t i = 0; i < row_count; i++)
		if (atomic_load(&rows[i]->sessions) & 1U << session &&
			is_for(rows[i], method, &below))
			return true;
	return false;
}

/* ---- readings ---- */

enum { READINGS_BLOCK = 1024, READINGS_BLOCKS = 256 };

static _Atomic(struct value_reading *) blocks[READINGS_BLOCKS];
static struct lock readings_lock = {PTHREAD_MUTEX_INITIALIZER, LOCK_READINGS};
static uint32_t next = 1;

/* Numbers by what they are, open addressing, at most half full; 0: empty. Under the lock. */
static uint32_t *slot, slots;

const struct value_reading *value_reading(uint32_t number)
{
	return &atomic_load_explicit(&blocks[number / READINGS_BLOCK],
		memory_order_acquire)[number % READINGS_BLOCK];
}

static uint32_t *slot_of(const struct value_reading *wanted)
{
	uint64_t key = ((uint64_t)(uintptr_t)wanted->row >> 4) * 31 + wanted->method;

	key = key * 64 + wanted->step * 8u + wanted->part;
	for (uint32_t at = (uint32_t)(key * 0x9e3779b97f4a7c15u >> 32);; at++) {
		uint32_t *here = &slot[at & (slots - 1)];
		const struct value_reading *there = *here ? value_reading(*here) : NULL;

		if (!there ||
			(there->row == wanted->row && there->method == wanted->method &&
				there->step == wanted->step && there->part == wanted->part &&
				there->first == wanted->first && there->last == wanted->last))
			return here;
	}
}

static bool make_room(void)
{
	uint32_t *before = slot;

	if (slots > 2 * next)
		return true;
	slot = calloc(slots ? 2 * (size_t)slots : READINGS_BLOCK, sizeof(*slot));
	if (!slot) {
		slot = before;
		return false;
	}
	slots = slots ? 2 * slots : READINGS_BLOCK;
	free(before);
	for (uint32_t number = 1; number < next; number++)
		*slot_of(value_reading(number)) = number;
	return true;
}

static struct receivers *receivers_of(const char *class_name)
{
	struct receivers *receivers = calloc(1, sizeof(*receivers));

	if (receivers)
		receivers->declarer = strdup(class_name);
	if (receivers && receivers->declarer)
		return receivers;
	free(receivers);
	return NULL;
}

/* Its number; 0: no memory, or there are too many. */
static uint32_t number_of(const struct value_reading *wanted, const char *class_name)
{
	_Atomic(struct value_reading *) *block;
	struct value_reading *here;
	uint32_t number = 0, *at;

	lock_take(&readings_lock);
	if (!make_room() || next == READINGS_BLOCK * READINGS_BLOCKS)
		goto out;
	at = slot_of(wanted);
	number = *at;
	if (number)
		goto out;
	block = &blocks[next / READINGS_BLOCK];
	if (!atomic_load(block)) {
		struct value_reading *fresh = calloc(READINGS_BLOCK, sizeof(*fresh));

		if (!fresh)
			goto out;
		atomic_store_explicit(block, fresh, memory_order_release);
	}
	here = &atomic_load(block)[next % READINGS_BLOCK];
	*here = *wanted;
	if (wanted->step == READ_CHECK)
		here->receivers = receivers_of(class_name);
	if (wanted->step != READ_CHECK || here->receivers)
		number = *at = next++;
out:
	lock_give(&readings_lock);
	return number;
}

/* Readings of a method under way. */
struct listing {
	const struct jvm_method *method;
	const struct rewrite_method *code;
	uint32_t id;
	struct rewrite_reading *reading;
	unsigned count;
	bool full;
};

/* Returns its number, or 0. */
static uint32_t list(struct listing *listing, int where, const struct value_reading *reading)
{
	uint32_t number = listing->count < READINGS_MAX
				  ? number_of(reading, listing->method->class_name)
				  : 0;

	if (!number)
		listing->full = true;
	else
		listing->reading[listing->count++] =
			(struct rewrite_reading){.where = where, .number = number};
	return number;
}

/* Where the part is in the method's call; false: it has no such argument. */
static bool place_of(
	const struct parameter_part *part, const struct rewrite_method *code, int *where)
{
	*where = part->base == BASE_PLACE  ? (int)part->place
		 : part->base == BASE_NAME ? rewrite_argument_place(code, part->name)
		 : part->base == BASE_THIS ? READING_THIS
					   : READING_RESULT;
	return part->base != BASE_NAME || *where >= 0;
}

/* The arguments that the row reads by name are known by these names. Else it is said, if the row is for one method: a pattern
 * may be for those that have such an argument. */
static bool has_names(const struct value_row *row, const struct listing *listing)
{
	char why[PARAMETER_NAME + 64];
	int where;

	for (uint32_t i = 0; i < row->choice.part_count; i++) {
		const struct parameter_part *part = &row->choice.part[i];

		if (place_of(part, listing->code, &where))
			continue;
		snprintf(why, sizeof(why), "its class file has no name '%s' for an argument",
			part->name);
		if (!strchr(row->choice.pattern, '*'))
			untouched_add(listing->method->class_name, listing->method->name, why);
		return false;
	}
	return true;
}

/* In this order: is the object of the class, the value's parts, and what stands for it. */
static void list_row(struct listing *listing, struct value_row *row, bool below)
{
	const struct rewrite_method *code = listing->code;
	const unsigned before = listing->count;
	struct value_reading reading = {.row = row, .method = listing->id, .first = true};
	const char *result = strchr(code->descriptor, ')') + 1;
	uint32_t parts = row->choice.part_count;
	int where;

	if (below) {
		uint32_t check;

		reading.step = READ_CHECK;
		check = list(listing, READING_THIS, &reading);
		reading.first = false;
		reading.receivers = check ? value_reading(check)->receivers : NULL;
	}
	if (parts == 0) {
		reading.step = READ_RECALL;
		reading.last = true;
		list(listing, READING_THIS, &reading);
	}
	for (uint32_t i = 0; i < parts; i++) {
		reading.step =
			row->choice.part[i].base == BASE_RESULT ? READ_RETURN : READ_PART;
		reading.part = (uint8_t)i;
		reading.last = i + 1 == parts;
		/* Since the entry others have been read; the result stands alone. */
		reading.first |= reading.step == READ_RETURN;
		place_of(&row->choice.part[i], code, &where);
		reading.type =
			where >= 0 ? *rewrite_argument_type(code->descriptor, (uint32_t)where)
			: where == READING_RESULT ? *result
						  : 'L';
		list(listing, where, &reading);
		reading.first = false;
	}
	reading.first = reading.last = false;
	reading.part = 0;
	reading.step = READ_STAND;
	if (row->stands & STANDS_THIS)
		list(listing, READING_THIS, &reading);
	if (row->stands & STANDS_RESULT && (*result == 'L' || *result == '['))
		list(listing, READING_RESULT, &reading);
	reading.step = READ_TRUE;
	if (row->counts_true)
		list(listing, READING_RESULT, &reading);
	/* All of it, or nothing. */
	if (listing->full) {
		listing->count = before;
		untouched_add(listing->method->class_name, listing->method->name,
			"more is read of its calls than there is room for");
	}
	listing->full = false;
}

unsigned value_readings_of(const struct jvm_method *method, uint32_t id,
	const struct rewrite_method *code, struct rewrite_reading reading[READINGS_MAX])
{
	struct listing listing = {.method = method, .code = code, .id = id, .reading = reading};
	const struct value_row *done = NULL;
	bool below;

	for (size_t i = 0; i < row_count; i++) {
		struct value_row *row = rows[i];

		/* The first row of a set, of one key, that is for the method. */
		if ((done && row->choice.set && row->choice.set == done->choice.set &&
			    strcmp(row->choice.key, done->choice.key) == 0) ||
			!is_for(row, method, &below) || !has_names(row, &listing))
			continue;
		done = row;
		list_row(&listing, row, below);
	}
	return listing.count;
}

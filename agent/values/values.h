/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * values: what calls were given, as small numbers: parameters, and the values that each one has had.
 *
 * A *parameter* is a thing that has values: an item of the option `parameters`, or the key of a tag (`user`). A *value* is
 * a text of a parameter, as the parameter keeps texts (value_text.h). All numbers begin at 1; 0 is none.
 *
 *   parameter 1, find(0)         parameter 2, user
 *   +- 1 (others)                +- 3 (others)
 *   +- 2 (null)                  +- 4 (null)
 *   +- 5 "4711"                  +- 6 "alice"
 *
 * Distinct values are bounded: those of a parameter by its limit, the memory of all by bytes. What is beyond is the
 * parameter's "(others)". Texts are bytes of any kind, and kept as they are: who shows them makes them harmless.
 *
 * In:   bytes that threads of the application have just seen.
 * Out:  numbers; for who writes the profile, lists that are only added to.
 * Owns: copies of the texts, until values_forget.
 * Runs: on any thread. A text that was seen before costs a hash over its bytes, and a look-up without a lock: 6 ns for 20
 *       bytes, 15 for 200 (bench_values). A new one takes LOCK_VALUES. errno is left as found.
 */
#ifndef JPROF_VALUES_H
#define JPROF_VALUES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "options/parameter_choice.h"

enum {
	PARAMETERS_MAX = 2000,
	TAG_KEYS_MAX = PARAMETER_TAG_KEYS, /* parameters that are tags */
	VALUES_MAX = 1 << 24,              /* of all parameters */
	VALUES_BYTES = 64 << 20,           /* where nobody has said another bound */
	VALUES_LENGTH = 200
};

struct parameter {
	const char *name;
	bool is_tag;
	enum value_keep keep;
	uint32_t limit; /* distinct values; "(others)" and "(null)" are not counted */
};

enum value_kind { VALUE_TEXT, VALUE_OTHERS, VALUE_NULL };

struct value {
	const char *text; /* of VALUE_TEXT; not terminated, any bytes */
	uint32_t length;
	uint32_t parameter;
	enum value_kind kind;
};

/* How many bytes values may take in all, and how many a text may have that is kept (8 to VALUE_TEXT_MAX, value_text.h): longer ones
 * are cut, and two that differ only behind the cut are one value. Before the first parameter is made. */
void values_bound(size_t bytes, uint32_t length);

/* The number of the parameter of that name; `keep` and `limit` (at least 1) are those of the first call with it. Parameters and
 * tags have names of their own. 0: no memory, or there are PARAMETERS_MAX, or TAG_KEYS_MAX. */
uint32_t parameter_make(const char *name, bool is_tag, enum value_keep keep, uint32_t limit);

/* Which sessions want to see the parameter, a bit each: some more, or whoever there is, also later on; and one of them not any
 * more. The edition changes when that does. */
enum { PARAMETER_EVERYBODY = 0x100 };
void parameter_want(uint32_t parameter, uint32_t sessions);
void parameters_leave(unsigned session);
uint8_t parameter_sessions(uint32_t parameter);
uint32_t parameters_edition(void);

/* The value of the parameter that the text is; never 0: if there is no room for a new one, value_others. All bytes are hashed and,
 * of a new text, looked through: who has very long ones gives their begin. A character of UTF-8 is not torn where a text is cut. */
uint32_t value_of(uint32_t parameter, const char *text, size_t length);

/* What is beyond the bounds; where there was no object. */
uint32_t value_others(uint32_t parameter);
uint32_t value_null(uint32_t parameter);

/* The largest number that there is; all from 1 to it can be asked for. */
uint32_t parameters_count(void);
uint32_t values_count(void);

/* Borrowed until values_forget. */
struct parameter parameter_get(uint32_t parameter);
struct value value_get(uint32_t value);

/* So many bytes values take now. */
size_t values_bytes(void);

/* There are no parameters and values any more. Nobody uses any, or their numbers, and tag sets (tag_sets.h) were forgotten
 * before. */
void values_forget(void);

#endif

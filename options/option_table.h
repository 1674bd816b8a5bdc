/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * option_table: everything that is known about each option, one row per key.
 *
 * In:   one value as text, or one item of a list.
 * Out:  the field of struct options that the row names, or an error that names the key,
 *       the value and what is legal.
 * Owns: nothing; the strings and lists belong to the set that is filled.
 *
 * Nothing outside the table knows a key: who needs a value reads the field. An option is
 * added by its row, and a field in struct options.
 */
#ifndef JPROF_OPTIONS_OPTION_TABLE_H
#define JPROF_OPTIONS_OPTION_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error/error.h"
#include "options/options.h"

struct json_t;
struct option_row;

/* How values of one type are read, checked and shown. */
struct option_type {
	bool is_list;
	bool of_names;                   /* a list whose items are joined by ',', too */
	bool from_integer, from_boolean; /* in JSON, besides a string */
	/* Reads value into the field; NULL, or why it cannot. */
	const char *(*give)(const struct option_row *row, void *field, const char *value);
	/* What is legal, for people. */
	void (*describe)(const struct option_row *row, char *text, size_t size);
	/* The scalar field as give would read it. Owned; NULL without memory. */
	char *(*show)(const struct option_row *row, const void *field);
	/* What is legal, as a JSON schema. Owned; NULL without memory. */
	struct json_t *(*schema)(const struct option_row *row);
	size_t size; /* of the field */
	/* Makes an empty field own a copy; false without memory. NULL: it owns nothing. */
	bool (*copy)(void *field, const void *from);
	void (*fini)(void *field);
};

struct option_row {
	const char *key;
	const struct option_type *type;
	const char *values;   /* the legal words, or what a value is */
	uint64_t least, most; /* bounds of a number */
	const char *initial;  /* the default as a user would write it; NULL for none */
	const char *unset;    /* what having no default means */
	const char *meaning;
	const char *not_paths; /* the value is a path, but for these words; NULL: it is
				  none */
	bool may_add;          /* items of this list may begin with PATTERN_ADD */
	const char *forbidden; /* characters that no item of this list may hold, or NULL */
	bool string_only;      /* refused in the config file */
	bool loading_only;     /* refused in the options of one session */
	size_t offset;         /* of the field in struct options */
};

/* The units that a size may have, largest first. */
struct option_unit {
	char letter;
	uint64_t bytes;
};

extern const struct option_unit option_units[];
extern const size_t option_unit_count;

/* The units that a time may have, largest first. */
struct option_time {
	const char *name;
	uint64_t ns;
};

extern const struct option_time option_times[];
extern const size_t option_time_count;

/* Steps through "auto, events, off": the next word, its length, or NULL behind the last. */
const char *option_next_word(const char *words, size_t *length);

extern const struct option_row option_table[];
extern const size_t option_count;

/* Options of which only the given ones are filled. Embedded; zero-initialised is empty. */
struct option_set {
	struct options values;
	uint64_t given; /* bit i: row i was given */
};

bool option_is_given(const struct option_set *set, const struct option_row *row);

/* The row of key[0..length), or NULL. */
const struct option_row *option_find(const char *key, size_t length);

/* The words that a value is one of, as option_next_word steps through them; NULL: it is none of a few. */
const char *option_words(const struct option_row *row);

/* True if the value names a file. */
bool option_is_path(const struct option_row *row, const char *value);

/* Fails for a key that no row has: names the nearest one. */
int option_unknown(const char *key, const char *value, struct error *error);

/* Fails for a value that the row does not allow: says why, and names what is legal. */
int option_refuse(
	const struct option_row *row, const char *value, const char *why, struct error *error);

/* Copies one value into the set: at the end of a list (unless it is there already), or as
 * the value of a scalar, which may be given once. 0, or a negative code; the set is still
 * to be finished, or may be used further. */
int option_give(struct option_set *set, const struct option_row *row, const char *value,
	struct error *error);

/* Gives a list that has no items, which is not the same as none: it replaces another. */
void option_give_empty(struct option_set *set, const struct option_row *row);

/* Splits text at every '+' that no backslash precedes, and gives the items to a list. A '+' that
 * begins an item stays with it where that may add. */
int option_give_list(struct option_set *set, const struct option_row *row, const char *text,
	struct error *error);

/* Moves into `to` what it was not given; what it was given stays. Both still own what they
 * hold. */
void option_set_merge(struct option_set *to, struct option_set *from);
void option_set_fini(struct option_set *set);

/* Copies what the set was not given. 0, or a negative code: the set is still to be
 * finished. */
int option_set_fill(struct option_set *set, const struct options *from, struct error *error);

/* A copy of text[0..length) without the backslashes that precede a backslash or one of the
 * `special` characters; before any other character a backslash stands for itself. Owned;
 * NULL without memory. */
char *option_unescape(const char *text, size_t length, const char *special);

/* The length of text up to the first separator that no backslash precedes. */
size_t option_span(const char *text, char separator);

static inline void *option_field(const struct option_row *row, struct options *options)
{
	return (char *)options + row->offset;
}

static inline const void *option_value(
	const struct option_row *row, const struct options *options)
{
	return (const char *)options + row->offset;
}

/* ---- options as a JSON object: config_json.c ---- */

/* Of a larger file no more than this is read; it is refused. */
enum { CONFIG_SIZE_LIMIT = 1 << 20 };

/* The member by which editors find the schema; passed over. */
#define CONFIG_SCHEMA_KEY "$schema"

/* Gives the keys of the file to the set. 0, or a negative code; the set is still to be
 * finished. */
int config_load(struct option_set *set, const char *path, struct error *error);

/* The same from memory; path is for messages only. NULL: the bytes are in no file, and may
 * name one by `config`. */
int config_parse(struct option_set *set, const char *bytes, size_t size, const char *path,
	struct error *error);

/* What the set was given (`config` is left out) as a JSON object; see options_to_json.
 * Owned; NULL without memory. */
char *config_write(const struct option_set *set, unsigned indent);

/* 0, or a negative code if a value given to the set is not UTF-8: names the option. */
int config_check_utf8(const struct option_set *set, struct error *error);

/* ---- what a config file may hold, as a JSON schema (draft 2020-12): config_schema.c ---- */

/* The schema of one value. It accepts what the agent accepts, with what no schema can say left out: 7.0 is a
 * whole number to it, and it counts no items of lists. Owned; NULL without memory. */
struct json_t *schema_of_text(const struct option_row *row);
struct json_t *schema_of_choice(const struct option_row *row);
struct json_t *schema_of_yes_no(const struct option_row *row);
struct json_t *schema_of_count(const struct option_row *row);
struct json_t *schema_of_percent(const struct option_row *row);
struct json_t *schema_of_period(const struct option_row *row);
struct json_t *schema_of_time(const struct option_row *row);
struct json_t *schema_of_size(const struct option_row *row);
struct json_t *schema_of_list(const struct option_row *row);
struct json_t *schema_of_words(const struct option_row *row);
struct json_t *schema_of_threads(const struct option_row *row);

#endif

/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * config_json: options as a JSON object, read and written.
 *
 * In:   a file of at most CONFIG_SIZE_LIMIT bytes, or its bytes; options.
 * Out:  the keys it gives, checked; or one line that names the file and what is wrong.
 *       Options as such an object.
 */
#ifndef JPROF_OPTIONS_CONFIG_JSON_H
#define JPROF_OPTIONS_CONFIG_JSON_H

#include <stddef.h>

#include "error/error.h"
#include "options/option_table.h"

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

#endif

/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * config_schema: what a config file may hold, as a JSON schema (draft 2020-12).
 *
 * In:   rows of the option table. Each type of option names the function here that tells
 *       what its values are in JSON.
 * Out:  options_schema (options.h) prints all of it; config/schema.json is that text.
 *
 * The schema accepts what the agent accepts, with what no schema can say left out: 7.0 is a
 * whole number to it, and it counts no items of lists.
 */
#ifndef JPROF_OPTIONS_CONFIG_SCHEMA_H
#define JPROF_OPTIONS_CONFIG_SCHEMA_H

struct json_t;
struct option_row;

/* The schema of one value. Owned; NULL without memory. */
struct json_t *schema_of_text(const struct option_row *row);
struct json_t *schema_of_choice(const struct option_row *row);
struct json_t *schema_of_yes_no(const struct option_row *row);
struct json_t *schema_of_count(const struct option_row *row);
struct json_t *schema_of_size(const struct option_row *row);
struct json_t *schema_of_list(const struct option_row *row);
struct json_t *schema_of_threads(const struct option_row *row);

#endif

/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * options: the option string, what wins over what, and the table for people.
 *
 * In:   "key=value,key=value".
 * Out:  struct options.
 * Runs: cold, at the start or on attach, on one thread, without locks.
 */
#include "options/options.h"

#include <stdlib.h>
#include <string.h>

#include "options/option_table.h"
#include "options/wrap.h"

static int no_memory(struct error *error)
{
	return error_set(error, ERROR_MEMORY, "no memory to read the options");
}

/* ---- the option string ---- */

/* Gives the value, still escaped, to the row. */
static int give_escaped(struct option_set *set, const struct option_row *row, const char *value,
	struct error *error)
{
	if (row->type->is_list)
		return option_give_list(set, row, value, error);
	char *plain = option_unescape(value, strlen(value), ",");
	if (!plain)
		return no_memory(error);
	int failed = option_give(set, row, plain, error);
	free(plain);
	return failed;
}

/* Takes "key=value" apart, in place. A word without a key is another item behind a list
 * of names, "metrics=cpu,alloc": *last is the row of the pair before, and then of this
 * one. */
static int parse_pair(
	struct option_set *set, char *pair, const struct option_row **last, struct error *error)
{
	char *equals = strchr(pair, '=');
	if (!equals && *last && (*last)->type->of_names)
		return give_escaped(set, *last, pair, error);
	if (!equals)
		return error_set(error, ERROR_USAGE,
			"option '%s' has no value: write key=value, join the items of "
			"a list by '+', and write a comma inside a value as '\\,'",
			error_subject(pair).text);
	*equals = '\0';
	const struct option_row *row = option_find(pair, strlen(pair));
	if (!row)
		return option_unknown(pair, equals + 1, error);
	*last = row;
	return give_escaped(set, row, equals + 1, error);
}

/* Pairs that are empty (a comma too many) say nothing and are passed over. */
static int parse_string(struct option_set *set, const char *string, struct error *error)
{
	const struct option_row *last = NULL;
	int failed = 0;
	while (!failed && *string) {
		size_t length = option_span(string, ',');
		char *pair = strndup(string, length);
		if (!pair)
			return no_memory(error);
		if (*pair)
			failed = parse_pair(set, pair, &last, error);
		free(pair);
		string += length + (string[length] == ',');
	}
	return failed;
}

/* Whatever the text left open and the file that it names gives. */
static int add_file(struct option_set *set, struct error *error)
{
	struct option_set file = {0};
	int failed = 0;
	if (set->values.config)
		failed = config_load(&file, set->values.config, error);
	if (!failed)
		option_set_merge(set, &file);
	option_set_fini(&file);
	return failed;
}

/* Hands the options over, or none after a failure, which it returns. */
static int finish(struct options *options, struct option_set *set, int failed)
{
	if (failed)
		option_set_fini(set);
	*options = set->values;
	return failed;
}

int options_parse(struct options *options, const char *string, struct error *error)
{
	struct option_set set = {0}, defaults = {0};
	int failed = parse_string(&set, string ? string : "", error);
	if (!failed)
		failed = add_file(&set, error);
	for (size_t i = 0; i < option_count && !failed; i++)
		if (option_table[i].initial)
			failed = give_escaped(
				&defaults, &option_table[i], option_table[i].initial, error);
	if (!failed)
		option_set_merge(&set, &defaults);
	option_set_fini(&defaults);
	return finish(options, &set, failed);
}

void options_fini(struct options *options)
{
	struct option_set set = {.values = *options};
	option_set_fini(&set);
	*options = set.values;
}

/* ---- the options of one session ---- */

int options_override(struct options *options, const struct options *base, const char *text,
	struct error *error)
{
	struct option_set set = {0};
	const char *begin = text ? text + strspn(text, " \t\r\n") : "";
	int failed = 0;
	if (*begin == '{')
		failed = config_parse(&set, begin, strlen(begin), NULL, error);
	else if (*begin)
		failed = parse_string(&set, text, error);
	if (!failed)
		failed = add_file(&set, error);
	for (size_t i = 0; i < option_count && !failed; i++)
		if (option_table[i].loading_only && option_is_given(&set, &option_table[i]))
			failed = error_set(error, ERROR_USAGE,
				"option '%s' is legal only when the agent is loaded, not "
				"for a recording that is started later",
				option_table[i].key);
	if (!failed)
		failed = option_set_fill(&set, base, error);
	return finish(options, &set, failed);
}

bool options_only_load(const char *key)
{
	const struct option_row *row = option_find(key, strlen(key));
	return row && row->loading_only;
}

bool options_is_key(const char *key)
{
	return option_find(key, strlen(key)) != NULL;
}

bool options_is_relative(const char *key, const char *value)
{
	const struct option_row *row = option_find(key, strlen(key));
	return row && value[0] != '/' && option_is_path(row, value);
}

char *options_given_json(const char *string, struct error *error)
{
	struct option_set set = {0};
	char *json = NULL;
	int failed = parse_string(&set, string ? string : "", error);
	if (!failed)
		failed = add_file(&set, error);
	if (!failed)
		failed = config_check_utf8(&set, error);
	if (!failed && !(json = config_write(&set, 0)))
		no_memory(error);
	option_set_fini(&set);
	return json;
}

/* ---- the words of `jprof run` ---- */

/* Before and key=value, joined; in a list, backslashes that are part of the list's own notation stay as they
 * are. Owned; NULL without memory. */
static char *join_pair(const char *before, const struct option_row *row, const char *value)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	if (!out)
		return NULL;
	fprintf(out, "%s%s%s=", before ? before : "", before ? "," : "", row->key);
	for (; *value; value++) {
		if (row->type->is_list && *value == '\\' && value[1] &&
			strchr(",+\\", value[1]))
			fputc(*value++, out);
		else if (*value == ',' || *value == '\\')
			fputc('\\', out);
		fputc(*value, out);
	}
	if (fclose(out) == 0)
		return text;
	free(text);
	return NULL;
}

int options_append(char **string, const char *key, const char *value, struct error *error)
{
	const struct option_row *row = option_find(key, strlen(key));
	if (!row)
		return option_unknown(key, value, error);
	char *joined = join_pair(*string, row, value);
	if (!joined)
		return no_memory(error);
	/* All of it again: a key may have been given before. */
	struct option_set set = {0};
	int failed = parse_string(&set, joined, error);
	option_set_fini(&set);
	if (failed) {
		free(joined);
		return failed;
	}
	free(*string);
	*string = joined;
	return 0;
}

/* ---- the table for people ---- */

static const char *shown_default(const struct option_row *row)
{
	return row->initial ? row->initial : row->unset;
}

static const char loading_note[] = "; only when the agent is loaded";

/* Where the text behind a key begins. */
enum { HELP_COLUMN = 23 };

void options_help(FILE *out)
{
	for (size_t i = 0; i < option_count; i++) {
		const struct option_row *row = &option_table[i];
		char legal[200], line[400];
		row->type->describe(row, legal, sizeof(legal));
		fprintf(out, "  %-*s", HELP_COLUMN - 2, row->key);
		wrap_text(out, HELP_COLUMN, row->meaning);
		snprintf(line, sizeof(line), "%s (default: %s%s)", legal, shown_default(row),
			row->loading_only ? loading_note : "");
		fprintf(out, "%*s", HELP_COLUMN, "");
		wrap_text(out, HELP_COLUMN, line);
	}
}

/* A cell of a Markdown table, where '|' would end it and '*' would begin emphasis. */
static void write_cell(FILE *out, const char *text)
{
	for (; *text; text++) {
		if (strchr("|*", *text))
			fputc('\\', out);
		fputc(*text, out);
	}
}

void options_markdown(FILE *out)
{
	fputs("| key | values | default | meaning |\n|---|---|---|---|\n", out);
	for (size_t i = 0; i < option_count; i++) {
		const struct option_row *row = &option_table[i];
		char legal[200];
		row->type->describe(row, legal, sizeof(legal));
		fprintf(out, "| `%s` | ", row->key);
		write_cell(out, legal);
		fprintf(out, row->initial ? " | `%s` | " : " | %s | ", shown_default(row));
		write_cell(out, row->meaning);
		if (row->loading_only)
			fputs(loading_note, out);
		fputs(" |\n", out);
	}
}

/* ---- the profile's path ---- */

char *options_number_file(const char *file, unsigned number)
{
	const char *name = strrchr(file, '/'), *ending;
	char *path;

	name = name ? name + 1 : file;
	ending = strrchr(name, '.');
	if (!ending || ending == name)
		ending = file + strlen(file);
	return asprintf(&path, "%.*s-%u%s", (int)(ending - file), file, number, ending) < 0
		       ? NULL
		       : path;
}

bool options_file_tells_pid(const char *file)
{
	while ((file = strchr(file, '%')) && file[1] && file[1] != 'p')
		file += 2;
	return file && file[1];
}

char *options_expand_file(const char *file, long pid, long time_now)
{
	char *path = NULL;
	size_t size;
	FILE *out = open_memstream(&path, &size);
	if (!out)
		return NULL;
	for (; *file; file++) {
		bool is_mark = file[0] == '%' && file[1] && strchr("pt%", file[1]);
		file += is_mark;
		if (is_mark && *file != '%')
			fprintf(out, "%ld", *file == 'p' ? pid : time_now);
		else
			fputc(*file, out);
	}
	if (fclose(out) == 0)
		return path;
	free(path);
	return NULL;
}

bool options_keep_budget(const struct options *options)
{
	return options->calls == CALLS_AUTO && options->budget > 0;
}

bool options_sample(const struct options *options)
{
	if (options->sample.count > 0)
		return strcmp(options->sample.pattern[0], "off") != 0;
	return options->calls == CALLS_SAMPLE || options->calls == CALLS_COUNT ||
	       options_keep_budget(options);
}

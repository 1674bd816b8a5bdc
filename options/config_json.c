/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * config_json: options as a JSON object, by jansson.
 *
 * In:   untrusted bytes: any size, any nesting, any types.
 * Out:  what the rows of the option table accept.
 * Owns: nothing after it returns.
 * Runs: cold, on the thread that parses, without locks.
 */
#include "options/option_table.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "error/utf8.h"

/* Every message about a file begins with its name. */
struct source_name {
	char text[200];
};

static struct source_name name_of(const char *path)
{
	struct source_name name = {"text of options"};
	if (path)
		snprintf(name.text, sizeof(name.text), "config '%s'", error_subject(path).text);
	return name;
}

static int refuse_file(
	const char *path, enum error_code code, const char *why, struct error *error)
{
	return error_set(error, code, "%s %s", name_of(path).text, why);
}

static int refuse_file_errno(const char *path, struct error *error)
{
	return error_set_errno(
		error, ERROR_IO, errno, "cannot read config '%s'", error_subject(path).text);
}

static int no_memory(const char *path, struct error *error)
{
	return refuse_file(path, ERROR_MEMORY, "needs more memory than there is", error);
}

/* ---- one value ---- */

/* The value as it stands in the file, more or less. Owned. */
static char *text_of(const char *key, json_t *value, struct error *error)
{
	char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
	if (!text)
		error_set(error, ERROR_MEMORY, "no memory to read option '%s'",
			error_subject(key).text);
	return text;
}

/* Gives a number, and refuses what has no text that a user could have written. */
static int give_as_text(struct option_set *set, const struct option_row *row, json_t *value,
	struct error *error)
{
	char *text = text_of(row->key, value, error);
	if (!text)
		return -ERROR_MEMORY;
	int failed;
	if (json_is_integer(value) && row->type->from_integer)
		failed = option_give(set, row, text, error);
	else
		failed = option_refuse(row, text, "is of a wrong type", error);
	free(text);
	return failed;
}

static int give_array(struct option_set *set, const struct option_row *row, json_t *array,
	struct error *error)
{
	/* "[]" asks for all or none, and for nothing where there is a default. */
	if (json_array_size(array) == 0 && row->initial)
		return option_refuse(row, "[]", "is empty", error);
	option_give_empty(set, row);
	int failed = 0;
	for (size_t i = 0; i < json_array_size(array) && !failed; i++) {
		json_t *item = json_array_get(array, i);
		if (json_is_string(item))
			failed = option_give(set, row, json_string_value(item), error);
		else
			failed = give_as_text(set, row, item, error);
	}
	return failed;
}

static int give_value(struct option_set *set, const struct option_row *row, json_t *value,
	struct error *error)
{
	const struct option_type *type = row->type;
	if (json_is_string(value) && type->is_list)
		return option_give_list(set, row, json_string_value(value), error);
	if (json_is_string(value))
		return option_give(set, row, json_string_value(value), error);
	if (json_is_array(value) && type->is_list)
		return give_array(set, row, value, error);
	if (json_is_boolean(value) && type->from_boolean)
		return option_give(set, row, json_is_true(value) ? "yes" : "no", error);
	return give_as_text(set, row, value, error);
}

static int give_member(struct option_set *set, const char *key, json_t *value, bool is_file,
	struct error *error)
{
	if (strcmp(key, CONFIG_SCHEMA_KEY) == 0 && json_is_string(value))
		return 0;
	const struct option_row *row = option_find(key, strlen(key));
	if (!row) {
		char *text = text_of(key, value, error);
		int failed = text ? option_unknown(key, text, error) : -ERROR_MEMORY;
		free(text);
		return failed;
	}
	if (row->string_only && is_file)
		return error_set(error, ERROR_USAGE,
			"option '%s' is legal in the option string only, not in a file", key);
	return give_value(set, row, value, error);
}

/* ---- the file ---- */

static int give_object(
	struct option_set *set, json_t *object, const char *path, struct error *error)
{
	if (!json_is_object(object))
		return refuse_file(
			path, ERROR_FORMAT, "is not a JSON object: write {...}", error);
	const char *key;
	json_t *value;
	json_object_foreach(object, key, value)
	{
		struct error inner = {0};
		if (give_member(set, key, value, path != NULL, &inner) != 0)
			return error_set(
				error, inner.code, "%s: %s", name_of(path).text, inner.text);
	}
	return 0;
}

int config_parse(struct option_set *set, const char *bytes, size_t size, const char *path,
	struct error *error)
{
	json_error_t json_error;
	json_t *object = json_loadb(bytes, size, JSON_REJECT_DUPLICATES, &json_error);
	/* Without memory to begin with jansson says nothing, and line -1. */
	if (!object && (json_error_code(&json_error) == json_error_out_of_memory ||
			       json_error.line < 0))
		return no_memory(path, error);
	if (!object)
		return error_set(error, ERROR_FORMAT, "%s is not JSON in line %d: %s",
			name_of(path).text, json_error.line,
			error_subject(json_error.text).text);
	int failed = give_object(set, object, path, error);
	json_decref(object);
	return failed;
}

int config_load(struct option_set *set, const char *path, struct error *error)
{
	/* One byte more than is allowed tells a file that is too large. */
	size_t room = CONFIG_SIZE_LIMIT + 1;
	struct stat status;
	int failed;
	/* Looked at before it is opened: opening a pipe would wait, a device may act. */
	if (stat(path, &status) != 0)
		return refuse_file_errno(path, error);
	if (!S_ISREG(status.st_mode))
		return refuse_file(path, ERROR_FORMAT, "is not a regular file", error);
	FILE *file = fopen(path, "re");
	if (!file)
		return refuse_file_errno(path, error);
	char *bytes = malloc(room);
	size_t size = bytes ? fread(bytes, 1, room, file) : 0;
	if (!bytes)
		failed = no_memory(path, error);
	else if (ferror(file))
		failed = refuse_file_errno(path, error);
	else if (size > CONFIG_SIZE_LIMIT)
		failed = refuse_file(
			path, ERROR_FORMAT, "is larger than 1 MB, the most it may be", error);
	else
		failed = config_parse(set, bytes, size, path, error);
	free(bytes);
	fclose(file);
	return failed;
}

/* ---- written ---- */

static bool is_utf8(const char *text)
{
	size_t length = 1;
	for (; *text && length > 0; text += length)
		length = utf8_length(text, UTF8_MAX);
	return length > 0;
}

static bool is_written(const struct option_set *set, const struct option_row *row)
{
	return option_is_given(set, row) && !row->string_only;
}

static int check_row(const struct option_row *row, const void *field, struct error *error)
{
	const struct pattern_list *list = row->type->is_list ? field : NULL;
	char *shown = list ? NULL : row->type->show(row, field);
	int failed = 0;
	if (!list && !shown)
		return error_set(
			error, ERROR_MEMORY, "no memory to write option '%s'", row->key);
	for (size_t i = 0; i < (list ? list->count : 1) && !failed; i++) {
		const char *text = list ? list->pattern[i] : shown;
		if (!is_utf8(text))
			failed = option_refuse(row, text, "is not UTF-8", error);
	}
	free(shown);
	return failed;
}

int config_check_utf8(const struct option_set *set, struct error *error)
{
	int failed = 0;
	for (size_t i = 0; i < option_count && !failed; i++)
		if (is_written(set, &option_table[i]))
			failed = check_row(&option_table[i],
				option_value(&option_table[i], &set->values), error);
	return failed;
}

/* A path may hold any bytes, JSON only UTF-8. */
static json_t *json_from_bytes(const char *text)
{
	static const char replacement[] = "\xef\xbf\xbd";
	char *clean = malloc(3 * strlen(text) + 1), *out = clean;
	if (!clean)
		return NULL;
	while (*text) {
		size_t length = utf8_length(text, UTF8_MAX);
		memcpy(out, length ? text : replacement, length ? length : 3);
		out += length ? length : 3;
		text += length ? length : 1;
	}
	*out = '\0';
	json_t *json = json_string(clean);
	free(clean);
	return json;
}

static json_t *value_to_json(const struct option_row *row, const void *field)
{
	const struct pattern_list *list = field;
	if (!row->type->is_list) {
		char *text = row->type->show(row, field);
		bool is_number =
			text && row->type->from_integer && !text[strspn(text, "0123456789")];
		json_t *json = NULL;
		if (text)
			json = is_number ? json_integer(atoll(text)) : json_from_bytes(text);
		free(text);
		return json;
	}
	json_t *array = json_array();
	for (size_t i = 0; i < list->count && array; i++)
		if (json_array_append_new(array, json_from_bytes(list->pattern[i])) != 0) {
			json_decref(array);
			array = NULL;
		}
	return array;
}

static json_t *object_of(const struct option_set *set)
{
	json_t *object = json_object();
	for (size_t i = 0; i < option_count && object; i++) {
		const struct option_row *row = &option_table[i];
		if (!is_written(set, row))
			continue;
		json_t *value = value_to_json(row, option_value(row, &set->values));
		if (json_object_set_new(object, row->key, value) != 0) {
			json_decref(object);
			object = NULL;
		}
	}
	return object;
}

char *config_write(const struct option_set *set, unsigned indent)
{
	json_t *object = object_of(set);
	if (!object)
		return NULL;
	char *text = json_dumps(object, indent ? JSON_INDENT(indent) : 0);
	json_decref(object);
	return text;
}

char *options_to_json(const struct options *options, unsigned indent)
{
	struct option_set all = {.values = *options, .given = UINT64_MAX};
	return config_write(&all, indent);
}

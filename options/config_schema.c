/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * config_schema: the JSON schema, put together by jansson.
 *
 * In:   the option table.
 * Out:  JSON. Without memory nothing is printed.
 * Runs: cold, in the command, on one thread, without locks.
 *
 * The patterns are regular expressions as ECMA-262 has them, and of these only what other
 * validators have as well.
 */

#include <ctype.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "options/option_table.h"
#include "options/thread_choice.h"

/* ---- JSON: each takes its parts; NULL if one of them is, or without memory ---- */

static json_t *with(json_t *object, const char *key, json_t *value)
{
	if (json_object_set_new(object, key, value) == 0)
		return object;
	json_decref(object);
	return NULL;
}

static json_t *append(json_t *array, json_t *value)
{
	if (json_array_append_new(array, value) == 0)
		return array;
	json_decref(array);
	return NULL;
}

static json_t *typed(const char *type)
{
	return with(json_object(), "type", json_string(type));
}

static json_t *any_of(json_t *array)
{
	return with(json_object(), "anyOf", array);
}

/* A string that matches the expression which the format gives. */
__attribute__((format(printf, 1, 2))) static json_t *matching(const char *format, ...)
{
	char *expression;
	va_list arguments;
	va_start(arguments, format);
	int length = vasprintf(&expression, format, arguments);
	va_end(arguments);
	if (length < 0)
		return NULL;
	json_t *schema = with(typed("string"), "pattern", json_string(expression));
	free(expression);
	return schema;
}

/* ---- texts and words ---- */

struct json_t *schema_of_text(const struct option_row *row)
{
	return with(typed("string"), "minLength", json_integer(1));
}

static json_t *words_of(const struct option_row *row)
{
	json_t *words = json_array();
	size_t length;
	for (const char *word = row->values; (word = option_next_word(word, &length));
		word += length)
		words = append(words, json_stringn(word, length));
	return words;
}

struct json_t *schema_of_choice(const struct option_row *row)
{
	return with(json_object(), "enum", words_of(row));
}

struct json_t *schema_of_yes_no(const struct option_row *row)
{
	return with(json_object(), "enum",
		append(append(words_of(row), json_true()), json_false()));
}

/* ---- numbers ---- */

/* An expression for the numbers without leading zeros that are at least the bound (or, with
 * is_most, for all that are at most the bound, and for nothing at all): those of more digits
 * (fewer), those that are larger (smaller) in one digit and the same before it, and the
 * bound itself. Longest for 20 digits, of some 20 characters and the digits before each. */
struct bound_text {
	char text[640];
};

static struct bound_text bound_expression(uint64_t bound, bool is_most)
{
	struct bound_text result;
	char digits[24];
	int count = snprintf(digits, sizeof(digits), "%" PRIu64, bound);
	FILE *out = fmemopen(result.text, sizeof(result.text), "w");
	result.text[0] = '\0';
	if (!out)
		return result;
	fprintf(out, is_most ? "[0-9]{0,%d}" : "[1-9][0-9]{%d,}", is_most ? count - 1 : count);
	for (int i = 0; i < count; i++) {
		char low = is_most ? '0' : digits[i] + 1;
		char high = is_most ? digits[i] - 1 : '9';
		if (low <= high)
			fprintf(out, "|%.*s[%c-%c][0-9]{%d}", i, digits, low, high,
				count - 1 - i);
	}
	fprintf(out, "|%s", digits);
	fclose(out);
	return result;
}

/* A string of digits from least to most, and the unit (an expression, or "") behind them. */
static json_t *digits_schema(uint64_t least, uint64_t most, const char *unit)
{
	struct bound_text low = bound_expression(least, false);
	struct bound_text high = bound_expression(most, true);
	if (!low.text[0] || !high.text[0])
		return NULL;
	return matching("^(?=0*(?:%s)%s$)0*(?:%s)%s$", low.text, unit, high.text, unit);
}

static json_t *plain_schemas(const struct option_row *row)
{
	json_t *number =
		with(typed("integer"), "minimum", json_integer((json_int_t)row->least));
	number = with(number, "maximum", json_integer((json_int_t)row->most));
	return append(append(json_array(), number), digits_schema(row->least, row->most, ""));
}

struct json_t *schema_of_count(const struct option_row *row)
{
	return any_of(plain_schemas(row));
}

struct json_t *schema_of_percent(const struct option_row *row)
{
	return any_of(append(plain_schemas(row), json_pack("{s:s}", "const", "off")));
}

static json_t *size_schemas(const struct option_row *row)
{
	json_t *schemas = plain_schemas(row);
	for (size_t i = 0; i < option_unit_count; i++) {
		const struct option_unit *unit = &option_units[i];
		char letter[] = {'[', unit->letter, (char)toupper(unit->letter), ']', '\0'};
		uint64_t least = (row->least + unit->bytes - 1) / unit->bytes;
		schemas =
			append(schemas, digits_schema(least, row->most / unit->bytes, letter));
	}
	return schemas;
}

struct json_t *schema_of_size(const struct option_row *row)
{
	return any_of(size_schemas(row));
}

struct json_t *schema_of_period(const struct option_row *row)
{
	return any_of(append(size_schemas(row), json_pack("{s:s}", "const", "all")));
}

struct json_t *schema_of_time(const struct option_row *row)
{
	json_t *schemas = append(json_array(), json_pack("{s:s}", "const", "off"));
	for (size_t i = 0; i < option_time_count; i++) {
		const struct option_time *unit = &option_times[i];
		uint64_t least = (row->least + unit->ns - 1) / unit->ns;
		schemas =
			append(schemas, digits_schema(least, row->most / unit->ns, unit->name));
	}
	return any_of(schemas);
}

/* ---- lists ---- */

/* An array of the items; and one string in which they are joined: a '+' in an item has a
 * backslash before it there. Expressions: `instead` ("this|") for what an item may be that
 * looks otherwise, `first` for what is looked at before any other. */
static json_t *list_schemas(
	const struct option_row *row, const char *instead, const char *first)
{
	/* The row's forbidden characters as they stand inside [...] of an expression. */
	char class[64] = "";
	size_t length = 0;
	for (const char *c = row->forbidden ? row->forbidden : ""; *c; c++) {
		if (strchr("[]", *c))
			class[length++] = '\\';
		class[length++] = *c;
	}
	const char *plus = row->may_add ? "\\+?" : "", *empty = "", *empty_joined = "";
	char any[80] = "[\\s\\S]", joined[240];
	if (*class)
		snprintf(any, sizeof(any), "[^%s]", class);
	if (row->may_add) {
		empty = "(?!\\+$)";
	} else if (row->type->of_names) {
		empty = "(?!,+$)";
		empty_joined = "(?!,+(?:\\+|$))";
	}
	snprintf(joined, sizeof(joined), "(?:%s%s%s%s(?:[^+\\\\%s]|\\\\%s|\\\\$)+)", instead,
		first, empty_joined, plus, class, any);
	json_t *array = typed("array");
	array = with(array, "items", matching("^(?:%s%s%s%s+)$", instead, first, empty, any));
	if (row->initial)
		array = with(array, "minItems", json_integer(1));
	return any_of(append(
		append(json_array(), array), matching("^%s(?:\\+%s)*$", joined, joined)));
}

struct json_t *schema_of_list(const struct option_row *row)
{
	return list_schemas(row, "", "");
}

/* Words of the row: as an array, or joined by '+'. */
struct json_t *schema_of_words(const struct option_row *row)
{
	char words[240] = "";
	size_t length, used = 0;
	for (const char *word = row->values; (word = option_next_word(word, &length));
		word += length)
		used += (size_t)snprintf(words + used, sizeof(words) - used, "%s%.*s",
			used ? "|" : "", (int)length, word);
	json_t *array =
		with(typed("array"), "items", with(json_object(), "enum", words_of(row)));
	return any_of(append(
		append(json_array(), array), matching("^(?:%s)(?:\\+(?:%s))*$", words, words)));
}

struct json_t *schema_of_threads(const struct option_row *row)
{
	char id[60];
	snprintf(id, sizeof(id), "(?:#|tid:)[1-9][0-9]{0,%d}|", THREAD_ID_DIGITS - 1);
	return list_schemas(row, id, "(?!#|tid:)");
}

/* ---- the whole ---- */

static json_t *properties(const json_t *defaults)
{
	json_t *object = with(json_object(), CONFIG_SCHEMA_KEY, typed("string"));
	for (size_t i = 0; i < option_count; i++) {
		const struct option_row *row = &option_table[i];
		char legal[200];
		if (row->string_only)
			continue;
		row->type->describe(row, legal, sizeof(legal));
		json_t *property = with(row->type->schema(row), "description",
			json_sprintf("%s; legal: %s", row->meaning, legal));
		property = with(
			property, "default", json_incref(json_object_get(defaults, row->key)));
		object = with(object, row->key, property);
	}
	return object;
}

void options_schema(FILE *out)
{
	struct options options;
	if (options_parse(&options, NULL, NULL) != 0)
		return;
	char *text = options_to_json(&options, 0);
	options_fini(&options);
	json_t *defaults = text ? json_loads(text, 0, NULL) : NULL, *schema = NULL;
	free(text);
	if (defaults) {
		schema = with(json_object(), CONFIG_SCHEMA_KEY,
			json_string("https://json-schema.org/draft/2020-12/schema"));
		schema = with(schema, "title", json_string("config file of jprof's agent"));
		schema = with(schema, "type", json_string("object"));
		schema = with(schema, "properties", properties(defaults));
		schema = with(schema, "additionalProperties", json_false());
	}
	text = schema ? json_dumps(schema, JSON_INDENT(2)) : NULL;
	if (text)
		fprintf(out, "%s\n", text);
	free(text);
	json_decref(schema);
	json_decref(defaults);
}

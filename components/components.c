/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* components: see components.h. */
#include "components/components.h"

#include <errno.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "components/ready_made.h" /* config/components.json as ready_made[] */
#include "components/loaders.h"
#include "options/nearest.h"

enum { NAME_LONGEST = 100, PATTERN_LONGEST = 1000 };

/* A place in the definitions, for messages. */
struct place {
	const char *subject, *text;
	size_t length;
	size_t component; /* from 1 on */
	const char *name; /* its name, as far as it is known */
	size_t patterns;  /* so far, of all */
	struct components *components;
	struct error *error;
};

/* ---- messages ---- */

/* The line that the n-th object of the list begins on: objects within it stand deeper. */
static unsigned line_of(const struct place *place)
{
	unsigned line = 1, depth = 0;
	size_t objects = 0;
	bool is_text = false;

	for (size_t i = 0; i < place->length; i++) {
		char c = place->text[i];

		line += c == '\n';
		if (is_text && c == '\\')
			i++;
		else if (c == '"')
			is_text = !is_text;
		else if (!is_text && (c == '}' || c == ']'))
			depth--;
		else if (!is_text && (c == '{' || c == '[')) {
			if (depth == 2 && ++objects == place->component)
				return line;
			depth++;
		}
	}
	return line;
}

static int refuse(const struct place *place, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static int refuse(const struct place *place, const char *format, ...)
{
	char text[700];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	return error_set(place->error, ERROR_VALUE,
		"'%s': line %u: component %zu%s%.100s%s: %s",
		error_subject(place->subject).text, line_of(place), place->component,
		place->name ? " ('" : "", place->name ? place->name : "",
		place->name ? "')" : "", text);
}

static int no_memory(struct error *error)
{
	return error_set(error, ERROR_MEMORY, "no memory for components");
}

/* ---- members of a component ---- */

typedef int read_value(struct component *component, const json_t *value, struct place *place);

/* Before all others: it is in their messages. */
static int read_name(struct component *component, const json_t *value, struct place *place)
{
	const char *name = json_string_value(value);
	size_t length = json_string_length(value);

	if (!name || length == 0 || length > NAME_LONGEST)
		return refuse(place, "'name' needs a text of 1 to %d bytes", NAME_LONGEST);
	for (size_t i = 0; i + 1 < place->components->count; i++)
		if (strcmp(place->components->component[i].name, name) == 0)
			return refuse(place, "there is one of that name before it");
	component->name = name;
	return 0;
}

static int read_patterns(
	struct pattern_list *list, const char *key, const json_t *value, struct place *place)
{
	const json_t *item;
	size_t i;

	if (!json_is_array(value))
		return refuse(
			place, "'%s' needs a list of patterns such as [\"com.acme.*\"]", key);
	json_array_foreach(value, i, item)
	{
		size_t length = json_string_length(item);

		if (length == 0 || length > PATTERN_LONGEST)
			return refuse(place,
				"'%s' needs patterns of 1 to %d bytes, such as \"com.acme.*\"",
				key, PATTERN_LONGEST);
		if (++place->patterns > COMPONENTS_PATTERNS_MAX)
			return refuse(place, "too many patterns: %d are legal in all",
				COMPONENTS_PATTERNS_MAX);
		if (pattern_list_add(list, json_string_value(item)) != 0)
			return no_memory(place->error);
	}
	return 0;
}

static int read_methods(struct component *component, const json_t *value, struct place *place)
{
	return read_patterns(&component->methods, "methods", value, place);
}

static int read_entries(struct component *component, const json_t *value, struct place *place)
{
	return read_patterns(&component->entries, "entries", value, place);
}

static int find_kind(const char *name, struct choices *choices)
{
	*choices = (struct choices){.nearest.wanted = name};
	for (int kind = 0; kind < METHOD_KINDS; kind++) {
		choices_add(choices, method_kind_names[kind]);
		if (strcmp(method_kind_names[kind], name) == 0)
			return kind;
	}
	return -1;
}

static int read_kinds(struct component *component, const json_t *value, struct place *place)
{
	const json_t *item;
	size_t i;

	if (!json_is_array(value))
		return refuse(place, "'kinds' needs a list such as [\"kernel\"]");
	json_array_foreach(value, i, item)
	{
		const char *name = json_is_string(item) ? json_string_value(item) : "";
		struct choices choices;
		int kind = find_kind(name, &choices);

		if (kind < 0)
			return refuse(place, "no kind '%s'%s", error_subject(name).text,
				choices_text(&choices, "kinds"));
		component->kinds |= 1u << kind;
	}
	return 0;
}

static int read_below(struct component *component, const json_t *value, struct place *place)
{
	if (!json_is_boolean(value) && !json_is_array(value))
		return refuse(
			place, "'below' needs true, false or a list of components' names");
	component->takes_all = json_is_true(value);
	return 0;
}

static int read_of_caller(struct component *component, const json_t *value, struct place *place)
{
	if (!json_is_boolean(value))
		return refuse(place, "'of_caller' needs true or false");
	component->of_caller = json_is_true(value);
	return 0;
}

static const struct {
	const char *key;
	read_value *read;
} members[] = {
	{"name", read_name},
	{"methods", read_methods},
	{"entries", read_entries},
	{"kinds", read_kinds},
	{"below", read_below},
	{"of_caller", read_of_caller},
};

enum { MEMBERS = sizeof(members) / sizeof(*members) };

static int check_keys(const json_t *json, const struct place *place)
{
	struct choices choices = {0};
	const char *key;
	json_t *value;

	json_object_foreach((json_t *)json, key, value)
	{
		int m = 0;

		choices = (struct choices){.nearest.wanted = key};
		for (int i = 0; i < MEMBERS; i++)
			choices_add(&choices, members[i].key);
		while (m < MEMBERS && strcmp(members[m].key, key) != 0)
			m++;
		if (m == MEMBERS)
			return refuse(place, "no key '%s'%s", error_subject(key).text,
				choices_text(&choices, "keys"));
	}
	return 0;
}

static int read_component(struct component *component, const json_t *json, struct place *place)
{
	int failed;

	place->name = NULL;
	if (!json_is_object(json))
		return refuse(place, "is no object");
	if (!json_object_get(json, "name"))
		return refuse(place, "needs a 'name'");
	for (int m = 0; m < MEMBERS; m++) {
		const json_t *value = json_object_get(json, members[m].key);

		failed = value ? members[m].read(component, value, place) : 0;
		if (failed != 0)
			return failed;
		place->name = component->name;
	}
	if (component->methods.count + component->entries.count == 0 && component->kinds == 0)
		return refuse(
			place, "has no methods: it needs 'methods', 'entries' or 'kinds'");
	return check_keys(json, place);
}

/* ---- what belongs to callers, when all names are known ---- */

static int find_name(
	const struct components *components, const char *name, struct choices *choices)
{
	*choices = (struct choices){.nearest.wanted = name};
	for (size_t i = 0; i < components->count; i++) {
		choices_add(choices, components->component[i].name);
		if (strcmp(components->component[i].name, name) == 0)
			return (int)i;
	}
	return -1;
}

static int find_taken(struct component *component, const json_t *json, struct place *place)
{
	const json_t *below = json_object_get(json, "below"), *item;
	size_t i;

	place->name = component->name;
	component->takes = calloc(place->components->count, sizeof(*component->takes));
	if (!component->takes)
		return no_memory(place->error);
	json_array_foreach(below, i, item)
	{
		const char *name = json_is_string(item) ? json_string_value(item) : "";
		struct choices choices;
		int found = find_name(place->components, name, &choices);

		if (found < 0)
			return refuse(place, "'below': no component '%s'%s",
				error_subject(name).text, choices_text(&choices, "components"));
		component->takes[found] = true;
	}
	return 0;
}

/* ---- the definitions ---- */

static int check_file(const json_t *json, const json_t *list, const struct place *place)
{
	const char *subject = place->subject, *key;
	json_t *value;

	if (!json_is_object(json))
		return error_set(place->error, ERROR_VALUE,
			"'%s' is no JSON object: {\"components\": [...]} is legal",
			error_subject(subject).text);
	json_object_foreach((json_t *)json, key, value)
	{
		bool is_schema = strcmp(key, "$schema") == 0 && json_is_string(value);

		if (strcmp(key, "components") != 0 && !is_schema)
			return error_set(place->error, ERROR_VALUE,
				"'%s': no key '%s'; there is 'components'",
				error_subject(subject).text, error_subject(key).text);
	}
	if (!json_is_array(list) || json_array_size(list) == 0)
		return error_set(place->error, ERROR_VALUE,
			"'%s': needs \"components\", a list with one component at least",
			error_subject(subject).text);
	if (json_array_size(list) >= COMPONENTS_MAX)
		return error_set(place->error, ERROR_VALUE,
			"'%s': %zu components: %d at most are legal",
			error_subject(subject).text, json_array_size(list), COMPONENTS_MAX - 1);
	return 0;
}

static int read_list(struct components *components, const json_t *list, struct place *place)
{
	size_t count = json_array_size(list);
	int failed = 0;

	components->component = calloc(count + 1, sizeof(*components->component));
	if (!components->component)
		return no_memory(place->error);
	components->component[0].name = COMPONENT_APPLICATION_NAME;
	components->count = 1;
	for (size_t i = 1; i <= count && failed == 0; i++) {
		place->component = components->count++;
		failed = read_component(
			&components->component[i], json_array_get(list, i - 1), place);
	}
	for (size_t i = 0; i <= count && failed == 0; i++) {
		place->component = i;
		failed = find_taken(&components->component[i],
			i > 0 ? json_array_get(list, i - 1) : NULL, place);
	}
	return failed;
}

int components_parse(struct components *components, const char *text, size_t length,
	const char *subject, struct error *error)
{
	struct place place = {.subject = subject,
		.text = text,
		.length = length,
		.components = components,
		.error = error};
	json_error_t wrong;
	const json_t *list;
	int failed;

	*components = (struct components){0};
	if (length > COMPONENTS_TEXT_MAX)
		return error_set(error, ERROR_VALUE, "'%s' is larger than %d bytes",
			error_subject(subject).text, COMPONENTS_TEXT_MAX);
	components->json = json_loadb(text, length, JSON_REJECT_DUPLICATES, &wrong);
	if (!components->json)
		return error_set(error, ERROR_VALUE, "'%s': line %d: %s",
			error_subject(subject).text, wrong.line, wrong.text);
	list = json_object_get(components->json, "components");
	failed = check_file(components->json, list, &place);
	return failed == 0 ? read_list(components, list, &place) : failed;
}

/* As many bytes as are legal, and one more. */
static int read_text(const char *path, char **text, size_t *length, struct error *error)
{
	FILE *file = fopen(path, "re");
	int failed = 0;

	if (!file)
		return error_set_errno(
			error, ERROR_IO, errno, "cannot open '%s'", error_subject(path).text);
	*text = calloc(1, COMPONENTS_TEXT_MAX + 2);
	if (*text)
		*length = fread(*text, 1, COMPONENTS_TEXT_MAX + 1, file);
	else
		failed = no_memory(error);
	if (ferror(file))
		failed = error_set_errno(
			error, ERROR_IO, errno, "cannot read '%s'", error_subject(path).text);
	fclose(file);
	return failed;
}

int components_read(
	struct components *components, const char *path, char **text, struct error *error)
{
	char *bytes = NULL;
	size_t length = 0;
	int failed;

	*components = (struct components){0};
	failed = read_text(path, &bytes, &length, error);
	if (failed == 0)
		failed = components_parse(components, bytes, length, path, error);
	if (failed == 0 && text)
		*text = bytes;
	else
		free(bytes);
	return failed;
}

const char *components_ready_made(size_t *length)
{
	*length = sizeof(ready_made);
	return (const char *)ready_made;
}

int components_choose(struct components *components, const struct profile *profile,
	const char *name, struct error *error)
{
	const char *kept = profile_meta_get(profile, COMPONENTS_FACT);
	bool is_kinds = name && strcmp(name, COMPONENTS_KINDS) == 0;
	int failed;

	if (name && !is_kinds && strcmp(name, COMPONENTS_LAYERS) != 0)
		return components_read(components, name, NULL, error);
	if (kept && !name)
		return components_parse(
			components, kept, strlen(kept), "the profile's components", error);
	failed = components_parse(components, (const char *)ready_made, sizeof(ready_made),
		"the ready-made components", error);
	for (size_t i = 0; is_kinds && i < components->count; i++)
		components->component[i].of_caller = false;
	return failed;
}

void components_fini(struct components *components)
{
	for (size_t i = 0; i < components->count; i++) {
		pattern_list_fini(&components->component[i].methods);
		pattern_list_fini(&components->component[i].entries);
		free(components->component[i].takes);
	}
	for (size_t i = 0; components->names && components->names[i]; i++)
		free(components->names[i]);
	free(components->names);
	free(components->class);
	free(components->component);
	json_decref(components->json);
	*components = (struct components){0};
}

/* ---- methods ---- */

/* False for most patterns, at their first letters: of a profile with 100,000 methods there are millions to try. */
static bool may_match(const char *pattern, const char *class_name)
{
	while (*pattern == *class_name && *pattern != '\0') {
		pattern++;
		class_name++;
	}
	return *pattern == '*' || *class_name == '\0';
}

static bool matches(const struct pattern_list *list, const char *class_name, const char *name)
{
	for (size_t i = 0; i < list->count; i++)
		if (may_match(list->pattern[i], class_name) &&
			pattern_match_method(list->pattern[i], class_name, name ? name : ""))
			return true;
	return false;
}

struct method_component components_find(const struct components *components,
	enum method_kind kind, const char *class_name, const char *name)
{
	/* Names of functions and of libraries may look like a package's. */
	bool is_java = kind == METHOD_JAVA && class_name;

	if (components->class)
		return components_of_class(components, is_java ? class_name : NULL);
	for (size_t i = 1; i < components->count; i++) {
		const struct component *component = &components->component[i];
		bool is_entry = is_java && matches(&component->entries, class_name, name);

		if (is_entry || component->kinds >> kind & 1 ||
			(is_java && matches(&component->methods, class_name, name)))
			return (struct method_component){
				(uint16_t)i, is_entry || component->entries.count == 0};
	}
	return (struct method_component){COMPONENT_APPLICATION, true};
}

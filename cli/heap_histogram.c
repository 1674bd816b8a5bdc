/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* heap_histogram: see heap_histogram.h. */
#include "cli/heap_histogram.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* A line of the answer:
 *     1:         12345         987654  [B (java.base@17.0.1)
 */
static bool read_number(const char **at, uint64_t *number)
{
	char *end;

	while (**at == ' ')
		++*at;
	if (!isdigit((unsigned char)**at))
		return false;
	*number = strtoull(*at, &end, 10);
	*at = end;
	return true;
}

/* The Java name of a class as the JVM prints it, "[Ljava.lang.String;" or "[[I", which ends there. Returns what is behind it in
 * names. */
static char *put_name(char *name, const char *text, size_t length)
{
	static const struct {
		char letter;
		const char *name;
	} primitives[] = {{'Z', "boolean"}, {'B', "byte"}, {'C', "char"}, {'S', "short"},
		{'I', "int"}, {'J', "long"}, {'F', "float"}, {'D', "double"}};
	size_t dimensions = 0;
	const char *element = NULL;

	while (dimensions < length && text[dimensions] == '[')
		dimensions++;
	text += dimensions;
	length -= dimensions;
	for (size_t i = 0; dimensions > 0 && i < sizeof(primitives) / sizeof(*primitives); i++)
		if (length == 1 && text[0] == primitives[i].letter)
			element = primitives[i].name;
	if (dimensions > 0 && length > 1 && text[0] == 'L') {
		text++;
		length -= 1 + (text[length - 2] == ';');
	}
	if (element)
		name = stpcpy(name, element);
	else
		name = (char *)memcpy(name, text, length) + length;
	while (dimensions-- > 0)
		name = stpcpy(name, "[]");
	*name = '\0';
	return name + 1;
}

/* False: the line is none of a class. names: where its name goes, and then the next one. */
static bool read_line(const char *line, size_t length, struct heap_row *row, char **names)
{
	const char *at = line, *end = line + length, *module = NULL;
	uint64_t number;

	if (!read_number(&at, &number) || *at++ != ':' || !read_number(&at, &row->objects) ||
		!read_number(&at, &row->bytes))
		return false;
	while (at < end && *at == ' ')
		at++;
	while (end > at && (end[-1] == ' ' || end[-1] == '\r'))
		end--;
	/* The last one: names may hold anything. */
	for (const char *next = at; end > at && end[-1] == ')' &&
				    (next = memmem(next, (size_t)(end - next), " (", 2));
		next++)
		module = next;
	if (module)
		end = module;
	if (at == end)
		return false;
	row->class = *names;
	*names = put_name(*names, at, (size_t)(end - at));
	return true;
}

int heap_histogram_read(
	struct heap_histogram *histogram, const char *answer, struct error *error)
{
	size_t lines = 1;
	const char *end;
	char *names;

	*histogram = (struct heap_histogram){0};
	for (const char *at = answer; *at != '\0'; at++)
		lines += *at == '\n';
	histogram->row = calloc(lines, sizeof(*histogram->row));
	/* "[B" becomes longer: each line is more than the ten bytes by which. */
	histogram->names = names = malloc(2 * strlen(answer) + 1);
	if (!histogram->row || !names)
		return error_set(error, ERROR_MEMORY, "no memory for the histogram");
	for (const char *at = answer; *at != '\0'; at = *end == '\n' ? end + 1 : end) {
		struct heap_row *row = &histogram->row[histogram->count];

		end = strchrnul(at, '\n');
		if (!read_line(at, (size_t)(end - at), row, &names))
			continue;
		histogram->objects += row->objects;
		histogram->bytes += row->bytes;
		histogram->count++;
	}
	if (histogram->count > 0)
		return 0;
	return error_set(error, ERROR_FORMAT, "the JVM's answer is no histogram: '%s'",
		error_subject(answer).text);
}

void heap_histogram_fini(struct heap_histogram *histogram)
{
	free(histogram->row);
	free(histogram->names);
	*histogram = (struct heap_histogram){0};
}

/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* log_lines: see log_lines.h. */
#include "agent/jvm/log_lines.h"

#include <stdlib.h>
#include <string.h>

void log_lines_init(struct log_lines *lines, log_line_taker take, void *argument)
{
	*lines = (struct log_lines){.take = take, .argument = argument};
}

void log_lines_fini(struct log_lines *lines)
{
	free(lines->kept);
	lines->kept = NULL;
	lines->length = lines->room = 0;
}

/* What stands in the brackets at *text, its blanks at the end cut off; behind them *text goes on. NULL: there are none. */
static char *decoration(char **text)
{
	char *begin = *text, *end;

	if (*begin != '[')
		return NULL;
	end = strchr(++begin, ']');
	if (!end)
		return NULL;
	*text = end + 1;
	while (end > begin && end[-1] == ' ')
		end--;
	*end = '\0';
	return begin;
}

/* True if the text is a number with that unit. */
static bool number(const char *text, const char *unit, uint64_t *value)
{
	char *end;

	if (!text || *text < '0' || *text > '9')
		return false;
	*value = strtoull(text, &end, 10);
	return strcmp(end, unit) == 0;
}

/* The line has room behind it, and ends with a zero byte. */
static void take(struct log_lines *lines, char *text)
{
	struct log_line line;
	const char *at = decoration(&text), *thread = decoration(&text);

	line.tags = decoration(&text);
	if (!number(at, "ns", &line.at) || !number(thread, "", &line.thread) || !line.tags ||
		*text != ' ') {
		lines->strange++;
		return;
	}
	line.text = text + 1;
	lines->lines++;
	lines->take(lines->argument, &line);
}

/* Adds to the line that is kept. False: it is too long, or there is no memory. */
static bool keep(struct log_lines *lines, const char *bytes, size_t size)
{
	size_t needed = lines->length + size + 1;

	if (needed > LOG_LINE_MAX)
		return false;
	if (needed > lines->room) {
		size_t room = needed * 2 < 512 ? 512 : needed * 2;
		char *kept = realloc(lines->kept, room);

		if (!kept)
			return false;
		lines->kept = kept;
		lines->room = room;
	}
	memcpy(lines->kept + lines->length, bytes, size);
	lines->length += size;
	return true;
}

static void end_line(struct log_lines *lines)
{
	if (lines->skipping)
		lines->strange++;
	else if (lines->length > 0) {
		lines->kept[lines->length] = '\0';
		take(lines, lines->kept);
	}
	lines->skipping = false;
	lines->length = 0;
}

void log_lines_feed(struct log_lines *lines, const char *bytes, size_t size)
{
	while (size > 0) {
		const char *end = memchr(bytes, '\n', size);
		size_t part = end ? (size_t)(end - bytes) : size;

		/* A zero byte is in no name; behind one the line could not be read. */
		if (!lines->skipping &&
			(memchr(bytes, '\0', part) || !keep(lines, bytes, part)))
			lines->skipping = true;
		if (!end)
			return;
		end_line(lines);
		bytes += part + 1;
		size -= part + 1;
	}
}

void log_lines_gap(struct log_lines *lines)
{
	lines->skipping = true;
}

/* True if the tag, which ends at a comma or with the text, is among those. */
static bool has_tag(const char *tags, const char *tag, size_t length)
{
	for (; tags; tags = strchr(tags, ',')) {
		tags += *tags == ',';
		if (strncmp(tags, tag, length) == 0 &&
			(tags[length] == ',' || tags[length] == '\0'))
			return true;
	}
	return false;
}

bool log_line_has_tags(const struct log_line *line, const char *tags)
{
	if (strlen(line->tags) != strlen(tags))
		return false;
	for (const char *tag = tags; tag; tag = strchr(tag, ',')) {
		tag += *tag == ',';
		if (!has_tag(line->tags, tag, strcspn(tag, ",")))
			return false;
	}
	return true;
}

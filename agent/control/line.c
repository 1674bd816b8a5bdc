/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* line: see line.h. */
#include "agent/control/line.h"

#include <stdlib.h>
#include <string.h>

static size_t beyond_first(size_t room)
{
	return room > LINE_FIRST_BYTES ? room - LINE_FIRST_BYTES : 0;
}

/* Doubles the room. 0, or a negative code: all is as before. */
static int grow(struct line_input *input, struct error *error)
{
	size_t room = input->room ? 2 * input->room : LINE_FIRST_BYTES;
	size_t more = beyond_first(room) - beyond_first(input->room);
	char *bytes;

	if (input->room >= LINE_MAX_BYTES)
		return error_set(error, ERROR_FORMAT,
			"the line is longer than %d bytes, the most a request may have",
			LINE_MAX_BYTES);
	if (more > input->pool->limit - input->pool->used)
		return error_set(error, ERROR_MEMORY,
			"the unfinished lines of all clients have more than %zu bytes; "
			"send the line at once, or later",
			input->pool->limit);
	bytes = realloc(input->bytes, room);
	if (!bytes)
		return error_set(error, ERROR_MEMORY, "no memory to read the line");
	input->pool->used += more;
	input->bytes = bytes;
	input->room = room;
	return 0;
}

char *line_space(struct line_input *input, size_t *room, struct error *error)
{
	if (input->start > 0) {
		memmove(input->bytes, input->bytes + input->start, input->used - input->start);
		input->used -= input->start;
		input->checked -= input->start;
		input->start = 0;
	}
	if (input->used == input->room && grow(input, error) != 0)
		return NULL;
	*room = input->room - input->used;
	return input->bytes + input->used;
}

void line_filled(struct line_input *input, size_t bytes)
{
	input->used += bytes;
}

/* Without the '\r' that some clients send. */
static size_t length_of(const char *line, size_t length)
{
	return length > 0 && line[length - 1] == '\r' ? length - 1 : length;
}

/* Leaves checked at the '\n' of the first line that is not empty; what is empty before it is
 * taken out. */
bool line_waiting(struct line_input *input)
{
	while (input->checked < input->used) {
		char *line = input->bytes + input->start;
		char *end = memchr(
			input->bytes + input->checked, '\n', input->used - input->checked);

		if (!end) {
			input->checked = input->used;
			return false;
		}
		input->checked = (size_t)(end - input->bytes);
		if (length_of(line, (size_t)(end - line)) > 0)
			return true;
		input->start = ++input->checked;
	}
	return false;
}

bool line_next(struct line_input *input, const char **line, size_t *length)
{
	if (!line_waiting(input))
		return false;
	*line = input->bytes + input->start;
	*length = length_of(*line, input->checked - input->start);
	input->start = ++input->checked;
	return true;
}

void line_done(struct line_input *input)
{
	if (input->start == input->used)
		line_fini(input);
}

void line_fini(struct line_input *input)
{
	free(input->bytes);
	input->pool->used -= beyond_first(input->room);
	*input = (struct line_input){.pool = input->pool};
}

/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* items: names of items and figures, and what is said beside them. */
#include "report/diff/diff.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const diff_by_names[DIFF_TABLES + 1] = {"total", "method", "path", "file", NULL};

const char *const diff_verdict_names[DIFF_VERDICTS + 1] = {
#define X(verdict, name) name,
	DIFF_VERDICT_TABLE(X)
#undef X
		NULL};

const struct diff_name *diff_name(const struct diff *diff, enum diff_by by, uint32_t item)
{
	const struct diff_table *table = &diff->table[by];
	enum diff_by named = by == DIFF_PATH ? DIFF_METHOD : by;

	return &diff->table[named].name[table->item[item].name];
}

/* The name without its class's package. */
static void put_short(struct out *out, const struct diff_name *name)
{
	const char *text = name->display.text, *end = text + name->class_name.length;

	if (!name->is_java) {
		out_bytes(out, text, name->display.length);
		return;
	}
	for (const char *c = text; c < end; c++)
		if (*c == '.')
			text = c + 1;
	out_bytes(out, text, name->display.length - (size_t)(text - name->display.text));
}

void diff_put_name(
	struct out *out, const struct diff *diff, enum diff_by by, uint32_t item, bool is_short)
{
	const struct diff_item *items = diff->table[by].item;
	uint32_t *way, level = 0;

	if (by != DIFF_PATH) {
		const struct diff_name *name = diff_name(diff, by, item);

		out_bytes(out, name->display.text, name->display.length);
		return;
	}
	way = malloc((items[item].level + 1) * sizeof(*way));
	if (!way) {
		out->failed = ENOMEM;
		return;
	}
	for (uint32_t at = item + 1; at > 0; at = items[at - 1].parent)
		way[level++] = at - 1;
	while (level-- > 0) {
		const struct diff_name *name = diff_name(diff, by, way[level]);

		if (is_short && level > 0)
			put_short(out, name);
		else
			out_bytes(out, name->display.text, name->display.length);
		out_text(out, level > 0 ? " > " : "");
	}
	free(way);
}

int diff_figure_find(const struct diff *diff, enum diff_by by, const char *name)
{
	static const struct {
		const char *word, *meant;
	} words[] = {{"read.", "reads."}, {"write.", "writes."}, {"receive.", "received."},
		{"send.", "sent."}, {"io.", "all."}, {"self", "base"}};
	const struct diff_table *table = &diff->table[by];
	char other[DIFF_FIGURE_NAME] = "";

	for (unsigned i = 0; i < table->figure_count; i++)
		if (strcmp(table->figure[i].name, name) == 0)
			return (int)i;
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (strncmp(name, words[i].word, strlen(words[i].word)) == 0)
			snprintf(other, sizeof(other), "%s%s", words[i].meant,
				name + strlen(words[i].word));
	if (other[0] == '\0')
		snprintf(other, sizeof(other), "base.%s", name);
	for (unsigned i = 0; i < table->figure_count; i++)
		if (strcmp(table->figure[i].name, other) == 0)
			return (int)i;
	return -1;
}

void diff_say(struct diff *diff, const char *format, ...)
{
	enum { STEP = 16 };
	char line[1024];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(line, sizeof(line), format, arguments);
	va_end(arguments);
	if (diff->note_count % STEP == 0) {
		struct label *more =
			store_room(&diff->store, diff->note_count + STEP, sizeof(*more));

		if (!more)
			return;
		if (diff->note_count > 0)
			memcpy(more, diff->note, diff->note_count * sizeof(*more));
		diff->note = more;
	}
	diff->note[diff->note_count] = store_bytes(&diff->store, line, strlen(line));
	diff->note_count += diff->note[diff->note_count].text != NULL;
}

/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* page_choices: see page_choices.h. Reports know what there is. */
#include "report/page/page_choices.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/model/labelled.h"
#include "report/report.h"

extern const struct view view_values, view_components;

/* The view that lists each kind; and members of its rows that name what is chosen, and that are its value. */
static const struct {
	const struct view *view;
	const char *of, *value;
} kinds[] = {
	[PAGE_TAG] = {&view_tags, "key", "value"},
	[PAGE_VALUE] = {&view_values, "parameter", "value"},
	[PAGE_COMPONENT] = {&view_components, NULL, "component"},
};

enum { KINDS = sizeof(kinds) / sizeof(*kinds) };

/* What has no text is asked for by its kind: "(none)". NULL: it cannot be asked for. */
static const char *value_of(const json_t *row, const char *member, char *kind, size_t size)
{
	const char *text = json_string_value(json_object_get(row, member)),
		   *of = json_string_value(json_object_get(row, "kind"));

	if (text)
		return text;
	if (!of || strcmp(of, "not known") == 0)
		return NULL;
	snprintf(kind, size, "(%s)", of);
	return kind;
}

/* "user=alice", owned; NULL: it is nothing that can be asked for, or (*failed) there is no memory. */
static char *text_of(const json_t *row, enum page_choice_kind kind, bool *failed)
{
	const char *of = kinds[kind].of,
		   *name = of ? json_string_value(json_object_get(row, of)) : "";
	char word[32], *text = NULL;
	const char *value = value_of(row, kinds[kind].value, word, sizeof(word));

	if (!name || !value)
		return NULL;
	*failed |= asprintf(&text, "%s%s%s", name, of ? "=" : "", value) < 0;
	return *failed ? NULL : text;
}

/* The view's rows; owned, NULL with error filled. */
static json_t *read_rows(
	const struct model *model, const struct view *view, uint64_t top, struct error *error)
{
	const struct report_request request = {
		.choice = *model->choice, .view = view, .format = &format_json, .top = top};
	struct model own = *model;
	struct store store = {0};
	json_t *report = NULL;
	uint64_t violations;
	struct out out;

	out_init(&out, -1);
	own.store = &store;
	if (report_view(&own, &request, &out, &violations, error) == 0) {
		report = json_loadb(out.buffer, out.length, JSON_ALLOW_NUL, NULL);
		if (!report)
			model_no_memory(error);
	}
	store_fini(&store);
	out_fini(&out);
	return report;
}

static int by_rank(const void *left, const void *right)
{
	const struct page_choice *a = left, *b = right;

	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	return (int)a->kind - (int)b->kind;
}

static bool is_there(const struct model *model, enum page_choice_kind kind)
{
	return kind == PAGE_COMPONENT || labels_are_there(model->apart, kind == PAGE_TAG);
}

int page_choices_find(const struct model *model, size_t most, struct page_choice **choices,
	size_t *count, struct error *error)
{
	*count = 0;
	*choices = calloc(KINDS * most + 1, sizeof(**choices));
	if (!*choices)
		return model_no_memory(error);
	for (int kind = 0; kind < KINDS; kind++) {
		json_t *report, *row;
		bool failed = false;
		size_t i;

		if (!is_there(model, (enum page_choice_kind)kind))
			continue;
		report = read_rows(model, kinds[kind].view, most, error);
		if (!report)
			return -(int)error->code;
		json_array_foreach(json_object_get(report, "rows"), i, row)
		{
			char *text = text_of(row, (enum page_choice_kind)kind, &failed);

			if (text)
				(*choices)[(*count)++] = (struct page_choice){
					(enum page_choice_kind)kind, (unsigned)i, text};
		}
		json_decref(report);
		if (failed)
			return model_no_memory(error);
	}
	qsort(*choices, *count, sizeof(**choices), by_rank);
	return 0;
}

void page_choices_free(struct page_choice *choices, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(choices[i].text);
	free(choices);
}

void page_choice_put(struct out *out, const struct model_choice *choice)
{
	const struct {
		const char *key;
		const struct pattern_list *list;
	} lists[] = {
		{"tags", &choice->labels.tags},
		{"values", &choice->labels.values},
		{"paths", &choice->paths},
		{"components", &choice->within},
		{"threads", &choice->threads},
	};

	for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++) {
		const struct pattern_list *list = lists[i].list;

		out_text(out, i > 0 ? ",\"" : "{\"");
		out_text(out, lists[i].key);
		out_text(out, "\":[");
		for (size_t p = 0; p < list->count; p++) {
			if (p > 0)
				out_char(out, ',');
			out_json(out, list->pattern[p], strlen(list->pattern[p]));
		}
		out_char(out, ']');
	}
	out_char(out, '}');
}

/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* findings: runs all rules, and orders what they found. */
#include "report/findings/search.h"

#include <stdlib.h>

const char *const finding_severity_names[FINDING_NOTE + 1] = {"high", "medium", "low", "note"};

/* The more severe first, then the larger share, then in the order of the rules. */
static int compare(const void *a, const void *b)
{
	const struct finding *left = a, *right = b;

	if (left->severity != right->severity)
		return left->severity < right->severity ? -1 : 1;
	if (left->share != right->share)
		return left->share > right->share ? -1 : 1;
	if (left->rule != right->rule)
		return left->rule < right->rule ? -1 : 1;
	return left->value != right->value ? left->value > right->value ? -1 : 1
	       : left->method != right->method
		       ? left->method < right->method ? -1 : 1
		       : (left->file > right->file) - (left->file < right->file);
}

int findings_find(struct findings *findings, const struct findings_input *input)
{
	struct search search = {.found = findings};

	*findings = (struct findings){0};
	if (search_open(&search, input) != 0)
		return -1;
	for (size_t i = 0; i < finding_rule_count; i++)
		finding_rules[i].find(&search, &finding_rules[i]);
	if (input->model->store->failed)
		return -1;
	if (findings->count > 1)
		qsort(findings->finding, findings->count, sizeof(*findings->finding), compare);
	return 0;
}

/* ---- paths ---- */

/* Of deeper paths this much of both ends is told. */
enum { PATH_OUTER = 60, PATH_INNER = 140 };

const struct label *finding_path(
	const struct model *model, const struct finding *finding, size_t *count)
{
	const struct profile_node *nodes = model->profile->node;
	size_t depth = 0, shown, left = 0;
	struct label *path;

	*count = 0;
	for (uint32_t at = finding->node; nodes[at].parent != at; at = nodes[at].parent)
		depth++;
	shown = depth;
	if (depth > PATH_OUTER + PATH_INNER) {
		left = depth - PATH_OUTER - PATH_INNER;
		shown = PATH_OUTER + 1 + PATH_INNER;
	}
	path = store_room(model->store, shown + 1, sizeof(*path));
	if (!path)
		return NULL;
	*count = shown;
	/* From the inner end on. */
	for (uint32_t at = finding->node, level = 0; nodes[at].parent != at;
		at = nodes[at].parent, level++) {
		if (level < PATH_INNER || left == 0)
			path[--shown] = model->method[nodes[at].method].display;
		else if (level >= depth - PATH_OUTER)
			path[depth - 1 - level] = model->method[nodes[at].method].display;
	}
	if (left > 0)
		path[PATH_OUTER] = store_format(model->store, "(%zu calls in between)", left);
	return path;
}

/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* print_json: an object with all items and their figures, an item a line. */
#include <math.h>
#include <string.h>

#include "report/diff/print.h"

static void put_text(struct out *out, const char *text, size_t length)
{
	if (text)
		out_json(out, text, length);
	else
		out_text(out, "null");
}

static void put_label(struct out *out, const char *key, struct label label)
{
	out_char(out, '"');
	out_text(out, key);
	out_text(out, "\":");
	put_text(out, label.text, label.length);
}

static void put_number(struct out *out, const char *key, double value)
{
	out_char(out, '"');
	out_text(out, key);
	out_text(out, "\":");
	if (isfinite(value))
		out_exact(out, value);
	else
		out_text(out, "null");
}

/* What each run has, where there are several. */
static void put_runs(const struct diff *diff, enum diff_by by, uint32_t item, unsigned figure,
	struct out *out)
{
	out_text(out, ",\"runs\":{");
	for (enum diff_side side = 0; side < 2; side++) {
		bool first = true;

		out_text(out, side == DIFF_BEFORE ? "\"before\":[" : ",\"after\":[");
		for (unsigned i = 0; i < diff->run_count; i++) {
			double value = diff_value(diff->run[i], by, item, figure);

			if (diff->run[i]->side != side)
				continue;
			out_text(out, first ? "" : ",");
			if (isfinite(value))
				out_exact(out, value);
			else
				out_text(out, "null");
			first = false;
		}
		out_char(out, ']');
	}
	out_char(out, '}');
}

static void put_figures(
	const struct diff *diff, enum diff_by by, uint32_t item, struct out *out)
{
	const struct diff_table *table = &diff->table[by];
	bool first = true;

	out_text(out, "\"figures\":{");
	for (unsigned f = 0; f < table->figure_count; f++) {
		struct diff_change change = diff_change(diff, by, item, f);

		if (table->figure[f].left_out || (change.before == 0 && change.after == 0))
			continue;
		out_text(out, first ? "" : ",");
		put_text(out, table->figure[f].name, strlen(table->figure[f].name));
		out_text(out, ":{");
		put_number(out, "before", change.before);
		out_char(out, ',');
		put_number(out, "after", change.after);
		out_char(out, ',');
		put_number(out, "change", change.change);
		out_char(out, ',');
		put_number(out, "percent", 100 * diff_growth(&change));
		out_char(out, ',');
		put_number(out, "error", change.error);
		out_char(out, ',');
		put_label(out, "verdict", label_of(diff_verdict_names[change.verdict]));
		if (diff->run_count > 2)
			put_runs(diff, by, item, f, out);
		out_char(out, '}');
		first = false;
	}
	out_char(out, '}');
}

static void put_item(const struct diff *diff, enum diff_by by, uint32_t i, struct out *out)
{
	const struct diff_item *item = &diff->table[by].item[i];
	const struct diff_name *name = diff_name(diff, by, i);

	out_char(out, '{');
	if (by == DIFF_PATH) {
		put_number(out, "id", i + 1.0);
		out_char(out, ',');
		put_number(out, "parent", item->parent ? item->parent : NAN);
		out_char(out, ',');
		put_number(out, "level", item->level);
		out_char(out, ',');
	}
	put_label(out, by == DIFF_FILE ? "kind" : "class", name->class_name);
	out_char(out, ',');
	put_label(out, by == DIFF_FILE ? "path" : "method", name->name);
	out_char(out, ',');
	put_label(out, by == DIFF_FILE ? "peer" : "signature", name->signature);
	out_char(out, ',');
	put_figures(diff, by, i, out);
	out_char(out, '}');
}

static void put_files(const struct diff *diff, enum diff_side side, struct out *out)
{
	bool first = true;

	out_text(out, side == DIFF_BEFORE ? "\"before\":[" : ",\"after\":[");
	for (unsigned i = 0; i < diff->run_count; i++) {
		if (diff->run[i]->side != side)
			continue;
		out_text(out, first ? "" : ",");
		put_text(out, diff->run[i]->file.text, diff->run[i]->file.length);
		first = false;
	}
	out_char(out, ']');
}

static void put_labels(
	const char *key, const struct label *label, size_t count, struct out *out)
{
	out_char(out, '"');
	out_text(out, key);
	out_text(out, "\":[");
	for (size_t i = 0; i < count; i++) {
		out_text(out, i > 0 ? "," : "");
		put_text(out, label[i].text, label[i].length);
	}
	out_char(out, ']');
}

static void put_rules(const struct rules *rules, struct out *out)
{
	out_text(out, ",\n\"rules\":[");
	for (size_t i = 0; rules && i < rules->count; i++) {
		const struct rule_test *test = &rules->test[i];

		out_text(out, i > 0 ? ",\n{" : "\n{");
		put_label(out, "name", test->name);
		out_char(out, ',');
		put_label(out, "skipped", test->skipped);
		out_char(out, ',');
		put_labels("broken", test->broken, test->line_count, out);
		out_char(out, ',');
		put_number(out, "more", (double)(test->broken_count - test->line_count));
		out_char(out, '}');
	}
	out_char(out, ']');
}

static int print_json(
	const struct diff *diff, const struct diff_request *request, struct out *out)
{
	enum diff_by by = request->by;

	out_char(out, '{');
	put_label(out, "by", label_of(diff_by_names[by]));
	out_char(out, ',');
	put_files(diff, DIFF_BEFORE, out);
	put_files(diff, DIFF_AFTER, out);
	out_char(out, ',');
	put_label(out, "normalize", label_of(diff->choice.normalize));
	out_text(out, ",\n");
	put_labels("notes", diff->note, diff->note_count, out);
	out_text(out, ",\n\"total\":{");
	put_figures(diff, DIFF_TOTAL, 0, out);
	out_text(out, "},\n\"items\":[");
	for (uint32_t i = 0; i < diff->table[by].item_count && out->failed == 0; i++) {
		out_text(out, i > 0 ? ",\n" : "\n");
		put_item(diff, by, i, out);
	}
	out_text(out, "\n]");
	put_rules(request->rules, out);
	out_text(out, "}\n");
	return 0;
}

const struct diff_format diff_format_json = {
	.name = "json",
	.meaning = "one object, an item a line; times in ns, sizes in bytes, exact",
	.print = print_json,
};

/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * print_markdown: a comment for a merge request: a verdict in a line, a table, details folded.
 *
 * Names are those of the program that was recorded: whatever means something to Markdown, HTML or those who show
 * it (mentions of people, links, numbers of issues, formulas) is written as a character's number, which stands for nothing
 * but itself.
 */
#include <stdio.h>
#include <string.h>

#include "error/harmless.h"
#include "report/diff/print.h"
#include "report/diff/words.h"

/* Longer names lose their middle. */
enum { NAME_COLUMNS = 100, NAME_SIZE = 4096 };

static bool is_plain(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == ' ' || c == '(' || c == ')' || c == ',' || c == '.' || c == '/' ||
	       c == '-' || c == '+' || c == '%' || (unsigned char)c >= 0x80;
}

/* Harmless text. A dot behind "www" would make a link of it. */
static void put_plain(struct out *out, const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		char number[16];
		bool links = text[i] == '.' && i >= 3 &&
			     (memcmp(text + i - 3, "www", 3) == 0 ||
				     memcmp(text + i - 3, "WWW", 3) == 0);

		/* Two of these are other things than one. */
		links |= i > 0 && text[i] == text[i - 1] && memchr("-+.", text[i], 3) != NULL;
		if (is_plain(text[i]) && !links) {
			out_char(out, text[i]);
			continue;
		}
		snprintf(number, sizeof(number), "&#%d;", (unsigned char)text[i]);
		out_text(out, number);
	}
}

static void put_text(struct out *out, const char *text, size_t length)
{
	struct out harmless;

	out_init(&harmless, -1);
	out_harmless(&harmless, text, length);
	if (harmless.failed)
		out->failed = harmless.failed;
	else
		put_plain(out, harmless.buffer, harmless.length);
	out_fini(&harmless);
}

static void put_words(struct out *out, const char *words)
{
	put_text(out, words, strlen(words));
}

static void put_name(struct out *out, const struct diff *diff, enum diff_by by, uint32_t item)
{
	char shortened[NAME_SIZE];
	struct out name;

	out_init(&name, -1);
	diff_put_name(&name, diff, by, item, true);
	if (name.failed) {
		out->failed = name.failed;
	} else {
		figure_name(
			shortened, sizeof(shortened), name.buffer, name.length, NAME_COLUMNS);
		out_text(out, "<code>");
		put_words(out, shortened);
		out_text(out, "</code>");
	}
	out_fini(&name);
}

static void put_heading(struct out *out, const char *what)
{
	out_text(out, "| ");
	out_text(out, what);
	out_text(out, " | before | after | change | % | ± | verdict |\n"
		      "|---|--:|--:|--:|--:|--:|---|\n");
}

/* All cells behind the first one. */
static void put_cells(
	struct out *out, const struct diff_figure *figure, const struct diff_change *change)
{
	const struct diff_words cells[] = {diff_words(figure->kind, change->before),
		diff_words(figure->kind, change->after),
		diff_signed(figure->kind, change->change), diff_percent(change),
		diff_error(figure->kind, change)};

	for (size_t i = 0; i < sizeof(cells) / sizeof(*cells); i++) {
		out_text(out, " | ");
		put_words(out, cells[i].text);
	}
	out_text(out, " | ");
	put_words(out, diff_verdict_names[change->verdict]);
	out_text(out, " |\n");
}

static void put_totals(const struct diff *diff, struct out *out)
{
	const struct diff_table *table = &diff->table[DIFF_TOTAL];

	put_heading(out, "whole program");
	for (unsigned i = 0; i < table->figure_count; i++) {
		struct diff_change change = diff_change(diff, DIFF_TOTAL, 0, i);

		if (change.verdict == DIFF_UNKNOWN || (change.before == 0 && change.after == 0))
			continue;
		out_text(out, "| ");
		put_words(out, table->figure[i].name);
		put_cells(out, &table->figure[i], &change);
	}
	out_char(out, '\n');
}

/* The first rows of a figure, or those behind them. */
static int put_items(const struct diff *diff, const struct diff_request *request,
	unsigned figure, struct out *out)
{
	enum { TOP_USUAL = 10 };
	const struct diff_figure *about = &diff->table[request->by].figure[figure];
	size_t wanted = request->top ? (size_t)request->top : TOP_USUAL, shown;
	struct diff_ranking ranking;
	char line[160];

	if (diff_rank(&ranking, diff, request->by, figure) != 0)
		return -1;
	shown = request->all ? ranking.count : ranking.changed;
	snprintf(line, sizeof(line), "<details><summary>%s by ", diff_by_names[request->by]);
	out_text(out, line);
	put_words(out, about->name);
	snprintf(line, sizeof(line), ": %zu changed, %zu noise, %zu same</summary>\n\n",
		ranking.changed, ranking.noise, ranking.same);
	out_text(out, line);
	if (shown > 0)
		put_heading(out, diff_by_names[request->by]);
	for (size_t i = 0; i < shown && i < wanted; i++) {
		struct diff_change change =
			diff_change(diff, request->by, ranking.item[i], figure);

		out_text(out, "| ");
		put_name(out, diff, request->by, ranking.item[i]);
		put_cells(out, about, &change);
	}
	if (shown > wanted) {
		snprintf(line, sizeof(line), "\n%zu more.\n", shown - wanted);
		out_text(out, line);
	}
	out_text(out, "\n</details>\n");
	diff_ranking_fini(&ranking);
	return 0;
}

static void put_rules(const struct rules *rules, struct out *out)
{
	size_t broken = rules ? rules_broken(rules) : 0;
	char line[80];

	if (!rules || rules->count == 0)
		return;
	snprintf(line, sizeof(line), "Broken rules, or items that break one: %zu\n\n", broken);
	out_text(out, broken > 0 ? line : "No rule is broken.\n\n");
	for (size_t i = 0; i < rules->count; i++) {
		const struct rule_test *test = &rules->test[i];

		for (size_t k = 0; k < test->line_count; k++) {
			out_text(out, "- ");
			put_text(out, test->broken[k].text, test->broken[k].length);
			out_char(out, '\n');
		}
		if (test->broken_count > test->line_count) {
			out_text(out, "- ");
			put_words(out, rule_rest(test).text);
			out_char(out, '\n');
		}
		if (test->skipped.text) {
			out_text(out, "- not tested: ");
			put_text(out, test->skipped.text, test->skipped.length);
			out_char(out, '\n');
		}
	}
	out_char(out, '\n');
}

static void put_files(const struct diff *diff, struct out *out)
{
	for (unsigned i = 0; i < diff->run_count; i++) {
		out_text(out, diff->run[i]->side == DIFF_BEFORE ? "- before: " : "- after: ");
		put_text(out, diff->run[i]->file.text, diff->run[i]->file.length);
		out_char(out, '\n');
	}
	for (size_t i = 0; i < diff->note_count; i++) {
		out_text(out, "- note: ");
		put_text(out, diff->note[i].text, diff->note[i].length);
		out_char(out, '\n');
	}
}

static int print_markdown(
	const struct diff *diff, const struct diff_request *request, struct out *out)
{
	unsigned figure[DIFF_TELLING], count = diff_telling(diff, request, figure);
	struct out verdict;

	out_init(&verdict, -1);
	diff_put_verdict(&verdict, diff);
	out_text(out, "**jprof:** ");
	put_text(out, verdict.buffer, verdict.failed ? 0 : verdict.length);
	out_fini(&verdict);
	out_text(out, "\n\n");
	put_rules(request->rules, out);
	put_totals(diff, out);
	for (unsigned i = 0; i < count; i++)
		if (put_items(diff, request, figure[i], out) != 0)
			return -1;
	out_text(out, "<details><summary>profiles</summary>\n\n");
	put_files(diff, out);
	out_text(out, "\n</details>\n");
	return 0;
}

const struct diff_format diff_format_markdown = {
	.name = "markdown",
	.meaning = "a comment for a merge request: a verdict, a table, folded details",
	.print = print_markdown,
};

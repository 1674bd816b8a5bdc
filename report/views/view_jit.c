/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * view_jit: methods as they were compiled, and how long that took: what it came to, by level, then each.
 *
 * Rows of data: one for all, one a level, one a compilation.
 */
#include <string.h>

#include "report/text/figure.h"
#include "report/views/trace_head.h"
#include "report/views/view.h"

static const char *const compilers[CODE_LEVEL_MAX + 1] = {
	"native", "c1", "c1", "c1", "c2"}; /* by level */

/* Compilations of one level, or all. */
struct compiled {
	uint64_t count, failed, ns, longest, bytecodes;
};

struct jit_view {
	struct compiled all, level[CODE_LEVEL_MAX + 1];
	uint64_t traps, discarded;
};

static uint32_t level_of(const struct profile_compilation *row)
{
	return row->level > CODE_LEVEL_MAX ? 0 : row->level;
}

static void columns(struct report *report)
{
	struct sheet *sheet = &report->sheet;

	sheet_add(sheet, NULL, "part", "Part", IN_DATA);
	sheet_add(sheet, NULL, "began", "Began", IN_ALL | COLUMN_TIME | COLUMN_RISING);
	sheet_add(sheet, NULL, "ns", "Took", IN_ALL | COLUMN_TIME | COLUMN_SUM | COLUMN_SHARE);
	sheet_add(sheet, NULL, "level", "Level", IN_ALL | COLUMN_RISING);
	sheet_add(sheet, NULL, "compiler", "Compiler", IN_ALL | COLUMN_LEFT);
	sheet_add(sheet, NULL, "bytecodes", "Bytecode", IN_ALL | COLUMN_SUM);
	sheet_add(sheet, NULL, "osr", "Loop at", IN_ALL);
	sheet_add(sheet, NULL, "id", "No.", IN_ALL | COLUMN_RISING);
	sheet_add(sheet, NULL, "failed", "Failed", IN_ALL | COLUMN_LEFT);
	sheet_add(sheet, NULL, "count", "Count", IN_DATA);
	sheet_add(sheet, NULL, "failures", "Failures", IN_DATA);
	sheet_add(sheet, NULL, "longest", "Longest", IN_DATA | COLUMN_TIME);
	method_columns(report);
	sheet_add_name(sheet, "Method");
}

static void fill(struct report *report, uint32_t item, struct cell *cells)
{
	const struct profile_compilation *row = &report->model->profile->compilation[item];

	*cells++ = cell_text("compilation");
	*cells++ = cell_number(row->began);
	*cells++ = row->ns < 0 ? cell_null() : cell_number((uint64_t)row->ns);
	*cells++ = cell_number(row->level);
	*cells++ = cell_text(compilers[level_of(row)]);
	*cells++ = cell_number(row->bytecodes);
	*cells++ = row->osr < 0 ? cell_null() : cell_number((uint64_t)row->osr);
	*cells++ = cell_number(row->id);
	*cells++ = cell_text(row->failed);
	*cells++ = cell_null();
	*cells++ = cell_null();
	*cells++ = cell_null();
	*cells++ = cell_text(row->class_name);
	*cells++ = cell_text(row->name);
	*cells++ = cell_text(row->signature);
	*cells = cell_label(
		store_format(report->model->store, "%s.%s", row->class_name, row->name));
}

static void add(struct compiled *sum, const struct profile_compilation *row)
{
	uint64_t ns = row->ns < 0 ? 0 : (uint64_t)row->ns;

	sum->count++;
	sum->failed += row->failed != NULL;
	sum->ns += ns;
	sum->bytecodes += row->bytecodes;
	if (ns > sum->longest)
		sum->longest = ns;
}

static int open_jit(struct report *report)
{
	const struct profile *profile = report->model->profile;
	struct jit_view *view = report_room(report, 1, struct jit_view);

	report->data = view;
	if (!view)
		return -1;
	for (size_t i = 0; i < profile->compilation_count; i++) {
		add(&view->all, &profile->compilation[i]);
		add(&view->level[level_of(&profile->compilation[i])], &profile->compilation[i]);
	}
	for (size_t i = 0; i < profile->deoptimization_count; i++) {
		view->traps += profile->deoptimization[i].kind == DEOPTIMIZATION_TRAP;
		view->discarded += profile->deoptimization[i].kind == DEOPTIMIZATION_DISCARDED;
	}
	return report_list(report, NULL, profile->compilation_count);
}

static void say_sums(struct report *report, struct sink *sink)
{
	const struct jit_view *view = report->data;

	sink_title(sink, "%s compilations, %s in all, the longest %s; %s without code",
		figure_text(FIGURE_COUNT, view->all.count).text,
		figure_text(FIGURE_TIME, view->all.ns).text,
		figure_text(FIGURE_TIME, view->all.longest).text,
		figure_text(FIGURE_COUNT, view->all.failed).text);
	for (uint32_t level = 0; level <= CODE_LEVEL_MAX; level++)
		if (view->level[level].count)
			sink_title(sink, "  level %u (%s): %s, %s", level, compilers[level],
				figure_text(FIGURE_COUNT, view->level[level].count).text,
				figure_text(FIGURE_TIME, view->level[level].ns).text);
	sink_title(sink, "code was given up %s times; %s (--view deoptimizations)",
		figure_text(FIGURE_COUNT, view->discarded).text,
		profile_meta_get(report->model->profile, "jit.no_traps")
			? "how often threads left it this JVM's log does not tell"
			: store_format(report->model->store, "threads left it %s times",
				  figure_text(FIGURE_COUNT, view->traps).text)
				  .text);
	sink_title(sink, "%s", "");
}

/* A row of data. */
static void put_sum(struct sink *sink, const char *part, const struct compiled *sum,
	struct cell level, const char *compiler)
{
	struct cell cells[COLUMN_MAX] = {0};

	cells[0] = cell_text(part);
	cells[2] = cell_number(sum->ns);
	cells[3] = level;
	cells[4] = cell_text(compiler);
	cells[5] = cell_number(sum->bytecodes);
	cells[9] = cell_number(sum->count);
	cells[10] = cell_number(sum->failed);
	cells[11] = cell_number(sum->longest);
	sink_row(sink, cells, 0);
}

static void rows(struct report *report, struct sink *sink)
{
	const struct jit_view *view = report->data;

	trace_head(report, sink, TRACE_JIT);
	if (report->count > 0)
		say_sums(report, sink);
	if (report->count > 0 && !(sink->format->use & IN_TEXT)) {
		put_sum(sink, "total", &view->all, cell_null(), NULL);
		for (uint32_t level = 0; level <= CODE_LEVEL_MAX; level++)
			if (view->level[level].count)
				put_sum(sink, "level", &view->level[level], cell_number(level),
					compilers[level]);
	}
	report_rows(report, sink);
}

const struct view view_jit = {
	.name = "jit",
	.meaning = "methods as they were compiled, of a profile made with traces=jit",
	.is_long = true,
	.sort = "ns",
	.compilations = true,
	.columns = columns,
	.open = open_jit,
	.fill = fill,
	.rows = rows,
};

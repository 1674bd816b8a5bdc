/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* columns: those that many views have, their cells, and sums of cells. */
#include <inttypes.h>
#include <stdio.h>

#include "report/views/view.h"

/* ---- watched calls ---- */

bool tells_process(const struct model *model, unsigned metric)
{
	/* Metrics, as bits. */
	uint64_t told = profile_meta_number(model->apart, "distribution.process");

	return told >> model->metric_index[metric] & 1;
}

/* ---- methods ---- */

void method_columns(struct report *report)
{
	sheet_add(&report->sheet, NULL, "class", "Class", IN_DATA);
	sheet_add(&report->sheet, NULL, "method", "Method", IN_DATA);
	sheet_add(&report->sheet, NULL, "signature", "Signature", IN_DATA);
}

/* ---- nodes ---- */

void node_columns(struct report *report)
{
	sheet_add(&report->sheet, NULL, "id", "Id", IN_DATA | COLUMN_RISING);
	sheet_add(&report->sheet, NULL, "parent", "Parent", IN_DATA | COLUMN_RISING);
	sheet_add(&report->sheet, NULL, "thread", "Thread", IN_DATA);
}

struct cell *node_cells(const struct report *report, struct cell *cells, uint32_t node)
{
	const struct profile_node *row = &report->model->profile->node[node];

	*cells++ = cell_number(node);
	*cells++ = row->parent == node ? cell_null() : cell_number(row->parent);
	*cells++ = cell_label(report->model->thread[row->thread]);
	return cells;
}

struct cell node_name(const struct report *report, uint32_t node)
{
	const struct model *model = report->model;
	const struct profile_node *row = &model->profile->node[node];

	if (row->id == 0)
		return cell_label(model->thread[row->thread]);
	if (row->line == 0)
		return cell_label(model->method[row->method].display);
	return cell_label(store_format(model->store, "%s  from line %" PRIu32,
		model->method[row->method].display.text, row->line));
}

void line_column(struct report *report)
{
	if (report->model->has_sites)
		sheet_add(&report->sheet, NULL, "line", "", IN_DATA);
}

struct cell *line_cell(const struct report *report, struct cell *cells, uint32_t node)
{
	uint32_t line = report->model->profile->node[node].line;

	if (report->model->has_sites)
		*cells++ = line > 0 ? cell_number(line) : cell_null();
	return cells;
}

void call_columns(struct report *report, unsigned flags)
{
	if (report->model->lacks_calls)
		flags = IN_DATA | COLUMN_SUM;
	/* They are of the timed calls alone. */
	if (report->model->is_divided)
		flags |= COLUMN_ASIDE;
	sheet_add(&report->sheet, NULL, "calls", "Calls",
		(report->model->lacks_calls && !report->model->counted ? IN_DATA : IN_ALL) |
			COLUMN_SUM);
	sheet_add(&report->sheet, "entered", "interpreted", "Interpreted", flags);
	sheet_add(&report->sheet, "entered", "jitted", "Jitted", flags);
	sheet_add(&report->sheet, "entered", "native", "Native", flags);
}

void at_least_column(struct report *report)
{
	if (report->model->at_least)
		sheet_add(&report->sheet, NULL, "cum_at_least", "", IN_DATA);
}

void how_column(struct report *report)
{
	if (report_tells_how(report))
		sheet_add(&report->sheet, NULL, "how", "How", IN_DATA);
}

struct cell *how_cell(const struct report *report, struct cell *cells,
	const struct call_count *count, const union model_value *base,
	const union model_value *cum)
{
	const struct model *model = report->model;
	bool is_sampled = call_count_is_sampled(count);
	enum how calls = count->counted > 0 ? HOW_COUNTED
			 : is_sampled       ? HOW_SAMPLED
					    : HOW_MEASURED;
	uint32_t sampled = 0;

	if (!report_tells_how(report))
		return cells;
	for (unsigned m = 0; m < model->metric_count; m++) {
		bool is_part = model_is_part(model, base, m) || model_is_part(model, cum, m) ||
			       (report->estimates && is_sampled &&
				       model_condition_of(model, model->metric[m]) > 0);

		sampled |= (uint32_t)is_part << m;
	}
	*cells++ = cell_how(calls, sampled);
	return cells;
}

/* ---- values ---- */

/* Percentages of the metrics' columns are of what the threads used; each gets the one with its
 * error, if there is one. */
static void complete(struct report *report, unsigned first, unsigned error)
{
	for (unsigned m = 0; m < report->model->metric_count; m++) {
		struct column *column = &report->sheet.column[first + m];

		column->has_whole = true;
		column->whole = report->whole[m];
		column->error = error > 0 ? error + m + 1 : 0;
	}
}

void samples_have_shares(struct report *report, unsigned column, unsigned condition)
{
	const struct model *model = report->model;

	report->sheet.column[column].has_whole = true;
	report->sheet.column[column].whole = report->whole[model->metric_count + condition];
	report->sheet.column[column].taken = model->taken[condition];
}

/* Of a condition, short: "enter:addRow:100" of "enter:org.h2.command.dml.Insert.addRow:100". */
static const char *short_condition(struct report *report, const struct profile_condition *row)
{
	enum { LONG = 24 };
	const char *begin = strchr(row->name, ':'), *end = strrchr(row->name, '.');

	if (strlen(row->name) <= LONG || !begin || !end || end < begin)
		return row->name;
	return store_format(report->model->store, "%.*s%s", (int)(begin + 1 - row->name),
		row->name, end + 1)
		.text;
}

/* One a condition; behind is 0 or 1: which of its places in text it takes. */
void sample_columns(struct report *report, const char *group, const char *heading,
	unsigned flags, unsigned behind)
{
	const struct model *model = report->model;

	for (unsigned c = 0; c < model->condition_count; c++) {
		unsigned at =
			sheet_add(&report->sheet, group, model->condition_name[c], "", flags);
		struct column *column = &report->sheet.column[at];

		column->place = PLACE_SAMPLES + 2 * c + behind;
		snprintf(column->heading, sizeof(column->heading), "%s%s%.24s", heading,
			heading[0] ? " " : "",
			model->condition_count > 1
				? short_condition(report, model->condition[c])
			: heading[0] ? "samples"
				     : "Samples");
		samples_have_shares(report, at, c);
	}
}

/* Where figures are divided a terminal has those, with their errors, before all that is not: what a method used itself of other
 * metrics is not known, nor need samples be shown that others are divided by. */
static void choose_shown(struct report *report, unsigned figure, unsigned samples)
{
	const struct model *model = report->model;
	struct column *column = report->sheet.column;

	for (unsigned m = 0; m < model->metric_count; m++) {
		unsigned condition = model_condition_of(model, model->metric[m]);

		if (condition == 0) {
			column[figure + m].flags |= model->choice->metrics ? 0 : COLUMN_ASIDE;
			continue;
		}
		column[figure + m].flags |= COLUMN_ERROR;
		column[samples + condition - 1].flags |= COLUMN_ASIDE;
		column[samples + model->condition_count + condition - 1].flags |= COLUMN_ASIDE;
	}
}

/* What figures that can be summed are called: groups, and their headings. */
struct figure_names {
	const char *group, *heading;
	const char *samples;
	const char *raw, *raw_heading;
	const char *error, *error_heading;
	const char *
		cum_heading; /* of those of all below, which stand beside them; NULL: there are none */
};

/* Figures that can be summed, and beside them, if there are any, those of all below. */
static void add_columns(struct report *report, const struct figure_names *names)
{
	struct sheet *sheet = &report->sheet;
	const char *heading = names->heading, *cum_heading = names->cum_heading;
	/* Text has no columns that would be empty, unless they were asked for. */
	bool is_empty =
		cum_heading && report->model->lacks_calls && !report->model->choice->metrics;
	unsigned cum = 0, error_cum = 0, flags = is_empty ? IN_DATA : IN_ALL, samples;

	report->summed.figure =
		sheet_add_metrics(sheet, names->group, heading, flags | COLUMN_SUM, 0);
	if (cum_heading)
		cum = sheet_add_metrics(sheet, "cum", cum_heading, flags, 1);
	samples = sheet->column_count;
	sample_columns(
		report, names->samples, cum_heading ? heading : "", IN_ALL | COLUMN_SUM, 0);
	if (cum_heading)
		sample_columns(report, "samples_cum", cum_heading, IN_ALL, 1);
	if (cum_heading && report->model->is_divided)
		choose_shown(report, report->summed.figure, samples);
	if (report->model->has_errors) {
		report->summed.raw = sheet_add_metrics(
			sheet, names->raw, names->raw_heading, IN_DATA | COLUMN_SUM, 0);
		if (cum_heading)
			sheet_add_metrics(sheet, "raw_cum", "Raw cum", IN_DATA, 1);
		report->summed.error = sheet_add_metrics(
			sheet, names->error, names->error_heading, IN_DATA | COLUMN_SUM, 0);
		if (cum_heading)
			error_cum = sheet_add_metrics(
				sheet, "error_cum", "Error of cum", IN_DATA, 1);
		report->summed.parts = sheet->column_count;
		for (unsigned v = report->model->counts; v < report->model->values;
			v += report->model->metric_count)
			sheet_add_metrics(sheet, "error_parts", "", COLUMN_SUM, 0);
	} else if (report->estimates) {
		report->summed.error = sheet_add_metrics(sheet, "error", "Error", IN_DATA, 0);
		error_cum = sheet_add_metrics(sheet, "error_cum", "Error of cum", IN_DATA, 1);
	}
	complete(report, report->summed.figure, report->summed.error);
	if (cum_heading)
		complete(report, cum, error_cum);
}

void value_columns(struct report *report)
{
	static const struct figure_names names = {
		"base", "Self", "samples", "raw_base", "Raw base", "error", "Error", "Total"};

	add_columns(report, &names);
}

void total_columns(struct report *report)
{
	static const struct figure_names names = {
		"total", "Total", "samples", "raw_total", "Raw total", "error", "Error", NULL};

	add_columns(report, &names);
}

void cum_columns(struct report *report)
{
	static const struct figure_names names = {"cum", "Total", "samples_cum", "raw_cum",
		"Raw total", "error_cum", "Error of cum", NULL};

	add_columns(report, &names);
}

/* Figures; where nothing was measured, those alone that samples divide. */
static inline struct cell *put_figures(const struct model *model, struct cell *cells,
	const union model_value *values, bool sampled)
{
	for (unsigned m = 0; m < model->metric_count; m++)
		*cells++ = model_is_part(model, values, m) ? cell_divided(values[m].count)
			   : sampled && !model->part[m]    ? cell_null()
							   : cell_number(values[m].count);
	return cells;
}

static inline struct cell *put_counts(
	struct cell *cells, const union model_value *values, unsigned count)
{
	for (unsigned m = 0; m < count; m++)
		*cells++ = cell_number(values[m].count);
	return cells;
}

static inline struct cell *put_nulls(struct cell *cells, unsigned count)
{
	for (unsigned m = 0; m < count; m++)
		*cells++ = cell_null();
	return cells;
}

static struct cell *put_errors(const struct model *model, struct cell *cells,
	const union model_value *values, bool sampled)
{
	for (unsigned m = 0; m < model->metric_count; m++)
		*cells++ = sampled && !model->part[m]
				   ? cell_null()
				   : cell_number(model_error(model, values, m));
	return cells;
}

struct cell *value_cells(const struct report *report, struct cell *cells,
	const union model_value *base, const union model_value *cum, bool sampled)
{
	const struct model *model = report->model;
	const union model_value *const of[] = {base, cum};
	unsigned metrics = model->metric_count, sets = cum ? 2 : 1;

	for (unsigned i = 0; i < sets; i++)
		cells = put_figures(model, cells, of[i], sampled);
	for (unsigned i = 0; i < sets; i++)
		cells = put_counts(cells, of[i] + metrics, model->condition_count);
	if (!model->has_errors)
		return report->estimates ? put_nulls(cells, 2 * metrics) : cells;
	for (unsigned i = 0; i < sets; i++)
		cells = sampled ? put_nulls(cells, metrics)
				: put_counts(cells, of[i] + model->figures, metrics);
	for (unsigned i = 0; i < sets; i++)
		cells = put_errors(model, cells, of[i], sampled);
	for (unsigned v = model->counts; v < model->values; v++)
		*cells++ = cell_real(base[v].part);
	return cells;
}

/* ---- sums of cells ---- */

void sums_begin(const struct report *report, struct cell *sums)
{
	for (unsigned i = 0; i < report->sheet.column_count; i++) {
		bool summed = report->sheet.column[i].flags & COLUMN_SUM;

		sums[i] = (struct cell){.kind = summed ? CELL_NUMBER : CELL_NULL};
		if (report->summed.parts > 0 && i >= report->summed.parts && summed)
			sums[i] = cell_real(0);
	}
}

void sums_add(const struct report *report, struct cell *sums, const struct cell *cells)
{
	for (unsigned i = 0; i < report->sheet.column_count; i++) {
		if (sums[i].kind == CELL_NUMBER && cell_is_sum(&cells[i]))
			sums[i].number += cells[i].number;
		else if (sums[i].kind == CELL_REAL)
			sums[i].real += cells[i].real;
	}
}

void sums_end(const struct report *report, struct cell *sums)
{
	const struct model *model = report->model;
	unsigned metrics = model->metric_count;
	union model_value values[MODEL_VALUES_MAX];

	if (report->summed.parts == 0)
		return;
	for (unsigned m = 0; m < metrics; m++) {
		values[m].count = sums[report->summed.figure + m].number;
		values[model->figures + m].count = sums[report->summed.raw + m].number;
	}
	for (unsigned v = model->counts; v < model->values; v++)
		values[v].part = sums[report->summed.parts + v - model->counts].real;
	for (unsigned m = 0; m < metrics; m++) {
		sums[report->summed.error + m] = cell_number(model_error(model, values, m));
		if (model_is_part(model, values, m))
			sums[report->summed.figure + m].kind = CELL_DIVIDED;
	}
}

/* ---- averages, and rates by second ---- */

/* A part of the sum; of nothing there is none. */
static struct cell average(uint64_t sum, uint64_t count)
{
	return count == 0 ? cell_null() : cell_real((double)sum / (double)count);
}

/* So much in a second of the interval; where its length is known. */
static struct cell rate(const struct report *report, uint64_t sum)
{
	const struct profile_interval *interval = &report->model->profile->interval;

	if (interval->end <= interval->begin)
		return cell_null();
	return cell_real((double)sum * 1e9 / (double)(interval->end - interval->begin));
}

void call_rate_columns(struct report *report)
{
	sheet_add(&report->sheet, "rate", "calls", "Calls/s", IN_DATA);
	sheet_add_metrics(&report->sheet, "each", "Each", IN_DATA, 1);
}

struct cell *call_rate_cells(const struct report *report, struct cell *cells,
	const struct call_count *count, const union model_value *cum)
{
	const struct model *model = report->model;
	bool is_known = call_count_is_known(count);

	*cells++ = is_known ? rate(report, count->calls) : cell_null();
	for (unsigned m = 0; m < model->metric_count; m++)
		*cells++ = !is_known || !cum || call_count_is_sampled(count)
				   ? cell_null()
				   : average(cum[m].count, count->calls);
	return cells;
}

void io_rate_columns(struct report *report)
{
	sheet_add(&report->sheet, "each", "ns", "Each", IN_ALL | COLUMN_TIME);
	sheet_add(&report->sheet, "each", "bytes", "Bytes each", IN_DATA);
	sheet_add(&report->sheet, "rate", "ops", "Ops/s", IN_DATA);
	sheet_add(&report->sheet, "rate", "bytes", "Bytes/s", IN_DATA);
}

struct cell *io_rate_cells(
	const struct report *report, struct cell *cells, const struct io_amount *amount)
{
	*cells++ = amount->ops == 0 ? cell_null() : cell_number(amount->ns / amount->ops);
	*cells++ = average(amount->bytes, amount->ops);
	*cells++ = rate(report, amount->ops);
	*cells++ = rate(report, amount->bytes);
	return cells;
}

/* ---- rows about a method ---- */

void method_row_columns(struct report *report)
{
	struct sheet *sheet = &report->sheet;

	beside_columns(report);
	method_columns(report);
	sheet_add(sheet, NULL, "native", "Native", IN_DATA);
	sheet_add(sheet, NULL, "static", "Static", IN_DATA);
	call_columns(report, IN_ALL | COLUMN_SUM);
	how_column(report);
	at_least_column(report);
	value_columns(report);
	call_rate_columns(report);
	sheet_add_name(sheet, "Name");
}

void method_row(const struct report *report, struct cell *cells, uint32_t method,
	const struct call_count *count, const union model_value *base,
	const union model_value *cum)
{
	const struct profile_method *row = &report->model->profile->method[method];
	const struct method_label *label = &report->model->method[method];
	bool is_real = method >= METHOD_FIRST;

	if (report->io_of_method)
		cells = beside_cells(report, cells, &report->io_of_method[method]);
	cells = method_cells(cells, label);
	*cells++ = is_real ? cell_bool(row->is_native) : cell_null();
	*cells++ = is_real ? cell_bool(row->is_static) : cell_null();
	cells = call_cells(cells, count);
	cells = how_cell(report, cells, count, base, cum);
	cells = at_least_cell(report, cells, count->at_least);
	cells = value_cells(report, cells, base, cum, call_count_is_sampled(count));
	cells = call_rate_cells(report, cells, count, cum);
	*cells = method == METHOD_ROOT ? cell_text("(thread)") : cell_label(label->display);
}

void method_row_of(const struct report *report, struct cell *cells, const struct tally *tally,
	uint32_t method)
{
	method_row(report, cells, method, &tally->method[method],
		model_at(report->model, tally->base, method),
		model_at(report->model, tally->cum, method));
}

void method_row_outside(struct report *report, struct sink *sink, const struct tally *tally)
{
	const union model_value *base = model_at(report->model, tally->base, METHOD_ROOT);
	struct cell cells[COLUMN_MAX], row[COLUMN_MAX] = {0};
	unsigned first = report->summed.figure;

	if (report->model->figures == 0 ||
		(report->model->lacks_calls && report->request->format->shares &&
			base[report->model->lead].count == 0))
		return;
	value_cells(report, cells, base, base, false);
	for (unsigned i = first; i < report->sheet.column_count; i++) {
		if (report->sheet.column[i].flags & COLUMN_SUM)
			row[i] = cells[i - first];
	}
	sink_extra(sink, "outside", "outside every included method", 0, row);
}

/* ---- sums of I/O ---- */

/* As groups of base and of cum, in that order. */
static const char *const part_name[IO_PARTS][2] = {
	{"base.all", "cum.all"},
	{"base.reads", "cum.reads"},
	{"base.writes", "cum.writes"},
	{"base.received", "cum.received"},
	{"base.sent", "cum.sent"},
	{"base.others", "cum.others"},
};

void io_columns(struct report *report, const char *group, const char *heading, unsigned flags)
{
	flags |= COLUMN_SHARE;
	sheet_add(&report->sheet, group, "ops", heading, flags);
	sheet_add(&report->sheet, group, "bytes", "Bytes", flags | COLUMN_BYTES);
	sheet_add(&report->sheet, group, "ns", "Time", flags | COLUMN_TIME);
}

struct cell *io_cells(struct cell *cells, const struct io_amount *amount)
{
	*cells++ = cell_number(amount->ops);
	*cells++ = cell_number(amount->bytes);
	*cells++ = cell_number(amount->ns);
	return cells;
}

void io_cpu_columns(struct report *report, bool cum)
{
	const unsigned flags = IN_ALL | COLUMN_TIME;

	report->has_io_cpu = io_has_cpu(report->model->profile);
	if (!report->has_io_cpu)
		return;
	if (!cum) {
		sheet_add(&report->sheet, NULL, "cpu_ns", "CPU", flags | COLUMN_SUM);
		return;
	}
	sheet_add(&report->sheet, NULL, "base_cpu_ns", "Self CPU", flags | COLUMN_SUM);
	sheet_add(&report->sheet, NULL, "cum_cpu_ns", "CPU", flags);
}

struct cell *io_cpu_cell(
	const struct report *report, struct cell *cells, const struct io_amount *amount)
{
	if (report->has_io_cpu)
		*cells++ = cell_number(amount->cpu_ns);
	return cells;
}

int report_find_io(struct report *report)
{
	const struct model *model = report->model;
	const struct profile *profile = model->profile;

	report->io_of_node = io_cum_of_nodes(model);
	report->io_of_method = report_room(report, profile->method_count, struct io_amount);
	if (model->store->failed)
		return -1;
	/* What an inner call of a recursion did is in the outer one's. */
	for (size_t i = 0; i < profile->node_count; i++) {
		const struct profile_node *node = &profile->node[i];

		if (node->recursion == 0)
			io_amount_add(
				&report->io_of_method[node->method], &report->io_of_node[i]);
		if (node->id == 0)
			io_amount_add(&report->io_all, &report->io_of_node[i]);
	}
	return 0;
}

void beside_columns(struct report *report)
{
	const uint64_t all[] = {report->io_all.ops, report->io_all.bytes, report->io_all.ns};

	if (!report->io_of_node)
		return;
	report->io_column = report->sheet.column_count;
	io_columns(report, "io", "I/O", IN_ALL);
	for (unsigned i = 0; i < 3; i++)
		report->sheet.column[report->io_column + i].sum = all[i];
	/* Time is what most ask for: its shares are shown. */
	report->sheet.column[report->io_column + 2].whole = report->io_all.ns;
	report->sheet.column[report->io_column + 2].has_whole = true;
	snprintf(report->sheet.column[report->io_column + 2].heading,
		sizeof(report->sheet.column->heading), "I/O time");
}

struct cell *beside_cells(
	const struct report *report, struct cell *cells, const struct io_amount *amount)
{
	return report->io_of_node ? io_cells(cells, amount) : cells;
}

void io_all_columns(struct report *report)
{
	static const char *const headings[] = {"Self", "Total"};

	for (int cum = 0; cum < 2; cum++) {
		for (enum io_part part = 0; part < IO_PARTS; part++)
			io_columns(report, part_name[part][cum],
				part == IO_PART_ALL ? headings[cum] : "",
				(part == IO_PART_ALL ? IN_ALL : IN_DATA) |
					(cum ? 0 : COLUMN_SUM));
	}
}

void io_all_sums(struct report *report, const struct io_use *all)
{
	unsigned first = (unsigned)sheet_find(&report->sheet, part_name[0][0]);
	struct cell cells[2 * IO_PARTS * 3];

	io_all_cells(cells, all, all);
	for (unsigned i = 0; i < 2 * IO_PARTS * 3; i++)
		report->sheet.column[first + i].sum = cells[i].number;
	for (unsigned i = 0; report->has_io_cpu && i < 2; i++)
		report->sheet.column[first + 2 * IO_PARTS * 3 + i].sum =
			all->part[IO_PART_ALL].cpu_ns;
}

struct cell *io_all_cells(
	struct cell *cells, const struct io_use *base, const struct io_use *cum)
{
	for (int part = 0; part < IO_PARTS; part++)
		cells = io_cells(cells, &base->part[part]);
	for (int part = 0; part < IO_PARTS; part++)
		cells = io_cells(cells, &cum->part[part]);
	return cells;
}

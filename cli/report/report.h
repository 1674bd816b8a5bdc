/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * report: one view of one profile, printed in one format.
 *
 * In:   a profile in memory, and what was asked for.
 * Out:  the report on a file descriptor.
 * A view is one row of the table in view.c and one file view_NAME.c.
 */
#ifndef JPROF_REPORT_H
#define JPROF_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/report/adjustment.h"
#include "cli/report/label.h"
#include "cli/report/sheet.h"
#include "error/error.h"
#include "options/pattern.h"
#include "profile/profile_read.h"

struct report;

struct view {
	const char *name, *meaning;
	/* The column it is sorted by unless asked; NULL: it has an order of its own. */
	const char *sort;
	bool io; /* about I/O: chosen by paths and methods, too */
	bool calls;   /* about calls: chosen by methods, too, and by their share of the
			 whole */
	bool levels;  /* a tree, which may be cut at a level */
	bool merges;  /* threads are always one */
	bool records; /* needs profile_wanted.records */
	bool marks; /* and marks */
	bool adjusts; /* shows figures that jprof's own cost can be taken out of, or tells of it */
	bool says_calibration; /* in rows of its own; all others have a line beside the rows */
	/* Fills report->sheet. */
	void (*columns)(struct report *report);
	/* Makes whatever rows() needs, in report->data. */
	int (*open)(struct report *report, struct error *error);
	/* Gives all rows to the sink; called once or twice. */
	int (*rows)(struct report *report, struct sink *sink, struct error *error);
	/* Gives data back; also after a failed open, or none. */
	void (*close)(struct report *report);
};

extern const struct view *const views[];
extern const size_t view_count;
const struct view *view_find(const char *name);

extern const struct view view_overview, view_summary, view_tree, view_methods,
	view_callers, view_threads, view_files, view_connections, view_entries,
	view_io_methods, view_io_tree, view_records, view_snapshots, view_calibration;

/* What the user asked for. */
struct report_request {
	const struct view *view;
	const struct format *format;
	const char *metrics;         /* names joined by '+', or NULL for all */
	const char *sort;            /* a column, or NULL for the view's own */
	uint64_t top;                /* most rows to print; 0: all */
	struct pattern_list threads; /* empty: all */
	struct pattern_list paths;   /* of files, addresses of connections; the same */
	/* I/O: in whose call paths it was done; calls: those below or within such; the
	 * same */
	struct pattern_list methods;
	/* Rows below this share of the whole are summed up. 0: none; below 0: not chosen
	 */
	double min;
	uint64_t depth;     /* and those below that level of a tree; 0: none */
	bool merge_threads; /* all selected threads are one */
	bool all;           /* of the summary, every row */
	bool colour;
	unsigned width, height; /* of the terminal, for format_screen; 0: not known */
	const char *state; /* a line on the file's own state, or NULL */
	const struct adjustment *adjustment; /* NULL: nothing is known of it, and nothing said */
};

/* Where a row has a figure, what was counted of it, its error, and the three parts of that, which no
 * format shows: each one column a metric, the parts behind one another. */
struct error_columns {
	unsigned figure, raw, error, parts; /* the first column; parts 0: there are no errors */
};

/* A report at work. Views read all of it and own data. */
struct report {
	const struct profile *profile; /* borrowed */
	const struct report_request *request;
	struct sheet sheet;
	unsigned sort; /* column */
	double min;    /* of request, or what is usual on a screen */
	/* Index in the profile of the sheet's metrics. */
	unsigned metric[PROFILE_METRIC_MAX];
	struct merged_threads
		*merged; /* what `profile` is then; NULL: the profile as it is */
	uint64_t whole[PROFILE_METRIC_MAX]; /* what 100 % is of each of the sheet's
					       metrics */
	const struct adjusted *adjusted; /* NULL: figures are as they were counted */
	/* How many values something has: one a metric, and where the profile is adjusted what was
	 * counted, and the three parts of its error (calibration/adjust.h). */
	unsigned values, counts; /* all of them; those that are whole numbers, which are first */
	struct error_columns summed; /* of what can be summed over rows */
	bool *selected;              /* by position of the thread */
	bool *hidden; /* by node: a fold that nothing was folded into */
	bool *at_least; /* by node: it may have more than its cum, see report_at_least; NULL: none */
	struct label_store *labels;
	struct method_label *method; /* by method id */
	struct label *thread;        /* by position of the thread */
	void *data;
	uint64_t violations; /* what does not add up in the profile, already said */
};

/* Prints the report. 0, or a negative code; when writing failed because nobody reads any
 * more (EPIPE) the text of error is empty. *violations is how many sums did not add up;
 * each was said on standard error. */
int report_print(const struct profile *profile, const struct report_request *request,
	int fd, uint64_t *violations, struct error *error);

/* ---- for views ---- */

/* Position of the thread that a node belongs to. near is where to look first: the answer of
 * the call before, or 0. */
size_t report_thread_of(const struct profile *profile, size_t node, size_t near);

/* True for a thread that did nothing worth a row on a screen: it made no calls. */
bool report_is_idle(const struct report *report, size_t thread);

/* True if the profile has rows of virtual threads, selected or not. */
bool report_has_virtual(const struct report *report);

/* Positions of the nodes of the selected threads, without hidden ones, *count of them,
 * rising. Owned by the caller (free), NULL without memory. */
uint32_t *report_nodes(const struct report *report, size_t *count);

/* Says on standard error that something in the profile does not add up, and counts it.
 * After the first few it only counts. */
void report_violation(struct report *report, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* "no memory for the report". Returns a negative code. */
int report_no_memory(struct error *error);

/* ---- values: report_values.c ---- */

/* Values side by side: report->values for each of count things. */
union report_value {
	uint64_t count;
	double part; /* of an error */
};

#define REPORT_LAYERS 5 /* the figure, what was counted, three parts of the error */
#define REPORT_VALUES_MAX (REPORT_LAYERS * PROFILE_METRIC_MAX)
static inline union report_value *report_values(
	const struct report *report, union report_value *values, size_t i)
{
	return values + i * report->values;
}

/* Whether what the node and all below it used may be more than its cum, for paths were folded: its
 * column, a cell in data, is there only where that is so of some node. */
static inline bool report_at_least(const struct report *report, size_t node)
{
	return report->at_least != NULL && report->at_least[node];
}

void report_at_least_column(struct report *report);
struct cell *report_at_least_cell(
	const struct report *report, struct cell *cells, bool at_least);

/* What a node has of its own: report->values of them. */
void report_base(const struct report *report, size_t node, union report_value *values);

/* Half the width of the interval of one of an adjusted profile's metrics. */
uint64_t report_error(
	const struct report *report, const union report_value *values, unsigned m);

/* Adds values to those of another thing, or takes them away again. */
static inline void report_add_values(const struct report *report, union report_value *sums,
	const union report_value *values)
{
	unsigned v = 0;

	for (; v < report->counts; v++)
		sums[v].count += values[v].count;
	for (; v < report->values; v++)
		sums[v].part += values[v].part;
}

static inline void report_subtract_values(const struct report *report,
	union report_value *sums, const union report_value *values)
{
	unsigned v = 0;

	for (; v < report->counts; v++)
		sums[v].count -= values[v].count;
	for (; v < report->values; v++)
		sums[v].part -= values[v].part;
}

/* The columns for base and cum, and where the profile is adjusted what was counted and the errors of
 * both; and the cells for them. Returns the cell behind them. */
void report_value_columns(struct report *report);
struct cell *report_value_cells(const struct report *report, struct cell *cells,
	const union report_value *base, const union report_value *cum);

/* The same for something's total. */
void report_total_columns(struct report *report);
struct cell *report_total_cells(
	const struct report *report, struct cell *cells, const union report_value *total);

/* Percentages of the columns from first on, one a metric, are of what the threads used.
 */
void report_set_whole(struct report *report, unsigned first);

/* The columns of a group of those, "base", "error", from the values of something's base. */
void report_base_cells(
	const struct report *report, struct cell *cells, const union report_value *base);

/* What a thread used: the values of all its nodes but for the first two, which are what its counters
 * say, and what is left of that. */
void report_total(const struct report *report, size_t thread, union report_value *values);

/* cum of every node, report_values-shaped: base plus that of its children. Nodes of all
 * threads. Owned by the caller (free), NULL without memory. */
union report_value *report_cum(const struct report *report);

/* Sets one cell a metric, starting at cells[column]. */
void report_fill(const struct report *report, struct cell *cells, unsigned column,
	const union report_value *values);

/* Adds the cells of columns that can be summed; others become null. sums starts as
 * report_no_sums makes it; report_sum_errors makes errors of what their parts came to. */
void report_no_sums(const struct report *report, struct cell *sums);
void report_add(const struct report *report, struct cell *sums, const struct cell *cells);
void report_sum_errors(const struct report *report, struct cell *sums);

/* ---- rows: report_rows.c ---- */

/* Something with its place in an order. */
struct rank {
	union {
		uint64_t number;
		const char *text; /* NULL comes first */
	};
	uint32_t item;
};

/* Fills one row's cells for an item. */
typedef void fill_row(struct report *report, uint32_t item, struct cell *cells);

/* Orders items[0 .. count) (NULL: 0 .. count) by the report's sort column: numbers from the
 * largest, texts from the first; equals by item. Owned by the caller (free), NULL without
 * memory. */
struct rank *report_rank(
	struct report *report, const uint32_t *items, size_t count, fill_row *fill);

/* How many of count rows are printed. */
size_t report_top(const struct report *report, size_t count);

/* What a row must have at least of the column that rows are sorted by, by request->min.
 */
uint64_t report_least(const struct report *report);

/* True if the user asked for methods like that, or for none. */
bool report_wants_method(const struct report *report, uint32_t method);

/* Moves the rows that are printed to the front, in their order: those of wanted methods
 * (by id) that have their share, up to the limit. How many they are. */
size_t report_choose_methods(
	const struct report *report, struct rank *rank, size_t count);

/* Gives the first `shown` rows to the sink, and the sums of the others in one line. */
void report_some_rows(struct report *report, struct sink *sink, const struct rank *rank,
	size_t shown, size_t count, fill_row *fill);

/* The same, with as many as the user's limit allows. */
void report_rows(struct report *report, struct sink *sink, const struct rank *rank,
	size_t count, fill_row *fill);

#endif

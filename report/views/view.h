/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * view: a way to look at a model: columns and rows of cells, which a format prints.
 *
 * A view is one row of the table in views.c and one file view_NAME.c. It says its columns
 * (sheet.h), what its items are, and how the cells of an item are filled; rows.c orders the rows,
 * chooses those that are printed, and sums up the others.
 */
#ifndef JPROF_REPORT_VIEW_H
#define JPROF_REPORT_VIEW_H

#include "report/formats/sheet.h"
#include "report/model/model.h"

struct report;
struct source;

/* Fills one row's cells for an item. */
typedef void fill_row(struct report *report, uint32_t item, struct cell *cells);

/* What its rows may be chosen by: `by` of a view. An option that is not among them is refused (request.h). */
enum chosen_by {
	BY_THREAD = 1 << 0, /* --thread */
	BY_LABEL = 1 << 1,  /* --tag, --value */
	BY_PLACE = 1 << 2,  /* --path, --component */
	BY_METHOD = 1 << 3, /* --method */
	/* --file: of views of I/O the rows are of such files; of others they are what did I/O with them, with that beside */
	BY_FILE = 1 << 4
};

/* Of what stands on nodes and their accounts: all that takes some of those away. */
#define BY_NODE (BY_THREAD | BY_LABEL | BY_PLACE)
/* And of what is of methods. */
#define BY_CALLS (BY_NODE | BY_METHOD)
#define BY_ALL   (BY_CALLS | BY_FILE)

/* Of BY_NODE, what something was chosen by. */
static inline unsigned chosen_by(const struct model_choice *choice)
{
	bool labels = !label_choice_is_all(&choice->labels),
	     places = choice->paths.count + choice->within.count > 0;

	return (choice->threads.count > 0 ? BY_THREAD : 0) | (labels ? BY_LABEL : 0) |
	       (places ? BY_PLACE : 0);
}

struct view {
	const char *name, *meaning;
	/* The column it is sorted by unless asked; NULL: it has an order of its own. */
	const char *sort;
	/* Where rows are sorted by a column without shares, the one that --min is about; NULL: none is. */
	const char *share;
	unsigned by;    /* enum chosen_by */
	bool io;        /* about I/O */
	bool calls;     /* about calls: chosen by their share of the whole, too */
	bool levels;    /* a tree, which may be cut at a level */
	bool merges;    /* threads are always one */
	bool may_fold;  /* methods may be put together by component */
	bool folds;     /* they always are */
	bool by_loader; /* by the class loader of their classes */
	bool is_long; /* a list that may be: a terminal has its first rows, as many as it has lines */
	bool samples;       /* about samples */
	bool records;       /* needs profile_wanted.records */
	bool marks;         /* and marks */
	bool thread_states; /* and states of threads */
	bool classes;       /* and classes */
	bool collections;   /* and collections */
	bool compilations;  /* and compilations */
	bool slices;        /* and what was done in slices of time */
	bool labels;        /* and values or tags */
	/* of a trace of events: profile_wanted.events; times that are chosen are its own */
	bool events;
	/* shows figures that jprof's own cost can be taken out of, or tells of it */
	bool adjusts;
	/* in rows of its own; all others have a line beside the rows */
	bool says_calibration;
	/* Fills report->sheet. */
	void (*columns)(struct report *report);
	/* Makes whatever rows need, in the model's store; a list ends with report_list. 0, or -1 without
	 * memory. */
	int (*open)(struct report *report);
	fill_row *fill; /* of a list's items */
	/* Gives all rows to the sink; called once or twice; NULL: report_rows. */
	void (*rows)(struct report *report, struct sink *sink);
};

extern const struct view *const views[];
extern const size_t view_count;

/* Those that are named outside of the table. */
extern const struct view view_overview, view_summary, view_tree, view_component_tree,
	view_threads, view_lines, view_timeline, view_slowest, view_tags;

/* 0 if the profile has tags of all the keys of report_request.by, or a negative code. */
int tags_check(const struct profile *profile, const char *by, struct error *error);

/* What the user asked for. */
struct report_request {
	struct model_choice choice;
	const struct view *view;
	const struct format *format;
	struct source *source; /* of the view lines: where texts are; or NULL */
	const char *sort;      /* a column, or NULL for the view's own */
	uint64_t top;          /* most rows to print; 0: all */
	/* Rows below this share of the whole are summed up. 0: none; below 0: not chosen
	 */
	double min;
	/* Of a trace of events: from when on, until when, ns since the session began; to 0: to the end. And which of the
	 * calls of chosen methods, 1: the longest; 0: the longest ones. */
	uint64_t from, to, call;
	uint64_t depth;         /* and those below that level of a tree; 0: none */
	bool all;               /* of the summary, every row */
	bool by_component;      /* methods are put together by component */
	const char *components; /* a file with their definitions; or NULL */
	bool gc;                /* of the tree, rows of collections */
	/* Of the view tags, keys joined by ',' of which rows have one value each; or NULL: each key by itself. */
	const char *by;
	bool colour;
	unsigned width, height; /* of the terminal, for format_screen; 0: not known */
	const char *state;      /* a line on the file's own state, or NULL */
	/* The command that opens the same, "jprof report 'my file.jprof'", where more is to be named; or NULL. */
	const char *again;
	/* Prints a line beside the report (a format may have no place for it); called before a part of the
	 * report is written, to the same terminal perhaps. Either may be NULL. */
	void (*say)(const char *line);
	void (*before_write)(void);
};

/* A view at work. */
struct report {
	const struct model *model;
	const struct report_request *request;
	struct sheet sheet;
	unsigned sort;                     /* column */
	unsigned share;                    /* the one that min is about */
	double min;                        /* of request, or what is usual on a screen */
	uint64_t whole[MODEL_FIGURES_MAX]; /* what 100 % is of each metric and condition */
	/* Columns of what can be summed over rows, each the first of one a metric: the figure, what was
	 * counted, the error, and the three parts of that, which no format shows; 0: there are no errors. */
	struct {
		unsigned figure, raw, error, parts;
	} summed;
	/* Where others than views of I/O are chosen by files: what was done with such files in and below nodes, by
	 * position, and methods, by id; in all; and the first of its columns. NULL: they are not. */
	struct io_amount *io_of_node, *io_of_method, io_all;
	bool has_io_cpu; /* its columns are there */
	unsigned io_column;
	bool estimates;    /* what samples alone have found has figures by them, with errors */
	struct rank *rank; /* of a list: its items, in order */
	size_t count, shown; /* all of them; those at the front that are printed */
	bool is_cut;         /* as the terminal has no more lines */
	void *data;          /* the view's own */
	uint64_t violations; /* what does not add up in the profile, already said */
};

/* Room for count things that lasts as long as the report; NULL without memory. */
#define report_room(report, count, type)                                                       \
	((type *)store_room((report)->model->store, (count) + 1, sizeof(type)))

/* Says that something in the profile does not add up, and counts it. After the first few it only
 * counts. */
void report_violation(struct report *report, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* ---- rows: rows.c ---- */

/* Orders items[0 .. count) (NULL: 0 .. count) by the report's sort column, into rank: numbers from the
 * largest, texts from the first; equals by item. */
void report_rank(struct report *report, struct rank *rank, const uint32_t *items, size_t count,
	fill_row *fill);

/* The same for a list: in report->rank, with as many shown as the user's limit, or a terminal, allows. 0, or -1 without
 * memory. */
int report_list(struct report *report, const uint32_t *items, size_t count);

/* The same, and those that have not their share are not shown. */
int report_list_shares(struct report *report, const uint32_t *items, size_t count);

/* The same for what is of methods: shown is what is wanted and has its share. method: an item's; NULL: items are
 * methods' ids. */
int report_list_methods(struct report *report, const uint32_t *items, size_t count,
	uint32_t (*method)(const struct report *report, uint32_t item));

/* Gives a list's shown rows to the sink, and the sums of the others in one line. */
void report_rows(struct report *report, struct sink *sink);

/* What a row must have at least of the column that rows are sorted by, by request->min.
 */
uint64_t report_least(const struct report *report);

/* On a screen small rows of calls are summed up, unless the user chose rows. */
#define SCREEN_MIN 0.005

/* True for a row that has as much, of that column or of samples. */
bool report_is_enough(struct report *report, const struct rank *row);

/* True for a thread that did nothing worth a row on a screen: it made no calls. */
bool report_is_idle(const struct report *report, size_t thread);
/* What such threads are called, together. */
const char *report_idle_threads(const struct report *report);

/* ---- cells that many views have: columns.c ---- */

/* Of calls of watched methods it is told what the whole process used of that chosen metric meanwhile: the option
 * distribution_process. */
bool tells_process(const struct model *model, unsigned metric);

/* A method's class, name and signature, for data. */
void method_columns(struct report *report);
static inline struct cell *method_cells(struct cell *cells, const struct method_label *label)
{
	*cells++ = cell_label(label->class_name);
	*cells++ = cell_label(label->name);
	*cells++ = cell_label(label->signature);
	return cells;
}

/* A node's place, its parent's, and its thread's name; node_name is what its row is called. */
void node_columns(struct report *report);
struct cell *node_cells(const struct report *report, struct cell *cells, uint32_t node);
struct cell node_name(const struct report *report, uint32_t node);

/* The line of the caller that a node is called from, where some call sites are kept apart. */
void line_column(struct report *report);
struct cell *line_cell(const struct report *report, struct cell *cells, uint32_t node);

/* How often it was called, and how entered (flags of that); nothing is known of what samples alone have found.
 * Where nothing was called text has neither. */
void call_columns(struct report *report, unsigned flags);
static inline struct cell *call_cells(struct cell *cells, const struct call_count *count)
{
	bool is_known = count->calls > count->counted || !call_count_is_sampled(count);

	*cells++ = call_count_is_known(count) ? cell_number(count->calls) : cell_sampled();
	*cells++ = is_known ? cell_number(count->interpreted) : cell_null();
	*cells++ = is_known ? cell_number(count->jitted) : cell_null();
	*cells++ = is_known ? cell_number(count->native) : cell_null();
	return cells;
}

/* Where figures come from if they were not measured: a column for data of profiles that have samples, or calls that were
 * counted alone. */
static inline bool report_tells_how(const struct report *report)
{
	return report->model->profile->condition_count > 0 || report->model->counted;
}
void how_column(struct report *report);
struct cell *how_cell(const struct report *report, struct cell *cells,
	const struct call_count *count, const union model_value *base,
	const union model_value *cum);

/* Whether cum is "at least": the column, a cell in data, is there only where that is so of some node. */
void at_least_column(struct report *report);
static inline struct cell *at_least_cell(
	const struct report *report, struct cell *cells, bool at_least)
{
	if (report->model->at_least)
		*cells++ = cell_bool(at_least);
	return cells;
}

/* Base and cum of metrics and of samples, or (total) something's total alone; where the profile is adjusted what
 * was counted and the errors, too. The cells, cum is NULL for a total: returns that behind them. sampled:
 * nothing was measured. */
void value_columns(struct report *report);
void total_columns(struct report *report);
/* The same, of what only has a sum of all below: it is called that. */
void cum_columns(struct report *report);

/* Samples alone: of each condition a column in the group, with its share. */
void sample_columns(struct report *report, const char *group, const char *heading,
	unsigned flags, unsigned behind);
struct cell *value_cells(const struct report *report, struct cell *cells,
	const union model_value *base, const union model_value *cum, bool sampled);

/* The figures of samples have shares, of which the number of samples tells the error. condition: of the chosen
 * ones. */
void samples_have_shares(struct report *report, unsigned column, unsigned condition);

/* Adds the cells of columns that can be summed; others become null. sums starts as sums_begin makes
 * it; sums_end makes errors of what their parts came to. */
void sums_begin(const struct report *report, struct cell *sums);
void sums_add(const struct report *report, struct cell *sums, const struct cell *cells);
void sums_end(const struct report *report, struct cell *sums);

/* ---- rows about a method, as the views methods, callers and overview share them ---- */

void method_row_columns(struct report *report);

/* The cells of something that was done in a method. */
void method_row(const struct report *report, struct cell *cells, uint32_t method,
	const struct call_count *count, const union model_value *base,
	const union model_value *cum);

/* The same of a whole method. */
void method_row_of(const struct report *report, struct cell *cells, const struct tally *tally,
	uint32_t method);

/* A row beside the rows: base of the threads' roots. With it the bases of all methods add up to the
 * threads' totals. */
void method_row_outside(struct report *report, struct sink *sink, const struct tally *tally);

/* ---- averages, and rates by second ---- */

/* Of what is called: figures of a call with what it called, "each", and calls in a second of the interval, "rate". For
 * data. Nothing is known of what samples alone have found. */
void call_rate_columns(struct report *report);
struct cell *call_rate_cells(const struct report *report, struct cell *cells,
	const struct call_count *count, const union model_value *cum);

/* ---- sums of I/O ---- */

/* Where files are chosen beside other figures: fills io_of_node and the like. 0, or -1 without memory. Its columns, if
 * there are any; a row's cells there, which come back behind them. */
int report_find_io(struct report *report);
void beside_columns(struct report *report);
struct cell *beside_cells(
	const struct report *report, struct cell *cells, const struct io_amount *amount);

/* Three columns for a part, in a group: ops, bytes, ns; and their cells. Returns that behind them. */
void io_columns(struct report *report, const char *group, const char *heading, unsigned flags);
struct cell *io_cells(struct cell *cells, const struct io_amount *amount);

/* Processor time of I/O, where it was recorded: one column, or that of base and of cum, which io_cpu_cell is
 * called for one by one. No column, and no cell, where it was not. */
void io_cpu_columns(struct report *report, bool cum);
struct cell *io_cpu_cell(
	const struct report *report, struct cell *cells, const struct io_amount *amount);

/* What an operation takes, "each", and how much is done in a second of the interval, "rate": the first is shown in
 * text, too. Operations of amount; returns that behind the cells. */
void io_rate_columns(struct report *report);
struct cell *io_rate_cells(
	const struct report *report, struct cell *cells, const struct io_amount *amount);

/* The same for all parts of base and cum; all: what those columns have shares of. */
void io_all_columns(struct report *report);
void io_all_sums(struct report *report, const struct io_use *all);
struct cell *io_all_cells(
	struct cell *cells, const struct io_use *base, const struct io_use *cum);

#endif

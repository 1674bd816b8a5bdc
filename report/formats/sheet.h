/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * sheet: what a view shows, as columns and rows of cells, and the printers that show it.
 *
 *   view --- cells of a row ---> sink ---> text | screen | json | csv ---> out
 *
 * A view knows its columns and fills cells; a printer (a row of the table in format.c)
 * knows how cells look. Neither asks about the other. Rows stream: the view fills the
 * same array of cells again and again. A format may also walk the model by itself.
 */
#ifndef JPROF_REPORT_SHEET_H
#define JPROF_REPORT_SHEET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profile/profile.h"
#include "report/text/out.h"
#include "profile/store.h"

/* ---- cells and columns ---- */

enum cell_kind {
	CELL_NULL,
	CELL_SAMPLED, /* no number, for samples have found it: text says so, in data it is null */
	CELL_NUMBER,
	CELL_ESTIMATE, /* a number by samples: part of another row's, so never added to one */
	CELL_DIVIDED,  /* a number by samples, with an error: in sums like any other */
	CELL_HOW,      /* how figures are known that were not measured: cell_how */
	CELL_SIGNED,
	CELL_REAL,
	CELL_EXACT, /* a real number of which data has all digits; whole ones have no point */
	CELL_TEXT,
	CELL_TEXTS, /* several, for data: a list in JSON */
	CELL_JSON,  /* a JSON text, as it is: for JSON alone */
	CELL_BOOL
};

#define CELL_SAMPLED_TEXT "sampled"

struct cell {
	enum cell_kind kind;
	uint32_t length; /* CELL_TEXT, CELL_JSON: bytes; CELL_TEXTS: how many */
	union {
		uint64_t number;  /* CELL_BOOL: 0 or 1; CELL_SIGNED: an int64_t */
		double real;      /* finite */
		const char *text; /* borrowed until the report ends; well-formed UTF-8 */
		const struct label *texts; /* the same */
	};
};

static inline struct cell cell_number(uint64_t number)
{
	return (struct cell){.kind = CELL_NUMBER, .number = number};
}

static inline struct cell cell_estimate(uint64_t number)
{
	return (struct cell){.kind = CELL_ESTIMATE, .number = number};
}

static inline struct cell cell_divided(uint64_t number)
{
	return (struct cell){.kind = CELL_DIVIDED, .number = number};
}

/* It may be added up. */
static inline bool cell_is_sum(const struct cell *cell)
{
	return cell->kind == CELL_NUMBER || cell->kind == CELL_DIVIDED;
}

/* How a figure is known. */
enum how { HOW_MEASURED, HOW_COUNTED, HOW_SAMPLED };

/* Of the calls; and the metrics, as bits, that samples tell of. For data: an object with those that were not measured, or
 * words; null, if all were. */
static inline struct cell cell_how(enum how calls, uint32_t sampled)
{
	return (struct cell){
		.kind = calls != HOW_MEASURED || sampled != 0 ? CELL_HOW : CELL_NULL,
		.number = (uint64_t)sampled << 2 | calls};
}

/* The next figure of such a cell, and how it is known; at is 0 at first. NULL: there are no more. */
struct sheet;
const char *cell_how_next(
	const struct sheet *sheet, const struct cell *cell, unsigned *at, const char **word);

/* For data only: it has no width in text. */
static inline struct cell cell_signed(int64_t number)
{
	return (struct cell){.kind = CELL_SIGNED, .number = (uint64_t)number};
}

/* Shown with one decimal, or three in data. */
static inline struct cell cell_real(double real)
{
	return (struct cell){.kind = CELL_REAL, .real = real};
}

/* For data only. */
static inline struct cell cell_exact(double real)
{
	return (struct cell){.kind = CELL_EXACT, .real = real};
}

static inline struct cell cell_bool(bool value)
{
	return (struct cell){.kind = CELL_BOOL, .number = value};
}

static inline struct cell cell_null(void)
{
	return (struct cell){.kind = CELL_NULL};
}

static inline struct cell cell_sampled(void)
{
	return (struct cell){.kind = CELL_SAMPLED};
}

static inline struct cell cell_label(struct label label)
{
	if (!label.text)
		return cell_null();
	return (struct cell){
		.kind = CELL_TEXT, .length = (uint32_t)label.length, .text = label.text};
}

static inline struct cell cell_texts(const struct label *texts, size_t count)
{
	return (struct cell){.kind = CELL_TEXTS, .length = (uint32_t)count, .texts = texts};
}

static inline struct cell cell_json(struct label json)
{
	return (struct cell){
		.kind = CELL_JSON, .length = (uint32_t)json.length, .text = json.text};
}

static inline struct cell cell_text(const char *text)
{
	return cell_label(label_of(text));
}

/* Properties of a column. */
enum {
	IN_TEXT = 1,
	IN_JSON = 2,
	IN_CSV = 4,
	IN_DATA = IN_JSON | IN_CSV,
	IN_ALL = IN_TEXT | IN_DATA,
	COLUMN_SUM = 8,      /* a sum over rows means something */
	COLUMN_RISING = 16,  /* sorted by it, the smallest number comes first */
	COLUMN_NAME = 32,    /* says what the row is about; indented by the row's depth */
	COLUMN_TIME = 64,    /* ns; text shows milliseconds */
	COLUMN_LEFT = 128,   /* text aligns it left */
	IN_SCREEN = 256,     /* where text is laid out for a terminal; so is IN_TEXT */
	COLUMN_LAST = 512,   /* text has it behind all others */
	COLUMN_ASIDE = 1024, /* text that is laid out for a terminal has it not */
	COLUMN_ERROR = 2048, /* and says there how far off the share may be */
	COLUMN_SHARE = 8192, /* rows have shares of their sum, which are not shown */
	COLUMN_BYTES = 4096, /* laid out for a terminal it has the unit that people read */
};

/* Where a column stands in text, from left to right; its position in the sheet counts
 * among equals. Metrics use PLACE_METRIC + 2 * metric and the one behind it, conditions the same of
 * PLACE_SAMPLES. */
enum { PLACE_FIRST = 0, PLACE_METRIC = 100, PLACE_SAMPLES = 500, PLACE_LAST = 1000 };

struct column {
	/* the JSON object it is in, "base.reads" for one in another; or NULL */
	const char *group;
	const char *key;
	char heading[80];
	const char *unit; /* shown under the heading, or "" */
	/* the column with half the width of its interval, + 1; 0: it has none */
	unsigned error;
	unsigned flags;
	unsigned place;
	bool has_whole; /* percentages mean something */
	uint64_t whole; /* what 100 % is; 0: of nothing */
	uint64_t sum;   /* the same where shares are not shown; 0: not known */
	uint64_t
		taken; /* so many samples are all that the figures are made of; 0: they are none of samples */
};

/* The view `threads` has the most without metrics, the view `calibration` with. */
#define COLUMN_MAX (72 + 10 * PROFILE_METRIC_MAX + 2 * SAMPLE_CONDITIONS_MAX)

struct sheet {
	const char *view;
	const struct profile_metric *const *metric; /* the chosen ones; borrowed */
	unsigned metric_count;
	struct column column[COLUMN_MAX];
	unsigned column_count;
	/* What else there is to see, where a screen need not say which columns it leaves out; or NULL. */
	const char *brief;
};

/* Appends a column and returns its index. group may be NULL. */
unsigned sheet_add(struct sheet *sheet, const char *group, const char *key, const char *heading,
	unsigned flags);

/* The column of text that says what a row is about. */
void sheet_add_name(struct sheet *sheet, const char *heading);

/* Appends one column a metric, side by side; returns the index of the first. behind is 0
 * or 1: which of a metric's places in text it takes. */
unsigned sheet_add_metrics(struct sheet *sheet, const char *group, const char *heading,
	unsigned flags, unsigned behind);

/* The column a user means: "cum" (the first of the group), "cum.cpu", "calls". -1 if there
 * is none. Columns with the same key: the first. */
int sheet_find(const struct sheet *sheet, const char *name);

/* ---- sinks ---- */

struct sink;
struct model;

/* A printer: one file print_NAME.c and one row of the table in format.c. */
struct format {
	const char *name, *meaning;
	/* Writes what it wants of the model, without a view: all that follows is not looked at. 0, or -1
	 * without memory. NULL: it prints the rows of a view. */
	int (*walk)(const struct model *model, struct out *out);
	unsigned use;  /* some of IN_ALL and IN_SCREEN: the columns it shows */
	bool has_head; /* lines for people may stand above the rows */
	bool measures; /* wants to see all rows once before it prints them */
	bool colours;
	bool shares; /* shows percentages */
	void (*begin)(struct sink *sink);
	void (*heading)(struct sink *sink); /* of a table; others have none */
	void (*row)(struct sink *sink, const struct cell *cells, unsigned depth);
	/* The others may be NULL: the format has no place for it. */

	/* Before all rows, measured ones too. */
	void (*open)(struct sink *sink);

	/* Opens, and closes, a group of rows that belong together, and within it a part: one
	 * row, or a list of them. */
	void (*stanza)(struct sink *sink, bool open);
	void (*part)(struct sink *sink, const char *key, bool list, bool open);
	/* A row beside the rows: what was left out, say. rows, if not 0, is how many. */
	void (*extra)(struct sink *sink, const char *key, const char *label, uint64_t rows,
		const struct cell *cells);
	void (*note)(struct sink *sink, const char *key, const char *value, const char *more);
	/* A line in front of rows: what they are; the first ones, what the report is
	 * about. */
	void (*title)(struct sink *sink, const char *line);
	/* A command that is to be copied. */
	void (*command)(struct sink *sink, const char *line);
	void (*end)(struct sink *sink);
};

/* What a column's cells are like, and whether there is room for it. */
struct screen_column {
	size_t digits, unit, text; /* the widest of each */
	size_t width;              /* of the whole */
	bool uncertain, estimated, divided, varies, nonzero, shown;
	struct cell first; /* of the first row */
};

struct sink {
	const struct format *format;
	const struct sheet *sheet;
	struct out *out;
	bool measuring; /* rows are looked at, nothing is printed */
	bool beside;    /* what looks like a row stands beside them */
	bool has_extra; /* one did */
	bool colour;
	unsigned terminal; /* columns that a line may have */

	/* The printer's own. */
	unsigned order[COLUMN_MAX]; /* columns shown, in the order shown */
	unsigned shown;
	size_t width[COLUMN_MAX];
	uint64_t largest[COLUMN_MAX];
	uint64_t largest_error[COLUMN_MAX];
	size_t error_width[COLUMN_MAX]; /* of what stands behind the number */
	/* some number in the rows has one; is uncertain; is an estimate */
	bool has_errors, has_uncertain, has_estimates, has_divided;
	struct screen_column screen[COLUMN_MAX]; /* of format_screen, in the order of `order` */
	uint64_t rows;
	struct label prefix[COLUMN_MAX + 1];
	struct out text; /* what the prefixes are made of */
	struct out tail; /* of format_json: what stands behind the rows */
	bool first_row, first_stanza, strong, headed;
	const char *part;
};

extern const struct format *const formats[];
extern const size_t format_count;

void sink_init(struct sink *sink, const struct format *format, const struct sheet *sheet,
	struct out *out, bool colour);
void sink_fini(struct sink *sink);

/* What a view calls. depth is how far the row's name is indented. */
void sink_row(struct sink *sink, const struct cell *cells, unsigned depth);
void sink_stanza(struct sink *sink, bool open);
void sink_part(struct sink *sink, const char *key, bool list, bool open);
void sink_extra(struct sink *sink, const char *key, const char *label, uint64_t rows,
	const struct cell *cells);
void sink_note(struct sink *sink, const char *key, const char *value, const char *more);
void sink_title(struct sink *sink, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void sink_command(struct sink *sink, const char *line);

/* For printers: writes a cell as data, but for texts and null, of which it returns false. */
bool out_cell(struct out *out, const struct cell *cell);

/* format_screen: text as wide as sink->terminal says; not for users to name. */
extern const struct format format_text, format_screen, format_json;

#endif

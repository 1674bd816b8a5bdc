/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * diff: what changed between the profiles of one program, before and after something.
 *
 *   model of a run ---> diff_add_run, once for each run of either side
 *                       diff_judge: what can be compared, and how sure that is
 *                       diff_change: an item's figure, both sides of it, with errors and a verdict
 *
 * An item is the whole program, a method, a call path of all threads together, or a file. Items of two runs
 * are the same by their names (names.h). A figure is a column of all items of a table: "calls", "base.cpu".
 *
 * In:   models (report/model), which may go once they were added.
 * Out:  items, figures, changes; lines that a reader should know. Nothing here prints.
 * Owns: copies of names, and the figures of each run: 12 bytes each.
 */
#ifndef JPROF_REPORT_DIFF_H
#define JPROF_REPORT_DIFF_H

#include "report/diff/names.h"
#include "report/diff/spread.h"
#include "report/model/model.h"
#include "report/text/figure.h"

enum diff_side { DIFF_BEFORE, DIFF_AFTER };

/* Tables of items. */
enum diff_by { DIFF_TOTAL, DIFF_METHOD, DIFF_PATH, DIFF_FILE, DIFF_TABLES };

/* "total", "method", "path", "file". */
extern const char *const diff_by_names[DIFF_TABLES + 1];

/* Runs: of both sides together. */
enum { DIFF_RUNS_MAX = 64, DIFF_FIGURES_MAX = 96, DIFF_FIGURE_NAME = 96 };

#define DIFF_VERDICT_TABLE(X)                                                                  \
	X(DIFF_UNKNOWN, "unknown") /* a side does not know the figure */                       \
	X(DIFF_SAME, "same")                                                                   \
	X(DIFF_NOISE, "noise") /* there may be no change */                                    \
	X(DIFF_GREW, "grew")                                                                   \
	X(DIFF_FELL, "fell")                                                                   \
	X(DIFF_NEW, "new") /* it was nothing before */                                         \
	X(DIFF_GONE, "gone")

enum diff_verdict {
#define X(verdict, name) verdict,
	DIFF_VERDICT_TABLE(X)
#undef X
		DIFF_VERDICTS
};
extern const char *const diff_verdict_names[DIFF_VERDICTS + 1];

struct diff_figure {
	char name[DIFF_FIGURE_NAME];
	enum figure_kind kind;
	bool is_exact;  /* counted: what differs has changed */
	unsigned whole; /* the figure of DIFF_TOTAL that it is a part of, + 1; 0: of none */
	unsigned runs;  /* that have it */
	bool left_out;  /* it cannot be compared; a note says why */
	/* Says again what a figure beside it does, or more of the machine, or of how it was
	 * recorded, than of the program (wall, io.ns, samples that divide a metric, cum with
	 * calls=auto): tests of all figures leave it out. */
	bool is_aside;
	double scale; /* spread_scale, from diff_judge on */
};

/* Names as they are matched, made of the run in which they were seen first. */
struct diff_name {
	/* Of a method; of a file the name is its path or address, the class its kind, and the signature the
	 * other end of a connection, or an entry's archive. */
	struct label class_name, name, signature;
	struct label display;
	bool is_java;
};

struct diff_item {
	uint32_t name;   /* of diff_table.name; of a path that of its method */
	uint32_t parent; /* of a path: item + 1; 0: the thread calls it */
	uint32_t level;  /* of a path: 0 for those without a parent */
};

struct diff_table {
	struct diff_figure figure[DIFF_FIGURES_MAX];
	unsigned figure_count;
	struct diff_item *item; /* parents stand before their children */
	size_t item_count, item_room;
	struct diff_name *name;
	size_t name_count, name_room;
	struct text_table texts; /* numbers of names */
	struct pairs *paths;     /* (parent, method) leads to the item + 1 */
};

/* A run's figures of a table: of item i, from value[i * stride] on. */
struct diff_values {
	size_t count;
	unsigned stride;
	unsigned figure[DIFF_FIGURES_MAX]; /* which they are */
	unsigned place[DIFF_FIGURES_MAX];  /* of a figure, + 1; 0: the run does not have it */
	double *value;                     /* NAN: not known */
	float *error; /* half the width of the interval that holds it, by what it was measured with */
};

/* Facts of a profile that tell whether it can be compared. */
enum diff_fact {
	FACT_COMMAND,
	FACT_CALLS,
	FACT_TIMING,
	FACT_JVM,
	FACT_CPU,
	FACT_PROCESSORS,
	FACT_SYSTEM,
	FACT_HOST,
	FACT_PID,
	FACT_STARTED,
	FACT_DURATION,
	FACT_COMPLETE,
	FACT_OPTIONS,
	FACT_FOLDED,   /* calls whose paths were folded */
	FACT_SAMPLED,  /* conditions, "cpu:1ms" */
	FACT_ADJUSTED, /* "yes", "no" */
	DIFF_FACTS
};

struct diff_run {
	enum diff_side side;
	struct label file;
	struct label fact[DIFF_FACTS];
	struct diff_values values[DIFF_TABLES];
	double divisor, divisor_error; /* what figures are divided by; 1, 0 */
};

struct diff_choice {
	bool wants[DIFF_TABLES]; /* which are made; totals and methods always are */
	/* A pattern of methods, or "metric:NAME"; NULL: figures stay as they are. */
	const char *normalize;
	/* What was measured and has less of the whole, on both sides, is not judged: it counts as noise. */
	double min;
	/* By how much times differ from one run to the next, as a part of them: where a side has too few runs to tell. 0: the
	 * user did not say, so what is measured is never certain there, and DIFF_PACE tells what is noise anyway. */
	double pace;
	bool chose_metrics; /* so none is aside */
};

#define DIFF_MIN  0.01
#define DIFF_PACE 0.25
/* Of each side, for what is measured to be certain. */
enum { DIFF_RUNS_LEAST = 3 };

struct diff {
	struct diff_choice choice;
	struct diff_table table[DIFF_TABLES];
	struct diff_run *run[DIFF_RUNS_MAX]; /* owned */
	unsigned run_count, side_count[2];
	/* The figure of methods that tells where the program spends most. */
	char lead[DIFF_FIGURE_NAME];
	/* Lines that a reader should know. The store's. */
	struct label *note;
	size_t note_count;
	size_t generated; /* names of methods that were made to match */
	/* Of what was measured in several runs, what is believed; [1] of figures aside. */
	struct spread_least least[2];
	struct store store;
};

/* Embedded (diff_fini). choice is copied, its texts are borrowed. */
void diff_init(struct diff *diff, const struct diff_choice *choice);
void diff_fini(struct diff *diff);

/* Takes a run's figures. file is what notes call it. 0, or a negative code: there is nothing to compare in it, it is one
 * that was added before, or there is no memory. */
int diff_add_run(struct diff *diff, enum diff_side side, const char *file,
	const struct model *model, struct error *error);

/* After the last run: 0, or a negative code with the reason why nothing can be compared. */
int diff_judge(struct diff *diff, struct error *error);

struct diff_change {
	/* Medians of the runs, divided if that was chosen; NAN: not known. */
	double before, after;
	double error_before, error_after; /* half widths, by what they were measured with */
	double change;                    /* after - before */
	double error;                     /* half the width of its interval; 0: it is exact */
	double share; /* of the whole, the larger one of both sides; 1, where there is no whole */
	enum diff_verdict verdict;
	bool is_certain; /* it was counted, or is believed by what several runs say */
};

struct diff_change diff_change(
	const struct diff *diff, enum diff_by by, uint32_t item, unsigned figure);

/* A run's own figure, divided. */
double diff_value(const struct diff_run *run, enum diff_by by, uint32_t item, unsigned figure);

/* True for a change that there is: all verdicts but unknown, same and noise. */
static inline bool diff_is_change(enum diff_verdict verdict)
{
	return verdict >= DIFF_GREW;
}

/* after / before - 1; infinite of what was nothing. */
double diff_growth(const struct diff_change *change);

const struct diff_name *diff_name(const struct diff *diff, enum diff_by by, uint32_t item);

/* Appends the item's name for people: a path with all its methods, "a > b > c", the upper ones without packages
 * if short ones are wanted. */
void diff_put_name(struct out *out, const struct diff *diff, enum diff_by by, uint32_t item,
	bool is_short);

/* The figure of that name, or one that it stands for ("read.bytes" for "reads.bytes", "cpu" for "base.cpu");
 * -1: there is none. */
int diff_figure_find(const struct diff *diff, enum diff_by by, const char *name);

/* Adds a note. */
void diff_say(struct diff *diff, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* ---- comparable.c: between the files of this room ---- */

/* Fills run->fact. 0, or -1 without memory. */
int diff_take_facts(struct diff *diff, struct diff_run *run, const struct model *model);

/* NULL, or why the run cannot be beside the others. The store's. */
const char *diff_refuses(struct diff *diff, const struct diff_run *run);

/* Says what differs that should not, and leaves figures out that cannot be compared. */
void diff_compare_facts(struct diff *diff);

/* True if all runs have calls=auto. */
bool diff_is_auto(const struct diff *diff);

#endif

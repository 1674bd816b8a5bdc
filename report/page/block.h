/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * block: what the files that write a block share; page.h is for all others.
 *
 *   block.c           rooms, and all of it in order
 *   block_methods.c   the table `method`: methods that others name
 *   block_paths.c     the tables `thread`, `node` and `flat`: one walk along each thread's tree
 *   block_accounts.c  `counted`, `place`, `io`, `file`: accounts find the rows of their nodes
 *   block_times.c     `mark`, `record`: what has a time
 *   block_header.c    the header
 *
 * Each begins with the function below that it is for. Without memory columns and strings keep that they failed.
 */
#ifndef JPROF_PAGE_BLOCK_H
#define JPROF_PAGE_BLOCK_H

#include "report/page/columns.h"
#include "report/page/fold.h"
#include "report/page/page.h"
#include "report/text/strings.h"

enum { PARTS = 4 }; /* of an error: docs/page-data.md, "Sums" */
#define NO_ROW UINT32_MAX
enum { METHOD_ROW_ROOT, METHOD_ROW_SMALL, METHOD_ROWS };

/* Columns that nodes and flat rows share: the first of one a metric or condition. */
struct value_columns {
	unsigned base, counted, be[PARTS], samples;
	unsigned cum, cum_counted, ce[PARTS],
		cum_samples; /* the first two and the last: of flat */
};

/* What small paths come to: below one caller, or of one method. */
struct small {
	struct call_count count;
	union model_value base[MODEL_VALUES_MAX], cum[MODEL_VALUES_MAX];
	uint32_t row; /* of flat: its row + 1; 0: not yet in this thread */
};

struct block {
	const struct model *model;
	const struct block_choice *choice;
	struct columns columns;
	struct strings strings;
	struct fold fold;
	const union model_value *cum;
	const struct link *link;
	struct estimates estimates;
	bool can_estimate;
	uint32_t *method_row; /* by id; 0: none yet */
	uint32_t *node_row;   /* by node; of a folded one the small row's */
	uint32_t *flat_row;   /* by node; NO_ROW: it is not folded */
	uint32_t *thread_row; /* by position */
	uint32_t rows, flats, methods, threads;
	struct small *flat; /* by method id, of the thread that is walked */
	uint32_t *touched;  /* methods that have one */
	size_t touched_count;
	struct {
		unsigned class_name, name, signature, display, file, kind, flags;
	} method;
	struct {
		unsigned up, thread, method, id, recursion, calls, state[3], flags, paths;
		unsigned estimate, estimate_cum;
		struct value_columns values;
	} node;
	struct {
		unsigned thread, method, nodes, sampled, calls, state[3], flags;
		struct value_columns values;
	} flats_of;
};

/* ---- block_methods.c ---- */

void put_method_columns(struct block *block);
/* The root's, and that of small paths. */
void put_first_methods(struct block *block);
/* The method's row, made if there is none. */
uint32_t method_row_of_id(struct block *block, uint32_t id);

/* ---- block_paths.c ---- */

void put_threads(struct block *block);
/* root: the node to begin at; NO_ROW: all threads'. */
void put_paths(struct block *block, uint32_t root);

/* ---- block_accounts.c ---- */

void put_counted(struct block *block);
/* False without memory. */
bool put_places(struct block *block);
bool put_io(struct block *block);
void put_files(struct block *block);

/* ---- block_times.c ---- */

void put_marks(struct block *block);
/* False without memory. */
bool put_records(struct block *block);

/* ---- block_header.c ---- */

/* "views":{...}, before all tables. 0, or a negative code. */
int put_views(const struct block *block, struct out *out, struct error *error);

/* What stands behind notes and views, up to the closing brace. Without memory out and columns say so. */
void put_header(struct block *block, struct out *out);

#endif

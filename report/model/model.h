/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * model: what was chosen of a profile: threads, metrics, files and methods, adjusted figures;
 * and what its nodes and threads have then.
 *
 * In:   a profile in memory (an interval of it is one like any other), and what the user chose.
 * Out:  what views, formats that walk the tree, and others ask. Nothing here knows of rows.
 * Owns: a store, for itself and for whatever is made of it; all is given back at once.
 *
 *   values.h          figures of nodes and threads, and their sums
 *   links.h           the way from a node to its children
 *   tally.h, edges.h  sums by method, and by caller and callee
 *   io_use.h          sums of I/O
 */
#ifndef JPROF_REPORT_MODEL_H
#define JPROF_REPORT_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error/error.h"
#include "options/pattern.h"
#include "profile/profile_read.h"
#include "report/model/adjustment.h"
#include "profile/store.h"

/* What the user chose. */
struct model_choice {
	const char *metrics;         /* names joined by '+', or NULL for all */
	struct pattern_list threads; /* empty: all */
	struct pattern_list paths;   /* of files, addresses of connections; the same */
	/* I/O: in whose call paths it was done; calls: those below or within such; the
	 * same */
	struct pattern_list methods;
	bool merge_threads; /* all selected threads are one */
	/* NULL: nothing is known of it, and nothing said */
	const struct adjustment *adjustment;
};

struct method_label {
	struct label class_name, name, signature; /* borrowed from the profile */
	/* For people: class.method, with its parameters where the class has several of that
	 * name: com.acme.Foo.bar(int,String[]) */
	struct label display;
};

struct model {
	const struct profile *profile; /* borrowed; of merged threads: made from that */
	const struct model_choice *choice;
	/* The chosen metrics, and their index in the profile. */
	const struct profile_metric *metric[PROFILE_METRIC_MAX];
	unsigned metric_index[PROFILE_METRIC_MAX], metric_count;
	const struct adjusted *adjusted; /* NULL: figures are as they were counted */
	/* How many values something has: one a metric, and where the profile is adjusted what was
	 * counted, and the three parts of its error (calibration/adjust.h). */
	/* all of them; those that are whole numbers, which are first */
	unsigned values, counts;
	const union model_value *merged; /* of the nodes of merged threads; or NULL */
	bool *selected;                  /* by position of the thread */
	bool *hidden;                    /* by node: a fold that nothing was folded into */
	uint32_t *node; /* positions of selected nodes but hidden ones, rising */
	size_t node_count;
	/* By node: what it and all below it used may be more than its cum, for paths were folded;
	 * NULL: that is so of none. */
	bool *at_least;
	struct store *store;         /* of all that is made of the model */
	struct method_label *method; /* by method id */
	struct label *thread;        /* by position of the thread */
};

/* 0, or a negative code. Embedded (model_fini), also after a failure. choice is borrowed. */
int model_init(struct model *model, const struct profile *profile,
	const struct model_choice *choice, struct error *error);
void model_fini(struct model *model);

/* Those of all methods, by id. The store's; NULL without memory. */
struct method_label *method_labels(struct store *store, const struct profile *profile);

/* Makes one tree of all selected threads: from here on the profile has one thread, whose nodes are the sums of
 * those with the same path; it borrows all else. 0, or -1 without memory. */
int model_merge_threads(struct model *model);

/* "no memory for the report". Returns a negative code. */
int model_no_memory(struct error *error);

/* Position of the thread that a node belongs to. near is where to look first: the answer of
 * the call before, or 0. */
size_t model_thread_of(const struct model *model, size_t node, size_t near);

/* True if the profile has rows of virtual threads, selected or not. */
bool model_has_virtual(const struct model *model);

static inline bool model_is_at_least(const struct model *model, size_t node)
{
	return model->at_least && model->at_least[node];
}

/* True if the user asked for methods like that, or for none. */
bool model_wants_method(const struct model *model, uint32_t method);

/* The same for the names of a file or connection; NULL: there is none. */
bool model_wants_file(const struct model *model, const struct profile_file *file);

/* By node: a wanted method is on its path. The store's; NULL without memory. */
bool *model_below_wanted(const struct model *model);

#endif

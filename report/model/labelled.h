/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * labelled: a model of the profile as it was before nodes of values and tags became a part of their methods.
 *
 * Its figures add up to those of the profile without labels: what calls cost is taken out there, where callers and callees are
 * methods, and each node of it that labels tell apart has a part of that, by the deltas it had.
 */
#ifndef JPROF_REPORT_LABELLED_H
#define JPROF_REPORT_LABELLED_H

#include "report/model/model.h"

/* Embedded; all zero at first. The model of threads as they were read. */
struct labelled {
	struct model model;
	struct model_choice choice;
	struct adjustment adjustment;
};

/* Of the model's profile, which has labels, with the same choice. 0, or a negative code. labelled_fini also after a failure. */
int labelled_init(struct labelled *labelled, const struct model *model, struct error *error);
void labelled_fini(struct labelled *labelled);

/* ---- values ---- */

/* Something was done with values of parameters; or under tags. */
bool labels_are_there(const struct profile *profile, bool tags);

/* The places of a value by its id, and of the parameter that the value at a place is of. The reader has looked that both are there. */
size_t label_value_place(const struct profile *profile, uint32_t id);
size_t label_parameter_place(const struct profile *profile, size_t value);

/* "value", "null" or "others". Static. */
const char *label_kind(const struct profile_value *value);

/* On one line, for people: "(null)", of an empty one two quotes; blanks and ends of lines are one blank each. In the store. */
struct label label_name(struct store *store, const struct profile_value *value);

/* ---- what stands beside the metrics, by value or by tag ---- */

struct label_use {
	struct io_use io;
	uint64_t rows;
	uint64_t objects, object_bytes; /* allocated */
	uint64_t waits, wait_ns;        /* for locks, work, time */
};

/* Adds what accounts tell; of I/O alone what was asked for: io_wanted of its account. */
void label_use_add(
	struct label_use *use, const struct profile_account *account, bool io_is_wanted);

#endif

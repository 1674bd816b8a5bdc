/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * chosen: of a model, what was done in some places of call paths alone: by calls of some methods, within some components, and below
 * them.
 *
 * In:   model_choice: paths and within; the figures of all nodes, which are the same whatever is chosen.
 * Out:  nodes, accounts, waits and records of those places; and nodes that lead to them, which have nothing of their own. A thread
 *       has what its nodes have left. What is told by thread or method alone is gone.
 *
 * What was done under tags, and below values, is chosen as the profile is read (profile/label_choice.h).
 */
#ifndef JPROF_REPORT_CHOSEN_H
#define JPROF_REPORT_CHOSEN_H

#include "report/model/model.h"

/* Makes the model one of what was chosen: its threads are not yet merged, nor are its methods components. 0, or a negative code:
 * -ERROR_MISSING if nothing was done there. */
int model_choose_places(struct model *model, struct error *error);

/* "only what was done under the tags user=alice, below calls of com.acme.Shop.order", and what that lacks: for people. In the store;
 * empty: it is all. */
struct label model_chosen_line(const struct model *model, struct store *store);

#endif

/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * interval: what happened between two states of the same recording.
 *
 * In:   the later state and the earlier one, each a whole struct profile, and the forwards.
 * Out:  the later one, less what the earlier one had counted already.
 *
 * Nodes are subtracted by their ids. Where one is no more, a forward tells which node has its counts;
 * so whatever was folded, sums over a thread (of folded ones: over their row) and over each of its methods
 * are exact.
 */
#ifndef JPROF_PROFILE_INTERVAL_H
#define JPROF_PROFILE_INTERVAL_H

#include "profile/contents.h"

/* base: the values that the nodes of `to` point to. The states share metrics and the places of
 * their I/O's files. 0, or -1 without memory: `to` is then fit for profile_free alone. */
int interval_subtract(struct profile *to, uint64_t *base, const struct profile *from);

/* Nodes and threads that did nothing are dropped. As above. */
int interval_drop_unused(struct profile *profile);

/* value: what the sequences of `to` point to: sums, then minima. A sequence that did not occur in the
 * interval is dropped; the minima remain those of the whole time before. */
void interval_subtract_sequences(
	struct profile *to, uint64_t *value, const struct profile *from);

/* Drops the records that did not begin in the profile's interval. */
void interval_cut_records(struct profile *profile);

#endif

/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* write_sequences: brings the stretches of all threads, by sequence, into the profile. */
#ifndef JPROF_WRITE_SEQUENCES_H
#define JPROF_WRITE_SEQUENCES_H

#include "agent/trace/trace.h"
#include "error/error.h"
#include "profile/profile_write.h"

/* Within a transaction: puts each sequence that has occurred, and how many stretches there was
 * no memory to count into *uncounted. 0, or a negative code. */
int sequences_put(struct trace *trace, unsigned metrics, struct profile_writer *profile,
	uint64_t *uncounted, struct error *error);

#endif

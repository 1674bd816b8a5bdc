/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * io_use: sums of I/O by node, or by what else views group it.
 */
#ifndef JPROF_REPORT_IO_USE_H
#define JPROF_REPORT_IO_USE_H

#include "report/model/model.h"

/* What operations are summed up as; IO_PART_ALL is the sum of the others. */
enum io_part {
	IO_PART_ALL,
	IO_PART_READS,
	IO_PART_WRITES,
	IO_PART_RECEIVED,
	IO_PART_SENT,
	IO_PART_OTHERS, /* opens, closes, connects, deletes... */
	IO_PARTS
};

struct io_amount {
	uint64_t ops, bytes, ns;
};

struct io_use {
	struct io_amount part[IO_PARTS];
};

/* Which of the profile's I/O accounts are wanted, by threads, files and methods. The store's; NULL without
 * memory. */
bool *io_wanted(const struct model *model);

void io_use_add(struct io_use *use, const struct profile_account *io);
void io_use_join(struct io_use *use, const struct io_use *more);

/* Of every node, by position: base and cum, both the store's. 0, or -1 without memory. */
int io_use_of_nodes(const struct model *model, struct io_use **base, struct io_use **cum);

#endif

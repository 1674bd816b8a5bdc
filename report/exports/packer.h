/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * packer: where protobuf-c packs messages to: a file, a compressed file, or nothing but their length.
 *
 * No message is in memory as a whole. A message in pieces is the same message, if pieces hold its repeated fields:
 * that is how protobuf defines it (https://protobuf.dev/programming-guides/encoding/#last-one-wins). So a table of a
 * million rows is packed as a million messages with one row each. Only an embedded message must say its length
 * first: it is packed twice, at first to count.
 */
#ifndef JPROF_REPORT_EXPORT_PACKER_H
#define JPROF_REPORT_EXPORT_PACKER_H

#include <protobuf-c/protobuf-c.h>

#include "report/exports/gzip.h"

struct packer {
	ProtobufCBuffer buffer; /* what protobuf-c writes to */
	/* One of the two, or neither: only the length is wanted. Borrowed. */
	struct out *out;
	struct gzip *gzip;
	uint64_t length; /* of all that was packed */
};

struct packer packer_to(struct out *out, struct gzip *gzip);

/* Packs a message. */
void packer_put(struct packer *packer, const void *message);

/* The head of an embedded message of that length, which is packed next. */
void packer_head(struct packer *packer, unsigned field, uint64_t length);

#endif

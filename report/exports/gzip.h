/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* gzip: bytes that leave compressed (RFC 1952), through a buffer. */
#ifndef JPROF_REPORT_EXPORT_GZIP_H
#define JPROF_REPORT_EXPORT_GZIP_H

#include <zlib.h>

#include "report/text/out.h"

enum { GZIP_ROOM = 64 * 1024 };

struct gzip {
	z_stream stream;
	struct out *out; /* borrowed; keeps failures */
	size_t length;   /* of what waits in plain */
	unsigned char plain[GZIP_ROOM];
};

/* 0, or -1 without memory. Embedded (gzip_fini, also after a failure). */
int gzip_init(struct gzip *gzip, struct out *out);
void gzip_fini(struct gzip *gzip);

void gzip_put(struct gzip *gzip, const char *bytes, size_t length);

/* Writes what waits, and the end. */
void gzip_end(struct gzip *gzip);

#endif

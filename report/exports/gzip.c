/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* gzip: zlib's deflate, to an out. */
#include "report/exports/gzip.h"

/* Stacks that follow each other are much alike: the fastest level finds that, too. */
enum { LEVEL = 1, GZIP_WINDOW = 15 + 16, MEMORY = 8 };

int gzip_init(struct gzip *gzip, struct out *out)
{
	gzip->stream = (z_stream){0};
	gzip->out = out;
	gzip->length = 0;
	return deflateInit2(&gzip->stream, LEVEL, Z_DEFLATED, GZIP_WINDOW, MEMORY,
		       Z_DEFAULT_STRATEGY) == Z_OK
		       ? 0
		       : -1;
}

void gzip_fini(struct gzip *gzip)
{
	deflateEnd(&gzip->stream);
}

/* Gives to deflate what waits, and what comes out of it on. */
static void compress_waiting(struct gzip *gzip, int flush)
{
	unsigned char packed[16 * 1024];

	gzip->stream.next_in = gzip->plain;
	gzip->stream.avail_in = (uInt)gzip->length;
	do {
		gzip->stream.next_out = packed;
		gzip->stream.avail_out = sizeof(packed);
		deflate(&gzip->stream, flush);
		out_bytes(gzip->out, (const char *)packed,
			sizeof(packed) - gzip->stream.avail_out);
	} while (gzip->stream.avail_out == 0);
	gzip->length = 0;
}

void gzip_put(struct gzip *gzip, const char *bytes, size_t length)
{
	while (length > 0) {
		size_t piece = sizeof(gzip->plain) - gzip->length;

		piece = length < piece ? length : piece;
		memcpy(gzip->plain + gzip->length, bytes, piece);
		gzip->length += piece;
		bytes += piece;
		length -= piece;
		if (gzip->length == sizeof(gzip->plain))
			compress_waiting(gzip, Z_NO_FLUSH);
	}
}

void gzip_end(struct gzip *gzip)
{
	compress_waiting(gzip, Z_FINISH);
}

/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * out: bytes on their way out, through one large buffer.
 *
 * A report is millions of small pieces. They are put together here and leave in large
 * writes. The first failed write is kept; what comes later is dropped, so that printers
 * need not ask after each piece.
 */
#ifndef JPROF_REPORT_OUT_H
#define JPROF_REPORT_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct error;

struct out {
	int fd;                     /* borrowed; -1: the buffer grows and is the result */
	void (*before_write)(void); /* called before bytes leave; or NULL */
	int failed;                 /* errno of the first failure, or 0 */
	size_t length, capacity;
	char *buffer;
};

/* Embedded. With fd -1 everything stays in buffer[0 .. length). */
void out_init(struct out *out, int fd);
void out_fini(struct out *out);

/* Writes what is buffered. */
void out_flush(struct out *out);

/* The same for the last time. 0, or a negative code if it or anything before it failed: "cannot write the WHAT", or
 * without memory. If the reader is gone (EPIPE), the text of error is empty: there is nobody to tell. */
int out_finish(struct out *out, const char *what, struct error *error);

/* As many bytes as wanted. */
void out_many(struct out *out, const char *bytes, size_t length);
void out_spaces(struct out *out, size_t count);

/* The same, for what mostly is short. After a failure capacity is 0. */
static inline void out_bytes(struct out *out, const char *bytes, size_t length)
{
	if (length <= out->capacity - out->length) {
		memcpy(out->buffer + out->length, bytes, length);
		out->length += length;
	} else {
		out_many(out, bytes, length);
	}
}

static inline void out_char(struct out *out, char c)
{
	out_bytes(out, &c, 1);
}

static inline void out_text(struct out *out, const char *text)
{
	out_bytes(out, text, strlen(text));
}

/* Text from outside, without what a terminal might obey (harmless.h), and the columns
 * that it then takes. */
void out_harmless(struct out *out, const char *text, size_t length);
size_t out_width(const char *text, size_t length);

/* A JSON string of it, with its quotes (RFC 8259). */
void out_json(struct out *out, const char *text, size_t length);

/* Decimal digits. */
void out_number(struct out *out, uint64_t value);
void out_signed(struct out *out, int64_t value);

/* With up to so many decimals, of which zeros at the end are left out. */
#define REAL_DECIMALS 3
void out_real(struct out *out, double value);

/* With 15 digits; a whole number without a point. */
void out_exact(struct out *out, double value);

/* Longest of the two forms below. */
#define NUMBER_WIDTH 32

/* "1,234,567": writes the text to the end of field, which ends at end, and returns its
 * start. */
char *number_grouped(char *end, uint64_t value);

/* Nanoseconds as milliseconds, rounded to three decimals: "1,234.568". */
char *number_milliseconds(char *end, uint64_t ns);

#endif

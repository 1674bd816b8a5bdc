/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * print: a difference as bytes, in one of a table of formats.
 *
 * In:   a judged diff, what the user asked for, rules that were tested.
 * Out:  text that fits a terminal, JSON, CSV; a comment for a merge request; tests for a build server.
 */
#ifndef JPROF_REPORT_DIFF_PRINT_H
#define JPROF_REPORT_DIFF_PRINT_H

#include "report/diff/diff.h"
#include "report/diff/rules.h"

struct diff_format;

struct diff_request {
	enum diff_by by; /* methods, paths or files */
	const struct diff_format *format;
	const char *figure; /* show this one's table; NULL: those that tell most */
	uint64_t top;       /* most rows of a table; 0: as many as is usual */
	bool all;           /* of text: noise, and what is the same, too */
	bool colour;
	unsigned width; /* of the terminal; 0: text as wide as it is */
	const struct rules *rules;
	void (*before_write)(void);
};

struct diff_format {
	const char *name, *meaning;
	bool needs_rules; /* it shows nothing else */
	/* 0, or -1 without memory. */
	int (*print)(
		const struct diff *diff, const struct diff_request *request, struct out *out);
};

extern const struct diff_format *const diff_formats[];
extern const size_t diff_format_count;
extern const struct diff_format diff_format_text;

/* 0, or a negative code; when writing failed because the reader is gone the text of error is empty. */
int diff_print(const struct diff *diff, const struct diff_request *request, int fd,
	struct error *error);

/* ---- between the files of this room ---- */

/* What differs in a figure: changes first, the largest first; then what may be noise, the largest first. */
struct diff_ranking {
	uint32_t *item;        /* owned */
	size_t count, changed; /* of the first `changed` there is a change */
	size_t noise, same, unknown;
};

/* 0, or -1 without memory. */
int diff_rank(struct diff_ranking *ranking, const struct diff *diff, enum diff_by by,
	unsigned figure);
void diff_ranking_fini(struct diff_ranking *ranking);

/* The figures whose tables tell most, or the one that was asked for: their numbers. Returns how many. */
enum { DIFF_TELLING = 4 };
unsigned diff_telling(const struct diff *diff, const struct diff_request *request,
	unsigned figure[DIFF_TELLING]);

/* "cpu 1.20 s -> 1.35 s, +12.3% ±3.1%, grew": what the whole program's first figure did. */
void diff_put_verdict(struct out *out, const struct diff *diff);

/* The first figure that totals are told by; -1: there is none. */
int diff_first_total(const struct diff *diff);

#endif

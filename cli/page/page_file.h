/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * page_file: the HTML page of one profile, or of two side by side, as one file.
 *
 * In:   what the user chose of each (cli/reading/opened_profile.h).
 * Out:  the file: the page with a block of data for the interval that reports show, for the tags, values and components that had most
 *       of it, and for other intervals between snapshots.
 *       It appears as a whole, or not at all. What is small is folded until the file is no larger than PAGE_BYTES_MOST.
 */
#ifndef JPROF_CLI_PAGE_FILE_H
#define JPROF_CLI_PAGE_FILE_H

#include "cli/reading/opened_profile.h"
#include "report/text/out.h"

enum {
	PAGE_BYTES_MOST = 15000000,
	PAGE_NODES_MOST = 200000, /* rows of a block */
	PAGE_BLOCKS_MOST =
		60 /* intervals of a profile with many snapshots: the others are said to be missing */
};

/* An interval as --snapshot has it, for the header of blocks. */
struct page_interval {
	char *text;       /* "A..B"; "": what reports show without */
	const char *from; /* labels; NULL: the beginning, the end */
	const char *to;
};

/* All pairs of moments, the most useful ones first; at most `most`. *left_out: how many more there are. Owned (
 * page_intervals_free); NULL without memory. */
struct page_interval *page_intervals(
	const struct profile *profile, size_t most, size_t *count, size_t *left_out);
void page_intervals_free(struct page_interval *interval, size_t count);

/* The same as JSON, for block_choice. Owned; NULL without memory. */
char *page_intervals_json(const struct page_interval *interval, size_t count);

/* side[0 .. count), 1 or 2 of them: before, after. path "-": standard output. 0, or a negative code. Shows progress. */
int page_file_write(
	struct profile_choice *side, unsigned count, const char *path, struct error *error);

#endif

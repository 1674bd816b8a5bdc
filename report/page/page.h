/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * page: the HTML page of a profile, and the blocks of data that it shows.
 *
 * In:   models (report/model), one an interval and side.
 * Out:  one file, with all that it needs; or a block alone. docs/page-data.md is the format.
 */
#ifndef JPROF_REPORT_PAGE_H
#define JPROF_REPORT_PAGE_H

#include "report/model/model.h"
#include "report/text/out.h"

/* What a block is to hold. */
struct block_choice {
	unsigned side;        /* 0; of a difference's second profile 1 */
	const char *interval; /* as the user names it, "A..B"; "": what reports show without */
	/* Names of all intervals that there are blocks of; NULL: this one. JSON text of the header's member. */
	const char *intervals;
	/* The command that reports the same, for those that the page names; or NULL. */
	const char *again;
	/* What is to be said of a profile that was still written; NULL: it was not. */
	const char *state;
	/* Of a part of what another block of the page has all of (the model's choice says which): views that cannot tell it apart are
	 * left out. */
	bool is_part;
	uint64_t root; /* profile_node_id of the node to begin at; 0: whole threads */
	size_t limit;  /* most nodes; the smallest are folded; 0: no limit */
};

/* Appends a block to out (of fd -1), not compressed. Of a profile that was read with its records and marks; those of the model's
 * threads. 0, or a negative code: -ERROR_MISSING: there is no such root. */
int block_write(struct out *out, const struct model *model, const struct block_choice *choice,
	struct error *error);

/* The same, as raw deflate. */
int block_deflate(struct out *out, const struct model *model, const struct block_choice *choice,
	struct error *error);

/* The page without data: its bytes up to the place of the data, and those behind it; and its Content-Security-Policy,
 * which a server sends, too. Static. */
struct page_parts {
	struct label before, after, policy;
};
struct page_parts page_parts(void);

/* Opens and closes an element of the page that holds a block: what is put between is base64. part: what was chosen, as
 * page_choice_put has it (page_choices.h); NULL: the block is no part. */
void page_put_block(struct out *out, const struct block_choice *choice, const char *part,
	const char *deflated, size_t length);

#endif

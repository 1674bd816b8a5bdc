/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* words: figures of a difference, for people. */
#ifndef JPROF_REPORT_DIFF_WORDS_H
#define JPROF_REPORT_DIFF_WORDS_H

#include "report/diff/diff.h"

struct diff_words {
	char text[48];
};

/* "1.32 s", "812", "0.0123": three digits. "?" of NAN. */
struct diff_words diff_words(enum figure_kind kind, double value);

/* The same with a sign: "+45.1 ms"; "0". */
struct diff_words diff_signed(enum figure_kind kind, double value);

/* "+12.3%", "new", "gone", "+5.4 times"; "". */
struct diff_words diff_percent(const struct diff_change *change);

/* "±12 ms"; "" of what is exact. */
struct diff_words diff_error(enum figure_kind kind, const struct diff_change *change);

/* Appends "base.cpu grew by 12.3%, from 1.20 s to 1.35 s (±0.05 s)". */
void diff_put_sentence(
	struct out *out, const struct diff_figure *figure, const struct diff_change *change);

#endif

/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* words: see words.h. */
#include "report/diff/words.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct diff_words diff_words(enum figure_kind kind, double value)
{
	static const char *const units[] = {
		[FIGURE_COUNT] = "", [FIGURE_TIME] = " ns", [FIGURE_BYTES] = " B"};
	struct diff_words words = {""};
	double size = fabs(value);

	if (isnan(value))
		snprintf(words.text, sizeof(words.text), "?");
	/* From there on three digits would be those of a thousand, which %g writes as 1e+03. */
	else if (size > 0 && size < 999.5 && size != floor(size))
		snprintf(words.text, sizeof(words.text), "%.3g%s", size, units[kind]);
	else
		snprintf(words.text, sizeof(words.text), "%s",
			figure_text(kind, size < 1.8e19 ? (uint64_t)round(size) : UINT64_MAX)
				.text);
	return words;
}

struct diff_words diff_signed(enum figure_kind kind, double value)
{
	struct diff_words size = diff_words(kind, value), words = size;

	if (!isnan(value) && value != 0)
		snprintf(words.text, sizeof(words.text), "%s%.40s", value < 0 ? "-" : "+",
			size.text);
	return words;
}

struct diff_words diff_percent(const struct diff_change *change)
{
	double growth = diff_growth(change), part = 100 * fabs(growth);
	struct diff_words words = {""};

	if (isnan(growth) || change->verdict == DIFF_SAME || change->verdict == DIFF_UNKNOWN)
		return words;
	if (isinf(growth))
		snprintf(words.text, sizeof(words.text), "new");
	else if (growth > 10)
		snprintf(words.text, sizeof(words.text), "x%.3g", 1 + growth);
	else
		snprintf(words.text, sizeof(words.text), "%s%.*f%%", growth < 0 ? "-" : "+",
			part < 0.1    ? 3
			: part < 99.5 ? 1
				      : 0,
			part);
	return words;
}

struct diff_words diff_error(enum figure_kind kind, const struct diff_change *change)
{
	struct diff_words words = {""};

	if (change->error > 0)
		snprintf(words.text, sizeof(words.text), "\xc2\xb1%.40s",
			diff_words(kind, change->error).text);
	return words;
}

void diff_put_sentence(
	struct out *out, const struct diff_figure *figure, const struct diff_change *change)
{
	const char *did = change->change > 0   ? "grew"
			  : change->change < 0 ? "fell"
					       : "is the same";
	struct diff_words before = diff_words(figure->kind, change->before);
	struct diff_words after = diff_words(figure->kind, change->after);
	struct diff_words error = diff_error(figure->kind, change);
	char text[256];

	out_text(out, figure->name);
	if (isnan(change->change))
		snprintf(text, sizeof(text), " is not known");
	else if (change->before == 0 && change->after > 0)
		snprintf(text, sizeof(text), " is new: %s", after.text);
	else if (change->change == 0)
		snprintf(text, sizeof(text), " is the same: %s", after.text);
	else if (diff_growth(change) > 10)
		snprintf(text, sizeof(text), " grew to %.3g times as much, from %s to %s",
			1 + diff_growth(change), before.text, after.text);
	else
		snprintf(text, sizeof(text), " %s by %s, from %s to %s", did,
			diff_percent(change).text + strspn(diff_percent(change).text, "+-"),
			before.text, after.text);
	out_text(out, text);
	if (error.text[0] != '\0') {
		out_text(out, " (");
		out_text(out, error.text);
		out_char(out, ')');
	}
}

/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* page_file: one block after the other, each made of the profile anew. */
#include "cli/page/page_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/terminal/outcome.h"
#include "cli/terminal/output_file.h"
#include "cli/terminal/progress.h"
#include "cli/terminal/waiting.h"
#include "report/page/page.h"
#include "report/page/page_choices.h"

/* ---- intervals ---- */

/* Moments: 0 is the beginning, then snapshots and resets, the last is the end. */
static const char *moment(const struct profile *profile, size_t i)
{
	return i == 0 || i > profile->snapshot_count ? NULL : profile->snapshot[i - 1].label;
}

/* How soon a pair of moments is wanted: neighbours first, for the time line; then what begins with the recording or the
 * session, or ends with it. The whole is what reports show anyway, unless there was a reset: RANK_NONE. */
enum { RANKS = 3, RANK_NONE };

static int rank_of(const struct profile *profile, size_t from, size_t to)
{
	size_t last = profile->snapshot_count + 1;

	if (from == 0 && to == last && !profile_moment_label(profile->interval.from))
		return RANK_NONE;
	return to == from + 1 ? 0 : from == 0 || to == last ? 1 : 2;
}

static bool add_interval(struct page_interval *interval, const char *from, const char *to)
{
	interval->from = from;
	interval->to = to;
	return asprintf(&interval->text, "%s..%s", from ? from : "", to ? to : "") >= 0;
}

struct page_interval *page_intervals(
	const struct profile *profile, size_t most, size_t *count, size_t *left_out)
{
	size_t last = profile->snapshot_count + 1, pairs = last * (last + 1) / 2;
	struct page_interval *interval =
		calloc(most < pairs + 1 ? most + 1 : pairs + 2, sizeof(*interval));
	bool done = interval && (interval[0].text = strdup("")) != NULL;

	*count = 1;
	*left_out = 0;
	if (profile->snapshot_count == 0)
		pairs = 0;
	for (int rank = 0; rank < RANKS && pairs > 0; rank++)
		for (size_t from = 0; from < last; from++)
			for (size_t to = from + 1; to <= last; to++) {
				if (rank_of(profile, from, to) != rank)
					continue;
				if (*count >= most)
					(*left_out)++;
				else if (done)
					done = add_interval(&interval[(*count)++],
						moment(profile, from), moment(profile, to));
			}
	if (done)
		return interval;
	if (interval)
		page_intervals_free(interval, *count);
	return NULL;
}

void page_intervals_free(struct page_interval *interval, size_t count)
{
	for (size_t i = 0; interval && i < count; i++)
		free(interval[i].text);
	free(interval);
}

char *page_intervals_json(const struct page_interval *interval, size_t count)
{
	struct out out;
	char *text;

	out_init(&out, -1);
	out_char(&out, '[');
	for (size_t i = 0; i < count; i++) {
		const char *from = interval[i].from, *to = interval[i].to;

		out_text(&out, i > 0 ? ",{\"interval\":" : "{\"interval\":");
		out_json(&out, interval[i].text, strlen(interval[i].text));
		out_text(&out, ",\"from\":");
		if (from)
			out_json(&out, from, strlen(from));
		else
			out_text(&out, "null");
		out_text(&out, ",\"to\":");
		if (to)
			out_json(&out, to, strlen(to));
		else
			out_text(&out, "null");
		out_char(&out, '}');
	}
	out_bytes(&out, "]", 2); /* with its end */
	text = out.failed == 0 ? strdup(out.buffer) : NULL;
	out_fini(&out);
	return text;
}

/* ---- blocks ---- */

/* Appends the block as deflated bytes, with so few rows that it has at most `bytes`. */
static int put_within(struct out *deflated, const struct model *model,
	struct block_choice *choice, size_t bytes, struct error *error)
{
	enum { ROWS_LEAST = 1000 };
	int failed = block_deflate(deflated, model, choice, error);

	while (failed == 0 && deflated->length > bytes && choice->limit > ROWS_LEAST) {
		choice->limit = (size_t)((double)choice->limit * (double)bytes /
					 (double)deflated->length * 0.8);
		if (choice->limit < ROWS_LEAST)
			choice->limit = ROWS_LEAST;
		deflated->length = 0;
		failed = block_deflate(deflated, model, choice, error);
	}
	return failed;
}

/* A part of the profile says which. */
static int put_element(struct out *out, const struct block_choice *choice,
	const struct model_choice *chosen, const struct out *deflated, struct error *error)
{
	struct out part;
	int failed = 0;

	out_init(&part, -1);
	if (choice->is_part)
		page_choice_put(&part, chosen);
	out_char(&part, '\0');
	if (part.failed != 0)
		failed = model_no_memory(error);
	else
		page_put_block(out, choice, choice->is_part ? part.buffer : NULL,
			deflated->buffer, deflated->length);
	out_fini(&part);
	return failed;
}

/* *used: how many bytes it took, deflated. A part that takes more than it may is left out: that is no failure. */
static int put_block(struct out *out, const struct opened_profile *opened,
	const struct profile_choice *chosen, struct block_choice *choice, size_t bytes,
	size_t *used, struct error *error)
{
	struct model model = {0};
	struct out deflated;
	char *again = profile_choice_command(chosen);
	bool fits;
	int failed;

	out_init(&deflated, -1);
	choice->again = again;
	progress_show("putting the page together");
	failed = again ? model_init(&model, opened->profile, &chosen->model, error)
		       : model_no_memory(error);
	if (failed == 0)
		failed = put_within(&deflated, &model, choice, bytes, error);
	fits = failed == 0 && (!choice->is_part || deflated.length <= bytes);
	if (fits)
		failed = put_element(out, choice, &chosen->model, &deflated, error);
	*used = fits ? deflated.length : 0;
	model_fini(&model);
	out_fini(&deflated);
	free(again);
	if (failed == 0 && waiting_interrupted())
		failed = error_set(error, ERROR_BUSY, "interrupted");
	return failed;
}

/* A page is looked at later: what it says of a JVM that records is of when it was made. */
static const char *state_of(const struct live_profile *live, char *text, size_t size)
{
	if (live->pid == 0)
		return NULL;
	if (live->is_fresh)
		snprintf(text, size, "process %ld still recorded when this page was made",
			live->pid);
	else
		snprintf(text, size,
			"process %ld still recorded when this page was made; the figures were "
			"%.1f s old (%s)",
			live->pid, live->age, live->why.text);
	return text;
}

static int open_interval(
	struct opened_profile *opened, struct profile_choice *chosen, struct error *error)
{
	const struct profile_wanted wanted = {.records = true,
		.marks = true,
		.thread_states = true,
		.classes = true,
		.collections = true,
		.compilations = true};
	int failed = opened_profile_init(opened, chosen, &wanted, error);

	return failed == 0 ? opened_profile_adjust(opened, chosen, error) : failed;
}

/* All intervals that the user may want to see, or the one that was asked for. Owned; NULL without memory. */
static struct page_interval *list_intervals(
	const struct profile_choice *chosen, const struct profile *profile, size_t *count)
{
	struct page_interval *interval;
	size_t left_out;

	interval = page_intervals(
		profile, chosen->interval ? 1 : PAGE_BLOCKS_MOST, count, &left_out);
	if (interval && chosen->interval) {
		free(interval[0].text);
		interval[0] = (struct page_interval){strdup(chosen->interval),
			profile_moment_label(profile->interval.from),
			profile_moment_label(profile->interval.to)};
		if (interval[0].text)
			return interval;
		page_intervals_free(interval, *count);
		return NULL;
	}
	if (interval && left_out > 0) {
		say("%zu intervals between snapshots have no room on the page: 'jprof open' "
		    "shows any",
			left_out);
	}
	return interval;
}

/* ---- parts, which can be chosen on the page ---- */

/* Of each kind; nodes of profiles that are read once more for them; rows of a part's block; and what parts of a small profile may take
 * together, of others it is half of what the whole takes. */
enum { PARTS_MOST = 12, PARTS_NODES_MOST = 2000000, PART_ROWS = 20000, PARTS_BYTES = 1 << 20 };

/* Of a profile of which nothing was chosen yet. */
static bool is_whole(const struct profile_choice *chosen)
{
	const struct model_choice *model = &chosen->model;

	return label_choice_is_all(&model->labels) && model->paths.count == 0 &&
	       model->within.count == 0 && model->threads.count == 0;
}

/* What there is to choose. */
static int find_parts(const struct opened_profile *opened, const struct profile_choice *chosen,
	struct page_choice **part, size_t *count, struct error *error)
{
	size_t nodes = 2 * (opened->profile->node_count + 1), most = PARTS_NODES_MOST / nodes;
	struct model model = {0};
	int failed = 0;

	*part = NULL;
	*count = 0;
	if (!is_whole(chosen) || most == 0)
		return 0;
	progress_show("looking for what can be chosen");
	failed = model_init(&model, opened->profile, &chosen->model, error);
	if (failed == 0)
		failed = page_choices_find(
			&model, most < PARTS_MOST ? most : PARTS_MOST, part, count, error);
	model_fini(&model);
	return failed;
}

/* A block of one part, of what is open: by labels the profile is read anew. *left: bytes that it may take; 0 afterwards: there was no
 * room. */
static int put_part(struct out *out, const struct opened_profile *opened,
	struct profile_choice chosen, const struct page_choice *part,
	struct block_choice choice, size_t *left, struct error *error)
{
	struct pattern_list *const lists[] = {[PAGE_TAG] = &chosen.model.labels.tags,
		[PAGE_VALUE] = &chosen.model.labels.values,
		[PAGE_COMPONENT] = &chosen.model.within};
	char *pattern[] = {part->text};
	struct opened_profile own = {0};
	size_t used = 0;
	int failed = 0;

	*lists[part->kind] = (struct pattern_list){.pattern = pattern, .count = 1};
	choice.is_part = true;
	choice.limit = PART_ROWS;
	if (part->kind != PAGE_COMPONENT) {
		failed = open_interval(&own, &chosen, error);
		opened = &own;
	}
	if (failed == 0)
		failed = put_block(out, opened, &chosen, &choice, *left, &used, error);
	opened_profile_fini(&own);
	/* Reports tell of more than paths do: of what has none there is no block. */
	if (failed == -ERROR_MISSING) {
		*error = (struct error){0};
		return 0;
	}
	*left = used > 0 ? *left - used : 0;
	return failed;
}

/* whole: of the block of all of it, which took so many bytes. */
static int put_parts(struct out *out, const struct opened_profile *opened,
	const struct profile_choice *chosen, const struct block_choice *whole, size_t bytes,
	struct error *error)
{
	size_t left = bytes / 2 > PARTS_BYTES ? bytes / 2 : PARTS_BYTES, count = 0;
	struct page_choice *part = NULL;
	int failed = find_parts(opened, chosen, &part, &count, error);

	for (size_t i = 0; i < count && failed == 0 && left > 0; i++)
		failed = put_part(out, opened, *chosen, &part[i], *whole, &left, error);
	page_choices_free(part, count);
	return failed;
}

/* ---- a side ---- */

/* A profile: the block that is shown first, those of its parts (of one side alone), then those of other intervals: both together
 * may be as large as the first. */
static int put_side(struct out *out, struct profile_choice chosen, unsigned side, bool alone,
	size_t bytes, struct error *error)
{
	struct block_choice choice = {.side = side, .limit = PAGE_NODES_MOST};
	struct page_interval *interval = NULL;
	struct opened_profile opened;
	char state[sizeof(opened.state)], *json = NULL;
	size_t count = 0, used;
	int failed = open_interval(&opened, &chosen, error);

	choice.state = state_of(&opened.live, state, sizeof(state));
	if (failed == 0 && choice.state)
		say("'%s': %s", chosen.file, choice.state);
	/* All blocks are of the same moment, as far as the JVM does not write by itself. */
	chosen.as_it_is = true;
	if (failed == 0) {
		interval = list_intervals(&chosen, opened.profile, &count);
		json = interval ? page_intervals_json(interval, count) : NULL;
		failed = json ? 0 : model_no_memory(error);
	}
	choice.intervals = json;
	choice.interval = chosen.interval ? chosen.interval : "";
	if (failed == 0)
		failed = put_block(out, &opened, &chosen, &choice,
			count > 1 ? bytes / 2 : bytes * 2 / 3, &used, error);
	if (failed == 0 && alone)
		failed = put_parts(out, &opened, &chosen, &choice, used, error);
	opened_profile_fini(&opened);
	for (size_t i = 1; i < count && failed == 0; i++) {
		chosen.interval = choice.interval = interval[i].text;
		choice.limit = PAGE_NODES_MOST / count;
		failed = open_interval(&opened, &chosen, error);
		if (failed == 0)
			failed = put_block(out, &opened, &chosen, &choice, bytes / 4 / count,
				&used, error);
		opened_profile_fini(&opened);
	}
	page_intervals_free(interval, count);
	free(json);
	return failed;
}

/* ---- the file ---- */

static int put_page(struct out *out, const struct profile_choice *side, unsigned count,
	const char *path, struct error *error)
{
	struct page_parts parts = page_parts();
	/* Base64 has four characters for three bytes. */
	size_t bytes = (PAGE_BYTES_MOST - parts.before.length - parts.after.length) / 4 * 3;
	int failed = 0;

	out_bytes(out, parts.before.text, parts.before.length);
	for (unsigned i = 0; i < count && failed == 0; i++)
		failed = put_side(out, side[i], i, count == 1, bytes / count - 1000, error);
	out_bytes(out, parts.after.text, parts.after.length);
	out_flush(out);
	if (failed == 0 && out->failed != 0)
		failed = error_set_errno(error, ERROR_IO, out->failed, "cannot write '%s'",
			error_subject(path).text);
	return failed;
}

int page_file_write(
	struct profile_choice *side, unsigned count, const char *path, struct error *error)
{
	struct output_file file;
	struct out out;
	mode_t mode = 0666;
	int failed;

	/* Whoever may read all of them may read the page. */
	for (unsigned i = 0; i < count; i++)
		mode &= output_file_mode_of(side[i].file);
	failed = output_file_open(&file, path, mode, error);
	out_init(&out, file.fd);
	if (failed == 0)
		failed = put_page(&out, side, count, path, error);
	if (output_file_close(&file, failed == 0, error) != 0)
		failed = -ERROR_IO;
	progress_hide();
	out_fini(&out);
	return failed;
}

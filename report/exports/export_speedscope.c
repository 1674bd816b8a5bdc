/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * export_speedscope: speedscope's own file format (https://www.speedscope.app/file-format-schema.json): a "sampled" profile a
 * thread and figure, whose samples are the thread's stacks, the outermost frame first, and whose weights are what they
 * have of the figure.
 *
 * Frames are numbered as they are met, and written behind the profiles.
 */
#include <stdlib.h>

#include "report/exports/frames.h"
#include "report/text/json_text.h"

struct speedscope {
	const struct export *export;
	struct figures figures;
	struct stacks stacks;
	struct frames frames;
	uint64_t (*sums)[FIGURES_MAX]; /* by thread */
	uint32_t *frame;               /* of the path, by level */
	bool failed;
};

/* What the format knows: other units are "none". */
static const char *unit_of(const char *unit)
{
	return strcmp(unit, "ns") == 0      ? "nanoseconds"
	       : strcmp(unit, "bytes") == 0 ? "bytes"
					    : "none";
}

static uint32_t take_frame(struct speedscope *to, uint32_t method)
{
	uint32_t number = frames_take(&to->frames, method, 0);

	to->failed |= number == 0;
	return number - 1;
}

static void sum_up(struct speedscope *to)
{
	struct stacks *stacks = &to->stacks;
	uint64_t values[FIGURES_MAX];
	const struct counted_calls *counted;

	for (size_t t = 0; t < stacks->threads; t++) {
		for (bool more = stacks_enter(stacks, t); more; more = stacks_next(stacks)) {
			stacks_values(stacks, values);
			for (unsigned v = 0; v <= to->figures.calls; v++)
				to->sums[t][v] += values[v];
		}
		for (size_t at = 0; (counted = stacks_counted(stacks, t, &at)) != NULL;)
			to->sums[t][to->figures.calls] += counted->calls;
	}
}

/* ---- a profile ---- */

static void put_stack(struct speedscope *to)
{
	struct out *out = to->export->out;
	uint32_t level = to->stacks.level;

	out_char(out, '[');
	for (uint32_t l = level > 0 ? 1 : 0; l <= level; l++) {
		if (l > 1)
			out_char(out, ',');
		out_number(out, to->frame[l]);
	}
	out_char(out, ']');
}

/* What stands between the items of a list. */
static void part(struct out *out, bool *first, const char *between)
{
	if (!*first)
		out_text(out, between);
	*first = false;
}

/* Its stacks, or (weights) what they have: the same ones in the same order. */
static void put_paths(
	struct speedscope *to, size_t thread, unsigned figure, bool weights, bool *first)
{
	struct stacks *stacks = &to->stacks;
	struct out *out = to->export->out;
	uint64_t values[FIGURES_MAX];

	for (bool more = stacks_enter(stacks, thread); more && out->failed == 0;
		more = stacks_next(stacks)) {
		to->frame[stacks->level] =
			take_frame(to, stacks->model->profile->node[stacks->at].method);
		stacks_values(stacks, values);
		if (values[figure] == 0)
			continue;
		part(out, first, weights ? "," : ",\n");
		if (weights)
			out_number(out, values[figure]);
		else
			put_stack(to);
	}
}

/* The same of calls whose callers are not known. */
static void put_counted(struct speedscope *to, size_t thread, bool weights, bool *first)
{
	struct out *out = to->export->out;
	const struct counted_calls *counted;

	for (size_t at = 0; (counted = stacks_counted(&to->stacks, thread, &at)) != NULL;) {
		part(out, first, weights ? "," : ",\n");
		if (weights) {
			out_number(out, counted->calls);
			continue;
		}
		out_char(out, '[');
		out_number(out, take_frame(to, METHOD_COUNTED));
		out_char(out, ',');
		out_number(out, take_frame(to, counted->method));
		out_char(out, ']');
	}
}

static void put_stacks(struct speedscope *to, size_t thread, unsigned figure, bool weights)
{
	bool first = true;

	put_paths(to, thread, figure, weights, &first);
	if (figure == to->figures.calls)
		put_counted(to, thread, weights, &first);
}

static void put_profile(struct speedscope *to, size_t thread, const struct figure *figure)
{
	const struct model *model = to->export->model;
	struct out *out = to->export->out;
	struct label name = stacks_thread_name(model, thread);
	/* What a viewer lists. */
	struct label title = store_format(model->store, "%s: %s", figure->name, name.text);

	out_text(out, "{\"type\":\"sampled\",\"name\":");
	out_json_text(out, title.text, title.length);
	out_text(out, ",\"unit\":\"");
	out_text(out, unit_of(figure->unit));
	out_text(out, "\",\"startValue\":0,\"endValue\":");
	out_number(out, to->sums[thread][figure->at]);
	out_text(out, ",\"samples\":[\n");
	put_stacks(to, thread, figure->at, false);
	out_text(out, "],\"weights\":[\n");
	put_stacks(to, thread, figure->at, true);
	out_text(out, "]}");
}

/* Those that have something. Returns the one to look at first: of the lead, of the thread that has most of it. */
static size_t put_profiles(struct speedscope *to)
{
	const struct figures *figures = &to->figures;
	uint64_t most = 0;
	size_t count = 0, active = 0;

	for (unsigned f = 0; f < figures->count; f++) {
		for (size_t t = 0; t < to->stacks.threads; t++) {
			uint64_t sum = to->sums[t][figures->figure[f].at];

			if (sum == 0)
				continue;
			if (f == figures->lead && sum > most) {
				most = sum;
				active = count;
			}
			if (count++ > 0)
				out_text(to->export->out, ",\n");
			put_profile(to, t, &figures->figure[f]);
		}
	}
	return active;
}

static void put_frames(struct speedscope *to)
{
	struct out *out = to->export->out;

	for (size_t i = 1; i <= frames_count(&to->frames); i++) {
		const struct frame *frame =
			frames_of(&to->frames, frames_method(&to->frames, i));
		struct label file = frame->file.length > 0 ? frame->file : frame->library;

		out_text(out, i > 1 ? ",\n{\"name\":" : "{\"name\":");
		out_json_text(out, frame->name.text, frame->name.length);
		if (file.length > 0) {
			out_text(out, ",\"file\":");
			out_json_text(out, file.text, file.length);
		}
		out_char(out, '}');
	}
}

static int write_speedscope(const struct export *export)
{
	const struct model *model = export->model;
	struct speedscope to = {.export = export, .figures = figures_choose(export)};
	struct out *out = export->out;
	const char *file = export->request->file;
	size_t active;

	to.sums = store_room(model->store, model->profile->thread_count + 1, sizeof(*to.sums));
	to.frame = store_room(model->store, model->profile->node_count + 1, sizeof(*to.frame));
	if (frames_init(&to.frames, model) != 0 || stacks_init(&to.stacks, model) != 0 ||
		model->store->failed)
		return -1;
	sum_up(&to);
	out_text(out, "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\n"
		      "\"exporter\":\"jprof " JPROF_VERSION "\",\"name\":");
	out_json_text(out, file ? file : "jprof", strlen(file ? file : "jprof"));
	out_text(out, ",\n\"profiles\":[\n");
	active = put_profiles(&to);
	out_text(out, "],\n\"activeProfileIndex\":");
	out_number(out, active);
	out_text(out, ",\n\"shared\":{\"frames\":[\n");
	put_frames(&to);
	out_text(out, "]}}\n");
	frames_fini(&to.frames);
	return to.failed ? -1 : 0;
}

const struct exporter exporter_speedscope = {
	.name = "speedscope",
	.meaning = "JSON for www.speedscope.app: a profile a thread and figure",
	.prefix = "",
	.suffix = ".speedscope.json",
	.methods = true,
	.merges = true,
	.write = write_speedscope,
};

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

struct speedscope {
	const struct export *export;
	struct figures figures;
	struct stacks stacks;
	struct frames frames;
	uint64_t (*sums)[FIGURES_MAX]; /* by thread */
	struct out text;               /* the path's frames, */
	size_t *end;                   /* and by level where each ends in it */
	uint64_t *weight;              /* of the stacks of the profile at work */
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
			for (unsigned v = 0; v < FIGURES_MAX; v++)
				to->sums[t][v] += values[v];
		}
		for (size_t at = 0; (counted = stacks_counted(stacks, t, &at)) != NULL;)
			to->sums[t][to->figures.calls] += counted->calls;
	}
}

/* ---- a profile ---- */

/* What stands between the items of a list. */
static void part(struct out *out, bool *first, const char *between)
{
	if (!*first)
		out_text(out, between);
	*first = false;
}

/* The path's frames as text, without the root's where there are others. */
static void enter(struct speedscope *to)
{
	uint32_t level = to->stacks.level;

	to->text.length = level > 0 ? to->end[level - 1] : 0;
	if (to->text.length > 0)
		out_char(&to->text, ',');
	out_number(&to->text, take_frame(to, stacks_method(&to->stacks)));
	to->end[level] = level > 0 ? to->text.length : 0;
}

/* Its stacks; what they have of the figure goes into weight. Returns how many there are. */
static size_t put_paths(struct speedscope *to, size_t thread, unsigned figure, bool *first)
{
	struct stacks *stacks = &to->stacks;
	struct out *out = to->export->out;
	uint64_t values[FIGURES_MAX];
	size_t count = 0;

	for (bool more = stacks_enter(stacks, thread); more && out->failed == 0;
		more = stacks_next(stacks)) {
		enter(to);
		stacks_values(stacks, values);
		if (values[figure] == 0)
			continue;
		to->weight[count++] = values[figure];
		part(out, first, ",\n");
		out_char(out, '[');
		out_bytes(out, to->text.buffer, to->text.length);
		out_char(out, ']');
	}
	return count;
}

/* The same of calls whose callers are not known, or (weights) how many there are. */
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

/* The two lists, which have as many items. */
static void put_stacks(struct speedscope *to, size_t thread, unsigned figure)
{
	struct out *out = to->export->out;
	bool first = true, is_calls = figure == to->figures.calls;
	size_t count;

	out_text(out, ",\"samples\":[\n");
	count = put_paths(to, thread, figure, &first);
	if (is_calls)
		put_counted(to, thread, false, &first);
	out_text(out, "],\"weights\":[\n");
	first = true;
	for (size_t i = 0; i < count; i++) {
		part(out, &first, ",");
		out_number(out, to->weight[i]);
	}
	if (is_calls)
		put_counted(to, thread, true, &first);
	out_char(out, ']');
}

static void put_profile(struct speedscope *to, size_t thread, const struct figure *figure)
{
	const struct model *model = to->export->model;
	struct out *out = to->export->out;
	struct label name = stacks_thread_name(model, thread);
	/* What a viewer lists. */
	struct label title = store_format(model->store, "%s: %s", figure->name, name.text);

	out_text(out, "{\"type\":\"sampled\",\"name\":");
	out_json(out, title.text, title.length);
	out_text(out, ",\"unit\":\"");
	out_text(out, unit_of(figure->unit));
	out_text(out, "\",\"startValue\":0,\"endValue\":");
	out_number(out, to->sums[thread][figure->at]);
	put_stacks(to, thread, figure->at);
	out_char(out, '}');
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
		out_json(out, frame->name.text, frame->name.length);
		if (file.length > 0) {
			out_text(out, ",\"file\":");
			out_json(out, file.text, file.length);
		}
		out_char(out, '}');
	}
}

static void put_all(struct speedscope *to)
{
	struct out *out = to->export->out;
	const char *file = to->export->request->file;
	size_t active;

	sum_up(to);
	out_text(out, "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\n"
		      "\"exporter\":\"jprof " JPROF_VERSION "\",\"name\":");
	out_json(out, file ? file : "jprof", strlen(file ? file : "jprof"));
	out_text(out, ",\n\"profiles\":[\n");
	active = put_profiles(to);
	out_text(out, "],\n\"activeProfileIndex\":");
	out_number(out, active);
	out_text(out, ",\n\"shared\":{\"frames\":[\n");
	put_frames(to);
	out_text(out, "]}}\n");
}

static int write_speedscope(const struct export *export)
{
	const struct model *model = export->model;
	size_t nodes = model->profile->node_count + 1;
	struct speedscope to = {.export = export, .figures = figures_choose(export)};

	to.sums = store_room(model->store, model->profile->thread_count + 1, sizeof(*to.sums));
	to.end = store_room(model->store, nodes, sizeof(*to.end));
	to.weight = store_room(model->store, nodes, sizeof(*to.weight));
	if (frames_init(&to.frames, model) != 0 ||
		stacks_init(&to.stacks, model, figures_have_io(&to.figures)) != 0 ||
		model->store->failed)
		return -1;
	out_init(&to.text, -1);
	put_all(&to);
	to.failed |= to.text.failed != 0;
	out_fini(&to.text);
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
	.io = true,
	.places = true,
	.write = write_speedscope,
};

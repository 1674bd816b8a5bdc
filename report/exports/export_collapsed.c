/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * export_collapsed: a line a stack, "thread;frame;frame FIGURE": what flamegraph.pl, inferno, speedscope and
 * others read.
 *
 * The text of the path is kept, with where each frame ends in it: of a tree that is met depth first a line costs
 * its last frame and one copy.
 */
#include <stdlib.h>

#include "report/exports/stacks.h"

struct path_text {
	struct out text; /* the frames so far, without a ';' behind the last */
	size_t *end;     /* by level */
};

/* ';' parts frames and a line is a stack: the one becomes ':', whatever could end the other is escaped. */
static void put_frame(struct out *out, struct label name)
{
	size_t from = 0;

	for (size_t i = 0; i < name.length; i++) {
		if (name.text[i] != ';')
			continue;
		out_harmless(out, name.text + from, i - from);
		out_char(out, ':');
		from = i + 1;
	}
	out_harmless(out, name.text + from, name.length - from);
}

/* The path as far as level's parent, and a frame of that name. */
static void enter(struct path_text *path, uint32_t level, struct label name)
{
	path->text.length = level > 0 ? path->end[level - 1] : 0;
	if (level > 0)
		out_char(&path->text, ';');
	put_frame(&path->text, name);
	path->end[level] = path->text.length;
}

static void put_line(struct out *out, const struct path_text *path, const char *frame,
	struct label name, uint64_t value)
{
	out_bytes(out, path->text.buffer, path->text.length);
	out_text(out, frame);
	put_frame(out, name);
	out_char(out, ' ');
	out_number(out, value);
	out_char(out, '\n');
}

/* Of the thread at work, behind its paths; calls alone have such. */
static void put_counted(const struct export *export, const struct stacks *stacks,
	struct path_text *path, size_t thread)
{
	const struct model *model = export->model;
	const struct counted_calls *counted;

	enter(path, 0, stacks_thread_name(model, thread));
	for (size_t at = 0; (counted = stacks_counted(stacks, thread, &at)) != NULL;)
		put_line(export->out, path, ";" FRAME_COUNTED ";",
			model->method[counted->method].display, counted->calls);
}

static void put_thread(const struct export *export, struct stacks *stacks,
	struct path_text *path, size_t thread, unsigned figure)
{
	const struct model *model = export->model;
	const struct label none = {"", 0}, outside = label_of(FRAME_OUTSIDE);
	uint64_t values[FIGURES_MAX];

	for (bool more = stacks_enter(stacks, thread); more && export->out->failed == 0;
		more = stacks_next(stacks)) {
		bool is_root = stacks->level == 0;
		uint32_t method = stacks_method(stacks);

		enter(path, stacks->level,
			is_root                   ? stacks_thread_name(model, thread)
			: method == METHOD_DEEPER ? label_of(FRAME_DEEPER)
						  : model->method[method].display);
		stacks_values(stacks, values);
		if (values[figure] > 0)
			put_line(export->out, path, is_root ? ";" : "",
				is_root ? outside : none, values[figure]);
	}
}

static int write_collapsed(const struct export *export)
{
	const struct model *model = export->model;
	struct figures figures = figures_choose(export);
	unsigned figure = figures.figure[figures.lead].at;
	struct stacks stacks;
	struct path_text path = {.end = store_room(model->store, model->profile->node_count + 1,
					 sizeof(size_t))};
	int failed;

	if (!path.end || stacks_init(&stacks, model, figures_have_io(&figures)) != 0)
		return -1;
	out_init(&path.text, -1);
	for (size_t t = 0; t < stacks.threads; t++) {
		put_thread(export, &stacks, &path, t, figure);
		if (figure == figures.calls)
			put_counted(export, &stacks, &path, t);
	}
	failed = path.text.failed;
	out_fini(&path.text);
	return failed != 0 ? -1 : 0;
}

const struct exporter exporter_collapsed = {
	.name = "collapsed",
	.meaning = "folded stacks of one figure (--metric), for flamegraph.pl and others",
	.prefix = "",
	.suffix = ".collapsed",
	.one_figure = true,
	.methods = true,
	.merges = true,
	.io = true,
	.places = true,
	.write = write_collapsed,
};

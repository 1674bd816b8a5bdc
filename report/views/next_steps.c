/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* next_steps: see next_steps.h. */
#include "report/views/next_steps.h"

#include "error/harmless.h"
#include "report/model/labelled.h"
#include "report/model/trace_times.h"
#include "report/text/shell_word.h"

extern const struct view view_callers, view_values, view_components, view_files,
	view_connections, view_locks, view_alive, view_gc, view_exceptions, view_thread_states,
	view_class_loaders, view_jit, view_event_tree;

/* Longer names are of no use in a command that is copied by hand. */
#define NAME_LONGEST 200

/* A method of Java code whose name is a pattern of itself alone, and no order to a terminal. */
static bool can_be_named(const struct model *model, uint32_t method)
{
	const struct profile_method *row = &model->profile->method[method];
	const struct method_label *label = &model->method[method];

	return method >= METHOD_FIRST && row->kind == METHOD_JAVA && row->class_name &&
	       label->class_name.length + label->name.length < NAME_LONGEST &&
	       !strchr(row->class_name, '*') && !strchr(row->name, '*') &&
	       harmless_span(label->class_name.text, label->class_name.length) ==
		       label->class_name.length &&
	       harmless_span(label->name.text, label->name.length) == label->name.length;
}

/* The method as a pattern, quoted: 'com.acme.Foo.<init>'; where that does not fit into a line, '*.Foo.<init>'. */
static void put_method(struct report *report, struct out *out, uint32_t method, size_t columns)
{
	const struct method_label *label = &report->model->method[method];
	const char *dot = strrchr(label->class_name.text, '.');
	struct label name = store_format(
		report->model->store, "%s.%s", label->class_name.text, label->name.text);

	if (dot && columns > 0 && out_width(name.text, name.length) > columns)
		name = store_format(report->model->store, "*%s.%s", dot, label->name.text);
	out_shell_word(out, name.text, name.length);
}

/* "jprof report FILE --view VIEW --method METHOD"; method 0: without. Of a view that has what was chosen alone. */
static void print_command(
	struct report *report, struct sink *sink, const struct view *view, uint32_t method)
{
	enum { AROUND = 20 }; /* the indent, "--method" and quotes */
	unsigned by = chosen_by(&report->request->choice);
	struct out line;

	if ((view->by & by) != by)
		return;
	out_init(&line, -1);
	out_text(&line, report->request->again);
	out_text(&line, " --view ");
	out_text(&line, view->name);
	if (method > 0) {
		out_text(&line, " --method ");
		put_method(report, &line, method,
			sink->terminal > AROUND ? sink->terminal - AROUND : 0);
	}
	out_char(&line, '\0');
	if (line.failed == 0)
		sink_command(sink, line.buffer);
	out_fini(&line);
}

/* Of which its files are, for the most part; NULL: there are none. */
static const struct view *io_view(const struct profile *profile)
{
	size_t sockets = 0;

	for (size_t i = 0; i < profile->file_count; i++)
		sockets += io_kind_is_socket(profile->file[i].kind);
	return profile->file_count == 0            ? NULL
	       : 2 * sockets > profile->file_count ? &view_connections
						   : &view_files;
}

/* The first view of what a trace tells, those that tell most first. */
static const struct {
	enum trace_kind trace;
	const struct view *view;
} trace_views[] = {
	{TRACE_LOCKS, &view_locks},
	{TRACE_OBJECTS, &view_alive},
	{TRACE_GC, &view_gc},
	{TRACE_EXCEPTIONS, &view_exceptions},
	{TRACE_THREADS, &view_thread_states},
	{TRACE_CLASSES, &view_class_loaders},
	{TRACE_JIT, &view_jit},
	{TRACE_EVENTS, &view_event_tree},
};

enum { TRACES_NAMED = 3 };

/* Of locks it is known, without their rows, that nobody waited, nor waits. */
static bool tells(const struct model *model, enum trace_kind trace)
{
	return trace_times(model->profile, trace).periods > 0 &&
	       (trace != TRACE_LOCKS || model->profile->contention_count > 0 ||
		       model->profile->unfinished_wait_count > 0);
}

size_t next_steps_more(const struct model *model)
{
	size_t count = 0, labels = labels_are_there(model->apart, false) +
				   labels_are_there(model->apart, true);

	for (size_t i = 0; i < sizeof(trace_views) / sizeof(*trace_views); i++)
		count += tells(model, trace_views[i].trace);
	return labels + (count < TRACES_NAMED ? count : TRACES_NAMED);
}

static void print_traces(struct report *report, struct sink *sink)
{
	size_t left = TRACES_NAMED;

	for (size_t i = 0; left > 0 && i < sizeof(trace_views) / sizeof(*trace_views); i++) {
		if (!tells(report->model, trace_views[i].trace))
			continue;
		print_command(report, sink, trace_views[i].view, 0);
		left--;
	}
}

void next_steps_print(
	struct report *report, struct sink *sink, const struct rank *methods, size_t count)
{
	const struct model *model = report->model;
	const struct view *io = io_view(model->profile);
	uint32_t method = 0;

	if (!report->request->again || sink->measuring)
		return;
	for (size_t i = 0; i < count && method == 0; i++)
		if (can_be_named(model, methods[i].item))
			method = methods[i].item;
	sink_title(sink, "To see more:");
	if (method > 0) {
		print_command(report, sink, &view_callers, method);
		if (model->condition_count > 0)
			print_command(report, sink, &view_lines, method);
	}
	if (labels_are_there(model->apart, false))
		print_command(report, sink, &view_values, 0);
	if (labels_are_there(model->apart, true))
		print_command(report, sink, &view_tags, 0);
	print_command(report, sink, &view_components, 0);
	print_command(report, sink, &view_tree, 0);
	if (io)
		print_command(report, sink, io, 0);
	print_traces(report, sink);
}

/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * view_timeline: a trace of events as a list in the order of time, thread by thread, calls below their callers.
 *
 * Shown are the longest of all that is wanted, as many as the user says (no call is longer than its caller, which so is shown,
 * too), and marks. They are kept in a heap while the trace is walked through, so that a trace may be of any size.
 *
 * With methods chosen, what is wanted are calls of those: the longest ones, each from its own beginning on; or the N-th. Then the
 * trace is walked through twice, first for these calls.
 */
#include <stdlib.h>
#include <string.h>

#include "report/model/event_walk.h"
#include "report/text/figure.h"
#include "report/views/event_choice.h"
#include "report/views/view.h"

enum {
	USUAL_ROWS = 1000,
	USUAL_CALLS = 10 /* of the chosen methods */
};

enum line_kind { LINE_CALL, LINE_MOUNTED, LINE_OPERATION, LINE_MARK, LINE_LOST };

static const char *const kind_names[] = {"call", "mounted", "operation", "mark", "lost"};

struct line {
	enum line_kind kind;
	uint32_t thread; /* place */
	uint32_t depth;
	uint32_t method;
	uint32_t call; /* which of the chosen calls it is in, from 1 on; 0: none were chosen */
	bool before, goes_on, unwound, failed;
	uint64_t begin, end, self;
	/* Of an operation: kind of account, subject, amount. Of a mark its place; of a virtual thread its number; of what was
	 * lost how many. */
	uint64_t number, subject, amount;
};

/* The longest of some things; the shortest of them is the first. */
struct longest {
	struct line *line;
	size_t count, room;
	uint64_t left; /* out */
};

struct timeline {
	struct report *report;
	struct longest lines;
	struct longest
		calls; /* of chosen methods; in the order of their length once they are known */
	bool finds_calls;    /* the first walk of two */
	uint32_t inside;     /* frames of chosen methods that the thread is in */
	struct line mounted; /* the virtual thread; kind LINE_MOUNTED while there is one */
	bool is_mounted;
	uint64_t from, to;
};

/* ---- the longest ---- */

static uint64_t length_of(const struct line *line)
{
	return line->kind == LINE_MARK || line->kind == LINE_LOST ? UINT64_MAX
								  : line->end - line->begin;
}

/* Of equals what begins later, and then the inner one, gives way. */
static bool is_shorter(const struct line *a, const struct line *b)
{
	uint64_t left = length_of(a), right = length_of(b);

	if (left != right)
		return left < right;
	if (a->begin != b->begin)
		return a->begin > b->begin;
	return a->depth > b->depth;
}

static void sink_down(struct longest *list, size_t at)
{
	struct line moved = list->line[at];

	for (;;) {
		size_t child = 2 * at + 1;

		if (child >= list->count)
			break;
		if (child + 1 < list->count &&
			is_shorter(&list->line[child + 1], &list->line[child]))
			child++;
		if (!is_shorter(&list->line[child], &moved))
			break;
		list->line[at] = list->line[child];
		at = child;
	}
	list->line[at] = moved;
}

static void add(struct longest *list, const struct line *line)
{
	if (list->count < list->room) {
		list->line[list->count++] = *line;
		if (list->count == list->room)
			for (size_t i = list->room / 2; i-- > 0;)
				sink_down(list, i);
		return;
	}
	list->left++;
	if (list->room == 0 || is_shorter(line, &list->line[0]))
		return;
	list->line[0] = *line;
	sink_down(list, 0);
}

/* ---- lines ---- */

/* The chosen call that it is in, if calls were chosen: its line is then told from the call's begin. False: none. */
static bool find_call(const struct timeline *timeline, struct line *line)
{
	const struct longest *calls = &timeline->calls;

	if (timeline->report->model->choice->methods.count == 0)
		return true;
	for (size_t i = 0; i < calls->count; i++) {
		const struct line *call = &calls->line[i];

		if (call->thread != line->thread || line->begin < call->begin ||
			line->end > call->end || line->depth < call->depth)
			continue;
		line->call = (uint32_t)i + 1;
		line->depth -= call->depth;
		return true;
	}
	return false;
}

static void add_line(struct timeline *timeline, struct line line)
{
	const struct report_request *request = timeline->report->request;

	if (line.begin > timeline->to || line.end < timeline->from)
		return;
	if (timeline->finds_calls || !find_call(timeline, &line))
		return;
	if (request->depth > 0 && line.depth + 1 > request->depth) {
		timeline->lines.left++;
		return;
	}
	add(&timeline->lines, &line);
}

static bool wants_method(const struct timeline *timeline, uint32_t method)
{
	const struct model *model = timeline->report->model;

	return model->choice->methods.count > 0 && method != 0 &&
	       model_wants_method(model, method);
}

static int enter(struct event_walk *walk, struct event_frame *frame)
{
	struct timeline *timeline = walk->user;

	timeline->inside += wants_method(timeline, frame->method);
	return 0;
}

static int leave(struct event_walk *walk, struct event_frame *frame, enum event_leave how)
{
	struct timeline *timeline = walk->user;
	struct line line = {.kind = LINE_CALL,
		.thread = walk->thread,
		.depth = walk->depth - 1 + timeline->is_mounted,
		.method = frame->method,
		.before = frame->before,
		.goes_on = how == LEAVE_CUT,
		.unwound = how == LEAVE_UNWIND,
		.begin = frame->begin,
		.end = walk->at,
		.self = frame->self};

	if (wants_method(timeline, frame->method)) {
		timeline->inside--;
		/* The outermost one of its kind. */
		if (timeline->finds_calls && timeline->inside == 0 &&
			line.begin <= timeline->to && line.end >= timeline->from)
			add(&timeline->calls, &line);
	}
	add_line(timeline, line);
	return 0;
}

static void end_mounted(struct timeline *timeline, uint64_t at)
{
	if (!timeline->is_mounted)
		return;
	timeline->is_mounted = false;
	timeline->mounted.end = at;
	add_line(timeline, timeline->mounted);
}

static int other(struct event_walk *walk, const struct stream_event *event)
{
	struct timeline *timeline = walk->user;

	if (event->kind == STREAM_OPERATION)
		add_line(timeline,
			(struct line){.kind = LINE_OPERATION,
				.thread = walk->thread,
				.depth = walk->depth + timeline->is_mounted,
				.begin = event->at > event->ns ? event->at - event->ns : 0,
				.end = event->at,
				.failed = event->failed,
				.number = event->number,
				.subject = event->subject,
				.amount = event->amount});
	if (event->kind == STREAM_UNMOUNT)
		end_mounted(timeline, event->at);
	if (event->kind == STREAM_MOUNT) {
		end_mounted(timeline, event->at);
		timeline->is_mounted = true;
		timeline->mounted = (struct line){.kind = LINE_MOUNTED,
			.thread = walk->thread,
			.begin = event->at,
			.number = event->number};
	}
	return 0;
}

/* What is between two blocks is not known; frames have been left. */
static int gap(struct event_walk *walk, uint64_t lost, uint64_t since)
{
	struct timeline *timeline = walk->user;

	if (lost > 0)
		add_line(timeline, (struct line){.kind = LINE_LOST,
					   .thread = walk->thread,
					   .begin = since,
					   .end = walk->at,
					   .number = lost});
	return 0;
}

static bool wants(void *user, uint32_t thread)
{
	const struct timeline *timeline = user;

	return event_wants_thread(timeline->report, thread);
}

/* Marks of chosen threads that are in the trace. */
static void add_marks(struct timeline *timeline)
{
	const struct profile *profile = timeline->report->model->profile;

	for (size_t i = 0; profile->mark && i < profile->mark_count; i++) {
		const struct profile_mark *mark = &profile->mark[i];

		for (uint32_t t = 0; t < profile->event_thread_count; t++) {
			if (mark->java_id == 0 ||
				profile->event_thread[t].java_id != mark->java_id ||
				!event_wants_thread(timeline->report, t))
				continue;
			add_line(timeline, (struct line){.kind = LINE_MARK,
						   .thread = t,
						   .depth = UINT32_MAX,
						   .begin = mark->at,
						   .end = mark->at,
						   .number = i});
			break;
		}
	}
}

/* ---- the order of time ---- */

static int by_time(const void *left, const void *right)
{
	const struct line *a = left, *b = right;

	if (a->call != b->call)
		return a->call < b->call ? -1 : 1;
	if (a->thread != b->thread)
		return a->thread < b->thread ? -1 : 1;
	if (a->begin != b->begin)
		return a->begin < b->begin ? -1 : 1;
	/* What surrounds the other comes first. */
	if (a->depth != b->depth)
		return a->depth < b->depth ? -1 : 1;
	return (a->end > b->end) - (a->end < b->end);
}

static int by_length(const void *left, const void *right)
{
	const struct line *a = left, *b = right;

	return is_shorter(a, b) ? 1 : is_shorter(b, a) ? -1 : 0;
}

/* A mark is as deep as what is shown around it. */
static void place_marks(struct longest *lines)
{
	for (size_t i = 0; i < lines->count; i++) {
		struct line *line = &lines->line[i];
		uint32_t depth = 0;

		if (line->kind != LINE_MARK)
			continue;
		for (size_t j = i; j-- > 0 && lines->line[j].thread == line->thread;) {
			const struct line *around = &lines->line[j];

			if (around->kind == LINE_MARK || around->end < line->begin ||
				around->call != line->call)
				continue;
			depth = around->depth + 1;
			break;
		}
		line->depth = depth;
	}
}

/* ---- the view ---- */

static void columns(struct report *report)
{
	struct sheet *sheet = &report->sheet;
	unsigned of_call = report->model->choice->methods.count > 0 ? IN_DATA : 0;

	if (of_call)
		sheet_add(sheet, NULL, "call", "Call", of_call);
	sheet_add(sheet, NULL, "thread", "Thread", IN_DATA);
	sheet_add(sheet, NULL, "thread_id", "Thread id", IN_DATA);
	sheet_add(sheet, NULL, "kind", "Kind", IN_DATA);
	sheet_add(sheet, NULL, "level", "Level", IN_DATA);
	sheet_add(sheet, NULL, "begin", "Begin", IN_DATA | COLUMN_TIME);
	sheet_add(sheet, NULL, "elapsed", "Elapsed", IN_DATA | COLUMN_TIME);
	sheet_add(sheet, NULL, "self", "Self", IN_DATA | COLUMN_TIME);
	sheet_add(sheet, NULL, "began_before", "Before", IN_DATA);
	sheet_add(sheet, NULL, "goes_on", "Goes on", IN_DATA);
	sheet_add(sheet, NULL, "unwound", "Unwound", IN_DATA);
	method_columns(report);
	sheet_add(sheet, NULL, "operation", "Operation", IN_DATA);
	sheet_add(sheet, NULL, "failed", "Failed", IN_DATA);
	sheet_add(sheet, NULL, "amount", "Amount", IN_DATA);
	sheet_add(sheet, NULL, "label", "Label", IN_DATA);
	sheet_add(sheet, NULL, "start_text", "Start", IN_TEXT);
	sheet_add(sheet, NULL, "elapsed_text", "Elapsed", IN_TEXT);
	sheet_add(sheet, NULL, "self_text", "Self", IN_TEXT);
	sheet_add_name(sheet, "Name");
}

/* The file or connection of an operation. */
static const struct profile_file *file_of(
	const struct profile *profile, const struct line *line)
{
	for (size_t low = 0, high = profile->file_count; low < high;) {
		size_t middle = low + (high - low) / 2;

		if (profile->file[middle].id == line->subject)
			return &profile->file[middle];
		if (profile->file[middle].id < line->subject)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

static const char *operation_of(const struct line *line)
{
	return line->number < ACCOUNT_KINDS ? account_kind_names[line->number] : "?";
}

/* What the line is about, for people; of an operation of I/O with its file. */
static struct label name_of(struct report *report, const struct line *line)
{
	const struct profile *profile = report->model->profile;
	struct store *store = report->model->store;
	const struct profile_file *file;

	switch (line->kind) {
	case LINE_MARK:
		return store_format(store, "[mark] %s", profile->mark[line->number].name);
	case LINE_MOUNTED:
		return store_format(
			store, "[virtual thread %llu]", (unsigned long long)line->number);
	case LINE_LOST:
		return store_format(
			store, "[%llu events were lost]", (unsigned long long)line->number);
	case LINE_OPERATION:
		file = file_of(profile, line);
		return store_format(store, "[%s%s%s%s] %s", operation_of(line),
			line->failed ? " failed" : "", line->amount ? " " : "",
			line->amount ? figure_text(FIGURE_BYTES, line->amount).text : "",
			file ? file->name : "");
	default:
		break;
	}
	struct label name = event_method_name(report, line->method);

	if (!line->before && !line->goes_on && !line->unwound)
		return name;
	return store_format(store, "%s%s%s", line->before ? "... " : "", name.text,
		line->goes_on   ? " ..."
		: line->unwound ? " (left by an exception)"
				: "");
}

static struct cell time_text(struct report *report, uint64_t ns)
{
	return cell_text(
		store_format(report->model->store, "%s", figure_text(FIGURE_TIME, ns).text)
			.text);
}

/* All digits: lines may be close to each other. */
static struct cell start_text(struct report *report, uint64_t ns)
{
	return cell_text(store_format(report->model->store, "%llu.%06llu ms",
		(unsigned long long)(ns / 1000000), (unsigned long long)(ns % 1000000))
				 .text);
}

static void fill_line(struct report *report, const struct line *line, struct cell *cells)
{
	static const struct method_label no_method;
	const struct timeline *timeline = report->data;
	const struct profile *profile = report->model->profile;
	const struct profile_event_thread *thread = &profile->event_thread[line->thread];
	bool is_call = line->kind == LINE_CALL, is_operation = line->kind == LINE_OPERATION;
	uint64_t base = line->call ? timeline->calls.line[line->call - 1].begin : 0;

	if (report->model->choice->methods.count > 0)
		*cells++ = cell_number(line->call);
	*cells++ = cell_text(event_thread_name(report, line->thread));
	*cells++ = cell_signed(thread->java_id);
	*cells++ = cell_text(kind_names[line->kind]);
	*cells++ = cell_number(line->depth);
	*cells++ = cell_number(line->begin);
	*cells++ = cell_number(line->end - line->begin);
	*cells++ = is_call ? cell_number(line->self) : cell_null();
	*cells++ = cell_bool(line->before);
	*cells++ = cell_bool(line->goes_on);
	*cells++ = cell_bool(line->unwound);
	cells = method_cells(cells,
		is_call && line->method ? &report->model->method[line->method] : &no_method);
	*cells++ = is_operation ? cell_text(operation_of(line)) : cell_null();
	*cells++ = cell_bool(line->failed);
	*cells++ = is_operation ? cell_number(line->amount)
		   : line->kind == LINE_LOST || line->kind == LINE_MOUNTED
			   ? cell_number(line->number)
			   : cell_null();
	*cells++ = line->kind == LINE_MARK ? cell_text(profile->mark[line->number].name)
					   : cell_null();
	*cells++ = start_text(report, line->begin - base);
	*cells++ = line->kind == LINE_MARK ? cell_null()
					   : time_text(report, line->end - line->begin);
	*cells++ = is_call ? time_text(report, line->self) : cell_null();
	*cells = cell_label(name_of(report, line));
}

/* So many lines, or as many as there can be. */
static size_t at_most(const struct report *report, uint64_t lines)
{
	const struct profile *profile = report->model->profile;
	uint64_t all = profile->mark_count;

	for (size_t i = 0; i < profile->event_block_count; i++)
		all += profile->event_block[i].count + 1;
	return lines < all ? lines : all;
}

static int walk_all(struct timeline *timeline, struct error *error)
{
	struct event_walk walk = {.user = timeline,
		.wants = wants,
		.enter = enter,
		.leave = leave,
		.other = other,
		.gap = gap,
		.profile = timeline->report->model->profile,
		.from = timeline->from,
		.to = timeline->to};
	int status = event_walk(&walk, error);

	event_walk_fini(&walk);
	timeline->is_mounted = false;
	timeline->inside = 0;
	if (!timeline->finds_calls)
		event_say(timeline->report, walk.lost, walk.damaged, walk.odd);
	return status;
}

/* Calls of chosen methods: the longest of them, or the one that the user means. */
static int find_calls(struct timeline *timeline, struct error *error)
{
	struct report *report = timeline->report;
	struct longest *calls = &timeline->calls;
	uint64_t nth = report->request->call;
	int status;

	calls->room = at_most(report, nth > 0 ? nth : USUAL_CALLS);
	calls->line = report_room(report, calls->room, struct line);
	if (!calls->line)
		return -ERROR_MEMORY;
	timeline->finds_calls = true;
	status = walk_all(timeline, error);
	timeline->finds_calls = false;
	if (calls->count > 0)
		qsort(calls->line, calls->count, sizeof(*calls->line), by_length);
	if (nth > 0 && calls->count >= nth)
		calls->line[0] = calls->line[nth - 1];
	if (nth > 0)
		calls->count = calls->count >= nth;
	return status;
}

static int open_timeline(struct report *report)
{
	struct timeline *timeline = report_room(report, 1, struct timeline);
	struct error error = {0};
	int status = 0;

	if (!timeline)
		return -1;
	report->data = timeline;
	timeline->report = report;
	timeline->from = event_from(report);
	timeline->to = event_to(report);
	timeline->lines.room =
		at_most(report, report->request->top > 0 ? report->request->top : USUAL_ROWS);
	timeline->lines.line = report_room(report, timeline->lines.room, struct line);
	if (!timeline->lines.line)
		return -1;
	if (report->model->choice->methods.count > 0)
		status = find_calls(timeline, &error);
	if (status == 0) {
		add_marks(timeline);
		status = walk_all(timeline, &error);
	}
	if (status == -ERROR_MEMORY)
		return -1;
	if (status < 0)
		report_violation(report, "%s", error.text);
	if (timeline->lines.count > 0)
		qsort(timeline->lines.line, timeline->lines.count, sizeof(struct line),
			by_time);
	place_marks(&timeline->lines);
	return 0;
}

/* In text each thread, and each chosen call, has a line of its own in front. */
static void put_title(struct report *report, struct sink *sink, const struct line *line)
{
	const struct timeline *timeline = report->data;
	const char *name = event_thread_name(report, line->thread);
	const struct line *call = line->call ? &timeline->calls.line[line->call - 1] : NULL;

	if (call)
		sink_title(sink, "%s, from %s on, %s", name,
			figure_text(FIGURE_TIME, call->begin).text,
			figure_text(FIGURE_TIME, call->end - call->begin).text);
	else
		sink_title(sink, "%s", name);
}

static void rows(struct report *report, struct sink *sink)
{
	const struct timeline *timeline = report->data;
	const struct longest *lines = &timeline->lines;
	struct cell cells[COLUMN_MAX], none[COLUMN_MAX];

	event_note(report, sink);
	if (report->model->choice->methods.count > 0 && timeline->calls.count == 0)
		sink_title(sink,
			report->request->call > 1
				? "so many calls of such methods are not in what was chosen"
				: "no call of such methods is in what was chosen");
	for (size_t i = 0; i < lines->count; i++) {
		const struct line *line = &lines->line[i];

		if (i == 0 || line->thread != line[-1].thread || line->call != line[-1].call)
			put_title(report, sink, line);
		fill_line(report, line, cells);
		sink_row(sink, cells, line->depth);
	}
	if (lines->left == 0)
		return;
	for (unsigned i = 0; i < report->sheet.column_count; i++)
		none[i] = cell_null();
	sink_extra(sink, "other_rows", "shorter ones, which --top N shows", lines->left, none);
}

const struct view view_timeline = {
	.name = "timeline",
	.meaning =
		"calls, I/O and marks in the order of time, of a trace of events; the longest "
		"1000 unless --top says else; with --method single calls, the longest first",
	.by = BY_THREAD | BY_METHOD,
	.levels = true,
	.events = true,
	.marks = true,
	.columns = columns,
	.open = open_timeline,
	.rows = rows,
};

/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * export_chrome: the trace event format, for Perfetto (ui.perfetto.dev) and chrome://tracing.
 *
 * What has times goes there: threads' lives, snapshots, marks, operations of I/O, and what each metric came to between
 * snapshots; of a trace of events each call, but for short ones where there are too many for such tools. Call trees have no
 * times, and are left out.
 *
 * A track is a thread with records or a row of the threads' table; the same thread has one track. Its number is that of the
 * operating system, where it has one that is no other track's.
 */
#include <stdlib.h>

#include "profile/pairs.h"
#include "report/exports/facts.h"
#include "report/exports/figures.h"
#include "report/exports/stacks.h"
#include "report/model/event_walk.h"

/* Above all numbers of Linux's threads (PID_MAX_LIMIT, 2^22). */
enum { TRACK_OWN = 5000000, TRACK_EVENTS = 1000000000 };

/* Calls that are written. */
enum { CALLS_MOST = 2000000 };

struct chrome {
	const struct export *export;
	struct out *out;
	uint64_t pid;
	struct pairs tracks; /* of (os_id, java_id) */
	struct pairs taken;  /* (os_id, 0): a track has that number */
	uint64_t *track;     /* its number, by pair */
	size_t tracks_max;
	bool first, failed;
	/* Of the trace of events: calls of so many ns, by their length; those that are shorter than that are left out. */
	uint64_t lengths[64 << 3], shortest, left_out;
	bool counts;      /* they are counted, not written yet */
	uint32_t wanted;  /* frames of chosen methods that the thread is in */
	uint64_t mounted; /* a virtual thread is, since then, + 1; 0: none */
	uint64_t mounted_number;
};

/* ---- events ---- */

/* Microseconds, which nanoseconds are three decimals of. */
static void put_time(struct out *out, const char *key, uint64_t ns)
{
	char decimals[] = {'.', (char)('0' + ns / 100 % 10), (char)('0' + ns / 10 % 10),
		(char)('0' + ns % 10), '\0'};

	out_text(out, key);
	out_number(out, ns / 1000);
	out_text(out, decimals);
}

static void put_text(struct out *out, const char *key, struct label text)
{
	out_text(out, key);
	out_json(out, text.text ? text.text : "", text.length);
}

static void put_signed(struct out *out, const char *key, int64_t number)
{
	out_text(out, key);
	out_signed(out, number);
}

/* {"ph":PHASE,"name":NAME,"pid":PID,"tid":TRACK */
static void begin_event(struct chrome *to, const char *phase, struct label name, uint64_t track)
{
	out_text(to->out, to->first ? "{\"ph\":\"" : ",\n{\"ph\":\"");
	to->first = false;
	out_text(to->out, phase);
	put_text(to->out, "\",\"name\":", name);
	out_text(to->out, ",\"pid\":");
	out_number(to->out, to->pid);
	out_text(to->out, ",\"tid\":");
	out_number(to->out, track);
}

static void put_name(struct chrome *to, const char *what, uint64_t track, struct label name)
{
	begin_event(to, "M", label_of(what), track);
	put_text(to->out, ",\"args\":{\"name\":", name);
	out_text(to->out, "}}");
}

/* ---- tracks ---- */

/* The track of a thread, which is named if it is new. own: a number for one whose own is not known, or another's. */
static uint64_t track_of(
	struct chrome *to, int64_t os_id, int64_t java_id, uint64_t own, struct label name)
{
	size_t known = to->tracks.count, numbers = to->taken.count;
	/* Two rows that are not known by numbers are two. */
	uint32_t java = java_id == 0 && os_id == 0 ? (uint32_t)own : (uint32_t)java_id;
	uint32_t pair = pairs_take(&to->tracks, (uint32_t)os_id, java);

	if (pair == 0 || pair > to->tracks_max) {
		to->failed = true;
		return 0;
	}
	if (pair > known) {
		bool is_free =
			os_id > 0 && pairs_take(&to->taken, (uint32_t)os_id, 0) > numbers;

		to->track[pair - 1] = is_free ? (uint64_t)os_id : own;
		put_name(to, "thread_name", to->track[pair - 1], name);
	}
	return to->track[pair - 1];
}

static uint64_t track_of_row(struct chrome *to, size_t thread)
{
	const struct model *model = to->export->model;
	const struct profile_thread *row = &model->profile->thread[thread];

	return track_of(to, row->os_id, row->java_id, TRACK_OWN + 2 * (uint64_t)row->id,
		stacks_thread_name(model, thread));
}

static uint64_t track_of_records(struct chrome *to, uint32_t thread)
{
	const struct profile_record_thread *row =
		&to->export->model->profile->record_thread[thread];
	const char *name = row->name && *row->name ? row->name : NAME_NONE;

	return track_of(to, row->os_id, row->java_id, TRACK_OWN + 2 * (uint64_t)row->id + 1,
		label_of(name));
}

/* ---- threads' lives ---- */

static void put_life(struct chrome *to, size_t thread)
{
	const struct model *model = to->export->model;
	const struct profile_thread *row = &model->profile->thread[thread];
	struct label name = stacks_thread_name(model, thread);
	uint64_t track = track_of_row(to, thread), end = row->ended;
	const char *const phases[] = {"b", "e"};

	if (row->alive || end == 0)
		end = model->profile->interval.end;
	if (end < row->started)
		end = row->started;
	for (int i = 0; i < 2; i++) {
		begin_event(to, phases[i], name, track);
		out_text(to->out, ",\"cat\":\"thread\",\"id\":");
		out_number(to->out, row->id);
		put_time(to->out, ",\"ts\":", i == 0 ? row->started : end);
		if (i == 0) {
			put_signed(to->out, ",\"args\":{\"java_id\":", row->java_id);
			put_signed(to->out, ",\"os_id\":", row->os_id);
			out_text(to->out, ",\"threads\":");
			out_number(to->out, row->folded);
			out_text(to->out, row->is_virtual ? ",\"virtual\":true" : "");
			out_text(to->out, row->alive ? ",\"alive\":true}" : "}");
		}
		out_char(to->out, '}');
	}
}

static void put_lives(struct chrome *to)
{
	const struct model *model = to->export->model;

	for (size_t t = 0; t < model->profile->thread_count; t++)
		if (model->selected[t])
			put_life(to, t);
}

/* ---- moments ---- */

/* scope: "p" of the process, "t" of the track. */
static void put_moment(struct chrome *to, const char *category, struct label name,
	const char *scope, uint64_t track, uint64_t at)
{
	begin_event(to, "i", name, track);
	put_text(to->out, ",\"cat\":", label_of(category));
	put_text(to->out, ",\"s\":", label_of(scope));
	put_time(to->out, ",\"ts\":", at);
	out_char(to->out, '}');
}

static void put_snapshots(struct chrome *to)
{
	const struct profile *profile = to->export->model->profile;

	for (size_t i = 0; i < profile->snapshot_count; i++)
		put_moment(to,
			profile->snapshot[i].kind == SNAPSHOT_RESET ? "reset" : "snapshot",
			label_of(profile->snapshot[i].label), "p", to->pid,
			profile->snapshot[i].at);
}

/* A chosen row that is one thread. */
struct known_thread {
	int64_t java_id;
	size_t row;
};

static int by_java_id(const void *left, const void *right)
{
	const struct known_thread *a = left, *b = right;

	return (a->java_id > b->java_id) - (a->java_id < b->java_id);
}

/* By java_id. *threads is the store's; NULL without memory. Returns how many there are. */
static size_t list_threads(const struct model *model, struct known_thread **threads)
{
	const struct profile *profile = model->profile;
	size_t count = 0;

	*threads = store_room(model->store, profile->thread_count + 1, sizeof(**threads));
	for (size_t t = 0; *threads && t < profile->thread_count; t++)
		if (model->selected[t] && profile->thread[t].java_id != 0)
			(*threads)[count++] =
				(struct known_thread){profile->thread[t].java_id, t};
	if (count > 0)
		qsort(*threads, count, sizeof(**threads), by_java_id);
	return count;
}

/* Of chosen threads; on the track of the one that made it, where that has a row. */
static int put_marks(struct chrome *to)
{
	const struct model *model = to->export->model;
	const struct pattern_list *chosen = &model->choice->threads;
	struct known_thread *threads;
	size_t count = list_threads(model, &threads);

	for (size_t i = 0; threads && model->profile->mark && i < model->profile->mark_count;
		i++) {
		const struct profile_mark *mark = &model->profile->mark[i];
		const struct known_thread wanted = {.java_id = mark->java_id};
		const struct known_thread *thread =
			bsearch(&wanted, threads, count, sizeof(*threads), by_java_id);

		if (chosen->count > 0 &&
			(!mark->thread || !pattern_list_match(chosen, mark->thread)))
			continue;
		put_moment(to, "mark", label_of(mark->name), thread ? "t" : "p",
			thread ? track_of_row(to, thread->row) : to->pid, mark->at);
	}
	return threads ? 0 : -1;
}

/* ---- operations of I/O ---- */

static void put_file(struct out *out, const struct profile_file *file)
{
	put_text(out, ",\"kind\":", label_of(io_kind_names[file->kind]));
	put_text(out, ",\"file\":", label_of(file->name));
	if (file->peer)
		put_text(out, file->kind == IO_ENTRY ? ",\"archive\":" : ",\"remote\":",
			label_of(file->peer));
	if (file->descriptor >= 0)
		put_signed(out, ",\"descriptor\":", file->descriptor);
}

static void put_record(struct chrome *to, const struct profile_record *record)
{
	const struct model *model = to->export->model;
	const struct profile *profile = model->profile;
	uint64_t track = record->thread ? track_of_records(to, record->thread - 1) : to->pid;

	begin_event(to, "X", label_of(account_kind_names[record->kind]), track);
	out_text(to->out, ",\"cat\":\"io\"");
	put_time(to->out, ",\"ts\":", record->begin);
	put_time(to->out, ",\"dur\":", record->ns);
	out_text(to->out, ",\"args\":{\"bytes\":");
	out_number(to->out, record->amount);
	out_text(to->out, record->failed ? ",\"failed\":true" : "");
	if (record->subject)
		put_file(to->out, &profile->file[record->subject - 1]);
	if (record->node)
		put_text(to->out, ",\"method\":",
			model->method[profile->path[record->node - 1].method].display);
	out_text(to->out, "}}");
}

static const struct profile_file *file_of(
	const struct profile *profile, const struct profile_record *record)
{
	return record->subject ? &profile->file[record->subject - 1] : NULL;
}

/* Those of wanted threads and files and, by path, methods. */
static int put_records(struct chrome *to)
{
	const struct model *model = to->export->model;
	const struct profile *profile = model->profile;
	const struct pattern_list *threads = &model->choice->threads;
	bool *through = store_room(model->store, profile->path_count + 1, sizeof(*through));

	/* A caller's path stands before those of what it called. */
	for (size_t i = 0; through && i < profile->path_count; i++) {
		const struct profile_path *path = &profile->path[i];

		through[i] = model_wants_method(model, path->method) ||
			     (path->parent && through[path->parent - 1]);
	}
	for (size_t i = 0; through && i < profile->record_count && to->out->failed == 0; i++) {
		const struct profile_record *record = &profile->record[i];
		const char *name =
			record->thread ? profile->record_thread[record->thread - 1].name : NULL;

		if ((threads->count == 0 || (name && pattern_list_match(threads, name))) &&
			(model->choice->methods.count == 0 ||
				(record->node && through[record->node - 1])) &&
			model_wants_file(model, file_of(profile, record)))
			put_record(to, record);
	}
	return through ? 0 : -1;
}

/* ---- calls, of a trace of events ---- */

static bool wants_events(void *user, uint32_t thread)
{
	struct chrome *to = user;
	const struct model *model = to->export->model;
	const struct profile_thread row = event_thread_row(model->profile, thread);

	return model_wants_thread(model, &row);
}

static uint64_t track_of_events(struct chrome *to, uint32_t thread)
{
	const struct profile_thread row = event_thread_row(to->export->model->profile, thread);
	const char *name = model_thread_name(&row);

	return track_of(to, row.os_id, row.java_id, TRACK_EVENTS + (uint64_t)thread,
		label_of(*name ? name : NAME_NONE));
}

/* Which of to->lengths it is of: the highest bits of its ns. */
static unsigned length_of(uint64_t ns)
{
	unsigned high = ns < 8 ? 0 : 61 - (unsigned)__builtin_clzll(ns);

	return high << 3 | (unsigned)(ns >> high & 7);
}

/* The least ns that are of that length. */
static uint64_t least_of(unsigned length)
{
	unsigned high = length >> 3;

	return high == 0 ? (length & 7) : (uint64_t)(length & 7) << high;
}

static bool is_chosen(const struct chrome *to, uint32_t method)
{
	const struct model *model = to->export->model;

	return model->choice->methods.count > 0 && method != 0 &&
	       model_wants_method(model, method);
}

static int enter_call(struct event_walk *walk, struct event_frame *frame)
{
	struct chrome *to = walk->user;

	to->wanted += is_chosen(to, frame->method);
	return 0;
}

static void put_span(struct chrome *to, struct label name, const char *category, uint64_t track,
	uint64_t begin, uint64_t end)
{
	begin_event(to, "X", name, track);
	put_text(to->out, ",\"cat\":", label_of(category));
	put_time(to->out, ",\"ts\":", begin);
	put_time(to->out, ",\"dur\":", end - begin);
}

static int leave_call(struct event_walk *walk, struct event_frame *frame, enum event_leave how)
{
	struct chrome *to = walk->user;
	const struct model *model = to->export->model;
	bool wanted = model->choice->methods.count == 0 || to->wanted > 0;
	uint64_t ns = walk->at - frame->begin;

	to->wanted -= is_chosen(to, frame->method);
	if (!wanted)
		return 0;
	if (to->counts) {
		to->lengths[length_of(ns)]++;
		return 0;
	}
	if (ns < to->shortest) {
		to->left_out++;
		return 0;
	}
	put_span(to,
		frame->method ? model->method[frame->method].display : label_of("(not known)"),
		"call", track_of_events(to, walk->thread), frame->begin, walk->at);
	put_time(to->out, ",\"args\":{\"self_us\":", frame->self);
	out_text(to->out, frame->before ? ",\"began_before\":true" : "");
	out_text(to->out, how == LEAVE_CUT      ? ",\"goes_on\":true}}"
			  : how == LEAVE_UNWIND ? ",\"exception\":true}}"
						: "}}");
	return to->out->failed ? -1 : 0;
}

static void put_mounted(struct chrome *to, uint64_t track, uint64_t until)
{
	struct label name;

	if (to->mounted == 0)
		return;
	name = store_format(to->export->model->store, "virtual thread %llu",
		(unsigned long long)to->mounted_number);
	put_span(to, name, "mount", track, to->mounted - 1, until);
	out_char(to->out, '}');
	to->mounted = 0;
}

/* Operations of I/O, where they are not told one by one elsewhere; mounts. */
static int put_other(struct event_walk *walk, const struct stream_event *event)
{
	struct chrome *to = walk->user;
	uint64_t track;

	if (to->counts)
		return 0;
	track = track_of_events(to, walk->thread);
	if (event->kind == STREAM_OPERATION && to->export->model->profile->record_count == 0 &&
		event->number < ACCOUNT_KINDS) {
		put_span(to, label_of(account_kind_names[event->number]), "io", track,
			event->at > event->ns ? event->at - event->ns : 0, event->at);
		out_text(to->out, ",\"args\":{\"bytes\":");
		out_number(to->out, event->amount);
		out_text(to->out, event->failed ? ",\"failed\":true}}" : "}}");
	}
	if (event->kind == STREAM_MOUNT || event->kind == STREAM_UNMOUNT)
		put_mounted(to, track, event->at);
	if (event->kind == STREAM_MOUNT) {
		to->mounted = event->at + 1;
		to->mounted_number = event->number;
	}
	return 0;
}

static int put_gap(struct event_walk *walk, uint64_t lost, uint64_t since)
{
	struct chrome *to = walk->user;

	to->mounted = 0;
	if (lost == 0 || to->counts)
		return 0;
	put_span(to, label_of("events were lost"), "lost", track_of_events(to, walk->thread),
		since, walk->at);
	out_text(to->out, ",\"args\":{\"events\":");
	out_number(to->out, lost);
	out_text(to->out, "}}");
	return 0;
}

static int walk_calls(struct chrome *to)
{
	const struct profile *profile = to->export->model->profile;
	const struct profile_interval *interval = &profile->interval;
	struct event_walk walk = {.user = to,
		.wants = wants_events,
		.enter = enter_call,
		.leave = leave_call,
		.other = put_other,
		.gap = put_gap,
		.profile = profile,
		.from = interval->from ? interval->begin : 0,
		.to = interval->to ? interval->end : UINT64_MAX};
	struct error error = {0};
	int status = event_walk(&walk, &error);

	to->wanted = 0;
	to->mounted = 0;
	event_walk_fini(&walk);
	/* A write that failed is told by its own. */
	return status < 0 && !to->out->failed ? -1 : 0;
}

/* The longest calls, where there are many: no call is longer than its caller, which so is there. */
static int put_calls(struct chrome *to)
{
	uint64_t kept = 0;
	unsigned length = sizeof(to->lengths) / sizeof(*to->lengths);

	if (to->export->model->profile->event_block_count == 0)
		return 0;
	to->counts = true;
	if (walk_calls(to) != 0)
		return -1;
	to->counts = false;
	while (length > 0 && kept + to->lengths[length - 1] <= CALLS_MOST)
		kept += to->lengths[--length];
	to->shortest = length > 0 ? least_of(length) : 0;
	return walk_calls(to);
}

/* ---- what metrics came to ---- */

static void put_step(
	struct chrome *to, const struct figure *figure, uint64_t at, uint64_t value)
{
	begin_event(to, "C", label_of(figure->name), to->pid);
	put_time(to->out, ",\"ts\":", at);
	out_text(to->out, ",\"args\":{");
	out_json(to->out, figure->unit, strlen(figure->unit));
	out_char(to->out, ':');
	out_number(to->out, value);
	out_text(to->out, "}}");
}

/* A step at the beginning of each interval, and back to nothing at the end of the last, if that is known. */
static void put_counters(struct chrome *to)
{
	const struct export_request *request = to->export->request;
	const struct figures figures = figures_choose(to->export);
	size_t count = request->interval_count;

	for (unsigned f = 0; f < figures.count && count > 0; f++) {
		const struct figure *figure = &figures.figure[f];
		const struct export_interval *last = &request->interval[count - 1];

		/* An interval has no sum of calls, nor of I/O. */
		if (figure->at >= figures.calls)
			continue;
		for (size_t i = 0; i < count; i++)
			put_step(to, figure, request->interval[i].begin,
				request->interval[i].whole[figure->at]);
		if (last->end >= last->begin)
			put_step(to, figure, last->end, 0);
	}
}

/* ---- the whole ---- */

static void put_facts(struct chrome *to)
{
	const struct profile *profile = to->export->model->profile;
	const char *started = profile_meta_get(profile, "started");
	const struct export_notes notes = export_notes(to->export);

	out_text(to->out, "\n],\n\"displayTimeUnit\":\"ns\",\n\"otherData\":{");
	put_text(to->out, "\"started\":", label_of(started));
	put_text(to->out, ",\"profile\":", label_of(to->export->request->file));
	out_text(to->out, ",\"call trees\":\"left out: they have no times\"");
	if (to->left_out > 0) {
		out_text(to->out, ",\"calls\":\"");
		out_number(to->out, to->left_out);
		out_text(to->out, " are left out that took less than ");
		out_number(to->out, to->shortest);
		out_text(to->out, " ns\"");
	}
	out_text(to->out, ",\"notes\":");
	for (size_t i = 0; notes.line[i]; i++)
		put_text(to->out, i == 0 ? "[" : ",", label_of(notes.line[i]));
	out_text(to->out, "]}}\n");
}

static int write_chrome(const struct export *export)
{
	const struct model *model = export->model;
	const struct profile *profile = model->profile;
	const char *command = profile_meta_get(profile, "java.command");
	struct chrome to = {.export = export,
		.out = export->out,
		.pid = export_fact(profile, "pid"),
		.tracks_max = profile->thread_count + profile->record_thread_count +
			      profile->event_thread_count,
		.first = true};

	to.track = store_room(model->store, to.tracks_max + 1, sizeof(*to.track));
	if (!to.track)
		return -1;
	out_text(to.out, "{\"traceEvents\":[\n");
	put_name(&to, "process_name", to.pid, label_of(command ? command : "java"));
	put_lives(&to);
	put_snapshots(&to);
	to.failed |= put_marks(&to) != 0 || put_records(&to) != 0 || put_calls(&to) != 0;
	put_counters(&to);
	put_facts(&to);
	pairs_fini(&to.tracks);
	pairs_fini(&to.taken);
	return to.failed ? -1 : 0;
}

const struct exporter exporter_chrome = {
	.name = "chrome",
	.meaning = "trace events for Perfetto: threads, snapshots, marks, I/O in time, and "
		   "calls, of a trace of events",
	.prefix = "",
	.suffix = ".trace.json",
	.methods = true,
	.timeline = true,
	.io = true,
	.write = write_chrome,
};

/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * view_locks: who waited for whom, of a profile made with traces=locks: by lock, by path, by pair of threads, and the longest
 * waits one by one.
 *
 * A wait is contended where somebody held the lock, or a monitor was not to be had at once; all others are idle: for work, for
 * a moment, for a thread's end. A wait that is unfinished counts by what it has taken so far, as one of a row.
 */
#include <stdlib.h>
#include <string.h>

#include "report/model/trace_times.h"
#include "report/model/waits.h"
#include "report/text/figure.h"
#include "report/views/trace_head.h"
#include "report/views/view.h"

enum { PATH_MOST = 200 };

/* What rows have in common. Unused parts are 0. */
struct key {
	uint32_t lock;                  /* place + 1 */
	uint32_t thread, holder_thread; /* ids */
	uint32_t method, holder_method;
	uint32_t kind; /* of enum account_kind */
	uint32_t unfinished;
};

struct sums {
	uint64_t count, ns, longest, began;
};

/* A row of a view: contentions that have a key. */
struct group {
	struct key key;
	struct sums contended, idle;
	uint64_t timed_out;
	uint64_t unfinished; /* of the waits */
	uint32_t threads;    /* that waited */
	uint32_t worst;      /* the contention with most time, by its place */
	/* Who held it for most of the time. */
	uint32_t holder_thread, holder_method;
	uint64_t held_ns;
};

struct locks_view {
	/* Contention, and behind it waits that are unfinished, one of a row. */
	struct profile_contention *row;
	size_t rows, finished;
	struct group *group;
	size_t groups;
	bool *chosen; /* by place of the path: a wanted method is on it; NULL: all are */
	struct sums all, idle, unfinished, unfinished_idle;
};

/* ---- names ---- */

static const char *thread_name(const struct report *report, uint32_t id)
{
	const struct profile *profile =
		report->model->apart ? report->model->apart : report->model->profile;
	size_t low = 0, high = profile->thread_count;

	if (id == 0)
		return NULL;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (profile->thread[middle].id < id)
			low = middle + 1;
		else
			high = middle;
	}
	if (low < profile->thread_count && profile->thread[low].id == id)
		return model_thread_name(&profile->thread[low]);
	return store_format(report->model->store, "thread row %u", id).text;
}

/* The class is called so. */
static struct label lock_label(const struct report *report, uint32_t place, struct label name)
{
	const struct profile_lock *lock =
		place ? &report->model->profile->lock[place - 1] : NULL;

	if (!lock)
		return label_of("(others)");
	if (lock->class_name[0] == '\0')
		return label_of("(nothing said)");
	if (lock->number == PROFILE_NOT_KNOWN)
		return name;
	return store_format(report->model->store, "%.*s@%llx", (int)name.length, name.text,
		(unsigned long long)lock->number);
}

static const char *lock_class(const struct report *report, uint32_t place)
{
	return place ? report->model->profile->lock[place - 1].class_name : "";
}

/* As people call it, for text. */
static struct cell lock_short(const struct report *report, uint32_t place)
{
	return cell_label(lock_label(report, place, lock_name(lock_class(report, place))));
}

static struct cell lock_long(const struct report *report, uint32_t place)
{
	return cell_label(lock_label(report, place, label_of(lock_class(report, place))));
}

static bool begins(const char *text, const char *prefix)
{
	return text && strncmp(text, prefix, strlen(prefix)) == 0;
}

static bool is_jdk(const struct profile_method *method)
{
	static const char *const packages[] = {"java.", "javax.", "jdk.", "sun.", "com.sun."};

	for (size_t i = 0; i < sizeof(packages) / sizeof(*packages); i++)
		if (begins(method->class_name, packages[i]))
			return true;
	return false;
}

/* What parks or waits for others. */
static bool is_waiting(const struct profile_method *method)
{
	static const char *const classes[] = {"java.util.concurrent.locks.",
		"jdk.internal.misc.", "jdk.internal.vm.", "java.lang.Object",
		"java.lang.VirtualThread", "java.lang.Access", "java.lang.System"};

	for (size_t i = 0; i < sizeof(classes) / sizeof(*classes); i++)
		if (begins(method->class_name, classes[i]))
			return true;
	return false;
}

/* The method that a path is known by: the innermost one of the program; in paths of the JDK alone the one that wanted to
 * wait. METHOD_ROOT: nothing is known of it. path: place + 1. */
static uint32_t method_of(const struct profile *profile, uint64_t path)
{
	uint32_t waits = METHOD_ROOT, first = METHOD_ROOT;

	for (; path; path = profile->path[path - 1].parent) {
		uint32_t id = profile->path[path - 1].method;
		const struct profile_method *method = &profile->method[id];

		if (method->kind != METHOD_JAVA)
			continue;
		if (!is_jdk(method))
			return id;
		if (first == METHOD_ROOT)
			first = id;
		if (waits == METHOD_ROOT && !is_waiting(method))
			waits = id;
	}
	return waits != METHOD_ROOT ? waits : first;
}

static struct cell method_name(const struct report *report, uint32_t method)
{
	return method == METHOD_ROOT ? cell_null()
				     : cell_label(report->model->method[method].display);
}

/* Methods from the innermost one outwards. */
static struct cell path_cell(const struct report *report, uint64_t path)
{
	const struct profile *profile = report->model->profile;
	struct label *labels = report_room(report, PATH_MOST, struct label);
	size_t count = 0;

	for (; path && labels && count < PATH_MOST; path = profile->path[path - 1].parent)
		labels[count++] = report->model->method[profile->path[path - 1].method].display;
	return labels && count ? cell_texts(labels, count) : cell_null();
}

/* ---- groups ---- */

static bool is_chosen(const struct report *report, const struct locks_view *view,
	uint32_t thread, uint32_t holder_thread, uint64_t node, uint64_t holder)
{
	const struct pattern_list *threads = &report->model->choice->threads;
	const char *name = thread_name(report, thread),
		   *held = thread_name(report, holder_thread);

	if (threads->count > 0 && !(name && pattern_list_match(threads, name)) &&
		!(held && pattern_list_match(threads, held)))
		return false;
	return !view->chosen || (node && view->chosen[node - 1]) ||
	       (holder && view->chosen[holder - 1]);
}

/* A contention, and what it is sorted by. */
struct sorted {
	struct key key;
	uint32_t at;
	uint32_t holder_thread, holder_method;
};

static int compare_sorted(const void *left, const void *right)
{
	const struct sorted *a = left, *b = right;
	int order = memcmp(&a->key, &b->key, sizeof(a->key));

	if (order == 0 && a->holder_thread != b->holder_thread)
		order = a->holder_thread < b->holder_thread ? -1 : 1;
	if (order == 0 && a->holder_method != b->holder_method)
		order = a->holder_method < b->holder_method ? -1 : 1;
	return order != 0 ? order : (a->at > b->at) - (a->at < b->at);
}

static int compare_ids(const void *left, const void *right)
{
	const uint32_t *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

static void add_to(struct sums *sums, const struct profile_contention *row)
{
	sums->count += row->count;
	sums->ns += row->ns;
	if (sums->longest <= row->longest) {
		sums->longest = row->longest;
		sums->began = row->began;
	}
}

/* Of rows that have one key. ids: room for as many. */
static void fill_group(const struct locks_view *view, struct group *group,
	const struct sorted *sorted, size_t count, uint32_t *ids)
{
	uint64_t worst_ns = 0, held = 0;
	size_t threads = 0;

	group->key = sorted->key;
	group->worst = sorted->at;
	for (size_t i = 0; i < count; i++) {
		const struct profile_contention *row = &view->row[sorted[i].at];
		bool contended = waits_are_contended(row);

		add_to(contended ? &group->contended : &group->idle, row);
		group->unfinished += sorted[i].at >= view->finished;
		group->timed_out += row->failures;
		if (row->thread)
			ids[threads++] = row->thread;
		if (contended && row->ns >= worst_ns) {
			worst_ns = row->ns;
			group->worst = sorted[i].at;
		}
		if (i == 0 || sorted[i].holder_thread != sorted[i - 1].holder_thread ||
			sorted[i].holder_method != sorted[i - 1].holder_method)
			held = 0;
		held += row->ns;
		if (sorted[i].holder_thread && held > group->held_ns) {
			group->held_ns = held;
			group->holder_thread = sorted[i].holder_thread;
			group->holder_method = sorted[i].holder_method;
		}
	}
	if (threads > 0)
		qsort(ids, threads, sizeof(*ids), compare_ids);
	for (size_t i = 0; i < threads; i++)
		group->threads += i == 0 || ids[i] != ids[i - 1];
}

/* By path: a wanted method is on it. NULL: no memory, or all are wanted. */
static bool *choose_paths(struct report *report)
{
	const struct profile *profile = report->model->profile;
	bool *chosen;

	if (report->model->choice->methods.count == 0)
		return NULL;
	chosen = report_room(report, profile->path_count, bool);
	for (size_t i = 0; chosen && i < profile->path_count; i++) {
		const struct profile_path *path = &profile->path[i];

		chosen[i] = model_wants_method(report->model, path->method) ||
			    (path->parent && chosen[path->parent - 1]);
	}
	return chosen;
}

/* Contention and what is unfinished, as rows. 0, or -1 without memory. */
static int make_rows(const struct report *report, struct locks_view *view)
{
	const struct profile *profile = report->model->profile;
	size_t rows = profile->contention_count + profile->unfinished_wait_count;

	view->row = report_room(report, rows, struct profile_contention);
	if (!view->row)
		return -1;
	view->finished = view->rows = profile->contention_count;
	if (view->finished > 0)
		memcpy(view->row, profile->contention, view->finished * sizeof(*view->row));
	for (size_t i = 0; i < profile->unfinished_wait_count; i++)
		view->row[view->rows++] = waits_row(&profile->unfinished_wait[i]);
	return 0;
}

static struct sums *all_of(
	struct locks_view *view, const struct profile_contention *row, bool unfinished)
{
	if (waits_are_contended(row))
		return unfinished ? &view->unfinished : &view->all;
	return unfinished ? &view->unfinished_idle : &view->idle;
}

typedef struct key make_key(
	const struct profile *profile, const struct profile_contention *row, bool unfinished);

static void find_groups(struct report *report, struct locks_view *view, make_key *key_of)
{
	const struct profile *profile = report->model->profile;
	size_t rows = view->rows, count = 0, end;
	struct sorted *sorted = report_room(report, rows, struct sorted);
	uint32_t *ids = report_room(report, rows, uint32_t);

	view->group = report_room(report, rows, struct group);
	if (report->model->store->failed)
		return;
	for (size_t i = 0; i < rows; i++) {
		const struct profile_contention *row = &view->row[i];
		bool unfinished = i >= view->finished;

		if (!is_chosen(report, view, row->thread, row->holder_thread, row->node,
			    row->holder))
			continue;
		sorted[count++] = (struct sorted){.key = key_of(profile, row, unfinished),
			.at = (uint32_t)i,
			.holder_thread = row->holder_thread,
			.holder_method = method_of(profile, row->holder)};
		add_to(all_of(view, row, unfinished), row);
	}
	if (count > 0)
		qsort(sorted, count, sizeof(*sorted), compare_sorted);
	for (size_t i = 0; i < count; i = end) {
		for (end = i + 1; end < count && memcmp(&sorted[end].key, &sorted[i].key,
							 sizeof(sorted->key)) == 0;
			end++)
			;
		fill_group(view, &view->group[view->groups++], &sorted[i], end - i, ids);
	}
}

/* ---- what stands above the rows ---- */

/* What hangs has not ended. */
static void say_unfinished(const struct locks_view *view, struct sink *sink)
{
	uint64_t count = view->unfinished.count + view->unfinished_idle.count;

	if (count == 0)
		return;
	if (view->unfinished.count > 0)
		sink_title(sink,
			"%s unfinished wait%s, under way at the end: %s contended, the longest "
			"for %s",
			figure_text(FIGURE_COUNT, count).text, count == 1 ? "" : "s",
			figure_text(FIGURE_COUNT, view->unfinished.count).text,
			figure_text(FIGURE_TIME, view->unfinished.longest).text);
	else
		sink_title(sink, "%s unfinished wait%s, under way at the end: idle",
			figure_text(FIGURE_COUNT, count).text, count == 1 ? "" : "s");
}

static void say_all(struct report *report, struct sink *sink)
{
	const struct locks_view *view = report->data;
	const struct trace_line line = trace_line(report->model->profile, TRACE_LOCKS);

	if (line.text[0] != '\0')
		sink_title(sink, "%s", line.text);
	say_unfinished(view, sink);
	if (view->all.count > 0)
		sink_title(sink, "%s contended waits, %s in all, the longest %s",
			figure_text(FIGURE_COUNT, view->all.count).text,
			figure_text(FIGURE_TIME, view->all.ns).text,
			figure_text(FIGURE_TIME, view->all.longest).text);
	if (view->idle.count > 0)
		sink_title(sink, "%s idle ones, for what nobody held: %s",
			figure_text(FIGURE_COUNT, view->idle.count).text,
			figure_text(FIGURE_TIME, view->idle.ns).text);
	trace_head_losses(report, sink, TRACE_LOCKS);
	if (report->count > 0)
		sink_title(sink, "%s", "");
}

static void rows(struct report *report, struct sink *sink)
{
	say_all(report, sink);
	report_rows(report, sink);
}

/* ---- columns that several have ---- */

/* A screen has idle waits where there is nothing else. */
static unsigned idle_flags(const struct report *report)
{
	const struct profile *profile = report->model->profile;

	for (size_t i = 0; i < profile->contention_count; i++)
		if (waits_are_contended(&profile->contention[i]))
			return IN_ALL | COLUMN_ASIDE;
	for (size_t i = 0; i < profile->unfinished_wait_count; i++)
		if (profile->unfinished_wait[i].kind == LOCKS_BLOCK ||
			profile->unfinished_wait[i].holder_thread)
			return IN_ALL | COLUMN_ASIDE;
	return IN_ALL;
}

/* A screen has the column where a wait is. */
static void unfinished_column(const struct report *report, struct sheet *sheet)
{
	sheet_add(sheet, NULL, "unfinished", "Unfinished",
		(report->model->profile->unfinished_wait_count > 0 ? IN_ALL : IN_DATA) |
			COLUMN_SUM);
}

static void sums_columns(struct sheet *sheet, const char *group, const char *waits,
	const char *time, const char *longest, unsigned flags)
{
	sheet_add(sheet, group, "waits", waits, flags | COLUMN_SUM);
	sheet_add(sheet, group, "ns", time, flags | COLUMN_SUM | COLUMN_TIME | COLUMN_SHARE);
	sheet_add(
		sheet, group, "longest", longest, (longest[0] ? flags : IN_DATA) | COLUMN_TIME);
	sheet_add(sheet, group, "longest_began", "", IN_DATA);
}

static struct cell *sums_cells(struct cell *cells, const struct sums *sums)
{
	*cells++ = cell_number(sums->count);
	*cells++ = cell_number(sums->ns);
	/* Of an interval it may not be known. */
	*cells++ = sums->longest || !sums->ns ? cell_number(sums->longest) : cell_null();
	*cells++ = sums->longest ? cell_number(sums->began) : cell_null();
	return cells;
}

static void lock_columns(struct sheet *sheet)
{
	sheet_add(sheet, "lock", "id", "", IN_DATA);
	sheet_add(sheet, "lock", "class", "", IN_DATA);
	sheet_add(sheet, "lock", "number", "", IN_DATA);
}

static struct cell *lock_cells(const struct report *report, struct cell *cells, uint32_t place)
{
	const struct profile_lock *lock =
		place ? &report->model->profile->lock[place - 1] : NULL;

	*cells++ = lock ? cell_number(lock->id) : cell_null();
	*cells++ = lock ? cell_text(lock->class_name) : cell_null();
	*cells++ = lock && lock->number != PROFILE_NOT_KNOWN
			   ? cell_number((uint64_t)lock->number)
			   : cell_null();
	return cells;
}

/* ---- by lock ---- */

static struct key key_by_lock(
	const struct profile *profile, const struct profile_contention *row, bool unfinished)
{
	return (struct key){.lock = row->lock};
}

static int open_groups(struct report *report, make_key *key_of)
{
	struct locks_view *view = report_room(report, 1, struct locks_view);

	report->data = view;
	if (!view)
		return -1;
	view->chosen = choose_paths(report);
	if (make_rows(report, view) < 0)
		return -1;
	find_groups(report, view, key_of);
	return report->model->store->failed ? -1
					    : report_list_shares(report, NULL, view->groups);
}

static void locks_columns(struct report *report)
{
	struct sheet *sheet = &report->sheet;

	sums_columns(sheet, "contended", "Waits", "Time", "Longest", IN_ALL);
	unfinished_column(report, sheet);
	sheet_add(sheet, NULL, "threads", "Threads", IN_ALL);
	sums_columns(sheet, "idle", "Idle waits", "Idle time", "", idle_flags(report));
	sheet_add(sheet, NULL, "timed_out", "Timed out", IN_DATA | COLUMN_SUM);
	lock_columns(sheet);
	sheet_add(sheet, "holder", "thread", "Held most by", IN_ALL | COLUMN_LEFT);
	sheet_add(sheet, "holder", "method", "There", IN_ALL | COLUMN_LEFT);
	sheet_add(sheet, "holder", "ns", "", IN_DATA);
	sheet_add_name(sheet, "Lock");
}

static void locks_fill(struct report *report, uint32_t item, struct cell *cells)
{
	const struct locks_view *view = report->data;
	const struct group *group = &view->group[item];

	cells = sums_cells(cells, &group->contended);
	*cells++ = cell_number(group->unfinished);
	*cells++ = cell_number(group->threads);
	cells = sums_cells(cells, &group->idle);
	*cells++ = cell_number(group->timed_out);
	cells = lock_cells(report, cells, group->key.lock);
	*cells++ = cell_text(thread_name(report, group->holder_thread));
	*cells++ = method_name(report, group->holder_method);
	*cells++ = group->held_ns ? cell_number(group->held_ns) : cell_null();
	*cells = lock_short(report, group->key.lock);
}

static int open_locks(struct report *report)
{
	return open_groups(report, key_by_lock);
}

const struct view view_locks = {
	.name = "locks",
	.meaning = "locks that threads waited for, and who held them (traces=locks)",
	.by = BY_CALLS,
	.sort = "contended.ns",
	.columns = locks_columns,
	.open = open_locks,
	.fill = locks_fill,
	.rows = rows,
};

/* ---- by path ---- */

static uint32_t class_of(const struct profile *profile, uint32_t lock)
{
	/* Locks of one class are one: the first with its name stands for all. */
	for (uint32_t i = 0; lock && i < lock; i++)
		if (strcmp(profile->lock[i].class_name, profile->lock[lock - 1].class_name) ==
			0)
			return i + 1;
	return lock;
}

/* A way that is never left is a row by itself. */
static struct key key_by_path(
	const struct profile *profile, const struct profile_contention *row, bool unfinished)
{
	return (struct key){.lock = class_of(profile, row->lock),
		.method = method_of(profile, row->node),
		.holder_method = method_of(profile, row->holder),
		.kind = row->kind,
		.unfinished = unfinished};
}

static void waits_columns(struct report *report)
{
	struct sheet *sheet = &report->sheet;

	sums_columns(sheet, "contended", "Waits", "Time", "Longest", IN_ALL);
	unfinished_column(report, sheet);
	sheet_add(sheet, NULL, "threads", "Threads", IN_ALL);
	sums_columns(sheet, "idle", "Idle waits", "Idle time", "", idle_flags(report));
	sheet_add(sheet, NULL, "kind", "Kind", IN_ALL | COLUMN_LEFT);
	sheet_add(sheet, NULL, "class", "", IN_DATA);
	sheet_add(sheet, NULL, "lock", "Lock", IN_TEXT | COLUMN_LEFT);
	sheet_add(sheet, "holder", "method", "Held in", IN_ALL | COLUMN_LEFT);
	sheet_add(sheet, "holder", "path", "", IN_JSON);
	sheet_add(sheet, NULL, "path", "", IN_JSON);
	sheet_add(sheet, NULL, "method", "", IN_DATA);
	sheet_add_name(sheet, "Waits in");
}

static void waits_fill(struct report *report, uint32_t item, struct cell *cells)
{
	const struct profile *profile = report->model->profile;
	const struct locks_view *view = report->data;
	const struct group *group = &view->group[item];
	const struct profile_contention *worst = &view->row[group->worst];
	uint32_t lock = group->key.lock;
	bool named = lock && profile->lock[lock - 1].class_name[0];
	struct cell method = method_name(report, group->key.method);

	cells = sums_cells(cells, &group->contended);
	*cells++ = cell_number(group->unfinished);
	*cells++ = cell_number(group->threads);
	cells = sums_cells(cells, &group->idle);
	*cells++ = cell_text(account_kind_names[group->key.kind]);
	*cells++ = named ? cell_text(profile->lock[lock - 1].class_name) : cell_null();
	*cells++ = named ? cell_label(lock_name(lock_class(report, lock))) : cell_null();
	*cells++ = method_name(report, group->key.holder_method);
	*cells++ = path_cell(report, worst->holder);
	*cells++ = path_cell(report, worst->node);
	*cells++ = method;
	*cells = method.kind == CELL_NULL ? cell_text("(not known)") : method;
}

static int open_waits(struct report *report)
{
	return open_groups(report, key_by_path);
}

const struct view view_waits = {
	.name = "waits",
	.meaning = "where threads waited for locks, and where these were held (traces=locks)",
	.by = BY_CALLS,
	.sort = "contended.ns",
	.columns = waits_columns,
	.open = open_waits,
	.fill = waits_fill,
	.rows = rows,
};

/* ---- by pair of threads ---- */

static struct key key_by_pair(
	const struct profile *profile, const struct profile_contention *row, bool unfinished)
{
	return (struct key){.thread = row->thread, .holder_thread = row->holder_thread};
}

static void pairs_columns(struct report *report)
{
	struct sheet *sheet = &report->sheet;

	sums_columns(sheet, "contended", "Waits", "Time", "Longest", IN_ALL);
	unfinished_column(report, sheet);
	sums_columns(sheet, "idle", "Idle waits", "Idle time", "", idle_flags(report));
	sheet_add(sheet, NULL, "lock", "Longest for", IN_TEXT | COLUMN_LEFT);
	sheet_add(sheet, NULL, "lock", "", IN_DATA);
	sheet_add(sheet, "holder", "thread", "Held by", IN_ALL | COLUMN_LEFT);
	sheet_add(sheet, "holder", "method", "There", IN_ALL | COLUMN_LEFT);
	sheet_add(sheet, NULL, "thread", "", IN_DATA);
	sheet_add_name(sheet, "Thread");
}

static void pairs_fill(struct report *report, uint32_t item, struct cell *cells)
{
	const struct locks_view *view = report->data;
	const struct group *group = &view->group[item];
	const char *thread = thread_name(report, group->key.thread);
	uint32_t lock = view->row[group->worst].lock;

	cells = sums_cells(cells, &group->contended);
	*cells++ = cell_number(group->unfinished);
	cells = sums_cells(cells, &group->idle);
	*cells++ = lock_short(report, lock);
	*cells++ = lock_long(report, lock);
	*cells++ = cell_text(thread_name(report, group->key.holder_thread));
	*cells++ = method_name(report, group->holder_method);
	*cells++ = cell_text(thread);
	*cells = cell_text(thread ? thread : "(others)");
}

static int open_pairs(struct report *report)
{
	return open_groups(report, key_by_pair);
}

const struct view view_wait_pairs = {
	.name = "wait-pairs",
	.meaning = "which threads waited for which (traces=locks)",
	.by = BY_CALLS,
	.sort = "contended.ns",
	.columns = pairs_columns,
	.open = open_pairs,
	.fill = pairs_fill,
	.rows = rows,
};

/* ---- the longest ones ---- */

static void long_columns(struct report *report)
{
	struct sheet *sheet = &report->sheet;

	sheet_add(sheet, NULL, "begin", "Begin", IN_ALL | COLUMN_TIME | COLUMN_RISING);
	sheet_add(sheet, NULL, "ns", "Time", IN_ALL | COLUMN_TIME);
	sheet_add(sheet, NULL, "ended", "Ended",
		(report->model->profile->unfinished_wait_count > 0 ? IN_ALL : IN_DATA) |
			COLUMN_LEFT);
	sheet_add(sheet, NULL, "kind", "Kind", IN_ALL | COLUMN_LEFT);
	sheet_add(sheet, NULL, "thread", "Thread", IN_ALL | COLUMN_LEFT);
	sheet_add(sheet, NULL, "method", "Waits in", IN_ALL | COLUMN_LEFT);
	sheet_add(sheet, NULL, "path", "", IN_JSON);
	lock_columns(sheet);
	sheet_add(sheet, "holder", "thread", "Held by", IN_ALL | COLUMN_LEFT);
	sheet_add(sheet, "holder", "method", "There", IN_ALL | COLUMN_LEFT);
	sheet_add(sheet, "holder", "path", "", IN_JSON);
	sheet_add_name(sheet, "Lock");
}

/* The longest ones, and behind them those that are unfinished. */
static const struct profile_wait *long_wait(const struct profile *profile, size_t item)
{
	return item < profile->long_wait_count
		       ? &profile->long_wait[item]
		       : &profile->unfinished_wait[item - profile->long_wait_count];
}

static void long_fill(struct report *report, uint32_t item, struct cell *cells)
{
	const struct profile *profile = report->model->profile;
	const struct profile_wait *wait = long_wait(profile, item);

	*cells++ = cell_number(wait->begin);
	*cells++ = cell_number(wait->ns);
	*cells++ = cell_bool(item < profile->long_wait_count);
	*cells++ = cell_text(account_kind_names[wait->kind]);
	*cells++ = cell_text(thread_name(report, wait->thread));
	*cells++ = method_name(report, method_of(profile, wait->node));
	*cells++ = path_cell(report, wait->node);
	cells = lock_cells(report, cells, wait->lock);
	*cells++ = cell_text(thread_name(report, wait->holder_thread));
	*cells++ = method_name(report, method_of(profile, wait->holder));
	*cells++ = path_cell(report, wait->holder);
	*cells = lock_short(report, wait->lock);
}

/* Contended ones; idle ones are long by themselves. */
static int open_long(struct report *report)
{
	const struct profile *profile = report->model->profile;
	struct locks_view *view = report_room(report, 1, struct locks_view);
	size_t waits = profile->long_wait_count + profile->unfinished_wait_count, count = 0;
	uint32_t *items = report_room(report, waits, uint32_t);

	report->data = view;
	if (report->model->store->failed)
		return -1;
	view->chosen = choose_paths(report);
	if (make_rows(report, view) < 0)
		return -1;
	for (size_t i = view->finished; i < view->rows; i++)
		if (is_chosen(report, view, view->row[i].thread, view->row[i].holder_thread,
			    view->row[i].node, view->row[i].holder))
			add_to(all_of(view, &view->row[i], true), &view->row[i]);
	for (size_t i = 0; i < waits; i++) {
		const struct profile_wait *wait = long_wait(profile, i);

		if ((wait->kind == LOCKS_BLOCK || wait->holder_thread) &&
			is_chosen(report, view, wait->thread, wait->holder_thread, wait->node,
				wait->holder))
			items[count++] = (uint32_t)i;
	}
	return report_list(report, items, count);
}

const struct view view_long_waits = {
	.name = "long-waits",
	.meaning = "the longest waits for locks that others held (traces=locks)",
	.by = BY_CALLS,
	.sort = "ns",
	.columns = long_columns,
	.open = open_long,
	.fill = long_fill,
	.rows = rows,
};

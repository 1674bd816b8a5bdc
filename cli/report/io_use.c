/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* io_use: see io_use.h. */
#include "cli/report/io_use.h"

#include <stdlib.h>

static const enum io_part part_of[IO_OPS] = {
	[IO_OPEN] = IO_PART_OTHERS,
	[IO_CLOSE] = IO_PART_OTHERS,
	[IO_READ] = IO_PART_READS,
	[IO_WRITE] = IO_PART_WRITES,
	[IO_RECEIVE] = IO_PART_RECEIVED,
	[IO_SEND] = IO_PART_SENT,
	[IO_CONNECT] = IO_PART_OTHERS,
	[IO_ACCEPT] = IO_PART_OTHERS,
	[IO_DELETE] = IO_PART_OTHERS,
	[IO_MOVE] = IO_PART_OTHERS,
	[IO_MAP] = IO_PART_OTHERS,
	[IO_SYNC] = IO_PART_OTHERS,
	[IO_RESOLVE] = IO_PART_OTHERS,
};

/* As groups of base and of cum, in that order. */
static const char *const part_name[IO_PARTS][2] = {
	{"base.all", "cum.all"},
	{"base.reads", "cum.reads"},
	{"base.writes", "cum.writes"},
	{"base.received", "cum.received"},
	{"base.sent", "cum.sent"},
	{"base.others", "cum.others"},
};

/* ---- what is wanted ---- */

/* The nodes of paths through a wanted method, by position; NULL: all, or (*failed) no memory. */
static bool *nodes_through(const struct report *report, bool *failed)
{
	const struct profile *profile = report->profile;
	const struct pattern_list *methods = &report->request->methods;
	bool *through;

	*failed = false;
	if (methods->count == 0)
		return NULL;
	through = calloc(profile->node_count + 1, sizeof(*through));
	*failed = through == NULL;
	for (size_t t = 0; through != NULL && t < profile->thread_count; t++) {
		size_t first = profile->thread_first[t];

		for (size_t i = first + 1; i < profile->thread_first[t + 1]; i++) {
			const struct profile_method *method =
				&profile->method[profile->node[i].method];

			through[i] = through[first + profile->node[i].parent];
			for (size_t p = 0; p < methods->count && !through[i]; p++)
				through[i] = method->class_name != NULL &&
					pattern_match_method(methods->pattern[p],
						method->class_name, method->name);
		}
	}
	return through;
}

static bool path_is_wanted(const struct report *report, const struct profile_io *io)
{
	const struct pattern_list *paths = &report->request->paths;
	const struct profile_file *file;

	if (paths->count == 0)
		return true;
	if (io->file == 0)
		return false;
	file = &report->profile->file[io->file - 1];
	return pattern_list_match(paths, file->name) ||
	       (file->peer != NULL && pattern_list_match(paths, file->peer));
}

bool *io_wanted(const struct report *report)
{
	const struct profile *profile = report->profile;
	bool failed, *through = nodes_through(report, &failed);
	bool *wanted = failed ? NULL : calloc(profile->io_count + 1, sizeof(*wanted));

	for (size_t i = 0; wanted != NULL && i < profile->io_count; i++) {
		const struct profile_io *io = &profile->io[i];
		size_t thread = (size_t)profile_thread_find(profile, io->thread);

		wanted[i] = report->selected[thread] && path_is_wanted(report, io) &&
			    (through == NULL ||
				    through[profile->thread_first[thread] + io->node]);
	}
	free(through);
	return wanted;
}

/* ---- sums ---- */

static void add(struct io_amount *amount, uint64_t ops, uint64_t bytes, uint64_t ns)
{
	amount->ops += ops;
	amount->bytes += bytes;
	amount->ns += ns;
}

void io_use_add(struct io_use *use, const struct profile_io *io)
{
	add(&use->part[IO_PART_ALL], io->ops, io->bytes, io->ns);
	add(&use->part[part_of[io->op]], io->ops, io->bytes, io->ns);
}

void io_use_join(struct io_use *use, const struct io_use *more)
{
	for (int i = 0; i < IO_PARTS; i++)
		add(&use->part[i], more->part[i].ops, more->part[i].bytes, more->part[i].ns);
}

static void sum_up(const struct profile *profile, struct io_use *cum)
{
	for (size_t t = 0; t < profile->thread_count; t++) {
		size_t first = profile->thread_first[t];

		/* Children stand behind their parents. */
		for (size_t i = profile->thread_first[t + 1]; i-- > first + 1;)
			io_use_join(&cum[first + profile->node[i].parent], &cum[i]);
	}
}

/* What is charged to entries is charged to their archives, too. */
static bool is_entry(const struct profile *profile, const struct profile_io *io)
{
	return io->file != 0 && profile->file[io->file - 1].kind == IO_ENTRY;
}

int io_use_of_nodes(const struct report *report, struct io_use **base, struct io_use **cum)
{
	const struct profile *profile = report->profile;
	bool *wanted = io_wanted(report);

	*base = calloc(profile->node_count + 1, sizeof(**base));
	*cum = calloc(profile->node_count + 1, sizeof(**cum));
	if (wanted == NULL || *base == NULL || *cum == NULL) {
		free(wanted);
		return -1;
	}
	for (size_t i = 0; i < profile->io_count; i++) {
		const struct profile_io *io = &profile->io[i];
		size_t thread = (size_t)profile_thread_find(profile, io->thread);
		size_t node = profile->thread_first[thread] + io->node;

		if (!wanted[i] || is_entry(profile, io))
			continue;
		io_use_add(&(*base)[node], io);
		io_use_add(&(*cum)[node], io);
	}
	sum_up(profile, *cum);
	free(wanted);
	return 0;
}

/* ---- columns ---- */

unsigned io_use_column(struct report *report, const char *group, const char *heading,
	unsigned flags)
{
	struct sheet *sheet = &report->sheet;
	unsigned first = sheet_add(sheet, group, "ops", heading, flags, PLACE_FIRST);

	sheet_add(sheet, group, "bytes", "Bytes", flags, PLACE_FIRST);
	sheet_add(sheet, group, "ns", "Time", flags | COLUMN_TIME, PLACE_FIRST);
	sheet->column[first + 2].unit = "ms";
	return first;
}

void io_use_columns(struct report *report)
{
	for (int cum = 0; cum < 2; cum++) {
		for (enum io_part part = 0; part < IO_PARTS; part++) {
			const char *heading = part != IO_PART_ALL ? ""
					      : cum               ? "Total"
								  : "Self";

			io_use_column(report, part_name[part][cum], heading,
				(part == IO_PART_ALL ? IN_ALL : IN_DATA) |
					(cum ? 0 : COLUMN_SUM));
		}
	}
}

struct cell *io_use_cells(struct cell *cells, const struct io_amount *amount)
{
	*cells++ = cell_number(amount->ops);
	*cells++ = cell_number(amount->bytes);
	*cells++ = cell_number(amount->ns);
	return cells;
}

struct cell *io_use_all_cells(
	struct cell *cells, const struct io_use *base, const struct io_use *cum)
{
	for (int part = 0; part < IO_PARTS; part++)
		cells = io_use_cells(cells, &base->part[part]);
	for (int part = 0; part < IO_PARTS; part++)
		cells = io_use_cells(cells, &cum->part[part]);
	return cells;
}

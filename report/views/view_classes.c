/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * view_classes: classes that were loaded while the trace was on, one by one; and class loaders, with how many classes each
 * has.
 */
#include <stdio.h>

#include "report/text/figure.h"
#include "report/views/trace_head.h"
#include "report/views/view.h"

/* By position of the loader: figures of the classes that are listed. */
struct loader_sum {
	uint64_t loaded, linked, unloaded, ns;
};

/* ---- loaders ---- */

/* The place of a loader, by its id; loader_count: there is none. */
static size_t loader_place(const struct profile *profile, uint32_t id)
{
	size_t at = 0;

	/* They are numbered from 1 on, but for those that nothing was counted of. */
	if (id > 0 && id <= profile->class_loader_count &&
		profile->class_loader[id - 1].id == id)
		return id - 1;
	while (at < profile->class_loader_count && profile->class_loader[at].id != id)
		at++;
	return at;
}

/* app (jdk.internal.loader.ClassLoaders$AppClassLoader) */
static struct cell loader_cell(struct report *report, size_t place)
{
	const struct profile *profile = report->model->profile;
	const struct profile_class_loader *loader;

	if (place == profile->class_loader_count)
		return cell_null();
	loader = &profile->class_loader[place];
	if (!loader->name)
		return cell_text(loader->class_name);
	return cell_label(store_format(
		report->model->store, "%s (%s)", loader->name, loader->class_name));
}

static void loader_columns(struct report *report)
{
	struct sheet *sheet = &report->sheet;

	sheet_add(sheet, NULL, "id", "Id", IN_DATA | COLUMN_RISING);
	sheet_add(sheet, NULL, "class", "Class", IN_DATA);
	sheet_add(sheet, NULL, "name", "Name", IN_DATA);
	sheet_add(sheet, NULL, "before", "Before", IN_ALL | COLUMN_SUM);
	sheet_add(sheet, NULL, "loaded", "Loaded", IN_ALL | COLUMN_SUM | COLUMN_SHARE);
	sheet_add(sheet, NULL, "unloaded", "Unloaded", IN_ALL | COLUMN_SUM);
	sheet_add(sheet, NULL, "alive", "There now", IN_ALL | COLUMN_SUM);
	sheet_add(sheet, NULL, "ns", "Defining", IN_ALL | COLUMN_SUM | COLUMN_TIME);
	sheet_add(sheet, NULL, "gone", "Gone", IN_ALL | COLUMN_LEFT);
	sheet_add_name(sheet, "Loader");
}

static void fill_loader(struct report *report, uint32_t item, struct cell *cells)
{
	const struct profile *profile = report->model->profile;
	const struct profile_class_loader *loader = &profile->class_loader[item];
	const struct loader_sum *sum = &((const struct loader_sum *)report->data)[item];
	bool whole = !profile->interval.from && !profile->interval.to;

	*cells++ = cell_number(loader->id);
	*cells++ = cell_text(loader->class_name);
	*cells++ = cell_text(loader->name);
	*cells++ = cell_number(loader->before);
	*cells++ = cell_number(whole ? loader->loaded : sum->loaded);
	*cells++ = cell_number(whole ? loader->unloaded : sum->unloaded);
	*cells++ = cell_number(loader->before + loader->loaded - loader->unloaded);
	*cells++ = cell_number(sum->ns);
	*cells++ = cell_bool(loader->gone);
	*cells = loader_cell(report, item);
}

static bool is_within(const struct profile_interval *interval, int64_t at)
{
	return at != PROFILE_NOT_KNOWN && at >= (int64_t)interval->begin &&
	       (!interval->to || at < (int64_t)interval->end);
}

static int open_loaders(struct report *report)
{
	const struct profile *profile = report->model->profile;
	struct loader_sum *sums =
		report_room(report, profile->class_loader_count, struct loader_sum);

	if (!sums)
		return -1;
	report->data = sums;
	for (size_t i = 0; i < profile->class_count; i++) {
		const struct profile_class *class = &profile->class[i];
		size_t at = loader_place(profile, class->loader);

		if (at == profile->class_loader_count)
			continue;
		sums[at].loaded += is_within(&profile->interval, class->loaded);
		sums[at].unloaded += is_within(&profile->interval, class->unloaded);
		if (class->ns != PROFILE_NOT_KNOWN)
			sums[at].ns += (uint64_t) class->ns;
	}
	return report_list_shares(report, NULL, profile->class_loader_count);
}

/* ---- what stands above the rows ---- */

static void say(struct report *report, struct sink *sink)
{
	const struct profile *profile = report->model->profile;
	static const char *const times[][2] = {
		{"classes.time.loading", "loading"},
		{"classes.time.linking", "linking"},
		{"classes.time.verifying", "of that verifying"},
		{"classes.time.initializing", "initializing"},
	};
	char text[300] = "";
	size_t used = 0;

	trace_head(report, sink, TRACE_CLASSES);
	for (size_t i = 0; i < sizeof(times) / sizeof(*times); i++) {
		uint64_t ns = profile_meta_number(profile, times[i][0]);

		if (ns > 0 && used < sizeof(text))
			used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s %s",
				used ? ", " : "", times[i][1],
				figure_text(FIGURE_TIME, ns).text);
	}
	if (used > 0)
		sink_title(sink, "by the JVM's own counters, all threads, whole recording: %s",
			text);
}

static void rows(struct report *report, struct sink *sink)
{
	say(report, sink);
	report_rows(report, sink);
}

const struct view view_class_loaders = {
	.name = "class-loaders",
	.meaning = "classes by loader: there before, loaded, unloaded",
	.is_long = true,
	.sort = "loaded",
	.classes = true,
	.columns = loader_columns,
	.open = open_loaders,
	.fill = fill_loader,
	.rows = rows,
};

/* ---- classes ---- */

static void class_columns(struct report *report)
{
	struct sheet *sheet = &report->sheet;

	sheet_add(sheet, NULL, "id", "Id", IN_DATA | COLUMN_RISING);
	sheet_add(sheet, NULL, "class", "Class", IN_DATA);
	sheet_add(sheet, NULL, "loader_id", "Loader", IN_DATA | COLUMN_RISING);
	sheet_add(sheet, NULL, "loaded", "Loaded", IN_ALL | COLUMN_TIME | COLUMN_RISING);
	sheet_add(sheet, NULL, "linked", "Linked", IN_ALL | COLUMN_TIME | COLUMN_RISING);
	sheet_add(sheet, NULL, "initialized", "Initialized",
		IN_ALL | COLUMN_TIME | COLUMN_RISING);
	sheet_add(sheet, NULL, "unloaded", "Unloaded", IN_ALL | COLUMN_TIME | COLUMN_RISING);
	sheet_add(sheet, NULL, "ns", "Defining", IN_ALL | COLUMN_TIME | COLUMN_SUM);
	sheet_add(sheet, NULL, "loader", "Loader", IN_ALL | COLUMN_LEFT);
	sheet_add_name(sheet, "Class");
}

static struct cell time_cell(int64_t at)
{
	return at == PROFILE_NOT_KNOWN ? cell_null() : cell_number(at < 0 ? 0 : (uint64_t)at);
}

static void fill_class(struct report *report, uint32_t item, struct cell *cells)
{
	const struct profile *profile = report->model->profile;
	const struct profile_class *class = &profile->class[item];
	const char *name = profile->method[class->name].class_name;
	struct cell name_cell = name ? cell_label(report->model->method[class->name].class_name)
				     : cell_text("(not known)");

	*cells++ = cell_number(class->id);
	*cells++ = name_cell;
	*cells++ = cell_number(class->loader);
	*cells++ = time_cell(class->loaded);
	*cells++ = time_cell(class->linked);
	*cells++ = time_cell(class->initialized);
	*cells++ = time_cell(class->unloaded);
	*cells++ = time_cell(class->ns);
	*cells++ = loader_cell(report, loader_place(profile, class->loader));
	*cells = name_cell;
}

static int open_classes(struct report *report)
{
	return report_list(report, NULL, report->model->profile->class_count);
}

const struct view view_classes = {
	.name = "classes",
	.meaning = "classes that were loaded, and when; traces=classes",
	.is_long = true,
	.sort = "ns",
	.classes = true,
	.columns = class_columns,
	.open = open_classes,
	.fill = fill_class,
	.rows = rows,
};

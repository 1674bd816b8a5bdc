/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* markers: snapshots, resets and marks, and the interval between two of them that a user means. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile/reader.h"

/* So many bytes of a message list the labels that there are. */
#define LIST_BYTES 600

/* ---- reading ---- */

/* Labels of resets are numbers of their own. */
static int check_snapshot(struct reader *reader, void *record, size_t i)
{
	struct profile_snapshot *snapshot = record;

	if (snapshot->kind == SNAPSHOT_RESET)
		snapshot->label =
			store_format(&reader->owned->store, "reset%zu", ++reader->resets).text;
	else if (!snapshot->label)
		snapshot->label = "";
	return reader->owned->store.failed ? reader_no_memory(reader) : 0;
}

/* Marks may be many: memory only for those that are wanted. */
int markers_read(struct reader *reader, bool marks)
{
	static const struct reader_list snapshots = READER_LIST(TABLE_SNAPSHOT, snapshot,
		.key = "snapshot id", .least = 1, .most = UINT32_MAX, .check = check_snapshot);
	static const struct reader_list all_marks =
		READER_LIST(TABLE_MARK, mark, .check = NULL);
	static const struct reader_list periods = READER_LIST(TABLE_TRACE_PERIOD, trace_period,
		.key = "period of a trace", .least = 1, .most = UINT32_MAX, .check = NULL);
	int status = reader_read(reader, &snapshots);

	if (status == 0)
		status = reader_read(reader, &periods);
	if (status == 0 && marks)
		return reader_read(reader, &all_marks);
	return status == 0 ? reader_count_rows(reader, TABLE_MARK, &reader->profile->mark_count)
			   : status;
}

/* ---- choosing ---- */

/* The snapshot of that label; a reset only if there is none. NULL: neither. */
static const struct profile_snapshot *find(
	const struct profile *profile, const char *label, size_t length)
{
	const struct profile_snapshot *reset = NULL;

	for (size_t i = 0; i < profile->snapshot_count; i++) {
		const struct profile_snapshot *snapshot = &profile->snapshot[i];

		if (strlen(snapshot->label) != length ||
			memcmp(snapshot->label, label, length) != 0)
			continue;
		if (snapshot->kind == SNAPSHOT_NAMED)
			return snapshot;
		reset = snapshot;
	}
	return reset;
}

static int unknown(const struct profile *profile, const char *shown, const char *label,
	size_t length, struct error *error)
{
	char list[LIST_BYTES] = "";
	size_t used = 0;

	if (profile->snapshot_count == 0)
		return error_set(error, ERROR_MISSING, "'%s' has no snapshots", shown);
	for (size_t i = 0; i < profile->snapshot_count; i++) {
		const struct profile_snapshot *snapshot = &profile->snapshot[i];

		if (used + strlen(snapshot->label) + 64 > sizeof list) {
			snprintf(list + used, sizeof list - used, ", ... (%zu in all)",
				profile->snapshot_count);
			break;
		}
		used += (size_t)snprintf(list + used, sizeof list - used,
			"%s%s (at %" PRIu64 ".%03u s)", i ? ", " : "", snapshot->label,
			snapshot->at / 1000000000, (unsigned)(snapshot->at / 1000000 % 1000));
	}
	return error_set(error, ERROR_MISSING, "'%s' has no snapshot '%.*s'; it has: %s", shown,
		(int)(length < 100 ? length : 100), label, list);
}

/* Takes the dots at that place of the text for those between the labels. True if there are
 * such snapshots. */
static bool split(struct profile *profile, const char *text, const char *dots)
{
	struct profile_interval *interval = &profile->interval;
	size_t before = (size_t)(dots - text), after = strlen(dots + 2);

	interval->from = find(profile, text, before);
	interval->to = find(profile, dots + 2, after);
	return (interval->from || before == 0) && (interval->to || after == 0);
}

/* A label may begin or end with a dot: every ".." of the text is tried. */
static int parse(
	struct profile *profile, const char *shown, const char *text, struct error *error)
{
	const char *first = strstr(text, ".."), *dots = first;

	if (!first)
		return error_set(error, ERROR_USAGE,
			"'%s' is no interval: say A..B, A.. (to the end) or ..B (from the "
			"beginning)",
			error_subject(text).text);
	while (dots && !split(profile, text, dots))
		dots = strstr(dots + 1, "..");
	if (dots)
		return 0;
	split(profile, text, first);
	if (!profile->interval.from && first > text)
		return unknown(profile, shown, text, (size_t)(first - text), error);
	return unknown(profile, shown, first + 2, strlen(first + 2), error);
}

int markers_choose(
	struct profile *profile, const char *shown, const char *text, struct error *error)
{
	struct profile_interval *interval = &profile->interval;
	const char *flushed = profile_meta_get(profile, "flushed_ns");
	int status = text ? parse(profile, shown, text, error) : 0;

	if (status < 0)
		return status;
	for (size_t i = 0; i < profile->snapshot_count && !text; i++)
		if (profile->snapshot[i].kind == SNAPSHOT_RESET)
			interval->from = &profile->snapshot[i];
	if (interval->from && interval->to && interval->to <= interval->from)
		return error_set(error, ERROR_VALUE, "'%s' is not before '%s' in '%s'",
			interval->from->label, interval->to->label, shown);
	interval->begin = interval->from ? interval->from->at : 0;
	/* When the counts of the last state were taken; 0: not known. */
	if (!flushed)
		flushed = profile_meta_get(profile, "duration_ns");
	interval->end = flushed ? strtoull(flushed, NULL, 10) : 0;
	if (interval->to)
		interval->end = interval->to->at;
	return 0;
}

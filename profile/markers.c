/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* markers: snapshots, resets and marks, and the interval between two of them that a user means. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile/moment.h"
#include "profile/reader.h"

/* ---- reading ---- */

static int check_snapshot(struct reader *reader, void *record, size_t i)
{
	struct profile_snapshot *snapshot = record;

	if (!snapshot->label)
		snapshot->label = "";
	return 0;
}

/* What it begins with stands apart, and is called so: there is nothing before. */
static int begin_session(struct reader *reader, const struct profile_session *session)
{
	struct profile *profile = reader->profile;
	size_t place = PLACE_OF(profile, snapshot, KEY_U32, session->snapshot);
	struct profile_snapshot *begin;

	if (session->snapshot == 0)
		return 0;
	if (place == ROWS_NONE)
		return read_damaged(reader->source, "the begin of its session is missing");
	begin = store_room(&reader->owned->store, 1, sizeof *begin);
	if (!begin)
		return reader_no_memory(reader);
	*begin = profile->snapshot[place];
	begin->label = "(begin)";
	reader->owned->begin = begin;
	return 0;
}

/* Snapshots of other sessions, and of before. Begins of sessions are no snapshots of their users'. */
static void drop_others(struct profile *profile)
{
	const struct profile_session *session = profile->session;
	size_t kept = 0;

	for (size_t i = 0; i < profile->snapshot_count; i++) {
		const struct profile_snapshot *snapshot = &profile->snapshot[i];

		if (snapshot->kind == SNAPSHOT_SESSION ||
			(session && ((snapshot->session && snapshot->session != session->id) ||
					    snapshot->id < session->snapshot)))
			continue;
		profile->snapshot[kept++] = *snapshot;
	}
	profile->snapshot_count = kept;
}

/* Labels of resets are numbers of their own. */
static int name_resets(struct reader *reader)
{
	struct profile *profile = reader->profile;
	size_t resets = 0;

	for (size_t i = 0; i < profile->snapshot_count; i++)
		if (profile->snapshot[i].kind == SNAPSHOT_RESET)
			profile->snapshot[i].label =
				store_format(&reader->owned->store, "reset%zu", ++resets).text;
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

	if (status == 0 && reader->profile->session)
		status = begin_session(reader, reader->profile->session);
	drop_others(reader->profile);
	if (status == 0)
		status = name_resets(reader);
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

void markers_list(const struct profile *profile, char *list, size_t size)
{
	size_t used = 0;

	list[0] = '\0';
	for (size_t i = 0; i < profile->snapshot_count; i++) {
		const struct profile_snapshot *snapshot = &profile->snapshot[i];

		if (used + strlen(snapshot->label) + 64 > size) {
			snprintf(list + used, size - used, ", ... (%zu in all)",
				profile->snapshot_count);
			break;
		}
		used += (size_t)snprintf(list + used, size - used,
			"%s%s (at %" PRIu64 ".%03u s)", i ? ", " : "", snapshot->label,
			snapshot->at / 1000000000, (unsigned)(snapshot->at / 1000000 % 1000));
	}
}

static int unknown(struct reader *reader, const char *label, size_t length)
{
	const struct profile *profile = reader->profile;
	const char *shown = reader->source->place.shown;
	char list[MARKERS_LIST_BYTES];

	if (profile->snapshot_count == 0)
		return error_set(
			reader->source->error, ERROR_MISSING, "'%s' has no snapshots", shown);
	markers_list(profile, list, sizeof list);
	return error_set(reader->source->error, ERROR_MISSING,
		"'%s' has no snapshot '%.*s'; it has: %s", shown,
		(int)(length < 100 ? length : 100), label, list);
}

/* One end of an interval. */
struct end {
	const struct profile_snapshot *snapshot; /* NULL: it is none */
	uint64_t time; /* ns since the session began; UINT64_MAX: it is none, or not named */
	bool is_time, known;
};

/* A label, or, where no snapshot has it, a time behind an '@'. */
static struct end find_end(const struct profile *profile, const char *text, size_t length)
{
	struct end end = {.snapshot = find(profile, text, length), .time = UINT64_MAX};

	if (end.snapshot)
		end.time = end.snapshot->at;
	else if (length > 1 && text[0] == '@')
		end.is_time = moment_read(profile, text + 1, length - 1, &end.time);
	end.known = end.snapshot || end.is_time || length == 0;
	return end;
}

/* Takes the dots at that place of the text for those between the ends. True if there are such snapshots, or they are
 * times. */
static bool split(
	const struct profile *profile, const char *text, const char *dots, struct end *ends)
{
	ends[0] = find_end(profile, text, (size_t)(dots - text));
	ends[1] = find_end(profile, dots + 2, strlen(dots + 2));
	return ends[0].known && ends[1].known;
}

static int not_a_time(struct reader *reader, const char *text, size_t length)
{
	char shown[64];

	snprintf(shown, sizeof shown, "%.*s", (int)(length < 40 ? length : 40), text);
	return error_set(reader->source->error, ERROR_USAGE,
		"'%s' is no time: say " MOMENT_LIKE, error_subject(shown).text);
}

/* A label may begin or end with a dot: every ".." of the text is tried. */
static int parse(struct reader *reader, const char *text, struct end *ends)
{
	const char *first = strstr(text, ".."), *dots = first, *wrong;
	size_t length;

	if (!first)
		return error_set(reader->source->error, ERROR_USAGE,
			"'%s' is no interval: say A..B, A.. (to the end) or ..B (from the "
			"beginning)",
			error_subject(text).text);
	while (dots && !split(reader->profile, text, dots, ends))
		dots = strstr(dots + 1, "..");
	if (dots)
		return 0;
	split(reader->profile, text, first, ends);
	wrong = ends[0].known ? first + 2 : text;
	length = ends[0].known ? strlen(wrong) : (size_t)(first - text);
	return wrong[0] == '@' ? not_a_time(reader, wrong + 1, length - 1)
			       : unknown(reader, wrong, length);
}

int markers_choose(struct reader *reader, const char *text)
{
	struct profile *profile = reader->profile;
	struct profile_interval *interval = &profile->interval;
	const char *flushed = profile_meta_get(profile, "flushed_ns");
	struct end ends[2] = {{.time = UINT64_MAX}, {.time = UINT64_MAX}};
	int status = text ? parse(reader, text, ends) : 0;

	if (status < 0)
		return status;
	for (size_t i = 0; i < profile->snapshot_count && !text; i++)
		if (profile->snapshot[i].kind == SNAPSHOT_RESET)
			ends[0].snapshot = &profile->snapshot[i];
	/* When the counts of the last state were taken; 0: not known. */
	if (!flushed)
		flushed = profile_meta_get(profile, "duration_ns");
	interval->end = flushed ? strtoull(flushed, NULL, 10) : 0;
	interval->by_slices = ends[0].is_time || ends[1].is_time;
	interval->asked[0] = ends[0].time;
	interval->asked[1] = ends[1].time;
	if (interval->by_slices)
		return 0;
	interval->from = ends[0].snapshot ? ends[0].snapshot : reader->owned->begin;
	interval->to = ends[1].snapshot;
	if (interval->from && interval->to && interval->to->id <= interval->from->id)
		return error_set(reader->source->error, ERROR_VALUE,
			"'%s' is not before '%s' in '%s'", interval->from->label,
			interval->to->label, reader->source->place.shown);
	interval->begin = interval->from ? interval->from->at : 0;
	if (interval->to)
		interval->end = interval->to->at;
	return 0;
}

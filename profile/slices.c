/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * slices: what happened in slices of a recording's time. The counts that were read make place for the sums of
 * what the slices added, so that an interval of any two times is a profile like that between two snapshots.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "profile/reader.h"

/* An end that is so near to one of a slice is that one: slices do not end at the very nanosecond. */
#define NEAR(slice) (((slice)->ended - (slice)->began) / 10)

/* ---- which there are ---- */

static int compare_slice(const void *left, const void *right)
{
	const struct profile_slice *a = left, *b = right;

	if (a->began != b->began)
		return a->began < b->began ? -1 : 1;
	return (a->ended > b->ended) - (a->ended < b->ended);
}

static void drop_before(struct profile *profile, uint64_t begin)
{
	size_t before = 0;

	while (before < profile->slice_count && profile->slice[before].ended <= begin)
		before++;
	profile->slice += before;
	profile->slice_count -= before;
}

int slices_read(struct reader *reader)
{
	static const struct reader_list list = READER_LIST(
		TABLE_SLICE, slice, .key = "slice id", .least = 1, .most = UINT32_MAX);
	struct profile *profile = reader->profile;
	int status = reader_read(reader, &list);

	reader->slices_to = INT64_MAX;
	if (status < 0 || profile->slice_count == 0)
		return status;
	qsort(profile->slice, profile->slice_count, sizeof *profile->slice, compare_slice);
	for (size_t i = 0; i < profile->slice_count; i++) {
		const struct profile_slice *slice = &profile->slice[i];

		if (slice->ended < slice->began || slice->ended > INT64_MAX ||
			(i > 0 && slice->began != slice[-1].ended))
			return read_damaged(
				reader->source, "slice %u is of no time of its own", slice->id);
	}
	if (reader->owned->begin)
		drop_before(profile, reader->owned->begin->at);
	return 0;
}

/* ---- which are meant ---- */

/* Without a slice nobody knows what happened when; but for snapshots. */
static int refuse(struct reader *reader)
{
	const struct profile *profile = reader->profile;
	char list[MARKERS_LIST_BYTES];

	if (profile->snapshot_count == 0)
		return error_set(reader->source->error, ERROR_MISSING,
			"'%s' has no counts by time: record with resolution=1s",
			reader->source->place.shown);
	markers_list(profile, list, sizeof list);
	return error_set(reader->source->error, ERROR_MISSING,
		"'%s' has no counts by time: record with resolution=1s; --snapshot A..B takes: "
		"%s",
		reader->source->place.shown, list);
}

/* A snapshot that no file has, of a time, and called so. */
static const struct profile_snapshot *moment(struct reader *reader, uint64_t at)
{
	struct store *store = &reader->owned->store;
	struct profile_snapshot *snapshot = store_room(store, 1, sizeof *snapshot);

	if (snapshot)
		*snapshot = (struct profile_snapshot){
			.label = store_format(store, "@%" PRIu64 ".%03us", at / 1000000000,
				(unsigned)(at / 1000000 % 1000))
					 .text,
			.at = at};
	return snapshot;
}

int slices_choose(struct reader *reader)
{
	struct profile *profile = reader->profile;
	struct profile_interval *interval = &profile->interval;
	const struct profile_slice *slice = profile->slice;
	size_t first = 0, last = profile->slice_count;
	uint64_t from = interval->asked[0], to = interval->asked[1], end;

	if (profile->slice_count == 0)
		return refuse(reader);
	end = slice[last - 1].ended;
	if (from != UINT64_MAX && to != UINT64_MAX && to <= from)
		return error_set(reader->source->error, ERROR_USAGE,
			"the interval ends at %.3f s, before it begins at %.3f s",
			(double)to / 1e9, (double)from / 1e9);
	if (from != UINT64_MAX && from >= end)
		return error_set(reader->source->error, ERROR_MISSING,
			"'%s' ends at %.3f s, before %.3f s", reader->source->place.shown,
			(double)end / 1e9, (double)from / 1e9);
	if (from != UINT64_MAX)
		while (first + 1 < last && slice[first].ended - NEAR(&slice[first]) <= from)
			first++;
	if (to != UINT64_MAX)
		while (last > first + 1 && to <= slice[last - 1].began + NEAR(&slice[last - 1]))
			last--;
	interval->slice = first;
	interval->slices = last - first;
	interval->begin = reader->slices_from = slice[first].began;
	interval->end = reader->slices_to = slice[last - 1].ended;
	interval->from =
		from != UINT64_MAX ? moment(reader, interval->begin) : reader->owned->begin;
	if (to != UINT64_MAX)
		interval->to = moment(reader, interval->end);
	return reader->owned->store.failed ? reader_no_memory(reader) : 0;
}

/* ---- counts ---- */

/* Where a thread's counts are: at its row, or, where that was folded, at the one that its root went to. ROWS_NONE: the
 * file does not know. */
static size_t thread_now(const struct profile *profile, uint32_t id)
{
	ptrdiff_t thread = profile_thread_find(profile, id);
	size_t root;

	if (thread >= 0)
		return (size_t)thread;
	root = profile_node_find(profile, profile->node_count, id, 0);
	return root == ROWS_NONE ? ROWS_NONE : profile->node[root].thread;
}

static int add_thread(struct reader *reader, void *record, size_t i)
{
	const struct profile_thread *added = record;
	struct profile *profile = reader->profile;
	size_t place = thread_now(profile, added->id);

	if (place == ROWS_NONE) {
		profile->interval.clamped++;
		return 0;
	}
	for (unsigned c = 0; c < PROFILE_THREAD_COUNTS; c++)
		profile->thread[place].count[c] += added->count[c];
	for (unsigned m = 0; m < profile->metric_count; m++)
		profile->thread[place].total[m] += added->total[m];
	return 0;
}

static uint64_t *base_of(struct reader *reader, const struct profile_node *node)
{
	return reader->owned->base + (node->base - reader->owned->base);
}

static int add_node(struct reader *reader, void *record, size_t i)
{
	const struct profile_slice_node *added = record;
	struct profile *profile = reader->profile;
	size_t place =
		profile_node_find(profile, profile->node_count, added->thread, added->id);
	struct profile_node *node;
	uint64_t *base;

	if (place == ROWS_NONE) {
		profile->interval.clamped++;
		return 0;
	}
	node = &profile->node[place];
	node->calls += added->calls;
	node->interpreted += added->interpreted;
	node->jitted += added->jitted;
	node->native += added->native;
	for (int t = 0; t < 4; t++)
		node->transition[t / 2][t % 2] += added->transition[t / 2][t % 2];
	base = base_of(reader, node);
	for (unsigned m = 0; m < profile->metric_count; m++) {
		base[m] += added->base[m];
		base[profile->metric_count + m] += added->spent[m];
	}
	return 0;
}

/* The place of the file that has the operations of that id, + 1; 0: it is not known. */
static uint64_t file_now(const struct profile *profile, uint64_t id)
{
	uint64_t place = PLACE_OF(profile, file, KEY_U64, id) + 1;

	for (int i = 0; i < PROFILE_FORWARDS_MAX && place && profile->file[place - 1].into; i++)
		place = profile->file[place - 1].into;
	return place;
}

static int add_account(struct reader *reader, void *record, size_t i)
{
	struct profile *profile = reader->profile;
	struct profile_account added = *(const struct profile_account *)record;
	size_t node = profile_node_find(profile, profile->node_count, added.thread, added.node);

	if (reader_check_subject(reader, &added) < 0)
		return -ERROR_FORMAT;
	if (node == ROWS_NONE) {
		profile->interval.clamped++;
		return 0;
	}
	added.node = (uint32_t)node;
	added.id = 0;
	if (account_kind_subject(added.kind) == SUBJECT_FILE)
		added.subject = file_now(profile, added.subject);
	profile->account[profile->account_count++] = added;
	return 0;
}

static int compare_account(const void *left, const void *right)
{
	const struct profile_account *a = left, *b = right;

	if (a->node != b->node)
		return a->node < b->node ? -1 : 1;
	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	return (a->subject > b->subject) - (a->subject < b->subject);
}

/* Below 0: as damaged as a count can be. */
static void not_negative(struct profile *profile, uint64_t *count)
{
	if ((int64_t)*count >= 0)
		return;
	*count = 0;
	profile->interval.clamped++;
}

/* One account of what is of the same node, kind and subject; those that came to nothing are gone. */
static void sum_accounts(struct profile *profile)
{
	size_t sums = 0;

	qsort(profile->account, profile->account_count, sizeof *profile->account,
		compare_account);
	for (size_t i = 0, next; i < profile->account_count; i = next) {
		struct profile_account sum = profile->account[i];

		for (next = i + 1; next < profile->account_count &&
				   compare_account(&sum, &profile->account[next]) == 0;
			next++) {
			sum.count += profile->account[next].count;
			sum.failures += profile->account[next].failures;
			sum.amount += profile->account[next].amount;
			sum.ns += profile->account[next].ns;
		}
		not_negative(profile, &sum.count);
		not_negative(profile, &sum.failures);
		not_negative(profile, &sum.amount);
		not_negative(profile, &sum.ns);
		if ((sum.count | sum.failures | sum.amount | sum.ns) != 0)
			profile->account[sums++] = sum;
	}
	profile->account_count = sums;
}

static int read_accounts(struct reader *reader)
{
	struct profile *profile = reader->profile;
	struct profile_account added = {0};
	size_t count = 0;
	int status = reader_count_rows(reader, TABLE_SLICE_ACCOUNT, &count);

	if (status < 0)
		return status;
	profile->account_count = 0;
	profile->account =
		store_room(&reader->owned->store, count + 1, sizeof *profile->account);
	if (!profile->account)
		return reader_no_memory(reader);
	status = reader_each(reader, TABLE_SLICE_ACCOUNT, add_account, &added, count);
	if (status == 0 && profile->account_count > 0)
		sum_accounts(profile);
	return status;
}

static int add_sequence(struct reader *reader, void *record, size_t i)
{
	const struct profile_slice_sequence *added = record;
	struct profile *profile = reader->profile;
	size_t place = PLACE_OF(profile, sequence, KEY_U32, added->code);
	uint64_t *sum;

	if (place == ROWS_NONE)
		return read_damaged(reader->source, "slices of an unknown sequence");
	profile->sequence[place].count += added->count;
	sum = reader->owned->sequence_values +
	      (profile->sequence[place].sum - reader->owned->sequence_values);
	for (unsigned m = 0; m < profile->metric_count; m++)
		sum[m] += added->sum[m];
	return 0;
}

static void drop_unused_sequences(struct profile *profile)
{
	size_t kept = 0;

	for (size_t i = 0; i < profile->sequence_count; i++)
		if ((int64_t)profile->sequence[i].count > 0)
			profile->sequence[kept++] = profile->sequence[i];
	profile->sequence_count = kept;
}

static void clear_counts(struct reader *reader)
{
	struct profile *profile = reader->profile;
	unsigned metrics = profile->metric_count;

	for (size_t i = 0; i < profile->node_count; i++) {
		struct profile_node *node = &profile->node[i];
		uint64_t *base = base_of(reader, node);

		node->earlier = labels_usual_state(node);
		node->calls = node->interpreted = node->jitted = node->native = 0;
		memset(node->transition, 0, sizeof node->transition);
		memset(base, 0, 2 * metrics * sizeof *base);
	}
	for (size_t t = 0; t < profile->thread_count; t++) {
		memset(profile->thread[t].count, 0, sizeof profile->thread[t].count);
		memset(profile->thread[t].total, 0, sizeof profile->thread[t].total);
	}
	for (size_t i = 0; i < profile->sequence_count; i++) {
		uint64_t *sum = reader->owned->sequence_values + 2 * i * metrics;

		profile->sequence[i].count = 0;
		memset(sum, 0, metrics * sizeof *sum);
	}
}

static void check_threads(struct profile *profile)
{
	for (size_t t = 0; t < profile->thread_count; t++) {
		struct profile_thread *thread = &profile->thread[t];

		for (unsigned c = 0; c < PROFILE_THREAD_COUNTS; c++)
			not_negative(profile, &thread->count[c]);
		for (unsigned m = 0; m < profile->metric_count && !thread->group; m++)
			not_negative(profile, &thread->total[m]);
	}
}

static int each(
	struct reader *reader, enum schema_table_id table, reader_row *row, void *record)
{
	size_t count = 0;
	int status = reader_count_rows(reader, table, &count);

	return status == 0 ? reader_each(reader, table, row, record, count) : status;
}

int slices_read_counts(struct reader *reader)
{
	struct profile *profile = reader->profile;
	struct profile_thread thread = {0};
	struct profile_slice_node node = {0};
	struct profile_slice_sequence sequence = {0};
	int status;

	clear_counts(reader);
	status = each(reader, TABLE_SLICE_THREAD, add_thread, &thread);
	if (status == 0)
		status = each(reader, TABLE_SLICE_NODE, add_node, &node);
	if (status == 0)
		status = each(reader, TABLE_SLICE_SEQUENCE, add_sequence, &sequence);
	if (status == 0)
		status = read_accounts(reader);
	if (status < 0)
		return status;
	/* What is kept of single calls is not kept by slices. */
	for (size_t i = 0; i < profile->distribution_count; i++)
		profile->distribution[i].count = 0;
	check_threads(profile);
	drop_unused_sequences(profile);
	if (interval_settle(profile, reader->owned->base) != 0)
		return reader_no_memory(reader);
	for (size_t i = 0; i < profile->node_count; i++)
		if (profile->node[i].calls > 0)
			profile->node[i].earlier = 0;
	return 0;
}

/* ---- what threads did in each ---- */

enum use_statement { USE_THREADS, USE_CALLS, USE_ACCOUNTS, USE_STATEMENTS };

/* Entries of archives are in what the archive was used for, too. Of calls that were counted the subject is a method,
 * of samples a place: its condition and its state. */
static const char *const use_sql[USE_STATEMENTS] = {
	[USE_CALLS] = "SELECT id >> 32, sum(calls) FROM slice_node WHERE slice = ? GROUP BY 1",
	[USE_ACCOUNTS] =
		"SELECT node >> 32, kind, subject & 255, sum(count), sum(amount), sum(ns), "
		"subject "
		"FROM slice_account a WHERE slice = ? AND (kind IN ('sample', 'call') OR "
		"coalesce((SELECT f.kind FROM file f WHERE f.id = a.subject), '') <> 'entry') "
		"GROUP BY 1, kind, CASE kind WHEN 'sample' THEN subject & 255 WHEN 'call' THEN "
		"subject END",
};

/* Where some methods are others', and some nodes parts of methods that count their calls, too, each node is looked at. */
static const char node_calls[] = "SELECT id >> 32, calls, id & 4294967295 FROM slice_node "
				 "WHERE slice = ? AND calls > 0";

struct uses {
	struct reader *reader;
	sqlite3_stmt *statement[USE_STATEMENTS];
	struct profile_slice_use *of; /* by the thread's place, of the slice under way */
	struct profile_slice_use *list;
	size_t count, room;
};

static uint64_t number(sqlite3_stmt *statement, int at)
{
	return (uint64_t)sqlite3_column_int64(statement, at);
}

/* What the thread of that id did, or NULL: the file does not know it. */
static struct profile_slice_use *use_of(struct uses *uses, uint64_t id)
{
	const struct profile *profile = uses->reader->profile;
	size_t place = id <= UINT32_MAX ? thread_now(profile, (uint32_t)id) : ROWS_NONE;
	ptrdiff_t group = place == ROWS_NONE || !profile->thread[place].group
				  ? -1
				  : profile_thread_find(profile, profile->thread[place].group);

	if (place == ROWS_NONE)
		return NULL;
	return &uses->of[group >= 0 ? (size_t)group : place];
}

static void add_totals(struct uses *uses, struct profile_slice_use *use)
{
	sqlite3_stmt *statement = uses->statement[USE_THREADS];

	for (unsigned m = 0; m < uses->reader->profile->metric_count; m++)
		use->total[m] += number(statement, 1 + (int)m);
}

static bool looks_at_nodes(const struct owned_profile *owned)
{
	return owned->view || owned->profile.value_count > 0;
}

/* node: its place, or ROWS_NONE. */
static bool has_own_calls(const struct owned_profile *owned, size_t node)
{
	const struct profile_node *of;

	if (node == ROWS_NONE)
		return !owned->view;
	of = &owned->profile.node[node];
	return of->value == 0 && (!owned->view || sessions_count_calls(owned, of->method));
}

static void add_calls(struct uses *uses, struct profile_slice_use *use)
{
	sqlite3_stmt *statement = uses->statement[USE_CALLS];
	const struct owned_profile *owned = uses->reader->owned;
	const struct profile *profile = &owned->profile;

	if (looks_at_nodes(owned) &&
		!has_own_calls(owned, profile_node_find(profile, profile->node_count,
					      (uint32_t)number(statement, 0),
					      (uint32_t)number(statement, 2))))
		return;
	use->calls += number(statement, 1);
}

static void add_accounts(struct uses *uses, struct profile_slice_use *use)
{
	enum { KIND = 1, PLACE, COUNT, AMOUNT, NS, SUBJECT };
	sqlite3_stmt *statement = uses->statement[USE_ACCOUNTS];
	const struct owned_profile *owned = uses->reader->owned;
	uint64_t subject = number(statement, SUBJECT);
	const char *name = (const char *)sqlite3_column_text(statement, KIND);
	uint64_t place = number(statement, PLACE);
	int kind = 0;

	while (kind < ACCOUNT_KINDS && (!name || strcmp(name, account_kind_names[kind]) != 0))
		kind++;
	if (kind == CALLS) {
		if (!owned->view || (subject < owned->profile.method_count &&
					    sessions_count_calls(owned, (uint32_t)subject)))
			use->calls += number(statement, COUNT);
	} else if (kind == SAMPLES) {
		if (sample_place_state(place) != SAMPLE_JPROF)
			use->samples[sample_place_condition(place)] +=
				number(statement, AMOUNT);
	} else if (kind < (int)IO_OPS) {
		use->ops += number(statement, COUNT);
		use->bytes += number(statement, AMOUNT);
		use->io_ns += number(statement, NS);
	}
}

static bool is_used(const struct profile_slice_use *use)
{
	uint64_t used = use->calls | use->ops | use->bytes | use->io_ns;

	for (unsigned i = 0; i < SAMPLE_CONDITIONS_MAX; i++)
		used |= use->samples[i];
	for (unsigned m = 0; m < PROFILE_METRIC_MAX; m++)
		used |= use->total[m];
	return used != 0;
}

/* Moves what threads did in the slice into the list. */
static int keep(struct uses *uses, uint32_t slice)
{
	const struct profile *profile = uses->reader->profile;

	for (size_t t = 0; t < profile->thread_count; t++) {
		struct profile_slice_use *use = &uses->of[t];

		if (is_used(use) && uses->count == uses->room) {
			size_t room = 2 * uses->room + 64;
			void *list = realloc(uses->list, room * sizeof *uses->list);

			if (!list)
				return reader_no_memory(uses->reader);
			uses->list = list;
			uses->room = room;
		}
		use->slice = slice;
		use->thread = profile->thread[t].id;
		if (is_used(use))
			uses->list[uses->count++] = *use;
	}
	memset(uses->of, 0, profile->thread_count * sizeof *uses->of);
	return 0;
}

static int read_slice(struct uses *uses, uint32_t slice)
{
	static void (*const add[USE_STATEMENTS])(struct uses * uses,
		struct profile_slice_use * use) = {add_totals, add_calls, add_accounts};
	int status = 0;

	for (int s = 0; s < USE_STATEMENTS && status == 0; s++) {
		sqlite3_stmt *statement = uses->statement[s];

		sqlite3_bind_int64(statement, 1, uses->reader->profile->slice[slice].id);
		while ((status = reader_next_row(uses->reader, statement)) == 1) {
			struct profile_slice_use *use = use_of(uses, number(statement, 0));

			if (use)
				add[s](uses, use);
		}
		sqlite3_reset(statement);
	}
	return status == 0 ? keep(uses, slice) : status;
}

static int prepare_uses(struct uses *uses)
{
	static const enum schema_table_id tables[] = {
		TABLE_SLICE_THREAD, TABLE_SLICE_NODE, TABLE_SLICE_ACCOUNT};
	struct read_source *source = uses->reader->source;
	sqlite3_str *sql = sqlite3_str_new(NULL);
	char *text;
	int status = 0, result = SQLITE_OK;

	sqlite3_str_appendall(sql, "SELECT id");
	for (unsigned m = 0; m < uses->reader->profile->metric_count; m++)
		sqlite3_str_appendf(sql, ", total_%u", m);
	sqlite3_str_appendall(sql, " FROM slice_thread WHERE slice = ?");
	text = sqlite3_str_finish(sql);
	for (int s = 0; s < USE_STATEMENTS && status == 0; s++) {
		const char *one = use_sql[s] ? use_sql[s] : text;

		if (s == USE_CALLS && looks_at_nodes(uses->reader->owned))
			one = node_calls;

		status = reader_check(uses->reader, tables[s]);
		if (status == 0 && one)
			result = sqlite3_prepare_v2(
				source->db, one, -1, &uses->statement[s], NULL);
		if (status == 0 && (!one || result != SQLITE_OK))
			status = one ? read_failed(source, result)
				     : reader_no_memory(uses->reader);
	}
	sqlite3_free(text);
	return status;
}

int slices_read_use(struct reader *reader)
{
	struct profile *profile = reader->profile;
	const struct profile_interval *interval = &profile->interval;
	struct uses uses = {.reader = reader,
		.of = store_room(
			&reader->owned->store, profile->thread_count + 1, sizeof *uses.of)};
	int status = uses.of ? prepare_uses(&uses) : reader_no_memory(reader);

	for (size_t i = 0; i < profile->slice_count && status == 0; i++) {
		const struct profile_slice *slice = &profile->slice[i];

		if (slice->began >= interval->begin &&
			(!interval->to || slice->ended <= interval->end))
			status = read_slice(&uses, (uint32_t)i);
	}
	for (int s = 0; s < USE_STATEMENTS; s++)
		sqlite3_finalize(uses.statement[s]);
	profile->slice_use = uses.list;
	profile->slice_use_count = uses.count;
	return status;
}

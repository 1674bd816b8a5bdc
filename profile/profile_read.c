/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * profile_read: see profile_read.h.
 *
 * The bytes may be anybody's. SQLite checks its pages; here every number is checked before it is used
 * as an index or a size.
 */
#include "profile/profile_read.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile/reader.h"

/* Methods have consecutive ids; so many may lack a row (on top of as many as have one)
 * before the file is taken for damaged, and not for a reason to allocate gigabytes. */
#define METHOD_GAP_MAX 65536

/* --- names --- */

static int check_metric(struct reader *reader, void *record, size_t i)
{
	const struct profile_metric *metric = record;

	if (metric->id != i)
		return read_damaged(reader->source, "metric %zu is missing", i);
	if (i < PROFILE_METRIC_MAX)
		reader->profile->metric[i] = *metric;
	return 0;
}

static int read_metrics(struct reader *reader)
{
	struct profile_metric metric;
	size_t count = 0;
	int status = reader_count_rows(reader, TABLE_METRIC, &count);

	if (status == 0 && count > PROFILE_METRIC_MAX)
		status = read_damaged(reader->source, "it has %zu metrics", count);
	if (status == 0)
		status = reader_each(reader, TABLE_METRIC, check_metric, &metric, count);
	if (status == 0)
		reader->profile->metric_count = (unsigned)count;
	return status;
}

static int check_method(struct reader *reader, void *record, size_t i)
{
	struct profile *profile = reader->profile;
	struct profile_method *method = record;

	(void)i;
	if (method->id >= profile->method_count)
		return read_damaged(reader->source, "method id out of range");
	if (method->id >= METHOD_FIRST && !*method->name)
		method->name = "(method without a name)";
	profile->method[method->id] = *method;
	return 0;
}

static int read_methods(struct reader *reader)
{
	struct profile *profile = reader->profile;
	struct profile_method method;
	sqlite3_int64 last = 0;
	size_t count = 0;
	int status = reader_count_rows(reader, TABLE_METHOD, &count);

	if (status == 0)
		status = reader_ask(reader, "SELECT max(id) FROM method", NULL, &last);
	if (status < 0)
		return status;
	if (last < 0 || last > (sqlite3_int64)(2 * count + METHOD_GAP_MAX) ||
		last >= UINT32_MAX)
		return read_damaged(reader->source, "%zu methods have ids up to %lld", count,
			(long long)last);
	profile->method_count = (uint32_t)last + 1;
	if (profile->method_count < METHOD_FIRST)
		profile->method_count = METHOD_FIRST;
	profile->method = store_room(
		&reader->owned->store, profile->method_count, sizeof *profile->method);
	if (!profile->method)
		return reader_no_memory(reader);
	status = reader_each(reader, TABLE_METHOD, check_method, &method, count);
	/* Methods that have no row, and the two that do not need one. */
	for (uint32_t id = 0; id < profile->method_count; id++) {
		struct profile_method *one = &profile->method[id];

		one->id = id;
		if (id == METHOD_ROOT)
			*one = (struct profile_method){.id = id};
		else if (id == METHOD_FOLDED)
			*one = (struct profile_method){.id = id, .name = PROFILE_FOLDED_NAME};
		else if (!one->name)
			one->name = "(unknown method)";
	}
	return status;
}

/* --- threads, nodes --- */

/* node.id is a signed number of 64 bits with the thread in its upper half. */
static int check_thread(struct reader *reader, void *record, size_t i)
{
	const struct profile_thread *thread = record;

	(void)i;
	return thread->id < 1 || thread->id > INT32_MAX
		       ? read_damaged(reader->source, "thread id out of range")
		       : 0;
}

static int read_threads(struct reader *reader)
{
	static const struct reader_list list = READER_LIST(TABLE_THREAD, thread, check_thread);
	const struct profile *profile = reader->profile;
	int status = reader_read(reader, &list);

	/* A part stands behind what it is a part of. */
	for (size_t i = 0; i < profile->thread_count && status == 0; i++) {
		const struct profile_thread *thread = &profile->thread[i];
		ptrdiff_t group =
			thread->group ? profile_thread_find(profile, thread->group) : 0;

		if (thread->group &&
			(group < 0 || group >= (ptrdiff_t)i || profile->thread[group].group))
			status = read_damaged(
				reader->source, "a thread is part of an unknown one");
	}
	return status;
}

/* The row's thread becomes the current one, which begins with row i of nodes; those passed over have
 * none. False: there is no such thread. */
static bool find_thread(struct reader *reader, uint32_t thread, size_t i)
{
	struct profile *profile = reader->profile;

	while (reader->position < profile->thread_count &&
		profile->thread[reader->position].id < thread)
		profile->thread_first[++reader->position] = i;
	return reader->position < profile->thread_count &&
	       profile->thread[reader->position].id == thread;
}

static int bad_node(struct reader *reader, const struct profile_node *node, const char *what)
{
	return read_damaged(reader->source, "node %llu %s",
		(unsigned long long)profile_node_id(node->thread, node->id), what);
}

/* A known thread, a parent before it, a known method. */
static int check_node(struct reader *reader, void *record, size_t i)
{
	struct profile *profile = reader->profile;
	struct profile_node *node = record;
	size_t first;

	if (!find_thread(reader, node->thread, i))
		return bad_node(reader, node, "is of an unknown thread");
	first = profile->thread_first[reader->position];
	if ((node->id == 0) != (i == first))
		return bad_node(reader, node, "stands where the root is missing");
	if (i > first) {
		size_t parent = rows_find(profile->node, i, sizeof *node, KEY_PAIR,
			profile_node_id(node->thread, node->parent));

		if (parent == ROWS_NONE)
			return bad_node(reader, node, "has an impossible parent");
		node->parent = (uint32_t)(parent - first);
	}
	if (node->method >= profile->method_count ||
		(node->method == METHOD_ROOT) != (node->id == 0))
		return bad_node(reader, node, "is of an unknown method");
	if (node->recursion > i - first)
		return bad_node(reader, node, "has an impossible recursion level");
	return 0;
}

static int read_nodes(struct reader *reader)
{
	struct profile *profile = reader->profile;
	struct reader_list list = READER_LIST(TABLE_NODE, node, check_node);
	int status;

	profile->thread_first =
		store_room(&reader->owned->store, profile->thread_count + 1, sizeof(size_t));
	if (!profile->thread_first)
		return reader_no_memory(reader);
	reader->position = 0;
	list.values = offsetof(struct owned_profile, base);
	status = reader_read(reader, &list);
	while (status == 0 && reader->position < profile->thread_count)
		profile->thread_first[++reader->position] = profile->node_count;
	return status;
}

/* --- files, accounts, records --- */

static int check_file(struct reader *reader, void *record, size_t i)
{
	const struct profile_file *file = record;

	(void)i;
	return file->id < 1 || file->id > INT64_MAX
		       ? read_damaged(reader->source, "file id out of range")
		       : 0;
}

/* Its place + 1; 0: there is none. */
static uint32_t file_place(const struct profile *profile, uint64_t id)
{
	return (uint32_t)(rows_find(profile->file, profile->file_count, sizeof *profile->file,
				  KEY_U64, id) +
			  1);
}

/* A group cannot be folded into one of its members. */
static int read_files(struct reader *reader)
{
	static const struct reader_list list = READER_LIST(TABLE_FILE, file, check_file);
	struct profile *profile = reader->profile;
	int status = reader_read(reader, &list);

	for (size_t i = 0; status == 0 && i < profile->file_count; i++)
		profile->file[i].into = file_place(profile, profile->file[i].into);
	return status;
}

/* What the reader gives out in the place of a subject's id. */
static uint64_t subject_place(
	const struct profile *profile, enum account_kind kind, uint64_t subject)
{
	switch (account_kind_subject(kind)) {
	case SUBJECT_FILE:
		return file_place(profile, subject);
	}
	return subject;
}

static int check_account(struct reader *reader, void *record, size_t i)
{
	struct profile *profile = reader->profile;
	struct profile_account *account = record;
	size_t node = profile_node_find(profile, account->thread, account->node);

	(void)i;
	if (node == ROWS_NONE)
		return read_damaged(reader->source, "an account of an unknown call path");
	account->node = (uint32_t)(node - profile->thread_first[profile_thread_find(
						  profile, account->thread)]);
	account->subject = subject_place(profile, account->kind, account->subject);
	return 0;
}

static int check_record_thread(struct reader *reader, void *record, size_t i)
{
	(void)i;
	return ((const struct profile_record_thread *)record)->id < 1
		       ? read_damaged(reader->source, "thread id out of range")
		       : 0;
}

static int check_record(struct reader *reader, void *row, size_t i)
{
	struct profile *profile = reader->profile;
	struct profile_record *record = row;

	(void)i;
	if ((uint32_t)record->kind >= ACCOUNT_KINDS)
		return read_damaged(reader->source, "a record of an unknown kind");
	record->thread =
		(uint32_t)(rows_find(profile->record_thread, profile->record_thread_count,
				   sizeof *profile->record_thread, KEY_U32, record->thread) +
			   1);
	record->subject = subject_place(profile, record->kind, record->subject);
	return 0;
}

/* --- sequences --- */

static int check_sequence(struct reader *reader, void *record, size_t i)
{
	struct profile_sequence *sequence = record;

	(void)i;
	sequence->first = sequence->begin = sequence->second = sequence->end = sequence->third =
		NULL;
	return sequence->code >= PROFILE_SEQUENCE_CODES
		       ? read_damaged(reader->source, "sequence code out of range")
		       : 0;
}

/* --- the whole --- */

static const struct reader_list meta_list = READER_LIST(TABLE_META, meta, NULL),
				forward_list = READER_LIST(TABLE_FORWARD, forward, NULL),
				account_list =
					READER_LIST(TABLE_ACCOUNT, account, check_account),
				record_thread_list = READER_LIST(TABLE_RECORD_THREAD,
					record_thread, check_record_thread),
				record_list = READER_LIST(TABLE_RECORD, record, check_record);

/* What has one state in the file, the last. */
static int read_names(struct reader *reader)
{
	/* Metrics first: the tables of threads and nodes have a column for each. */
	int status = read_metrics(reader);

	if (status == 0)
		status = reader_read(reader, &meta_list);
	if (status == 0)
		status = read_methods(reader);
	if (status == 0)
		status = read_files(reader);
	return status == 0 ? reader_read(reader, &forward_list) : status;
}

/* What snapshots have copies of: the state that the reader is set to. */
static int read_counts(struct reader *reader)
{
	struct reader_list sequences = READER_LIST(TABLE_SEQUENCE, sequence, check_sequence);
	int status = read_threads(reader);

	sequences.values = offsetof(struct owned_profile, sequence_values);
	if (status == 0)
		status = read_nodes(reader);
	if (status == 0)
		status = reader_read(reader, &account_list);
	return status == 0 ? reader_read(reader, &sequences) : status;
}

/* The counts of a snapshot, which refer to the names of the other profile. Owned by the caller
 * (profile_free), NULL after a failure. */
static struct owned_profile *read_earlier(
	const struct reader *later, uint32_t snapshot, int *status)
{
	struct owned_profile *owned = calloc(1, sizeof *owned);
	struct reader reader = *later;

	reader.snapshot = snapshot;
	if (!owned) {
		*status = reader_no_memory(&reader);
		return NULL;
	}
	owned->profile = (struct profile){.method = later->profile->method,
		.metric_count = later->profile->metric_count,
		.method_count = later->profile->method_count,
		.file = later->profile->file,
		.file_count = later->profile->file_count};
	reader.owned = owned;
	reader.profile = &owned->profile;
	*status = read_counts(&reader);
	return owned;
}

/* The counts of the interval. */
static int read_interval(struct reader *reader)
{
	struct profile *profile = reader->profile;
	const struct profile_snapshot *from = profile->interval.from,
				      *to = profile->interval.to;
	struct owned_profile *earlier;
	int status;

	reader->snapshot = to ? to->id : 0;
	status = read_counts(reader);
	if (status < 0)
		return status;
	earlier = from ? read_earlier(reader, from->id, &status) : NULL;
	if (status == 0 && from) {
		status = interval_subtract(profile, reader->owned->base, &earlier->profile);
		interval_subtract_sequences(
			profile, reader->owned->sequence_values, &earlier->profile);
	}
	profile_free(earlier ? &earlier->profile : NULL);
	if (status == 0)
		status = groups_merge(reader->owned);
	if (status == 0 && from)
		status = interval_drop_unused(profile);
	return status == -1 ? reader_no_memory(reader) : status;
}

static int read_all(struct reader *reader, const struct profile_wanted *wanted)
{
	int status = wanted->facts_alone ? reader_read(reader, &meta_list) : read_names(reader);

	if (wanted->facts_alone)
		return status;
	if (status == 0)
		status = markers_read(reader, wanted->marks);
	if (status == 0)
		status = markers_choose(reader->profile, reader->source->place.shown,
			wanted->interval, reader->source->error);
	if (status == 0)
		status = read_interval(reader);
	if (status == 0 && wanted->records)
		status = reader_read(reader, &record_thread_list);
	if (status == 0 && wanted->records)
		status = reader_read(reader, &record_list);
	if (status == 0)
		status = paths_read(reader);
	if (status == 0)
		interval_cut_records(reader->profile);
	return status;
}

int profile_open_wanted(struct profile **out, const char *path,
	const struct profile_wanted *wanted, struct error *error)
{
	struct read_source source;
	struct reader reader = {.source = &source};

	*out = NULL;
	int status = read_open(&source, path, error);
	if (status < 0)
		return status;
	reader.owned = calloc(1, sizeof *reader.owned);
	if (!reader.owned) {
		status = reader_no_memory(&reader);
	} else {
		reader.profile = &reader.owned->profile;
		status = read_all(&reader, wanted);
	}
	read_close(&source);
	if (status == 0)
		*out = reader.profile;
	else
		profile_free(reader.profile);
	return status;
}

int profile_open(struct profile **profile, const char *path, struct error *error)
{
	const struct profile_wanted wanted = {0};

	return profile_open_wanted(profile, path, &wanted, error);
}

int profile_open_records(struct profile **profile, const char *path, struct error *error)
{
	const struct profile_wanted wanted = {.records = true};

	return profile_open_wanted(profile, path, &wanted, error);
}

void profile_free(struct profile *profile)
{
	struct owned_profile *owned = (struct owned_profile *)profile;

	if (!owned)
		return;
	free(profile->path);
	store_fini(&owned->store);
	free(owned);
}

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

#include "profile/code_places.h"
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

static int check_condition(struct reader *reader, void *record, size_t i)
{
	const struct profile_condition *condition = record;

	if (condition->id == i && i < SAMPLE_CONDITIONS_MAX)
		return 0;
	return read_damaged(reader->source, "condition %zu is missing, or one too many", i);
}

static int check_method(struct reader *reader, void *record, size_t i)
{
	struct profile *profile = reader->profile;
	struct profile_method *method = record;

	if (method->id >= profile->method_count)
		return read_damaged(reader->source, "method id out of range");
	if (method->id >= METHOD_FIRST && !*method->name && method->kind != METHOD_CLASS)
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
		static const char *const names[] = {
			[METHOD_ROOT] = NULL, [METHOD_FOLDED] = PROFILE_FOLDED_NAME};
		struct profile_method *one = &profile->method[id];
		bool is_mark = id < METHOD_FIRST;

		if (is_mark || !one->name)
			*one = (struct profile_method){.id = id,
				.name = is_mark ? names[id] : "(unknown method)",
				.kind = is_mark ? METHOD_MARK : METHOD_JAVA,
				.wanted = PROFILE_SESSIONS_ALL,
				.watched = PROFILE_SESSIONS_ALL};
	}
	return status;
}

/* --- threads, nodes --- */

static int read_threads(struct reader *reader)
{
	/* node.id is a signed number of 64 bits with the thread in its upper half. */
	static const struct reader_list list = READER_LIST(
		TABLE_THREAD, thread, .key = "thread id", .least = 1, .most = INT32_MAX);
	const struct profile *profile = reader->profile;
	int status = reader_read(reader, &list);

	/* A part stands behind what it is a part of. */
	for (size_t i = 0; i < profile->thread_count && status == 0; i++) {
		uint32_t id = profile->thread[i].group;
		ptrdiff_t group = id ? profile_thread_find(profile, id) : -1;

		if (id && (group < 0 || group >= (ptrdiff_t)i || profile->thread[group].group))
			status = read_damaged(
				reader->source, "a thread is part of an unknown one");
	}
	return status;
}

/* The agent makes at most 10 labels of one call: 8 values, the tags, the line. Chains of many would take long to follow. */
enum { LABELS_IN_CHAIN = 64 };

/* What is wrong with the node's labels; NULL: nothing. parent: its place, or the node's own; those before it are checked. */
static const char *wrong_label(
	const struct profile *profile, const struct profile_node *node, size_t parent, size_t i)
{
	size_t chain = node_is_label(node);

	if ((node->line > 0) + (node->value > 0) + (node->tags > 0) > 1)
		return "is more than one label";
	if (node->value > 0 && PLACE_OF(profile, value, KEY_U32, node->value) == ROWS_NONE)
		return "has an unknown value";
	if (node->tags > PROFILE_LABEL_MAX ||
		(node->tags > 1 &&
			profile_tags_find(profile, node->tags) == profile->tag_count))
		return "has unknown tags";
	if (parent == i)
		return chain > 0 ? "is a root with a label" : NULL;
	while (chain > 0 && chain <= LABELS_IN_CHAIN && node_is_label(&profile->node[parent])) {
		parent = profile->node[parent].parent;
		chain++;
	}
	return chain > LABELS_IN_CHAIN ? "is one label of too many" : NULL;
}

/* A known thread, a parent before it, a known method. */
static int check_node(struct reader *reader, void *record, size_t i)
{
	struct profile *profile = reader->profile;
	struct profile_node *node = record;
	uint64_t id = profile_node_id(node->thread, node->id);
	const char *wrong = NULL;
	size_t first, parent = i;

	/* The node's thread becomes the current one; those passed over have no nodes. */
	while (reader->position < profile->thread_count &&
		profile->thread[reader->position].id < node->thread)
		profile->thread_first[++reader->position] = i;
	first = profile->thread_first[reader->position];
	if (i == first)
		reader->dense = 0;
	reader->dense += node->id == i - first && reader->dense == node->id;
	if (i > first && node->parent < reader->dense)
		parent = first + node->parent;
	else if (i > first)
		parent = rows_find(profile->node, i, sizeof *node, KEY_PAIR,
			profile_node_id((uint32_t)reader->position, node->parent));
	/* Samples are written by themselves: the caller may have been folded since. */
	if (parent == ROWS_NONE && node->sampled) {
		parent = profile_node_find(profile, i, node->thread, node->parent);
		if (parent < first)
			parent = ROWS_NONE;
	}
	if (reader->position == profile->thread_count ||
		profile->thread[reader->position].id != node->thread)
		wrong = "is of an unknown thread";
	else if ((node->id == 0) != (i == first))
		wrong = "stands where the root is missing";
	else if (parent == ROWS_NONE)
		wrong = "has an impossible parent";
	else if (node->method >= profile->method_count ||
		 (node->method == METHOD_ROOT && !node->tags) != (node->id == 0))
		wrong = "is of an unknown method";
	else if (i >= UINT32_MAX - 1)
		wrong = "is one more than can be read";
	else if (node->sampled != (node->id >= NODE_SAMPLED_FIRST))
		wrong = "has a number of the other kind";
	else if (node->recursion > i - first && !node->sampled)
		wrong = "has an impossible recursion level";
	else
		wrong = wrong_label(profile, node, parent, i);
	if (wrong)
		return read_damaged(
			reader->source, "node %llu %s", (unsigned long long)id, wrong);
	node->thread = (uint32_t)reader->position;
	node->parent = (uint32_t)parent;
	return 0;
}

static int read_nodes(struct reader *reader)
{
	static const struct reader_list list = READER_LIST(TABLE_NODE, node,
		.values = offsetof(struct owned_profile, base), .check = check_node);
	struct profile *profile = reader->profile;
	int status;

	profile->thread_first =
		store_room(&reader->owned->store, profile->thread_count + 1, sizeof(size_t));
	if (!profile->thread_first)
		return reader_no_memory(reader);
	reader->position = 0;
	status = reader_read(reader, &list);
	while (status == 0 && reader->position < profile->thread_count)
		profile->thread_first[++reader->position] = profile->node_count;
	return status;
}

/* --- files, accounts, records --- */

/* What the reader gives out in the place of a subject's id: of a file its place + 1; 0: there is none. */
static uint64_t subject_place(
	const struct profile *profile, enum account_kind kind, uint64_t subject)
{
	return account_kind_subject(kind) == SUBJECT_FILE
		       ? PLACE_OF(profile, file, KEY_U64, subject) + 1
		       : subject;
}

static int check_account(struct reader *reader, void *record, size_t i)
{
	struct profile *profile = reader->profile;
	struct profile_account *account = record;
	size_t node =
		profile_node_find(profile, profile->node_count, account->thread, account->node);

	if (node == ROWS_NONE)
		return read_damaged(reader->source, "an account of an unknown call path");
	if (reader_check_subject(reader, account) < 0)
		return -ERROR_FORMAT;
	account->node = (uint32_t)node;
	account->subject = subject_place(profile, account->kind, account->subject);
	return 0;
}

static int check_record(struct reader *reader, void *row, size_t i)
{
	struct profile *profile = reader->profile;
	struct profile_record *record = row;

	if ((uint32_t)record->kind >= ACCOUNT_KINDS)
		return read_damaged(reader->source, "a record of an unknown kind");
	record->thread =
		(uint32_t)PLACE_OF(profile, record_thread, KEY_U32, record->thread) + 1;
	record->subject = subject_place(profile, record->kind, record->subject);
	return 0;
}

/* --- events --- */

/* The file that blocks are read from. */
struct event_source {
	struct read_source source;
	sqlite3_stmt *statement;
	uint8_t *bytes; /* of the block read last */
	size_t room;
};

static int check_event_block(struct reader *reader, void *record, size_t i)
{
	const struct profile *profile = reader->profile;
	struct profile_event_block *block = record;
	size_t thread = PLACE_OF(profile, event_thread, KEY_U32, block->thread);

	/* Of a session's profile it may be a thread that it does not want. */
	if (thread == ROWS_NONE && !reader->owned->view)
		return read_damaged(reader->source, "events of an unknown thread");
	/* An event takes a byte at least. */
	if (block->last < block->first || block->count > block->bytes.size)
		return read_damaged(reader->source, "block %llu of events is impossible",
			(unsigned long long)block->id);
	block->thread = (uint32_t)thread;
	return 0;
}

/* Blocks of threads that are not there. */
static void drop_event_blocks(struct profile *profile)
{
	size_t kept = 0;

	for (size_t i = 0; i < profile->event_block_count; i++)
		if (profile->event_block[i].thread < profile->event_thread_count)
			profile->event_block[kept++] = profile->event_block[i];
	profile->event_block_count = kept;
}

static int read_events(struct reader *reader)
{
	static const struct reader_list threads = READER_LIST(TABLE_EVENT_THREAD, event_thread,
						.key = "thread id", .least = 1,
						.most = UINT32_MAX),
					blocks = READER_LIST(TABLE_EVENT_BLOCK, event_block,
						.key = "block id", .least = 1,
						.most = INT64_MAX, .check = check_event_block),
					writes = READER_LIST(
						TABLE_EVENT_WRITE, event_write, .check = NULL);
	int status = reader_read(reader, &threads);

	sessions_drop_event_threads(reader->owned);
	if (status == 0)
		status = reader_read(reader, &blocks);
	drop_event_blocks(reader->profile);
	return status == 0 ? reader_read(reader, &writes) : status;
}

/* The source goes on to be read. False: no memory. */
static bool keep_source(struct owned_profile *owned, const struct read_source *source)
{
	struct event_source *events = calloc(1, sizeof *events);

	if (!events)
		return false;
	events->source = *source;
	/* What may take long is bounded by who asks. */
	sqlite3_progress_handler(events->source.db, 0, NULL, NULL);
	owned->events = events;
	return true;
}

static int read_block(struct event_source *events, uint64_t id, size_t size)
{
	int result = SQLITE_OK;

	if (!events->statement)
		result = sqlite3_prepare_v2(events->source.db,
			"SELECT bytes FROM event_block WHERE id = ?", -1, &events->statement,
			NULL);
	if (result == SQLITE_OK)
		result = sqlite3_bind_int64(events->statement, 1, (sqlite3_int64)id);
	if (result == SQLITE_OK)
		result = sqlite3_step(events->statement);
	if (result == SQLITE_ROW) {
		const void *bytes = sqlite3_column_blob(events->statement, 0);

		if ((size_t)sqlite3_column_bytes(events->statement, 0) != size)
			result = SQLITE_CORRUPT;
		else if (size > 0)
			memcpy(events->bytes, bytes, size);
	}
	sqlite3_reset(events->statement);
	return result == SQLITE_ROW ? 0 : read_failed(&events->source, result);
}

int profile_events(const struct profile *profile, size_t block, struct profile_bytes *bytes,
	struct error *error)
{
	struct event_source *events = ((const struct owned_profile *)profile)->events;
	const struct profile_event_block *wanted = &profile->event_block[block];
	size_t size = wanted->bytes.size;

	events->source.error = error;
	if (size > events->room) {
		uint8_t *more =
			size <= events->source.bytes ? realloc(events->bytes, size) : NULL;

		if (!more)
			return error_set(error, ERROR_MEMORY, "no memory to read events");
		events->bytes = more;
		events->room = size;
	}
	*bytes = (struct profile_bytes){events->bytes, size};
	return read_block(events, wanted->id, size);
}

static void events_close(struct event_source *events)
{
	if (!events)
		return;
	sqlite3_finalize(events->statement);
	read_close(&events->source);
	free(events->bytes);
	free(events);
}

/* --- code --- */

/* They are of methods that are known, and lie within the code. */
static bool are_places(const struct profile *profile, const struct profile_code *code,
	const struct code_places *places)
{
	for (uint32_t i = 1; i < places->frames; i++)
		if (places->frame[i].method >= profile->method_count)
			return false;
	/* Their offsets rise. */
	return places->places == 0 || places->place[places->places - 1].offset <= code->size;
}

static int check_code(struct reader *reader, void *record, size_t i)
{
	const struct profile *profile = reader->profile;
	const struct profile_code *code = record;
	struct code_places places = {0};
	int status = 0;

	if (code->method >= profile->method_count || code->level > CODE_LEVEL_MAX ||
		code->size == 0 || code->address + code->size < code->address ||
		(code->unloaded != 0 && code->unloaded < code->loaded))
		return read_damaged(reader->source, "code %u is impossible", code->id);
	if (code->places.bytes)
		status = code_places_decode(&places, code->places.bytes, code->places.size);
	if (status == -ERROR_MEMORY)
		return reader_no_memory(reader);
	if (status == 0 && code->places.bytes && !are_places(profile, code, &places))
		status = -ERROR_FORMAT;
	code_places_fini(&places);
	return status == 0 ? 0
			   : read_damaged(
				     reader->source, "code %u has impossible places", code->id);
}

static int check_machine_code(struct reader *reader, void *record, size_t i)
{
	const struct profile_machine_code *machine = record;
	size_t place = PLACE_OF(reader->profile, code, KEY_U32, machine->id);

	if (place != ROWS_NONE && machine->bytes.size <= reader->profile->code[place].size)
		return 0;
	return read_damaged(
		reader->source, "instructions of code %u, which has none", machine->id);
}

static int read_code(struct reader *reader, const struct profile_wanted *wanted)
{
	static const struct reader_list codes = READER_LIST(TABLE_CODE, code, .key = "code id",
						.least = 1, .most = UINT32_MAX,
						.check = check_code),
					machine = READER_LIST(TABLE_MACHINE_CODE, machine_code,
						.check = check_machine_code);
	const struct profile_session *session = reader->profile->session;
	bool is_kept = !session || session->code;
	int status = 0;

	if ((wanted->code || wanted->machine_code) && (is_kept || session->conditions))
		status = reader_read(reader, &codes);
	return status == 0 && wanted->machine_code && is_kept ? reader_read(reader, &machine)
							      : status;
}

/* --- the whole --- */

/* What snapshots have copies of: the state that the reader is set to. */
static int read_counts(struct reader *reader)
{
	static const struct reader_list accounts = READER_LIST(
						TABLE_ACCOUNT, account, .check = check_account),
					sequences = READER_LIST(TABLE_SEQUENCE, sequence,
						.values = offsetof(
							struct owned_profile, sequence_values),
						.key = "sequence code",
						.most = PROFILE_SEQUENCE_CODES - 1);
	int status = read_threads(reader);

	if (status == 0)
		status = read_nodes(reader);
	if (status == 0)
		status = reader_read(reader, &accounts);
	if (status == 0)
		status = reader_read(reader, &sequences);
	return status == 0 ? watched_read_distributions(reader) : status;
}

/* Subtracts the counts of a snapshot. */
static int subtract_earlier(struct reader *later, uint32_t snapshot)
{
	struct profile *profile = later->profile;
	struct owned_profile *owned = calloc(1, sizeof *owned);
	struct reader reader = {.source = later->source, .owned = owned, .snapshot = snapshot};
	int status;

	if (!owned)
		return reader_no_memory(later);
	/* It refers to the names of the other one. */
	reader.profile = &owned->profile;
	*reader.profile = (struct profile){.metric_count = profile->metric_count,
		.condition_count = profile->condition_count,
		.method_count = profile->method_count,
		.value = profile->value,
		.value_count = profile->value_count,
		.tag = profile->tag,
		.tag_count = profile->tag_count,
		.forward = profile->forward,
		.forward_count = profile->forward_count,
		.file = profile->file,
		.file_count = profile->file_count};
	status = read_counts(&reader);
	if (status == 0) {
		if (interval_subtract(profile, later->owned->base, reader.profile) != 0)
			status = reader_no_memory(later);
		interval_subtract_sequences(
			profile, later->owned->sequence_values, reader.profile);
		if (status == 0 && watched_subtract(later->owned, reader.profile) != 0)
			status = reader_no_memory(later);
	}
	profile_free(reader.profile);
	return status;
}

/* Roots alone stand for threads that others wait for. */
static bool is_anything_left(const struct profile *profile)
{
	uint64_t used = profile->account_count;

	for (size_t t = 0; t < profile->thread_count; t++) {
		used |= profile->thread_first[t + 1] - profile->thread_first[t] > 1;
		for (unsigned m = 0; m < profile->metric_count; m++)
			used |= profile->thread[t].total[m];
	}
	return used != 0;
}

/* Something was done under the labels that were chosen. */
static int check_choice(struct reader *reader, const struct label_choice *choice)
{
	bool by_tag = choice->tags.count > 0;

	if (is_anything_left(reader->profile))
		return 0;
	return error_set(reader->source->error, ERROR_MISSING,
		"nothing was done %s '%s'%s; --view %s lists what there is",
		by_tag ? "with the tag" : "below the value",
		(by_tag ? &choice->tags : &choice->values)->pattern[0],
		choice->tags.count + choice->values.count > 1 ? " and what else is chosen" : "",
		by_tag ? "tags" : "values");
}

static bool are_records_wanted(
	const struct profile *profile, const struct profile_wanted *wanted)
{
	return wanted->records && (!profile->session || profile->session->records);
}

/* They know neither labels nor scopes of sessions. */
static bool are_events_wanted(
	const struct profile *profile, const struct profile_wanted *wanted)
{
	const struct profile_session *session = profile->session;

	if (!wanted->events || (wanted->labels && !label_choice_is_all(wanted->labels)))
		return false;
	return !session ||
	       (!session->scoped && !session->tag && (session->traces >> TRACE_EVENTS & 1));
}

static int read_all(struct reader *reader, const struct profile_wanted *wanted)
{
	static const struct reader_list meta = READER_LIST(TABLE_META, meta, .check = NULL),
					conditions = READER_LIST(TABLE_CONDITION, condition,
						.check = check_condition),
					files = READER_LIST(TABLE_FILE, file, .key = "file id",
						.least = 1, .most = INT64_MAX),
					forwards = READER_LIST(
						TABLE_FORWARD, forward, .check = NULL),
					threads = READER_LIST(TABLE_RECORD_THREAD,
						record_thread, .key = "thread id", .least = 1,
						.most = UINT32_MAX),
					records = READER_LIST(
						TABLE_RECORD, record, .check = check_record);
	struct profile *profile = reader->profile;
	const struct profile_interval *interval = &profile->interval;
	const struct label_choice *labels =
		wanted->labels && !label_choice_is_all(wanted->labels) ? wanted->labels : NULL;
	/* The tables of threads and nodes have a column for each metric. */
	int status = wanted->facts_alone ? 0 : read_metrics(reader);

	if (status == 0)
		status = reader_read(reader, &meta);
	if (status < 0 || wanted->facts_alone)
		return status;
	status = sessions_read(reader);
	if (status == 0)
		status = read_methods(reader);
	if (status == 0)
		status = reader_read(reader, &conditions);
	if (status == 0)
		status = reader_read(reader, &files);
	/* A group cannot be folded into one of its members. */
	for (size_t i = 0; status == 0 && i < profile->file_count; i++)
		profile->file[i].into =
			PLACE_OF(profile, file, KEY_U64, profile->file[i].into) + 1;
	if (status == 0)
		status = reader_read(reader, &forwards);
	if (status == 0)
		status = markers_read(reader, wanted->marks);
	if (status == 0)
		status = slices_read(reader);
	if (status == 0)
		status = markers_choose(reader, wanted->interval);
	if (status == 0 && interval->by_slices)
		status = slices_choose(reader);
	reader->snapshot =
		status == 0 && interval->to && !interval->by_slices ? interval->to->id : 0;
	if (status == 0)
		status = labels_read(reader);
	if (status == 0)
		status = read_counts(reader);
	if (status == 0)
		status = lock_rows_read(reader);
	if (status == 0 && interval->by_slices)
		status = slices_read_counts(reader);
	else if (status == 0 && interval->from)
		status = subtract_earlier(reader, interval->from->id);
	if (status == 0 && sessions_see(reader->owned) != 0)
		status = reader_no_memory(reader);
	if (status == 0 && wanted->slice_use)
		status = slices_read_use(reader);
	if (status == 0)
		status = watched_read_slow_calls(reader);
	if (status == 0)
		watched_follow_threads(profile);
	if (status == 0 && (groups_merge(reader->owned) != 0 ||
				   ((interval->from || interval->by_slices) &&
					   interval_drop_unused(profile) != 0) ||
				   sessions_part(reader->owned) != 0 ||
				   labels_part(reader->owned, labels) != 0))
		status = reader_no_memory(reader);
	if (status == 0 && labels)
		status = check_choice(reader, labels);
	if (status == 0)
		watched_place_threads(profile);
	if (status == 0 && are_records_wanted(profile, wanted))
		status = reader_read(reader, &threads);
	if (status == 0 && are_records_wanted(profile, wanted))
		status = reader_read(reader, &records);
	if (status == 0 && are_events_wanted(profile, wanted))
		status = read_events(reader);
	if (status == 0)
		status = read_code(reader, wanted);
	if (status == 0)
		status = trace_tables_read(reader, wanted);
	if (status == 0)
		status = paths_read(reader);
	if (status == 0) {
		interval_cut_records(profile);
		sessions_end(reader->owned);
	}
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
	if (status == 0 && wanted->events && !keep_source(reader.owned, &source))
		status = reader_no_memory(&reader);
	if (status < 0 || !wanted->events)
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

void profile_free(struct profile *profile)
{
	struct owned_profile *owned = (struct owned_profile *)profile;

	if (!owned)
		return;
	free(profile->path);
	events_close(owned->events);
	free(profile->slice_use);
	store_fini(&owned->store);
	free(owned);
}

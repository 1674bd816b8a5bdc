/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * reader: what the files that read a profile share; profile_read.h is for all others.
 *
 *   read_open.c   a database opened for reading, in whatever state it was left
 *   read_rows.c   tables as rows, checked before they are read
 *   moment.c      a moment that a user names
 *   markers.c     snapshots, resets and marks, and the interval that a user means
 *   interval.c    what happened between two states of the same recording
 *   slices.c      what happened in slices of its time
 *   groups.c      paths that are one put together: of virtual threads, of calls and of samples
 *   parting.c     nodes become a part of others
 *   sessions.c    what a session that shared the recording did not want
 *   labels.c      nodes of lines, values and tags become a part of their methods
 *   label_choice.c   what was done under some tags, or below some values
 *   paths.c       the call paths that files and records name
 *   watched.c     how long calls of watched methods took
 *   counted_rows.c   rows by an id whose counts grow, of the interval
 */
#ifndef JPROF_PROFILE_READER_H
#define JPROF_PROFILE_READER_H

#include <sqlite3.h>

#include "profile/place.h"
#include "profile/profile_read.h"
#include "profile/schema.h"
#include "profile/store.h"

/* ---- the database: read_open.c ---- */

/* A connection inside a read transaction: one consistent state (of what a JVM writes at the moment a
 * copy in memory, so that it need not wait). The file is not changed but for what SQLite's recovery
 * does where a JVM was killed in the middle of a write. Embedded. */
struct read_source {
	sqlite3 *db;
	struct error *error;
	struct place place;
	uint64_t bytes; /* of the file and its log: what a table holds cannot be more */
	uint64_t steps; /* that SQLite may still do, each STEPS_EACH of its instructions */
};

/* 0, the schema's version checked; or a negative code and a line that says what the file is instead.
 * read_close is harmless then, and needed after success. */
int read_open(struct read_source *source, const char *path, struct error *error);
void read_close(struct read_source *source);

/* Fills the error for a result of SQLite while reading; tells truncated from damaged. */
int read_failed(struct read_source *source, int result);

/* "'PATH' is damaged: ..." */
int read_damaged(struct read_source *source, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* ---- rows: read_rows.c ---- */

/* What profile_open gives out, with what it points to. */
struct owned_profile {
	struct profile profile;       /* first: profile_free casts back */
	struct store store;           /* texts and arrays */
	uint64_t text_bytes;          /* that were put there */
	uint64_t *base;               /* of each node: base, then spent */
	uint64_t *sequence_values;    /* of each sequence: sum, then min */
	struct event_source *events;  /* NULL: they are not wanted */
	struct labels_chosen *chosen; /* NULL: all is */
	struct session_view *view;    /* NULL: all is wanted */
	/* What a session's profile begins with; NULL: with the recording. */
	const struct profile_snapshot *begin;
};

struct reader {
	struct read_source *source;
	struct owned_profile *owned;
	struct profile *profile; /* &owned->profile */
	/* The one whose threads, nodes and I/O are read; 0: those of the file's last state. */
	uint32_t snapshot;
	/* Of tables of slices those rows are read whose slice lies between these times. */
	uint64_t slices_from, slices_to;
	/* While nodes are read: the position of the thread they are at, and how many of its first
	 * nodes have their place as their id: the others stand behind one that was folded. */
	size_t position, dense;
};

/* Looks at row i, which is in the record, and may change that. 0 or a negative code. */
typedef int reader_row(struct reader *reader, void *record, size_t i);

int reader_no_memory(struct reader *reader);

/* 1 for a row, 0 after the last, or a negative code. */
int reader_next_row(struct reader *reader, sqlite3_stmt *statement);

/* A statement with one parameter and one number as its answer. */
int reader_ask(
	struct reader *reader, const char *sql, const char *parameter, sqlite3_int64 *answer);

/* 0 if the table is one, with the columns that it has to have. */
int reader_check(struct reader *reader, enum schema_table_id id);

/* The same, and how many rows it has: not more than fit into the file. */
int reader_count_rows(struct reader *reader, enum schema_table_id id, size_t *rows);

/* How records of a table are kept: in an array of struct profile. */
struct reader_list {
	enum schema_table_id table;
	size_t record; /* bytes of one */
	/* Offsets in struct owned_profile: of the array, how many it has, and of the values per metric that
	 * its records point to; 0: they have none. */
	size_t array, count, values;
	/* What the key is, for messages, and its bounds; NULL: it may be anything. */
	const char *key;
	int64_t least, most;
	reader_row *check; /* NULL: anything may be in them */
};
#define READER_LIST(table_id, member, ...)                                                     \
	{                                                                                      \
		.table = table_id, .record = sizeof(*((struct profile *)0)->member),           \
		.array = offsetof(struct profile, member),                                     \
		.count = offsetof(struct profile, member##_count), __VA_ARGS__                 \
	}

/* Reads the table, in the order of its key; the array is the store's. */
int reader_read(struct reader *reader, const struct reader_list *list);

/* Looks at each row of the table, which has so many, in the same record. */
int reader_each(struct reader *reader, enum schema_table_id table, reader_row *check,
	void *record, size_t count);

/* ---- things found: contents.c ---- */

/* Rows begin with their key: a uint32_t, a uint64_t, or two uint32_t: of a forward the thread's id and
 * the node's, of a node its thread's place and its id. */
enum row_key { KEY_U32, KEY_U64, KEY_PAIR };
#define ROWS_NONE SIZE_MAX

/* The place of the row with that key (of a pair made by profile_node_id) among `count` that are ordered by it, or
 * ROWS_NONE. */
size_t rows_find(
	const void *rows, size_t count, size_t stride, enum row_key kind, uint64_t key);
#define PLACE_OF(profile, member, kind, key)                                                   \
	rows_find((profile)->member, (profile)->member##_count, sizeof *(profile)->member,     \
		kind, key)

/* More forwards than these do not lead to one another: a node went to its thread's fold, and the thread
 * to one of its kind. A damaged file may have circles. */
#define PROFILE_FORWARDS_MAX 64

/* Where that node's counts went, or NULL. */
const struct profile_forward *profile_forward_find(
	const struct profile *profile, uint32_t thread, uint32_t node);

/* The place of the node of these ids among the first `nodes`, or of the one that has its counts (a forward may
 * be of later than the state that is read); or ROWS_NONE. Before paths are put together. */
size_t profile_node_find(
	const struct profile *profile, size_t nodes, uint32_t thread, uint32_t node);

/* 0 if what an account is about can be, but for files, which may be missing; or a negative code. */
int reader_check_subject(struct reader *reader, const struct profile_account *account);

/* ---- snapshots, resets, marks: markers.c ---- */

/* Reads them into the reader's profile; marks only if they are wanted. 0, or a negative code. */
int markers_read(struct reader *reader, bool marks);

/* Fills profile->interval from a text as struct profile_wanted has it; of times (by_slices) what was asked alone.
 * 0, or a negative code. */
int markers_choose(struct reader *reader, const char *text);

/* "warm (at 1.500 s), ...": the snapshots that there are, as far as there is room. */
#define MARKERS_LIST_BYTES 600
void markers_list(const struct profile *profile, char *list, size_t size);

/* ---- what traces tell that is of no call path: trace_tables.c ---- */

/* Reads what is wanted of it, and cuts it to the profile's interval. 0, or a negative code. */
int trace_tables_read(struct reader *reader, const struct profile_wanted *wanted);

/* ---- locks: lock_rows.c ---- */

/* Reads locks, contention, the longest waits and unfinished ones, all of the interval; threads are known, and groups are not yet
 * put together. 0, or a negative code. */
int lock_rows_read(struct reader *reader);

/* ---- rows by an id whose counts grow: counted_rows.c ---- */

/* Reads the table, whose key is a uint32_t. What it counts is what the interval has of it: the columns of `slice`, the table of what
 * slices added. Snapshots have copies of it. 0, or a negative code. */
int counted_rows_read(
	struct reader *reader, const struct reader_list *list, enum schema_table_id slice);

/* ---- the interval: interval.c ---- */

/* Takes from the later state of a recording what the earlier one had counted already. Nodes are
 * subtracted by their ids. Where one is no more, a forward tells which node has its counts; so whatever
 * was folded, sums over a thread (of folded ones: over their row) and over each of its methods are exact.
 * base: the values that the nodes of `to` point to. The states share metrics and the places of their
 * I/O's files. 0, or -1 without memory: `to` is then fit for profile_free alone. */
int interval_subtract(struct profile *to, uint64_t *base, const struct profile *from);

/* Drops nodes and threads that did nothing. As above. */
int interval_drop_unused(struct profile *profile);

/* value: what the sequences of `to` point to: sums, then minima. A sequence that did not occur in the
 * interval is dropped; the minima remain those of the whole time before. */
void interval_subtract_sequences(
	struct profile *to, uint64_t *value, const struct profile *from);

/* Drops the records that did not begin in the profile's interval. */
void interval_cut_records(struct profile *profile);

/* Values of nodes that are negative, but of groups' parts: they become 0, and what they lack is taken from the callers,
 * which have it too much. As interval_subtract. */
int interval_settle(struct profile *profile, uint64_t *base);

/* ---- slices of time: slices.c ---- */

/* Reads which there are. 0, or a negative code. */
int slices_read(struct reader *reader);

/* Makes the interval of the whole slices that the times lie in which were asked for. 0, or a negative code. */
int slices_choose(struct reader *reader);

/* Puts what the interval's slices added in the place of the counts that were read. 0, or a negative code. */
int slices_read_counts(struct reader *reader);

/* Fills profile->slice_use. */
int slices_read_use(struct reader *reader);

/* ---- paths that are one: groups.c ---- */

/* Virtual threads of one name are a group, whose parts, one a carrier, are rows of the file. The group's
 * row gets the nodes, the accounts and the sums of its parts, path by path; their rows are gone. The time
 * that threads are parked may be negative in one part, and as much more in another one: sums over the
 * parts are right.
 * In the same way a path that both calls and samples have found becomes one node, in every thread. The
 * recursion of sampled nodes is counted here: whoever writes them does not know all of the path.
 * 0, or -1 without memory: the profile is then fit for profile_free alone. */
int groups_merge(struct owned_profile *owned);

/* Of methods that samples have found, where these are told apart from those that calls have: no method has such an id. */
#define SAMPLED_METHOD 0x80000000u

/* What tells the node apart among those of its caller: its method, or, of a label, its line, value or tags. */
uint32_t path_method(const struct profile_node *node);

/* Counts it anew of sampled nodes; or of all, where callers were taken out. */
void paths_count_recursion(struct profile *profile, bool all);

/* ---- lines, values, tags: labels.c ---- */

/* What values and tags are, before nodes are read. 0, or a negative code. */
int labels_read(struct reader *reader);

/* A label's node is a row of the file between its method's and those of what was done under it. Its counts are added to the
 * method's; what is called from a line gets that. choice: what alone is wanted; NULL: all. 0, or -1 without memory: as above. */
int labels_part(struct owned_profile *owned, const struct label_choice *choice);

/* ---- sessions: sessions.c ---- */

/* Which there were, and whose profile it is; meta is known. 0, or a negative code. */
int sessions_read(struct reader *reader);

/* What the session wants is known from here on; before paths are put together. And what it does not is taken out. Nothing happens to
 * what was never shared. 0, or -1 without memory: as above. */
int sessions_see(struct owned_profile *owned);
int sessions_part(struct owned_profile *owned);

/* True if calls of the method are the session's. */
bool sessions_count_calls(const struct owned_profile *owned, uint32_t method);

/* Threads of events that it does not want go; before their blocks are read. */
void sessions_drop_event_threads(struct owned_profile *owned);

/* At last: metrics and conditions. */
void sessions_end(struct owned_profile *owned);

/* What a path is for the session: the tags in force, and whether it is of its threads and inside of its scope. */
struct path_state {
	uint32_t tags;
	bool inside;
};

/* Of a thread's root, by its id; and of the node that is called from there: method, sampled and labels are looked at, and labels that
 * are not wanted are taken out. False: the node is a part of its caller, or outside. */
struct path_state sessions_root(const struct owned_profile *owned, uint32_t thread);
bool sessions_step(const struct owned_profile *owned, struct path_state *state, uint32_t thread,
	struct profile_node *step);

/* True if what was done there without a path is none of the session. */
bool sessions_is_outside(const struct owned_profile *owned, uint32_t thread);

/* ---- what is chosen by labels: label_choice.c ---- */

/* Which values are, by place; and which sets of tags, by the place of their first row. */
struct labels_chosen {
	bool by_value;
	bool *value, *tags;
};

/* What a path's labels say: the set of tags of the nearest one; and whether a chosen value is above. */
struct label_state {
	uint32_t tags;
	bool below;
};

/* Of what is called from there; label: its value's id and its set of tags, of what is no label 0. */
struct label_state label_state_below(
	const struct owned_profile *owned, struct label_state caller, const uint32_t label[2]);
bool label_state_is_chosen(const struct owned_profile *owned, struct label_state state);

/* What was done elsewhere is taken out of nodes, accounts and threads: under other tags or values than are chosen, and under other
 * tags than a session's scope says ("KEY=PATTERN"; NULL: all). 0, or -1 without memory: as above. */
int labels_choose(
	struct owned_profile *owned, const struct label_choice *choice, const char *scope);

/* A part of its parent, of a line, a value or tags. */
static inline bool node_is_label(const struct profile_node *node)
{
	return node->line > 0 || node->value > 0 || node->tags > 0;
}

/* The state that most of its calls ran in, + 1; without calls that of earlier ones, 0: there were none. */
uint8_t labels_usual_state(const struct profile_node *node);

/* The node has done nothing. */
void labels_empty_node(const struct profile *profile, struct profile_node *node);

/* True if the set has a tag like that: "KEY=PATTERN". */
bool labels_have_tag(const struct profile *profile, uint32_t tags, const char *tag);

/* Keeps what is known of calls that were counted, before they are left out. */
void labels_note_counting(struct profile *profile);

/* ---- watched calls: watched.c ---- */

/* Of the state that the reader is set to; of all of the recording. 0, or a negative code. Threads are ids. */
int watched_read_distributions(struct reader *reader);
int watched_read_slow_calls(struct reader *reader);

/* Takes away what an earlier state had, behind interval_subtract. 0, or -1 without memory. */
int watched_subtract(struct owned_profile *owned, const struct profile *from);

/* Their threads become those that have their counts, and of parts their groups; before groups_merge. */
void watched_follow_threads(struct profile *profile);

/* And at last places; what did not end in the interval is dropped. */
void watched_place_threads(struct profile *profile);

/* ---- call paths: paths.c ---- */

/* Fills profile->path, and turns the nodes of files and records into places there. 0, or a negative
 * code. */
int paths_read(struct reader *reader);

#endif

/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * schema: the tables and views of a profile file, each column once.
 *
 * The writer binds and the reader fetches by the enumerators made here; the CREATE texts
 * come from the same rows. docs/profile-format.md describes the result.
 */
#ifndef JPROF_PROFILE_SCHEMA_H
#define JPROF_PROFILE_SCHEMA_H

#include <stddef.h>

#include "profile/profile.h"

/* PRAGMA application_id ("jpro"), at byte 68 of the file, big endian, and
 * PRAGMA user_version, at byte 60 (https://www.sqlite.org/fileformat2.html, 1.3). */
#define SCHEMA_APPLICATION_ID 0x6a70726f
#define SCHEMA_VERSION        5
#define SCHEMA_SPENT_SINCE    3 /* the version that brought node.spent_i */
#define SCHEMA_MOUNTS_SINCE   4 /* thread.mounts and thread.carrier_ns */
#define SCHEMA_FOLDED_SINCE   5 /* file.folded, file.first and file.group_id */
#define SCHEMA_WAITED_SINCE   5 /* thread.waited_ns */

/* enumerator, name, type, what it is (kept as a comment in the file's own schema) */
#define SCHEMA_META(X)                                                                   \
	X(META_KEY, "key", "TEXT PRIMARY KEY", "")                                       \
	X(META_VALUE, "value", "TEXT", "")

#define SCHEMA_METRIC(X)                                                                 \
	X(METRIC_ID, "id", "INTEGER PRIMARY KEY", "the i of base_i and total_i")         \
	X(METRIC_NAME, "name", "TEXT", "")                                               \
	X(METRIC_UNIT, "unit", "TEXT", "ns, bytes, objects, count")                      \
	X(METRIC_HOW, "how", "TEXT", "how it was read")

#define SCHEMA_METHOD(X)                                                                 \
	X(METHOD_ID, "id", "INTEGER PRIMARY KEY", "0 a root, 1 a fold, 2... methods")    \
	X(METHOD_CLASS, "class", "TEXT", "Java name")                                    \
	X(METHOD_NAME, "name", "TEXT", "")                                               \
	X(METHOD_SIGNATURE, "signature", "TEXT", "JVM descriptor")                       \
	X(METHOD_NATIVE, "native", "INTEGER", "0 or 1")                                  \
	X(METHOD_STATIC, "static", "INTEGER", "0 or 1")

#define SCHEMA_THREAD(X)                                                                 \
	X(THREAD_ID, "id", "INTEGER PRIMARY KEY", "1, 2... as they appeared")            \
	X(THREAD_JAVA_ID, "java_id", "INTEGER", "Thread.getId()")                        \
	X(THREAD_OS_ID, "os_id", "INTEGER", "gettid(2)")                                 \
	X(THREAD_NAME, "name", "TEXT", "")                                               \
	X(THREAD_VIRTUAL, "virtual", "INTEGER", "0 or 1")                                \
	X(THREAD_ALIVE, "alive", "INTEGER", "0 or 1")                                    \
	X(THREAD_FOLDED, "folded", "INTEGER", "threads this row stands for")             \
	X(THREAD_EVENTS, "events", "INTEGER", "entries and exits seen")                  \
	X(THREAD_UNWOUND, "unwound", "INTEGER", "exits by exception, among the events")  \
	X(THREAD_REPAIRED, "repaired", "INTEGER", "frames whose exit never came")        \
	X(THREAD_UNMATCHED, "unmatched", "INTEGER", "exits that matched no frame")       \
	X(THREAD_LOST, "lost", "INTEGER", "entries not recorded")                        \
	X(THREAD_PRUNED, "pruned", "INTEGER", "nodes folded for want of memory")         \
	X(THREAD_STARTED, "started", "INTEGER", "ns since the session began")            \
	X(THREAD_ENDED, "ended", "INTEGER", "the same; NULL while alive")                \
	X(THREAD_MOUNTS, "mounts", "INTEGER", "of virtual threads on carriers")          \
	X(THREAD_CARRIER_NS, "carrier_ns", "INTEGER", "ns that they were mounted")       \
	X(THREAD_WAITED_NS, "waited_ns", "INTEGER", "ns that it could have run")

#define SCHEMA_NODE(X)                                                                   \
	X(NODE_ID, "id", "INTEGER PRIMARY KEY", "thread * 4294967296 + index")           \
	X(NODE_PARENT, "parent", "INTEGER", "id of the caller's node; NULL: a root")     \
	X(NODE_THREAD, "thread", "INTEGER", "")                                          \
	X(NODE_METHOD, "method", "INTEGER", "")                                          \
	X(NODE_RECURSION, "recursion", "INTEGER", "ancestors with the same method")      \
	X(NODE_CALLS, "calls", "INTEGER", "")                                            \
	X(NODE_INTERPRETED, "interpreted", "INTEGER", "calls that ran so")               \
	X(NODE_JITTED, "jitted", "INTEGER", "")                                          \
	X(NODE_NATIVE, "native", "INTEGER", "")                                          \
	X(NODE_ENTRY_ENTRY, "entry_entry", "INTEGER", "stretches, by the events at")     \
	X(NODE_ENTRY_EXIT, "entry_exit", "INTEGER", "their two ends")                    \
	X(NODE_EXIT_ENTRY, "exit_entry", "INTEGER", "")                                  \
	X(NODE_EXIT_EXIT, "exit_exit", "INTEGER", "")

#define SCHEMA_FILE(X)                                                                   \
	X(FILE_ID, "id", "INTEGER PRIMARY KEY", "1, 2...")                               \
	X(FILE_KIND, "kind", "TEXT", "file, directory, tcp, udp, unix, pipe, ...")       \
	X(FILE_DESCRIPTOR, "descriptor", "INTEGER", "its number; NULL: a name alone")    \
	X(FILE_NAME, "name", "TEXT", "path; local address; host name")                   \
	X(FILE_PEER, "peer", "TEXT", "remote address; NULL: none")                       \
	X(FILE_OPENED, "opened", "INTEGER", "ns since the session began, last opening")  \
	X(FILE_OPENED_BY, "opened_by", "TEXT", "the thread that did it")                 \
	X(FILE_OPENED_IN, "opened_in", "INTEGER", "path that did it; NULL: not known")   \
	X(FILE_KNOWN, "known_from", "TEXT", "open: seen; attach: it was open before")    \
	X(FILE_NOTE, "note", "TEXT", "why its entries are not told apart")               \
	X(FILE_FOLDED, "folded", "INTEGER", "that went into it; 0: it is one itself")    \
	X(FILE_FIRST, "first", "INTEGER", "ns since the session began, first opening")   \
	X(FILE_GROUP, "group_id", "INTEGER", "the row it was folded into; NULL: none")

#define SCHEMA_IO(X)                                                                     \
	X(IO_ID, "id", "INTEGER PRIMARY KEY", "thread * 4294967296 + index")             \
	X(IO_THREAD, "thread", "INTEGER", "")                                            \
	X(IO_NODE, "node", "INTEGER", "id of the call path")                             \
	X(IO_FILE, "file", "INTEGER", "0: it could not be kept apart")                   \
	X(IO_OPERATION, "operation", "TEXT", "read, write, open, ...")                   \
	X(IO_OPS, "ops", "INTEGER", "how many")                                          \
	X(IO_FAILURES, "failures", "INTEGER", "of them")                                 \
	X(IO_BYTES, "bytes", "INTEGER", "")                                              \
	X(IO_NS, "ns", "INTEGER", "from begin to end of each")

#define SCHEMA_OPERATION(X)                                                              \
	X(OPERATION_ID, "id", "INTEGER PRIMARY KEY", "")                                 \
	X(OPERATION_NAME, "name", "TEXT", "read, write, open, ...")

#define SCHEMA_IO_THREAD(X)                                                              \
	X(IO_THREAD_ID, "id", "INTEGER PRIMARY KEY", "of threads that have records")     \
	X(IO_THREAD_JAVA_ID, "java_id", "INTEGER", "Thread.getId()")                     \
	X(IO_THREAD_OS_ID, "os_id", "INTEGER", "gettid(2)")                              \
	X(IO_THREAD_NAME, "name", "TEXT", "")

#define SCHEMA_PATH(X)                                                                   \
	X(PATH_ID, "id", "INTEGER PRIMARY KEY", "2, 3...: call paths, each once")        \
	X(PATH_PARENT, "parent", "INTEGER", "the caller's path; 0: a root")              \
	X(PATH_METHOD, "method", "INTEGER", "")

#define SCHEMA_RECORD(X)                                                                 \
	X(RECORD_BEGIN, "begin", "INTEGER", "ns since the session began")                \
	X(RECORD_NS, "ns", "INTEGER", "from begin to end")                               \
	X(RECORD_THREAD, "thread", "INTEGER", "of io_thread")                            \
	X(RECORD_PATH, "path", "INTEGER", "0: outside every method; 1: not known")       \
	X(RECORD_FILE, "file", "INTEGER", "0: not known")                                \
	X(RECORD_OPERATION, "operation", "INTEGER", "of operation")                      \
	X(RECORD_BYTES, "bytes", "INTEGER", "")                                          \
	X(RECORD_FAILED, "failed", "INTEGER", "0 or 1")

#define SCHEMA_SNAPSHOT(X)                                                               \
	X(SNAPSHOT_ID, "id", "INTEGER PRIMARY KEY", "1, 2..., in the order of time")     \
	X(SNAPSHOT_LABEL, "label", "TEXT", "NULL: a reset")                              \
	X(SNAPSHOT_AT, "at", "INTEGER", "ns since the session began")                    \
	X(SNAPSHOT_KIND, "kind", "TEXT", "snapshot, reset")

#define SCHEMA_MARK(X)                                                                   \
	X(MARK_AT, "at", "INTEGER", "ns since the session began")                        \
	X(MARK_JAVA_ID, "java_id", "INTEGER", "Thread.getId() of who set it; 0: nobody") \
	X(MARK_THREAD, "thread", "TEXT", "its name; NULL: not known")                    \
	X(MARK_NAME, "name", "TEXT", "")

#define SCHEMA_SEQUENCE(X)                                                               \
	X(SEQUENCE_ID, "id", "INTEGER PRIMARY KEY", "the code")                          \
	X(SEQUENCE_FIRST, "first", "TEXT", "the method before; NULL: any")               \
	X(SEQUENCE_BEGIN, "begin", "TEXT", "entry, exit; NULL: any")                     \
	X(SEQUENCE_SECOND, "second", "TEXT", "the method that the stretch is in")        \
	X(SEQUENCE_END, "end", "TEXT", "entry, exit, unwind")                            \
	X(SEQUENCE_THIRD, "third", "TEXT", "the method after; NULL: any")                \
	X(SEQUENCE_COUNT, "count", "INTEGER", "stretches")

/* Columns in the order of the table; the last of a table is also its fixed columns' count,
 * and where the columns per metric begin. */
#define X(column, name, type, comment) SCHEMA_##column,
enum { SCHEMA_META(X) SCHEMA_META_COLUMNS };
enum { SCHEMA_METRIC(X) SCHEMA_METRIC_COLUMNS };
enum { SCHEMA_METHOD(X) SCHEMA_METHOD_COLUMNS };
enum { SCHEMA_THREAD(X) SCHEMA_THREAD_TOTAL };
enum { SCHEMA_NODE(X) SCHEMA_NODE_BASE };
enum { SCHEMA_FILE(X) SCHEMA_FILE_COLUMNS };
enum { SCHEMA_IO(X) SCHEMA_IO_COLUMNS };
enum { SCHEMA_OPERATION(X) SCHEMA_OPERATION_COLUMNS };
enum { SCHEMA_IO_THREAD(X) SCHEMA_IO_THREAD_COLUMNS };
enum { SCHEMA_PATH(X) SCHEMA_PATH_COLUMNS };
enum { SCHEMA_RECORD(X) SCHEMA_RECORD_COLUMNS };
enum { SCHEMA_SNAPSHOT(X) SCHEMA_SNAPSHOT_COLUMNS };
enum { SCHEMA_MARK(X) SCHEMA_MARK_COLUMNS };
enum { SCHEMA_SEQUENCE(X) SCHEMA_SEQUENCE_SUM };
#undef X

struct schema_column {
	const char *name, *type, *comment;
};

struct schema_table {
	const char *name;
	const struct schema_column *column;
	int columns;
	/* "base", "spent": columns base_0, base_1..., spent_0, spent_1... follow; or NULL */
	const char *per_metric[2];
	/* Rows of another table as they were, by snapshot: its columns stand behind one more,
	 * the snapshot's id. */
	bool copy;
};

enum schema_table_id {
	TABLE_META,
	TABLE_METRIC,
	TABLE_METHOD,
	TABLE_THREAD,
	TABLE_NODE,
	TABLE_FILE,
	TABLE_IO,
	TABLE_OPERATION,
	TABLE_IO_THREAD,
	TABLE_PATH,
	TABLE_RECORD,
	TABLE_SNAPSHOT,
	TABLE_MARK,
	TABLE_SEQUENCE,
	TABLE_SNAPSHOT_THREAD,
	TABLE_SNAPSHOT_NODE,
	TABLE_SNAPSHOT_IO,
	TABLE_SNAPSHOT_SEQUENCE,
	TABLE_COUNT
};

extern const struct schema_table schema_tables[TABLE_COUNT];
/* node and snapshot_node as they were before SCHEMA_SPENT_SINCE; and thread and
 * snapshot_thread before SCHEMA_MOUNTS_SINCE and SCHEMA_WAITED_SINCE, their totals beginning
 * where these columns do. */
extern const struct schema_table schema_node_without_spent[2];
extern const struct schema_table schema_thread_without_mounts[2];
extern const struct schema_table schema_thread_without_waited[2];
/* file before SCHEMA_FOLDED_SINCE; snapshots have no copies of it. */
extern const struct schema_table schema_file_without_folded[2];

/* How many columns the table has in a profile with so many metrics. */
int schema_columns(const struct schema_table *table, unsigned metrics);

/* What the first bytes of a file say it is. */
#define SCHEMA_HEADER_BYTES 100
enum header_kind {
	HEADER_PROFILE,
	HEADER_SHORT,	 /* begins like a database, but ends within the header */
	HEADER_DATABASE, /* another SQLite database */
	HEADER_OTHER
};
enum header_kind schema_header_kind(const unsigned char *header, size_t bytes);

/* node.id, as the table has it. */
static inline uint64_t schema_node_id(uint32_t thread, uint32_t index)
{
	return (uint64_t)thread << 32 | index;
}

/* The name of column i of the table in such a profile, "base_3" for one made per metric; into
 * name. */
void schema_column_name(const struct schema_table *table, unsigned metrics, int i, char *name,
	size_t size);

/* All CREATE TABLE and CREATE VIEW statements, the two PRAGMAs and the rows of the reserved
 * methods. Owned by the caller (sqlite3_free), NULL without memory. */
char *schema_create(const struct profile_metric *metric, unsigned metrics);

/* "INSERT OR REPLACE INTO table VALUES(?,...)"; of a copy, the statement that makes it, with
 * the snapshot's id as its parameter. The same ownership. */
char *schema_insert(const struct schema_table *table, unsigned metrics);

#endif

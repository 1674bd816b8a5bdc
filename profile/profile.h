/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * profile: the records of a profile file, as writer and reader exchange them.
 *
 * The file itself, its tables and views, is described in docs/profile-format.md.
 */
#ifndef JPROF_PROFILE_H
#define JPROF_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profile/histogram.h"
#include "profile/kinds.h"
#include "profile/small_tree.h"

#define PROFILE_METRIC_MAX    16
#define PROFILE_THREAD_COUNTS 9
#define PROFILE_NOT_KNOWN     INT64_MIN /* of a time */

/* Sessions that may share a recording: each has a bit while it lives, which another one has later. */
#define PROFILE_SESSIONS_MAX 8
#define PROFILE_SESSIONS_ALL 0xffu /* bits of sessions: of all of them, or it is not known */

/* The name of a fold in files and reports. */
#define PROFILE_FOLDED_NAME "(folded: memory)"

/* A fact. */
struct profile_meta {
	const char *key, *value;
};

struct profile_metric {
	const char *name, *unit, *how;
	uint32_t id; /* its place; the writer sets it */
};

/* On what threads' stacks were taken. */
struct profile_condition {
	uint32_t id;       /* 0, 1, ...; below SAMPLE_CONDITIONS_MAX */
	const char *name;  /* as the user gave it: cpu:1ms */
	const char *event; /* cpu */
	uint64_t period;   /* in units: 1000000 */
	const char *unit;  /* ns, bytes, entries, count */
	const char *how;   /* in which way: perf task-clock */
};

struct profile_method {
	uint32_t id;
	const char *class_name; /* Java name, com.acme.Foo$Bar */
	const char *name;
	const char *signature; /* JVM descriptor, (I)I */
	bool is_native, is_static;
	enum method_kind kind;
	const char *file; /* the source's name, Foo.java; NULL: not known */
	/* Bits of the sessions that want it at all (of those that do not, it is a part of its caller); that want it counted
	 * alone; whose scope it opens; that want the distribution of its calls. */
	uint32_t wanted, counted, scope, watched;
};

/* A thread, or many folded into one by name: ended ones, or virtual ones. */
struct profile_thread {
	uint32_t id; /* 1, 2, ... in order of appearance */
	/* the row that this is a part of: virtual threads on one carrier; 0: none */
	uint32_t group;
	int64_t java_id;  /* Thread.getId(); 0 when folded or unknown */
	int64_t os_id;    /* gettid(2); 0 when folded */
	const char *name; /* for folded ones the pattern, "worker-*" */
	bool is_virtual, alive;
	uint64_t folded; /* how many threads this row stands for: 1, or more */
	union {
		struct {
			uint64_t events;    /* entries and exits seen */
			uint64_t unwound;   /* exits by exception, among the events */
			uint64_t repaired;  /* frames popped because their exit never came */
			uint64_t unmatched; /* exits that matched no frame */
			uint64_t lost;      /* entries that could not be recorded (no memory) */
			uint64_t pruned;    /* tree nodes that were folded */
			uint64_t mounts;    /* of virtual threads: on carriers */
			uint64_t carrier_ns; /* and for how long, ns of wall-clock time */
			/* it could have run and had no processor; 0: not known, or not at all */
			uint64_t waited_ns;
		};
		uint64_t count[PROFILE_THREAD_COUNTS]; /* all of them */
	};
	uint64_t started, ended; /* ns since the session began; ended 0 while alive */
	uint32_t wanted;         /* bits of the sessions that want it */
	uint64_t total[PROFILE_METRIC_MAX]; /* what the thread used, from its counters */
};

/* transition[previous event][this event]: how often a delta of this node began with the
 * one and ended with the other. */
enum { PROFILE_ENTRY, PROFILE_EXIT };

/* The most that an id of values and of tags may be. */
#define PROFILE_LABEL_MAX 0x0fffffffu

struct profile_node {
	uint32_t thread; /* for the writer an id, from the reader the place */
	/* in its thread, for good; 0 is the root; above the parent's; of a sampled one NODE_SAMPLED_FIRST or above */
	uint32_t id;
	/* For the writer the id in its thread, from the reader the place; a root is its own parent. */
	uint32_t parent;
	uint32_t method;    /* id */
	uint32_t recursion; /* ancestors with the same method */
	/* In the file, and for the writer: above 0, a part of its caller's node, whose method it has: what is called from that line
	 * is below it, and what the method used before in it. The reader has put such parts into their methods: there it
	 * is the line of the caller that the node is called from. 0: it is not kept apart. */
	uint32_t line;
	/* The same of labels that are no lines, at most one of the three above 0: the id of the value that calls of the method
	 * had, which `calls` counts once more; or, + 1, of the tags that what it did had. From the reader 0, but in
	 * profile_labelled(). */
	uint32_t value, tags;
	/* In an interval that it was not called in: the state of most calls before, + 1. 0: none. */
	uint8_t earlier;
	/* Found by samples alone: no call of it was seen. From the reader an exact node of the same path has
	 * become one with it. */
	bool sampled;
	uint64_t calls;
	uint64_t interpreted, jitted, native; /* calls by state; their sum is calls */
	uint64_t transition[2][2];
	const uint64_t *base; /* one a metric; borrowed */
	/* Of base, what jprof's own rare ways used: the same. NULL: nothing (to the writer alone). */
	const uint64_t *spent;
};

/* A node's id among those of all threads. */
static inline uint64_t profile_node_id(uint32_t thread, uint32_t node)
{
	return (uint64_t)thread << 32 | node;
}

#define PROFILE_SEQUENCE_CODES 2056

/* Deltas of one sequence of methods and transitions, of all threads. */
struct profile_sequence {
	uint32_t code; /* calibration/sequence.h; below PROFILE_SEQUENCE_CODES */
	/* The code in words: for the writer; the reader leaves them NULL. */
	const char *first, *begin, *second, *end, *third;
	uint64_t count;
	const uint64_t *sum, *min; /* of the deltas, one a metric; borrowed like base */
};

/* What I/O is done with: a file, a connection, a host name; or many that have something
 * in common, as their names say, with '*'. */
struct profile_file {
	uint64_t id; /* above 0 */
	enum io_kind kind;
	int descriptor;   /* -1: a name alone */
	const char *name; /* path; local address; host name */
	const char *peer; /* remote address, NULL: none */
	/* ns since the session began; below 0: before it; PROFILE_NOT_KNOWN */
	int64_t opened;
	const char *opened_by; /* the thread's name, NULL: not known */
	/* for the writer the node (profile_node_id), from the reader the place of
	 * its path + 1; 0: not known */
	uint64_t opened_in;
	enum io_known known;
	const char *note; /* what is to be said of it; NULL: nothing */
	uint64_t folded;  /* how many were folded into this row; 0: it is one itself */
	int64_t first;    /* as opened, of the first opening; opened is that of the last */
	/* The row that its operations were added to; 0: they are its own. For the writer
	 * an id, from the reader the place + 1. */
	uint64_t into;
	bool forgotten; /* to the writer alone: nothing refers to it any more, it goes */
};

/* A call path that files and records name, of any thread. From the reader. */
struct profile_path {
	uint64_t node;   /* profile_node_id */
	uint32_t parent; /* place + 1; 0: the thread's root */
	uint32_t method;
	bool site; /* a label of its caller: none leads to it */
	/* Where what is read was chosen by labels: it is none of that. */
	bool outside;
};

/* A node is no more: its counts went to another one. Of a root: its thread's. */
struct profile_forward {
	uint32_t thread, node, to_thread, to_node;
};

/* What the operations of one kind came to, of one call path with one file; or the samples in one place, which
 * stand for `amount` periods. */
struct profile_account {
	uint32_t thread; /* for the writer alone, an id: from the reader the node tells */
	uint32_t id;     /* in its thread */
	uint32_t node;   /* for the writer an id, from the reader the place */
	/* of a file for the writer the id, from the reader the place + 1; 0: it could
	 * not be kept apart; of samples sample_place() */
	uint64_t subject;
	enum account_kind kind;
	uint64_t count, failures, amount, ns;
};

/* When a trace was on: one time of several, perhaps. */
struct profile_trace_period {
	uint32_t id; /* 1, 2, ..., in the order of their begin */
	enum trace_kind trace;
	uint64_t began; /* ns since the session began */
	int64_t ended;  /* the same; PROFILE_NOT_KNOWN: it is on, or the JVM was killed */
};

/* A section of a collector's work, as the JVM's log names it. */
struct profile_collection {
	uint32_t id;     /* 1, 2, ..., in the order in which they ended */
	uint64_t number; /* of the collection, the JVM's: what it consists of has the same */
	enum collection_kind kind;
	const char *name;
	const char *cause; /* NULL: the log does not say */
	int64_t began;     /* ns since the session began; below 0: before it */
	uint64_t ns;
	int64_t before, after, total; /* bytes of the heap; PROFILE_NOT_KNOWN */
};

/* All Java threads stood. */
struct profile_safepoint {
	uint32_t id;           /* 1, 2, ..., in the order in which they ended */
	const char *operation; /* what for */
	int64_t began;         /* as of a collection: when it was asked for */
	uint64_t ns;           /* until threads went on */
	/* Parts of that: until the last thread stood; what the JVM did beside; the operation. */
	uint64_t reaching_ns, cleanup_ns, at_ns;
	/* How many there were; how many ran and had to be stopped. 0: not known. */
	uint64_t threads, running;
};

/* A method was compiled, or was to be. */
struct profile_compilation {
	uint32_t id; /* the JVM's */
	const char *class_name, *name;
	const char *signature; /* JVM descriptor; NULL: not known */
	uint32_t level;        /* as in profile_code; 0: a wrapper of a native method */
	uint64_t bytecodes;    /* bytes */
	int64_t osr; /* the bytecode of the loop that it is entered at; PROFILE_NOT_KNOWN: at its begin */
	uint64_t began;     /* ns since the session began */
	int64_t ns;         /* PROFILE_NOT_KNOWN */
	const char *failed; /* why there is no code; NULL: there is */
};

/* Compiled code was left, or given up. */
struct profile_deoptimization {
	uint32_t id; /* 1, 2, ..., in the order of time */
	enum deoptimization_kind kind;
	uint64_t at;          /* ns since the session began */
	uint32_t compilation; /* id; it may have been before the trace was on */
	const char *class_name, *name;
	const char *signature; /* as above */
	uint32_t level;
	int64_t bytecode;            /* where; PROFILE_NOT_KNOWN */
	const char *reason, *action; /* the JVM's words; NULL: it does not say */
};

/* A class that was loaded while the trace of classes was on. Times are ns since the session began; PROFILE_NOT_KNOWN: it was not, or
 * that is not known. */
struct profile_class {
	uint32_t id;     /* 1, 2, ..., as they were loaded */
	uint32_t name;   /* of a method, METHOD_CLASS */
	uint32_t loader; /* profile_class_loader */
	int64_t loaded, linked, initialized, unloaded;
	int64_t ns; /* from its bytes to a class: parsed and defined, its super classes too */
};

struct profile_class_loader {
	uint32_t id;                       /* 1, 2, ... */
	const char *class_name;            /* Java name */
	const char *name;                  /* ClassLoader.getName(); NULL: it has none */
	uint64_t before, loaded, unloaded; /* classes; before: those that were there */
	bool gone;                         /* collected */
};

/* What threads wait for: an object's monitor, or what a parked thread says that it waits for; or all of a class that
 * were not told apart. */
struct profile_lock {
	uint32_t id;            /* 1, 2, ... */
	const char *class_name; /* Java name; "" for those without an object */
	int64_t number;         /* System.identityHashCode(); PROFILE_NOT_KNOWN: of many */
};

/* What has values: something that the option `parameters` asks for, or a key of tags. */
struct profile_parameter {
	uint32_t id;      /* 1, 2, ... */
	const char *name; /* as it was asked for; the key */
	bool is_tag;
	uint32_t wanted; /* bits of the sessions that want its values */
};

/* One of its values, as a text. */
struct profile_value {
	uint32_t id; /* 1, 2, ... */
	uint32_t parameter;
	const char *text; /* NULL: null; of others: no text, either */
	bool others;      /* all values behind the first so many */
};

/* A value of a tag's key that a set of tags has. */
struct profile_tag {
	uint32_t id;  /* 1, 2, ...: of the row */
	uint32_t set; /* 1: the empty set, which has no row; 2, ..., rising with the rows */
	uint32_t value;
};

/* Who waited for whom: waits of one kind of one call path for a lock that another one held. */
struct profile_contention {
	uint32_t id; /* 1, 2, ... */
	/* The waiter's path and the holder's. For the writer profile_node_id, from the reader the place of the path + 1; 0:
	 * none, or a thread's root. */
	uint64_t node, holder;
	uint32_t thread, holder_thread; /* from the reader alone: ids; 0: none is known */
	uint32_t lock;                  /* id; from the reader place + 1; 0: many, or none */
	enum account_kind kind;
	uint64_t count, failures, ns;
	/* ns of the longest, and when it began: ns since the session began. From the reader of an interval it may not be
	 * known: 0. */
	uint64_t longest, began;
};

/* One of the longest waits, or one that is unfinished: under way when the trace, the recording or the interval ended, or the file was
 * brought up to date. */
struct profile_wait {
	uint32_t id;
	uint32_t contention;   /* id of the row that counts it; of an unfinished one 0 */
	uint64_t begin, ns;    /* ns since the session began; how long, or how long so far */
	uint64_t node, holder; /* as in profile_contention, */
	uint32_t thread, holder_thread; /* and these */
	uint32_t lock;
	enum account_kind kind;
};

/* What a thread of the process did while the trace of threads was on. */
struct profile_thread_state {
	uint32_t id; /* 1, 2, ... */
	int64_t os_id;
	const char *name;  /* Java's, or the system's; cut */
	uint64_t from, to; /* the first and the last look; ns since the session began */
	uint64_t ns;       /* that it was seen for, of these */
	uint64_t running, runnable;      /* ns; runnable: without a processor */
	uint64_t voluntary, involuntary; /* times that it left a processor */
	bool ended;
};

/* A thread that has records: rows of threads may be folded, this one stays. */
struct profile_record_thread {
	uint32_t id; /* 1, 2, ... */
	int64_t java_id, os_id;
	const char *name;
};

/* One I/O operation. */
struct profile_record {
	uint64_t begin; /* ns since the session began */
	uint64_t ns;
	uint32_t thread; /* profile_record_thread; from the reader place + 1 */
	/* profile_node_id; from the reader the place of its path + 1, 0: outside every
	 * included method, or not known */
	uint64_t node;
	uint64_t subject; /* of a file the id, from the reader place + 1; 0: not known */
	enum account_kind kind;
	uint64_t amount;
	bool failed;
};

/* Bytes that mean something to others; borrowed. */
struct profile_bytes {
	const uint8_t *bytes; /* NULL: there are none */
	size_t size;
};

/* A thread whose events were told one by one; or virtual threads of one name on a carrier. Rows of threads may be folded, this
 * one stays. */
struct profile_event_thread {
	uint32_t id;  /* 1, 2, ... */
	uint32_t row; /* profile_thread's id, as it was */
	int64_t java_id, os_id;
	const char *name;
	bool is_virtual;
};

/* Events of a thread, in the order of time. */
struct profile_event_block {
	uint64_t id;     /* 1, 2, ... as they were written */
	uint32_t thread; /* profile_event_thread; from the reader the place */
	uint32_t number; /* 1, 2, ... of the thread; those that are missing were not written */
	uint64_t first, last; /* ns since the session began, of its begin and its last event */
	uint64_t count;       /* events */
	uint64_t lost;        /* events between the block before and this one */
	struct profile_bytes bytes; /* event_stream.h */
};

/* Where the last seconds are kept: what was kept was written. */
struct profile_event_write {
	uint32_t id;        /* 1, 2, ... */
	uint64_t at;        /* ns since the session began */
	uint64_t begin;     /* since when all events are there */
	const char *reason; /* what for */
	bool whole;         /* nothing of that had gone already */
};

/* How long calls of a method took, in one thread: one figure of those that returned, or that failed. */
struct profile_distribution {
	uint32_t thread; /* for the writer the id, from the reader the place */
	uint32_t id;     /* in its thread */
	uint32_t method;
	enum call_figure figure;
	bool failed;         /* left by an exception */
	uint64_t count, sum; /* exact; ns */
	/* exact, but in an interval: there the bounds of buckets, as long as the one or other was before it */
	uint64_t least, most;
	uint64_t unplaced;            /* of count, in no bucket: there was no memory */
	struct profile_bytes buckets; /* histogram.h; for the writer alone */
	struct histogram histogram;   /* from the reader; borrowed */
};

/* One of the slowest calls of a method. */
struct profile_slow_call {
	uint32_t id; /* 1, 2, ... */
	uint32_t method;
	/* for the writer the row's id, which may be no more; from the reader the place + 1, 0: not in the interval */
	uint32_t thread;
	uint64_t began;   /* ns since the session began */
	uint64_t elapsed; /* ns */
	int64_t base;     /* ns in the method itself, without jprof's own; PROFILE_NOT_KNOWN */
	int64_t cpu;      /* ns; PROFILE_NOT_KNOWN: it was not counted */
	uint64_t own;     /* ns that jprof itself took, as far as that is known */
	bool failed;
	/* what the whole process used meanwhile of the metrics of distribution_process */
	uint64_t process[PROFILE_METRIC_MAX];
	struct profile_bytes bytes; /* small_tree.h; for the writer alone */
	struct small_node *tree;    /* from the reader; borrowed */
	size_t nodes;               /* 0: it is not known */
};

/* A piece of machine code that the JVM made: a compiled method, or one of its own. */
struct profile_code {
	uint32_t id;      /* 1, 2, ... */
	uint32_t method;  /* id; METHOD_ROOT: no method's */
	const char *name; /* of what is no method's, as the JVM announced it; else NULL */
	uint32_t
		level; /* of the compiler: 1 to 3 the first, 4 the second; 0: not known, or none */
	uint64_t address, size;      /* size above 0 */
	uint64_t loaded;             /* ns since the session began; 0: before */
	uint64_t unloaded;           /* the same; 0: it was not */
	struct profile_bytes places; /* code_places.h */
};

/* The instructions themselves, as they were at first. */
struct profile_machine_code {
	uint32_t id; /* profile_code */
	struct profile_bytes bytes;
};

/* What a snapshot is for. */
enum profile_snapshot_kind {
	SNAPSHOT_NAMED,
	SNAPSHOT_RESET,  /* reports begin here unless they are asked otherwise */
	SNAPSHOT_SESSION /* a session begins; of its own file, a reset */
};

/* All counts as they were at a moment. */
struct profile_snapshot {
	uint32_t id;       /* 1, 2, ... */
	const char *label; /* NULL: a reset, or a session's begin */
	uint64_t at;       /* ns since the session began */
	enum profile_snapshot_kind kind;
	uint32_t session; /* id of the one whose it is; 0: of all */
};

/* What a user began, in a recording that several share. What it does not want, others do: readers of its file leave that
 * out. */
struct profile_session {
	uint32_t id;  /* 1, 2, ... */
	uint32_t bit; /* 0 to 7: 1 << bit among those of methods, threads and parameters */
	const char *name, *owner;
	uint64_t began;      /* ns since the profile was begun */
	int64_t ended;       /* the same; PROFILE_NOT_KNOWN: it goes on */
	const char *options; /* its own, JSON, as meta's `options` */
	uint32_t snapshot;   /* the one that it begins with; 0: it begins with the recording */
	/* What it wants: bits 1 << place of metrics, 1 << id of conditions, 1 << enum trace_kind. */
	uint32_t metrics, conditions, traces;
	bool lines;  /* call sites */
	bool scoped; /* only what methods did whose bit `scope` it has */
	const char
		*tag; /* its scope is what is done under that: "KEY=PATTERN"; NULL: it is not */
	bool watches; /* distributions of calls */
	bool records; /* each I/O operation */
	bool code;    /* instructions of compiled methods */
	bool without_io;
};

/* A piece of the recording's time, of which what it added to the counts is known. They follow one another without a gap. */
struct profile_slice {
	uint32_t id;           /* without a meaning */
	uint64_t began, ended; /* ns since the session began */
	uint64_t rows;         /* that the tables have of it */
};

/* What a slice added to a node's counts; or less than nothing, where they went elsewhere: as the bits of an
 * int64_t. */
struct profile_slice_node {
	uint32_t thread, id;
	uint64_t calls, interpreted, jitted, native;
	uint64_t transition[2][2];
	uint64_t base[PROFILE_METRIC_MAX], spent[PROFILE_METRIC_MAX];
};

/* The same of a sequence's. */
struct profile_slice_sequence {
	uint32_t code;
	uint64_t count;
	uint64_t sum[PROFILE_METRIC_MAX];
};

/* A moment that the program named. */
struct profile_mark {
	uint64_t at;        /* ns since the session began */
	int64_t java_id;    /* Thread.getId(); 0: not known */
	const char *thread; /* its name, NULL: not known */
	const char *name;
};

#endif

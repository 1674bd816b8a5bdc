/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * kinds: the numbers and words that the agent, the file and the reports share.
 *
 * A kind of account is a row: its name in the profile, what its subject is, and the group of columns that
 * reports show it in. What counts it adds to an account (agent/trace/accounts.h); everything between, the
 * visit, the file, its reader and intervals, treats all kinds alike.
 */
#ifndef JPROF_PROFILE_KINDS_H
#define JPROF_PROFILE_KINDS_H

#include <stdint.h>

/* Ids that are no method's. */
enum {
	METHOD_ROOT = 0,   /* a thread's root: what runs outside every included method */
	METHOD_FOLDED = 1, /* a fold: below it are methods whose paths were given up */
	METHOD_FIRST = 2   /* the first real method's id */
};

/* What a method's row stands for. */
#define METHOD_KIND_TABLE(X)                                                                   \
	X(METHOD_JAVA, "java")                                                                 \
	X(METHOD_NATIVE, "native") /* a function: class is its library's file name */          \
	X(METHOD_JVM, "jvm")       /* one of libjvm.so */                                      \
	X(METHOD_KERNEL, "kernel") /* one of the kernel; class "[kernel]" or its module */     \
	X(METHOD_STUB, "stub")     /* code that the JVM made; class "[stub]" */                \
	X(METHOD_CLASS, "class")   /* a class that was allocated, without a name */            \
	X(METHOD_MARK, "mark")     /* nothing that runs: its name says what */

enum method_kind {
#define X(kind, name) kind,
	METHOD_KIND_TABLE(X)
#undef X
		METHOD_KINDS
};

/* By enum method_kind; NULL behind the last. */
extern const char *const method_kind_names[METHOD_KINDS + 1];

/* ---- samples: stacks of threads, taken when a condition held ---- */

/* Numbers of nodes, in their thread, from here on: those that samples alone have found. */
#define NODE_SAMPLED_FIRST 0x80000000u

/* What ran at a stack's top. */
#define SAMPLE_STATE_TABLE(X)                                                                  \
	X(SAMPLE_INTERPRETED, "interpreted")                                                   \
	X(SAMPLE_C1, "c1") /* compiled code, by its compiler */                                \
	X(SAMPLE_C2, "c2")                                                                     \
	X(SAMPLE_C1_INLINED, "c1-inlined") /* of a method that is inlined there */             \
	X(SAMPLE_C2_INLINED, "c2-inlined")                                                     \
	X(SAMPLE_STUB, "stub")     /* intrinsics and the like */                               \
	X(SAMPLE_NATIVE, "native") /* a library's code */                                      \
	X(SAMPLE_JVM, "jvm")                                                                   \
	X(SAMPLE_KERNEL, "kernel")                                                             \
	X(SAMPLE_GC, "gc")           /* a thread of the JVM that collects, */                  \
	X(SAMPLE_JIT, "jit")         /* or compiles */                                         \
	X(SAMPLE_WAITING, "waiting") /* it did not run */                                      \
	X(SAMPLE_UNKNOWN, "unknown")                                                           \
	X(SAMPLE_JPROF, "jprof") /* jprof counted a call of the node's method */

enum sample_state {
#define X(state, name) state,
	SAMPLE_STATE_TABLE(X)
#undef X
		SAMPLE_STATES
};

/* By enum sample_state; NULL behind the last. */
extern const char *const sample_state_names[SAMPLE_STATES + 1];

/* Where in its node's method samples were taken: condition + 16 * state + 256 * line. */
enum { SAMPLE_CONDITIONS_MAX = 16, SAMPLE_STATES_MAX = 16 };

/* line 0: not known. */
static inline uint64_t sample_place(uint32_t condition, enum sample_state state, uint32_t line)
{
	return condition +
	       SAMPLE_CONDITIONS_MAX * ((uint64_t)state + SAMPLE_STATES_MAX * (uint64_t)line);
}

static inline uint32_t sample_place_condition(uint64_t place)
{
	return (uint32_t)(place % SAMPLE_CONDITIONS_MAX);
}

/* Of a damaged file it may be SAMPLE_STATES or above. */
static inline uint32_t sample_place_state(uint64_t place)
{
	return (uint32_t)(place / SAMPLE_CONDITIONS_MAX % SAMPLE_STATES_MAX);
}

static inline uint64_t sample_place_line(uint64_t place)
{
	return place / (SAMPLE_CONDITIONS_MAX * SAMPLE_STATES_MAX);
}

/* ---- machine code ---- */

/* The last level of HotSpot's compilers (compilerDefinitions.hpp). */
enum { CODE_LEVEL_MAX = 4 };

/* ---- accounts: what is summed up by call path and subject, and recorded one by one ---- */

/* Subject 0: not known, or none. */
enum subject {
	SUBJECT_FILE,   /* a file's id (table file): it may become its group's */
	SUBJECT_NONE,   /* the call path alone tells: what it is about is always 0 */
	SUBJECT_PLACE,  /* where in the node's method: sample_place(), of which 0 is one */
	SUBJECT_METHOD, /* a method's id (table method) */
	SUBJECT_THROWN, /* two of them: thrown_subject() */
	SUBJECT_LOCK,   /* a lock's id (table lock) */
	SUBJECT_VALUE   /* a value's id (table value) */
};

#define ACCOUNT_KIND_TABLE(X)                                                                   \
	X(IO_OPEN, "open", SUBJECT_FILE, "opens", TRACE_KINDS)                                  \
	X(IO_CLOSE, "close", SUBJECT_FILE, "closes", TRACE_KINDS)                               \
	X(IO_READ, "read", SUBJECT_FILE, "reads", TRACE_KINDS)                                  \
	X(IO_WRITE, "write", SUBJECT_FILE, "writes", TRACE_KINDS)                               \
	/* a read from a socket, a write to one */                                              \
	X(IO_RECEIVE, "receive", SUBJECT_FILE, "received", TRACE_KINDS)                         \
	X(IO_SEND, "send", SUBJECT_FILE, "sent", TRACE_KINDS)                                   \
	X(IO_CONNECT, "connect", SUBJECT_FILE, "connects", TRACE_KINDS)                         \
	/* of the listening socket */                                                           \
	X(IO_ACCEPT, "accept", SUBJECT_FILE, "accepts", TRACE_KINDS)                            \
	X(IO_DELETE, "delete", SUBJECT_FILE, "deletes", TRACE_KINDS)                            \
	/* rename(2), of the old name; mmap(2); fsync(2) and its like; names of hosts */        \
	X(IO_MOVE, "move", SUBJECT_FILE, "moves", TRACE_KINDS)                                  \
	X(IO_MAP, "map", SUBJECT_FILE, "maps", TRACE_KINDS)                                     \
	X(IO_SYNC, "sync", SUBJECT_FILE, "syncs", TRACE_KINDS)                                  \
	X(IO_RESOLVE, "resolve", SUBJECT_FILE, "resolves", TRACE_KINDS)                         \
	/* of those with a time: ns that the thread ran meanwhile */                            \
	X(IO_CPU, "io-cpu", SUBJECT_FILE, "cpu", TRACE_KINDS)                                   \
	/* the amount: in periods */                                                            \
	X(SAMPLES, "sample", SUBJECT_PLACE, "samples", TRACE_KINDS)                             \
	/* that were counted: of the root */                                                    \
	X(CALLS, "call", SUBJECT_METHOD, "calls", TRACE_KINDS)                                  \
	/* of a class; of those, which are no more */                                           \
	X(OBJECTS_ALLOCATED, "allocate", SUBJECT_METHOD, "allocated", TRACE_OBJECTS)            \
	X(OBJECTS_FREED, "free", SUBJECT_METHOD, "freed", TRACE_OBJECTS)                        \
	/* where it was thrown; the amount: objects that had been thrown before */              \
	X(EXCEPTION_THROWN, "throw", SUBJECT_THROWN, "thrown", TRACE_EXCEPTIONS)                \
	/* where its object was made */                                                         \
	X(EXCEPTION_CREATED, "throwable", SUBJECT_METHOD, "created", TRACE_EXCEPTIONS)          \
	/* a contended monitor's enter; Object.wait, failed: timed out; java.util.concurrent */ \
	X(LOCKS_BLOCK, "block", SUBJECT_LOCK, "blocks", TRACE_LOCKS)                            \
	X(LOCKS_WAIT, "wait", SUBJECT_LOCK, "waits", TRACE_LOCKS)                               \
	X(LOCKS_PARK, "park", SUBJECT_LOCK, "parks", TRACE_LOCKS)                               \
	/* others waited for it meanwhile */                                                    \
	X(LOCKS_HOLD, "hold", SUBJECT_LOCK, "held", TRACE_LOCKS)                                \
	/* ns: since its bytes were there */                                                    \
	X(CLASS_LOADED, "load", SUBJECT_METHOD, "loaded", TRACE_CLASSES)                        \
	/* collections that stopped it, ns of theirs */                                         \
	X(PAUSES, "gc", SUBJECT_NONE, "gc", TRACE_GC)                                           \
	/* by Thread.start */                                                                   \
	X(THREAD_STARTED, "start", SUBJECT_NONE, "started", TRACE_THREADS)                      \
	/* that a call with a value got */                                                      \
	X(VALUE_ROWS, "row", SUBJECT_VALUE, "rows", TRACE_KINDS)

/* Of objects failures are those that the JVM told of, by which the others are estimated, and ns is the sum of how many collections
 * there had been before each was allocated. */
enum account_kind {
#define X(kind, name, subject, group, trace) kind,
	ACCOUNT_KIND_TABLE(X)
#undef X
		ACCOUNT_KINDS,
	IO_OPS = IO_RESOLVE + 1, /* operations of I/O are the first ones */
	IO_ACCOUNTS = IO_CPU + 1 /* and with what is told of them beside */
};

/* An account of counted calls has the id ACCOUNT_OF_METHOD + its method's. */
#define ACCOUNT_OF_METHOD 0x40000000u

/* By kind; NULL behind the last. */
extern const char *const account_kind_names[ACCOUNT_KINDS + 1];

/* True for what traces tell: such accounts are in the views of theirs alone. */
static inline int account_kind_is_told(enum account_kind kind)
{
	return kind > CALLS;
}

/* "reads". Static. */
const char *account_kind_group(enum account_kind kind);
enum subject account_kind_subject(enum account_kind kind);

/* What was thrown: the id of its class, and that of the method that caught it; METHOD_ROOT: no Java code did; METHOD_FOLDED: it is
 * not known which. */
static inline uint64_t thrown_subject(uint32_t class, uint32_t catcher)
{
	return (uint64_t)catcher << 32 | class;
}

static inline uint32_t thrown_class(uint64_t subject)
{
	return (uint32_t)subject;
}

static inline uint32_t thrown_catcher(uint64_t subject)
{
	return (uint32_t)(subject >> 32);
}

/* ---- traces: what is told beside calls, samples and I/O ---- */

/* Names are those of the option `traces`. */
#define TRACE_KIND_TABLE(X)                                                                    \
	X(TRACE_OBJECTS, "objects")                                                            \
	X(TRACE_LOCKS, "locks")                                                                \
	X(TRACE_GC, "gc")                                                                      \
	X(TRACE_EXCEPTIONS, "exceptions")                                                      \
	X(TRACE_CLASSES, "classes")                                                            \
	X(TRACE_JIT, "jit")                                                                    \
	X(TRACE_THREADS, "threads")                                                            \
	X(TRACE_EVENTS, "events")

enum trace_kind {
#define X(kind, name) kind,
	TRACE_KIND_TABLE(X)
#undef X
		TRACE_KINDS
};

/* By kind; NULL behind the last. */
extern const char *const trace_kind_names[TRACE_KINDS + 1];

/* The trace that such accounts are of; TRACE_KINDS: of none. */
enum trace_kind account_kind_trace(enum account_kind kind);

/* ---- what is told of each call of watched methods ---- */

#define CALL_FIGURE_TABLE(X)                                                                   \
	X(CALL_ELAPSED, "elapsed") /* wall clock, from entry to exit */                        \
	X(CALL_BASE, "base")       /* the same, in the method itself */                        \
	X(CALL_CPU, "cpu")         /* processor time, from entry to exit */                    \
	/* What the whole process used from entry to exit, by the metric's id. */              \
	CALL_PROCESS_ROW(X, 0)                                                                 \
	CALL_PROCESS_ROW(X, 1)                                                                 \
	CALL_PROCESS_ROW(X, 2)                                                                 \
	CALL_PROCESS_ROW(X, 3)                                                                 \
	CALL_PROCESS_ROW(X, 4)                                                                 \
	CALL_PROCESS_ROW(X, 5)                                                                 \
	CALL_PROCESS_ROW(X, 6)                                                                 \
	CALL_PROCESS_ROW(X, 7)                                                                 \
	CALL_PROCESS_ROW(X, 8)                                                                 \
	CALL_PROCESS_ROW(X, 9)                                                                 \
	CALL_PROCESS_ROW(X, 10)                                                                \
	CALL_PROCESS_ROW(X, 11)                                                                \
	CALL_PROCESS_ROW(X, 12)                                                                \
	CALL_PROCESS_ROW(X, 13)                                                                \
	CALL_PROCESS_ROW(X, 14)                                                                \
	CALL_PROCESS_ROW(X, 15)

#define CALL_PROCESS_ROW(X, metric) X(CALL_PROCESS_##metric, "process_" #metric)

enum call_figure {
#define X(figure, name) figure,
	CALL_FIGURE_TABLE(X)
#undef X
		CALL_FIGURES
};

/* CALL_PROCESS + m: of metric m. */
enum { CALL_PROCESS = CALL_PROCESS_0 };

/* By figure; NULL behind the last. */
extern const char *const call_figure_names[CALL_FIGURES + 1];

/* ---- what I/O is done with ---- */

/* Kind of what operations are done with, its name. */
#define IO_KIND_TABLE(X)                                                                       \
	X(IO_OTHER, "other") /* epoll, eventfd, inotify, what is not known */                  \
	X(IO_FILE, "file")                                                                     \
	X(IO_DIRECTORY, "directory")                                                           \
	X(IO_TCP, "tcp")                                                                       \
	X(IO_UDP, "udp")                                                                       \
	X(IO_UNIX, "unix")                                                                     \
	X(IO_PIPE, "pipe")                                                                     \
	X(IO_TERMINAL, "terminal")                                                             \
	X(IO_HOST, "host")   /* a name that was looked up; not a descriptor */                 \
	X(IO_ENTRY, "entry") /* of an archive, whose path is its peer: what was read of the \
	                      * archive once more */

enum io_kind {
#define X(kind, name) kind,
	IO_KIND_TABLE(X)
#undef X
		IO_KINDS
};

/* How something came to be known: its opening was seen, or it was found open. */
enum io_known { KNOWN_OPEN, KNOWN_ATTACH };

static inline int io_kind_is_socket(enum io_kind kind)
{
	return kind == IO_TCP || kind == IO_UDP || kind == IO_UNIX;
}

/* ---- collections: what the JVM's log calls a section of its work ---- */

#define COLLECTION_KIND_TABLE(X)                                                               \
	X(COLLECTION_PAUSE, "pause")           /* no Java code ran */                          \
	X(COLLECTION_CONCURRENT, "concurrent") /* Java code ran beside it */                   \
	X(COLLECTION_CYCLE, "cycle") /* a whole collection: pauses and what is between them */ \
	X(COLLECTION_PART, "part")   /* of a cycle: one generation's */                        \
	X(COLLECTION_STALL, "stall") /* a thread waited for memory */

enum collection_kind {
#define X(kind, name) kind,
	COLLECTION_KIND_TABLE(X)
#undef X
		COLLECTION_KINDS
};

/* By enum collection_kind; NULL behind the last. */
extern const char *const collection_kind_names[COLLECTION_KINDS + 1];

/* ---- compiled code that is given up ---- */

#define DEOPTIMIZATION_KIND_TABLE(X)                                                           \
	X(DEOPTIMIZATION_TRAP, "trap")           /* a thread went on in the interpreter */     \
	X(DEOPTIMIZATION_DISCARDED, "discarded") /* nobody enters the code any more */

enum deoptimization_kind {
#define X(kind, name) kind,
	DEOPTIMIZATION_KIND_TABLE(X)
#undef X
		DEOPTIMIZATION_KINDS
};

/* By enum deoptimization_kind; NULL behind the last. */
extern const char *const deoptimization_kind_names[DEOPTIMIZATION_KINDS + 1];

/* By enum io_kind; NULL behind the last. */
extern const char *const io_kind_names[IO_KINDS + 1];

#endif

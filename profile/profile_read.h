/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * profile_read: a whole profile in memory, and how things are found in it.
 *
 * In:   a file, finished, being written, or left behind by a killed JVM.
 * Out:  arrays that were checked (ids in range, parents before children), so that reports can index
 *       without asking. All texts are valid UTF-8 (what is not, was replaced by '?'); they may hold any
 *       character but zero. 112 bytes a node and 16 a metric.
 */
#ifndef JPROF_PROFILE_READ_H
#define JPROF_PROFILE_READ_H

#include <stddef.h>

#include "error/error.h"
#include "profile/label_choice.h"
#include "profile/profile.h"

/* From one moment to another. */
struct profile_interval {
	const struct profile_snapshot *from; /* NULL: from the beginning */
	const struct profile_snapshot *to;   /* NULL: to the end */
	uint64_t begin, end;                 /* ns since the session began; end 0: not known */
	/* It is made of whole slices: from and to are snapshots of no file, whose labels are times. */
	bool by_slices;
	size_t slice, slices; /* the first one's place, and how many */
	uint64_t asked[2];    /* for these times; UINT64_MAX at an end that was not named */
	/* values that would have become negative: in a whole file none */
	uint64_t clamped;
};

/* What profile_wanted.interval calls an end of an interval. NULL: it is the beginning, of the recording or of the session
 * whose profile it is, or the end. */
static inline const char *profile_moment_label(const struct profile_snapshot *end)
{
	return end && end->kind != SNAPSHOT_SESSION ? end->label : NULL;
}

/* What a thread did in a slice. */
struct profile_slice_use {
	uint32_t slice;  /* place */
	uint32_t thread; /* id, of a part of a group that of the group */
	uint64_t calls, ops, bytes, io_ns;
	uint64_t samples[SAMPLE_CONDITIONS_MAX]; /* periods, by condition */
	uint64_t total[PROFILE_METRIC_MAX];
};

struct profile {
	struct profile_meta *meta;
	size_t meta_count;

	struct profile_metric metric[PROFILE_METRIC_MAX];
	unsigned metric_count;

	/* On what samples were taken, by id. */
	struct profile_condition *condition;
	size_t condition_count;

	/* Sessions that shared the recording, ordered by id, and the one whose profile this is: what it did not want is left out. NULL:
	 * it was never shared. */
	struct profile_session *sharer;
	size_t sharer_count;
	const struct profile_session *session;

	/* Indexed by method id; ids without a row have class_name NULL and a name that says
	 * so; ids 0 and 1 are the root (name NULL) and a fold. */
	struct profile_method *method;
	uint32_t method_count;

	struct profile_thread *thread; /* ordered by id */
	size_t thread_count;

	/* All nodes, ordered by thread (position in the array above); parents stand before their
	 * children. No two of the same parent, method and line. */
	struct profile_node *node;
	size_t node_count;
	/* thread_first[t] .. thread_first[t + 1] are the nodes of thread t; has thread_count + 1
	 * entries. */
	size_t *thread_first;

	/* Nodes that are no more, ordered by thread and node; also of later than the interval. */
	struct profile_forward *forward;
	size_t forward_count;
	/* Call paths that files and records name; callers stand before what they call. */
	struct profile_path *path;
	size_t path_count;
	/* Files, connections, host names, ordered by id. Their opened_in is a place in the array
	 * above + 1, or 0. */
	struct profile_file *file;
	size_t file_count;
	/* Their file is not an id but its place in the array above + 1, or 0; a sample's place is as written,
	 * of a condition and a state that there are. */
	struct profile_account *account;
	size_t account_count;

	/* Only where records are wanted: threads, ordered by id, and each operation; its thread,
	 * path and file are places in their arrays + 1, or 0. */
	struct profile_record_thread *record_thread;
	size_t record_thread_count;
	struct profile_record *record;
	size_t record_count;

	/* Only where events are wanted: threads, ordered by id; blocks, ordered by id, whose bytes profile_events gives, and whose
	 * thread is a place; and when what was kept was written. */
	struct profile_event_thread *event_thread;
	size_t event_thread_count;
	struct profile_event_block *event_block;
	size_t event_block_count;
	struct profile_event_write *event_write;
	size_t event_write_count;

	/* Only where code is wanted: machine code that the JVM made, ordered by id, whose places can be decoded:
	 * of methods that are known, and within the code. And the instructions of some of it, by id as well. */
	struct profile_code *code;
	size_t code_count;
	struct profile_machine_code *machine_code;
	size_t machine_code_count;

	/* How long calls of watched methods took, in any order: perhaps several rows of one thread, method, figure
	 * and outcome, which add up; none of an interval by_slices. And the slowest that ended in the interval, in any order: of each part of it
	 * between two snapshots as many as were asked for. */
	struct profile_distribution *distribution;
	size_t distribution_count;
	struct profile_slow_call *slow_call;
	size_t slow_call_count;

	/* In order of time. Resets are labelled, too: reset1, reset2, ... */
	struct profile_snapshot *snapshot;
	size_t snapshot_count;
	/* When traces were on, in order of their begins. */
	struct profile_trace_period *trace_period;
	size_t trace_period_count;
	/* Only where collections are wanted, in the order in which they ended. */
	struct profile_collection *collection;
	size_t collection_count;
	/* Only where they are wanted, of threads that were seen in the interval. */
	struct profile_thread_state *thread_state;
	size_t thread_state_count;
	/* Only where classes are wanted. */
	struct profile_class *class;
	size_t class_count;
	struct profile_class_loader *class_loader;
	size_t class_loader_count;
	struct profile_safepoint *safepoint;
	size_t safepoint_count;
	/* Only where compilations are wanted: by the JVM's number, and in the order of time. */
	struct profile_compilation *compilation;
	size_t compilation_count;
	struct profile_deoptimization *deoptimization;
	size_t deoptimization_count;
	/* Of the trace `locks`: all locks, ordered by id; contention that had waits which ended in the interval, ordered by id; the
	 * longest of these, and the waits that were under way at its end, in any order. */
	struct profile_lock *lock;
	size_t lock_count;
	/* What has values, the values, and the members of sets of tags, each ordered by id. */
	struct profile_parameter *parameter;
	size_t parameter_count;
	struct profile_value *value;
	size_t value_count;
	struct profile_tag *tag;
	size_t tag_count;
	/* The same profile with nodes of values and tags as they were written, each behind its method's: their calls are those
	 * of the method that had the value. NULL: there are none. Borrowed, as long as this one. */
	struct profile *labelled;
	/* By node of that: its place here. */
	const uint32_t *labelled_place;
	/* What is read was chosen by labels. Then calls that were counted without a path, and are left out; and, by condition,
	 * samples that came while a call was counted, those under other labels, too: both are of the whole. */
	bool is_chosen;
	uint64_t unlabelled_calls;
	uint64_t counting_samples[SAMPLE_CONDITIONS_MAX];
	struct profile_contention *contention;
	size_t contention_count;
	struct profile_wait *long_wait;
	size_t long_wait_count;
	struct profile_wait *unfinished_wait;
	size_t unfinished_wait_count;
	/* In order of time, one behind the other. */
	struct profile_slice *slice;
	size_t slice_count;
	/* If it is wanted: what threads did in each of the interval, in the order of slices and threads. */
	struct profile_slice_use *slice_use;
	size_t slice_use_count;
	/* In order of time, if they are wanted; mark_count is how many there are anyway. */
	struct profile_mark *mark;
	size_t mark_count;

	/* Between which methods deltas were, ordered by code: of the interval, but for the
	 * minima, which are those of all the time until its end. */
	struct profile_sequence *sequence;
	size_t sequence_count;

	/* What counts, I/O and records are of; meta, methods, files and paths are the file's last
	 * state. Within an interval that does not begin at the beginning, threads and nodes are those
	 * that did something, and what they count is what they did in it; started, ended and the
	 * like are as they were at its end. */
	struct profile_interval interval;
};

/* The value of a meta key, or NULL. Borrowed. */
const char *profile_meta_get(const struct profile *profile, const char *key);

/* The number that it is, or begins with; 0: there is none. */
uint64_t profile_meta_number(const struct profile *profile, const char *key);

/* True if methods were timed, or counted beside samples, as it suited them: a method may have been both, one after the
 * other, and a path that was counted is not put together with the same path that was timed. */
bool profile_is_auto(const struct profile *profile);

/* True for a node in a fold: what is left of a method's calls whose paths were given up. */
static inline bool profile_is_flat(
	const struct profile *profile, const struct profile_node *node)
{
	return profile->node[node->parent].method == METHOD_FOLDED;
}

/* Its JVM has not yet brought it up to date for the first time, or ended before it could.
 */
bool profile_is_unwritten(const struct profile *profile);

/* The place of the first row of that set of tags; tag_count if it has none, as the empty one. The set's other rows are
 * behind it. */
size_t profile_tags_find(const struct profile *profile, uint32_t set);

/* How many other sessions shared the recording with this one at most at a time. */
unsigned profile_others(const struct profile *profile);

/* Where some of the thread's nodes have nothing any more: the thread at that place did what the others did, and of one without anything
 * nothing is left. */
void profile_sum_thread(struct profile *profile, size_t at);

/* Position of the thread of that id, or -1. */
ptrdiff_t profile_thread_find(const struct profile *profile, uint32_t id);

/* Index of a metric by name, or -1. */
int profile_metric_find(const struct profile *profile, const char *name);

/* What is to be read, beside what always is. */
struct profile_wanted {
	bool facts_alone; /* meta, and nothing else: not what always is, nor what follows */
	bool records; /* each I/O operation that was recorded; some 50 bytes of memory each */
	bool events;  /* the trace of events: the file stays open */
	bool code;    /* what compiled code lay where and when, and what is known of it */
	bool machine_code; /* its instructions, too */
	bool marks;        /* the moments that the program named */
	bool thread_states;
	bool classes;      /* that were loaded, and loaders */
	bool collections;  /* of garbage, and safepoints */
	bool compilations; /* of methods, and deoptimizations */
	bool slice_use;    /* what threads did in each slice */
	/* "A..B", labels of snapshots; "A..": to the end; "..B": from the beginning; "..": all. NULL:
	 * from the last reset, if there is one, to the end. "@10s", "@1m30s", "@14:03:20" in a label's place is a time
	 * (moment.h): where there is one, whole slices are meant. */
	const char *interval;
	/* Only what was done under these tags and below these values: -ERROR_MISSING if nothing was. Distributions, slow calls, slices
	 * and events are not read then. NULL: all. */
	const struct label_choice *labels;
};

/* Reads the file. 0, or a negative code with a line that says what the file is
 * instead: empty, truncated, of another kind, of another version. -ERROR_USAGE: the interval
 * is not understood; -ERROR_MISSING: there is no snapshot of that label. */
int profile_open_wanted(struct profile **profile, const char *path,
	const struct profile_wanted *wanted, struct error *error);
/* The same with nothing wanted. */
int profile_open(struct profile **profile, const char *path, struct error *error);

/* The bytes of a block, by its place: borrowed until the next call. 0, or a negative code. By one thread at a time. */
int profile_events(const struct profile *profile, size_t block, struct profile_bytes *bytes,
	struct error *error);

void profile_free(struct profile *profile);

#endif

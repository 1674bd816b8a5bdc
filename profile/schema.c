/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* schema: see schema.h. */
#include "profile/schema.h"

#include <sqlite3.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

static const char *const known_words[] = {"open", "attach", NULL};
static const char *const snapshot_words[] = {"snapshot", "reset", "session", NULL};

/* clang-format off */
#define COLUMN(member, name, kind, comment) {name, comment, kind, offsetof(ROW, member), NULL, false}
#define KEY(member, name, kind, comment)    {name, comment, kind, offsetof(ROW, member), NULL, true}
#define WORD(member, name, words, comment)                                               \
	{name, comment, KIND_WORD, offsetof(ROW, member), words, false}
/* clang-format on */

#define ROW struct profile_meta
static const struct schema_column meta_columns[] = {
	KEY(key, "key", KIND_NAME, ""),
	COLUMN(value, "value", KIND_NAME, ""),
};
#undef ROW

#define ROW struct profile_metric
static const struct schema_column metric_columns[] = {
	KEY(id, "id", KIND_U32, "the i of base_i and total_i"),
	COLUMN(name, "name", KIND_NAME, ""),
	COLUMN(unit, "unit", KIND_NAME, "ns, bytes, objects, count"),
	COLUMN(how, "how", KIND_NAME, "how it was read"),
};
#undef ROW

#define ROW struct profile_condition
static const struct schema_column condition_columns[] = {
	KEY(id, "id", KIND_U32, "0, 1..."),
	COLUMN(name, "name", KIND_NAME, "as it was asked for, cpu:1ms"),
	COLUMN(event, "event", KIND_NAME, "cpu"),
	COLUMN(period, "period", KIND_U64, "in units"),
	COLUMN(unit, "unit", KIND_NAME, "ns, bytes, entries, count"),
	COLUMN(how, "how", KIND_NAME, "how it was sampled"),
};
#undef ROW

#define ROW struct profile_method
static const struct schema_column method_columns[] = {
	KEY(id, "id", KIND_U32, "0 a root, 1 a fold, 2... methods"),
	COLUMN(class_name, "class", KIND_TEXT, "Java name"),
	COLUMN(name, "name", KIND_NAME, ""),
	COLUMN(signature, "signature", KIND_TEXT, "JVM descriptor"),
	COLUMN(is_native, "native", KIND_BOOL, "0 or 1"),
	COLUMN(is_static, "static", KIND_BOOL, "0 or 1"),
	WORD(kind, "kind", method_kind_names, "java, native, jvm, kernel, stub, class, mark"),
	COLUMN(file, "file", KIND_TEXT, "the source's name; NULL: not known"),
	COLUMN(wanted, "wanted", KIND_U32, "bits of the sessions that want it"),
	COLUMN(counted, "counted", KIND_U32, "the same: that want it counted alone"),
	COLUMN(scope, "scope", KIND_U32, "the same: whose scope it opens"),
	COLUMN(watched, "watched", KIND_U32, "the same: that want its distribution"),
};
#undef ROW

#define ROW struct profile_thread
static const struct schema_column thread_columns[] = {
	KEY(id, "id", KIND_U32, "1, 2... as they appeared"),
	COLUMN(group, "group_id", KIND_U32_OR_NULL, "the thread this is a part of; NULL: none"),
	COLUMN(java_id, "java_id", KIND_U64, "Thread.getId()"),
	COLUMN(os_id, "os_id", KIND_U64, "gettid(2)"),
	COLUMN(name, "name", KIND_NAME, ""),
	COLUMN(is_virtual, "virtual", KIND_BOOL, "0 or 1"),
	COLUMN(alive, "alive", KIND_BOOL, "0 or 1"),
	COLUMN(folded, "folded", KIND_U64, "threads this row stands for"),
	COLUMN(events, "events", KIND_U64, "entries and exits seen"),
	COLUMN(unwound, "unwound", KIND_U64, "exits by exception, among the events"),
	COLUMN(repaired, "repaired", KIND_U64, "frames whose exit never came"),
	COLUMN(unmatched, "unmatched", KIND_U64, "exits that matched no frame"),
	COLUMN(lost, "lost", KIND_U64, "entries not recorded"),
	COLUMN(pruned, "pruned", KIND_U64, "nodes folded for want of memory"),
	COLUMN(started, "started", KIND_U64, "ns since the session began"),
	COLUMN(ended, "ended", KIND_U64_OR_NULL, "the same; NULL while alive"),
	COLUMN(mounts, "mounts", KIND_U64, "of virtual threads on carriers"),
	COLUMN(carrier_ns, "carrier_ns", KIND_U64, "ns that they were mounted"),
	COLUMN(waited_ns, "waited_ns", KIND_U64, "ns that it could have run"),
	COLUMN(wanted, "wanted", KIND_U32, "bits of the sessions that want it"),
};
#undef ROW

#define ROW struct profile_node
static const struct schema_column node_columns[] = {
	KEY(id, "id", KIND_ID, "thread * 4294967296 + number, for good"),
	COLUMN(parent, "parent", KIND_CALLER, "id of the caller's node; NULL: a root"),
	COLUMN(thread, "thread", KIND_THREAD, ""),
	COLUMN(method, "method", KIND_U32, ""),
	COLUMN(recursion, "recursion", KIND_U32, "ancestors with the same method"),
	COLUMN(calls, "calls", KIND_U64, ""),
	COLUMN(interpreted, "interpreted", KIND_U64, "calls that ran so"),
	COLUMN(jitted, "jitted", KIND_U64, ""),
	COLUMN(native, "native", KIND_U64, ""),
	COLUMN(transition[PROFILE_ENTRY][PROFILE_ENTRY], "entry_entry", KIND_U64,
		"deltas, by the events at"),
	COLUMN(transition[PROFILE_ENTRY][PROFILE_EXIT], "entry_exit", KIND_U64,
		"their two ends"),
	COLUMN(transition[PROFILE_EXIT][PROFILE_ENTRY], "exit_entry", KIND_U64, ""),
	COLUMN(transition[PROFILE_EXIT][PROFILE_EXIT], "exit_exit", KIND_U64, ""),
	COLUMN(sampled, "sampled", KIND_BOOL, "1: samples alone have found it"),
	COLUMN(line, "line", KIND_U32_OR_NULL,
		"of a call site, a part of its caller; NULL: none"),
	COLUMN(value, "value", KIND_U32_OR_NULL,
		"of calls that had it, a part of its caller; NULL: none"),
	COLUMN(tags, "tags", KIND_U32_OR_NULL,
		"of what had these, a part of its caller; NULL: none"),
};
#undef ROW

#define ROW struct profile_forward
static const struct schema_column forward_columns[] = {
	KEY(node, "id", KIND_ID, "of a node that is no more"),
	COLUMN(to_node, "into_id", KIND_ID_ELSEWHERE, "the node that its counts went to"),
};
#undef ROW

#define ROW struct profile_file
static const struct schema_column file_columns[] = {
	KEY(id, "id", KIND_U64, "1, 2..."),
	WORD(kind, "kind", io_kind_names, "file, directory, tcp, udp, unix, pipe, ..."),
	COLUMN(descriptor, "descriptor", KIND_DESCRIPTOR, "its number; NULL: a name alone"),
	COLUMN(name, "name", KIND_NAME, "path; local address; host name"),
	COLUMN(peer, "peer", KIND_TEXT, "remote address; NULL: none"),
	COLUMN(opened, "opened", KIND_TIME, "ns since the session began, last opening"),
	COLUMN(opened_by, "opened_by", KIND_TEXT, "the thread that did it"),
	COLUMN(opened_in, "opened_in", KIND_U64_OR_NULL, "node that did it; NULL: not known"),
	WORD(known, "known_from", known_words, "open: seen; attach: it was open before"),
	COLUMN(note, "note", KIND_TEXT, "why its entries are not told apart"),
	COLUMN(folded, "folded", KIND_U64, "that went into it; 0: it is one itself"),
	COLUMN(first, "first", KIND_TIME, "ns since the session began, first opening"),
	COLUMN(into, "group_id", KIND_U64_OR_NULL, "the row it was folded into; NULL: none"),
};
#undef ROW

#define ROW struct profile_account
static const struct schema_column account_columns[] = {
	KEY(id, "id", KIND_ID, "thread * 4294967296 + number"),
	COLUMN(thread, "thread", KIND_THREAD, ""),
	COLUMN(node, "node", KIND_ID_IN_THREAD, "id of the call path"),
	COLUMN(subject, "subject", KIND_U64,
		"a file's id, 0: not kept apart; of samples a place, of calls a method's id, "
		"of waits a lock's, of rows of results a value's"),
	WORD(kind, "kind", account_kind_names, "read, write, open, ..., sample"),
	COLUMN(count, "count", KIND_U64, "how many"),
	COLUMN(failures, "failures", KIND_U64, "of them"),
	COLUMN(amount, "amount", KIND_U64, "bytes; of samples periods"),
	COLUMN(ns, "ns", KIND_U64, "from begin to end of each"),
};
#undef ROW

#define ROW struct profile_record_thread /* id and name, as here */
static const struct schema_column kind_columns[] = {
	KEY(id, "id", KIND_U32, ""),
	COLUMN(name, "name", KIND_NAME, "read, write, open, ..."),
};

static const struct schema_column state_columns[] = {
	KEY(id, "id", KIND_U32, ""),
	COLUMN(name, "name", KIND_NAME, "interpreted, c1, c2, ..."),
};

static const struct schema_column record_thread_columns[] = {
	KEY(id, "id", KIND_U32, "of threads that have records"),
	COLUMN(java_id, "java_id", KIND_U64, "Thread.getId()"),
	COLUMN(os_id, "os_id", KIND_U64, "gettid(2)"),
	COLUMN(name, "name", KIND_NAME, ""),
};
#undef ROW

#define ROW struct profile_record
static const struct schema_column record_columns[] = {
	COLUMN(begin, "begin", KIND_U64, "ns since the session began"),
	COLUMN(ns, "ns", KIND_U64, "from begin to end"),
	COLUMN(thread, "thread", KIND_U32, "of record_thread"),
	COLUMN(node, "node", KIND_U64, "id of the call path, or of a forward"),
	COLUMN(subject, "subject", KIND_U64, "as in account; 0: not known"),
	COLUMN(kind, "kind", KIND_U32, "of kind"),
	COLUMN(amount, "amount", KIND_U64, "bytes"),
	COLUMN(failed, "failed", KIND_BOOL, "0 or 1"),
};
#undef ROW

#define ROW struct profile_code
static const struct schema_column code_columns[] = {
	KEY(id, "id", KIND_U32, "1, 2..."),
	COLUMN(method, "method", KIND_U32_OR_NULL, "NULL: the JVM's own code"),
	COLUMN(name, "name", KIND_TEXT, "of the JVM's own code"),
	COLUMN(level, "level", KIND_U32_OR_NULL, "1, 2, 3: the first compiler; 4: the second"),
	COLUMN(address, "address", KIND_U64, ""),
	COLUMN(size, "size", KIND_U64, "bytes"),
	COLUMN(loaded, "loaded", KIND_U64, "ns since the session began; 0: before"),
	COLUMN(unloaded, "unloaded", KIND_U64_OR_NULL, "the same; NULL: it was not"),
	COLUMN(places, "places", KIND_BYTES, "methods and lines; docs/profile-format.md"),
};
#undef ROW

#define ROW struct profile_machine_code
static const struct schema_column machine_code_columns[] = {
	KEY(id, "id", KIND_U32, "of code"),
	COLUMN(bytes, "bytes", KIND_BYTES, "its instructions, as they were at first"),
};
#undef ROW

#define ROW struct profile_snapshot
static const struct schema_column snapshot_columns[] = {
	KEY(id, "id", KIND_U32, "1, 2..., in the order of time"),
	COLUMN(label, "label", KIND_TEXT, "NULL: a reset"),
	COLUMN(at, "at", KIND_U64, "ns since the session began"),
	WORD(kind, "kind", snapshot_words, "snapshot, reset, session"),
	COLUMN(session, "session", KIND_U32_OR_NULL, "whose it is; NULL: of all"),
};
#undef ROW

#define ROW struct profile_session
static const struct schema_column session_columns[] = {
	KEY(id, "id", KIND_U32, "1, 2..."),
	COLUMN(bit, "bit", KIND_U32, "0 to 7: 1 << bit in wanted and the like"),
	COLUMN(name, "name", KIND_NAME, ""),
	COLUMN(owner, "owner", KIND_NAME, "who began it"),
	COLUMN(began, "began", KIND_U64, "ns since the profile was begun"),
	COLUMN(ended, "ended", KIND_TIME, "the same; NULL: it goes on"),
	COLUMN(options, "options", KIND_NAME, "its own, as in meta"),
	COLUMN(snapshot, "snapshot", KIND_U32_OR_NULL,
		"that it begins with; NULL: with the recording"),
	COLUMN(metrics, "metrics", KIND_U32, "bits by id"),
	COLUMN(conditions, "conditions", KIND_U32, "bits by id"),
	COLUMN(traces, "traces", KIND_U32, "bits; docs/profile-format.md"),
	COLUMN(lines, "lines", KIND_BOOL, "1: call sites are wanted"),
	COLUMN(scoped, "scoped", KIND_BOOL, "1: only what methods of its scope did"),
	COLUMN(tag, "tag", KIND_TEXT, "KEY=PATTERN, its scope; NULL: none"),
	COLUMN(watches, "watches", KIND_BOOL, "1: distributions are wanted"),
	COLUMN(records, "records", KIND_BOOL, "1: operations one by one"),
	COLUMN(code, "code", KIND_BOOL, "1: instructions are wanted"),
	COLUMN(without_io, "without_io", KIND_BOOL, "1: nothing of I/O"),
};
#undef ROW

#define ROW struct profile_slice
static const struct schema_column slice_columns[] = {
	KEY(id, "id", KIND_U32, "without a meaning"),
	COLUMN(began, "began", KIND_U64, "ns since the session began"),
	COLUMN(ended, "ended", KIND_U64, "the same; the next one began then"),
	COLUMN(rows, "rows", KIND_U64, "that the tables have of it"),
};
#undef ROW

#define ROW struct profile_thread
static const struct schema_column slice_thread_columns[] = {
	KEY(id, "id", KIND_U32, ""),
	COLUMN(events, "events", KIND_U64, ""),
	COLUMN(unwound, "unwound", KIND_U64, ""),
	COLUMN(repaired, "repaired", KIND_U64, ""),
	COLUMN(unmatched, "unmatched", KIND_U64, ""),
	COLUMN(lost, "lost", KIND_U64, ""),
	COLUMN(pruned, "pruned", KIND_U64, ""),
	COLUMN(mounts, "mounts", KIND_U64, ""),
	COLUMN(carrier_ns, "carrier_ns", KIND_U64, ""),
	COLUMN(waited_ns, "waited_ns", KIND_U64, ""),
};
#undef ROW

#define ROW struct profile_slice_node
static const struct schema_column slice_node_columns[] = {
	KEY(id, "id", KIND_ID, ""),
	COLUMN(calls, "calls", KIND_U64, ""),
	COLUMN(interpreted, "interpreted", KIND_U64, ""),
	COLUMN(jitted, "jitted", KIND_U64, ""),
	COLUMN(native, "native", KIND_U64, ""),
	COLUMN(transition[PROFILE_ENTRY][PROFILE_ENTRY], "entry_entry", KIND_U64, ""),
	COLUMN(transition[PROFILE_ENTRY][PROFILE_EXIT], "entry_exit", KIND_U64, ""),
	COLUMN(transition[PROFILE_EXIT][PROFILE_ENTRY], "exit_entry", KIND_U64, ""),
	COLUMN(transition[PROFILE_EXIT][PROFILE_EXIT], "exit_exit", KIND_U64, ""),
};
#undef ROW

#define ROW struct profile_account
static const struct schema_column slice_account_columns[] = {
	KEY(node, "node", KIND_ID, ""),
	KEY(subject, "subject", KIND_U64, ""),
	{"kind", "", KIND_WORD, offsetof(ROW, kind), account_kind_names, true},
	COLUMN(count, "count", KIND_U64, ""),
	COLUMN(failures, "failures", KIND_U64, ""),
	COLUMN(amount, "amount", KIND_U64, ""),
	COLUMN(ns, "ns", KIND_U64, ""),
};
#undef ROW

#define ROW struct profile_slice_sequence
static const struct schema_column slice_sequence_columns[] = {
	KEY(code, "id", KIND_U32, ""),
	COLUMN(count, "count", KIND_U64, ""),
};
#undef ROW

#define ROW struct profile_parameter
static const struct schema_column parameter_columns[] = {
	KEY(id, "id", KIND_U32, "1, 2..."),
	COLUMN(name, "name", KIND_NAME, "as it was asked for; of a tag its key"),
	COLUMN(is_tag, "tag", KIND_BOOL, "1: a key of tags"),
	COLUMN(wanted, "wanted", KIND_U32, "bits of the sessions that want it"),
};
#undef ROW

#define ROW struct profile_value
static const struct schema_column value_columns[] = {
	KEY(id, "id", KIND_U32, "1, 2..."),
	COLUMN(parameter, "parameter", KIND_U32, "id"),
	COLUMN(text, "text", KIND_TEXT, "NULL: null, or others"),
	COLUMN(others, "others", KIND_BOOL, "1: all behind the first so many"),
};
#undef ROW

#define ROW struct profile_tag
static const struct schema_column tag_columns[] = {
	KEY(id, "id", KIND_U32, "1, 2..."),
	COLUMN(set, "tags", KIND_U32, "the set, 2...; 1 is the empty one"),
	COLUMN(value, "value", KIND_U32, "id"),
};
#undef ROW

#define ROW struct profile_contention
static const struct schema_column slice_contention_columns[] = {
	KEY(id, "id", KIND_U32, ""),
	COLUMN(count, "count", KIND_U64, ""),
	COLUMN(failures, "failures", KIND_U64, ""),
	COLUMN(ns, "ns", KIND_U64, ""),
};
#undef ROW

#define ROW struct profile_thread_state
static const struct schema_column slice_thread_state_columns[] = {
	KEY(id, "id", KIND_U32, ""),
	COLUMN(ns, "ns", KIND_U64, ""),
	COLUMN(running, "running", KIND_U64, ""),
	COLUMN(runnable, "runnable", KIND_U64, ""),
	COLUMN(voluntary, "voluntary", KIND_U64, ""),
	COLUMN(involuntary, "involuntary", KIND_U64, ""),
};
#undef ROW

#define ROW struct profile_mark
static const struct schema_column mark_columns[] = {
	COLUMN(at, "at", KIND_U64, "ns since the session began"),
	COLUMN(java_id, "java_id", KIND_U64, "Thread.getId() of who set it; 0: nobody"),
	COLUMN(thread, "thread", KIND_TEXT, "its name; NULL: not known"),
	COLUMN(name, "name", KIND_NAME, ""),
};
#undef ROW

#define ROW struct profile_trace_period
static const struct schema_column trace_period_columns[] = {
	KEY(id, "id", KIND_U32, "1, 2..."),
	WORD(trace, "trace", trace_kind_names, "objects, locks, gc, ..."),
	COLUMN(began, "began", KIND_U64, "ns since the session began"),
	COLUMN(ended, "ended", KIND_TIME, "the same; NULL: it is on"),
};
#undef ROW

#define ROW struct profile_event_thread
static const struct schema_column event_thread_columns[] = {
	KEY(id, "id", KIND_U32, "of threads whose events were told"),
	COLUMN(row, "row", KIND_U32, "id of thread, where that is not folded"),
	COLUMN(java_id, "java_id", KIND_U64, "Thread.getId()"),
	COLUMN(os_id, "os_id", KIND_U64, "gettid(2)"),
	COLUMN(name, "name", KIND_NAME, ""),
	COLUMN(is_virtual, "virtual", KIND_BOOL, "0 or 1"),
};
#undef ROW

#define ROW struct profile_event_block
static const struct schema_column event_block_columns[] = {
	KEY(id, "id", KIND_U64, "1, 2... as they were written"),
	COLUMN(thread, "thread", KIND_U32, "of event_thread"),
	COLUMN(number, "number", KIND_U32, "1, 2... of the thread; with gaps"),
	COLUMN(first, "first", KIND_U64, "ns since the session began"),
	COLUMN(last, "last", KIND_U64, "the same, of the last event"),
	COLUMN(count, "count", KIND_U64, "events"),
	COLUMN(lost, "lost", KIND_U64, "events that were lost before"),
	COLUMN(bytes, "bytes", KIND_BYTES_LATER, "the events; docs/profile-format.md"),
};
#undef ROW

#define ROW struct profile_event_write
static const struct schema_column event_write_columns[] = {
	KEY(id, "id", KIND_U32, "1, 2..."),
	COLUMN(at, "at", KIND_U64, "ns since the session began"),
	COLUMN(begin, "begin", KIND_U64, "the same: all since then is there"),
	COLUMN(reason, "reason", KIND_NAME, "what for"),
	COLUMN(whole, "whole", KIND_BOOL, "0: some of it had gone already"),
};
#undef ROW

#define ROW struct profile_collection
static const struct schema_column collection_columns[] = {
	KEY(id, "id", KIND_U32, "1, 2..., as they ended"),
	COLUMN(number, "number", KIND_U64, "the JVM's, of all that is of one collection"),
	WORD(kind, "kind", collection_kind_names, "pause, concurrent, cycle, part, stall"),
	COLUMN(name, "name", KIND_NAME, "as the JVM's log has it"),
	COLUMN(cause, "cause", KIND_TEXT, "NULL: the log does not say"),
	COLUMN(began, "began", KIND_TIME, "ns since the session began"),
	COLUMN(ns, "ns", KIND_U64, "from begin to end"),
	COLUMN(before, "before", KIND_TIME, "bytes of the heap; NULL: not said"),
	COLUMN(after, "after", KIND_TIME, "the same"),
	COLUMN(total, "total", KIND_TIME, "the same: how large it is"),
};
#undef ROW

#define ROW struct profile_safepoint
static const struct schema_column safepoint_columns[] = {
	KEY(id, "id", KIND_U32, "1, 2..., as they ended"),
	COLUMN(operation, "operation", KIND_NAME, "what threads were stopped for"),
	COLUMN(began, "began", KIND_TIME, "ns since the session began"),
	COLUMN(ns, "ns", KIND_U64, "from begin to end"),
	COLUMN(reaching_ns, "reaching_ns", KIND_U64, "of it: until all threads stood"),
	COLUMN(cleanup_ns, "cleanup_ns", KIND_U64, "before the operation, or behind it"),
	COLUMN(at_ns, "at_ns", KIND_U64, "the operation"),
	COLUMN(threads, "threads", KIND_U64_OR_NULL, "that there were; NULL: not said"),
	COLUMN(running, "running", KIND_U64_OR_NULL, "that ran; NULL: none, or not said"),
};
#undef ROW

#define ROW struct profile_compilation
static const struct schema_column compilation_columns[] = {
	KEY(id, "id", KIND_U32, "the JVM's number"),
	COLUMN(class_name, "class", KIND_NAME, "Java name"),
	COLUMN(name, "name", KIND_NAME, ""),
	COLUMN(signature, "signature", KIND_TEXT, "JVM descriptor; NULL: not known"),
	COLUMN(level, "level", KIND_U32, "1, 2, 3: the first compiler; 4: the second"),
	COLUMN(bytecodes, "bytecodes", KIND_U64, "bytes of the method; 0: a native one"),
	COLUMN(osr, "osr", KIND_TIME, "the loop's bytecode; NULL: the whole method"),
	COLUMN(began, "began", KIND_U64, "ns since the session began"),
	COLUMN(ns, "ns", KIND_TIME, "until its code was installed; NULL: not known"),
	COLUMN(failed, "failed", KIND_TEXT, "why there is no code; NULL: there is"),
};
#undef ROW

#define ROW struct profile_deoptimization
static const struct schema_column deoptimization_columns[] = {
	KEY(id, "id", KIND_U32, "1, 2..."),
	WORD(kind, "kind", deoptimization_kind_names, "trap, discarded"),
	COLUMN(at, "at", KIND_U64, "ns since the session began"),
	COLUMN(compilation, "compilation", KIND_U32, "whose code it is"),
	COLUMN(class_name, "class", KIND_NAME, "of the method"),
	COLUMN(name, "name", KIND_NAME, ""),
	COLUMN(signature, "signature", KIND_TEXT, "NULL: not known"),
	COLUMN(level, "level", KIND_U32, "as in compilation"),
	COLUMN(bytecode, "bytecode", KIND_TIME, "where; NULL: not known"),
	COLUMN(reason, "reason", KIND_TEXT, "NULL: the JVM does not say"),
	COLUMN(action, "action", KIND_TEXT, "the same: what it does about it"),
};
#undef ROW

#define ROW struct profile_thread_state
static const struct schema_column thread_state_columns[] = {
	KEY(id, "id", KIND_U32, "1, 2..."),
	COLUMN(os_id, "os_id", KIND_U64, "gettid(2)"),
	COLUMN(name, "name", KIND_NAME, "Java's, or the system's; cut"),
	COLUMN(from, "first", KIND_U64, "look; ns since the session began"),
	COLUMN(to, "last", KIND_U64, "the same"),
	COLUMN(ns, "ns", KIND_U64, "of these: seen, while the trace was on"),
	COLUMN(running, "running", KIND_U64, "ns"),
	COLUMN(runnable, "runnable", KIND_U64, "ns, without a processor"),
	COLUMN(voluntary, "voluntary", KIND_U64, "times that it left a processor"),
	COLUMN(involuntary, "involuntary", KIND_U64, "times that it was taken one"),
	COLUMN(ended, "ended", KIND_BOOL, "0 or 1"),
};
#undef ROW

#define ROW struct profile_class
static const struct schema_column class_columns[] = {
	KEY(id, "id", KIND_U32, "1, 2..., as they were loaded"),
	COLUMN(name, "name", KIND_U32, "of method, kind class"),
	COLUMN(loader, "loader", KIND_U32, "of class_loader"),
	COLUMN(loaded, "loaded", KIND_TIME, "ns since the session began"),
	COLUMN(linked, "linked", KIND_TIME, "the same; NULL: it was not"),
	COLUMN(initialized, "initialized", KIND_TIME, "its begin; NULL: not seen"),
	COLUMN(unloaded, "unloaded", KIND_TIME, "the same; NULL: it was not"),
	COLUMN(ns, "ns", KIND_TIME, "from bytes to a class; NULL: not known"),
};
#undef ROW

#define ROW struct profile_class_loader
static const struct schema_column class_loader_columns[] = {
	KEY(id, "id", KIND_U32, "1, 2..."),
	COLUMN(class_name, "class", KIND_NAME, "Java name"),
	COLUMN(name, "name", KIND_TEXT, "ClassLoader.getName(); NULL: none"),
	COLUMN(before, "before", KIND_U64, "classes that were there already"),
	COLUMN(loaded, "loaded", KIND_U64, "classes since"),
	COLUMN(unloaded, "unloaded", KIND_U64, "of these"),
	COLUMN(gone, "gone", KIND_BOOL, "1: it was collected"),
};
#undef ROW

#define ROW struct profile_lock
static const struct schema_column lock_columns[] = {
	KEY(id, "id", KIND_U32, "1, 2..."),
	COLUMN(class_name, "class", KIND_NAME, "Java name; empty: without an object"),
	COLUMN(number, "number", KIND_TIME, "identity hash code; NULL: of many objects"),
};
#undef ROW

#define ROW struct profile_contention
static const struct schema_column contention_columns[] = {
	KEY(id, "id", KIND_U32, "1, 2..."),
	COLUMN(node, "node", KIND_U64_OR_NULL, "the waiter's call path; NULL: of many"),
	COLUMN(holder, "holder", KIND_U64_OR_NULL, "the holder's; NULL: none is known"),
	COLUMN(lock, "lock", KIND_U32_OR_NULL, "id; NULL: of many"),
	WORD(kind, "kind", account_kind_names, "block, wait, park"),
	COLUMN(count, "count", KIND_U64, "waits"),
	COLUMN(failures, "failures", KIND_U64, "that timed out"),
	COLUMN(ns, "ns", KIND_U64, "from begin to end of each"),
	COLUMN(longest, "longest", KIND_U64, "ns"),
	COLUMN(began, "longest_began", KIND_U64, "ns since the session began"),
};
#undef ROW

#define ROW struct profile_wait
static const struct schema_column long_wait_columns[] = {
	KEY(id, "id", KIND_U32, "1, 2..., in no order"),
	COLUMN(begin, "begin", KIND_U64, "ns since the session began"),
	COLUMN(ns, "ns", KIND_U64, "from begin to end"),
	COLUMN(node, "node", KIND_U64_OR_NULL, "the waiter's call path"),
	COLUMN(holder, "holder", KIND_U64_OR_NULL, "the holder's; NULL: none is known"),
	COLUMN(lock, "lock", KIND_U32_OR_NULL, "id"),
	WORD(kind, "kind", account_kind_names, "block, wait, park"),
	COLUMN(contention, "contention", KIND_U32, "id of the row that counts it"),
};

static const struct schema_column unfinished_wait_columns[] = {
	KEY(id, "id", KIND_U32, "1, 2..., in no order"),
	COLUMN(begin, "begin", KIND_U64, "ns since the session began"),
	COLUMN(ns, "ns", KIND_U64, "so far; when the trace ended, then"),
	COLUMN(node, "node", KIND_U64_OR_NULL, "the waiter's call path"),
	COLUMN(holder, "holder", KIND_U64_OR_NULL, "the holder's; NULL: none is known"),
	COLUMN(lock, "lock", KIND_U32_OR_NULL, "id"),
	WORD(kind, "kind", account_kind_names, "block, wait, park"),
};
#undef ROW

#define ROW struct profile_sequence
static const struct schema_column sequence_columns[] = {
	KEY(code, "id", KIND_U32, "the code"),
	COLUMN(first, "first", KIND_TEXT, "the method before; NULL: any"),
	COLUMN(begin, "begin", KIND_TEXT, "entry, exit; NULL: any"),
	COLUMN(second, "second", KIND_TEXT, "the method that the delta is in"),
	COLUMN(end, "end", KIND_TEXT, "entry, exit, unwind"),
	COLUMN(third, "third", KIND_TEXT, "the method after; NULL: any"),
	COLUMN(count, "count", KIND_U64, "deltas"),
};
#undef ROW

#define ROW struct profile_distribution
static const struct schema_column distribution_columns[] = {
	KEY(id, "id", KIND_ID, "thread * 4294967296 + number"),
	COLUMN(thread, "thread", KIND_THREAD, ""),
	COLUMN(method, "method", KIND_U32, ""),
	WORD(figure, "figure", call_figure_names, "elapsed, base, cpu, process_i"),
	COLUMN(failed, "failed", KIND_BOOL, "1: of calls that an exception left"),
	COLUMN(count, "count", KIND_U64, "calls"),
	COLUMN(sum, "sum", KIND_U64, "ns; of process_i the metric's unit"),
	COLUMN(least, "least", KIND_U64, ""),
	COLUMN(most, "most", KIND_U64, ""),
	COLUMN(unplaced, "unplaced", KIND_U64, "of count, in no bucket"),
	COLUMN(buckets, "buckets", KIND_BYTES, "docs/profile-format.md"),
};
#undef ROW

#define ROW struct profile_slow_call
static const struct schema_column slow_call_columns[] = {
	KEY(id, "id", KIND_U32, "1, 2..."),
	COLUMN(method, "method", KIND_U32, ""),
	COLUMN(thread, "thread", KIND_U32, "of thread, or of a forward's root"),
	COLUMN(began, "began", KIND_U64, "ns since the session began"),
	COLUMN(elapsed, "elapsed", KIND_U64, "ns from entry to exit"),
	COLUMN(base, "base", KIND_TIME, "ns in the method itself; NULL: not known"),
	COLUMN(cpu, "cpu", KIND_TIME, "ns; NULL: not counted"),
	COLUMN(own, "own", KIND_U64, "of elapsed, ns that jprof is known to have used"),
	COLUMN(failed, "failed", KIND_BOOL, "1: an exception left it"),
	COLUMN(bytes, "tree", KIND_BYTES, "docs/profile-format.md; NULL: not known"),
};
#undef ROW

/* clang-format off */
#define COLUMNS(columns) columns, sizeof columns / sizeof *columns
#define TOTAL {{"total", offsetof(struct profile_thread, total), false}}
#define BASE {{"base", offsetof(struct profile_node, base), true}, \
	{"spent", offsetof(struct profile_node, spent), true}}
#define SUM {{"sum", offsetof(struct profile_sequence, sum), true}, \
	{"min", offsetof(struct profile_sequence, min), true}}

#define PROCESS {{"process", offsetof(struct profile_slow_call, process), false}}

#define SLICE_BASE {{"base", offsetof(struct profile_slice_node, base), false}, \
	{"spent", offsetof(struct profile_slice_node, spent), false}}
#define SLICE_SUM {{"sum", offsetof(struct profile_slice_sequence, sum), false}}

const struct schema_table schema_tables[TABLE_COUNT] = {
	[TABLE_META] = {.name = "meta", COLUMNS(meta_columns)},
	[TABLE_METRIC] = {.name = "metric", COLUMNS(metric_columns)},
	[TABLE_CONDITION] = {.name = "condition", COLUMNS(condition_columns)},
	[TABLE_METHOD] = {.name = "method", COLUMNS(method_columns)},
	[TABLE_THREAD] = {.name = "thread", COLUMNS(thread_columns), TOTAL},
	[TABLE_NODE] = {.name = "node", COLUMNS(node_columns), BASE},
	[TABLE_FORWARD] = {.name = "forward", COLUMNS(forward_columns), .once = true},
	[TABLE_FILE] = {.name = "file", COLUMNS(file_columns)},
	[TABLE_ACCOUNT] = {.name = "account", COLUMNS(account_columns)},
	[TABLE_KIND] = {.name = "kind", COLUMNS(kind_columns)},
	[TABLE_STATE] = {.name = "state", COLUMNS(state_columns)},
	[TABLE_RECORD_THREAD] = {.name = "record_thread", COLUMNS(record_thread_columns)},
	[TABLE_RECORD] = {.name = "record", COLUMNS(record_columns)},
	[TABLE_CODE] = {.name = "code", COLUMNS(code_columns)},
	[TABLE_MACHINE_CODE] = {.name = "machine_code", COLUMNS(machine_code_columns),
		.once = true},
	[TABLE_SNAPSHOT] = {.name = "snapshot", COLUMNS(snapshot_columns)},
	[TABLE_SESSION] = {.name = "session", COLUMNS(session_columns)},
	[TABLE_MARK] = {.name = "mark", COLUMNS(mark_columns)},
	[TABLE_TRACE_PERIOD] = {.name = "trace_period", COLUMNS(trace_period_columns)},
	[TABLE_EVENT_THREAD] = {.name = "event_thread", COLUMNS(event_thread_columns)},
	[TABLE_EVENT_BLOCK] = {.name = "event_block", COLUMNS(event_block_columns)},
	[TABLE_EVENT_WRITE] = {.name = "event_write", COLUMNS(event_write_columns)},
	[TABLE_COLLECTION] = {.name = "collection", COLUMNS(collection_columns)},
	[TABLE_SAFEPOINT] = {.name = "safepoint", COLUMNS(safepoint_columns)},
	[TABLE_COMPILATION] = {.name = "compilation", COLUMNS(compilation_columns)},
	[TABLE_DEOPTIMIZATION] = {.name = "deoptimization", COLUMNS(deoptimization_columns)},
	[TABLE_THREAD_STATE] = {.name = "thread_state", COLUMNS(thread_state_columns)},
	[TABLE_CLASS] = {.name = "class", COLUMNS(class_columns)},
	[TABLE_CLASS_LOADER] = {.name = "class_loader", COLUMNS(class_loader_columns)},
	[TABLE_LOCK] = {.name = "lock", COLUMNS(lock_columns)},
	[TABLE_PARAMETER] = {.name = "parameter", COLUMNS(parameter_columns)},
	[TABLE_VALUE] = {.name = "value", COLUMNS(value_columns)},
	[TABLE_TAG] = {.name = "tag", COLUMNS(tag_columns)},
	[TABLE_CONTENTION] = {.name = "contention", COLUMNS(contention_columns)},
	[TABLE_LONG_WAIT] = {.name = "long_wait", COLUMNS(long_wait_columns)},
	[TABLE_UNFINISHED_WAIT] = {.name = "unfinished_wait",
		COLUMNS(unfinished_wait_columns)},
	[TABLE_SEQUENCE] = {.name = "sequence", COLUMNS(sequence_columns), SUM},
	[TABLE_DISTRIBUTION] = {.name = "distribution", COLUMNS(distribution_columns)},
	[TABLE_SLOW_CALL] = {.name = "slow_call", COLUMNS(slow_call_columns), PROCESS},
	[TABLE_SNAPSHOT_THREAD] = {.name = "snapshot_thread", COLUMNS(thread_columns), TOTAL,
		.copy = true},
	[TABLE_SNAPSHOT_NODE] = {.name = "snapshot_node", COLUMNS(node_columns), BASE,
		.copy = true},
	[TABLE_SNAPSHOT_ACCOUNT] = {.name = "snapshot_account", COLUMNS(account_columns),
		.copy = true},
	[TABLE_SNAPSHOT_SEQUENCE] = {.name = "snapshot_sequence", COLUMNS(sequence_columns),
		SUM, .copy = true},
	[TABLE_SLICE] = {.name = "slice", COLUMNS(slice_columns)},
	[TABLE_SLICE_THREAD] = {.name = "slice_thread", COLUMNS(slice_thread_columns), TOTAL,
		.added = true},
	[TABLE_SLICE_NODE] = {.name = "slice_node", COLUMNS(slice_node_columns), SLICE_BASE,
		.added = true},
	[TABLE_SLICE_ACCOUNT] = {.name = "slice_account", COLUMNS(slice_account_columns),
		.added = true},
	[TABLE_SLICE_SEQUENCE] = {.name = "slice_sequence", COLUMNS(slice_sequence_columns),
		SLICE_SUM, .added = true},
	[TABLE_SLICE_CONTENTION] = {.name = "slice_contention",
		COLUMNS(slice_contention_columns), .added = true},
	[TABLE_SLICE_THREAD_STATE] = {.name = "slice_thread_state",
		COLUMNS(slice_thread_state_columns), .added = true},
	[TABLE_SNAPSHOT_DISTRIBUTION] = {.name = "snapshot_distribution",
		COLUMNS(distribution_columns), .copy = true},
	[TABLE_SNAPSHOT_CONTENTION] = {.name = "snapshot_contention",
		COLUMNS(contention_columns), .copy = true},
	[TABLE_SNAPSHOT_THREAD_STATE] = {.name = "snapshot_thread_state",
		COLUMNS(thread_state_columns), .copy = true},
};
/* clang-format on */

/* The node that has the counts of the one with that id. */
#define NODE_NOW(id)                                                                           \
	"(WITH RECURSIVE go(id) AS (\n"                                                        \
	"\t\tSELECT " id " UNION SELECT into_id FROM go JOIN forward USING(id))\n"             \
	"\t\tSELECT id FROM go WHERE id NOT IN (SELECT id FROM forward))"

/* A view's SELECT in two halves; between them stand the metrics, each as metric_format
 * (its index, then its name) says. */
struct schema_view {
	const char *name, *head, *metric_format, *tail;
};

_Static_assert(IO_OPS == 13, "the view of operations has them");
_Static_assert(CALL_FIGURES == CALL_PROCESS + PROFILE_METRIC_MAX, "a figure for each metric");

static const struct schema_view views[] = {
	{"threads",
		"SELECT g.id AS id, g.name AS name, g.java_id AS java_id, g.os_id AS os_id,\n"
		"\tg.virtual AS virtual, g.alive AS alive, g.folded AS folded,\n"
		"\tsum(t.events) AS events, sum(t.unwound) AS unwound,\n"
		"\tsum(t.repaired) AS repaired, sum(t.unmatched) AS unmatched,\n"
		"\tsum(t.lost) AS lost, sum(t.pruned) AS pruned, g.started AS started,\n"
		"\tg.ended AS ended, sum(t.mounts) AS mounts,\n"
		"\tsum(t.carrier_ns) AS carrier_ns, sum(t.waited_ns) AS waited_ns",
		",\n\tsum(t.total_%u) AS \"%w\"",
		"\nFROM thread t JOIN thread g ON g.id = coalesce(t.group_id, t.id)\n"
		"GROUP BY g.id"},
	/* What a root used, outside every included method, is the row without a method. Calls
	 * that were counted are of no node; those that had a value are counted in that's node once more. */
	{"methods",
		"SELECT m.class AS class, m.name AS method, m.signature AS signature,\n"
		"\tm.native AS native, m.static AS static,\n"
		"\tCASE WHEN c.calls IS NULL\n"
		"\tTHEN sum(CASE n.sampled WHEN 0 THEN n.calls * (n.value IS NULL) END)\n"
		"\tELSE c.calls + coalesce(sum(n.calls * (n.value IS NULL)), 0) END AS calls,\n"
		"\tsum(n.interpreted * (n.value IS NULL)) AS entered_interpreted,\n"
		"\tsum(n.jitted * (n.value IS NULL)) AS entered_jitted,\n"
		"\tsum(n.native * (n.value IS NULL)) AS entered_native",
		",\n\tsum(n.base_%u) AS \"%w\"",
		"\nFROM method m LEFT JOIN node n ON n.method = m.id\n"
		"\tLEFT JOIN (SELECT subject AS method, sum(count) AS calls FROM account\n"
		"\tWHERE kind = 'call' GROUP BY subject) c ON c.method = m.id\n"
		"GROUP BY m.id HAVING n.id IS NOT NULL OR c.calls > 0"},
	{"operations",
		"SELECT f.kind AS kind, f.descriptor AS descriptor, f.name AS name,\n"
		"\tf.peer AS peer, t.name AS thread, m.class AS class, m.name AS method,\n"
		"\ti.kind AS operation, i.count AS ops, i.failures AS failures,\n"
		"\ti.amount AS bytes, i.ns AS ns, f.folded AS folded",
		"",
		"\nFROM account i LEFT JOIN file f ON f.id = i.subject\n"
		"\tLEFT JOIN thread t ON t.id = i.thread\n"
		"\tLEFT JOIN node n ON n.id = i.node LEFT JOIN method m ON m.id = n.method\n"
		"WHERE i.kind IN (SELECT name FROM kind WHERE id < 13)"},
	/* The subject is a place: sample_place() in kinds.h. */
	{"samples",
		"SELECT t.name AS thread, m.class AS class, m.name AS method,\n"
		"\tm.kind AS kind, m.file AS file, c.name AS condition, s.name AS state,\n"
		"\tnullif(a.subject >> 8, 0) AS line, a.count AS count, a.amount AS amount",
		"",
		"\nFROM account a LEFT JOIN condition c ON c.id = a.subject & 15\n"
		"\tLEFT JOIN state s ON s.id = a.subject >> 4 & 15\n"
		"\tLEFT JOIN thread t ON t.id = a.thread\n"
		"\tLEFT JOIN node n ON n.id = " NODE_NOW(
			"a.node") "\n"
				  "\tLEFT JOIN method m ON m.id = n.method\nWHERE a.kind = "
				  "'sample'"},
	{"records",
		"SELECT r.begin AS begin, r.ns AS ns, t.name AS thread, m.class AS class,\n"
		"\tm.name AS method, o.name AS operation, f.kind AS kind,\n"
		"\tf.descriptor AS descriptor, f.name AS name, f.peer AS peer,\n"
		"\tr.amount AS bytes, r.failed AS failed",
		"",
		"\nFROM record r LEFT JOIN record_thread t ON t.id = r.thread\n"
		"\tLEFT JOIN kind o ON o.id = r.kind\n"
		"\tLEFT JOIN file f ON f.id = r.subject\n"
		"\tLEFT JOIN node n ON n.id = " NODE_NOW(
			"r.node") "\n"
				  "\tLEFT JOIN method m ON m.id = n.method"},
	/* The caller of a sampled node may have been folded: then it is what has its counts.
	 * Depth first: of the rows that wait the deepest goes on, of those the oldest.
	 * SQLite leaves the order of a subquery out when it is joined, unless that has a
	 * limit. */
	{"tree",
		"WITH RECURSIVE edge(id, parent) AS (\n"
		"\tSELECT id, parent FROM node\n"
		"\tUNION ALL\n"
		"\tSELECT e.id, f.into_id FROM edge e JOIN forward f ON f.id = e.parent),\n"
		"walk(id, level) AS (\n"
		"\tSELECT id, 0 FROM node WHERE parent IS NULL\n"
		"\tUNION ALL\n"
		"\tSELECT e.id, walk.level + 1\n"
		"\tFROM walk JOIN edge e ON e.parent = walk.id\n"
		"\tORDER BY 2 DESC, 1 LIMIT -1)\n"
		"SELECT n.id AS id, n.parent AS parent, t.name AS thread,\n"
		"\twalk.level AS level, n.recursion AS recursion, m.class AS class,\n"
		"\tm.name AS method, m.signature AS signature,\n"
		"\tCASE n.sampled WHEN 0 THEN n.calls END AS calls,\n"
		"\tn.interpreted AS entered_interpreted, n.jitted AS entered_jitted,\n"
		"\tn.native AS entered_native, n.line AS line, n.value AS value, n.tags AS "
		"tags",
		",\n\tn.base_%u AS \"%w\"",
		"\nFROM walk CROSS JOIN node n ON n.id = walk.id\n"
		"\tCROSS JOIN method m ON m.id = n.method\n"
		"\tCROSS JOIN thread t ON t.id = n.thread"},
};

enum { VIEWS = sizeof views / sizeof views[0] };

enum header_kind schema_header_kind(const unsigned char *header, size_t bytes)
{
	static const char magic[16] = "SQLite format 3"; /* its zero byte counts */
	static const unsigned char ours[] = {'j', 'p', 'r', 'o'};

	if (bytes == 0 || memcmp(header, magic, bytes < 16 ? bytes : 16) != 0)
		return HEADER_OTHER;
	if (bytes < SCHEMA_HEADER_BYTES)
		return HEADER_SHORT;
	return memcmp(header + 68, ours, 4) == 0 ? HEADER_PROFILE : HEADER_DATABASE;
}

/* Columns in front of a row's own: of a copy the snapshot, of what was added the slice. */
static int columns_before(const struct schema_table *table)
{
	return table->copy || table->added;
}

int schema_columns(const struct schema_table *table, unsigned metrics)
{
	int kinds = (table->per_metric[0].name != NULL) + (table->per_metric[1].name != NULL);

	return columns_before(table) + table->columns + kinds * (int)metrics;
}

void schema_column_name(
	const struct schema_table *table, unsigned metrics, int i, char *name, size_t size)
{
	int made = i - columns_before(table) - table->columns; /* per metric */

	i -= columns_before(table);
	if (i < 0)
		snprintf(name, size, "%s", table->copy ? "snapshot" : "slice");
	else if (i < table->columns)
		snprintf(name, size, "%s", table->column[i].name);
	else
		snprintf(name, size, "%s_%d", table->per_metric[made / (int)metrics].name,
			made % (int)metrics);
}

/* column NULL: one made per metric, or a copy's first. */
static const char *column_type(const struct schema_column *column)
{
	switch (column ? column->kind : KIND_U64) {
	case KIND_TEXT:
	case KIND_NAME:
	case KIND_WORD:
		return "TEXT";
	case KIND_BYTES:
	case KIND_BYTES_LATER:
		return "BLOB";
	default:
		return "INTEGER";
	}
}

/* The columns that tell the rows of a slice apart. */
static void append_keys(sqlite3_str *sql, const struct schema_table *table)
{
	sqlite3_str_appendall(sql, "slice");
	for (int i = 0; i < table->columns && table->column[i].key; i++)
		sqlite3_str_appendf(sql, ", %s", table->column[i].name);
}

/* A copy's rows have the key of their original within the snapshot. */
static void append_table(sqlite3_str *sql, const struct schema_table *table, unsigned metrics)
{
	int columns = schema_columns(table, metrics);
	char name[32];

	sqlite3_str_appendf(sql, "CREATE TABLE %s(", table->name);
	for (int i = 0; i < columns; i++) {
		int own = i - columns_before(table);
		const struct schema_column *column =
			own >= 0 && own < table->columns ? &table->column[own] : NULL;

		schema_column_name(table, metrics, i, name, sizeof name);
		sqlite3_str_appendf(
			sql, "%s\n\t%s %s", i ? "," : "", name, column_type(column));
		if (column && column->key && !columns_before(table))
			sqlite3_str_appendall(sql, " PRIMARY KEY");
		if (column && column->comment[0] && !table->copy)
			sqlite3_str_appendf(sql, " /* %s */", column->comment);
	}
	if (table->copy)
		sqlite3_str_appendall(sql, ",\n\tPRIMARY KEY(snapshot, id)) WITHOUT ROWID");
	if (table->added) {
		sqlite3_str_appendall(sql, ",\n\tPRIMARY KEY(");
		append_keys(sql, table);
		sqlite3_str_appendall(sql, ")) WITHOUT ROWID");
	}
	sqlite3_str_appendall(sql, columns_before(table) ? ";\n" : ");\n");
}

/* A row for each word, by number. */
static void append_words(
	sqlite3_str *sql, const struct schema_table *table, const char *const *words)
{
	for (int i = 0; words[i]; i++)
		sqlite3_str_appendf(
			sql, "INSERT INTO %s VALUES(%d, %Q);\n", table->name, i, words[i]);
}

static void append_view(sqlite3_str *sql, const struct schema_view *view,
	const struct profile_metric *metric, unsigned metrics)
{
	sqlite3_str_appendf(sql, "CREATE VIEW %s AS\n%s", view->name, view->head);
	for (unsigned m = 0; m < metrics; m++)
		sqlite3_str_appendf(sql, view->metric_format, m, metric[m].name);
	sqlite3_str_appendf(sql, "%s;\n", view->tail);
}

char *schema_create(const struct profile_metric *metric, unsigned metrics)
{
	sqlite3_str *sql = sqlite3_str_new(NULL);

	sqlite3_str_appendf(sql, "PRAGMA application_id = %d;\nPRAGMA user_version = %d;\n",
		SCHEMA_APPLICATION_ID, SCHEMA_VERSION);
	for (int i = 0; i < TABLE_COUNT; i++)
		append_table(sql, &schema_tables[i], metrics);
	for (size_t i = 0; i < VIEWS; i++)
		append_view(sql, &views[i], metric, metrics);
	sqlite3_str_appendf(sql,
		"INSERT INTO method(id, name, native, static, kind, wanted, counted, scope, "
		"watched)\n"
		"VALUES(%d, NULL, 0, 0, 'mark', %u, 0, 0, %u), (%d, '" PROFILE_FOLDED_NAME
		"', 0, 0, 'mark', %u, 0, 0, %u);\n",
		METHOD_ROOT, PROFILE_SESSIONS_ALL, PROFILE_SESSIONS_ALL, METHOD_FOLDED,
		PROFILE_SESSIONS_ALL, PROFILE_SESSIONS_ALL);
	append_words(sql, &schema_tables[TABLE_KIND], account_kind_names);
	append_words(sql, &schema_tables[TABLE_STATE], sample_state_names);
	return sqlite3_str_finish(sql);
}

/* The new columns come last, whatever they stand for: a copy's in the order of its original's. */
static void append_columns(
	sqlite3_str *sql, const struct schema_table *table, unsigned from, unsigned metrics)
{
	for (int k = 0; k < 2 && table->per_metric[k].name; k++)
		for (unsigned m = from; m < metrics; m++)
			sqlite3_str_appendf(sql,
				"ALTER TABLE %s ADD COLUMN %s_%u INTEGER DEFAULT 0;\n",
				table->name, table->per_metric[k].name, m);
}

char *schema_widen(const struct profile_metric *metric, unsigned from, unsigned metrics)
{
	sqlite3_str *sql = sqlite3_str_new(NULL);

	for (size_t i = 0; i < VIEWS; i++)
		sqlite3_str_appendf(sql, "DROP VIEW %s;\n", views[i].name);
	for (int i = 0; i < TABLE_COUNT; i++)
		append_columns(sql, &schema_tables[i], from, metrics);
	for (size_t i = 0; i < VIEWS; i++)
		append_view(sql, &views[i], metric, metrics);
	return sqlite3_str_finish(sql);
}

/* "node(id, thread, ..., base_0, spent_0) ": by name, as metrics may have come later. */
static void append_names(sqlite3_str *sql, const struct schema_table *table, unsigned metrics)
{
	int columns = schema_columns(table, metrics);
	char name[32];

	for (int i = 0; i < columns; i++) {
		schema_column_name(table, metrics, i, name, sizeof name);
		sqlite3_str_appendf(sql, "%s%s%s", i ? ", " : table->name, i ? "" : "(", name);
	}
	sqlite3_str_appendall(sql, ") ");
}

/* "VALUES(?,?,...)" */
static void append_values(sqlite3_str *sql, int columns)
{
	for (int i = 0; i < columns; i++)
		sqlite3_str_appendall(sql, i > 0 ? ",?" : "VALUES(?");
	sqlite3_str_appendall(sql, ")");
}

char *schema_insert(const struct schema_table *table, unsigned metrics)
{
	sqlite3_str *sql = sqlite3_str_new(NULL);
	int columns = schema_columns(table, metrics);

	/* It is called snapshot_ORIGINAL. */
	if (table->copy) {
		sqlite3_str_appendf(sql, "INSERT INTO %s SELECT ?, * FROM %s", table->name,
			table->name + strlen("snapshot_"));
		return sqlite3_str_finish(sql);
	}
	sqlite3_str_appendf(sql, "INSERT OR %s INTO ", table->once ? "IGNORE" : "REPLACE");
	append_names(sql, table, metrics);
	append_values(sql, columns);
	return sqlite3_str_finish(sql);
}

static const char *original_of(const struct schema_table *table)
{
	return table->name + strlen("slice_");
}

/* "id, calls, base_0": the table's columns behind the slice; the counts with a sign, "" or "-". */
static void append_selection(
	sqlite3_str *sql, const struct schema_table *table, unsigned metrics, const char *sign)
{
	int columns = schema_columns(table, metrics);
	char name[32];

	for (int i = 1; i < columns; i++) {
		bool key = i <= table->columns && table->column[i - 1].key;

		schema_column_name(table, metrics, i, name, sizeof name);
		sqlite3_str_appendf(sql, "%s%s%s", i > 1 ? ", " : "", key ? "" : sign, name);
	}
}

/* "ON CONFLICT(slice, id) DO UPDATE SET calls = calls + excluded.calls, ..." */
static void append_sum(sqlite3_str *sql, const struct schema_table *table, unsigned metrics)
{
	int columns = schema_columns(table, metrics), keys = 1;
	char name[32];

	while (keys <= table->columns && table->column[keys - 1].key)
		keys++;
	sqlite3_str_appendall(sql, " ON CONFLICT(");
	append_keys(sql, table);
	sqlite3_str_appendall(sql, ") DO UPDATE SET");
	for (int i = keys; i < columns; i++) {
		schema_column_name(table, metrics, i, name, sizeof name);
		sqlite3_str_appendf(
			sql, "%s %s = %s + excluded.%s", i > keys ? "," : "", name, name, name);
	}
}

char *schema_slice_sql(
	const struct schema_table *table, unsigned metrics, enum slice_statement which)
{
	sqlite3_str *sql = sqlite3_str_new(NULL);

	if (which == SLICE_DROP) {
		sqlite3_str_appendf(sql, "DELETE FROM %s WHERE slice = ?1", table->name);
		return sqlite3_str_finish(sql);
	}
	if (which != SLICE_OLD) {
		sqlite3_str_appendall(sql, "INSERT INTO ");
		append_names(sql, table, metrics);
	}
	if (which == SLICE_ADD) {
		append_values(sql, schema_columns(table, metrics));
	} else {
		sqlite3_str_appendall(sql, which == SLICE_OLD ? "SELECT " : "SELECT ?1, ");
		append_selection(sql, table, metrics, which == SLICE_TAKE ? "-" : "");
		if (which == SLICE_JOIN)
			sqlite3_str_appendf(sql, " FROM %s WHERE slice = ?2", table->name);
		else
			sqlite3_str_appendf(sql, " FROM %s WHERE id %s", original_of(table),
				which == SLICE_OLD ? "= ?1" : "BETWEEN ?2 AND ?3");
	}
	if (which != SLICE_OLD)
		append_sum(sql, table, metrics);
	return sqlite3_str_finish(sql);
}

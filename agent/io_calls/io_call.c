/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* io_call: see io_call.h. */
#include "agent/io_calls/io_call.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "agent/io/archive_files.h"
#include "agent/io/descriptor.h"
#include "agent/io/io_openers.h"
#include "agent/io_calls/class_loading.h"
#include "agent/io_calls/known_stacks.h"
#include "agent/sample/sampler.h"
#include "agent/threads/thread_events.h"
#include "arch/read_mostly.h"
#include "metric/clock.h"

/* Files and connections that have rows of their own; more are charged to their groups. */
enum {
	FILES_MAX = 1 << 18,
	/* Closed ones of each class that stay rows of their own: one for so many bytes of
	 * max_memory. */
	MEMORY_OF_KEPT = 1 << 17,
	KEPT_MIN = 64,
	PATH_FRAMES = 1024 /* of a stack that is walked */
};

READ_MOSTLY _Atomic uint32_t io_recording;

struct holder io_holder;
static READ_MOSTLY bool times_cpu; /* option io_cpu */
static READ_MOSTLY bool walks; /* each operation's path is asked for: not all calls are timed */

/* Operations that are in no account. */
struct apart {
	_Atomic uint64_t ops, bytes, ns;
};
static struct apart class_loading; /* the JVM loaded classes by them */
static struct apart no_context;    /* by threads that have none */

static uint64_t file_now(uint64_t file, uint32_t group)
{
	return io_files_now(&io_holder.files, file, group);
}

bool io_prepare(uint32_t slots)
{
	accounts_ask(file_now);
	return io_holder.slot != NULL || holder_init(&io_holder, slots, FILES_MAX);
}

struct showing {
	uint64_t began;
	int (*put)(void *argument, const struct profile_file *file);
	void *argument;
};

static int64_t time_of(const struct showing *showing, uint64_t at)
{
	return at ? (int64_t)(at - showing->began) : PROFILE_NOT_KNOWN;
}

static int show_file(void *user, const struct io_file *file)
{
	const struct showing *showing = user;
	struct profile_file record = {
		.id = file->id,
		.kind = file->kind,
		.descriptor = file->descriptor,
		.name = file->name,
		.peer = file->peer_length ? file->peer : NULL,
		.opened = time_of(showing, atomic_load(&file->at)),
		.opened_by = io_opener_name(atomic_load(&file->opener)),
		.opened_in = atomic_load(&file->node),
		.known = atomic_load(&file->known),
		.first = time_of(showing, atomic_load(&file->first)),
		.folded = atomic_load(&file->folded),
		.into = io_file_into(file),
		.forgotten =
			io_file_into(file) != 0 && !file->kept && !io_holder.files.keep_names,
		.note = archive_files_refused(file),
	};

	return showing->put(showing->argument, &record);
}

int io_show_files(uint64_t began, bool all,
	int (*put)(void *argument, const struct profile_file *file), void *argument)
{
	struct showing showing = {began, put, argument};

	return io_files_visit(&io_holder.files, all, show_file, &showing);
}

bool io_fold_files(bool force)
{
	return io_files_fold(&io_holder.files, force);
}

void io_files_are_shown(bool referred)
{
	io_files_shown(&io_holder.files, referred);
}

void io_facts(fact_put put, void *argument)
{
	static const char *const folded[IO_CLASSES] = {
		"io.folded.files", "io.folded.connections", "io.folded.entries"};

	fact_put_number(put, argument, "io.class_loading.ops", class_loading.ops);
	fact_put_number(put, argument, "io.class_loading.bytes", class_loading.bytes);
	fact_put_number(put, argument, "io.class_loading.ns", class_loading.ns);
	fact_put_number(put, argument, "io.lost.ops", no_context.ops);
	fact_put_number(put, argument, "io.lost.bytes", no_context.bytes);
	fact_put_number(put, argument, "io.lost.ns", no_context.ns);
	for (int i = 0; i < IO_CLASSES; i++) {
		uint64_t count = atomic_load(&io_holder.files.folded[i]);

		if (count > 0)
			fact_put_number(put, argument, folded[i], count);
	}
}

/* ---- what a descriptor is ---- */

/* Who opens it, and where. Virtual threads of one row are one opener. */
static void sign(struct io_opening *opening)
{
	struct thread_slot *thread = slot_current;
	const struct thread_identity *identity;
	struct thread_context *context;

	opening->known = KNOWN_OPEN;
	opening->at = clock_now();

	if (!thread || !slot_enter_any(thread)) {
		opening->opener = io_opener_self(NULL);
		return;
	}
	context = slot_context(thread);
	identity = &context->row.identity;
	if (!identity->is_virtual)
		opening->opener = io_opener_self(identity->name);
	else if (context->as_lane.opener == 0)
		opening->opener = context->as_lane.opener = io_opener_named(identity->name);
	else
		opening->opener = context->as_lane.opener;
	opening->node =
		(uint64_t)context->row.id << 32 | tree_refer(&context->tree, context->current);
	opening->session = thread->recording;
	slot_leave(thread);
}

/* The system tells what it is; the names are in `text`. False: it is not open. */
static bool ask(int number, struct io_opening *opening, struct descriptor *text)
{
	if (!descriptor_look(number, text))
		return false;
	*opening = (struct io_opening){.descriptor = number,
		.known = KNOWN_ATTACH,
		.kind = text->kind,
		.name = text->name,
		.peer = text->peer};
	return true;
}

/* It was open already when its opening could have been seen. */
static __attribute__((noinline)) holder_word find(
	int number, holder_word seen, struct io_ref *file)
{
	struct io_opening opening;
	struct descriptor text;

	if (!ask(number, &opening, &text))
		return seen;
	if (holder_is_noted(seen)) {
		opening.known = KNOWN_OPEN;
		opening.at = holder_noted_at(&io_holder, number, seen);
		opening.opener = holder_opener(seen);
	}
	return holder_become(&io_holder, seen, &opening, file);
}

holder_word io_look(int descriptor, struct io_ref *file)
{
	holder_word word = holder_look(&io_holder, descriptor, file);

	if (__builtin_expect(file->id == 0, 0) && descriptor >= 0)
		word = find(descriptor, word, file);
	return word;
}

static void find_open(void *user, int number)
{
	struct io_ref file;

	io_look(number, &file);
}

static void clear_apart(struct apart *apart)
{
	atomic_store(&apart->ops, 0);
	atomic_store(&apart->bytes, 0);
	atomic_store(&apart->ns, 0);
}

int io_begin(JNIEnv *jni, struct session *session, struct error *error)
{
	uint64_t kept = session->options.max_memory / MEMORY_OF_KEPT;

	clear_apart(&class_loading);
	clear_apart(&no_context);
	if (session->options.io == IO_OFF)
		return 0;
	walks = !session_times_calls(session) ||
		(session_keeps_budget(session) && jvm_stacks_outlast_changes());
	times_cpu = session->options.io_cpu;
	class_loading_tell_apart(!session->options.io_class_loading);
	if (kept < KEPT_MIN)
		kept = KEPT_MIN;
	else if (kept > FILES_MAX / IO_CLASSES)
		kept = FILES_MAX / IO_CLASSES;
	io_files_begin(&io_holder.files, recording_now(), (uint32_t)kept,
		session->options.io == IO_RECORDS);
	archive_files_begin(session_archive_memory(session));
	atomic_store(&io_recording, recording_now());
	descriptors_each(find_open, NULL);
	return 0;
}

bool io_stop(struct session *session, struct error *error)
{
	atomic_store(&io_recording, 0);
	archive_files_end(&io_holder.files);
	return true;
}

void io_forget(void)
{
	holder_forget(&io_holder);
}

void io_note(int descriptor)
{
	holder_note(&io_holder, descriptor, io_opener_self(NULL), clock_now());
}

/* ---- accounts ---- */

static void add_apart(struct apart *apart, const struct operation *operation)
{
	atomic_fetch_add_explicit(&apart->ops, 1, memory_order_relaxed);
	atomic_fetch_add_explicit(&apart->bytes, operation->amount, memory_order_relaxed);
	atomic_fetch_add_explicit(&apart->ns, operation->ns, memory_order_relaxed);
}

static __attribute__((noinline, cold)) struct record_ring *open_ring(
	const struct thread_context *context)
{
	const struct thread_identity *identity = &context->row.identity;
	struct record_thread thread = {
		.row = context->row.id, .java_id = identity->java_id, .os_id = identity->os_id};

	snprintf(thread.name, sizeof(thread.name), "%s", identity->name);
	return record_ring_open(context->records, &thread);
}

/* The same operation by itself, in the thread's ring. */
static void record(struct thread_context *context, const struct io_call *call,
	const struct operation *operation)
{
	struct record record = {
		.begin = call->start,
		.end = call->start + operation->ns,
		.amount = operation->amount,
		.subject = operation->subject,
		.kind = (uint8_t)operation->kind,
		.failed = operation->failed,
	};

	if (__builtin_expect(!context->ring, 0)) {
		context->ring = open_ring(context);
		if (!context->ring)
			return;
	}
	record.node = tree_refer(&context->tree, operation->node);
	record.is_new = tree_is_new(&context->tree, operation->node);
	record_ring_add(context->ring, &record);
}

/* The metrics that count operations, 0: none. */
static const struct {
	enum metric_kind bytes, ops;
} metric_of[IO_OPS] = {
	[IO_READ] = {METRIC_IO_READ, METRIC_IO_READ_OPS},
	[IO_WRITE] = {METRIC_IO_WRITE, METRIC_IO_WRITE_OPS},
	[IO_RECEIVE] = {METRIC_NET_IN, METRIC_NET_IN_OPS},
	[IO_SEND] = {METRIC_NET_OUT, METRIC_NET_OUT_OPS},
};

/* Not in the path of the calling thread. */
static __attribute__((noinline)) void account_elsewhere(
	const struct io_call *call, const struct operation *operation)
{
	if (slot_is_unwanted() || call->recording == 0 ||
		call->recording != atomic_load(&io_recording))
		return;
	if (call->own)
		add_apart(&class_loading, operation);
	else if (!slot_current)
		add_apart(&no_context, operation);
}

/* ns that the calling thread has run. Where the metric cpu counts it that is a time stamp's price, if the thread was not
 * interrupted; the same clock either way. */
static uint64_t thread_cpu(struct metric_thread *metric)
{
	struct timespec now;

	if (metric && metric->cpu.tid != 0)
		return cpu_time_read(&metric->cpu, time_stamp_read());
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static __attribute__((noinline)) void begin_cpu(struct io_call *call)
{
	struct thread_slot *thread = slot_current;

	if (!thread || !slot_enter_any(thread))
		return;
	if (thread->recording == call->recording)
		call->cpu = thread_cpu(slot_context(thread)->metric);
	slot_leave(thread);
}

/* What the thread ran since the call began, beside the operation that has the call's time. */
static __attribute__((noinline)) void account_cpu(const struct io_call *call,
	struct thread_context *context, const struct operation *operation)
{
	uint64_t now = thread_cpu(context->metric);
	struct operation cpu = {.node = operation->node,
		.subject = operation->subject,
		.group = operation->group,
		.kind = IO_CPU,
		.ns = now > call->cpu ? now - call->cpu : 0};

	context_account(context, &cpu);
}

static void account(const struct io_call *call, struct operation *operation)
{
	struct thread_slot *thread =
		call->own ? NULL : thread_events_go_on(SHAPE_ANY, call->jni);
	struct thread_context *context;

	if (__builtin_expect(!thread, 0)) {
		account_elsewhere(call, operation);
		return;
	}
	/* What was recorded when the call began is over. */
	if (__builtin_expect(thread->recording != call->recording, 0)) {
		slot_leave(thread);
		account_elsewhere(call, operation);
		return;
	}
	context = slot_context(thread);
	operation->node = context->current;
	/* Found at the begin, if nodes were not renumbered since. */
	if (call->by_stack && call->moves == context->tree.moves)
		operation->node = call->node;
	if (metric_of[operation->kind].bytes && !operation->part) {
		metric_count(
			context->metric, metric_of[operation->kind].bytes, operation->amount);
		metric_count(context->metric, metric_of[operation->kind].ops, 1);
	}
	context_account(context, operation);
	/* What has no time is told with another operation of the same call. */
	if (__builtin_expect(call->cpu != 0, 0) && operation->ns != 0 && !operation->part)
		account_cpu(call, context, operation);
	if (__builtin_expect(context_is_traced(context), 0) && !operation->part)
		context_trace_operation(context, operation->kind, operation->failed,
			operation->subject, operation->amount, operation->ns);
	if (operation->subject)
		io_files_use(&io_holder.files, operation->subject, operation->amount);
	if (__builtin_expect(context->records != NULL, 0))
		record(context, call, operation);
	slot_leave(thread);
}

/* Reads and writes of a socket are receives and sends. */
static inline enum account_kind op_of(enum account_kind op, struct io_ref file)
{
	if ((op != IO_READ && op != IO_WRITE) || !file.id || !io_kind_is_socket(file.kind))
		return op;
	return op == IO_READ ? IO_RECEIVE : IO_SEND;
}

static inline struct operation operation_on(
	struct io_ref file, enum account_kind op, uint64_t bytes, bool failed)
{
	return (struct operation){.subject = file.id,
		.group = file.group,
		.kind = op_of(op, file),
		.failed = failed,
		.amount = bytes};
}

/* The class path is read in the thread that needs the class: known by what it is in. */
static void tell_class_loading(struct io_call *call, struct io_ref file)
{
	struct sampler_stack stack;
	uint64_t note;

	if (__builtin_expect(!class_loading_may_read(file), 1))
		return;
	/* Two numbers of one stack would take each other's place where stacks are remembered. */
	if (call->stack == 0) {
		sampler_stack_find(&stack);
		call->stack = sampler_stack_key(&stack, call->recording, 0, &note);
	}
	call->own = class_loading_now(call->stack);
}

/* The JVM tells the path. False: it does not, and the node is the root. */
static bool ask_path(const struct io_call *call, struct thread_slot *thread, uint32_t *node)
{
	const struct thread_context *context = slot_context(thread);
	uint32_t path[PATH_FRAMES], labelled[2 * PATH_FRAMES], frames = 0;
	jvmtiFrameInfo *frame;
	int count = jvm_stack(&frame);

	for (int i = count - 1; i >= 0 && frames < PATH_FRAMES; i--) {
		method_ref ref = slot_method(thread, call->jni, frame[i].method);

		if (ref != METHOD_REF_EXCLUDED)
			path[frames++] = method_ref_id(ref);
	}
	free(frame);
	frames = context_path_values(context, path, frames, labelled, 2 * PATH_FRAMES);
	*node = context_path(slot_context(thread), labelled, frames);
	return count > 0;
}

/* What the calls of one stack are told apart by: values, of which the node of the timed ones is one, and tags. */
static uint64_t labels_of(const struct thread_context *context)
{
	return ((uint64_t)context->tags << 32 | context->current) * 0x9e3779b97f4a7c15u;
}

/* The stack's node. Nodes are the context's own, until they are renumbered; a note is of one of them. */
static uint32_t find_node(
	struct io_call *call, struct thread_slot *thread, struct sampler_stack *stack)
{
	const struct thread_context *context = slot_context(thread);
	uint32_t moves = context->tree.moves, node;
	uint64_t more = ((uint64_t)context->row.id << 32 | moves) ^ labels_of(context), note;
	uint64_t key = sampler_stack_key(stack, thread->recording, more, &note);

	call->stack = key;
	if (note)
		return (uint32_t)(note - 1);
	if (!known_stack_find(key, &node)) {
		if (!ask_path(call, thread, &node) || moves != context->tree.moves)
			return node;
		known_stack_put(key, node);
	}
	sampler_stack_note(stack, key, node + UINT64_C(1));
	return node;
}

/* The path of the calls, where not all of them are timed: a node for it. */
static void find_path(struct io_call *call, struct sampler_stack *stack)
{
	struct thread_slot *thread = thread_events_go_on(SHAPE_ANY, call->jni);

	if (!thread)
		return;
	/* Else it is another recording's by now, and the operation nobody's. */
	if (thread->recording == call->recording) {
		call->by_stack = true;
		call->node = find_node(call, thread, stack);
		call->moves = slot_context(thread)->tree.moves;
	}
	slot_leave(thread);
}

/* The thread's first event in the recording. */
static __attribute__((noinline, cold)) void be_known(JNIEnv *jni)
{
	struct thread_slot *thread = thread_events_begin(SHAPE_ANY, jni, NULL, FOUND_NONE);

	if (thread)
		slot_leave(thread);
}

void io_call_record(struct io_call *call, JNIEnv *jni, int descriptor)
{
	/* What io_begin stored before is seen behind this. */
	uint32_t recording = atomic_load_explicit(&io_recording, memory_order_acquire);
	bool walk = walks; /* another recording may begin meanwhile */
	struct sampler_stack stack;

	if (walk)
		sampler_stack_find(&stack);
	*call = (struct io_call){
		.jni = jni, .descriptor = descriptor, .recording = recording, .offset = -1};
	call->word = io_look(descriptor, &call->file);
	if (!slot_current || slot_current->recording != call->recording)
		be_known(jni);
	if (walk)
		find_path(call, &stack);
	tell_class_loading(call, call->file);
	if (__builtin_expect(times_cpu, 0))
		begin_cpu(call);
	call->start = clock_now();
}

void io_also(const struct io_call *call, struct io_ref file, enum account_kind op,
	uint64_t bytes, bool failed)
{
	struct operation operation = operation_on(file, op, bytes, failed);

	if (call->start)
		account(call, &operation);
}

struct archive_read_call {
	const struct io_call *call;
	const struct operation *whole;
};

static void charge_entry(void *user, struct io_ref entry, uint64_t bytes)
{
	const struct archive_read_call *read = user;
	struct operation part = {.subject = entry.id,
		.group = entry.group,
		.kind = IO_READ,
		.part = true,
		.amount = bytes,
		.ns = (uint64_t)((double)read->whole->ns * (double)bytes /
				 (double)read->whole->amount)};

	account(read->call, &part);
}

/* Where bytes begin that were read at the descriptor's own offset; another thread may have
 * moved that since. Negative: it has none. */
static int64_t offset_before(int descriptor, uint64_t bytes)
{
	int saved_errno = errno;
	int64_t offset = lseek(descriptor, 0, SEEK_CUR);

	errno = saved_errno;
	return offset < 0 || offset >= (int64_t)bytes ? offset - (int64_t)bytes : 0;
}

/* What was read of an archive is charged to its entries, too. */
static void charge_entries(const struct io_call *call, const struct operation *whole)
{
	struct archive_read_call read = {call, whole};
	struct io_file *file = io_files_hold(&io_holder.files, call->file.id);
	int64_t offset = call->offset;

	if (!file)
		return;
	if (offset < 0)
		offset = offset_before(call->descriptor, whole->amount);
	if (offset >= 0)
		archive_files_charge(&io_holder.files, file, call->descriptor, (uint64_t)offset,
			whole->amount, charge_entry, &read);
	io_file_release(file);
}

void io_call_end(const struct io_call *call, enum account_kind op, uint64_t bytes, bool failed)
{
	struct operation operation = operation_on(call->file, op, bytes, failed);

	if (!call->start)
		return;
	operation.ns = clock_now() - call->start;
	account(call, &operation);
	if (operation.kind == IO_READ && bytes > 0 && call->file.kind == IO_FILE &&
		(call->file.ending & ENDS_AS_ARCHIVE) && !call->own)
		charge_entries(call, &operation);
}

/* ---- what changes the holder ---- */

static void charge(
	const struct io_call *call, struct io_ref file, enum account_kind op, bool failed)
{
	struct operation operation = operation_on(file, op, 0, failed);

	operation.ns = clock_now() - call->start;
	account(call, &operation);
}

void io_opened(struct io_call *call, int descriptor, enum io_kind kind, struct io_name name)
{
	struct io_opening opening = {.descriptor = descriptor, .kind = kind, .name = name};
	struct io_ref file;

	if (descriptor < 0)
		return;
	if (!call->start) {
		io_note(descriptor);
		return;
	}
	sign(&opening);
	holder_open(&io_holder, &opening, &file);
	tell_class_loading(call, file);
	/* A socket is counted when it gets a name. */
	if (!io_kind_is_socket(kind))
		charge(call, file, IO_OPEN, false);
}

void io_opened_path(struct io_call *call, int descriptor, struct io_name path)
{
	char absolute[DESCRIPTOR_NAME_MAX];
	struct io_opening opening = {.descriptor = descriptor, .kind = IO_FILE};

	if (!call->start) {
		io_note(descriptor);
		return;
	}
	opening.name = path_absolute(path, absolute);
	/* The system is not asked about a file that is known. */
	if (!io_files_has(&io_holder.files, &opening))
		opening.kind = descriptor_kind(descriptor);
	io_opened(call, descriptor, opening.kind, opening.name);
}

void io_found(const struct io_call *call, int descriptor, enum io_side side)
{
	struct io_opening opening;
	struct io_ref file = {0};
	struct descriptor text;

	if (descriptor < 0 || !call->start) {
		io_note(descriptor);
		return;
	}
	if (ask(descriptor, &opening, &text)) {
		opening.side = side;
		sign(&opening);
		holder_open(&io_holder, &opening, &file);
	}
	if (side == SIDE_ACCEPTED)
		io_also(call, file, IO_OPEN, 0, false);
	else
		charge(call, file, IO_OPEN, false);
}

/* A socket that has no address yet. */
static bool is_nameless(const struct io_file *file)
{
	return file && io_kind_is_socket(file->kind) && file->name_length == 0 &&
	       file->peer_length == 0;
}

void io_addressed(struct io_call *call, struct io_name peer)
{
	holder_word before = call->word;
	struct io_opening opening;
	struct descriptor text;
	struct io_file *file;

	if (!call->start) {
		io_note(call->descriptor);
		return;
	}
	if (!ask(call->descriptor, &opening, &text))
		return;
	opening.side = SIDE_CONNECTED;
	file = io_files_hold(&io_holder.files, call->file.id);
	/* Still being connected to the same. */
	if (peer.length == 0 && file && file->kind != IO_UDP)
		peer = (struct io_name){file->peer, file->peer_length};
	if (opening.peer.length == 0)
		opening.peer = peer;
	if (!file || !io_file_is(file, &opening)) {
		sign(&opening);
		call->word = holder_become(&io_holder, before, &opening, &call->file);
		if (is_nameless(file) && call->word != before)
			io_also(call, call->file, IO_OPEN, 0, false);
	}
	if (file)
		io_file_release(file);
}

void io_closed(const struct io_call *call, bool failed)
{
	struct io_file *file;

	if (!call->start) {
		holder_close(&io_holder, call->descriptor, call->word);
		return;
	}
	if (!call->word)
		return;
	/* It had no address yet: its opening is not counted. */
	file = io_kind_is_socket(call->file.kind)
		       ? io_files_hold(&io_holder.files, call->file.id)
		       : NULL;
	if (is_nameless(file))
		io_also(call, call->file, IO_OPEN, 0, false);
	if (file)
		io_file_release(file);
	charge(call, call->file, IO_CLOSE, failed);
	/* close(2) that fails has closed it nevertheless. */
	holder_close(&io_holder, call->descriptor, call->word);
	if (call->file.ending & ENDS_AS_ARCHIVE)
		archive_files_closed(&io_holder.files, call->file.id);
}

void io_named(struct io_call *call, enum account_kind op, enum io_kind kind,
	struct io_name name, bool failed)
{
	struct io_opening opening = {.descriptor = -1, .known = KNOWN_OPEN, .kind = kind};
	char absolute[DESCRIPTOR_NAME_MAX];

	if (!call->start)
		return;
	opening.name = kind == IO_FILE ? path_absolute(name, absolute) : name;
	call->file = io_files_open(&io_holder.files, &opening, false);
	tell_class_loading(call, call->file);
	charge(call, call->file, op, failed);
}

/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* gc_tracer: see gc_tracer.h. */
#include "agent/tracers/gc_tracer.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "agent/tracers/gc_log.h"
#include "agent/sample/sample_events.h"
#include "agent/sample/sampler.h"
#include "agent/tracers/traced_log.h"
#include "agent/tracers/waiting_rows.h"
#include "metric/clock.h"

static void collection_since(void *record, uint64_t began)
{
	((struct profile_collection *)record)->began -= (int64_t)began;
}

static void safepoint_since(void *record, uint64_t began)
{
	((struct profile_safepoint *)record)->began -= (int64_t)began;
}

static struct waiting_rows collections = {.table = TABLE_COLLECTION,
				   .size = sizeof(struct profile_collection),
				   .text = {offsetof(struct profile_collection, name),
					   offsetof(struct profile_collection, cause)},
				   .texts = 2,
				   .since = collection_since,
				   .lock = {PTHREAD_MUTEX_INITIALIZER, LOCK_WAITING}},
			   safepoints = {.table = TABLE_SAFEPOINT,
				   .size = sizeof(struct profile_safepoint),
				   .text = {offsetof(struct profile_safepoint, operation)},
				   .texts = 1,
				   .since = safepoint_since,
				   .lock = {PTHREAD_MUTEX_INITIALIZER, LOCK_WAITING}};

static struct traced_log vm_log = {.trace = "gc"};

static struct {
	struct gc_log *parser;            /* of the log's thread, while it is on */
	uint32_t collections, safepoints; /* ids given */
	/* Of the session so far. */
	_Atomic uint64_t forgotten;
	_Atomic bool in_paths; /* pauses are told by path */
} tracer;

/* ---- what the log says ---- */

static int64_t known(bool is, uint64_t bytes)
{
	return is ? (int64_t)bytes : PROFILE_NOT_KNOWN;
}

static void take_collection(void *unused, const struct gc_collection *told)
{
	const struct profile_collection record = {.id = ++tracer.collections,
		.number = told->number,
		.kind = told->kind,
		.name = told->name,
		.cause = *told->cause ? told->cause : NULL,
		.began = (int64_t)told->began,
		.ns = told->ns,
		.before = known(told->has_bytes, told->before),
		.after = known(told->has_bytes, told->after),
		.total = known(told->has_total, told->total)};

	waiting_rows_add(&collections, &record);
}

static void take_safepoint(void *unused, const struct gc_safepoint *told)
{
	const struct profile_safepoint record = {.id = ++tracer.safepoints,
		.operation = told->operation,
		.began = (int64_t)told->began,
		.ns = told->ns,
		.reaching_ns = told->reaching_ns,
		.cleanup_ns = told->cleanup_ns,
		.at_ns = told->at_ns,
		.threads = told->threads,
		.running = told->running};

	waiting_rows_add(&safepoints, &record);
}

static void take_line(void *parser, const struct log_line *line)
{
	gc_log_line(parser, line);
}

/* ---- pauses by call path ---- */

/* The threads still stand where they were stopped; nothing of the JVM may be called (JVMTI specification, "Garbage Collection
 * Finish"). */
static void JNICALL on_pause_ends(jvmtiEnv *jvmti)
{
	uint64_t began = sample_events_collection_began(), now = clock_now();
	const struct sampler_event event = {
		.kind = PAUSES, .count = 1, .ns = now > began ? now - began : 0};

	if (began && atomic_load(&tracer.in_paths))
		sampler_take_stopped(&event);
}

static void callbacks(jvmtiEventCallbacks *all)
{
	all->GarbageCollectionFinish = on_pause_ends;
}

static bool reads_stacks(void)
{
	return atomic_load(&tracer.in_paths);
}

static int prove(const struct session *session, struct error *error)
{
	return session->options.gc_in_paths ? sampler_can_read(error) : 0;
}

/* ---- on and off ---- */

static int on(JNIEnv *jni, struct session *session, struct error *error)
{
	static const struct gc_log_taker taker = {take_collection, take_safepoint, NULL};
	char *heap = vm_command(jni, "GC.heap_info", error);
	const char *what[2] = {NULL, NULL};
	int status;

	if (!heap)
		return -(int)error->code;
	what[0] = gc_log_selection(heap);
	free(heap);
	tracer.parser = gc_log_create(&taker);
	if (!tracer.parser)
		return error_set(error, ERROR_MEMORY, "no memory for the trace gc");
	status = traced_log_on(&vm_log, jni, what, take_line, tracer.parser, error);
	if (status) {
		gc_log_destroy(tracer.parser);
		tracer.parser = NULL;
		return status;
	}
	atomic_store(&tracer.in_paths, session->options.gc_in_paths);
	return 0;
}

static void off(JNIEnv *jni, struct session *session)
{
	atomic_store(&tracer.in_paths, false);
	if (!traced_log_off(&vm_log, jni))
		return;
	tracer.forgotten += gc_log_forgotten(tracer.parser);
	gc_log_destroy(tracer.parser);
	tracer.parser = NULL;
}

static bool forget(void)
{
	waiting_rows_forget(&collections);
	waiting_rows_forget(&safepoints);
	traced_log_forget(&vm_log);
	memset(&tracer, 0, sizeof(tracer));
	return true;
}

/* ---- the writer's thread ---- */

static int put(struct profile_writer *profile, uint64_t began, struct error *error)
{
	int status = waiting_rows_put(&collections, profile, began, error);

	return status ? status : waiting_rows_put(&safepoints, profile, began, error);
}

static void put_done(bool kept)
{
	waiting_rows_done(&collections, kept);
	waiting_rows_done(&safepoints, kept);
}

static void facts(fact_put put_it, void *argument)
{
	const struct {
		const char *key;
		uint64_t count;
	} losses[] = {
		{"gc.lost", waiting_rows_lost(&collections) + waiting_rows_lost(&safepoints)},
		{"gc.forgotten", tracer.forgotten},
	};

	for (size_t i = 0; i < sizeof(losses) / sizeof(*losses); i++)
		if (losses[i].count)
			fact_put_number(put_it, argument, losses[i].key, losses[i].count);
	traced_log_facts(&vm_log, put_it, argument);
}

const struct tracer gc_tracer = {.event = {JVMTI_EVENT_GARBAGE_COLLECTION_FINISH},
	.reads_stacks = reads_stacks,
	.callbacks = callbacks,
	.prove = prove,
	.on = on,
	.off = off,
	.forget = forget,
	.put = put,
	.put_done = put_done,
	.facts = facts};

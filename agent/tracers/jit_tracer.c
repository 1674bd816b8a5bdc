/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* jit_tracer: see jit_tracer.h. */
#include "agent/tracers/jit_tracer.h"

#include <string.h>

#include "agent/tracers/jit_log.h"
#include "agent/tracers/traced_log.h"
#include "agent/tracers/waiting_rows.h"

static void compilation_since(void *record, uint64_t began)
{
	((struct profile_compilation *)record)->began -= began;
}

static void deoptimization_since(void *record, uint64_t began)
{
	((struct profile_deoptimization *)record)->at -= began;
}

static struct waiting_rows compilations = {.table = TABLE_COMPILATION,
				   .size = sizeof(struct profile_compilation),
				   .text = {offsetof(struct profile_compilation, class_name),
					   offsetof(struct profile_compilation, name),
					   offsetof(struct profile_compilation, signature),
					   offsetof(struct profile_compilation, failed)},
				   .texts = 4,
				   .since = compilation_since,
				   .lock = {PTHREAD_MUTEX_INITIALIZER, LOCK_WAITING}},
			   deoptimizations = {.table = TABLE_DEOPTIMIZATION,
				   .size = sizeof(struct profile_deoptimization),
				   .text = {offsetof(struct profile_deoptimization, class_name),
					   offsetof(struct profile_deoptimization, name),
					   offsetof(struct profile_deoptimization, signature),
					   offsetof(struct profile_deoptimization, reason),
					   offsetof(struct profile_deoptimization, action)},
				   .texts = 5,
				   .since = deoptimization_since,
				   .lock = {PTHREAD_MUTEX_INITIALIZER, LOCK_WAITING}};

static struct traced_log vm_log = {.trace = "jit"};

static struct {
	struct jit_log *parser;   /* of the log's thread, while it is on */
	uint32_t deoptimizations; /* ids given */
	/* Of the session so far. */
	_Atomic uint64_t forgotten;
	bool no_traps; /* the JVM's log does not tell of them */
} tracer;

/* ---- what the log says ---- */

static int64_t known(int64_t value)
{
	return value == JIT_NOT_KNOWN ? PROFILE_NOT_KNOWN : value;
}

static void take_compilation(void *unused, const struct jit_compilation *told)
{
	const struct profile_compilation record = {.id = told->id,
		.class_name = told->method.class_name,
		.name = told->method.name,
		.signature = told->method.signature,
		.level = told->level,
		.bytecodes = told->bytecodes,
		.osr = known(told->osr),
		.began = told->began,
		.ns = known(told->ns),
		.failed = told->failed};

	waiting_rows_add(&compilations, &record);
}

static void take_deoptimization(void *unused, const struct jit_deoptimization *told)
{
	const struct profile_deoptimization record = {.id = ++tracer.deoptimizations,
		.kind = told->kind,
		.at = told->at,
		.compilation = told->id,
		.class_name = told->method.class_name,
		.name = told->method.name,
		.signature = told->method.signature,
		.level = told->level,
		.bytecode = known(told->bytecode),
		.reason = told->reason,
		.action = told->action};

	waiting_rows_add(&deoptimizations, &record);
}

static void take_line(void *parser, const struct log_line *line)
{
	jit_log_line(parser, line);
}

/* ---- on and off ---- */

static int on(JNIEnv *jni, struct session *session, struct error *error)
{
	static const struct jit_log_taker taker = {take_compilation, take_deoptimization, NULL};
	int status;

	tracer.parser = jit_log_create(&taker);
	if (!tracer.parser)
		return error_set(error, ERROR_MEMORY, "no memory for the trace jit");
	status = traced_log_on(
		&vm_log, jni, jit_log_selections, take_line, tracer.parser, error);
	if (status) {
		jit_log_destroy(tracer.parser);
		tracer.parser = NULL;
		return status;
	}
	tracer.no_traps = vm_log_chosen(vm_log.log) > 0;
	return 0;
}

static void off(JNIEnv *jni, struct session *session)
{
	if (!traced_log_off(&vm_log, jni))
		return;
	tracer.forgotten += jit_log_forgotten(tracer.parser);
	jit_log_destroy(tracer.parser);
	tracer.parser = NULL;
}

static bool forget(void)
{
	waiting_rows_forget(&compilations);
	waiting_rows_forget(&deoptimizations);
	traced_log_forget(&vm_log);
	memset(&tracer, 0, sizeof(tracer));
	return true;
}

/* ---- the writer's thread ---- */

static int put(struct profile_writer *profile, uint64_t began, struct error *error)
{
	int status = waiting_rows_put(&compilations, profile, began, error);

	return status ? status : waiting_rows_put(&deoptimizations, profile, began, error);
}

static void put_done(bool kept)
{
	waiting_rows_done(&compilations, kept);
	waiting_rows_done(&deoptimizations, kept);
}

static void facts(fact_put put_it, void *argument)
{
	const struct {
		const char *key;
		uint64_t count;
	} losses[] = {
		{"jit.lost",
			waiting_rows_lost(&compilations) + waiting_rows_lost(&deoptimizations)},
		{"jit.forgotten", tracer.forgotten},
		{"jit.no_traps", tracer.no_traps},
	};

	for (size_t i = 0; i < sizeof(losses) / sizeof(*losses); i++)
		if (losses[i].count)
			fact_put_number(put_it, argument, losses[i].key, losses[i].count);
	traced_log_facts(&vm_log, put_it, argument);
}

const struct tracer jit_tracer = {.on = on,
	.off = off,
	.forget = forget,
	.put = put,
	.put_done = put_done,
	.facts = facts};

/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* widen: see widen.h. */
#include "agent/recording/widen.h"

#include "agent/log/log.h"
#include "agent/probes/method_probes.h"
#include "agent/probes/native_methods.h"
#include "agent/recording/recording_facts.h"
#include "agent/threads/thread_slot.h"

static bool counts_objects(const struct metric_set *set)
{
	return metric_set_has(set, METRIC_VM_OBJECTS) || metric_set_has(set, METRIC_VM_BYTES);
}

/* What else than the machine a metric needs. 0, or a negative code. */
static int prove(const struct session *session, const struct metric_set *wider,
	enum hotspot_alloc alloc, struct error *error)
{
	const struct metric_set *now = session_metrics(session);

	for (unsigned i = now->count; i < wider->count; i++)
		if (metric_is_io(wider->metric[i].kind) && session->options.io == IO_OFF)
			return error_set(error, ERROR_VALUE,
				"metrics=%s counts nothing where the recording has io=off",
				wider->metric[i].name);
	if (metric_set_has(wider, METRIC_ALLOC) && alloc == HOTSPOT_ALLOC_NONE)
		return error_set(error, ERROR_MISSING,
			"metrics=alloc: this JVM shows no allocation counters");
	if (counts_objects(wider) && !counts_objects(now))
		return jvm_add_capabilities(JVM_VM_OBJECT_EVENTS, error);
	return 0;
}

/* Functions for the shape that threads have from their next event on. Where the JVM does not take them, those that there are
 * hand all on. */
static void reshape(JNIEnv *jni, struct session *session, bool objects)
{
	enum metric_shape shape = session_metrics(session)->shape;
	struct error error = {0};

	if (method_probes_renew(jni, session, &error))
		log_line(LOG_WARN, "%s; probes take longer", error.text);
	native_methods_use(shape, session->options.timing == TIMING_PRECISE);
	error = (struct error){0};
	if (objects && jvm_enable(JVMTI_EVENT_VM_OBJECT_ALLOC, true, &error))
		log_line(LOG_ERROR, "%s", error.text);
	slots_reshape(shape);
	slots_renew();
}

int recording_widen(JNIEnv *jni, struct session *session, const struct pattern_list *metrics,
	enum hotspot_alloc alloc, struct error *error)
{
	/* The recording whose last widening failed: its file may lack what the trace has. One at a time. */
	static uint32_t unwritten;
	const struct metric_set *before = session_metrics(session);
	struct metric_set wider;
	int code = metric_set_widen(&wider, before, metrics, error);

	if (code || (wider.count == before->count && unwritten != recording_now()))
		return code;
	code = prove(session, &wider, alloc, error);
	if (code)
		return code;
	recording_describe_alloc(&wider, alloc);
	slots_outgrow();
	code = writer_widen(session->writer, &wider, error);
	unwritten = code ? recording_now() : 0;
	/* Where the writer has not answered, the trace may grow yet: functions go on to hand over. */
	if (code == 0 || session_metrics(session) != before)
		reshape(jni, session, counts_objects(&wider) && !counts_objects(before));
	return code;
}

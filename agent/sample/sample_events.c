/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* sample_events: see sample_events.h. */
#include "agent/sample/sample_events.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "agent/jvm/hotspot.h"
#include "agent/methods/methods.h"
#include "agent/sample/sampler.h"
#include "agent/stack/known_keys.h"
#include "agent/threads/thread_slot.h"

/* Written before the event is on. */
static int condition; /* of allocations */
static double period; /* bytes */

/* What is left of a period, in 2^-32, of all objects. */
static _Atomic uint64_t rest;

/* e to the power of -x, for x from 0 to 30, to six digits. Agents have no mathematical library. */
static double decay(double x)
{
	double y = x / 256, power = 1 - y + y * y / 2 - y * y * y / 6 + y * y * y * y / 24;

	for (int i = 0; i < 8; i++)
		power *= power;
	return power;
}

/* How many periods the object stands for. The JVM takes an object if one or more of its points, which are
 * a period apart on average, fall into it (threadHeapSampler.cpp), the distances being exponential: an object
 * of s bytes is taken with 1 - exp(-s / period), and so stands for s / period of that part. */
static uint32_t periods_of(jlong size)
{
	double share = (double)size / period;
	double exact = share < 1e-3 ? 1 : share > 30 ? share : share / (1 - decay(share));
	uint64_t sum = atomic_fetch_add(&rest, (uint64_t)(exact * 4294967296.0)) & UINT32_MAX;

	return (uint32_t)((sum + (uint64_t)(exact * 4294967296.0)) >> 32);
}

static void JNICALL on_allocated(
	jvmtiEnv *jvmti, JNIEnv *jni, jthread thread, jobject object, jclass class, jlong size)
{
	int saved_errno = errno;
	uint32_t periods = periods_of(size);

	if (periods > 0)
		sampler_take((unsigned)condition, periods, methods_of_class(class));
	errno = saved_errno;
}

/* The JVM stands still: nothing of it may be called (JVMTI specification, "Garbage Collection Start"). */
static void JNICALL on_collection(jvmtiEnv *jvmti)
{
	known_keys_collected();
}

void sample_events_callbacks(jvmtiEventCallbacks *callbacks)
{
	callbacks->SampledObjectAlloc = on_allocated;
	callbacks->GarbageCollectionStart = on_collection;
}

bool sample_events_allocations(const struct session *session)
{
	const struct pattern_list *sample = &session->options.sample;

	for (size_t i = 0; i < sample->count; i++)
		if (strncmp(sample->pattern[i], "alloc:", strlen("alloc:")) == 0)
			return true;
	return false;
}

/* Java's threads that are there already. */
static void tell_threads(JNIEnv *jni)
{
	struct jvm_thread description;
	jthread *threads;
	int count;

	if ((*jni)->PushLocalFrame(jni, JVM_LOCAL_FRAME))
		return;
	count = jvm_live_threads(&threads);
	for (int i = 0; i < count; i++) {
		uintptr_t java = hotspot_thread_of(jni, threads[i]);

		if (java && jvm_describe_thread(jni, threads[i], &description))
			sampler_thread_is(java, description.java_id, description.name);
	}
	free(threads);
	(*jni)->PopLocalFrame(jni, NULL);
}

int sample_events_begin(JNIEnv *jni, struct error *error)
{
	tell_threads(jni);
	condition = sampler_condition(SAMPLE_ALLOC, 0);
	if (condition < 0)
		return 0;
	period = (double)sampler_period((unsigned)condition);
	return jvm_sample_allocations(sampler_period((unsigned)condition), error);
}

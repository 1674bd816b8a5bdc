/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* sample_events: see sample_events.h. */
#include "agent/sample/sample_events.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "agent/jvm/hotspot.h"
#include "agent/methods/methods.h"
#include "agent/sample/allocations.h"
#include "agent/sample/sampler.h"
#include "agent/stack/known_keys.h"
#include "agent/threads/thread_slot.h"
#include "metric/clock.h"

/* Written before the event is on. */
static int condition = -1; /* of allocations */
static double period;      /* bytes */

/* What is left of a period, in 2^-32, of all objects. */
static _Atomic uint64_t rest;

static _Atomic uint32_t collections;

static uint32_t periods_of(const struct allocation *allocation)
{
	double exact = allocation->objects * (double)allocation->bytes / period;
	uint64_t sum = atomic_fetch_add(&rest, (uint64_t)(exact * 4294967296.0)) & UINT32_MAX;

	return (uint32_t)((sum + (uint64_t)(exact * 4294967296.0)) >> 32);
}

static void on_allocated(const struct allocation *allocation)
{
	uint32_t periods = periods_of(allocation);

	if (periods > 0 && condition >= 0)
		sampler_take((unsigned)condition, periods, methods_of_class(allocation->class));
}

static _Atomic uint64_t collection_began; /* clock_now */

uint64_t sample_events_collection_began(void)
{
	return atomic_load_explicit(&collection_began, memory_order_relaxed);
}

/* The JVM stands still: nothing of it may be called (JVMTI specification, "Garbage Collection Start"). */
static void JNICALL on_collection(jvmtiEnv *jvmti)
{
	atomic_store_explicit(&collection_began, clock_now(), memory_order_relaxed);
	known_keys_collected();
	atomic_fetch_add_explicit(&collections, 1, memory_order_relaxed);
}

uint32_t sample_events_collections(void)
{
	return atomic_load_explicit(&collections, memory_order_relaxed);
}

void sample_events_callbacks(jvmtiEventCallbacks *callbacks)
{
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
	return allocations_tell(
		ALLOCATIONS_SAMPLES, sampler_period((unsigned)condition), on_allocated, error);
}

void sample_events_stop(void)
{
	if (condition >= 0)
		allocations_silence(ALLOCATIONS_SAMPLES);
	condition = -1;
}

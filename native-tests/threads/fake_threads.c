/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* fake_threads: see fake_threads.h. */
#include "fake_threads.h"

#include <stdio.h>
#include <string.h>

#include "agent/jvm/boot_class.h"
#include "agent/jvm/hotspot.h"
#include "agent/jvm/jvm.h"
#include "agent/threads/virtual_threads.h"

__thread struct fake_thread *fake_current;
uint8_t (*fake_that_want)(const char *name);
_Atomic uint8_t fake_sessions, fake_sessions_of_all;
_Atomic unsigned fake_asked, fake_looked_up;

/* ---- the JVM ---- */

static void JNICALL delete_reference(JNIEnv *jni, jobject object)
{
}

static const struct JNINativeInterface_ functions = {.DeleteLocalRef = delete_reference};
static JNIEnv environment = &functions;
JNIEnv *fake_jni = &environment;

static __thread struct fake_thread *platform; /* while it carries another */
static jvmtiExtensionEvent on_mount, on_unmount;

int __wrap_boot_class_register(JNIEnv *jni, jclass class, const JNINativeMethod *methods,
	int count, struct error *error)
{
	return 0;
}

struct alloc_source __wrap_hotspot_alloc_source(JNIEnv *jni)
{
	return (struct alloc_source){0};
}

void *__wrap_hotspot_function(const char *name)
{
	return NULL;
}

jthread __wrap_jvm_carrier_of(jthread thread)
{
	return (jthread)platform;
}

bool __wrap_jvm_carries(JNIEnv *jni, jthread thread)
{
	return false;
}

jthread __wrap_jvm_current_thread(void)
{
	return (jthread)fake_current;
}

bool __wrap_jvm_describe_thread(JNIEnv *jni, jthread thread, struct jvm_thread *out)
{
	const struct fake_thread *fake =
		thread ? (const struct fake_thread *)thread : fake_current;

	out->java_id = fake->java_id;
	out->is_virtual = fake->is_virtual;
	snprintf(out->name, sizeof(out->name), "%s", fake->name);
	return true;
}

int __wrap_jvm_enable(jvmtiEvent event, bool on, struct error *error)
{
	return 0;
}

bool __wrap_jvm_enable_extension(const char *id, jvmtiExtensionEvent callback)
{
	*(strstr(id, "Unmount") ? &on_unmount : &on_mount) = callback;
	return true;
}

void __wrap_jvm_set_thread_word(uint64_t word)
{
	fake_current->word = word;
}

uint64_t __wrap_jvm_thread_word(void)
{
	return fake_current->word;
}

int __wrap_jvm_stack(jvmtiFrameInfo **frames)
{
	*frames = NULL;
	return 0;
}

bool __wrap_jvm_support_virtual_threads(void)
{
	return true;
}

int64_t __wrap_jvm_thread_id(JNIEnv *jni, jthread thread)
{
	return ((const struct fake_thread *)thread)->java_id;
}

method_ref __wrap_methods_find(JNIEnv *jni, jmethodID method)
{
	atomic_fetch_add(&fake_looked_up, 1);
	return METHOD_REF_EXCLUDED;
}

/* ---- the sessions ---- */

uint8_t __wrap_session_thread_bits(
	const struct session *session, const struct thread_identity *identity)
{
	atomic_fetch_add(&fake_asked, 1);
	return fake_that_want(identity->name);
}

uint8_t __wrap_session_bits_of_all(const struct session *session)
{
	return atomic_load(&fake_sessions_of_all);
}

uint8_t __wrap_session_bits(const struct session *session)
{
	return atomic_load(&fake_sessions);
}

/* ---- a recording ---- */

static struct session session;

static struct session *begin(const struct metric_set *set, bool scope)
{
	struct error error = {0};

	memset(&session, 0, sizeof(session));
	session.metrics = *set;
	session.trace = trace_create(&session.metrics, 64 << 20);
	assert_non_null(session.trace);
	atomic_store(&session.has_scope, scope);
	assert_int_equal(threads_begin(fake_jni, &session, &error), 0);
	return &session;
}

struct session *fake_begin(bool scope)
{
	struct metric_set set = test_set(2);

	return begin(&set, scope);
}

struct session *fake_begin_with(const struct metric_set *set)
{
	return begin(set, false);
}

void fake_widen(const struct metric_set *wider, bool reshaped)
{
	slots_outgrow();
	assert_int_equal(trace_widen(session.trace, wider), 0);
	if (reshaped)
		slots_reshape(wider->shape);
	slots_renew();
}

void fake_stop(struct test_picture *picture)
{
	struct error error = {0};

	assert_true(threads_stop(&session, &error));
	trace_stop(session.trace);
	test_visit(session.trace, picture);
	assert_true(threads_end(fake_jni, &session));
	trace_destroy(session.trace);
}

/* ---- events ---- */

bool fake_enter(uint32_t method)
{
	struct thread_slot *slot = thread_events_begin(SHAPE_ANY, fake_jni, NULL, FOUND_NONE);

	if (!slot)
		return false;
	context_enter(SHAPE_ANY, slot_context(slot), method, STATE_JITTED, false);
	slot_leave(slot);
	return true;
}

bool fake_leave(uint32_t method)
{
	struct thread_slot *slot = thread_events_begin(SHAPE_ANY, fake_jni, NULL, FOUND_NONE);

	if (!slot)
		return false;
	context_exit(SHAPE_ANY, slot_context(slot), method, false);
	slot_leave(slot);
	return true;
}

static inline __attribute__((always_inline)) bool enter_as(
	enum metric_shape shape, uint32_t method)
{
	struct thread_slot *slot = thread_events_begin(shape, fake_jni, NULL, FOUND_NONE);

	if (!slot)
		return thread_events_outgrown(shape) && fake_enter(method);
	context_enter(shape, slot_context(slot), method, STATE_JITTED, false);
	slot_leave(slot);
	return true;
}

/* As what is in the middle of a call. */
static inline __attribute__((always_inline)) bool leave_as(
	enum metric_shape shape, uint32_t method)
{
	struct thread_slot *slot = thread_events_go_on(shape, fake_jni);

	if (!slot)
		return thread_events_outgrown(shape) && fake_leave(method);
	context_exit(shape, slot_context(slot), method, false);
	slot_leave(slot);
	return true;
}

bool fake_enter_shaped(enum metric_shape shape, uint32_t method)
{
	switch (shape) {
#define X(shape, name)                                                                         \
	case shape:                                                                            \
		return enter_as(shape, method);
		METRIC_SHAPE_TABLE(X)
#undef X
	}
	return false;
}

bool fake_leave_shaped(enum metric_shape shape, uint32_t method)
{
	switch (shape) {
#define X(shape, name)                                                                         \
	case shape:                                                                            \
		return leave_as(shape, method);
		METRIC_SHAPE_TABLE(X)
#undef X
	}
	return false;
}

bool fake_enter_scope(uint32_t method)
{
	if (fake_enter(method))
		return true;
	thread_events_enter_scope(fake_jni, NULL, method << 1 | METHOD_REF_SCOPE, STATE_JITTED);
	return slot_in_scope();
}

bool fake_leave_scope(uint32_t method)
{
	struct thread_slot *slot = thread_events_begin(SHAPE_ANY, fake_jni, NULL, FOUND_NONE);

	if (!slot)
		return false;
	context_exit(SHAPE_ANY, slot_context(slot), method, false);
	thread_events_leave_method(slot, method << 1 | METHOD_REF_SCOPE, false);
	return true;
}

/* ---- virtual threads ---- */

void fake_mount(struct fake_thread *thread)
{
	platform = fake_current;
	fake_current = thread;
	on_mount(NULL, fake_jni, (jthread)thread);
}

void fake_unmount(void)
{
	on_unmount(NULL, fake_jni, (jthread)fake_current);
	fake_current = platform;
	platform = NULL;
}

void fake_end_virtual(void)
{
	on_unmount(NULL, fake_jni, (jthread)fake_current);
	virtual_threads_end(NULL, fake_jni, (jthread)fake_current);
	fake_current = platform;
	platform = NULL;
}

void fake_use(uint64_t objects)
{
	const struct thread_slot *slot = slot_current;

	test_use(slot->carrier_slot ? slot->carrier : slot_context(slot), objects, 0);
}

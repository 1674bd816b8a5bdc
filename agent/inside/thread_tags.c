/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* thread_tags: see thread_tags.h. */
#include "agent/inside/thread_tags.h"

#include <string.h>

#include "agent/threads/thread_events.h"
#include "agent/values/tag_sets.h"
#include "agent/values/values.h"

/* ---- the calling thread ---- */

/* Its slot, entered, where that is not so at once; *outside: of the scope. */
static __attribute__((noinline)) struct thread_slot *enter_rare(bool *outside)
{
	JNIEnv *jni = session_now() != 0 ? jvm_env() : NULL;
	struct thread_slot *slot;
	jthrowable exception;

	if (!jni)
		return NULL;
	/* First, as it may have to come to another edition. */
	exception = jvm_exception_aside(jni);
	slot = thread_events_begin(SHAPE_ANY, jni, NULL, FOUND_NONE);
	jvm_exception_back(jni, exception);
	if (slot)
		return slot;
	slot = slot_enter_outside();
	*outside = slot != NULL;
	return slot;
}

bool tagged_begin(struct tagged_thread *thread, bool aside)
{
	struct thread_slot *slot = slot_current;

	thread->outside = false;
	if (__builtin_expect(!slot || !slot_enter(SHAPE_ANY, slot), 0))
		slot = enter_rare(&thread->outside);
	thread->slot = slot;
	thread->aside = aside && !thread->outside;
	if (slot && thread->aside) {
		context_settle(slot_context(slot));
		context_go_out(slot_context(slot));
	}
	return slot != NULL;
}

void tagged_end(const struct tagged_thread *thread)
{
	if (thread->aside)
		context_come_in(slot_context(thread->slot));
	if (thread->outside)
		slot_shut(thread->slot);
	else
		slot_leave(thread->slot);
}

/* ---- numbers ---- */

static uint32_t recording_of(const struct tagged_thread *thread)
{
	return atomic_load_explicit(&thread->slot->recording, memory_order_relaxed);
}

static int64_t number_of(const struct tagged_thread *thread, uint32_t what)
{
	return (int64_t)((uint64_t)recording_of(thread) << 32 | what);
}

static bool is_of_recording(const struct tagged_thread *thread, int64_t number)
{
	return (uint64_t)number >> 32 == recording_of(thread);
}

static bool is_key(const char *key)
{
	size_t length = strnlen(key, THREAD_TAG_KEY + 1);

	if (length == 0 || length > THREAD_TAG_KEY)
		return false;
	for (size_t i = 0; i < length; i++)
		if ((unsigned char)key[i] < ' ' || key[i] == '=' || key[i] == 0x7f)
			return false;
	return true;
}

int64_t tagged_number(const struct tagged_thread *thread, const char *key, const char *value)
{
	const struct session *session = session_joined();
	uint32_t parameter;

	/* The recording may have ended while the caller looked for the texts. */
	if (!session || recording_now() != recording_of(thread) || !key || !is_key(key))
		return -1;
	parameter = parameter_make(
		key, true, KEEP_PLAIN, (uint32_t)session->options.parameter_values);
	if (!parameter)
		return -1;
	parameter_want(parameter, PARAMETER_EVERYBODY);
	return number_of(thread, value ? value_of(parameter, value, strlen(value))
				       : parameter | THREAD_TAG_NONE);
}

/* The key of a tag's number; 0: it is no tag. */
static uint32_t key_of(uint32_t what)
{
	uint32_t key = what & ~THREAD_TAG_NONE;

	if (!(what & THREAD_TAG_NONE))
		key = what > 0 && what <= values_count() ? value_get(what).parameter : 0;
	return key > 0 && key <= parameters_count() && parameter_get(key).is_tag ? key : 0;
}

/* ---- tags ---- */

int64_t tagged_put(const struct tagged_thread *thread, int64_t tag)
{
	struct thread_context *context = slot_context(thread->slot);
	uint32_t what = (uint32_t)tag, key, now, before;

	if (!context || !is_of_recording(thread, tag))
		return -1;
	key = key_of(what);
	if (!key)
		return -1;
	now = context_tags_now(context);
	before = tag_set_value(now, key);
	context_tags(context,
		what & THREAD_TAG_NONE ? tag_set_without(now, key) : tag_set_with(now, what));
	return number_of(thread, before ? before : key | THREAD_TAG_NONE);
}

int64_t tagged_now(const struct tagged_thread *thread)
{
	const struct thread_context *context = slot_context(thread->slot);

	return context ? number_of(thread, context_tags_now(context)) : -1;
}

int64_t tagged_use(const struct tagged_thread *thread, int64_t tags)
{
	struct thread_context *context = slot_context(thread->slot);
	int64_t before = tagged_now(thread);

	if (!context || !is_of_recording(thread, tags) || (uint32_t)tags > tag_sets_count())
		return -1;
	context_tags(context, (uint32_t)tags);
	return before;
}

/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * class_hook: see class_hook.h.
 *
 * Runs: the event on whichever thread loads or retransforms a class, many at once. What it
 *       costs is not charged to the thread.
 */
#include "agent/events/class_hook.h"

#include <errno.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/events/method_probes.h"
#include "agent/events/native_methods.h"
#include "agent/events/thread_events.h"
#include "agent/events/untouched.h"
#include "agent/jvm/methods.h"
#include "agent/lock/gate.h"
#include "agent/log/log.h"
#include "agent/rewrite/rewrite.h"

/* Method modifiers, JVM specification table 4.6-A. */
enum { ACCESS_STATIC = 0x0008, ACCESS_NATIVE = 0x0100 };

/* Classes retransformed in one safepoint: more make a longer pause, fewer more of them. */
enum { BATCH = 200 };

/* Classes whose methods must stay as they are, whatever the user includes; internal names, with
 * '*' at the end for all that begin so. */
static const struct left_out {
	const char *name, *why;
} left_out[] = {
	{METHOD_PROBES_CLASS, "the probes' own class"},
	{"java/lang/Object", "its constructor runs in every object's"},
	{"jdk/internal/vm/*", "the JVM switches stacks in its methods"},
	{"java/lang/VirtualThread*", "a thread's identity changes in its methods"},
	{"java/lang/ThreadLocal*", "a virtual thread's identity is not settled there"},
	{"jprof/*", "jprof's own"},
};

static struct gate hook; /* open: classes get probes */
static _Atomic bool opening; /* classes that are loaded already are being shown */
static __thread bool is_opener; /* by this thread */
static _Atomic uint64_t classes_done, methods_done;

static const char *left_out_why(const char *internal)
{
	for (size_t i = 0; i < sizeof(left_out) / sizeof(*left_out); i++) {
		if (pattern_match(left_out[i].name, internal))
			return left_out[i].why;
	}
	return NULL;
}

/* ---- one class ---- */

/* A class on its way through the rewriter. */
struct passing {
	char *class_name; /* Java name */
	bool is_jdk;
	const char *left_out; /* why it gets no probes; NULL: it does */
	bool asked_for;       /* and the user wants some of its methods nevertheless */
	bool has_natives; /* that were chosen */
};

/* It has no id then, by which native_methods.c knows it. */
static void leave_intrinsic(const struct jvm_method *method)
{
	if (methods_included(method))
		untouched_add(method->class_name, method->name,
			"native, and replaced by the compilers with code of their own");
}

static uint32_t method_id(void *user, const struct rewrite_method *method)
{
	struct passing *passing = user;
	struct jvm_method description = {.class_name = strdup(passing->class_name),
		.name = jvm_method_name(method->name),
		.signature = jvm_method_name(method->descriptor),
		.is_native = method->access & ACCESS_NATIVE,
		.is_static = method->access & ACCESS_STATIC,
		.is_jdk = passing->is_jdk};
	method_ref ref = METHOD_REF_EXCLUDED;

	if (!description.class_name || !description.name || !description.signature)
		ref = METHOD_REF_EXCLUDED;
	else if (passing->left_out)
		passing->asked_for |= methods_included(&description);
	else if (method->intrinsic && description.is_native)
		leave_intrinsic(&description);
	else
		ref = methods_named(&description);
	passing->has_natives |= (ref & METHOD_REF_NATIVE) != 0;
	jvm_method_fini(&description);
	return ref & ~METHOD_REF_NATIVE;
}

static void method_untouched(
	void *user, const struct rewrite_method *method, enum rewrite_reason why)
{
	const struct passing *passing = user;

	untouched_add(passing->class_name, method->name, rewrite_reason_text(why));
}

/* The JVM's own copy of the new bytes. */
static void hand_over(
	const struct rewrite_result *result, jint *new_size, unsigned char **new_bytes)
{
	unsigned char *memory = jvm_allocate(&events.jvm, result->size);

	if (!memory)
		return;
	memcpy(memory, result->bytes, result->size);
	*new_bytes = memory;
	*new_size = (jint)result->size;
	atomic_fetch_add_explicit(&classes_done, 1, memory_order_relaxed);
	atomic_fetch_add_explicit(&methods_done, result->methods, memory_order_relaxed);
}

static void rewrite(struct passing *passing, const unsigned char *bytes, size_t size,
	jint *new_size, unsigned char **new_bytes)
{
	const struct rewrite_request request = {.id = method_id,
		.untouched = method_untouched,
		.user = passing,
		.probe = METHOD_PROBES_CLASS};
	struct rewrite_result result;
	enum rewrite_reason reason = rewrite_class(bytes, size, &request, &result);

	if (reason != REWRITE_OK)
		untouched_add(passing->class_name, NULL, rewrite_reason_text(reason));
	else if (result.bytes)
		hand_over(&result, new_size, new_bytes);
	else if (passing->asked_for)
		untouched_add(passing->class_name, NULL, passing->left_out);
	free(result.bytes);
}

/* internal: the class's name, which is used up. */
static void take_class(JNIEnv *jni, jobject loader, char *internal, struct passing *passing,
	const unsigned char *bytes, size_t size, jint *new_size, unsigned char **new_bytes)
{
	if (!internal)
		return;
	passing->is_jdk = jvm_is_jdk(jni, loader, internal);
	passing->class_name = jvm_class_name(internal);
	passing->left_out = left_out_why(internal);
	if (passing->class_name && methods_class_included(passing->class_name, passing->is_jdk))
		rewrite(passing, bytes, size, new_size, new_bytes);
	free(passing->class_name);
	free(internal);
}

/* The class has natives and will be another version of itself. They may be bound once more before
 * it is. */
static void take_natives(JNIEnv *jni, jclass redefined)
{
	if (!atomic_load_explicit(&opening, memory_order_relaxed))
		return;
	native_methods_note(jni, redefined);
	if (is_opener)
		native_methods_take(jni, redefined);
}

void JNICALL class_hook_event(jvmtiEnv *jvmti, JNIEnv *jni, jclass redefined, jobject loader,
	const char *name, jobject domain, jint size, const unsigned char *bytes,
	jint *new_size, unsigned char **new_bytes)
{
	struct passing passing = {0};
	struct thread_context *paused;
	int saved_errno;

	(void)jvmti;
	(void)domain;
	if (!jni || !gate_enter(&hook))
		return;
	saved_errno = errno;
	paused = thread_events_pause();
	jvm_expect_references(jni);
	/* Whoever defines a class need not say its name. */
	take_class(jni, loader, name ? strdup(name) : rewrite_class_name(bytes, (size_t)size),
		&passing, bytes, (size_t)size, new_size, new_bytes);
	if (redefined && passing.has_natives)
		take_natives(jni, redefined);
	thread_events_resume(paused);
	errno = saved_errno;
	gate_leave(&hook);
}

/* ---- classes that are loaded already ---- */

/* Classes seen in an earlier pass, by their hash: one that shares it with another is passed
 * over in the next pass, which matters to none but those loaded in between. */
struct seen {
	int32_t *hash;
	size_t count;
};

static int compare_hashes(const void *a, const void *b)
{
	int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;

	return (x > y) - (x < y);
}

static bool seen_has(const struct seen *seen, int32_t hash)
{
	return seen->count > 0 && bsearch(&hash, seen->hash, seen->count,
						sizeof(*seen->hash), compare_hashes);
}

static void retransform_one(struct jvm *jvm, JNIEnv *jni, jclass class)
{
	struct jvm_class description;
	struct error error = {0};

	if (!jvm_retransform(jvm, &class, 1, &error) ||
		!jvm_describe_class(jvm, jni, class, &description))
		return;
	untouched_add(description.name, NULL, error.text);
	jvm_class_fini(&description);
}

/* A batch that is refused holds a class that cannot be changed: one by one, then. */
static void retransform(struct jvm *jvm, JNIEnv *jni, const jclass *classes, int count)
{
	struct error error = {0};

	for (int i = 0; i < count; i += BATCH) {
		int n = count - i < BATCH ? count - i : BATCH;

		if (!jvm_retransform(jvm, &classes[i], n, &error))
			continue;
		for (int k = 0; k < n; k++)
			retransform_one(jvm, jni, classes[i + k]);
	}
}

/* Leaves only the classes that have, or are to have, probes, and were not seen before. */
static int choose(
	struct jvm *jvm, JNIEnv *jni, jclass *classes, int count, const struct seen *seen)
{
	struct jvm_class class;
	int chosen = 0;

	for (int i = 0; i < count; i++) {
		if (!jvm_describe_class(jvm, jni, classes[i], &class))
			continue;
		if (methods_class_included(class.name, class.is_jdk) &&
			!seen_has(seen, jvm_hash(jvm, classes[i])))
			classes[chosen++] = classes[i];
		jvm_class_fini(&class);
	}
	return chosen;
}

/* Returns how many classes were new. */
static int pass(struct jvm *jvm, JNIEnv *jni, struct seen *seen)
{
	jclass *classes;
	int chosen = 0, count;
	int32_t *hash;

	if ((*jni)->PushLocalFrame(jni, JVM_LOCAL_FRAME))
		return 0;
	count = jvm_changeable_classes(jvm, &classes);
	if (count > 0)
		chosen = choose(jvm, jni, classes, count, seen);
	hash = realloc(seen->hash, (seen->count + (size_t)chosen + 1) * sizeof(*hash));
	if (hash) {
		seen->hash = hash;
		for (int i = 0; i < chosen; i++)
			hash[seen->count++] = jvm_hash(jvm, classes[i]);
		qsort(hash, seen->count, sizeof(*hash), compare_hashes);
		retransform(jvm, jni, classes, chosen);
	}
	free(classes);
	(*jni)->PopLocalFrame(jni, NULL);
	return hash ? chosen : 0;
}

/* The second pass is for classes that had passed the hook in its former state, but were not
 * listed as loaded by the first. */
static void bring_loaded_classes(struct jvm *jvm, JNIEnv *jni)
{
	struct seen seen = {0};

	for (int i = 0; i < 2; i++)
		log_line(LOG_DEBUG, "%d loaded classes retransformed", pass(jvm, jni, &seen));
	free(seen.hash);
}

void class_hook_forget(void)
{
	untouched_forget();
	atomic_store(&classes_done, 0);
	atomic_store(&methods_done, 0);
}

void class_hook_open(struct jvm *jvm, JNIEnv *jni)
{
	native_methods_learn(jni);
	atomic_store_explicit(&opening, true, memory_order_relaxed);
	gate_open(&hook);
	is_opener = true;
	bring_loaded_classes(jvm, jni);
	is_opener = false;
	atomic_store_explicit(&opening, false, memory_order_relaxed);
	native_methods_take_noted(jni);
}

bool class_hook_close(struct jvm *jvm, JNIEnv *jni)
{
	bool out = gate_close(&hook);

	bring_loaded_classes(jvm, jni);
	native_methods_give_back(jni);
	return out;
}

void class_hook_chosen(struct session_chosen *chosen)
{
	chosen->classes = atomic_load(&classes_done);
	chosen->methods = atomic_load(&methods_done);
}

void class_hook_facts(
	void (*put)(void *argument, const char *key, const char *value), void *argument)
{
	const struct {
		const char *key;
		uint64_t value;
	} number[] = {{"probes.classes", atomic_load(&classes_done)},
		{"probes.methods", atomic_load(&methods_done)}};
	char text[32];

	for (size_t i = 0; i < sizeof(number) / sizeof(*number); i++) {
		snprintf(text, sizeof(text), "%" PRIu64, number[i].value);
		put(argument, number[i].key, text);
	}
	untouched_facts(put, argument);
}

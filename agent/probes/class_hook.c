/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * class_hook: see class_hook.h.
 *
 * Runs: the event on whichever thread loads or retransforms a class, many at once. What it
 *       costs is not charged to the thread.
 */
#include "agent/probes/class_hook.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "agent/lock/gate.h"
#include "agent/log/log.h"
#include "agent/methods/call_kinds.h"
#include "agent/methods/class_kin.h"
#include "agent/methods/methods.h"
#include "agent/methods/plan.h"
#include "agent/methods/untouched.h"
#include "agent/methods/value_rows.h"
#include "agent/probes/method_probes.h"
#include "agent/probes/native_methods.h"
#include "agent/rewrite/rewrite.h"
#include "agent/sample/sample_entries.h"
#include "agent/threads/thread_events.h"
#include "agent/trace/tree_labels.h"
#include "metric/clock.h"

/* Method modifiers, JVM specification table 4.6-A. */
enum { ACCESS_STATIC = 0x0008, ACCESS_NATIVE = 0x0100 };

/* Classes retransformed in one safepoint: more make a longer pause, fewer more of them. */
enum { BATCH = 200 };

static struct gate hook;        /* open: classes get probes */
static _Atomic bool opening;    /* classes that are loaded already are being shown */
static __thread bool is_opener; /* by this thread */
static _Atomic uint64_t classes_done, methods_done, methods_sited, methods_sites_left;

/* ---- when ---- */

/* Classes of the thread on their way: one asks for its super classes in between. */
enum { PASSED = 16 };
static __thread struct passed {
	uint64_t at;
	uint32_t name; /* a hash of it */
} passed[PASSED];
static __thread unsigned passed_count;
static _Atomic bool notes_times;

static uint32_t hash_of(const char *name)
{
	uint32_t hash = 2166136261u;

	for (; *name; name++)
		hash = (hash ^ (unsigned char)*name) * 16777619u;
	return hash;
}

void class_hook_note_times(bool on)
{
	atomic_store(&notes_times, on);
}

static void note_time(const char *class_name)
{
	if (!class_name || !atomic_load_explicit(&notes_times, memory_order_relaxed))
		return;
	if (passed_count == PASSED)
		memmove(passed, passed + 1, --passed_count * sizeof(*passed));
	passed[passed_count++] = (struct passed){clock_system(), hash_of(class_name)};
}

uint64_t class_hook_passed(const char *class_name)
{
	uint32_t name = hash_of(class_name);

	for (unsigned i = passed_count; i-- > 0;) {
		if (passed[i].name != name)
			continue;
		passed_count = i;
		return passed[i].at;
	}
	return 0;
}

/* ---- one class ---- */

/* A class on its way through the rewriter. */
struct passing {
	char *class_name; /* Java name */
	jclass class;     /* NULL: it is being loaded */
	bool is_jdk;
	bool has_natives;                             /* that were chosen */
	struct rewrite_reading reading[READINGS_MAX]; /* of the method at work */
};

/* The names of its description may be taken by then. */
static unsigned readings_of(
	struct passing *passing, const struct rewrite_method *method, uint32_t id)
{
	const struct jvm_method names = {.class_name = passing->class_name,
		.name = (char *)(uintptr_t)method->name,
		.signature = (char *)(uintptr_t)method->descriptor,
		.is_static = method->access & ACCESS_STATIC,
		.is_jdk = passing->is_jdk,
		.class = passing->class};

	return value_readings_of(&names, id, method, passing->reading);
}

/* A native method that is left has no id, by which native_methods.c knows it. */
static struct rewrite_probes method_probes(void *user, const struct rewrite_method *method)
{
	struct passing *passing = user;
	struct jvm_method description = {.class_name = strdup(passing->class_name),
		.name = jvm_method_name(method->name),
		.signature = jvm_method_name(method->descriptor),
		.is_native = method->access & ACCESS_NATIVE,
		.is_static = method->access & ACCESS_STATIC,
		.is_jdk = passing->is_jdk,
		.class = passing->class};
	struct planned planned = {.probes = PROBE_NONE};
	method_ref ref = METHOD_REF_EXCLUDED;
	probe_set probes, otherwise;
	unsigned readings = 0;

	if (description.class_name && description.name && description.signature)
		planned = plan_for_code(&description, method->intrinsic);
	if (planned.left)
		untouched_add(description.class_name,
			planned.left_class ? NULL : description.name, planned.left);
	if (planned.probes != PROBE_NONE)
		ref = methods_named(&description, &planned);
	if (ref != METHOD_REF_EXCLUDED && (planned.probes & PROBE_COUNTED) &&
		!counts_expect(method_ref_id(ref))) {
		planned.probes &= (probe_set)~PROBE_COUNTED;
		if (!(planned.probes & PROBE_TIMED))
			untouched_add(passing->class_name, method->name,
				"there are more methods than jprof can count");
	}
	/* What cannot be timed may be counted. */
	otherwise = (planned.probes & PROBE_CALLS) == PROBE_CALLS
			    ? planned.probes & (probe_set)~PROBE_TIMED
			    : PROBE_NONE;
	probes = ref == METHOD_REF_EXCLUDED || !(method->code || description.is_native)
			 ? PROBE_NONE
			 : call_kind_probes(planned.probes, method_ref_id(ref), method);
	if (ref != METHOD_REF_EXCLUDED && (planned.probes & PROBE_ENTRY) &&
		!sample_entries_note(method_ref_id(ref), planned.entered))
		untouched_add(
			passing->class_name, method->name, rewrite_reason_text(REWRITE_MEMORY));
	passing->has_natives |= (ref & METHOD_REF_NATIVE) != 0;
	if (ref != METHOD_REF_EXCLUDED && planned.values && method->code)
		readings = readings_of(passing, method, method_ref_id(ref));
	/* What a watched method used itself is its own node's. */
	if (planned.sites && planned.watched && method->code)
		atomic_fetch_add_explicit(&methods_sites_left, 1, memory_order_relaxed);
	jvm_method_fini(&description);
	if (ref == METHOD_REF_EXCLUDED)
		return (struct rewrite_probes){.kinds = PROBE_NONE};
	return (struct rewrite_probes){.kinds = probes,
		.otherwise = otherwise,
		.id = ref & ~METHOD_REF_NATIVE,
		.sites = planned.sites && !planned.watched,
		.reading = passing->reading,
		.readings = readings};
}

static uint32_t site_number(void *user, uint32_t id, uint16_t line)
{
	return node_label(method_ref_id(id), LABEL_LINE, line) & ~LABEL;
}

static void method_untouched(
	void *user, const struct rewrite_method *method, enum rewrite_reason why)
{
	const struct passing *passing = user;

	untouched_add(passing->class_name, method->name, rewrite_reason_text(why));
}

static void reading_left(void *user, const struct rewrite_method *method,
	const struct rewrite_reading *reading, enum rewrite_reason why)
{
	method_untouched(user, method, why);
}

/* The new bytes, if there are any, become the JVM's own. */
static void rewrite(struct passing *passing, const unsigned char *bytes, size_t size,
	jint *new_size, unsigned char **new_bytes)
{
	const struct rewrite_request request = {.probes = method_probes,
		.untouched = method_untouched,
		.unread = reading_left,
		.site = site_number,
		.user = passing,
		.probe = METHOD_PROBES_CLASS};
	struct rewrite_result result;
	enum rewrite_reason reason = rewrite_class(bytes, size, &request, &result);
	unsigned char *memory = result.bytes ? jvm_allocate(result.size) : NULL;

	if (reason != REWRITE_OK)
		untouched_add(passing->class_name, NULL, rewrite_reason_text(reason));
	if (memory) {
		memcpy(memory, result.bytes, result.size);
		*new_bytes = memory;
		*new_size = (jint)result.size;
		atomic_fetch_add_explicit(&classes_done, 1, memory_order_relaxed);
		atomic_fetch_add_explicit(&methods_done, result.methods, memory_order_relaxed);
		atomic_fetch_add_explicit(&methods_sited, result.sited, memory_order_relaxed);
		atomic_fetch_add_explicit(
			&methods_sites_left, result.sites_left, memory_order_relaxed);
	}
	free(result.bytes);
}

static void note_kin(void *user, const char *above)
{
	kin_note(user, above);
}

void JNICALL class_hook_event(jvmtiEnv *jvmti, JNIEnv *jni, jclass redefined, jobject loader,
	const char *name, jobject domain, jint size, const unsigned char *bytes, jint *new_size,
	unsigned char **new_bytes)
{
	struct passing passing = {0};
	struct thread_context *paused;
	char *internal;
	int saved_errno;

	if (!jni || !gate_enter(&hook))
		return;
	saved_errno = errno;
	paused = slot_pause();
	jvm_expect_references(jni);
	/* A class need not be given a name when it is defined. */
	internal = name ? strdup(name) : rewrite_class_name(bytes, (size_t)size);
	if (internal) {
		passing.is_jdk = jvm_is_jdk(jni, loader, internal);
		passing.class_name = jvm_class_name(internal);
	}
	passing.class = redefined;
	if (internal && !redefined && value_rows_ask_kin())
		rewrite_class_above(bytes, (size_t)size, note_kin, internal);
	if (passing.class_name &&
		plan_reaches(passing.class_name, passing.is_jdk, PLAN_ALL_SESSIONS))
		rewrite(&passing, bytes, (size_t)size, new_size, new_bytes);
	/* It will be another version of itself. Its natives may be bound once more before it
	 * is. */
	if (redefined && passing.has_natives &&
		atomic_load_explicit(&opening, memory_order_relaxed)) {
		native_methods_note(jni, redefined);
		if (is_opener)
			native_methods_take(jni, redefined);
	}
	if (!redefined)
		note_time(passing.class_name);
	free(passing.class_name);
	free(internal);
	slot_resume(paused);
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

/* A batch that is refused holds a class that cannot be changed: one by one, then. first: it has no probes yet. */
static void retransform(JNIEnv *jni, const jclass *classes, int count, bool first)
{
	struct jvm_class description;
	struct error error = {0};

	for (int i = 0; i < count; i += BATCH) {
		int n = count - i < BATCH ? count - i : BATCH;

		if (!jvm_retransform(&classes[i], n, &error))
			continue;
		for (int k = i; k < i + n; k++) {
			if (!jvm_retransform(&classes[k], 1, &error) ||
				!jvm_describe_class(jni, classes[k], &description))
				continue;
			/* Else it keeps the probes that it has. */
			if (first)
				untouched_add(description.name, NULL, error.text);
			free(description.name);
		}
	}
}

/* Retransforms the classes that have, or are to have, probes for these sessions, and were not seen before. Returns
 * how many those were. */
static int pass(JNIEnv *jni, unsigned sessions, struct seen *seen)
{
	struct jvm_class class;
	jclass *classes;
	int32_t *hash;
	int count, chosen = 0;

	if ((*jni)->PushLocalFrame(jni, JVM_LOCAL_FRAME))
		return 0;
	count = jvm_changeable_classes(&classes);
	for (int i = 0; i < count; i++) {
		int32_t own = jvm_hash(classes[i]);

		if (!jvm_describe_class(jni, classes[i], &class))
			continue;
		if (plan_reaches(class.name, class.is_jdk, sessions) &&
			!(seen->count > 0 && bsearch(&own, seen->hash, seen->count, sizeof(own),
						     compare_hashes)))
			classes[chosen++] = classes[i];
		free(class.name);
	}
	hash = realloc(seen->hash, (seen->count + (size_t)chosen + 1) * sizeof(*hash));
	if (hash) {
		seen->hash = hash;
		for (int i = 0; i < chosen; i++)
			hash[seen->count++] = jvm_hash(classes[i]);
		qsort(hash, seen->count, sizeof(*hash), compare_hashes);
		retransform(jni, classes, chosen, true);
	}
	free(classes);
	(*jni)->PopLocalFrame(jni, NULL);
	return hash ? chosen : 0;
}

/* The second pass is for classes that had passed the hook in its former state, but were
 * not listed as loaded by the first. */
static void bring_loaded_classes(JNIEnv *jni, unsigned sessions)
{
	struct seen seen = {0};

	for (int i = 0; i < 2; i++)
		log_line(LOG_DEBUG, "%d loaded classes retransformed",
			pass(jni, sessions, &seen));
	free(seen.hash);
}

void class_hook_renew(JNIEnv *jni, bool (*wanted)(const char *class_name), bool (*stops)(void))
{
	jclass *classes;
	int count, chosen = 0;

	if ((*jni)->PushLocalFrame(jni, JVM_LOCAL_FRAME)) {
		(*jni)->ExceptionClear(jni);
		return;
	}
	count = jvm_changeable_classes(&classes);
	for (int i = 0; i < count; i++) {
		char *name = jvm_type_name(classes[i]);

		if (name && wanted(name))
			classes[chosen++] = classes[i];
		free(name);
	}
	if (count >= 0) {
		for (int i = 0; i < chosen && !stops(); i += BATCH)
			retransform(jni, classes + i, chosen - i < BATCH ? chosen - i : BATCH,
				false);
		free(classes);
	}
	(*jni)->PopLocalFrame(jni, NULL);
}

void class_hook_forget(void)
{
	untouched_forget();
	atomic_store(&classes_done, 0);
	atomic_store(&methods_done, 0);
	atomic_store(&methods_sited, 0);
	atomic_store(&methods_sites_left, 0);
}

/* Of classes that are loaded already, before one of them is asked for its methods. */
static void note_loaded_kin(JNIEnv *jni)
{
	jclass *classes;
	int count;

	if ((*jni)->PushLocalFrame(jni, JVM_LOCAL_FRAME)) {
		(*jni)->ExceptionClear(jni);
		return;
	}
	count = jvm_changeable_classes(&classes);
	for (int i = 0; i < count; i++)
		jvm_each_above(jni, classes[i], kin_note);
	free(classes);
	(*jni)->PopLocalFrame(jni, NULL);
}

/* Their natives are taken, too. */
static void open_to_loaded_classes(JNIEnv *jni, unsigned sessions)
{
	atomic_store_explicit(&opening, true, memory_order_relaxed);
	if (value_rows_ask_kin())
		note_loaded_kin(jni);
	gate_open(&hook);
	is_opener = true;
	bring_loaded_classes(jni, sessions);
	is_opener = false;
	atomic_store_explicit(&opening, false, memory_order_relaxed);
	native_methods_take_noted(jni);
}

int class_hook_begin(JNIEnv *jni, struct session *session, struct error *error)
{
	native_methods_begin(jni);
	open_to_loaded_classes(jni, PLAN_ALL_SESSIONS);
	return 0;
}

void class_hook_session(JNIEnv *jni, unsigned session)
{
	open_to_loaded_classes(jni, 1U << session);
	native_methods_renew(jni);
}

bool class_hook_end(JNIEnv *jni, struct session *session)
{
	bool out = gate_close(&hook);

	bring_loaded_classes(jni, PLAN_ALL_SESSIONS);
	return native_methods_end(jni) && out;
}

void class_hook_counts(uint64_t *classes, uint64_t *methods)
{
	*classes = atomic_load(&classes_done);
	*methods = atomic_load(&methods_done);
}

void class_hook_facts(fact_put put, void *argument)
{
	fact_put_number(put, argument, "probes.classes", atomic_load(&classes_done));
	fact_put_number(put, argument, "probes.methods", atomic_load(&methods_done));
	if (atomic_load(&methods_sited) > 0)
		fact_put_number(
			put, argument, "call_sites.methods", atomic_load(&methods_sited));
	if (atomic_load(&methods_sites_left) > 0)
		fact_put_number(
			put, argument, "call_sites.left", atomic_load(&methods_sites_left));
	untouched_facts(put, argument);
}

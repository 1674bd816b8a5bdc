/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* classes_tracer: see classes_tracer.h. */
#include "agent/tracers/classes_tracer.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "agent/jvm/jvm.h"
#include "agent/jvm/perf_counters.h"
#include "agent/lock/gate.h"
#include "agent/lock/lock.h"
#include "agent/log/log.h"
#include "agent/methods/methods.h"
#include "agent/probes/class_hook.h"
#include "agent/sample/sampler.h"
#include "agent/threads/thread_slot.h"
#include "agent/tracers/class_loaders.h"
#include "agent/tracers/traced_log.h"
#include "metric/clock.h"

/* What the JVM's log tells of a class may come when it is gone. */
#define LINGER_NS UINT64_C(2000000000)

struct class_row {
	uint32_t name;   /* a method's id, of the kind METHOD_CLASS */
	uint32_t loader; /* class_loaders.h */
	uint32_t older; /* the one of the same name that lives and was loaded before; 0: none */
	uint64_t loaded, linked, initialized, unloaded; /* clock_system; 0: not yet */
	uint64_t ns;
	bool put, known_ns;
};

enum { FRESH_MAX = 4096 };

/* Off for longer: what is there is looked at once more. */
#define AFRESH_NS UINT64_C(1000000000)

static struct {
	struct gate gate;      /* open while it is on: events may add rows and loaders */
	struct lock lock;      /* guards what follows */
	struct class_row *row; /* from 1 on */
	uint32_t count, room;
	uint32_t *newest; /* by name: the row that was loaded last */
	uint32_t names;
	uint64_t unlisted, unloaded_unknown;
	uint64_t *there; /* keys of classes that were there as it was switched on, rising */
	size_t there_count, there_room;
	bool counted;              /* what was there before */
	bool looking;              /* at what is there */
	uint64_t off_at;           /* when the trace was switched off last; clock_system */
	uint64_t fresh[FRESH_MAX]; /* keys of classes that were loaded until then */
	uint32_t fresh_count;
} state = {.lock = {PTHREAD_MUTEX_INITIALIZER, LOCK_CLASSES}};

/* ---- rows ---- */

/* The newest row of that name, or a place for it. Under the lock. NULL: no memory. */
static uint32_t *newest_of(uint32_t name)
{
	uint32_t names = state.names ? state.names : 1024, *more;

	while (names <= name)
		names *= 2;
	if (names > state.names) {
		more = realloc(state.newest, names * sizeof(*more));
		if (!more)
			return NULL;
		memset(more + state.names, 0, (names - state.names) * sizeof(*more));
		state.newest = more;
		state.names = names;
	}
	return &state.newest[name];
}

/* Under the lock. False: there is no room. */
static bool append(const struct class_row *fresh)
{
	uint32_t room = state.room ? 2 * state.room : 1024;
	uint32_t *newest = newest_of(fresh->name);
	struct class_row *more;

	if (!newest || state.count > CLASSES_MAX)
		return false;
	if (state.count + 1 >= state.room) {
		more = realloc(state.row, room * sizeof(*more));
		if (!more)
			return false;
		state.row = more;
		state.room = room;
	}
	state.row[++state.count] = *fresh;
	state.row[state.count].older = *newest;
	*newest = state.count;
	return true;
}

static void add_class(const struct class_row *fresh, uint64_t key)
{
	lock_take(&state.lock);
	if (state.looking && state.fresh_count < FRESH_MAX)
		state.fresh[state.fresh_count++] = key;
	if (!append(fresh))
		state.unlisted++;
	lock_give(&state.lock);
	class_loader_count(fresh->loader, LOADER_LOADED);
}

static void link_class(uint32_t name, uint32_t loader)
{
	uint64_t now = clock_system();
	uint32_t at;

	lock_take(&state.lock);
	at = name < state.names ? state.newest[name] : 0;
	while (at && (state.row[at].loader != loader || state.row[at].linked))
		at = state.row[at].older;
	if (at) {
		state.row[at].linked = now;
		state.row[at].put = false;
	}
	lock_give(&state.lock);
}

static void initialize_class(uint32_t name, uint64_t begin)
{
	uint32_t at;

	lock_take(&state.lock);
	at = name < state.names ? state.newest[name] : 0;
	while (at && (state.row[at].initialized || state.row[at].loaded > begin))
		at = state.row[at].older;
	if (at) {
		state.row[at].initialized = begin;
		state.row[at].put = false;
	}
	lock_give(&state.lock);
}

/* True if no row of that name may be the one that was unloaded, unless a loader is gone of which that is not yet known. */
static bool needs_look(uint32_t name)
{
	uint32_t at;

	lock_take(&state.lock);
	at = name < state.names ? state.newest[name] : 0;
	while (at && (state.row[at].unloaded || !class_loader_is_gone(state.row[at].loader)))
		at = state.row[at].older;
	lock_give(&state.lock);
	return at == 0;
}

/* The oldest of that name whose loader is gone; or, hidden, whose loader stays. Returns its loader; 0: it had no row. */
static uint32_t unload_class(uint32_t name, bool hidden)
{
	uint64_t now = clock_system();
	uint32_t *at, found = 0, loader = 0;

	lock_take(&state.lock);
	at = name < state.names ? &state.newest[name] : NULL;
	while (at && *at) {
		struct class_row *row = &state.row[*at];

		/* Nothing is told of it any more. */
		if (row->unloaded && now - row->unloaded > LINGER_NS) {
			*at = row->older;
			continue;
		}
		if (!row->unloaded && (class_loader_is_gone(row->loader) || (hidden && !found)))
			found = *at;
		at = &row->older;
	}
	if (found) {
		state.row[found].unloaded = now;
		state.row[found].put = false;
		loader = state.row[found].loader;
	} else {
		state.unloaded_unknown++;
	}
	lock_give(&state.lock);
	return loader;
}

/* ---- the JVM's events ---- */

static uint32_t loader_of(JNIEnv *jni, jclass class)
{
	jobject loader = jvm_loader(class);
	uint32_t number = class_loader_number(jni, loader);

	(*jni)->DeleteLocalRef(jni, loader);
	return number;
}

/* Of a class that is not hidden: no two of a loader have the same name. Hash codes of objects would not do: those of archived
 * classes come again. */
static uint64_t key_of(const char *name, uint32_t loader)
{
	uint64_t key = UINT64_C(14695981039346656037) ^ loader;

	for (; *name; name++)
		key = (key ^ (unsigned char)*name) * UINT64_C(1099511628211);
	return key;
}

static int order_keys(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

	return (a > b) - (a < b);
}

static bool was_there(uint64_t key)
{
	bool found;

	lock_take(&state.lock);
	found = !state.looking && state.there_count > 0 &&
		bsearch(&key, state.there, state.there_count, sizeof(key), order_keys);
	lock_give(&state.lock);
	return found;
}

static bool has_row(uint32_t name, uint32_t loader)
{
	uint32_t at;

	lock_take(&state.lock);
	at = name < state.names ? state.newest[name] : 0;
	while (at && (state.row[at].unloaded || state.row[at].loader != loader))
		at = state.row[at].older;
	lock_give(&state.lock);
	return at != 0;
}

/* HotSpot tells of a class once more when another loader finds it by the one that defined it (SystemDictionary::load_instance_class). */
static bool is_known(jclass class, const struct class_row *row, uint64_t key)
{
	return !jvm_class_is_hidden(class) &&
	       (has_row(row->name, row->loader) || was_there(key));
}

static void tell_loaded(JNIEnv *jni, jclass class)
{
	uint64_t now = clock_system(), passed, key;
	bool recorded = sampler_records(), known;
	struct thread_context *paused = slot_pause();
	char *name = jvm_type_name(class);
	struct class_row row = {.name = methods_of_class(class), .loaded = now};
	struct sampler_event event = {.kind = CLASS_LOADED, .count = 1};

	jvm_expect_references(jni);
	row.loader = loader_of(jni, class);
	passed = name ? class_hook_passed(name) : 0;
	row.known_ns = passed != 0;
	row.ns = passed && now > passed ? now - passed : 0;
	key = name ? key_of(name, row.loader) : 0;
	free(name);
	known = is_known(class, &row, key);
	if (!known)
		add_class(&row, key);
	slot_resume(paused);
	event.subject = row.name;
	event.ns = row.ns;
	if (recorded && !known)
		sampler_take_event(&event);
}

static void JNICALL on_load(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread, jclass class)
{
	int saved_errno = errno;

	if (gate_enter(&state.gate)) {
		tell_loaded(jni, class);
		gate_leave(&state.gate);
	}
	errno = saved_errno;
}

static void JNICALL on_prepare(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread, jclass class)
{
	int saved_errno = errno;
	struct thread_context *paused = slot_pause();

	if (gate_enter(&state.gate)) {
		jvm_expect_references(jni);
		link_class(methods_of_class(class), loader_of(jni, class));
		gate_leave(&state.gate);
	}
	slot_resume(paused);
	errno = saved_errno;
}

/* Of hidden classes most have a loader that stays. */
enum { LOOK_NS = 50 * 1000 * 1000 };

/* name: in the form of class files. */
static void tell_unloaded(JNIEnv *jni, const char *name)
{
	struct jvm_method of = {0};
	uint32_t id = 0, loader;
	static uint64_t looked; /* it is one thread at a time */
	bool hidden = false;

	of.class_name = jvm_unloaded_name(name, &hidden);
	if (of.class_name)
		id = methods_on_stack(&of, METHOD_CLASS, NULL);
	jvm_method_fini(&of);
	/* Hidden ones go before their loaders. */
	if (needs_look(id) && (!hidden || clock_system() - looked > LOOK_NS)) {
		class_loaders_look(jni);
		looked = clock_system();
	}
	loader = unload_class(id, hidden);
	if (loader)
		class_loader_count(loader, LOADER_UNLOADED);
}

/* On a thread of the JVM's, behind the collection. */
static void JNICALL on_unload(jvmtiEnv *jvmti, ...)
{
	const char *name;
	JNIEnv *jni;
	va_list list;

	va_start(list, jvmti);
	jni = va_arg(list, JNIEnv *);
	name = va_arg(list, const char *);
	va_end(list);
	if (!gate_enter(&state.gate))
		return;
	tell_unloaded(jni, name);
	gate_leave(&state.gate);
}

/* ---- the JVM's log ---- */

static struct traced_log init_log = {.trace = "classes"};

/* 451 Initializing 'com.acme.Foo' (0x00007f00) by thread "main" */
static void take_line(void *unused, const struct log_line *line)
{
	static const char begin[] = "Initializing '";
	const char *name = strstr(line->text, begin), *end;
	struct jvm_method of = {0};
	char *internal, *number;
	bool hidden;
	uint32_t id;

	name = name ? name + strlen(begin) : NULL;
	end = name ? strchr(name, '\'') : NULL;
	internal = end ? strndup(name, (size_t)(end - name)) : NULL;
	if (!internal)
		return;
	/* Before JDK 21 hidden ones have their number behind a slash, as packages. */
	number = strstr(internal, "/0x");
	if (number)
		*number = '+';
	of.class_name = jvm_unloaded_name(internal, &hidden);
	id = of.class_name ? methods_on_stack(&of, METHOD_CLASS, NULL) : 0;
	jvm_method_fini(&of);
	free(internal);
	initialize_class(id, line->at);
}

static void open_log(JNIEnv *jni)
{
	static const char *const what[] = {"class+init=info", NULL};
	struct error error = {0};

	if (traced_log_on(&init_log, jni, what, take_line, NULL, &error))
		log_line(LOG_INFO, "classes: when they are initialized is not told: %s",
			error.text);
}

static void callbacks(jvmtiEventCallbacks *all)
{
	all->ClassLoad = on_load;
	all->ClassPrepare = on_prepare;
}

/* ---- what was there before ---- */

static bool is_no_array(const char *signature)
{
	return signature[0] == 'L';
}

/* An event has told of it already. */
static bool is_fresh(uint64_t key)
{
	bool fresh = false;

	lock_take(&state.lock);
	for (uint32_t i = 0; i < state.fresh_count; i++)
		fresh |= state.fresh[i] == key;
	lock_give(&state.lock);
	return fresh;
}

static void note_there(uint64_t key)
{
	size_t room = state.there_room ? 2 * state.there_room : 4096;
	uint64_t *more;

	lock_take(&state.lock);
	if (state.there_count == state.there_room) {
		more = realloc(state.there, room * sizeof(*more));
		if (more) {
			state.there = more;
			state.there_room = room;
		}
	}
	if (state.there_count < state.there_room)
		state.there[state.there_count++] = key;
	lock_give(&state.lock);
}

static void find_there(JNIEnv *jni, jclass class)
{
	uint32_t loader = loader_of(jni, class);
	char *name = jvm_type_name(class);
	uint64_t key = name ? key_of(name, loader) : 0;

	free(name);
	if (is_fresh(key))
		return;
	note_there(key);
	if (!state.counted)
		class_loader_count(loader, LOADER_BEFORE);
}

/* Events are on already. Of those that are there each has been counted once, or loaded while the trace was off. */
static void find_all_there(JNIEnv *jni)
{
	lock_take(&state.lock);
	state.there_count = 0;
	lock_give(&state.lock);
	jvm_each_class(jni, is_no_array, find_there);
	lock_take(&state.lock);
	if (state.there_count > 0)
		qsort(state.there, state.there_count, sizeof(*state.there), order_keys);
	state.counted = true;
	lock_give(&state.lock);
}

static void look_no_more(void)
{
	lock_take(&state.lock);
	state.looking = false;
	lock_give(&state.lock);
}

/* ---- what the JVM itself counts of the time ---- */

#define TIME_TABLE(X)                                                                          \
	X("classes.time.loading", "sun.cls.time")                                              \
	X("classes.time.parsing", "sun.cls.parseClassTime")                                    \
	X("classes.time.defining", "sun.cls.defineAppClassTime")                               \
	X("classes.time.linking", "sun.cls.classLinkedTime")                                   \
	X("classes.time.verifying", "sun.cls.classVerifyTime")                                 \
	X("classes.time.initializing", "sun.cls.classInitTime")

#define X(fact, counter) fact,
static const char *const time_fact[] = {TIME_TABLE(X)};
#undef X
#define X(fact, counter) counter,
static const char *const time_counter[] = {TIME_TABLE(X)};
#undef X
enum { TIMES = sizeof(time_fact) / sizeof(*time_fact) };

/* While it was on, up to the last switch; and as it was switched on. */
static uint64_t times[TIMES], times_before[TIMES];

/* As it is switched off, and in flushes. */
static void add_times(void)
{
	uint64_t now[TIMES];

	perf_counters_read(time_counter, now, TIMES);
	lock_take(&state.lock);
	for (unsigned i = 0; i < TIMES; i++) {
		times[i] += now[i] > times_before[i] ? now[i] - times_before[i] : 0;
		times_before[i] = now[i];
	}
	lock_give(&state.lock);
}

/* ---- the trace ---- */

static const char unload_event[] = "com.sun.hotspot.events.ClassUnload";

static int on(JNIEnv *jni, struct session *session, struct error *error)
{
	int status;

	lock_take(&state.lock);
	state.looking = true;
	state.fresh_count = 0;
	lock_give(&state.lock);
	perf_counters_read(time_counter, times_before, TIMES);
	gate_open(&state.gate);
	status = jvm_enable(JVMTI_EVENT_CLASS_LOAD, true, error);
	if (status) {
		gate_close(&state.gate);
		return status;
	}
	if (!jvm_enable_extension(unload_event, (jvmtiExtensionEvent)on_unload))
		log_line(LOG_WARN,
			"classes: this JVM does not tell of classes that are unloaded");
	class_hook_note_times(true);
	open_log(jni);
	/* While it looks it holds them all: those switched again and again would never be unloaded. */
	if (!state.counted || clock_system() - state.off_at > AFRESH_NS)
		find_all_there(jni);
	look_no_more();
	return 0;
}

static void off(JNIEnv *jni, struct session *session)
{
	class_hook_note_times(false);
	gate_close(&state.gate);
	traced_log_off(&init_log, jni);
	add_times();
	if (jni)
		jvm_enable_extension(unload_event, NULL);
	state.off_at = clock_system();
}

static bool forget(void)
{
	if (!gate_close(&state.gate))
		return false;
	free(state.row);
	free(state.newest);
	free(state.there);
	state.there = NULL;
	state.there_count = state.there_room = 0;
	state.row = NULL;
	state.newest = NULL;
	state.count = state.room = state.names = 0;
	state.unlisted = state.unloaded_unknown = 0;
	state.counted = state.looking = false;
	memset(times, 0, sizeof(times));
	traced_log_forget(&init_log);
	class_loaders_forget(jvm_env());
	return true;
}

/* ---- the file ---- */

static int64_t time_of(uint64_t at, uint64_t began)
{
	return at ? (int64_t)(at - began) : PROFILE_NOT_KNOWN;
}

/* Rows are few enough to look at them all; they are put without the lock. */
static int put_rows(struct profile_writer *profile, uint64_t began, struct error *error)
{
	enum { BATCH = 256 };
	struct class_row batch[BATCH];
	uint32_t id[BATCH], next = 1, count = 0;
	int status = 0;

	do {
		count = 0;
		lock_take(&state.lock);
		for (; next <= state.count && count < BATCH; next++) {
			if (state.row[next].put)
				continue;
			state.row[next].put = true;
			id[count] = next;
			batch[count++] = state.row[next];
		}
		lock_give(&state.lock);
		for (uint32_t i = 0; i < count && status == 0; i++) {
			const struct profile_class record = {.id = id[i],
				.name = batch[i].name,
				.loader = batch[i].loader,
				.loaded = time_of(batch[i].loaded, began),
				.linked = time_of(batch[i].linked, began),
				.initialized = time_of(batch[i].initialized, began),
				.unloaded = time_of(batch[i].unloaded, began),
				.ns = batch[i].known_ns ? (int64_t)batch[i].ns
							: PROFILE_NOT_KNOWN};

			status = profile_put(profile, &record, error);
		}
	} while (count == BATCH && status == 0);
	return status;
}

static int put(struct profile_writer *profile, uint64_t began, struct error *error)
{
	int status = put_rows(profile, began, error);

	if (gate_is_open(&state.gate))
		add_times();
	return status == 0 ? class_loaders_put(profile, error) : status;
}

static void put_done(bool kept)
{
	lock_take(&state.lock);
	for (uint32_t i = 1; !kept && i <= state.count; i++)
		state.row[i].put = false;
	lock_give(&state.lock);
	class_loaders_done(kept);
}

static void facts(fact_put put_it, void *argument)
{
	if (!state.counted)
		return;
	if (state.unlisted)
		fact_put_number(put_it, argument, "classes.unlisted", state.unlisted);
	if (state.unloaded_unknown)
		fact_put_number(
			put_it, argument, "classes.unloaded_before", state.unloaded_unknown);
	for (unsigned i = 0; i < TIMES; i++)
		if (times[i])
			fact_put_number(put_it, argument, time_fact[i], times[i]);
	traced_log_facts(&init_log, put_it, argument);
}

const struct tracer classes_tracer = {.stacks = true,
	.event = {JVMTI_EVENT_CLASS_LOAD, JVMTI_EVENT_CLASS_PREPARE},
	.callbacks = callbacks,
	.on = on,
	.off = off,
	.forget = forget,
	.put = put,
	.put_done = put_done,
	.facts = facts};

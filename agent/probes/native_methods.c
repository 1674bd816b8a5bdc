/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * native_methods: see native_methods.h.
 *
 * Runs: binding on whichever thread calls the method first or registers it, under a lock of
 *       its own for the records; the thunks at every call.
 */
#include "agent/probes/native_methods.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "agent/jvm/native_function.h"
#include "agent/lock/gate.h"
#include "agent/lock/lock.h"
#include "agent/log/log.h"
#include "agent/methods/call_kinds.h"
#include "agent/methods/methods.h"
#include "agent/methods/plan.h"
#include "agent/methods/untouched.h"
#include "agent/probes/counted_calls.h"
#include "agent/probes/native_thunk.h"
#include "agent/sample/sample_entries.h"
#include "agent/threads/thread_events.h"
#include "agent/trace/fence.h"

/* What the record of the same number was made for; under the lock. */
static jmethodID method_of[NATIVE_THUNKS];
static bool is_unwanted[NATIVE_THUNKS]; /* its thunk only calls */
static unsigned used;
/* Classes with native methods that may be bound already; under the lock. */
static struct noted {
	jclass class; /* global reference */
	struct noted *next;
} * noted;
static struct lock records_lock = {PTHREAD_MUTEX_INITIALIZER, LOCK_NATIVES};

/* A record's word: the method's reference without METHOD_REF_NATIVE, and which probes it has. */
#define WORD_TIMED  0x20000000u
#define WORD_ENTRY  0x10000000u
#define WORD_COUNT  0x08000000u
#define WORD_PROBES (WORD_TIMED | WORD_ENTRY | WORD_COUNT)

/* ---- the calls ---- */

/* As in method_probes.c. */
static RARE bool enter_outgrown(bool precise, method_ref ref, JNIEnv *jni);
static RARE void leave_outgrown(bool precise, const struct native_record *record, JNIEnv *jni);

static inline __attribute__((always_inline)) bool enter_timed(
	enum metric_shape shape, bool precise, method_ref ref, JNIEnv *jni)
{
	struct thread_slot *thread = thread_events_begin(shape, jni, NULL, FOUND_NONE);

	if (__builtin_expect(!thread, 0) && thread_events_outgrown(shape))
		return enter_outgrown(precise, ref, jni);
	if (!thread && (ref & METHOD_REF_SCOPE)) {
		thread_events_enter_scope(jni, NULL, ref, STATE_NATIVE);
		return slot_in_scope();
	}
	if (!thread)
		return false;
	context_enter(shape, slot_context(thread), method_ref_id(ref), STATE_NATIVE,
		method_ref_is_static(ref));
	if (__builtin_expect(ref & METHOD_REF_WATCHED, 0))
		watched_enter(slot_context(thread), method_ref_id(ref));
	context_spend(shape, slot_context(thread), precise);
	slot_leave(thread);
	return true;
}

static inline __attribute__((always_inline)) bool enter(
	enum metric_shape shape, bool precise, const struct native_record *record, JNIEnv *jni)
{
	uint32_t word = __atomic_load_n(&record->ref, __ATOMIC_RELAXED);
	method_ref ref = word & ~WORD_PROBES;
	bool timed = (word & WORD_TIMED) && enter_timed(shape, precise, ref, jni);

	if (word & WORD_COUNT)
		counted_calls_native(jni, method_ref_id(ref));

	if (word & WORD_ENTRY)
		sample_entered(method_ref_id(ref), false);
	return timed;
}

static inline __attribute__((always_inline)) void leave(
	enum metric_shape shape, bool precise, const struct native_record *record, JNIEnv *jni)
{
	method_ref ref = record->ref & ~WORD_PROBES;
	bool unwound = (*jni)->ExceptionCheck(jni);
	struct thread_slot *thread = thread_events_go_on(shape, jni);

	if (__builtin_expect(!thread, 0)) {
		if (thread_events_outgrown(shape))
			leave_outgrown(precise, record, jni);
		return;
	}
	if (context_exit(shape, slot_context(thread), method_ref_id(ref), unwound))
		context_spend(shape, slot_context(thread), precise);
	thread_events_leave_method(thread, ref, unwound);
}

static RARE bool enter_outgrown(bool precise, method_ref ref, JNIEnv *jni)
{
	return enter_timed(SHAPE_ANY, precise, ref, jni);
}

static RARE void leave_outgrown(bool precise, const struct native_record *record, JNIEnv *jni)
{
	leave(SHAPE_ANY, precise, record, jni);
}

#define FUNCTIONS(shape, name, precise)                                                        \
	static bool enter_##name(const struct native_record *record, void *jni)                \
	{                                                                                      \
		bool entered;                                                                  \
                                                                                               \
		fence(precise);                                                                \
		entered = enter(shape, precise, record, jni);                                  \
		fence(precise);                                                                \
		return entered;                                                                \
	}                                                                                      \
	static void leave_##name(const struct native_record *record, void *jni)                \
	{                                                                                      \
		fence(precise);                                                                \
		leave(shape, precise, record, jni);                                            \
		fence(precise);                                                                \
	}
#define X(shape, name)                                                                         \
	FUNCTIONS(shape, name, false)                                                          \
	FUNCTIONS(shape, name##_precise, true)
METRIC_SHAPE_TABLE(X)
#undef FUNCTIONS
#undef X

static const struct thunk_calls {
	bool (*enter)(const struct native_record *record, void *jni);
	void (*leave)(const struct native_record *record, void *jni);
} calls_of[METRIC_SHAPES][2] = {
#define X(shape, name)                                                                         \
	[shape] = {{enter_##name, leave_##name},                                               \
		{enter_##name##_precise, leave_##name##_precise}},
	METRIC_SHAPE_TABLE(X)
#undef X
};

/* Changed also while calls are under way: what one began another may end. */
static _Atomic(const struct thunk_calls *) calls_used = &calls_of[SHAPE_ANY][false];

void native_methods_use(enum metric_shape shape, bool precise)
{
	atomic_store(&calls_used, &calls_of[shape][precise]);
}

bool native_thunk_enter(const struct native_record *record, void *jni)
{
	return atomic_load_explicit(&calls_used, memory_order_relaxed)->enter(record, jni);
}

void native_thunk_exit(const struct native_record *record, void *jni)
{
	atomic_load_explicit(&calls_used, memory_order_relaxed)->leave(record, jni);
}

/* ---- binding ---- */

static struct gate wrapping; /* open: methods that are bound are wrapped */

/* The thunk for the method, which is to call original. NULL: the pool is used up. A method that
 * is bound once more keeps its thunk. */
static void *take_thunk(jmethodID method, const struct native_record *record)
{
	unsigned i = 0;

	lock_take(&records_lock);
	while (i < used && method_of[i] != method)
		i++;
	if (i < NATIVE_THUNKS) {
		/* The original last: a thunk in use finds the old or the new one. */
		method_of[i] = method;
		is_unwanted[i] = false;
		native_records[i].ref = record->ref;
		native_records[i].stack_words = record->stack_words;
		__atomic_store_n(
			&native_records[i].original, record->original, __ATOMIC_RELEASE);
		used = i < used ? used : i + 1;
	}
	lock_give(&records_lock);
	return i < NATIVE_THUNKS ? native_thunk(i) : NULL;
}

/* The word for the method's record; 0: it stays alone. Application classes' natives are all
 * wrapped; those of the JDK if the class hook has given them an id, which it does not give to
 * what the compilers replace. */
static uint32_t probes_word(uint32_t method, probe_set probes)
{
	if ((probes & PROBE_COUNTED) && !counts_expect(method))
		probes &= (probe_set)~PROBE_COUNTED;
	probes = call_kind_probes(probes, method, NULL);
	return (probes & PROBE_TIMED ? WORD_TIMED : 0) |
	       (probes & PROBE_ENTRY ? WORD_ENTRY : 0) |
	       (probes & PROBE_COUNTED ? WORD_COUNT : 0);
}

static uint32_t word_of(JNIEnv *jni, jmethodID method, const struct jvm_method *description)
{
	struct planned planned = plan_of(description);
	struct jvm_method own;
	uint32_t word;

	if (planned.probes == PROBE_NONE ||
		(description->is_jdk && !methods_known(description)))
		return 0;
	if (!jvm_describe_method(jni, method, &own))
		return 0;
	word = methods_named(&own, &planned) & ~METHOD_REF_NATIVE;
	jvm_method_fini(&own);
	return word ? word | probes_word(method_ref_id(word), planned.probes) : 0;
}

/* The function to bind the method to, rather than to address; NULL: it stays alone. */
static void *stand_in(
	JNIEnv *jni, jmethodID method, const struct jvm_method *description, void *address)
{
	static atomic_flag said = ATOMIC_FLAG_INIT;
	struct native_record record = {.original = address,
		.ref = word_of(jni, method, description),
		.stack_words =
			native_stack_words(description->signature, NATIVE_LEADING_WORDS)};
	void *thunk;

	if (record.ref == 0)
		return NULL;
	if (native_is_thunk(address)) {
		/* It was kept from an earlier session, and counts again. */
		size_t i = (size_t)((char *)address - native_thunks) / NATIVE_THUNK_SIZE;

		lock_take(&records_lock);
		is_unwanted[i] = false;
		__atomic_store_n(&native_records[i].ref, record.ref, __ATOMIC_RELAXED);
		lock_give(&records_lock);
		return NULL;
	}
	thunk = take_thunk(method, &record);
	if (thunk)
		return thunk;
	if (!atomic_flag_test_and_set(&said))
		log_line(LOG_WARN,
			"there are more than %d native methods: the others, %s.%s the first, "
			"are counted as part of their callers",
			NATIVE_THUNKS, description->class_name, description->name);
	untouched_add(description->class_name, description->name,
		"there are more native methods than jprof can wrap");
	return NULL;
}

void *native_methods_bind(
	JNIEnv *jni, jmethodID method, const struct jvm_method *description, void *function)
{
	void *thunk;

	if (!gate_enter(&wrapping))
		return function;
	thunk = stand_in(jni, method, description, function);
	gate_leave(&wrapping);
	return thunk ? thunk : function;
}

void native_methods_begin(JNIEnv *jni)
{
	if (!native_function_learn(jni))
		log_line(LOG_INFO, "this JVM does not show what native methods are bound to");
	gate_open(&wrapping);
}

/* ---- what is bound already ---- */

static void take_bound(
	JNIEnv *jni, jclass class, jmethodID method, const struct jvm_method *description)
{
	uint32_t word = word_of(jni, method, description);
	void *function, *thunk;

	if (word == 0)
		return;
	switch (native_function_find(method, &function)) {
	case NATIVE_BOUND:
		thunk = stand_in(jni, method, description, function);
		if (thunk && !native_function_bind(jni, class, description, thunk))
			untouched_add(description->class_name, description->name,
				"native, and the JVM would not bind it again");
		break;
	case NATIVE_UNKNOWN:
		untouched_add(description->class_name, description->name,
			"native, and bound to a function that is not known");
		break;
	case NATIVE_JVM:
		if (word & WORD_ENTRY)
			untouched_add(description->class_name, description->name,
				"native, and bound to a function of the JVM itself");
		break;
	}
}

void native_methods_take(JNIEnv *jni, jclass class)
{
	jvm_each_native(jni, class, take_bound);
}

void native_methods_note(JNIEnv *jni, jclass class)
{
	struct noted *fresh = malloc(sizeof(*fresh));

	if (!fresh)
		return;
	fresh->class = (*jni)->NewGlobalRef(jni, class);
	lock_take(&records_lock);
	fresh->next = noted;
	noted = fresh;
	lock_give(&records_lock);
}

void native_methods_take_noted(JNIEnv *jni)
{
	struct noted *list;

	lock_take(&records_lock);
	list = noted;
	noted = NULL;
	lock_give(&records_lock);
	while (list) {
		struct noted *next = list->next;

		if (list->class)
			native_methods_take(jni, list->class);
		(*jni)->DeleteGlobalRef(jni, list->class);
		free(list);
		list = next;
	}
}

void native_methods_change(uint32_t method)
{
	lock_take(&records_lock);
	for (unsigned i = 0; i < used; i++) {
		uint32_t word = native_records[i].ref;

		if (word == 0 || is_unwanted[i] || method_ref_id(word & ~WORD_PROBES) != method)
			continue;
		word &= ~(WORD_TIMED | WORD_COUNT);
		word |= probes_word(method, PROBE_CALLS);
		__atomic_store_n(&native_records[i].ref, word, __ATOMIC_RELAXED);
	}
	lock_give(&records_lock);
}

/* The method of that number is bound to its thunk: not that of an unloaded class, and not one that was bound to another since. */
static bool is_wrapped(unsigned i)
{
	void *function;

	return native_function_find(method_of[i], &function) == NATIVE_BOUND &&
	       function == native_thunk(i);
}

static bool is_wanted(JNIEnv *jni, jmethodID method)
{
	struct jvm_method description;
	bool wanted;

	if (!jvm_describe_method(jni, method, &description))
		return true;
	wanted = plan_of(&description).probes != PROBE_NONE;
	jvm_method_fini(&description);
	return wanted;
}

void native_methods_renew(JNIEnv *jni)
{
	unsigned count;

	lock_take(&records_lock);
	count = used;
	lock_give(&records_lock);
	if (count == 0 || !native_function_learn(jni))
		return;
	for (unsigned i = 0; i < count; i++) {
		if (!is_wrapped(i) || is_wanted(jni, method_of[i]))
			continue;
		/* Calls that are within it end as what they began as. */
		lock_take(&records_lock);
		is_unwanted[i] = true;
		__atomic_and_fetch(&native_records[i].ref, ~WORD_PROBES, __ATOMIC_RELAXED);
		lock_give(&records_lock);
	}
}

/* ---- the end ---- */

static void give_back(JNIEnv *jni, jmethodID method, void *original)
{
	jclass class = jvm_method_class(method);
	struct jvm_method description;

	if (class && jvm_describe_method(jni, method, &description)) {
		if (!native_function_bind(jni, class, &description, original))
			log_line(LOG_INFO, "%s.%s keeps its thunk", description.class_name,
				description.name);
		jvm_method_fini(&description);
	}
	(*jni)->DeleteLocalRef(jni, class);
}

bool native_methods_end(JNIEnv *jni)
{
	bool out = gate_close(&wrapping);
	unsigned count;

	/* A thunk that stays, because it cannot be taken out, or was just being bound, only
	 * calls. */
	lock_take(&records_lock);
	count = used;
	for (unsigned i = 0; i < count; i++)
		__atomic_store_n(&native_records[i].ref, 0, __ATOMIC_RELAXED);
	lock_give(&records_lock);
	if (count == 0 || !native_function_learn(jni))
		return out;
	for (unsigned i = 0; i < count; i++)
		if (is_wrapped(i))
			give_back(jni, method_of[i], native_records[i].original);
	return out;
}

/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * thread_slot: the calling thread's slot, for everything that its events need.
 *
 *   thread-local pointer --> struct thread_slot --> struct thread_context (trace)
 *                              busy, session, method cache
 *
 * A platform thread that carries virtual ones has a second slot, its virtual slot: a mount makes the pointer
 * show it, an unmount takes the pointer back (virtual_threads.h).
 *
 * A thread gets a slot when it is first seen, and keeps it until it ends; then a later thread
 * uses it again. 4 KB each, 8 where values are read. What it records into, its context, is one recording's: a slot joins
 * each recording at its thread's first event in it. Recordings are numbered, so that a slot which
 * has not joined is known by one comparison.
 *
 * Editions: what is recorded of threads may change while a recording goes on. Then its session's number rises
 * (slots_renew), and by the same comparison each thread's next event takes the rare way, once: what its slot knows of
 * methods is forgotten, and a thread that was turned away is asked for again. What was recorded goes on. The recording's
 * own number, which contexts, tags and values are told by, is that of its first edition.
 *
 * busy, and how a stop waits for events in flight: the owner sets busy with a plain store, then
 * compares the session's number. The stopper takes the number away, makes every running thread
 * of the process pass a memory barrier (membarrier(2)), and then waits until no owner is inside.
 * So the hot path needs no fence. busy also turns away events raised by jprof's own calls into
 * the JVM, and those of threads that are not recorded, or are outside the session's scope.
 */
#ifndef JPROF_THREAD_SLOT_H
#define JPROF_THREAD_SLOT_H

#include <stdatomic.h>
#include <stdbool.h>

#include "agent/methods/methods.h"
#include "agent/session/session.h"
#include "agent/trace/mount.h"

enum { METHOD_CACHE = 256 };

struct method_cache_line {
	jmethodID method;
	method_ref ref;
};

/* What busy is. */
enum slot_state {
	SLOT_FREE,
	SLOT_INSIDE, /* its owner is in an event, or in jprof's own work */
	SLOT_SHUT    /* the thread is not recorded in this session, or not now */
};

/* A slot that has joined no session. */
#define NO_SESSION UINT32_MAX

/* A value that is being read: parameter_probes.c. */
struct read_value {
	bool refused; /* it is of another class's method */
	bool is_null;
	uint32_t length;
	char text[4096 + 8]; /* more than is kept: what is cut shows */
};

struct thread_slot {
	_Atomic int busy; /* enum slot_state; written by the owner, read by the stopper */
	_Atomic uint32_t session; /* the edition that it has joined; the owner's */
	/* NULL: not recorded. Taken away by the owner's end, or by the session's. */
	_Atomic(struct thread_context *) context;
	bool refused;   /* not to be recorded, whatever the scope; the owner's */
	bool inherited; /* in the scope as long as it lives; the owner's */
	/* a virtual slot's: its thread was refused when it was mounted, and is asked for again; the owner's */
	bool late;
	_Atomic uint32_t recording; /* whose edition session is; the owner's */
	/* Virtual threads; the owner's. */
	struct thread_slot *virtual_slot; /* for those that it carries; NULL: not yet */
	struct thread_slot *carrier_slot; /* this is a virtual slot, and whose */
	/* NULL: a carrier that is not recorded itself has not yet carried any. As context. */
	_Atomic(struct thread_context *) unlisted;
	struct thread_context *carrier; /* a virtual slot's: what gives way for it */
	/* a virtual slot's: whose context it is; NULL: none is known */
	struct virtual_thread *mounted;
	uint32_t mounted_in; /* a virtual slot's: the recording in which the carrier gave way */
	struct read_value *read;       /* the owner's; NULL: no value was read yet */
	struct thread_slot *next;      /* all there ever were; never taken off */
	struct thread_slot *next_free; /* under LOCK_EVENTS */
	struct method_cache_line cache[METHOD_CACHE]; /* of the edition joined */
};

/* The slot's, which is entered; NULL: no memory. */
struct read_value *slot_read_value(struct thread_slot *slot);

/* NULL: not yet seen. */
extern __thread struct thread_slot *slot_current __attribute__((tls_model("initial-exec")));

/* ---- the session that threads join ---- */

/* Its number, which rises with each edition of the recording; 0: nothing is recorded. By the shape that a function is
 * compiled for: SHAPE_ANY's is the session's; that of the shape of its metrics is the same, and the others are 0. So a
 * function never meets a context of another shape, also where the metrics grow (slots_outgrow). */
extern _Atomic uint32_t session_number[METRIC_SHAPES];

static inline uint32_t session_now(void)
{
	return atomic_load_explicit(&session_number[SHAPE_ANY], memory_order_acquire);
}

/* The recording's number, the same in all its editions; 0: nothing is recorded. */
extern _Atomic uint32_t recording_number;

static inline uint32_t recording_now(void)
{
	return atomic_load_explicit(&recording_number, memory_order_acquire);
}

/* The session itself, also while threads leave it; NULL: none. An event may use it between
 * slot_enter and slot_leave. */
struct session *session_joined(void);

/* From now on threads may join the session, which gets the next number. */
void slots_begin(struct session *session);

/* The session gets the next number, as another edition of the same recording; nothing if none goes on. Events that begin
 * behind this, on any thread, are of that edition. Those in flight end in the one before; they are not waited for.
 * Not while the recording begins or stops. */
void slots_renew(void);

/* The session's metrics are about to grow: functions of their shape are turned away, and hand what they are called for to those
 * of SHAPE_ANY (thread_events_outgrown), until slots_reshape. No thread is waited for: each widens its context itself, and does
 * not see the wider metrics before it sees this. */
void slots_outgrow(void);

/* From the next edition on functions of that shape are let in. Behind slots_outgrow. */
void slots_reshape(enum metric_shape shape);

/* No event is recorded from now on; waits for those in flight, at most about two seconds.
 * Returns how many are still inside. */
unsigned slots_stop(void);

/* Behind slots_stop and trace_stop: no slot has a context any more. False: one is still in use, so
 * that the trace must stay. */
bool slots_end(void);

/* ---- entering one's own slot ---- */

/* False: the event must not be recorded. True: it may be; slot_leave must follow. shape: what the caller is compiled
 * for. */
static inline __attribute__((always_inline)) bool slot_enter(
	enum metric_shape shape, struct thread_slot *slot)
{
	if (__builtin_expect(atomic_load_explicit(&slot->busy, memory_order_relaxed), 0))
		return false;
	atomic_store_explicit(&slot->busy, SLOT_INSIDE, memory_order_relaxed);
	atomic_signal_fence(memory_order_seq_cst); /* the other half is membarrier(2) */
	if (__builtin_expect(
		    atomic_load_explicit(&session_number[shape], memory_order_relaxed) !=
			    atomic_load_explicit(&slot->session, memory_order_relaxed),
		    0)) {
		atomic_store_explicit(&slot->busy, SLOT_FREE, memory_order_release);
		return false;
	}
	return true;
}

/* True if the slot has joined the recording that goes on. */
static inline bool slot_has_joined(const struct thread_slot *slot)
{
	return atomic_load_explicit(&slot->recording, memory_order_relaxed) == recording_now();
}

/* True if it has, but not its last edition. */
static inline bool slot_is_behind(const struct thread_slot *slot)
{
	return slot_has_joined(slot) &&
	       atomic_load_explicit(&slot->session, memory_order_relaxed) != session_now();
}

static inline void slot_set_state(struct thread_slot *slot, enum slot_state state)
{
	atomic_store_explicit(&slot->busy, state, memory_order_release);
}

static inline void slot_leave(struct thread_slot *slot)
{
	slot_set_state(slot, SLOT_FREE);
}

static inline enum slot_state slot_state(const struct thread_slot *slot)
{
	return (enum slot_state)atomic_load_explicit(&slot->busy, memory_order_relaxed);
}

/* What a slot records into; it is entered. */
static inline struct thread_context *slot_context(const struct thread_slot *slot)
{
	return atomic_load_explicit(&slot->context, memory_order_relaxed);
}

/* What the calling thread, whose slot it is, has used of a metric by its last event. It has a
 * context. */
static inline uint64_t slot_used(const struct thread_slot *slot, unsigned metric)
{
	const struct thread_context *context = slot_context(slot);

	return slot->mounted ? virtual_used(context, slot->mounted, metric)
			     : context_used(context, metric);
}

/* What the method is: from the thread's cache, or the table behind it. */
static inline method_ref slot_method(struct thread_slot *slot, JNIEnv *jni, jmethodID method)
{
	/* Handles are addresses of words, or counters: both spread over the low bits. */
	uintptr_t key = (uintptr_t)method;
	struct method_cache_line *line =
		&slot->cache[(key ^ (key >> 3) ^ (key >> 11)) % METHOD_CACHE];

	if (__builtin_expect(line->method != method, 0)) {
		line->ref = methods_find(jni, method);
		line->method = method;
	}
	return line->ref;
}

/* What of the calling thread's Java stack is already there when it is first seen. */
enum found_frames {
	FOUND_NONE,        /* the thread is just starting, or frames cannot be told */
	FOUND_ALL,         /* every frame */
	FOUND_ALL_BUT_LAST /* the innermost is being entered now */
};

/* Puts the frames that are already there on the shadow stack, outermost first. */
void slot_push_found(struct thread_slot *slot, JNIEnv *jni, enum found_frames found);

/* ---- getting one, and giving it back ---- */

/* The calling thread's, taken if it has none, for the recording. NULL: it has none to give: no memory, or
 * it is entered, or hidden. */
struct thread_slot *slot_own(uint32_t recording);

/* Enters the slot, whatever it was, for the recording of that number, and joins its last edition. Returns the session, which
 * stays as long as the slot is entered. NULL: it is over, and the slot is left. */
struct session *slot_claim(struct thread_slot *slot, uint32_t recording);

/* The same for what is done in the recording that the slot has joined, and is no event of its thread: it stays in the edition
 * in which it is. */
struct session *slot_hold(struct thread_slot *slot);

/* As slot_enter, in whatever edition the slot is: what only settles, or adds to where the thread is. */
bool slot_enter_any(struct thread_slot *slot);

/* The slot has not joined the recording: its next event will. */
void slot_unjoin(struct thread_slot *slot);

/* The slot's virtual one, made if need be. NULL: no memory. */
struct thread_slot *slot_virtual(struct thread_slot *own);

/* The calling thread ends: its slot (a platform thread's own), entered for good; the thread is hidden
 * until it is attached to the JVM again, or for the next recording. NULL: it has none. slot_give follows. */
struct thread_slot *slot_end(void);
void slot_give(struct thread_slot *slot);

/* The calling thread begins its life in the JVM, or another one: it may have been attached before. */
void slot_attach(void);

/* The row of the context, which is the slot's owner's, is for the sessions that want its thread, also if others do by the time
 * that it is. */
void slot_want_row(struct thread_context *context, const struct session *session);

/* ---- turned away ---- */

/* The calling thread's events are turned away while it does jprof's own work, whatever sessions begin
 * and end, and however often it is done within itself. */
struct thread_hiding {
	struct thread_slot *current;
	uint32_t in;
};
struct thread_hiding slot_hide_own(void);
void slot_show_own(struct thread_hiding before);
bool slot_is_hidden(void);

/* jprof's own work in an application's thread, done between the two, is charged to nothing. NULL:
 * the thread is not recorded now; slot_resume does nothing then. */
struct thread_context *slot_pause(void);
void slot_resume(struct thread_context *context);

/* True if what the calling thread does is not to be recorded, as the user wants it. */
bool slot_is_unwanted(void);

/* True if the calling thread is inside the session's scope; if it is seen, and outside of it. */
bool slot_in_scope(void);
bool slot_is_outside(void);

/* To look at something of the session's while the thread is outside: its slot, entered until slot_shut. NULL:
 * it is not outside. */
struct thread_slot *slot_enter_outside(void);
void slot_shut(struct thread_slot *slot);

#endif

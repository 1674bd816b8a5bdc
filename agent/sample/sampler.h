/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * sampler: takes stacks when a condition holds, and puts them into the profile.
 *
 *   kernel --signal--> handler, in the thread: sample_event_poll, walk_stack --> sample_buffer
 *   writer's thread, 20 times a second: frame_names --> sample_tree --> with each flush the profile
 *
 * The handler does nothing else: no locks, no allocation, and hardly a system call (docs/sampling.md, "What is not
 * done"). What it cannot take it counts: each period of each condition is in the tree, or in one of the losses.
 *
 * Owns: one sampling at a time, of one session.
 * Runs: prepare, open, begin, stop, close on the thread that begins and ends the recording; the rest of it as
 *       sampler_source says, on the writer's.
 */
#ifndef JPROF_SAMPLER_H
#define JPROF_SAMPLER_H

#include "agent/sample/sample_buffer.h"
#include "agent/session/session.h"
#include "agent/stack/frozen.h"
#include "agent/stack/known_keys.h"
#include "agent/stack/walk.h"
#include "options/options.h"
#include "options/sample_choice.h"

/* Why a period is in no stack: its place in meta, "sample.cpu:1ms.inside". */
#define SAMPLE_LOSS_TABLE(X)                                                                   \
	X(SAMPLE_INSIDE, "inside")      /* the thread was in jprof */                          \
	X(SAMPLE_OUTSIDE, "outside")    /* it is not recorded, or not now */                   \
	X(SAMPLE_FULL, "full")          /* no room for the stack */                            \
	X(SAMPLE_KERNEL_LOST, "kernel") /* the kernel had none */

enum sample_loss {
#define X(loss, name) loss,
	SAMPLE_LOSS_TABLE(X)
#undef X
		SAMPLE_LOSSES
};

/* What the JVM tells of itself: as the agent is loaded, and once Java code can run, in a Java thread. symbol: what
 * the JVM's library exports; java: its version, 17; current: the thread's JavaThread; library: the
 * path, whose symbols are looked at; fields, narrow: see frozen.h. Where it tells too little, sampler_prepare and sampler_open say so. */
void sampler_probe(void *(*symbol)(const char *name), unsigned java);
void sampler_learn(uintptr_t current, void *(*symbol)(const char *name), const char *library,
	const struct frozen_fields *fields, bool narrow);

/* True: they told enough; the code cache can be read, too (agent/stack/code.h). */
bool sampler_has_learnt(void);

/* The conditions are to be had, all of them, in this JVM and on this machine; none, where the options do not sample. 0, or
 * a negative code: error names the one that is not, and why. */
int sampler_prepare(const struct options *options, struct error *error);

/* 0 if the stacks of threads can be read in this JVM; else a negative code, and error says why not. */
int sampler_can_read(struct error *error);

/* Takes the memory for a session, whose trace has the rows of threads; its writer may begin then. 0, or a
 * negative code. sampler_close gives it back, behind the writer's end; false: a handler is still inside, and all
 * stays. */
int sampler_open(struct session *session, struct error *error);
bool sampler_close(void);

/* Threads are sampled from now on. */
void sampler_begin(void);

/* Which of the conditions that there are, a bit each, the options ask for. */
uint32_t sampler_conditions(const struct options *options);

/* Of the conditions that the options ask for, those that there are not yet, or not any more, are had, too, between sampler_begin and sampler_stop: stacks are
 * not taken for some ms. 0, or a negative code, and all is as it was: one is not to be had, there would be too many, or it is one of entries, which
 * are of one session alone. */
int sampler_more(const struct options *options, struct error *error);

/* Sessions have left: of the conditions those with a bit are had on. Stacks are not taken for some ms, if there is any other. The places of
 * others stay, for those who have samples of them. Between sampler_begin and sampler_stop. */
void sampler_keep(uint32_t conditions);

/* No stack is taken from now on. False: a handler is still inside. */
bool sampler_stop(void);

/* Takes the stack of the calling thread, which has left Java by a call, as the JVM does for an event of its
 * own: `periods` of the condition have passed. about: the id of what it is about, a class; 0: nothing. */
void sampler_take(unsigned condition, uint32_t periods, uint32_t about);

/* The same as a method is entered: so many periods of each condition, by place, have passed. method: its id. The
 * innermost frame is the probe's (by_probe), which is left out, or the method's own. */
void sampler_take_entered(
	const uint32_t weight[SAMPLE_CONDITIONS], uint32_t method, bool by_probe);

/* ---- events that have a call path ---- */

/* Something that a thread does, which goes to the account of its kind and subject at the thread's call path. */
struct sampler_event {
	enum account_kind kind; /* not SAMPLES */
	uint64_t subject;
	uint64_t amount, ns;
	uint32_t count, failures;
	uint64_t
		cookie; /* not 0: whoever has asked by sampler_on_placed is told where it went */
	bool by_probe;  /* the innermost frame, if it is native, is left out: a probe's */
	bool no_path;   /* the thread alone is told: the path is cut at its root */
	bool later;     /* nothing is added, but a place found: sampler_on_placed */
};

/* It is the calling thread's, which has left Java by a call, as the JVM does for an event of its own. What is not
 * recorded (sampler_records) is dropped; what there was no room for is counted: trace.lost.KIND in meta. False: it is
 * neither recorded nor on its way. */
bool sampler_take_event(const struct sampler_event *event);

/* The same of each Java thread that stands, as the JVM has stopped it, and would run: on the thread of the JVM that works in the
 * safepoint. Nothing of the JVM is called, and no lock waited for. What could not be told is counted as above. */
void sampler_take_stopped(const struct sampler_event *event);
/* Behind it, and of the same thread: what has come of an event with a cookie, for sampler_on_note. False: there was no
 * room. On any thread. */
bool sampler_take_note(enum account_kind kind, uint64_t cookie, uint64_t subject);

/* Where an event of that kind of the calling thread would go by sampler_take_event, if it is known already: a place for sampler_add, which
 * whoever has very many of them may keep sums for. 0: it is not. */
uint32_t sampler_known_place(enum account_kind kind);

/* As sampler_take_event, of a thread that another one's event is about, as the one that holds a lock: its path at this moment. Where it
 * waits, its stack is read from outside; where it runs, it gets the sampler's signal, and the event is on its way some
 * microseconds later. java: its JavaThread, which may have ended, 0: it is a virtual thread that is not mounted; id:
 * Thread.threadId(), of a virtual thread that it carries perhaps, 0: its own. False: nothing is known of it. True: there is a call of sampler_placed for the event's cookie, which
 * is not 0. */
bool sampler_take_of(uintptr_t java, int64_t id, const struct sampler_event *event);

/* The same without its stack: the event goes to the root of the thread's row, or where timed calls say that it is. */
bool sampler_take_root_of(uintptr_t java, int64_t id, const struct sampler_event *event);

/* The calling thread is a virtual one with that Thread.threadId(): where it is recorded is remembered, for when it is not
 * mounted and sampler_take_of asks for it. */
void sampler_note_virtual(int64_t id);

/* Thread.threadId() of a JavaThread, 0: not known. */
int64_t sampler_thread_id(uintptr_t java);

/* The calling thread's JavaThread; 0: it has none, or it is not known. */
uintptr_t sampler_java_thread(void);

/* Signals can be sent to threads. 0, or a negative code: the program has handlers for all that could be used. */
int sampler_need_signal(struct error *error);

/* Whether such events are to be expected: then they are put into the profile's tree some times a second. */
void sampler_expect_events(bool expected);

/* What is on its way is not to wait for the next flush: whoever has a bound of its own for that, or asks for known places. On
 * any thread. */
void sampler_hurry(void);

/* The functions below are the writer's thread's. */

/* Where events of the kind with a cookie went: a place for sampler_add; 0: they were lost. NULL: nobody asks. */
typedef void (*sampler_placed)(uint64_t cookie, uint32_t place);
void sampler_on_placed(enum account_kind kind, sampler_placed placed);

/* Notes on them. NULL: nobody asks. */
typedef void (*sampler_noted)(uint64_t cookie, uint64_t subject);
void sampler_on_note(enum account_kind kind, sampler_noted noted);

/* Called behind each drain, before a flush puts accounts: whoever keeps sums of his own adds them then. NULL: nobody. */
void sampler_on_drained(void (*drained)(void));

/* Adds to an account at a place of the recording: what has come of an event later. False: no memory. */
bool sampler_add(uint32_t place, const struct sampler_event *event);

/* The node that a place is by now: its row, and its id in there. */
void sampler_place_node(uint32_t place, uint32_t *row, uint32_t *node);

/* The place of a node that the trace has, by its row and id; 0: no memory. */
uint32_t sampler_place_of(uint32_t row, uint32_t node);

/* ---- stacks by a number ---- */

/* Where the calling thread has left Java by a call. */
struct sampler_stack {
	struct walk_thread thread; /* java 0: nothing can be told of it */
	struct known_key about;
};

/* Looks where that is; sampler_stack_key will not wait for memory then, if something else comes in between. */
void sampler_stack_find(struct sampler_stack *stack);

/* A number for its frames: see walk_key; of that session, and of `more`. 0: it is not known. *note: what was left with it;
 * 0: nothing. */
uint64_t sampler_stack_key(
	struct sampler_stack *stack, uint32_t recording, uint64_t more, uint64_t *note);

/* Leaves a note with the number, which is found as long as that is remembered. */
void sampler_stack_note(const struct sampler_stack *stack, uint64_t key, uint64_t note);

/* A number for where the calling thread is in the trace: its row and node, or, if it has no row, itself. Another number of
 * the thread's frames below that makes another path. False: what it does is not to be recorded. */
bool sampler_where(uint64_t *where, uint64_t *thread);

/* True if stacks of the calling thread may be taken now: it is recorded, and not in jprof's own work. */
bool sampler_records(void);

/* The place of the first condition of that kind that is not before `from`, or -1: there is none, or nothing is
 * sampled now. */
int sampler_condition(enum sample_event_kind kind, unsigned from);

/* False: no session wants it any more. */
bool sampler_has(unsigned condition);

/* Its period. */
uint64_t sampler_period(unsigned condition);

/* Other sessions may want its threads than before; nothing where nothing is sampled. */
void sampler_renew(void);

/* A Java thread begins, or ends: the calling one. */
void sampler_thread_begins(int64_t java_id, const char *name);
void sampler_thread_ends(void);

/* A Java thread that was there before. java: JavaThread. */
void sampler_thread_is(uintptr_t java, int64_t java_id, const char *name);

/* For the writer: see there. */
extern const struct sample_source sampler_source;

#endif

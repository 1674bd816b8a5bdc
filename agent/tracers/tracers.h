/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * tracers: what is told of a program beside calls, samples and I/O: locks, collections, exceptions, ...
 *
 *   JVM's events, its log, probes --> a tracer --> accounts at call paths (sampler_take_event)
 *                                             \--> rows of tables of its own, at a flush
 *
 * A trace (enum trace_kind) is a row of the table in tracers.c. It is switched on and off while the session records; when
 * it was on is in the profile (trace_period), so that nobody takes a gap for quiet.
 *
 * Owns: which are on, and since when. One recording at a time.
 * Runs: begin, switch and end in a turn, on a Java thread; stop on any; tracers_source on the writer's thread.
 */
#ifndef JPROF_TRACERS_H
#define JPROF_TRACERS_H

#include <jvmti.h>
#include <stdbool.h>

#include "agent/session/session.h"
#include "profile/kinds.h"

/* Most of the JVM's events that one has. */
enum { TRACER_EVENTS = 8 };

/* What feeds a trace. Functions that it does not need are NULL. */
struct tracer {
	bool stacks; /* its events have call paths: stacks must be readable */
	bool (*reads_stacks)(
		void); /* the same of one that has them on request: once it is on */
	unsigned
		capabilities; /* enum jvm_capability, joined by |; asked for as it is switched on */
	/* On while it is, up to the first 0. */
	jvmtiEvent event[TRACER_EVENTS + 1];
	/* Sets its events' callbacks, whether it is on or not. */
	void (*callbacks)(jvmtiEventCallbacks *callbacks);
	/* It may be had by these options in this JVM. 0, or a negative code with error filled: why not. As a session is
	 * made (in which it is to be on from the begin), or before on(). */
	int (*prove)(const struct session *session, struct error *error);
	/* From now on it tells what happens, in this session. 0, or a negative code, and nothing is left. Behind it the
	 * events are enabled. */
	int (*on)(JNIEnv *jni, struct session *session, struct error *error);
	/* Its events are disabled, but may still be under way in other threads. Not always on a Java thread: jni may be NULL. */
	void (*off)(JNIEnv *jni, struct session *session);
	/* The profile is complete: what it holds is given back. Also where it was never on. False: an event is still under
	 * way, and uses it: it stays. */
	bool (*forget)(void);
	/* Some times a second while it is on, and as long as it expects that: takes what waits. True: so much waits to be put
	 * that put_some is to be called in a transaction of its own, and put_done behind it. NULL: flushes are enough. */
	bool (*expected)(void);
	bool (*drain)(void);
	void (*keep_up)(void); /* the same in the middle of a flush: nothing is put */
	int (*put_some)(struct profile_writer *profile, uint64_t began, struct error *error);
	/* Adds to accounts (sampler_add) what became of events since; in a flush, behind the drain of stacks. Also where it is
	 * off. snapshot: one is to be made, which has all that was over before it. */
	void (*settle)(bool snapshot);
	/* Puts what is new or changed, in a flush, with times from began (ns of CLOCK_MONOTONIC) on. 0, or a negative code.
	 * A call of put_done says whether it was kept. Also where it is off: something may be left. */
	int (*put)(struct profile_writer *profile, uint64_t began, struct error *error);
	void (*put_done)(bool kept);
	/* Behind that: it was kept, and a snapshot was made of it. */
	void (*snapshot_made)(void);
	void (*facts)(fact_put put, void *put_argument);
};

/* The callbacks of all. As a session is made. */
void tracers_callbacks(jvmtiEventCallbacks *callbacks);

/* Those that the session's options name can be had. 0, or a negative code. */
int tracers_prove(const struct session *session, struct error *error);

/* A recording begins: those that the options name are on. 0, or a negative code, and none is. */
int tracers_begin(JNIEnv *jni, struct session *session, struct error *error);

/* All are off from now on. */
bool tracers_stop(struct session *session, struct error *error);

/* Behind the profile's end. False: an event is still under way; the traces that it is of cannot be had until it is over. */
bool tracers_end(JNIEnv *jni, struct session *session);

/* Switches those of `on` on and those of `off` off: bits 1 << enum trace_kind. What is so already stays. 0, or a negative
 * code: one cannot be had; what had been switched stays so. */
int tracers_switch(
	JNIEnv *jni, struct session *session, unsigned on, unsigned off, struct error *error);

/* Those that are on, as bits. */
unsigned tracers_now(void);

/* The bit of the name; 0: no trace is called so. And the names of bits, for an answer; owned by the caller. */
unsigned tracer_bit(const char *name);
json_t *tracers_names(unsigned bits);

/* For the writer. */
extern const struct trace_source tracers_source;

#endif

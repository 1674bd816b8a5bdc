/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * io_call: one call of a native method that does I/O, from its begin to its end.
 *
 *   stand-in (io_natives.c) --> io_call_begin --> what is the descriptor? (agent/io/holder)
 *                           --> the JDK's own function
 *                           --> io_call_end --> account of thread, call path, file, operation
 *                           --> io_opened, io_closed, ... --> holder
 *
 * The holder is kept always; accounts are while a session records I/O. A descriptor that the
 * holder does not know was opened by native code: it is looked up when it is first used.
 *
 * Runs: in the application's thread, around the JDK's native function. Nothing here raises an
 *       exception or takes one away.
 */
#ifndef JPROF_IO_CALL_H
#define JPROF_IO_CALL_H

#include <jni.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "agent/io/holder.h"
#include "agent/session/session.h"
#include "profile/fact.h"

struct io_call {
	JNIEnv *jni;
	int descriptor;     /* -1: none */
	holder_word word;   /* what it was at the begin, */
	struct io_ref file; /* and which file that is */
	uint64_t start;     /* ns; 0: not recorded */
	uint64_t cpu;       /* ns that the thread had run by then; 0: not asked for */
	bool own;           /* a class is being loaded by it: told apart */
	int64_t offset;     /* in the file, of what is read; -1: at the descriptor's own */
	uint32_t recording; /* that it is in */
	uint64_t stack;     /* its number (sampler_stack_key); 0: not asked for, or none */
	/* The call path, where calls are not recorded. */
	bool by_stack;
	uint32_t node, moves; /* of the nodes */
};

/* The number of the recording (thread_slot.h) that records I/O; 0: none does. */
extern _Atomic uint32_t io_recording;

static inline bool io_is_recording(void)
{
	return __builtin_expect(
		atomic_load_explicit(&io_recording, memory_order_relaxed) != 0, 0);
}

/* Makes the holder. False: no memory; no native method may be replaced then. */
bool io_prepare(uint32_t slots);

/* The steps of a recording: operations are recorded from now on in the session that has begun,
 * if it wants them, or not any more. What is open at the begin is looked up. */
int io_begin(JNIEnv *jni, struct session *session, struct error *error);
bool io_stop(struct session *session, struct error *error);

/* Openings and closings will not be seen from now on: what is known of descriptors is
 * forgotten. */
void io_forget(void);

/* Calls put for the files and connections that are new, changed or folded since they were shown
 * last, or for all; with times from began on. On one thread at a time, as the two below. 0, or
 * put's negative code, which ends it. */
int io_show_files(uint64_t began, bool all,
	int (*put)(void *argument, const struct profile_file *file), void *argument);

/* Closed files and connections that were used least go into the rows of their groups; force:
 * even if there are few new ones. True: some did. */
bool io_fold_files(bool force);

/* What was shown is in the profile; referred: a snapshot refers to it from now on. */
void io_files_are_shown(bool referred);

/* Facts for the summary. */
void io_facts(fact_put put, void *argument);

extern struct holder io_holder;

void io_call_record(struct io_call *call, JNIEnv *jni, int descriptor);

/* The thread must have no pending exception. */
static inline void io_call_begin(struct io_call *call, JNIEnv *jni, int descriptor)
{
	if (io_is_recording()) {
		io_call_record(call, jni, descriptor);
		return;
	}
	call->jni = jni;
	call->descriptor = descriptor;
	call->word = holder_get(&io_holder, descriptor);
	call->start = 0; /* the rest is not looked at */
}

/* An operation on the descriptor, reads and writes of sockets as receives and sends. An
 * exception may be pending. */
void io_call_end(const struct io_call *call, enum account_kind op, uint64_t bytes, bool failed);

/* Another operation of the same call, whose ns are told once: the target of a transfer. */
void io_also(const struct io_call *call, struct io_ref file, enum account_kind op,
	uint64_t bytes, bool failed);

/* What the descriptor is; the system is asked if the holder does not know it yet. */
holder_word io_look(int descriptor, struct io_ref *file);

/* A descriptor was opened while nothing is recorded. */
void io_note(int descriptor);

/* The call gave the process a descriptor of that kind and name. */
void io_opened(struct io_call *call, int descriptor, enum io_kind kind, struct io_name name);

/* By a path: a file, a directory, a pipe, a terminal. */
void io_opened_path(struct io_call *call, int descriptor, struct io_name path);

/* The same, where the system has to be asked what it is; nothing, if it is negative.
 * SIDE_ACCEPTED: the call's time is the accept's. */
void io_found(const struct io_call *call, int descriptor, enum io_side side);

/* The call's descriptor, a socket, got an address, or a peer; peer: the one that was meant, if
 * the system does not know it (yet). */
void io_addressed(struct io_call *call, struct io_name peer);

/* The call's descriptor is closed: what it was at the call's begin is taken out, or nothing, if
 * another thread was given the same number since. */
void io_closed(const struct io_call *call, bool failed);

/* An operation on a name: a delete, a move, an open that failed, a host name looked up. */
void io_named(struct io_call *call, enum account_kind op, enum io_kind kind,
	struct io_name name, bool failed);

#endif

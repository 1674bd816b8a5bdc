/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * walk: the stack of the calling thread, from where a signal interrupted it, or from where it left Java.
 *
 *   kernel       (not here: perf tells of it)
 *   native code  by .eh_frame, or the frame pointer (unwind.h)
 *   Java code    by the JVM's description of it (code.h): a frame's method, and those that are
 *                inlined there; interpreted frames by their Method
 *   Java again   below native code: by the anchor that a thread leaves where it left Java
 *
 * In:   registers, the bounds of the stack. What is on the stack may be anything where a frame is being built
 *       or taken down: a return address counts only if there is a call before it.
 * Out:  frames, innermost first, and why there are no more.
 * Runs: in a signal handler or anywhere else in the thread whose stack it is. No locks, no allocation, no
 *       system calls (but those of safe_read.h on a JVM without symbols). Costs some 30 ns a frame.
 */
#ifndef JPROF_WALK_H
#define JPROF_WALK_H

#include "agent/stack/seen_methods.h"
#include "agent/stack/vm_layout.h"
#include "java_frames.h"

struct known_places;
struct known_key;
struct known_keys;
struct modules;

enum frame_kind {
	FRAME_INTERPRETED, /* Java: what is a number of seen_methods; bci */
	FRAME_COMPILED,    /* by level */
	FRAME_INLINED,     /* into the next one outwards, by level */
	FRAME_JAVA_NATIVE, /* a native method, which is Java's own or a program's */
	FRAME_STUB,        /* what is an address: generated code of no method */
	FRAME_NATIVE,      /* the same: of a library */
	FRAME_KERNEL,      /* the same */
	FRAME_NAMED /* what is the id of a method: what the sample is about, a class say */
};

struct stack_frame {
	uint64_t what;
	int32_t bci;   /* -1: not known, or none */
	uint8_t kind;  /* enum frame_kind */
	uint8_t level; /* of the compiler: 1 to 3 the first, 4 the second; 0: none */
};

/* Why a stack has no more frames. */
#define WALK_END_TABLE(X)                                                                      \
	X(WALK_WHOLE, "whole")     /* its outermost Java frame, or its begin */                \
	X(WALK_VIRTUAL, "virtual") /* the same, of a virtual thread */                         \
	X(WALK_CUT, "cut")         /* no room for more */                                      \
	X(WALK_FROZEN, "frozen")   /* a virtual thread's frames that wait in the heap */       \
	X(WALK_NO_JAVA,                                                                        \
		"native")        /* native code that could not be unwound, in a Java thread */ \
	X(WALK_CODE, "code")     /* generated code of which nothing is known */                \
	X(WALK_RETURN, "return") /* no return address where it should be */                    \
	X(WALK_METHOD, "method") /* an interpreted frame without a method */                   \
	X(WALK_DEOPT, "deopt")   /* frames that are being made anew */                         \
	X(WALK_BOUNDS, "bounds") /* out of the stack */                                        \
	X(WALK_WAITS,                                                                          \
		"waiting") /* native code in a thread that waits, which is not disturbed */

enum walk_end {
#define X(end, name) end,
	WALK_END_TABLE(X)
#undef X
		WALK_ENDS
};

extern const char *const walk_end_names[WALK_ENDS];

/* Of the JVM that runs; once. */
struct walker {
	const struct vm_layout *vm;
	struct seen_methods *seen;
	const struct modules *modules; /* NULL: native code by frame pointers alone */
	struct known_places *known;    /* NULL: each frame is looked up anew */
	struct known_keys *keys;       /* NULL: each stack is walked for its key */
};

/* Whose stack. */
struct walk_thread {
	uintptr_t java;       /* JavaThread; 0: the JVM runs no Java code in it */
	uintptr_t stack_base; /* behind its stack's last word */
	/* Not all between may be there, nor the JavaThread: it is on another stack than its own, as coroutines and
	 * handlers of signals may be, or its own is not known, or it is looked at from outside. */
	bool guarded;
};

/* Fills at most `room` frames; returns how many. */
unsigned walk_stack(const struct walker *walker, const struct walk_thread *thread,
	const struct machine *from, struct stack_frame *frame, unsigned room,
	enum walk_end *end);

/* The same, from where the thread left Java: in a call of the JVM's. low: nothing of the stack below is looked at.
 * Another thread than the calling one may go on meanwhile: what comes out is right if it has not, by
 * its anchor (vm_threads.h) before and after. */
unsigned walk_java(const struct walker *walker, const struct walk_thread *thread, uintptr_t low,
	struct stack_frame *frame, unsigned room, enum walk_end *end);

/* Where the calling thread left Java; seed and now are the caller's. False: its struct cannot be read. */
bool walk_about(
	const struct vm_layout *vm, const struct walk_thread *thread, struct known_key *about);

/* A number for the frames from there: other frames have another one, and so may have the
 * same methods compiled anew, or called from another place; as far as 64 bits go. 0: they cannot be walked whole. The seed tells
 * numbers of one `seen` from those of others. *note: as in known_keys_find. */
uint64_t walk_key(const struct walker *walker, const struct walk_thread *thread, uintptr_t low,
	const struct known_key *about, uint64_t *note);

/* True if the frame is of a Java method. */
static inline bool frame_is_java(const struct stack_frame *frame)
{
	return frame->kind <= FRAME_JAVA_NATIVE;
}

#endif

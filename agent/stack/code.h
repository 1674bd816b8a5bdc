/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * code: the JVM's code cache, by address: which piece of code it is, and what was said of it.
 *
 *   code heap:  | header | piece ... | header | piece ... |     codeBlob.hpp, heap.hpp
 *   its map:    a byte a segment: 0 where a header is, else how far back to go; 0xff: free
 *
 *   a compiled method's places (PcDesc), by address, lead to scopes: the method and bytecode there,
 *   and those it is inlined into, outwards. Numbers in scopes are 1 to 5 bytes (compressedStream.hpp).
 *
 * The heaps' memory grows, and is never given back: what lies in it is read as it is. What lies
 * elsewhere, names too, is read safely, as a piece may be freed while a stack of stale words leads to it, and is
 * in the map a moment before the JVM has written what it is.
 *
 * Runs: on any thread, also in a signal handler; no locks, no allocation.
 */
#ifndef JPROF_CODE_H
#define JPROF_CODE_H

#include "agent/stack/vm_layout.h"

/* What kind a piece of code is, by its name in the JVM. */
enum code_kind {
	CODE_COMPILED,    /* a Java method */
	CODE_NATIVE,      /* the wrapper of a native method */
	CODE_INTERPRETER, /* all of it */
	CODE_STUB,    /* frameless, or with a frame of its own making: intrinsics, call_stub */
	CODE_VTABLE,  /* frameless */
	CODE_ADAPTER, /* from interpreted to compiled callers, and back */
	CODE_RUNTIME, /* calls the JVM from compiled code; with a frame of known size */
	CODE_OTHER
};

struct code {
	uintptr_t at;         /* the piece, a struct of the JVM's */
	uintptr_t begin, end; /* of its instructions, roughly: up to the piece's end */
	enum code_kind kind;
	uint32_t frame_words;    /* 0: unknown, or none */
	uint32_t frame_complete; /* bytes from begin until the frame is built */
	char name[64];           /* "": it has none, or it cannot be read */
};

/* Of the JVM that runs; once, before the first stack. layout: borrowed for good. */
void code_use(const struct vm_layout *layout);

/* True if the address lies in the code cache. */
bool code_has(uintptr_t pc);

/* The piece at the address. False: there is none, or it is free. */
bool code_find(uintptr_t pc, struct code *code);

/* ---- compiled methods ---- */

/* Of a compiled or native one: the Method, 0: not to be read; by which compiler: 1 to 3 the first, 4
 * the second. */
uintptr_t code_method(const struct code *code);
unsigned code_level(const struct code *code);

/* The number that the JVM gave to what its compiler made, once only; 0: it is not to be had. */
uint32_t code_number(const struct code *code);

/* Where it stands, 4 bytes, if it is to be had. */
uintptr_t code_number_at(const struct code *code);

/* Where it is entered by callers that have made sure of the receiver's class. */
uintptr_t code_entry(const struct code *code);

/* A method and bytecode that the instruction belongs to. */
struct code_scope {
	uintptr_t method; /* Method */
	int32_t bci;      /* -1: its entry */
	uint32_t outer;   /* of the scope that it is inlined into; 0: none */
};

/* The innermost scope at the address, or at the next known place behind it. exactly: the address
 * must be a known place, as each return address is. False: none is known. */
bool code_scope_at(
	const struct code *code, uintptr_t pc, bool exactly, struct code_scope *scope);

/* scope becomes the one that it is inlined into: scope->outer is not 0. False: it cannot be read. */
bool code_scope_outer(const struct code *code, struct code_scope *scope);

/* True if frames of the compiled method return there that are to be interpreted again. */
bool code_is_deopt(const struct code *code, uintptr_t pc);

/* Where in the frame the address is that it returns to, if that was replaced because the method is to be
 * deoptimised; 0: it was not. sp: of the frame. */
uintptr_t code_original_place(const struct code *code, uintptr_t pc, uintptr_t sp);

#endif

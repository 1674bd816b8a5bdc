/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * fake_jvm: memory as HotSpot has it, made up for tests: what agent/stack reads, and nothing more.
 *
 *   code    | header | piece, instructions, what is said of them | header | piece ... |   a code heap, and its map
 *   data    methods, their constants, symbols; in later JDKs what is said of code
 *   stack   frames, the innermost one at its lower end; a JavaThread with its anchor
 *
 * Where the members of all that are is told as HotSpot tells it, by gHotSpotVMStructs (fake_symbol): the layout is
 * read from there.
 *
 * One at a time: fake_jvm_create makes it the one that code.h reads.
 */
#ifndef JPROF_TEST_FAKE_JVM_H
#define JPROF_TEST_FAKE_JVM_H

#include "agent/stack/code.h"
#include "agent/stack/vm_layout.h"
#include "agent/stack/walk.h"
#include "java_frames.h"

/* By JDK: 17 has everything in the piece, by pointers; 23 the description elsewhere; 25 the methods, too. */
enum fake_form { FAKE_17, FAKE_23, FAKE_25, FAKE_FORMS };

enum {
	FAKE_CODE_BYTES = 1 << 17,
	FAKE_DATA_BYTES = 1 << 17,
	FAKE_STACK_WORDS = 1024,
	FAKE_GUARDED_MAX = 64,
	FAKE_INTERPRETER_BYTES = 40000 /* its map has more than one step back */
};

/* Memory that may have anything in it: whoever reads it has to be careful. */
struct fake_range {
	uintptr_t begin;
	size_t bytes;
};

struct fake_jvm {
	enum fake_form form;
	struct vm_layout layout;
	uintptr_t code, data;
	size_t code_used, data_used;
	uintptr_t *stack;
	uintptr_t java;                                  /* JavaThread */
	uintptr_t interpreter, call_stub_return, native; /* addresses; native: of no module */
	struct fake_range guarded[FAKE_GUARDED_MAX];
	unsigned guarded_count;
	struct machine now; /* the thread's registers as its frames are made */
};

/* NULL: no memory. */
struct fake_jvm *fake_jvm_create(enum fake_form form);
void fake_jvm_destroy(struct fake_jvm *jvm);

/* What its library exports; rows of the tables as of the form. fake_jvm_rows: the table itself, to be changed by tests of
 * vm_layout; ended by a row without type. */
struct fake_row {
	const char *type, *field, *kind;
	int32_t is_static;
	uint64_t offset;
	const void *address;
};
void *fake_symbol(const char *name);
struct fake_row *fake_jvm_rows(void);
unsigned fake_jvm_java(enum fake_form form); /* its version */

/* ---- methods ---- */

struct fake_line {
	uint16_t bci, line;
};

struct fake_method {
	const char *class_name, *name, *signature;
	uint16_t code_size;
	const char *file;             /* NULL: not known */
	const struct fake_line *line; /* up to one with line 0; NULL: it has none */
};

/* A Method. */
uintptr_t fake_method_add(struct fake_jvm *jvm, const struct fake_method *method);

/* The same at the place of another one, whose class has been unloaded. */
void fake_method_replace(struct fake_jvm *jvm, uintptr_t at, const struct fake_method *method);

/* A number as the JVM compresses it; returns how many bytes. */
size_t fake_number(uint8_t *to, uint8_t base, uint32_t number);

/* ---- code ---- */

struct fake_scope {
	int outer;       /* place in the list; -1: none */
	unsigned method; /* place in the list of methods */
	int32_t bci;
};

struct fake_place {
	int32_t offset; /* of the instruction behind */
	int scope;      /* -1: it has none */
};

/* A piece of code. Its lists end with a method 0, a scope of bci -2, a place of offset -1. */
struct fake_code {
	const char *name;
	const uint8_t *bytes; /* instructions */
	size_t size;
	int32_t frame_words, frame_complete;
	uint16_t
		entry; /* of callers that have made sure of the receiver's class: bytes from the begin */
	uintptr_t method[8];
	int8_t level;
	int32_t original_pc; /* bytes from sp */
	const struct fake_scope *scope;
	const struct fake_place *place;
};

/* Where its instructions begin. Behind them are the two handlers for frames that are to be interpreted. */
uintptr_t fake_code_add(struct fake_jvm *jvm, const struct fake_code *code);
uintptr_t fake_code_handler(const struct fake_code *code, uintptr_t begin, bool of_handles);

/* The memory that names of pieces are in. */
struct fake_range fake_code_names(void);

/* It is free from now on. */
void fake_code_free(struct fake_jvm *jvm, uintptr_t begin);

/* A compiled method's instructions: a prologue, a call, an epilogue with a poll. FAKE_JAVA_WORDS are its frame. */
enum { FAKE_JAVA_WORDS = 6 };
extern const uint8_t fake_java_bytes[];
extern const size_t fake_java_size;
extern const int32_t fake_java_return; /* behind its call */
extern const int32_t fake_java_complete;
extern const struct fake_step {
	int32_t offset;
	struct frame_part part; /* what of the frame is there, before the instruction */
} fake_java_steps[];
extern const size_t fake_java_step_count;

/* ---- frames, outermost first ---- */

/* An empty stack: the thread's first function is native, and has called nothing. */
void fake_stack_clear(struct fake_jvm *jvm);

/* Each is called by the frame before, from where that was (now.pc). */
void fake_enter_native(struct fake_jvm *jvm);
void fake_enter_stub(
	struct fake_jvm *jvm); /* native code calls Java; the last Java frame's place is kept */
void fake_enter_interpreted(struct fake_jvm *jvm, uintptr_t method, int32_t bci);
void fake_enter_compiled(struct fake_jvm *jvm, uintptr_t begin, int32_t offset, uint32_t words);

/* The thread leaves Java here: its anchor is set. */
void fake_leave_java(struct fake_jvm *jvm);

/* The thread's bounds. */
struct walk_thread fake_thread(const struct fake_jvm *jvm);

#endif

/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * native_thunk: the interface to the functions of arch/<cpu>/native_thunks.S.
 */
#ifndef JPROF_NATIVE_THUNK_H
#define JPROF_NATIVE_THUNK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	NATIVE_THUNKS = 4096,      /* .rept in native_thunks.S */
	NATIVE_THUNK_SIZE = 16,    /* bytes of one */
	NATIVE_LEADING_WORDS = 2,  /* JNIEnv, and the object or class, before the arguments */
	NATIVE_INTEGER_REGISTERS = /* those that carry arguments */
#ifdef __x86_64__
	6,
#else
	8,
#endif
	NATIVE_FLOAT_REGISTERS = 8
};

/* Known to the assembler: the order and size of its fields. */
struct native_record {
	void *original; /* function that is called */
	uint32_t ref;   /* method_ref, and which probes: native_methods.c; 0: only the call */
	uint32_t stack_words; /* arguments on the stack, 8 bytes each */
};
_Static_assert(sizeof(struct native_record) == 16, "native_thunks.S shifts by 4");
_Static_assert(offsetof(struct native_record, stack_words) == 12, "native_thunks.S reads it");

extern struct native_record native_records[NATIVE_THUNKS] __attribute__((visibility("hidden")));
extern const char native_thunks[] __attribute__((visibility("hidden")));

/* Called by the thunks. The exit only if enter has said true. */
bool native_thunk_enter(const struct native_record *record, void *jni)
	__attribute__((visibility("hidden")));
void native_thunk_exit(const struct native_record *record, void *jni)
	__attribute__((visibility("hidden")));

static inline void *native_thunk(unsigned number)
{
	return (void *)(uintptr_t)(native_thunks + number * (size_t)NATIVE_THUNK_SIZE);
}

static inline bool native_is_thunk(const void *address)
{
	return (uintptr_t)address - (uintptr_t)native_thunks <
	       (size_t)NATIVE_THUNKS * NATIVE_THUNK_SIZE;
}

/* How many arguments of a method with that descriptor ("(IJ[B)V", well-formed) find no
 * register; leading: integers before them. */
uint32_t native_stack_words(const char *descriptor, unsigned leading);

#endif

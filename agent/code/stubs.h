/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * stubs: code that the JVM made and that is no method's: its interpreter, intrinsics, adapters.
 *
 * The JVM announces each piece with its name (JVMTI specification, "Dynamic Code Generated").
 *
 * Owns: a list of them, for good: there are some hundreds. Runs: on any thread, under its lock.
 */
#ifndef JPROF_STUBS_H
#define JPROF_STUBS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A piece was made; the name is copied. One that was at the same address is no more. The name as it is kept, borrowed
 * for good; NULL without memory. */
const char *stubs_add(const char *name, uintptr_t begin, size_t bytes);

/* The name of the smallest piece that has the address, or NULL. Borrowed for good. */
const char *stubs_find(uintptr_t pc, uintptr_t *begin);

/* Piece number i, as they came. False: there are no more. */
bool stubs_get(size_t i, const char **name, uintptr_t *begin, size_t *bytes);

/* The begin of the piece of that name, 0: there is none. */
uintptr_t stubs_named(const char *name);

#endif

/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * demangle: C++ names as people write them, short: `PhaseIdealLoop::build_and_optimize`.
 *
 * What a function takes and gives is left out, and so is which piece of it the compiler has set
 * apart (`.cold`). Arguments of templates stay. libsupc++'s demangler does the work (Itanium C++
 * ABI, chapter 5.1): one object file of it is linked in, which needs the C library alone and
 * has no constructor. 0.6 us a name of the JVM's.
 * Runs: cold; needs up to 200 KB of stack.
 */
#ifndef JPROF_DEMANGLE_H
#define JPROF_DEMANGLE_H

#include <stddef.h>

/* Borrowed: `buffer`, or, where the name is not mangled or what it means does not fit, `name` itself. */
const char *demangle(const char *name, char *buffer, size_t size);

#endif

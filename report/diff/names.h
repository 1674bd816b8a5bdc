/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * names: what of a method's name stays the same from run to run, and numbers for texts.
 *
 * The JVM and libraries make classes while a program runs, and number them in the order in which they are
 * needed, or by an address. What is a number there becomes '*', or goes:
 *
 *   com.acme.Foo$$Lambda$14/0x00007f12a8001000    com.acme.Foo$$Lambda
 *   java.lang.invoke.LambdaForm$MH/0x000001       java.lang.invoke.LambdaForm$MH
 *   com.acme.Hidden+0x00007f12a8001000            com.acme.Hidden
 *   jdk.proxy2.$Proxy12                           jdk.proxy*.$Proxy*
 *   jdk.internal.reflect.GeneratedMethodAccessor7 jdk.internal.reflect.GeneratedMethodAccessor*
 *   com.acme.Foo$$EnhancerByCGLIB$$1f2e3d4c       com.acme.Foo$$EnhancerByCGLIB$$*
 *   com.acme.Foo, lambda$main$3                   lambda$main$*
 *   com.acme.Foo, access$100                      access$*
 *
 * javac counts lambdas by class: with one more of them all that follow have other numbers.
 */
#ifndef JPROF_REPORT_DIFF_NAMES_H
#define JPROF_REPORT_DIFF_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report/text/out.h"

/* Appends the name of a class, of a method. True if that is not what it was. */
bool out_normal_class(struct out *out, const char *name);
bool out_normal_method(struct out *out, const char *name);

/* The same with a connection's address: ports that the kernel gave, from 32768 on, become '*'. */
bool out_normal_address(struct out *out, const char *address);

/* Numbers texts, 0, 1, ... in the order in which they are first seen. Embedded; all zero at first. */
struct text_table {
	struct text_entry *entry; /* by number */
	uint32_t *slot;           /* number + 1; 0: free */
	size_t count, slots;
};

void text_table_fini(struct text_table *table);

/* The text's number: the count before, if it is new. TEXT_NONE without memory. */
#define TEXT_NONE UINT32_MAX
uint32_t text_table_take(struct text_table *table, const char *text, size_t length);

#endif

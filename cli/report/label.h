/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * label: names that are safe to print.
 *
 * A profile may hold any bytes as names. A label is well-formed UTF-8: surrogate pairs as
 * the JVM writes them (JVM specification 4.4.7, modified UTF-8) become the character they
 * stand for, the JVM's two-byte zero becomes U+0000, every byte that fits nowhere becomes
 * U+FFFD.
 */
#ifndef JPROF_REPORT_LABEL_H
#define JPROF_REPORT_LABEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profile/profile_read.h"

struct label {
	const char *text; /* NULL: there is no name */
	size_t length;
};

/* Labels of all methods of a profile, by id. What a profile's own string can serve for is
 * borrowed from it. */
struct method_label {
	struct label class_name, name, signature;
	/* For people: class.method, with its parameters where the class has several of that
	 * name: com.acme.Foo.bar(int,String[]) */
	struct label display;
};

struct label_store; /* owns the bytes of labels; created, destroyed */

struct label_store *label_store_create(void);
void label_store_destroy(struct label_store *store);

/* The label of a string, which must outlive the store. NULL gives the label of nothing. An
 * empty label without memory; label_store_failed then says so. */
struct label label_make(struct label_store *store, const char *text);

/* The same of a format's result. */
struct label label_format(struct label_store *store, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* What a thread's row is called, before it is made a label: its name, and of virtual
 * threads without one, that they are such. Never NULL; borrowed from the profile. */
const char *label_thread_name(const struct profile_thread *thread);

bool label_store_failed(const struct label_store *store);

/* Labels of all methods. Owned by the caller (free), NULL without memory. */
struct method_label *label_methods(
	struct label_store *store, const struct profile *profile);

#endif

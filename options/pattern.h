/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * pattern: how a user names many things at once: classes, methods, threads.
 *
 * '*' stands for any run of characters, dots included; every other character stands for
 * itself. A pattern matches the whole text.
 */
#ifndef JPROF_PATTERN_H
#define JPROF_PATTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* True if the whole text matches. Linear in practice, no recursion, no allocation. */
bool pattern_match(const char *pattern, const char *text);

/* Begins a pattern that is chosen beside the default, not instead of it. */
#define PATTERN_ADD '+'

/* The pattern without that. Borrowed from it. */
static inline const char *pattern_text(const char *pattern)
{
	return pattern + (*pattern == PATTERN_ADD);
}

/* A list of patterns; owned strings. Zero-initialised means empty. */
struct pattern_list {
	char **pattern;
	size_t count;
	_Atomic uint64_t *matches; /* by pattern: what was noted; NULL: nothing can be */
};

/* Copies the pattern to the end of the list. 0, or -1 when there is no memory. */
int pattern_list_add(struct pattern_list *list, const char *pattern);

/* True if any pattern of the list matches the text; false for an empty list. */
bool pattern_list_match(const struct pattern_list *list, const char *text);

/* True if what is the default without a list is chosen: the list is empty, or adds to it. */
bool pattern_list_has_default(const struct pattern_list *list);

/* Something that was looked for matched the i-th pattern. On any thread, without locks. */
void pattern_list_note(const struct pattern_list *list, size_t i);

/* How often that was noted of the i-th pattern. */
uint64_t pattern_list_noted(const struct pattern_list *list, size_t i);

void pattern_list_fini(struct pattern_list *list);

/* True if pattern selects the method: it matches "CLASS", or "CLASS.METHOD".
 * class_name is a Java name (com.acme.Foo$Bar). */
bool pattern_match_method(const char *pattern, const char *class_name, const char *method_name);

/* True if the pattern selects the class, or could select a method of it. */
bool pattern_reaches_class(const char *pattern, const char *class_name);

/* True if the pattern reaches the class, and spells out at
 * least the first part of its package: "java.util.*", "java.*" and "java.util.HashMap.put"
 * name java.util.HashMap; "*", "*Map" and "j*" do not. The JDK's own classes are profiled
 * only when an include pattern names them. */
bool pattern_names_class(const char *pattern, const char *class_name);

#endif

/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * pattern: matches texts against '*' patterns.
 *
 * Runs: cold (when a class is seen, when a thread starts), on any thread, without locks.
 */
#include "options/pattern.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* A text to match, in up to two parts with a dot between them, so that CLASS.METHOD
 * needs no copy. */
struct subject {
	const char *first, *second; /* second may be NULL */
	size_t first_length, length;
};

static struct subject subject_of(const char *first, const char *second)
{
	struct subject subject = {first, second, strlen(first), 0};
	subject.length = subject.first_length + (second ? 1 + strlen(second) : 0);
	return subject;
}

static char subject_at(const struct subject *subject, size_t i)
{
	if (i < subject->first_length)
		return subject->first[i];
	return i == subject->first_length ? '.'
					  : subject->second[i - subject->first_length - 1];
}

/* True if pattern[0..length) matches the whole subject. Only the last '*' met is ever
 * retried: an earlier one that took more could not match anything that this one cannot. */
static bool matches(const char *pattern, size_t length, const struct subject *subject)
{
	size_t p = 0, s = 0, star = SIZE_MAX, retry = 0;
	while (s < subject->length) {
		if (p < length && pattern[p] == '*') {
			star = p++;
			retry = s;
		} else if (p < length && pattern[p] == subject_at(subject, s)) {
			p++;
			s++;
		} else if (star != SIZE_MAX) {
			p = star + 1;
			s = ++retry;
		} else {
			return false;
		}
	}
	while (p < length && pattern[p] == '*')
		p++;
	return p == length;
}

bool pattern_match(const char *pattern, const char *text)
{
	struct subject subject = subject_of(text, NULL);
	return matches(pattern, strlen(pattern), &subject);
}

bool pattern_match_method(const char *pattern, const char *class_name, const char *method_name)
{
	struct subject class_alone = subject_of(class_name, NULL);
	struct subject method = subject_of(class_name, method_name);
	size_t length = strlen(pattern);
	return matches(pattern, length, &class_alone) || matches(pattern, length, &method);
}

bool pattern_reaches_class(const char *pattern, const char *class_name)
{
	if (pattern_match(pattern, class_name))
		return true;
	/* Some first part of it must cover "CLASS."; what is left is to match a method's
	 * name, which has no dot (JVMS 4.2.2). */
	struct subject class_and_dot = subject_of(class_name, "");
	for (size_t length = strlen(pattern); length > 0; length--) {
		if (matches(pattern, length, &class_and_dot))
			return true;
		if (pattern[length - 1] == '.')
			return false;
	}
	return false;
}

bool pattern_names_class(const char *pattern, const char *class_name)
{
	size_t top_package = strcspn(class_name, ".");
	return strncmp(pattern, class_name, top_package) == 0 &&
	       pattern_reaches_class(pattern, class_name);
}

int pattern_list_add(struct pattern_list *list, const char *pattern)
{
	char *copy = strdup(pattern);
	if (!copy)
		return -1;
	size_t count = list->count + 1;
	char **grown = realloc(list->pattern, count * sizeof(*list->pattern));
	if (grown)
		list->pattern = grown;
	_Atomic uint64_t *matches =
		grown ? realloc(list->matches, count * sizeof(*list->matches)) : NULL;
	if (!matches) {
		free(copy);
		return -1;
	}
	list->matches = matches;
	atomic_init(&list->matches[list->count], 0);
	list->pattern[list->count++] = copy;
	return 0;
}

bool pattern_list_match(const struct pattern_list *list, const char *text)
{
	for (size_t i = 0; i < list->count; i++)
		if (pattern_match(list->pattern[i], text))
			return true;
	return false;
}

bool pattern_list_has_default(const struct pattern_list *list)
{
	bool adds = list->count == 0;
	for (size_t i = 0; i < list->count; i++)
		adds |= *list->pattern[i] == PATTERN_ADD;
	return adds;
}

void pattern_list_note(const struct pattern_list *list, size_t i)
{
	if (list->matches)
		atomic_fetch_add_explicit(&list->matches[i], 1, memory_order_relaxed);
}

uint64_t pattern_list_noted(const struct pattern_list *list, size_t i)
{
	return list->matches ? atomic_load_explicit(&list->matches[i], memory_order_relaxed)
			     : 0;
}

void pattern_list_fini(struct pattern_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->pattern[i]);
	free(list->pattern);
	free(list->matches);
	*list = (struct pattern_list){0};
}

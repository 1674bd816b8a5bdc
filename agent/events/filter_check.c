/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * filter_check: see filter_check.h.
 *
 * What a pattern of methods is compared with: the names of the loaded classes; their packages with
 * ".*", when it ends so; the methods of the classes whose names are nearest to what it has in front of
 * its last dot. What a pattern of threads is compared with: the names of threads, each run of digits
 * one '*'.
 */
#include "agent/events/filter_check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/session/session_matches.h"
#include "metric/nearest.h"
#include "options/thread_choice.h"

/* Patterns: each is compared with all loaded classes, and a config file may have hundreds. */
enum { CHECKED = 8 };

struct check {
	unsigned checked;
	struct jvm *jvm;
	JNIEnv *jni;
	struct session *session;
	jclass *classes; /* loaded ones; listed when the first pattern needs them */
	int count;
};

/* ---- methods ---- */

/* A pattern of methods under way. */
struct sought {
	const struct check *check;
	const struct unmatched *unmatched;
	struct nearest nearest;
	struct nearest owners; /* the classes whose methods come near */
	const char *class_name; /* of the method that is offered */
};

static void offer_method(void *user, const char *method)
{
	struct sought *sought = user;
	char name[NEAREST_NAME];
	int length = snprintf(name, sizeof(name), "%s.%s", sought->class_name, method);

	if (length < NEAREST_NAME)
		nearest_offer(&sought->nearest, name);
	/* Probes and their like see methods that have code; events see them when they are called. */
	if (sought->check->session->options.calls == CALLS_EVENTS &&
		pattern_match_method(sought->unmatched->pattern, sought->class_name, method))
		unmatched_note(sought->unmatched);
}

static void offer_package(struct nearest *nearest, const char *class_name)
{
	char name[NEAREST_NAME];
	const char *end = strrchr(class_name, '.');
	size_t length = end ? (size_t)(end - class_name) : 0;

	if (length == 0 || length + 3 > sizeof(name))
		return;
	memcpy(name, class_name, length);
	memcpy(name + length, ".*", 3);
	nearest_offer(nearest, name);
}

/* The JDK has so many classes that one is always near: only its own top packages. */
static bool is_offered(const char *pattern, const struct jvm_class *description)
{
	return !description->is_jdk || pattern_names_class(pattern, description->name) ||
	       strncmp(pattern, "java", 4) == 0;
}

static void offer_class(struct sought *sought, jclass class, const struct jvm_class *description)
{
	const char *pattern = sought->unmatched->pattern;
	size_t length = strlen(pattern);

	(void)class;
	nearest_offer(&sought->owners, description->name);
	if (length > 2 && strcmp(pattern + length - 2, ".*") == 0)
		offer_package(&sought->nearest, description->name);
	else
		nearest_offer(&sought->nearest, description->name);
}

static bool is_owner(const struct sought *sought, const char *class_name)
{
	for (size_t i = 0; i < sought->owners.count; i++)
		if (strcmp(sought->owners.best[i].name, class_name) == 0)
			return true;
	return pattern_reaches_class(sought->unmatched->pattern, class_name);
}

static void offer_methods(struct sought *sought, jclass class, const struct jvm_class *description)
{
	if (!is_owner(sought, description->name))
		return;
	sought->class_name = description->name;
	jvm_each_method(sought->check->jvm, class, offer_method, sought);
}

static void each_class(struct sought *sought,
	void (*offer)(struct sought *sought, jclass class, const struct jvm_class *description))
{
	const struct check *check = sought->check;
	struct jvm_class description;

	for (int i = 0; i < check->count; i++) {
		if (!jvm_describe_class(check->jvm, check->jni, check->classes[i], &description))
			continue;
		if (is_offered(sought->unmatched->pattern, &description))
			offer(sought, check->classes[i], &description);
		jvm_class_fini(&description);
	}
}

static void check_methods(struct check *check, const struct unmatched *unmatched)
{
	char owner[NEAREST_NAME];
	const char *dot = strrchr(unmatched->pattern, '.');
	size_t length = dot ? (size_t)(dot - unmatched->pattern) : strlen(unmatched->pattern);
	struct sought sought = {.check = check,
		.unmatched = unmatched,
		.nearest = {.wanted = unmatched->pattern, .is_pattern = true},
		.owners = {.wanted = owner, .is_pattern = true}};

	snprintf(owner, sizeof(owner), "%.*s", (int)length, unmatched->pattern);
	if (!check->classes)
		check->count = jvm_changeable_classes(check->jvm, &check->classes);
	each_class(&sought, offer_class);
	each_class(&sought, offer_methods);
	session_note_near(check->session, unmatched, &sought.nearest);
}

/* ---- threads ---- */

/* Each run of digits becomes one '*'; in place. */
static void join_digits(char *name)
{
	char *to = name;

	for (const char *from = name; *from; from++) {
		if (*from < '0' || *from > '9')
			*to++ = *from;
		else if (to == name || to[-1] != '*')
			*to++ = '*';
	}
	*to = '\0';
}

static void offer_thread(const struct check *check, const struct unmatched *unmatched,
	struct nearest *nearest, jthread thread)
{
	struct jvm_thread description;

	if (!jvm_describe_thread(check->jvm, check->jni, thread, &description))
		return;
	if (thread_choice_item_matches(
		    unmatched->pattern, description.name, description.java_id, 0))
		unmatched_note(unmatched);
	join_digits(description.name);
	nearest_offer(nearest, description.name);
}

static void check_threads(struct check *check, const struct unmatched *unmatched)
{
	struct nearest nearest = {.wanted = unmatched->pattern, .is_pattern = true};
	jthread *threads = NULL;
	int count = jvm_live_threads(check->jvm, &threads);

	for (int i = 0; i < count; i++)
		offer_thread(check, unmatched, &nearest, threads[i]);
	free(threads);
	/* Numbers are not near each other. */
	if (unmatched->pattern[0] != '#' && strncmp(unmatched->pattern, "tid:", 4) != 0)
		session_note_near(check->session, unmatched, &nearest);
}

static void check_one(void *user, const struct unmatched *unmatched)
{
	struct check *check = user;

	if (check->checked++ >= CHECKED)
		return;
	if (unmatched->list == &check->session->options.threads)
		check_threads(check, unmatched);
	else
		check_methods(check, unmatched);
}

void filter_check(struct jvm *jvm, JNIEnv *jni, struct session *session)
{
	struct check check = {.jvm = jvm, .jni = jni, .session = session};

	if ((*jni)->PushLocalFrame(jni, JVM_LOCAL_FRAME))
		return;
	session_unmatched(session, check_one, &check);
	free(check.classes);
	(*jni)->PopLocalFrame(jni, NULL);
}

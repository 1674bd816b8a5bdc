/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * filter_check: see filter_check.h.
 *
 * What a pattern of methods is compared with: the names of the loaded classes; their packages with
 * ".*", when it ends so; the methods of the classes whose names are nearest to what it has in front of
 * its last dot. What a pattern of threads is compared with: what the names of threads have in common
 * (profile/name_pattern.h).
 */
#include "agent/recording/filter_check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/session/session_matches.h"
#include "options/nearest.h"
#include "options/thread_choice.h"
#include "profile/name_pattern.h"

/* Patterns: each is compared with all loaded classes, and a config file may have hundreds. */
enum { CHECKED = 8 };

struct check {
	unsigned checked;
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
	struct nearest owners;  /* the classes whose methods come near */
	const char *class_name; /* of the method that is offered */
};

/* Of the trace of events: a method matches when it has an event. */
static bool is_of_events(const struct sought *sought)
{
	const struct session *session = sought->check->session;

	return sought->unmatched->list == &session->options.events ||
	       sought->unmatched->list == &session->awaited;
}

static void offer_method(void *user, const char *method)
{
	struct sought *sought = user;
	char name[NEAREST_NAME];
	int length = snprintf(name, sizeof(name), "%s.%s", sought->class_name, method);

	if (length < NEAREST_NAME)
		nearest_offer(&sought->nearest, name);
	/* Probes and their like see methods that have code; events see them when they are called. */
	if (sought->check->session->options.calls == CALLS_EVENTS && !is_of_events(sought) &&
		pattern_match_method(sought->unmatched->pattern, sought->class_name, method))
		unmatched_note(sought->unmatched);
}

static void offer_class(
	struct sought *sought, jclass class, const struct jvm_class *description)
{
	const char *pattern = sought->unmatched->pattern;
	size_t length = strlen(pattern);
	char package[NEAREST_NAME];
	const char *end = strrchr(description->name, '.');

	nearest_offer(&sought->owners, description->name);
	if (length <= 2 || strcmp(pattern + length - 2, ".*") != 0)
		nearest_offer(&sought->nearest, description->name);
	else if (end &&
		 snprintf(package, sizeof(package), "%.*s.*", (int)(end - description->name),
			 description->name) < (int)sizeof(package))
		nearest_offer(&sought->nearest, package);
}

static void offer_methods(
	struct sought *sought, jclass class, const struct jvm_class *description)
{
	bool owner = pattern_reaches_class(sought->unmatched->pattern, description->name);

	for (size_t i = 0; i < sought->owners.count && !owner; i++)
		owner = strcmp(sought->owners.best[i].name, description->name) == 0;
	if (!owner)
		return;
	sought->class_name = description->name;
	jvm_each_method(class, offer_method, sought);
}

static void each_class(struct sought *sought,
	void (*offer)(struct sought *sought, jclass class, const struct jvm_class *description))
{
	const struct check *check = sought->check;
	const char *pattern = sought->unmatched->pattern;
	struct jvm_class description;

	for (int i = 0; i < check->count; i++) {
		if (!jvm_describe_class(check->jni, check->classes[i], &description))
			continue;
		/* The JDK has so many classes that one is always near: only its own top packages. */
		if (!description.is_jdk || strncmp(pattern, "java", 4) == 0 ||
			pattern_names_class(pattern, description.name))
			offer(sought, check->classes[i], &description);
		free(description.name);
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
		check->count = jvm_changeable_classes(&check->classes);
	each_class(&sought, offer_class);
	each_class(&sought, offer_methods);
	session_note_near(check->session, unmatched, &sought.nearest);
}

/* ---- threads ---- */

static void check_threads(struct check *check, const struct unmatched *unmatched)
{
	struct nearest nearest = {.wanted = unmatched->pattern, .is_pattern = true};
	struct jvm_thread thread;
	char name[sizeof(thread.name) + 1];
	jthread *threads = NULL;
	int count = jvm_live_threads(&threads);

	for (int i = 0; i < count; i++) {
		struct pattern_text text = {.bytes = name, .size = sizeof(name)};

		if (!jvm_describe_thread(check->jni, threads[i], &thread))
			continue;
		if (thread_choice_item_matches(
			    unmatched->pattern, thread.name, thread.java_id, 0))
			unmatched_note(unmatched);
		pattern_put_name(&text, thread.name, strlen(thread.name));
		name[text.length] = '\0';
		nearest_offer(&nearest, name);
	}
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

void filter_check(JNIEnv *jni, struct session *session)
{
	struct check check = {.jni = jni, .session = session};

	if ((*jni)->PushLocalFrame(jni, JVM_LOCAL_FRAME))
		return;
	session_unmatched(session, check_one, &check);
	free(check.classes);
	(*jni)->PopLocalFrame(jni, NULL);
}

/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * include_check: see include_check.h.
 *
 * What a pattern is compared with: the names of the loaded classes; their packages with ".*",
 * when it ends so; the methods of the class that it begins with.
 */
#include "agent/events/include_check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/jvm/methods.h"
#include "agent/log/log.h"
#include "metric/nearest.h"

struct unmatched {
	struct jvm *jvm;
	JNIEnv *jni;
	jclass *classes; /* loaded ones; listed when the first pattern needs them */
	int count;
};

/* Of the class that a pattern of a method begins with. */
struct owner {
	struct nearest *nearest;
	const char *class_name;
};

static void offer_method(void *user, const char *method)
{
	const struct owner *owner = user;
	char name[NEAREST_NAME];
	int length = snprintf(name, sizeof(name), "%s.%s", owner->class_name, method);

	if (length < NEAREST_NAME)
		nearest_offer(owner->nearest, name);
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

static void offer_class(struct unmatched *unmatched, struct nearest *nearest, jclass class)
{
	const char *pattern = nearest->wanted;
	size_t length = strlen(pattern);
	struct jvm_class description;

	if (!jvm_describe_class(unmatched->jvm, unmatched->jni, class, &description))
		return;
	/* The JDK has so many classes that one is always near: only its own top packages. */
	if (!description.is_jdk || pattern_names_class(pattern, description.name) ||
		strncmp(pattern, "java", 4) == 0) {
		if (length > 2 && strcmp(pattern + length - 2, ".*") == 0)
			offer_package(nearest, description.name);
		else
			nearest_offer(nearest, description.name);
		if (pattern_reaches_class(pattern, description.name)) {
			struct owner owner = {nearest, description.name};

			jvm_each_method(unmatched->jvm, class, offer_method, &owner);
		}
	}
	jvm_class_fini(&description);
}

static void say(void *user, const char *key, const char *pattern)
{
	struct unmatched *unmatched = user;
	struct nearest nearest = {.wanted = pattern};
	char names[NEAREST_COUNT * (NEAREST_NAME + 4)];

	if (!unmatched->classes)
		unmatched->count = jvm_changeable_classes(unmatched->jvm, &unmatched->classes);
	for (int i = 0; i < unmatched->count; i++)
		offer_class(unmatched, &nearest, unmatched->classes[i]);
	nearest_text(&nearest, names, sizeof(names));
	log_line(LOG_WARN, "%s=%s: no method of this name was seen%s%s", key, pattern,
		names[0] ? "; near it are " : "", names);
}

void include_check(struct jvm *jvm, JNIEnv *jni)
{
	struct unmatched unmatched = {.jvm = jvm, .jni = jni};

	if ((*jni)->PushLocalFrame(jni, JVM_LOCAL_FRAME))
		return;
	methods_unmatched(say, &unmatched);
	free(unmatched.classes);
	(*jni)->PopLocalFrame(jni, NULL);
}

/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * object_text: what an object, or what it leads to, is as a text; without calling the application, but for getters that were named.
 *
 *   String              its characters
 *   numbers, booleans   their values as Java writes them, boxed or not
 *   enum constants      their names
 *   Class               its name
 *   arrays              String[3]
 *   anything else       the name of its class
 *
 * Where something is missing the text says so: "(no field user)", "(threw java.lang.IllegalStateException)".
 *
 * Runs: on attached threads, without an exception pending; none is left pending. Local references are left to the native
 *       method that is under way. A getter takes as long as it takes, and may do anything.
 */
#ifndef JPROF_OBJECT_TEXT_H
#define JPROF_OBJECT_TEXT_H

#include <jni.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

/* Once, where the JVM can run Java code: the classes of texts and numbers. False: they cannot be had. */
bool object_text_learn(JNIEnv *jni);

/* What is known of some classes: by threads that came by, without locks. All zero at first; for good. */
enum { MEMBER_CLASSES = 32 };
struct member_cache {
	_Atomic(struct class_member *) class[MEMBER_CLASSES];
};

/* Something of that type, as in a descriptor; objects have 'L', arrays too. */
struct object_value {
	char type;
	jvalue value;
};

/* Where a text goes, UTF-8. */
struct object_text {
	char *text;
	size_t length, room;
	bool is_null; /* there was no object to tell of, nor anything else */
};

/* From the object of `at` to what its field, or its getter of that name, has. False: there is no way on, and the text says
 * why. */
bool object_step(JNIEnv *jni, struct member_cache *cache, bool getter, const char *name,
	struct object_value *at, struct object_text *text);

/* Adds the text of it. */
void object_tell(JNIEnv *jni, const struct object_value *value, struct object_text *text);

/* Adds "null", where the text has other parts. */
void object_tell_null(struct object_text *text);

/* The object's class is that one, or below it. */
bool object_is_below(
	JNIEnv *jni, struct member_cache *cache, jobject object, const char *internal);

/* So is the class of that Java name from which the object's class has a method; where it is no super class, but an interface, the
 * object's own class. */
bool object_declarer_is_below(
	JNIEnv *jni, jobject object, const char *declarer, const char *internal);

#endif

/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * jprof_class: see jprof_class.h.
 *
 * Runs: natives on any Java thread; what fails is thrown there as an IllegalStateException.
 */
#include "agent/inside/jprof_class.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "agent/inside/calibration_natives.h"
#include "agent/inside/from_inside.h"
#include "agent/inside/thread_tags.h"
#include "agent/jvm/boot_class.h"
#include "agent/jvm/jvm.h"
#include "agent/log/log.h"

static _Atomic bool is_open; /* classes that come get natives */

/* ---- words of Java ---- */

/* In UTF-8, owned (free); NULL for null, or without memory. */
static char *text_of(JNIEnv *jni, jstring string)
{
	const char *modified = string ? (*jni)->GetStringUTFChars(jni, string, NULL) : NULL;
	char *text = modified ? jvm_method_name(modified) : NULL;

	if (modified)
		(*jni)->ReleaseStringUTFChars(jni, string, modified);
	return text;
}

/* Characters of four bytes, which modified UTF-8 has not, become a '?' each. */
static void to_modified(char *text)
{
	char *out = text;

	for (const unsigned char *in = (unsigned char *)text; *in; in++) {
		if (*in < 0xf0) {
			*out++ = (char)*in;
			continue;
		}
		*out++ = '?';
		while ((in[1] & 0xc0) == 0x80)
			in++;
	}
	*out = '\0';
}

static void throw_unless_done(JNIEnv *jni, int code, struct error *error)
{
	jclass exception;

	if (!code || (*jni)->ExceptionCheck(jni))
		return;
	exception = (*jni)->FindClass(jni, "java/lang/IllegalStateException");
	to_modified(error->text);
	if (exception)
		(*jni)->ThrowNew(jni, exception, error->text);
}

/* ---- natives ---- */

static void JNICALL start(JNIEnv *jni, jclass class, jstring options)
{
	struct error error = {0};
	char *text = text_of(jni, options);
	int code = options && !text
			   ? error_set(&error, ERROR_MEMORY, "no memory for the options")
			   : from_inside_start(text, &error);

	free(text);
	throw_unless_done(jni, code, &error);
}

static void JNICALL stop(JNIEnv *jni, jclass class)
{
	struct error error = {0};

	throw_unless_done(jni, from_inside_stop(&error), &error);
}

static void JNICALL snapshot(JNIEnv *jni, jclass class, jstring label)
{
	struct error error = {0};
	char *text = text_of(jni, label);
	int code = label && !text ? error_set(&error, ERROR_MEMORY, "no memory for the label")
				  : from_inside_snapshot(text, &error);

	free(text);
	throw_unless_done(jni, code, &error);
}

static void JNICALL reset(JNIEnv *jni, jclass class)
{
	struct error error = {0};

	throw_unless_done(jni, from_inside_reset(&error), &error);
}

static void JNICALL mark(JNIEnv *jni, jclass class, jstring name)
{
	char *text = text_of(jni, name);

	from_inside_mark(text);
	free(text);
}

static jboolean JNICALL is_recording(JNIEnv *jni, jclass class)
{
	return from_inside_recording();
}

static jlong value_of(
	JNIEnv *jni, jstring metric, int (*read)(const char *metric, uint64_t *value))
{
	char *name = text_of(jni, metric);
	uint64_t value;
	int code = read(name, &value);

	free(name);
	return code ? -1 : (jlong)value;
}

static jlong JNICALL thread_value(JNIEnv *jni, jclass class, jstring metric)
{
	return value_of(jni, metric, from_inside_thread_value);
}

static jlong JNICALL thread_value_of(JNIEnv *jni, jclass class, jobject thread, jstring metric)
{
	char *name = text_of(jni, metric);
	uint64_t value;
	int code = from_inside_thread_value_of(jvm_thread_id(jni, thread), name, &value);

	free(name);
	return code ? -1 : (jlong)value;
}

static jlong JNICALL total_value(JNIEnv *jni, jclass class, jstring metric)
{
	return value_of(jni, metric, from_inside_total_value);
}

/* The number of a tag, whose texts are looked for while the thread is aside. */
static int64_t number_of(
	JNIEnv *jni, const struct tagged_thread *thread, jstring key, jstring value)
{
	char *key_text = text_of(jni, key), *value_text = text_of(jni, value);
	int64_t number = -1;

	if (value_text || !value)
		number = tagged_number(thread, key_text, value_text);
	free(key_text);
	free(value_text);
	return number;
}

static jlong JNICALL tag_number(JNIEnv *jni, jclass class, jstring key, jstring value)
{
	struct tagged_thread thread;
	int64_t number;

	if (!tagged_begin(&thread, true))
		return -1;
	number = number_of(jni, &thread, key, value);
	tagged_end(&thread);
	return number;
}

static jlong JNICALL tag_put_text(JNIEnv *jni, jclass class, jstring key, jstring value)
{
	struct tagged_thread thread;
	int64_t before;

	if (!tagged_begin(&thread, true))
		return -1;
	before = tagged_put(&thread, number_of(jni, &thread, key, value));
	tagged_end(&thread);
	return before;
}

static jlong JNICALL tag_put(JNIEnv *jni, jclass class, jlong tag)
{
	struct tagged_thread thread;
	int64_t before;

	if (!tagged_begin(&thread, false))
		return -1;
	before = tagged_put(&thread, tag);
	tagged_end(&thread);
	return before;
}

static jlong JNICALL tags(JNIEnv *jni, jclass class)
{
	return from_inside_tags();
}

static jlong JNICALL tags_use(JNIEnv *jni, jclass class, jlong wanted)
{
	struct tagged_thread thread;
	int64_t before;

	if (!tagged_begin(&thread, false))
		return -1;
	before = tagged_use(&thread, wanted);
	tagged_end(&thread);
	return before;
}

static const JNINativeMethod natives[] = {
	{(char *)"start0", (char *)"(Ljava/lang/String;)V", (void *)start},
	{(char *)"stop0", (char *)"()V", (void *)stop},
	{(char *)"snapshot0", (char *)"(Ljava/lang/String;)V", (void *)snapshot},
	{(char *)"reset0", (char *)"()V", (void *)reset},
	{(char *)"mark0", (char *)"(Ljava/lang/String;)V", (void *)mark},
	{(char *)"isRecording0", (char *)"()Z", (void *)is_recording},
	{(char *)"threadValue0", (char *)"(Ljava/lang/String;)J", (void *)thread_value},
	{(char *)"threadValueOf0", (char *)"(Ljava/lang/Thread;Ljava/lang/String;)J",
		(void *)thread_value_of},
	{(char *)"totalValue0", (char *)"(Ljava/lang/String;)J", (void *)total_value},
};

/* A class of an earlier version has none of these, and calls none. */
static const JNINativeMethod tag_natives[] = {
	{(char *)"tagNumber0", (char *)"(Ljava/lang/String;Ljava/lang/String;)J",
		(void *)tag_number},
	{(char *)"tagPut0", (char *)"(Ljava/lang/String;Ljava/lang/String;)J",
		(void *)tag_put_text},
	{(char *)"tagPut0", (char *)"(J)J", (void *)tag_put},
	{(char *)"tags0", (char *)"()J", (void *)tags},
	{(char *)"tagsUse0", (char *)"(J)J", (void *)tags_use},
};

enum {
	NATIVES = sizeof(natives) / sizeof(*natives),
	TAG_NATIVES = sizeof(tag_natives) / sizeof(*tag_natives)
};

/* ---- classes ---- */

static bool is_jprof(const char *signature)
{
	return strcmp(signature, "Ljprof/JProf;") == 0;
}

/* Also from the class's own initialiser. */
static void set_present(JNIEnv *jni, jclass class, bool present)
{
	jfieldID field = (*jni)->GetStaticFieldID(jni, class, "present", "Z");

	if ((*jni)->ExceptionCheck(jni))
		(*jni)->ExceptionClear(jni);
	else
		(*jni)->SetStaticBooleanField(jni, class, field, present);
}

static void take_in(JNIEnv *jni, jclass class)
{
	if ((*jni)->RegisterNatives(jni, class, natives, NATIVES)) {
		(*jni)->ExceptionClear(jni);
		log_line(LOG_WARN, "the class jprof.JProf that the program has is of another "
				   "version: its methods do nothing");
		return;
	}
	if ((*jni)->RegisterNatives(jni, class, tag_natives, TAG_NATIVES))
		(*jni)->ExceptionClear(jni);
	set_present(jni, class, true);
	/* Closing may have come between. */
	if (!atomic_load(&is_open))
		set_present(jni, class, false);
}

static void turn_out(JNIEnv *jni, jclass class)
{
	set_present(jni, class, false);
}

/* Any code may call it, with any class. */
static void JNICALL bind(JNIEnv *jni, jclass inside, jclass class)
{
	struct jvm_class description;

	if (!class || !atomic_load(&is_open) || !jvm_describe_class(jni, class, &description))
		return;
	if (strcmp(description.name, "jprof.JProf") == 0)
		take_in(jni, class);
	else if (strcmp(description.name, CALIBRATION_NATIVES) == 0)
		calibration_natives_take(jni, class);
	free(description.name);
}

/*
 * package jprof;
 * public final class Inside {
 *         public static native void bind(Class<?> jprof);
 * }
 */
/* clang-format off */
static const char inside_class[] = BOOT_CLASS_HEAD "\0\7"
	/* 1 */ TEXT("\14", "jprof/Inside") CLASS("\1")
	/* 3 */ TEXT("\20", "java/lang/Object") CLASS("\3")
	/* 5 */ TEXT("\4", "bind") TEXT("\24", "(Ljava/lang/Class;)V")
	FINAL_CLASS("\x31", "\2", "\4") "\0\1" /* method */
	NATIVE("\x01\x09", "\5", "\6")
	NO_ATTRIBUTES;
/* clang-format on */

/* The class stays for good. */
static bool define_inside(JNIEnv *jni)
{
	static const JNINativeMethod native = {
		(char *)"bind", (char *)"(Ljava/lang/Class;)V", (void *)bind};
	static jclass inside;
	struct error error = {0};

	if (!inside)
		inside = boot_class_define(
			jni, "jprof/Inside", inside_class, sizeof(inside_class) - 1, &error);
	if (inside && !(*jni)->RegisterNatives(jni, inside, &native, 1))
		return true;
	(*jni)->ExceptionClear(jni);
	return false;
}

void jprof_class_open(JNIEnv *jni)
{
	/* In this order: a JProf that did not find jprof.Inside is loaded by now. */
	atomic_store(&is_open, true);
	if (!define_inside(jni))
		log_line(LOG_WARN,
			"this JVM refuses the class jprof.Inside: a jprof.JProf that is "
			"loaded later does nothing");
	jvm_each_class(jni, is_jprof, take_in);
}

void jprof_class_close(JNIEnv *jni)
{
	atomic_store(&is_open, false);
	jvm_each_class(jni, is_jprof, turn_out);
}

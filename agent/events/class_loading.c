/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* class_loading: see class_loading.h. */
#include "agent/events/class_loading.h"

#include <stdlib.h>
#include <string.h>

#include "agent/events/events.h"

/* Who is asked for a class: by the JVM, and within the JDK's loaders. Both classes are there,
 * and initialised, before an agent's VMInit. */
static const struct {
	const char *class, *name, *signature;
} loader[] = {
	{"java/lang/ClassLoader", "loadClass", "(Ljava/lang/String;)Ljava/lang/Class;"},
	{"java/lang/ClassLoader", "loadClass", "(Ljava/lang/String;Z)Ljava/lang/Class;"},
	{"jdk/internal/loader/BuiltinClassLoader", "loadClassOrNull",
		"(Ljava/lang/String;Z)Ljava/lang/Class;"},
	{"jdk/internal/loader/BuiltinClassLoader", "loadClass",
		"(Ljava/lang/String;Z)Ljava/lang/Class;"},
};
enum { LOADERS = sizeof(loader) / sizeof(*loader) };

static const char *const endings[] = {".jar", ".zip", ".war", ".ear", ".jmod", ".class"};

static jmethodID method[LOADERS];
static bool told_apart;

void class_loading_init(JNIEnv *jni, bool apart)
{
	told_apart = apart;
	for (int i = 0; i < LOADERS; i++) {
		jclass class = (*jni)->FindClass(jni, loader[i].class);

		if (class)
			method[i] = (*jni)->GetMethodID(
				jni, class, loader[i].name, loader[i].signature);
		if ((*jni)->ExceptionCheck(jni))
			(*jni)->ExceptionClear(jni);
		(*jni)->DeleteLocalRef(jni, class);
	}
}

bool class_loading_may_read(const char *name, size_t length)
{
	for (size_t i = 0; told_apart && i < sizeof(endings) / sizeof(*endings); i++) {
		size_t ending = strlen(endings[i]);

		if (length > ending && memcmp(name + length - ending, endings[i], ending) == 0)
			return true;
	}
	return false;
}

static bool is_loader(jmethodID candidate)
{
	for (int i = 0; i < LOADERS; i++)
		if (method[i] && method[i] == candidate)
			return true;
	return false;
}

bool class_loading_now(void)
{
	jvmtiFrameInfo *frame;
	int count = jvm_stack(&events.jvm, &frame);
	bool found = false;

	for (int i = 0; i < count && !found; i++)
		found = is_loader(frame[i].method);
	if (count >= 0)
		free(frame);
	return found;
}

/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* class_loading: see class_loading.h. */
#include "agent/events/class_loading.h"

#include <stdatomic.h>
#include <stdlib.h>

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

static jmethodID method[LOADERS];
static _Atomic bool told_apart;

void class_loading_tell_apart(bool apart)
{
	atomic_store(&told_apart, apart);
}

void class_loading_init(JNIEnv *jni)
{
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

bool class_loading_may_read(struct io_ref file)
{
	return (file.ending & ENDS_AS_CLASSES) &&
	       atomic_load_explicit(&told_apart, memory_order_relaxed);
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

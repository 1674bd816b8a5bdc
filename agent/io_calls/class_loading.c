/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* class_loading: see class_loading.h. */
#include "agent/io_calls/class_loading.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "agent/io_calls/known_stacks.h"
#include "agent/jvm/jvm.h"

/* What is asked for a class: by the JVM, and within the JDK's loaders. Both classes are there,
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
		(*jni)->ExceptionClear(jni);
		(*jni)->DeleteLocalRef(jni, class);
	}
}

bool class_loading_may_read(struct io_ref file)
{
	return (file.ending & ENDS_AS_CLASSES) &&
	       atomic_load_explicit(&told_apart, memory_order_relaxed);
}

static bool is_loaders_stack(void)
{
	jvmtiFrameInfo *frame;
	int count = jvm_stack(&frame);
	bool found = false;

	for (int i = 0; i < count && !found; i++)
		for (int k = 0; k < LOADERS; k++)
			found |= method[k] && method[k] == frame[i].method;
	free(frame);
	return found;
}

bool class_loading_now(uint64_t stack)
{
	enum { ABOUT_LOADING = 1 };
	uint64_t key = known_stack_key(stack, ABOUT_LOADING);
	uint32_t answer;

	if (!known_stack_find(key, &answer)) {
		answer = is_loaders_stack();
		known_stack_put(key, answer);
	}
	return answer;
}

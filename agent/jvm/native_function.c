/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* native_function: see native_function.h. */
#include "agent/jvm/native_function.h"

#include <dlfcn.h>
#include <sys/uio.h>
#include <unistd.h>

#include "agent/jvm/boot_class.h"

/* A Method was 88 bytes from JDK 17 to 25. */
enum { DISTANCE_LIMIT = 256 };

static size_t distance; /* bytes; 0: not known */

static bool peek(const void *at, void **word)
{
	struct iovec to = {word, sizeof(*word)};
	struct iovec from = {(void *)(uintptr_t)at, sizeof(*word)};

	return process_vm_readv(getpid(), &to, 1, &from, 1, 0) == (ssize_t)sizeof(*word);
}

bool native_function_learn(JNIEnv *jni)
{
	const void *known, *example = boot_class_example(jni, &known);
	unsigned found = 0;
	void *structure, *word;

	distance = 0;
	if (!example || !peek(example, &structure))
		return false;
	for (size_t at = sizeof(word); at < DISTANCE_LIMIT; at += sizeof(word)) {
		if (!peek((char *)structure + at, &word) || word != known)
			continue;
		distance = at;
		found++;
	}
	/* Twice would be no proof. */
	if (found != 1)
		distance = 0;
	return distance != 0;
}

/* Where the library that holds the address begins, or NULL. */
static const void *library_of(const void *address)
{
	Dl_info info;

	return dladdr(address, &info) ? info.dli_fbase : NULL;
}

enum native_binding native_function_find(jmethodID method, void **function)
{
	void *structure, *again, *found;
	const void *library;

	/* Another agent may redefine the class right now, and the structure be another. */
	if (distance == 0 || !peek(method, &structure) ||
		!peek((char *)structure + distance, &found) || !peek(method, &again) ||
		structure != again)
		return NATIVE_UNKNOWN;
	library = library_of(found);
	if (!library)
		return NATIVE_UNKNOWN;
	if (library == library_of(jvm_code()))
		return NATIVE_JVM;
	*function = found;
	return NATIVE_BOUND;
}

void *native_function_now(jmethodID method)
{
	void *structure, *found;

	if (distance == 0 || !peek(method, &structure) ||
		!peek((char *)structure + distance, &found))
		return NULL;
	return found;
}

bool native_function_bind(
	JNIEnv *jni, jclass class, const struct jvm_method *method, void *function)
{
	JNINativeMethod native = {method->name, method->signature, function};
	struct error error;

	return boot_class_register(jni, class, &native, 1, &error) == 0;
}

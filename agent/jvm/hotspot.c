/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* hotspot: see hotspot.h. */
#include "agent/jvm/hotspot.h"

#include <dlfcn.h>
#include <string.h>

/* Fields of the JVM's own classes whose offsets are needed. */
enum hotspot_field { ALLOCATED_BYTES, TLAB, TLAB_START, TLAB_TOP, FIELDS };

static const struct {
	const char *type, *field;
} field_name[FIELDS] = {[ALLOCATED_BYTES] = {"Thread", "_allocated_bytes"},
	[TLAB] = {"Thread", "_tlab"},
	[TLAB_START] = {"ThreadLocalAllocBuffer", "_start"},
	[TLAB_TOP] = {"ThreadLocalAllocBuffer", "_top"}};

/* GetOneThreadAllocatedMemory(JNIEnv *, jlong java_thread_id); id 0: the calling thread. */
typedef jlong(JNICALL *thread_allocated_function)(JNIEnv *jni, jlong java_thread_id);

/* Where it stands in the management interface (struct jmmInterface_1_ of jmm.h, pointers to
 * functions), by the interface's version; a JVM knows one version only. */
static const struct {
	int version;
	unsigned index;
} management_version[] = {
	{0x20030000, 9}, /* JMM_VERSION_3, JDK 14 to 20 */
	{0x20040000, 10} /* JMM_VERSION_4, since JDK 21 */
};

/* Written by hotspot_probe and hotspot_learn, before other threads are looked at. */
static enum hotspot_alloc way;
static uint64_t offset[FIELDS];
static ptrdiff_t env_to_thread;              /* JavaThread = JNIEnv + this */
static void *(*get_management)(int version); /* JVM_GetManagement */
static thread_allocated_function thread_allocated;

struct interpreter interpreter;

void interpreter_learn(const char *name, const void *address, size_t size)
{
	if (strcmp(name, "Interpreter") == 0)
		interpreter = (struct interpreter){(uintptr_t)address, size};
}

const char *hotspot_library_path(void)
{
	Dl_info info;

	/* An entry of the invocation interface's table lies in libjvm. */
	return dladdr(jvm_code(), &info) ? info.dli_fname : NULL;
}

/* libjvm, wherever it was loaded from and with whatever visibility. */
static void *hotspot_library(void)
{
	const char *path = hotspot_library_path();

	return path ? dlopen(path, RTLD_LAZY | RTLD_NOLOAD) : NULL;
}

void *hotspot_function(const char *name)
{
	void *library = hotspot_library();
	void *function = library ? dlsym(library, name) : NULL;

	if (library)
		dlclose(library);
	return function;
}

static uint64_t hotspot_constant(void *library, const char *name)
{
	const uint64_t *value = dlsym(library, name);

	return value ? *value : 0;
}

/* Looks every wanted field up in the table. True if all are there. */
static bool hotspot_find_fields(void *library)
{
	char *const *table = dlsym(library, "gHotSpotVMStructs");
	uint64_t type_at = hotspot_constant(library, "gHotSpotVMStructEntryTypeNameOffset");
	uint64_t field_at = hotspot_constant(library, "gHotSpotVMStructEntryFieldNameOffset");
	uint64_t offset_at = hotspot_constant(library, "gHotSpotVMStructEntryOffsetOffset");
	uint64_t stride = hotspot_constant(library, "gHotSpotVMStructEntryArrayStride");
	unsigned found = 0;

	if (!table || !stride)
		return false;
	for (char *entry = *table; *(char **)(entry + type_at); entry += stride) {
		const char *type = *(char **)(entry + type_at);
		const char *field = *(char **)(entry + field_at);

		for (unsigned i = 0; i < FIELDS; i++) {
			if (strcmp(type, field_name[i].type) != 0 || !field ||
				strcmp(field, field_name[i].field) != 0)
				continue;
			offset[i] = *(uint64_t *)(entry + offset_at);
			found |= 1u << i;
		}
	}
	return found == (1u << FIELDS) - 1;
}

void *hotspot_static(const char *type, const char *field)
{
	void *library = hotspot_library(), *found = NULL;
	char *const *table = library ? dlsym(library, "gHotSpotVMStructs") : NULL;
	uint64_t type_at = hotspot_constant(library, "gHotSpotVMStructEntryTypeNameOffset");
	uint64_t field_at = hotspot_constant(library, "gHotSpotVMStructEntryFieldNameOffset");
	uint64_t address_at = hotspot_constant(library, "gHotSpotVMStructEntryAddressOffset");
	uint64_t stride = hotspot_constant(library, "gHotSpotVMStructEntryArrayStride");

	for (char *entry = table && stride ? *table : NULL;
		entry && !found && *(char **)(entry + type_at); entry += stride)
		if (strcmp(*(char **)(entry + type_at), type) == 0 &&
			strcmp(*(char **)(entry + field_at), field) == 0)
			found = *(void **)(entry + address_at);
	if (library)
		dlclose(library);
	return found;
}

enum hotspot_alloc hotspot_probe(void)
{
	void *library = hotspot_library();

	if (!library)
		return way = HOTSPOT_ALLOC_NONE;
	*(void **)&get_management = dlsym(library, "JVM_GetManagement");
	way = get_management ? HOTSPOT_ALLOC_MANAGEMENT : HOTSPOT_ALLOC_NONE;
	if (hotspot_find_fields(library))
		way = HOTSPOT_ALLOC_FIELDS;
	dlclose(library);
	return way;
}

static uint64_t management_read(void *argument)
{
	return (uint64_t)thread_allocated(argument, 0);
}

struct alloc_source hotspot_alloc_source(JNIEnv *jni)
{
	struct alloc_source source = {0};
	const char *thread = (const char *)jni + env_to_thread;
	const char *tlab = thread + offset[TLAB];

	switch (way) {
	case HOTSPOT_ALLOC_FIELDS:
		source.allocated =
			(const volatile uint64_t *)(thread + offset[ALLOCATED_BYTES]);
		source.tlab_start = (const volatile uint64_t *)(tlab + offset[TLAB_START]);
		source.tlab_top = (const volatile uint64_t *)(tlab + offset[TLAB_TOP]);
		break;
	case HOTSPOT_ALLOC_MANAGEMENT:
		source.read = management_read;
		source.argument = jni;
		break;
	case HOTSPOT_ALLOC_NONE:
		break;
	}
	return source;
}

/* JavaThread, by Thread.eetop. */
uintptr_t hotspot_thread_of(JNIEnv *jni, jthread thread)
{
	jclass class = (*jni)->FindClass(jni, "java/lang/Thread");
	jfieldID eetop = NULL;
	jlong address = 0;

	if (class)
		eetop = (*jni)->GetFieldID(jni, class, "eetop", "J");
	if ((*jni)->ExceptionCheck(jni))
		(*jni)->ExceptionClear(jni);
	else if (thread && eetop)
		address = (*jni)->GetLongField(jni, thread, eetop);
	(*jni)->DeleteLocalRef(jni, class);
	return (uintptr_t)address;
}

uintptr_t hotspot_current_thread(JNIEnv *jni)
{
	jthread thread = jvm_current_thread();
	uintptr_t address = hotspot_thread_of(jni, thread);

	(*jni)->DeleteLocalRef(jni, thread);
	return address;
}

/* jdk.internal.misc.Unsafe and the one object of it. NULL: this JDK has none. */
static jobject hotspot_unsafe(JNIEnv *jni, jclass *class)
{
	jmethodID method = NULL;
	jobject unsafe = NULL;

	*class = (*jni)->FindClass(jni, "jdk/internal/misc/Unsafe");
	if (*class)
		method = (*jni)->GetStaticMethodID(
			jni, *class, "getUnsafe", "()Ljdk/internal/misc/Unsafe;");
	if (method)
		unsafe = (*jni)->CallStaticObjectMethod(jni, *class, method);
	if ((*jni)->ExceptionCheck(jni))
		(*jni)->ExceptionClear(jni);
	return unsafe;
}

static jlong call_offset(
	JNIEnv *jni, jobject unsafe, jclass class, jclass of, const char *field)
{
	jmethodID method = (*jni)->GetMethodID(
		jni, class, "objectFieldOffset", "(Ljava/lang/Class;Ljava/lang/String;)J");
	jstring name = method ? (*jni)->NewStringUTF(jni, field) : NULL;
	jlong place = 0;

	if (name)
		place = (*jni)->CallLongMethod(jni, unsafe, method, of, name);
	if ((*jni)->ExceptionCheck(jni)) {
		(*jni)->ExceptionClear(jni);
		place = 0;
	}
	(*jni)->DeleteLocalRef(jni, name);
	return place;
}

uint32_t hotspot_field_offset(JNIEnv *jni, const char *class_name, const char *field)
{
	jclass class, of = (*jni)->FindClass(jni, class_name);
	jlong place = 0;
	jobject unsafe;

	if ((*jni)->ExceptionCheck(jni))
		(*jni)->ExceptionClear(jni);
	if (!of)
		return 0;
	unsafe = hotspot_unsafe(jni, &class);
	if (unsafe)
		place = call_offset(jni, unsafe, class, of, field);
	(*jni)->DeleteLocalRef(jni, unsafe);
	(*jni)->DeleteLocalRef(jni, class);
	(*jni)->DeleteLocalRef(jni, of);
	return (uint32_t)place;
}

bool hotspot_references_are_narrow(JNIEnv *jni)
{
	jclass class;
	jobject unsafe = hotspot_unsafe(jni, &class);
	jmethodID method = NULL;
	jclass array = (*jni)->FindClass(jni, "[Ljava/lang/Object;");
	jint scale = 0;

	if (unsafe)
		method = (*jni)->GetMethodID(
			jni, class, "arrayIndexScale", "(Ljava/lang/Class;)I");
	if (method)
		scale = (*jni)->CallIntMethod(jni, unsafe, method, array);
	if ((*jni)->ExceptionCheck(jni))
		(*jni)->ExceptionClear(jni);
	(*jni)->DeleteLocalRef(jni, array);
	(*jni)->DeleteLocalRef(jni, unsafe);
	(*jni)->DeleteLocalRef(jni, class);
	return scale == 4;
}

/* True if the counters grow by an array of known size, and not by much more. */
static bool hotspot_proof(JNIEnv *jni)
{
	enum { SIZE = 100000, SLACK = 4096 };
	struct alloc_counter counter;
	uint64_t before, grown;
	jbyteArray array;

	alloc_open(&counter, hotspot_alloc_source(jni));
	before = alloc_read(&counter);
	array = (*jni)->NewByteArray(jni, SIZE);
	grown = alloc_read(&counter) - before;
	if (!array)
		(*jni)->ExceptionClear(jni);
	(*jni)->DeleteLocalRef(jni, array);
	return grown >= SIZE && grown < SIZE + SLACK;
}

/* Not in the on-load phase: the interface is not yet made there. */
static thread_allocated_function hotspot_management(void)
{
	enum { VERSIONS = sizeof(management_version) / sizeof(*management_version) };

	for (unsigned i = 0; get_management && i < VERSIONS; i++) {
		const thread_allocated_function *interface =
			get_management(management_version[i].version);

		if (interface)
			return interface[management_version[i].index];
	}
	return NULL;
}

enum hotspot_alloc hotspot_learn(JNIEnv *jni)
{
	/* A JavaThread is some kilobytes; the JNIEnv is a part of it. */
	static const ptrdiff_t part_limit = 64 * 1024;
	const char *thread = (const char *)hotspot_current_thread(jni);

	env_to_thread = thread - (const char *)jni;
	thread_allocated = hotspot_management();
	if (way == HOTSPOT_ALLOC_FIELDS &&
		(!thread || env_to_thread > 0 || env_to_thread < -part_limit ||
			!hotspot_proof(jni)))
		way = HOTSPOT_ALLOC_MANAGEMENT;
	if (way == HOTSPOT_ALLOC_MANAGEMENT && (!thread_allocated || !hotspot_proof(jni)))
		way = HOTSPOT_ALLOC_NONE;
	return way;
}

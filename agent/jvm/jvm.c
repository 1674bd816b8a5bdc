/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* jvm: see jvm.h. Section names are those of the JVM Tool Interface specification. */
#include "agent/jvm/jvm.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error/utf8.h"

/* Method modifiers, JVM specification table 4.6-A. */
enum { ACCESS_STATIC = 0x0008, ACCESS_NATIVE = 0x0100 };

/* Found by jvm_open, constant afterwards. */
static JavaVM *java_vm;
static jvmtiEnv *jvmti;

/* Found once by jvm_learn, constant afterwards. */
static jobject platform_loader; /* global reference */
static jfieldID thread_id_field;
static jfieldID continuation_field; /* Thread.cont; NULL: there is none (before JDK 19) */
static jclass virtual_class;        /* global reference; NULL: there are none (before JDK 19) */

static int jvm_check(jvmtiError code, const char *what, struct error *error)
{
	char *name = NULL;

	if (code == JVMTI_ERROR_NONE)
		return 0;
	(*jvmti)->GetErrorName(jvmti, code, &name);
	error_set(error, ERROR_JVM, "the JVM refused %s: %s", what, name ? name : "?");
	(*jvmti)->Deallocate(jvmti, (unsigned char *)name);
	return -ERROR_JVM;
}

static void jvm_give(void *memory)
{
	(*jvmti)->Deallocate(jvmti, memory);
}

static int release_of(jvmtiEnv *tools)
{
	jint version = 0;

	(*tools)->GetVersionNumber(tools, &version);
	return (version & JVMTI_VERSION_MASK_MAJOR) >> JVMTI_VERSION_SHIFT_MAJOR;
}

int jvm_release(JavaVM *vm)
{
	jvmtiEnv *probe;
	int release;

	if ((*vm)->GetEnv(vm, (void **)&probe, JVMTI_VERSION_1_2) != JNI_OK)
		return 0;
	release = release_of(probe);
	(*probe)->DisposeEnvironment(probe);
	return release;
}

int jvm_open(JavaVM *vm, struct error *error)
{
	jint code = java_vm ? JNI_OK : (*vm)->GetEnv(vm, (void **)&jvmti, JVMTI_VERSION_1_2);

	if (code != JNI_OK)
		return error_set(error, ERROR_JVM,
			"this JVM has no tool interface (JVMTI 1.2): GetEnv gives %d", code);
	java_vm = vm;
	return 0;
}

bool jvm_is_open(void)
{
	return java_vm != NULL;
}

void *jvm_code(void)
{
	return *(void **)&(*java_vm)->GetEnv;
}

JNIEnv *jvm_env(void)
{
	JNIEnv *jni = NULL;

	if (!java_vm || (*java_vm)->GetEnv(java_vm, (void **)&jni, JNI_VERSION_1_8))
		return NULL;
	return jni;
}

JNIEnv *jvm_enter(bool *attached)
{
	JavaVMAttachArgs name = {.version = JNI_VERSION_1_8, .name = (char *)"jprof"};
	JNIEnv *jni = jvm_env();

	*attached = false;
	if (jni)
		return jni;
	if ((*java_vm)->AttachCurrentThreadAsDaemon(java_vm, (void **)&jni, &name))
		return NULL;
	*attached = true;
	return jni;
}

void jvm_leave(bool attached)
{
	if (attached)
		(*java_vm)->DetachCurrentThread(java_vm);
}

int jvm_add_capabilities(unsigned capabilities, struct error *error)
{
	jvmtiCapabilities wanted = {0};

	if (capabilities & JVM_METHOD_EVENTS) {
		wanted.can_generate_method_entry_events = 1;
		wanted.can_generate_method_exit_events = 1;
	}
	if (capabilities & JVM_VM_OBJECT_EVENTS)
		wanted.can_generate_vm_object_alloc_events = 1;
	if (capabilities & JVM_CLASS_REWRITING) {
		wanted.can_retransform_classes = 1;
		wanted.can_redefine_classes = 1;
		wanted.can_generate_all_class_hook_events = 1;
	}
	if (capabilities & JVM_NATIVE_BINDING)
		wanted.can_generate_native_method_bind_events = 1;
	if (capabilities & JVM_ALLOCATIONS)
		wanted.can_generate_sampled_object_alloc_events = 1;
	if (capabilities & JVM_COLLECTIONS)
		wanted.can_generate_garbage_collection_events = 1;
	if (capabilities & JVM_EXCEPTIONS)
		wanted.can_generate_exception_events = 1;
	if (capabilities & JVM_BYTECODES)
		wanted.can_get_bytecodes = 1;
	if (capabilities & JVM_MONITORS) {
		wanted.can_generate_monitor_events = 1;
		wanted.can_get_monitor_info = 1;
	}
	if (capabilities & JVM_CONTENDED_MONITOR)
		wanted.can_get_current_contended_monitor = 1;
	if (capabilities & JVM_COMPILED_METHODS) {
		wanted.can_generate_compiled_method_load_events = 1;
		wanted.can_get_line_numbers = 1;
		wanted.can_get_source_file_name = 1;
	}
	return jvm_check((*jvmti)->AddCapabilities(jvmti, &wanted),
		"the events that were asked for", error);
}

void jvm_give_capabilities_back(void)
{
	jvmtiCapabilities held;

	if (!(*jvmti)->GetCapabilities(jvmti, &held))
		(*jvmti)->RelinquishCapabilities(jvmti, &held);
}

int jvm_set_callbacks(const jvmtiEventCallbacks *callbacks, jvm_virtual_thread_end virtual_end,
	struct error *error)
{
	/* A pointer for each number, from the lowest on: a JVM takes as many as it knows. */
	enum { SLOTS = JVM_VIRTUAL_THREAD_END - JVMTI_MIN_EVENT_TYPE_VAL + 1 };
	union {
		jvmtiEventCallbacks known;
		jvm_virtual_thread_end slot[SLOTS];
	} all = {.slot = {0}};

	memcpy(&all.known, callbacks, sizeof(*callbacks));
	all.slot[SLOTS - 1] = virtual_end;
	return jvm_check((*jvmti)->SetEventCallbacks(jvmti, &all.known, (jint)sizeof(all.slot)),
		"event callbacks", error);
}

int jvm_enable(jvmtiEvent event, bool on, struct error *error)
{
	return jvm_check((*jvmti)->SetEventNotificationMode(
				 jvmti, on ? JVMTI_ENABLE : JVMTI_DISABLE, event, NULL),
		"an event", error);
}

bool jvm_enable_extension(const char *id, jvmtiExtensionEvent callback)
{
	jvmtiExtensionEventInfo *list = NULL;
	jint count = 0;
	bool enabled = false;

	if ((*jvmti)->GetExtensionEvents(jvmti, &count, &list))
		return false;
	for (jint i = 0; i < count; i++) {
		jint event = list[i].extension_event_index;

		/* HotSpot wants both: the callback, and the event switched on. */
		if (strcmp(list[i].id, id) == 0)
			enabled =
				!(*jvmti)->SetExtensionEventCallback(jvmti, event, callback) &&
				!(*jvmti)->SetEventNotificationMode(jvmti,
					callback ? JVMTI_ENABLE : JVMTI_DISABLE,
					(jvmtiEvent)event, NULL);
		for (jint p = 0; p < list[i].param_count; p++)
			jvm_give(list[i].params[p].name);
		jvm_give(list[i].params);
		jvm_give(list[i].id);
		jvm_give(list[i].short_description);
	}
	jvm_give(list);
	return enabled;
}

/* ---- virtual threads ---- */

/* An extension function of HotSpot (jvmtiExtensions.cpp). */
typedef jvmtiError(JNICALL *jvm_thread_function)(
	const jvmtiEnv *jvmti, jthread thread, jthread *result);

static jvm_thread_function get_carrier; /* NULL: this JVM has none */

static void jvm_find_carrier_function(void)
{
	jvmtiExtensionFunctionInfo *list = NULL;
	jint count = 0;

	if ((*jvmti)->GetExtensionFunctions(jvmti, &count, &list))
		return;
	for (jint i = 0; i < count; i++) {
		if (strcmp(list[i].id, "com.sun.hotspot.functions.GetCarrierThread") == 0)
			get_carrier = (jvm_thread_function)list[i].func;
		for (jint p = 0; p < list[i].param_count; p++)
			jvm_give(list[i].params[p].name);
		jvm_give(list[i].params);
		jvm_give(list[i].errors);
		jvm_give(list[i].id);
		jvm_give(list[i].short_description);
	}
	jvm_give(list);
}

bool jvm_support_virtual_threads(void)
{
	/* can_support_virtual_threads, the 45th: headers before JDK 21's have no name for it
	 * (JVMTI specification, "Capability"). */
	enum { BYTE = 44 / 8, BIT = 1 << 44 % 8 };
	jvmtiCapabilities potential = {0}, held = {0}, wanted = {0};

	if ((*jvmti)->GetCapabilities(jvmti, &held) ||
		(*jvmti)->GetPotentialCapabilities(jvmti, &potential))
		return false;
	if (!(((unsigned char *)&held)[BYTE] & BIT)) {
		if (!(((unsigned char *)&potential)[BYTE] & BIT))
			return false;
		((unsigned char *)&wanted)[BYTE] = BIT;
		if ((*jvmti)->AddCapabilities(jvmti, &wanted))
			return false;
	}
	jvm_find_carrier_function();
	return true;
}

jthread jvm_carrier_of(jthread virtual_thread)
{
	jthread carrier = NULL;

	if (!get_carrier || get_carrier(jvmti, virtual_thread, &carrier))
		return NULL;
	return carrier;
}

/* HotSpot's function GetVirtualThread waits until no thread is being mounted or unmounted, also
 * if that is the calling one: for good. */
bool jvm_carries(JNIEnv *jni, jthread carrier)
{
	jobject continuation = NULL;

	if (continuation_field)
		continuation = (*jni)->GetObjectField(jni, carrier, continuation_field);
	(*jni)->DeleteLocalRef(jni, continuation);
	return continuation != NULL;
}

_Static_assert(sizeof(void *) == sizeof(uint64_t), "a word is as wide as a pointer");

uint64_t jvm_thread_word(void)
{
	void *word = NULL;

	if ((*jvmti)->GetThreadLocalStorage(jvmti, NULL, &word))
		return 0;
	return (uint64_t)(uintptr_t)word;
}

void jvm_set_thread_word(uint64_t word)
{
	(*jvmti)->SetThreadLocalStorage(jvmti, NULL, (const void *)(uintptr_t)word);
}

/* ---- what is looked up once ---- */

/* A look-up that failed leaves a pending exception, which must not reach the application. */
static bool jvm_clear_exception(JNIEnv *jni)
{
	if (!(*jni)->ExceptionCheck(jni))
		return false;
	(*jni)->ExceptionClear(jni);
	return true;
}

int jvm_learn(JNIEnv *jni, struct error *error)
{
	jclass thread = (*jni)->FindClass(jni, "java/lang/Thread");
	jclass loader = (*jni)->FindClass(jni, "java/lang/ClassLoader");
	jmethodID get_platform;
	jobject platform = NULL;

	if (platform_loader)
		return 0; /* learnt before */
	if (jvm_clear_exception(jni) || !thread || !loader)
		return error_set(error, ERROR_JVM, "java.lang.Thread or ClassLoader not found");
	thread_id_field = (*jni)->GetFieldID(jni, thread, "tid", "J");
	if (jvm_clear_exception(jni))
		thread_id_field = NULL;
	continuation_field =
		(*jni)->GetFieldID(jni, thread, "cont", "Ljdk/internal/vm/Continuation;");
	if (jvm_clear_exception(jni))
		continuation_field = NULL;
	get_platform = (*jni)->GetStaticMethodID(
		jni, loader, "getPlatformClassLoader", "()Ljava/lang/ClassLoader;");
	if (!jvm_clear_exception(jni) && get_platform)
		platform = (*jni)->CallStaticObjectMethod(jni, loader, get_platform);
	if (!jvm_clear_exception(jni) && platform)
		platform_loader = (*jni)->NewGlobalRef(jni, platform);
	(*jni)->DeleteLocalRef(jni, platform);
	platform = (*jni)->FindClass(jni, "java/lang/BaseVirtualThread");
	if (!jvm_clear_exception(jni) && platform)
		virtual_class = (*jni)->NewGlobalRef(jni, platform);
	(*jni)->DeleteLocalRef(jni, platform);
	(*jni)->DeleteLocalRef(jni, thread);
	(*jni)->DeleteLocalRef(jni, loader);
	return 0;
}

/* The code unit of a three-byte sequence at c, if it is a surrogate; else 0. */
static unsigned jvm_surrogate(const unsigned char *c)
{
	if (c[0] != 0xed || (c[1] & 0xe0) != 0xa0 || (c[2] & 0xc0) != 0x80)
		return 0;
	return 0xd000u | (c[1] & 0x3fu) << 6 | (c[2] & 0x3fu);
}

void jvm_to_utf8(char *text)
{
	const unsigned char *in = (const unsigned char *)text;
	unsigned char *out = (unsigned char *)text;

	while (*in) {
		unsigned high = jvm_surrogate(in);
		unsigned low = high ? jvm_surrogate(in + 3) : 0;
		unsigned character;

		if (high < 0xd800 || high > 0xdbff || low < 0xdc00) {
			*out++ = *in++;
			continue;
		}
		character = 0x10000 + ((high & 0x3ff) << 10) + (low & 0x3ff);
		*out++ = (unsigned char)(0xf0 | character >> 18);
		*out++ = (unsigned char)(0x80 | (character >> 12 & 0x3f));
		*out++ = (unsigned char)(0x80 | (character >> 6 & 0x3f));
		*out++ = (unsigned char)(0x80 | (character & 0x3f));
		in += 6;
	}
	*out = '\0';
}

jthread jvm_current_thread(void)
{
	jthread thread = NULL;

	(*jvmti)->GetCurrentThread(jvmti, &thread);
	return thread;
}

int64_t jvm_thread_id(JNIEnv *jni, jthread thread)
{
	return thread_id_field ? (*jni)->GetLongField(jni, thread, thread_id_field) : 0;
}

bool jvm_describe_thread(JNIEnv *jni, jthread thread, struct jvm_thread *out)
{
	jvmtiThreadInfo info = {0};
	jthread current = NULL;
	size_t length;

	memset(out, 0, sizeof(*out));
	if (!thread) {
		current = jvm_current_thread();
		if (!current)
			return false;
		thread = current;
	}
	if ((*jvmti)->GetThreadInfo(jvmti, thread, &info)) {
		(*jni)->DeleteLocalRef(jni, current);
		return false;
	}
	if (info.name) {
		jvm_to_utf8(info.name);
		length = strlen(info.name);
		/* Cut before the first character that does not fit whole. */
		if (length >= sizeof(out->name))
			length = utf8_floor(info.name, sizeof(out->name) - 1);
		memcpy(out->name, info.name, length);
	}
	out->is_virtual = virtual_class && (*jni)->IsInstanceOf(jni, thread, virtual_class);
	out->java_id = jvm_thread_id(jni, thread);
	jvm_give(info.name);
	(*jni)->DeleteLocalRef(jni, info.thread_group);
	(*jni)->DeleteLocalRef(jni, info.context_class_loader);
	(*jni)->DeleteLocalRef(jni, current);
	return true;
}

int jvm_live_threads(jthread **threads)
{
	jthread *all = NULL;
	jint count = 0;

	*threads = NULL;
	if ((*jvmti)->GetAllThreads(jvmti, &count, &all))
		return -1;
	*threads = malloc(((size_t)count + 1) * sizeof(**threads));
	if (*threads)
		memcpy(*threads, all, (size_t)count * sizeof(**threads));
	jvm_give(all);
	return *threads ? count : -1;
}

int jvm_stack(jvmtiFrameInfo **frames)
{
	jint depth = 0, stored = 0;

	*frames = NULL;
	if ((*jvmti)->GetFrameCount(jvmti, NULL, &depth) || depth <= 0)
		return 0;
	*frames = malloc((size_t)depth * sizeof(**frames));
	if (!*frames)
		return -1;
	if ((*jvmti)->GetStackTrace(jvmti, NULL, 0, depth, *frames, &stored))
		return 0;
	return stored;
}

bool jvm_stacks_outlast_changes(void)
{
	return release_of(jvmti) >= 23;
}

/* "Lcom/acme/Foo$Bar;" to "com.acme.Foo$Bar". Hidden classes are numbered, and carry an address
 * behind a '.' ("Lcom/acme/Foo$$Lambda$14.0x0123;"): that says nothing, differs from run to
 * run, and would make a new method of each, so both are left out. */
static char *jvm_java_name(const char *signature)
{
	static const char lambda[] = "$$Lambda";
	size_t length = strcspn(signature, ".;");
	const char *numbered = strstr(signature, lambda);
	char *name;

	if (signature[0] != 'L')
		return strdup(signature);
	if (signature[length] == '.' && numbered)
		length = (size_t)(numbered - signature) + sizeof(lambda) - 1;
	name = strndup(signature + 1, length - 1);
	for (char *c = name; c && *c; c++) {
		if (*c == '/')
			*c = '.';
	}
	return name;
}

bool jvm_is_jdk(JNIEnv *jni, jobject loader, const char *internal)
{
	/* Made by reflection while it runs (until JDK 21 it gives each accessor class a loader
	 * of its own). */
	static const char made[] = "jdk/internal/reflect/";

	return !loader || strncmp(internal, made, sizeof(made) - 1) == 0 ||
	       (platform_loader && (*jni)->IsSameObject(jni, loader, platform_loader));
}

/* signature: "Lcom/acme/Foo;" */
static bool jvm_is_jdk_class(JNIEnv *jni, jclass class, const char *signature)
{
	jobject loader = NULL;
	bool jdk;

	if ((*jvmti)->GetClassLoader(jvmti, class, &loader))
		return false;
	jdk = jvm_is_jdk(jni, loader, signature + 1);
	(*jni)->DeleteLocalRef(jni, loader);
	return jdk;
}

char *jvm_method_name(const char *text)
{
	char *copy = strdup(text);

	if (copy)
		jvm_to_utf8(copy);
	return copy;
}

static char *jvm_take_string(char *text)
{
	char *copy = text ? jvm_method_name(text) : NULL;

	jvm_give(text);
	return copy;
}

bool jvm_describe_method(JNIEnv *jni, jmethodID method, struct jvm_method *out)
{
	char *class_signature = NULL, *name = NULL, *signature = NULL;
	jclass class = NULL;
	jint modifiers = 0;
	bool known;

	memset(out, 0, sizeof(*out));
	known = !(*jvmti)->GetMethodDeclaringClass(jvmti, method, &class) &&
		!(*jvmti)->GetClassSignature(jvmti, class, &class_signature, NULL) &&
		!(*jvmti)->GetMethodName(jvmti, method, &name, &signature, NULL) &&
		!(*jvmti)->GetMethodModifiers(jvmti, method, &modifiers);
	if (known) {
		jvm_to_utf8(class_signature);
		out->class_name = jvm_java_name(class_signature);
		out->is_native = modifiers & ACCESS_NATIVE;
		out->is_static = modifiers & ACCESS_STATIC;
		out->is_jdk = jvm_is_jdk_class(jni, class, class_signature);
	}
	out->name = jvm_take_string(name);
	out->signature = jvm_take_string(signature);
	jvm_give(class_signature);
	(*jni)->DeleteLocalRef(jni, class);
	if (known && out->class_name && out->name && out->signature)
		return true;
	jvm_method_fini(out);
	return false;
}

void jvm_method_fini(struct jvm_method *method)
{
	free(method->class_name);
	free(method->name);
	free(method->signature);
	memset(method, 0, sizeof(*method));
}

struct jvm_line *jvm_method_lines(jmethodID method, size_t *count)
{
	jvmtiLineNumberEntry *table = NULL;
	struct jvm_line *lines = NULL;
	jint rows = 0;

	*count = 0;
	if ((*jvmti)->GetLineNumberTable(jvmti, method, &rows, &table))
		return NULL;
	if (rows > 0)
		lines = malloc((size_t)rows * sizeof(*lines));
	for (jint i = 0; lines && i < rows; i++)
		lines[(*count)++] = (struct jvm_line){
			(uint16_t)table[i].start_location, (uint16_t)table[i].line_number};
	jvm_give(table);
	return lines;
}

uint64_t jvm_method_size(jmethodID method)
{
	jlocation first = 0, last = 0;

	/* Of a native method both are -1. */
	if ((*jvmti)->GetMethodLocation(jvmti, method, &first, &last) || last < 0)
		return 0;
	return (uint64_t)last + 1;
}

size_t jvm_method_bytes(jmethodID method, uint64_t from, unsigned char *bytes, size_t most)
{
	unsigned char *all = NULL;
	jint size = 0;
	size_t count = 0;

	if ((*jvmti)->GetBytecodes(jvmti, method, &size, &all))
		return 0;
	if (from < (uint64_t)size)
		count = (size_t)((uint64_t)size - from);
	if (count > most)
		count = most;
	memcpy(bytes, all + from, count);
	jvm_give(all);
	return count;
}

char *jvm_method_file(JNIEnv *jni, jmethodID method)
{
	jclass class = jvm_method_class(method);
	char *name = NULL;

	if (!class)
		return NULL;
	(*jvmti)->GetSourceFileName(jvmti, class, &name);
	(*jni)->DeleteLocalRef(jni, class);
	return jvm_take_string(name);
}

char *jvm_class_name(const char *internal)
{
	char *name = jvm_method_name(internal);

	for (char *c = name; c && *c; c++) {
		if (*c == '/')
			*c = '.';
	}
	return name;
}

/* JDK 17's -Xcheck:jni counts those as well, and warns on the application's output. */
void jvm_expect_references(JNIEnv *jni)
{
	if ((*jni)->EnsureLocalCapacity(jni, JVM_LOCAL_FRAME))
		(*jni)->ExceptionClear(jni);
}

int jvm_changeable_classes(jclass **classes)
{
	jclass *all = NULL;
	jint count = 0;
	int kept = 0;

	*classes = NULL;
	if ((*jvmti)->GetLoadedClasses(jvmti, &count, &all))
		return -1;
	*classes = malloc(((size_t)count + 1) * sizeof(**classes));
	for (jint i = 0; i < count && *classes; i++) {
		jboolean changeable = JNI_FALSE;

		(*jvmti)->IsModifiableClass(jvmti, all[i], &changeable);
		if (changeable)
			(*classes)[kept++] = all[i];
	}
	jvm_give(all);
	return *classes ? kept : -1;
}

char *jvm_unloaded_name(const char *internal, bool *hidden)
{
	size_t length = strcspn(internal, "+");
	char *signature = malloc(strlen(internal) + 3), *name;

	*hidden = internal[length] == '+';
	if (!signature)
		return NULL;
	/* As the signature of such a class: Lcom/acme/Foo.0x7f00; */
	sprintf(signature, "L%.*s%s%s;", (int)length, internal, *hidden ? "." : "",
		*hidden ? internal + length + 1 : "");
	jvm_to_utf8(signature);
	name = jvm_java_name(signature);
	free(signature);
	return name;
}

bool jvm_class_is_hidden(jclass class)
{
	char *signature = NULL;
	bool hidden;

	if ((*jvmti)->GetClassSignature(jvmti, class, &signature, NULL))
		return false;
	hidden = strchr(signature, '.') != NULL;
	jvm_give(signature);
	return hidden;
}

jobject jvm_loader(jclass class)
{
	jobject loader = NULL;

	if ((*jvmti)->GetClassLoader(jvmti, class, &loader))
		return NULL;
	return loader;
}

void jvm_each_class(JNIEnv *jni, bool (*wanted)(const char *signature),
	void (*each)(JNIEnv *jni, jclass class))
{
	jclass *all = NULL;
	jint count = 0;

	if ((*jni)->PushLocalFrame(jni, JVM_LOCAL_FRAME)) {
		(*jni)->ExceptionClear(jni);
		return;
	}
	if ((*jvmti)->GetLoadedClasses(jvmti, &count, &all))
		count = 0;
	for (jint i = 0; i < count; i++) {
		char *signature = NULL;

		if ((*jvmti)->GetClassSignature(jvmti, all[i], &signature, NULL))
			continue;
		if (wanted(signature))
			each(jni, all[i]);
		jvm_give(signature);
	}
	jvm_give(all);
	(*jni)->PopLocalFrame(jni, NULL);
}

bool jvm_describe_class(JNIEnv *jni, jclass class, struct jvm_class *out)
{
	char *signature = NULL;

	memset(out, 0, sizeof(*out));
	if ((*jvmti)->GetClassSignature(jvmti, class, &signature, NULL))
		return false;
	jvm_to_utf8(signature);
	out->name = jvm_java_name(signature);
	out->is_jdk = jvm_is_jdk_class(jni, class, signature);
	jvm_give(signature);
	return out->name;
}

int jvm_sample_allocations(uint64_t bytes, struct error *error)
{
	return jvm_check((*jvmti)->SetHeapSamplingInterval(jvmti, (jint)bytes),
		"samples of allocations", error);
}

/* ---- tags ---- */

static jvmtiEnv *tags[JVM_TAG_USES]; /* NULL: not open */
static void (*_Atomic tag_freed)(int64_t tag);

static void JNICALL on_object_free(jvmtiEnv *unused, jlong tag)
{
	void (*freed)(int64_t tag) = atomic_load(&tag_freed);

	freed(tag);
}

void jvm_tags_close(enum jvm_tag_use use)
{
	if (tags[use])
		(*tags[use])->DisposeEnvironment(tags[use]);
	tags[use] = NULL;
}

int jvm_tags_open(enum jvm_tag_use use, void (*freed)(int64_t tag), struct error *error)
{
	static const jvmtiEventCallbacks callbacks = {.ObjectFree = on_object_free};
	const jvmtiCapabilities wanted = {
		.can_tag_objects = 1, .can_generate_object_free_events = freed != NULL};
	jvmtiEnv *own;
	jvmtiError code;

	/* An earlier recording could not close it. */
	if (tags[use])
		return 0;
	if ((*java_vm)->GetEnv(java_vm, (void **)&own, JVMTI_VERSION_1_2) != JNI_OK)
		return error_set(error, ERROR_JVM, "this JVM gives no tags for objects");
	tags[use] = own;
	code = (*own)->AddCapabilities(own, &wanted);
	if (!code && freed) {
		atomic_store(&tag_freed, freed);
		code = (*own)->SetEventCallbacks(own, &callbacks, (jint)sizeof(callbacks));
		if (!code)
			code = (*own)->SetEventNotificationMode(
				own, JVMTI_ENABLE, JVMTI_EVENT_OBJECT_FREE, NULL);
	}
	if (!code)
		return 0;
	jvm_tags_close(use);
	return jvm_check(code, "tags of objects", error);
}

bool jvm_tag(enum jvm_tag_use use, jobject object, int64_t tag)
{
	return (*tags[use])->SetTag(tags[use], object, tag) == JVMTI_ERROR_NONE;
}

int64_t jvm_tag_of(enum jvm_tag_use use, jobject object)
{
	jlong tag = 0;

	return (*tags[use])->GetTag(tags[use], object, &tag) ? 0 : tag;
}

/* ---- members ---- */

/* The class itself, or what it extends or implements, has that signature. */
static bool is_below(JNIEnv *jni, jclass class, const char *signature, int depth)
{
	enum { DEPTH = 100 };
	jclass *interfaces = NULL, super;
	char *own = NULL;
	jint count = 0;
	bool is;

	if ((*jvmti)->GetClassSignature(jvmti, class, &own, NULL))
		return false;
	is = strcmp(own, signature) == 0;
	jvm_give(own);
	if (is || depth == DEPTH)
		return is;
	if (!(*jvmti)->GetImplementedInterfaces(jvmti, class, &count, &interfaces)) {
		for (jint i = 0; i < count; i++) {
			is = is || is_below(jni, interfaces[i], signature, depth + 1);
			(*jni)->DeleteLocalRef(jni, interfaces[i]);
		}
		jvm_give(interfaces);
	}
	super = is ? NULL : (*jni)->GetSuperclass(jni, class);
	if (super) {
		is = is_below(jni, super, signature, depth + 1);
		(*jni)->DeleteLocalRef(jni, super);
	}
	return is;
}

bool jvm_class_is_below(JNIEnv *jni, jclass class, const char *internal)
{
	char signature[JVM_CLASS_NAME + 3];

	return snprintf(signature, sizeof(signature), "L%s;", internal) <
		       (int)sizeof(signature) &&
	       is_below(jni, class, signature, 0);
}

/* "com/acme/Foo", to be given back; NULL: it is an array, or the like. */
static char *internal_name(jclass class)
{
	char *signature = NULL;

	if ((*jvmti)->GetClassSignature(jvmti, class, &signature, NULL))
		return NULL;
	if (signature[0] != 'L') {
		jvm_give(signature);
		return NULL;
	}
	memmove(signature, signature + 1, strlen(signature));
	signature[strlen(signature) - 1] = '\0';
	return signature;
}

void jvm_each_above(
	JNIEnv *jni, jclass class, void (*each)(const char *name, const char *above))
{
	jclass *interfaces = NULL, super = (*jni)->GetSuperclass(jni, class);
	char *own = internal_name(class), *above = super ? internal_name(super) : NULL;
	jint count = 0;

	if (own && above)
		each(own, above);
	jvm_give(above);
	(*jni)->DeleteLocalRef(jni, super);
	if (own && (*jvmti)->GetImplementedInterfaces(jvmti, class, &count, &interfaces))
		count = 0;
	for (jint i = 0; i < count; i++) {
		above = internal_name(interfaces[i]);
		if (above)
			each(own, above);
		jvm_give(above);
		(*jni)->DeleteLocalRef(jni, interfaces[i]);
	}
	jvm_give(interfaces);
	jvm_give(own);
}

/* Of the class's own fields. */
static bool own_field(jclass class, const char *name, struct jvm_member *member)
{
	jfieldID *field = NULL;
	jint count = 0, modifiers;
	bool found = false;

	if ((*jvmti)->GetClassFields(jvmti, class, &count, &field))
		return false;
	for (jint i = 0; i < count && !found; i++) {
		char *own = NULL, *type = NULL;

		if ((*jvmti)->GetFieldName(jvmti, class, field[i], &own, &type, NULL))
			continue;
		found = strcmp(own, name) == 0 &&
			!(*jvmti)->GetFieldModifiers(jvmti, class, field[i], &modifiers);
		if (found)
			*member = (struct jvm_member){.field = field[i],
				.type = *type,
				.is_static = modifiers & ACCESS_STATIC};
		jvm_give(own);
		jvm_give(type);
	}
	jvm_give(field);
	return found;
}

/* Of the class's own methods: without arguments, and with a result. */
static bool own_getter(jclass class, const char *name, struct jvm_member *member)
{
	jmethodID *method = NULL;
	jint count = 0, modifiers;
	bool found = false;

	if ((*jvmti)->GetClassMethods(jvmti, class, &count, &method))
		return false;
	for (jint i = 0; i < count && !found; i++) {
		char *own = NULL, *signature = NULL;

		if ((*jvmti)->GetMethodName(jvmti, method[i], &own, &signature, NULL))
			continue;
		found = strcmp(own, name) == 0 && strncmp(signature, "()", 2) == 0 &&
			signature[2] != 'V' &&
			!(*jvmti)->GetMethodModifiers(jvmti, method[i], &modifiers) &&
			!(modifiers & ACCESS_STATIC);
		if (found)
			*member =
				(struct jvm_member){.method = method[i], .type = signature[2]};
		jvm_give(own);
		jvm_give(signature);
	}
	jvm_give(method);
	return found;
}

bool jvm_find_member(
	JNIEnv *jni, jclass class, bool getter, const char *name, struct jvm_member *member)
{
	jclass *interfaces = NULL, super;
	jint count = 0;
	bool found = getter ? own_getter(class, name, member) : own_field(class, name, member);

	if (found)
		return true;
	super = (*jni)->GetSuperclass(jni, class);
	if (super) {
		found = jvm_find_member(jni, super, getter, name, member);
		(*jni)->DeleteLocalRef(jni, super);
	}
	if (found || (*jvmti)->GetImplementedInterfaces(jvmti, class, &count, &interfaces))
		return found;
	for (jint i = 0; i < count; i++) {
		found = found || jvm_find_member(jni, interfaces[i], getter, name, member);
		(*jni)->DeleteLocalRef(jni, interfaces[i]);
	}
	jvm_give(interfaces);
	return found;
}

void jvm_collect(void)
{
	(*jvmti)->ForceGarbageCollection(jvmti);
}

char *jvm_type_name(jclass class)
{
	static const struct {
		char letter;
		const char *name;
	} primitives[] = {{'Z', "boolean"}, {'B', "byte"}, {'C', "char"}, {'S', "short"},
		{'I', "int"}, {'J', "long"}, {'F', "float"}, {'D', "double"}};
	char *signature = NULL, *element, *name = NULL;
	const char *type = NULL;
	int dimensions;

	if ((*jvmti)->GetClassSignature(jvmti, class, &signature, NULL))
		return NULL;
	jvm_to_utf8(signature);
	dimensions = (int)strspn(signature, "[");
	element = signature[dimensions] == 'L' ? jvm_java_name(signature + dimensions) : NULL;
	for (size_t i = 0; i < sizeof(primitives) / sizeof(*primitives); i++)
		if (signature[dimensions] == primitives[i].letter)
			type = primitives[i].name;
	if (element)
		type = element;
	if (type)
		name = calloc(1, strlen(type) + 2 * (size_t)dimensions + 1);
	if (name)
		strcpy(name, type);
	for (int i = 0; name && i < dimensions; i++)
		strcat(name, "[]");
	free(element);
	jvm_give(signature);
	return name;
}

void jvm_each_method(jclass class, void (*each)(void *user, const char *name), void *user)
{
	jmethodID *methods = NULL;
	jint count = 0;

	if ((*jvmti)->GetClassMethods(jvmti, class, &count, &methods))
		return;
	for (jint i = 0; i < count; i++) {
		char *name = NULL;

		if (!(*jvmti)->GetMethodName(jvmti, methods[i], &name, NULL, NULL))
			each(user, name);
		jvm_give(name);
	}
	jvm_give(methods);
}

void jvm_each_native(JNIEnv *jni, jclass class,
	void (*each)(JNIEnv *jni, jclass class, jmethodID method,
		const struct jvm_method *description))
{
	jmethodID *methods = NULL;
	jint count = 0;

	if ((*jvmti)->GetClassMethods(jvmti, class, &count, &methods))
		return;
	for (jint i = 0; i < count; i++) {
		struct jvm_method description;
		jboolean native = JNI_FALSE;

		(*jvmti)->IsMethodNative(jvmti, methods[i], &native);
		if (!native || !jvm_describe_method(jni, methods[i], &description))
			continue;
		each(jni, class, methods[i], &description);
		jvm_method_fini(&description);
	}
	jvm_give(methods);
}

jclass jvm_method_class(jmethodID method)
{
	jclass class = NULL;

	return (*jvmti)->GetMethodDeclaringClass(jvmti, method, &class) ? NULL : class;
}

int32_t jvm_hash(jobject object)
{
	jint hash = 0;

	(*jvmti)->GetObjectHashCode(jvmti, object, &hash);
	return hash;
}

jthread jvm_monitor_holder(JNIEnv *jni, jobject object)
{
	jvmtiMonitorUsage usage = {0};

	if ((*jvmti)->GetObjectMonitorUsage(jvmti, object, &usage))
		return NULL;
	for (jint i = 0; i < usage.waiter_count; i++)
		(*jni)->DeleteLocalRef(jni, usage.waiters[i]);
	for (jint i = 0; i < usage.notify_waiter_count; i++)
		(*jni)->DeleteLocalRef(jni, usage.notify_waiters[i]);
	jvm_give(usage.waiters);
	jvm_give(usage.notify_waiters);
	return usage.owner;
}

bool jvm_tells_monitor_holders(void)
{
	enum { FIRST_THAT_CRASHES = 23 };

	return release_of(jvmti) < FIRST_THAT_CRASHES;
}

bool jvm_is_blocked(jthread thread)
{
	jint state = 0;

	return !(*jvmti)->GetThreadState(jvmti, thread, &state) &&
	       (state & JVMTI_THREAD_STATE_BLOCKED_ON_MONITOR_ENTER);
}

jobject jvm_contended_monitor(jthread thread)
{
	jobject object = NULL;

	/* It tells of Object.wait, too. */
	if (!jvm_is_blocked(thread) ||
		(*jvmti)->GetCurrentContendedMonitor(jvmti, thread, &object))
		return NULL;
	return object;
}

int jvm_retransform(const jclass *classes, int count, struct error *error)
{
	return jvm_check((*jvmti)->RetransformClasses(jvmti, count, classes),
		"new bytes for a class", error);
}

int jvm_redefine(jclass class, const unsigned char *bytes, size_t size, struct error *error)
{
	const jvmtiClassDefinition definition = {class, (jint)size, bytes};

	return jvm_check((*jvmti)->RedefineClasses(jvmti, 1, &definition),
		"new bytes for a class of jprof's own", error);
}

unsigned char *jvm_allocate(size_t size)
{
	unsigned char *memory = NULL;

	if ((*jvmti)->Allocate(jvmti, (jlong)size, &memory))
		return NULL;
	return memory;
}

int jvm_repeat_generated_code(struct error *error)
{
	return jvm_check((*jvmti)->GenerateEvents(jvmti, JVMTI_EVENT_DYNAMIC_CODE_GENERATED),
		"the places of its code", error);
}

int jvm_repeat_compiled_methods(struct error *error)
{
	return jvm_check((*jvmti)->GenerateEvents(jvmti, JVMTI_EVENT_COMPILED_METHOD_LOAD),
		"the places of compiled methods", error);
}

char *jvm_property(const char *name)
{
	char *value = NULL;

	if ((*jvmti)->GetSystemProperty(jvmti, name, &value))
		return NULL;
	return jvm_take_string(value);
}

bool jvm_names_program(void)
{
	char *command = jvm_property("sun.java.command");

	free(command);
	return command != NULL;
}

bool jvm_ran_program(JNIEnv *jni)
{
	jclass *classes = NULL;
	bool ran = jvm_names_program();

	if (ran || (*jni)->PushLocalFrame(jni, JVM_LOCAL_FRAME))
		return true;
	for (int count = jvm_changeable_classes(&classes); count > 0 && !ran; count--) {
		struct jvm_class class;

		if (!jvm_describe_class(jni, classes[count - 1], &class))
			continue;
		ran = !class.is_jdk;
		free(class.name);
	}
	free(classes);
	(*jni)->PopLocalFrame(jni, NULL);
	return ran;
}

/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* jvm: see jvm.h. Section names are those of the JVM Tool Interface specification. */
#include "agent/jvm/jvm.h"

#include <stdlib.h>
#include <string.h>

#include "error/utf8.h"

/* Method modifiers, JVM specification table 4.6-A. */
enum { ACCESS_STATIC = 0x0008, ACCESS_NATIVE = 0x0100 };

/* Found once by jvm_learn, constant afterwards. */
static jobject platform_loader; /* global reference */
static jfieldID thread_id_field;
static jfieldID continuation_field; /* Thread.cont; NULL: there is none (before JDK 19) */
static jclass virtual_class; /* global reference; NULL: there are none (before JDK 19) */

static int jvm_check(
	struct jvm *jvm, jvmtiError code, const char *what, struct error *error)
{
	char *name = NULL;

	if (code == JVMTI_ERROR_NONE)
		return 0;
	(*jvm->jvmti)->GetErrorName(jvm->jvmti, code, &name);
	error_set(error, ERROR_JVM, "the JVM refused %s: %s", what, name ? name : "?");
	(*jvm->jvmti)->Deallocate(jvm->jvmti, (unsigned char *)name);
	return -ERROR_JVM;
}

static void jvm_give(struct jvm *jvm, void *memory)
{
	(*jvm->jvmti)->Deallocate(jvm->jvmti, memory);
}

int jvm_release(JavaVM *vm)
{
	jvmtiEnv *jvmti;
	jint version = 0;

	if ((*vm)->GetEnv(vm, (void **)&jvmti, JVMTI_VERSION_1_2) != JNI_OK)
		return 0;
	(*jvmti)->GetVersionNumber(jvmti, &version);
	(*jvmti)->DisposeEnvironment(jvmti);
	return (version & JVMTI_VERSION_MASK_MAJOR) >> JVMTI_VERSION_SHIFT_MAJOR;
}

int jvm_open(struct jvm *jvm, JavaVM *vm, struct error *error)
{
	jint code = (*vm)->GetEnv(vm, (void **)&jvm->jvmti, JVMTI_VERSION_1_2);

	if (code != JNI_OK)
		return error_set(error, ERROR_JVM,
			"this JVM has no tool interface (JVMTI 1.2): GetEnv gives %d", code);
	jvm->vm = vm;
	return 0;
}

JNIEnv *jvm_enter(struct jvm *jvm, bool *attached)
{
	JavaVMAttachArgs name = {.version = JNI_VERSION_1_8, .name = (char *)"jprof"};
	JNIEnv *jni = NULL;

	*attached = false;
	if (!(*jvm->vm)->GetEnv(jvm->vm, (void **)&jni, JNI_VERSION_1_8))
		return jni;
	if ((*jvm->vm)->AttachCurrentThreadAsDaemon(jvm->vm, (void **)&jni, &name))
		return NULL;
	*attached = true;
	return jni;
}

void jvm_leave(struct jvm *jvm, bool attached)
{
	if (attached)
		(*jvm->vm)->DetachCurrentThread(jvm->vm);
}

int jvm_add_capabilities(struct jvm *jvm, unsigned capabilities, struct error *error)
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
		wanted.can_generate_all_class_hook_events = 1;
	}
	if (capabilities & JVM_NATIVE_BINDING)
		wanted.can_generate_native_method_bind_events = 1;
	return jvm_check(jvm, (*jvm->jvmti)->AddCapabilities(jvm->jvmti, &wanted),
		"the events that were asked for", error);
}

void jvm_give_capabilities_back(struct jvm *jvm)
{
	jvmtiCapabilities held;

	if (!(*jvm->jvmti)->GetCapabilities(jvm->jvmti, &held))
		(*jvm->jvmti)->RelinquishCapabilities(jvm->jvmti, &held);
}

int jvm_set_callbacks(struct jvm *jvm, const jvmtiEventCallbacks *callbacks,
	jvm_virtual_thread_end virtual_end, struct error *error)
{
	/* A pointer for each number, from the lowest on: a JVM takes as many as it knows. */
	enum { SLOTS = JVM_VIRTUAL_THREAD_END - JVMTI_MIN_EVENT_TYPE_VAL + 1 };
	union {
		jvmtiEventCallbacks known;
		jvm_virtual_thread_end slot[SLOTS];
	} all = {.slot = {0}};

	memcpy(&all.known, callbacks, sizeof(*callbacks));
	all.slot[SLOTS - 1] = virtual_end;
	return jvm_check(jvm,
		(*jvm->jvmti)->SetEventCallbacks(
			jvm->jvmti, &all.known, (jint)sizeof(all.slot)),
		"event callbacks", error);
}

int jvm_enable(struct jvm *jvm, jvmtiEvent event, bool on, struct error *error)
{
	return jvm_check(jvm,
		(*jvm->jvmti)->SetEventNotificationMode(
			jvm->jvmti, on ? JVMTI_ENABLE : JVMTI_DISABLE, event, NULL),
		"an event", error);
}

/* Gives back what GetExtensionEvents allocated: the array, and each row's strings. */
static void jvm_give_extensions(struct jvm *jvm, jvmtiExtensionEventInfo *list, jint count)
{
	for (jint i = 0; i < count; i++) {
		for (jint p = 0; p < list[i].param_count; p++)
			jvm_give(jvm, list[i].params[p].name);
		jvm_give(jvm, list[i].params);
		jvm_give(jvm, list[i].id);
		jvm_give(jvm, list[i].short_description);
	}
	jvm_give(jvm, list);
}

bool jvm_enable_extension(struct jvm *jvm, const char *id, jvmtiExtensionEvent callback)
{
	jvmtiEnv *jvmti = jvm->jvmti;
	jvmtiExtensionEventInfo *list = NULL;
	jint count = 0;
	bool enabled = false;

	if ((*jvmti)->GetExtensionEvents(jvmti, &count, &list))
		return false;
	for (jint i = 0; i < count; i++) {
		jint event = list[i].extension_event_index;

		if (strcmp(list[i].id, id) != 0)
			continue;
		/* HotSpot wants both: the callback, and the event switched on. */
		enabled = !(*jvmti)->SetExtensionEventCallback(jvmti, event, callback) &&
			!(*jvmti)->SetEventNotificationMode(jvmti,
				callback ? JVMTI_ENABLE : JVMTI_DISABLE,
				(jvmtiEvent)event, NULL);
	}
	jvm_give_extensions(jvm, list, count);
	return enabled;
}

/* ---- virtual threads ---- */

/* An extension function of HotSpot (jvmtiExtensions.cpp). */
typedef jvmtiError(JNICALL *jvm_thread_function)(
	const jvmtiEnv *jvmti, jthread thread, jthread *result);

static jvm_thread_function get_carrier; /* NULL: this JVM has none */

static void jvm_give_functions(struct jvm *jvm, jvmtiExtensionFunctionInfo *list, jint count)
{
	for (jint i = 0; i < count; i++) {
		for (jint p = 0; p < list[i].param_count; p++)
			jvm_give(jvm, list[i].params[p].name);
		jvm_give(jvm, list[i].params);
		jvm_give(jvm, list[i].errors);
		jvm_give(jvm, list[i].id);
		jvm_give(jvm, list[i].short_description);
	}
	jvm_give(jvm, list);
}

static void jvm_find_functions(struct jvm *jvm)
{
	jvmtiExtensionFunctionInfo *list = NULL;
	jint count = 0;

	if ((*jvm->jvmti)->GetExtensionFunctions(jvm->jvmti, &count, &list))
		return;
	for (jint i = 0; i < count; i++)
		if (strcmp(list[i].id, "com.sun.hotspot.functions.GetCarrierThread") == 0)
			get_carrier = (jvm_thread_function)list[i].func;
	jvm_give_functions(jvm, list, count);
}

bool jvm_support_virtual_threads(struct jvm *jvm)
{
	/* can_support_virtual_threads, the 45th: headers before JDK 21's have no name for it (JVMTI
	 * specification, "Capability"). */
	enum { BYTE = 44 / 8, BIT = 1 << 44 % 8 };
	jvmtiCapabilities potential = {0}, held = {0}, wanted = {0};

	if ((*jvm->jvmti)->GetCapabilities(jvm->jvmti, &held) ||
		(*jvm->jvmti)->GetPotentialCapabilities(jvm->jvmti, &potential))
		return false;
	if (!(((unsigned char *)&held)[BYTE] & BIT)) {
		if (!(((unsigned char *)&potential)[BYTE] & BIT))
			return false;
		((unsigned char *)&wanted)[BYTE] = BIT;
		if ((*jvm->jvmti)->AddCapabilities(jvm->jvmti, &wanted))
			return false;
	}
	jvm_find_functions(jvm);
	return true;
}

jthread jvm_carrier_of(struct jvm *jvm, jthread virtual_thread)
{
	jthread carrier = NULL;

	if (!get_carrier || get_carrier(jvm->jvmti, virtual_thread, &carrier))
		return NULL;
	return carrier;
}

/* HotSpot's function GetVirtualThread waits until no thread is being mounted or unmounted, also if
 * that is the calling one: for good. */
bool jvm_carries(JNIEnv *jni, jthread carrier)
{
	jobject continuation = NULL;

	if (continuation_field)
		continuation = (*jni)->GetObjectField(jni, carrier, continuation_field);
	(*jni)->DeleteLocalRef(jni, continuation);
	return continuation != NULL;
}

_Static_assert(sizeof(void *) == sizeof(uint64_t), "a word is as wide as a pointer");

uint64_t jvm_thread_word(struct jvm *jvm)
{
	void *word = NULL;

	if ((*jvm->jvmti)->GetThreadLocalStorage(jvm->jvmti, NULL, &word))
		return 0;
	return (uint64_t)(uintptr_t)word;
}

void jvm_set_thread_word(struct jvm *jvm, uint64_t word)
{
	(*jvm->jvmti)->SetThreadLocalStorage(jvm->jvmti, NULL, (const void *)(uintptr_t)word);
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

int jvm_learn(struct jvm *jvm, JNIEnv *jni, struct error *error)
{
	jclass thread = (*jni)->FindClass(jni, "java/lang/Thread");
	jclass loader = (*jni)->FindClass(jni, "java/lang/ClassLoader");
	jmethodID get_platform;
	jobject platform = NULL;

	(void)jvm;
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

/* Modified UTF-8 (JVM specification 4.4.7) to UTF-8, in place: a pair of surrogates, three
 * bytes each, becomes the four bytes of its character. The other difference, the two-byte
 * zero, cannot occur in a name. */
static void jvm_to_utf8(char *text)
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

/* Copies text, cut before the first character that does not fit whole. */
static void jvm_copy_name(char *out, size_t size, const char *text)
{
	size_t length = strlen(text);

	if (length >= size)
		length = utf8_floor(text, size - 1);
	memcpy(out, text, length);
	out[length] = '\0';
}

jthread jvm_current_thread(struct jvm *jvm)
{
	jthread thread = NULL;

	(*jvm->jvmti)->GetCurrentThread(jvm->jvmti, &thread);
	return thread;
}

int64_t jvm_thread_id(JNIEnv *jni, jthread thread)
{
	return thread_id_field ? (*jni)->GetLongField(jni, thread, thread_id_field) : 0;
}

bool jvm_describe_thread(
	struct jvm *jvm, JNIEnv *jni, jthread thread, struct jvm_thread *out)
{
	jvmtiThreadInfo info = {0};
	jthread current = NULL;

	memset(out, 0, sizeof(*out));
	if (!thread) {
		current = jvm_current_thread(jvm);
		if (!current)
			return false;
		thread = current;
	}
	if ((*jvm->jvmti)->GetThreadInfo(jvm->jvmti, thread, &info)) {
		(*jni)->DeleteLocalRef(jni, current);
		return false;
	}
	if (info.name)
		jvm_to_utf8(info.name);
	jvm_copy_name(out->name, sizeof(out->name), info.name ? info.name : "");
	out->is_virtual = virtual_class && (*jni)->IsInstanceOf(jni, thread, virtual_class);
	out->java_id = jvm_thread_id(jni, thread);
	jvm_give(jvm, info.name);
	(*jni)->DeleteLocalRef(jni, info.thread_group);
	(*jni)->DeleteLocalRef(jni, info.context_class_loader);
	(*jni)->DeleteLocalRef(jni, current);
	return true;
}

int jvm_live_threads(struct jvm *jvm, jthread **threads)
{
	jthread *all = NULL;
	jint count = 0;

	*threads = NULL;
	if ((*jvm->jvmti)->GetAllThreads(jvm->jvmti, &count, &all))
		return -1;
	*threads = malloc(((size_t)count + 1) * sizeof(**threads));
	if (*threads)
		memcpy(*threads, all, (size_t)count * sizeof(**threads));
	jvm_give(jvm, all);
	return *threads ? count : -1;
}

int jvm_stack(struct jvm *jvm, jvmtiFrameInfo **frames)
{
	jint depth = 0, stored = 0;

	*frames = NULL;
	if ((*jvm->jvmti)->GetFrameCount(jvm->jvmti, NULL, &depth) || depth <= 0)
		return 0;
	*frames = malloc((size_t)depth * sizeof(**frames));
	if (!*frames)
		return -1;
	if ((*jvm->jvmti)->GetStackTrace(jvm->jvmti, NULL, 0, depth, *frames, &stored))
		return 0;
	return stored;
}

/* "Lcom/acme/Foo$Bar;" to "com.acme.Foo$Bar". Hidden classes are numbered, and carry an address
 * behind a '.' ("Lcom/acme/Foo$$Lambda$14.0x0123;"): that says nothing, differs from run to run,
 * and would make a new method of each, so both are left out. */
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

/* Made by reflection while it runs (until JDK 21 it gives each accessor class a loader of its
 * own). */
static bool jvm_is_made_by_reflection(const char *internal)
{
	static const char made[] = "jdk/internal/reflect/";

	return strncmp(internal, made, sizeof(made) - 1) == 0;
}

bool jvm_is_jdk(JNIEnv *jni, jobject loader, const char *internal)
{
	return !loader || jvm_is_made_by_reflection(internal) ||
		(platform_loader && (*jni)->IsSameObject(jni, loader, platform_loader));
}

/* signature: "Lcom/acme/Foo;" */
static bool jvm_is_jdk_class(
	struct jvm *jvm, JNIEnv *jni, jclass class, const char *signature)
{
	jobject loader = NULL;
	bool jdk;

	if ((*jvm->jvmti)->GetClassLoader(jvm->jvmti, class, &loader))
		return false;
	jdk = jvm_is_jdk(jni, loader, signature + 1);
	(*jni)->DeleteLocalRef(jni, loader);
	return jdk;
}

static char *jvm_take_string(struct jvm *jvm, char *text)
{
	char *copy = text ? strdup(text) : NULL;

	jvm_give(jvm, text);
	if (copy)
		jvm_to_utf8(copy);
	return copy;
}

bool jvm_describe_method(
	struct jvm *jvm, JNIEnv *jni, jmethodID method, struct jvm_method *out)
{
	jvmtiEnv *jvmti = jvm->jvmti;
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
		out->is_jdk = jvm_is_jdk_class(jvm, jni, class, class_signature);
	}
	out->name = jvm_take_string(jvm, name);
	out->signature = jvm_take_string(jvm, signature);
	jvm_give(jvm, class_signature);
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

char *jvm_method_name(const char *text)
{
	char *copy = strdup(text);

	if (copy)
		jvm_to_utf8(copy);
	return copy;
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

int jvm_changeable_classes(struct jvm *jvm, jclass **classes)
{
	jclass *all = NULL;
	jint count = 0;
	int kept = 0;

	*classes = NULL;
	if ((*jvm->jvmti)->GetLoadedClasses(jvm->jvmti, &count, &all))
		return -1;
	*classes = malloc(((size_t)count + 1) * sizeof(**classes));
	for (jint i = 0; i < count && *classes; i++) {
		jboolean changeable = JNI_FALSE;

		(*jvm->jvmti)->IsModifiableClass(jvm->jvmti, all[i], &changeable);
		if (changeable)
			(*classes)[kept++] = all[i];
	}
	jvm_give(jvm, all);
	return *classes ? kept : -1;
}

static void each_wanted(struct jvm *jvm, JNIEnv *jni, const jclass *class, jint count,
	bool (*wanted)(const char *signature), void (*each)(JNIEnv *jni, jclass class))
{
	for (jint i = 0; i < count; i++) {
		char *signature = NULL;

		if ((*jvm->jvmti)->GetClassSignature(jvm->jvmti, class[i], &signature, NULL))
			continue;
		if (wanted(signature))
			each(jni, class[i]);
		jvm_give(jvm, signature);
	}
}

void jvm_each_class(struct jvm *jvm, JNIEnv *jni, bool (*wanted)(const char *signature),
	void (*each)(JNIEnv *jni, jclass class))
{
	jclass *all = NULL;
	jint count = 0;

	if ((*jni)->PushLocalFrame(jni, JVM_LOCAL_FRAME)) {
		(*jni)->ExceptionClear(jni);
		return;
	}
	if ((*jvm->jvmti)->GetLoadedClasses(jvm->jvmti, &count, &all) == JVMTI_ERROR_NONE)
		each_wanted(jvm, jni, all, count, wanted, each);
	jvm_give(jvm, all);
	(*jni)->PopLocalFrame(jni, NULL);
}

bool jvm_describe_class(struct jvm *jvm, JNIEnv *jni, jclass class, struct jvm_class *out)
{
	char *signature = NULL;

	memset(out, 0, sizeof(*out));
	if ((*jvm->jvmti)->GetClassSignature(jvm->jvmti, class, &signature, NULL))
		return false;
	jvm_to_utf8(signature);
	out->name = jvm_java_name(signature);
	out->is_jdk = jvm_is_jdk_class(jvm, jni, class, signature);
	jvm_give(jvm, signature);
	return out->name;
}

void jvm_class_fini(struct jvm_class *class)
{
	free(class->name);
	memset(class, 0, sizeof(*class));
}

void jvm_each_method(struct jvm *jvm, jclass class,
	void (*each)(void *user, const char *name), void *user)
{
	jmethodID *methods = NULL;
	jint count = 0;

	if ((*jvm->jvmti)->GetClassMethods(jvm->jvmti, class, &count, &methods))
		return;
	for (jint i = 0; i < count; i++) {
		char *name = NULL;

		if (!(*jvm->jvmti)->GetMethodName(
			    jvm->jvmti, methods[i], &name, NULL, NULL))
			each(user, name);
		jvm_give(jvm, name);
	}
	jvm_give(jvm, methods);
}

int jvm_native_methods(struct jvm *jvm, jclass class, jmethodID **methods)
{
	jmethodID *all = NULL;
	jint count = 0;
	int natives = 0;

	if ((*jvm->jvmti)->GetClassMethods(jvm->jvmti, class, &count, &all))
		return -1;
	*methods = malloc(((size_t)count + 1) * sizeof(**methods));
	for (jint i = 0; i < count && *methods; i++) {
		jboolean native = JNI_FALSE;

		(*jvm->jvmti)->IsMethodNative(jvm->jvmti, all[i], &native);
		if (native)
			(*methods)[natives++] = all[i];
	}
	jvm_give(jvm, all);
	return *methods ? natives : -1;
}

jclass jvm_method_class(struct jvm *jvm, jmethodID method)
{
	jclass class = NULL;

	return (*jvm->jvmti)->GetMethodDeclaringClass(jvm->jvmti, method, &class) ? NULL
										   : class;
}

int32_t jvm_hash(struct jvm *jvm, jobject object)
{
	jint hash = 0;

	(*jvm->jvmti)->GetObjectHashCode(jvm->jvmti, object, &hash);
	return hash;
}

int jvm_retransform(struct jvm *jvm, const jclass *classes, int count, struct error *error)
{
	return jvm_check(jvm, (*jvm->jvmti)->RetransformClasses(jvm->jvmti, count, classes),
		"new bytes for a class", error);
}

unsigned char *jvm_allocate(struct jvm *jvm, size_t size)
{
	unsigned char *memory = NULL;

	if ((*jvm->jvmti)->Allocate(jvm->jvmti, (jlong)size, &memory))
		return NULL;
	return memory;
}

int jvm_repeat_generated_code(struct jvm *jvm, struct error *error)
{
	return jvm_check(jvm,
		(*jvm->jvmti)->GenerateEvents(jvm->jvmti, JVMTI_EVENT_DYNAMIC_CODE_GENERATED),
		"the places of its code", error);
}

char *jvm_property(struct jvm *jvm, const char *name)
{
	char *value = NULL;

	if ((*jvm->jvmti)->GetSystemProperty(jvm->jvmti, name, &value))
		return NULL;
	return jvm_take_string(jvm, value);
}

bool jvm_names_program(struct jvm *jvm)
{
	char *command = jvm_property(jvm, "sun.java.command");

	free(command);
	return command != NULL;
}

bool jvm_ran_program(struct jvm *jvm, JNIEnv *jni)
{
	jclass *classes = NULL;
	bool ran = jvm_names_program(jvm);

	if (ran || (*jni)->PushLocalFrame(jni, JVM_LOCAL_FRAME))
		return true;
	for (int count = jvm_changeable_classes(jvm, &classes); count > 0 && !ran;
		count--) {
		struct jvm_class class;

		if (!jvm_describe_class(jvm, jni, classes[count - 1], &class))
			continue;
		ran = !class.is_jdk;
		jvm_class_fini(&class);
	}
	free(classes);
	(*jni)->PopLocalFrame(jni, NULL);
	return ran;
}

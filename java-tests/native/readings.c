/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * readings: an agent that does no more than put probes with readings into the methods of classes, once the JVM is
 * initialised. They call readings/java/lang/JprofProbe.java, which belongs into java.base.
 *
 *   -agentpath:libreadings.so=FACTS,KINDS[,PREFIX[,NAME]]
 *
 * FACTS: a file for what was done, as `jprof report --view summary --format json` has it. KINDS: the probes of each method, a
 * set as a number; 16: another set for each. PREFIX: classes whose names (com/acme/Foo) begin so.
 *
 * Read are `this`, the result, and six arguments: the first three and the last three, if there are more. The number is the
 * place and 3: so 1 is the result, 2 `this`, 3 the first argument; of every second method with a bit more, so that it needs a
 * constant. With NAME no more than the argument of that name is read, with number NAMED.
 */
#include <jvmti.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/rewrite/rewrite.h"

enum { ASKED_ARGUMENTS = 6, EACH_KINDS = 16, NAMED = 500, FAR_NUMBER = 1 << 20 };

static const char probe_class[] = "java/lang/JprofProbe";
/* What the JVM has its own ideas of: it switches stacks there, or has code of its own. */
static const char *const left_classes[] = {probe_class, "java/lang/Object",
	"java/lang/ThreadLocal", "java/lang/VirtualThread", "jdk/internal/vm/"};

static char facts_file[4096], prefix[256], argument_name[256];
static unsigned kinds;
static _Atomic unsigned classes, methods, read, numbered, left;
static FILE *facts;

/* Places of a method's readings on one thread, which loads a class at a time. */
static __thread struct rewrite_reading reading[READINGS_MAX];

static unsigned arguments_of(const char *descriptor)
{
	unsigned count = 0;

	for (const char *c = descriptor + 1; *c != ')'; c++, count++) {
		while (*c == '[')
			c++;
		if (*c == 'L')
			c = strchr(c, ';');
	}
	return count;
}

/* Returns how many. */
static unsigned readings_choose(const struct rewrite_method *method, unsigned number)
{
	const unsigned far = number % 2 ? FAR_NUMBER : 0;
	unsigned arguments = arguments_of(method->descriptor), count = 0;
	int place = argument_name[0] ? rewrite_argument_place(method, argument_name) : -1;

	if (argument_name[0]) {
		reading[0] = (struct rewrite_reading){place, NAMED + far};
		return place >= 0;
	}
	if (method->descriptor[strlen(method->descriptor) - 1] != 'V')
		reading[count++] = (struct rewrite_reading){READING_RESULT, 1 + far};
	if (!(method->access & 8) && strcmp(method->name, "<init>") != 0)
		reading[count++] = (struct rewrite_reading){READING_THIS, 2 + far};
	for (unsigned i = 0; i < arguments; i++)
		if (i < ASKED_ARGUMENTS / 2 || i + ASKED_ARGUMENTS / 2 >= arguments)
			reading[count++] = (struct rewrite_reading){(int)i, i + 3 + far};
	return count;
}

static struct rewrite_probes method_probes(void *user, const struct rewrite_method *method)
{
	static const probe_set each[] = {PROBE_NONE, PROBE_TIMED, PROBE_COUNTED,
		PROBE_TIMED | PROBE_ENTRY, PROBE_WATCHED | PROBE_TIMED};
	unsigned number = atomic_fetch_add(&numbered, 1);

	return (struct rewrite_probes){
		.kinds = kinds == EACH_KINDS ? each[number % (sizeof(each))] : (probe_set)kinds,
		.id = number,
		.reading = reading,
		.readings = readings_choose(method, number)};
}

static void note_left(const struct rewrite_method *method, enum rewrite_reason why)
{
	fprintf(facts, ",\n{\"key\":\"untouched.%u\",\"value\":\"%s.%s: %s\"}",
		atomic_fetch_add(&left, 1) + 1, method->class_name, method->name,
		rewrite_reason_text(why));
}

static void method_untouched(
	void *user, const struct rewrite_method *method, enum rewrite_reason why)
{
	note_left(method, why);
}

static void reading_unread(void *user, const struct rewrite_method *method,
	const struct rewrite_reading *asked, enum rewrite_reason why)
{
	if (why != REWRITE_NATIVE)
		note_left(method, why);
}

static void JNICALL class_file(jvmtiEnv *jvmti, JNIEnv *jni, jclass redefined, jobject loader,
	const char *name, jobject domain, jint size, const unsigned char *bytes, jint *new_size,
	unsigned char **new_bytes)
{
	const struct rewrite_request request = {.probes = method_probes,
		.untouched = method_untouched,
		.unread = reading_unread,
		.probe = probe_class};
	struct rewrite_result result;

	for (size_t i = 0; i < sizeof(left_classes) / sizeof(*left_classes); i++)
		if (!name || strncmp(name, left_classes[i], strlen(left_classes[i])) == 0)
			return;
	if (strncmp(name, prefix, strlen(prefix)) != 0 ||
		rewrite_class(bytes, (size_t)size, &request, &result) != REWRITE_OK ||
		!result.bytes)
		return;
	if ((*jvmti)->Allocate(jvmti, (jlong)result.size, new_bytes) == JVMTI_ERROR_NONE) {
		memcpy(*new_bytes, result.bytes, result.size);
		*new_size = (jint)result.size;
		classes++;
		methods += result.methods;
		read += result.read;
	}
	free(result.bytes);
}

static void JNICALL vm_init(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread)
{
	/* It must be there before a method calls it that is part of its being loaded. */
	if (!(*jni)->FindClass(jni, probe_class))
		(*jni)->FatalError(jni, "there is no JprofProbe in java.base");
	(*jvmti)->SetEventNotificationMode(
		jvmti, JVMTI_ENABLE, JVMTI_EVENT_CLASS_FILE_LOAD_HOOK, NULL);
}

static void JNICALL vm_death(jvmtiEnv *jvmti, JNIEnv *jni)
{
	fprintf(facts,
		",\n{\"key\":\"probes.classes\",\"value\":\"%u\"},"
		"\n{\"key\":\"probes.methods\",\"value\":\"%u\"},"
		"\n{\"key\":\"probes.read\",\"value\":\"%u\"}]}\n",
		classes, methods, read);
	fclose(facts);
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
	const jvmtiCapabilities capabilities = {.can_generate_all_class_hook_events = 1};
	const jvmtiEventCallbacks callbacks = {
		.VMInit = vm_init, .VMDeath = vm_death, .ClassFileLoadHook = class_file};
	jvmtiEnv *jvmti;

	if (!options || sscanf(options, "%4095[^,],%u,%255[^,],%255s", facts_file, &kinds,
				prefix, argument_name) < 2)
		return JNI_ERR;
	facts = fopen(facts_file, "w");
	if (!facts || (*vm)->GetEnv(vm, (void **)&jvmti, JVMTI_VERSION_11) != JNI_OK)
		return JNI_ERR;
	fprintf(facts, "{\"rows\":[\n{\"key\":\"agent\",\"value\":\"readings\"}");
	if ((*jvmti)->AddCapabilities(jvmti, &capabilities) != JVMTI_ERROR_NONE ||
		(*jvmti)->SetEventCallbacks(jvmti, &callbacks, sizeof(callbacks)) !=
			JVMTI_ERROR_NONE)
		return JNI_ERR;
	(*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, JVMTI_EVENT_VM_INIT, NULL);
	(*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, JVMTI_EVENT_VM_DEATH, NULL);
	return JNI_OK;
}

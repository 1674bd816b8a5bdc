/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * empty_agent: method entry and exit events whose callbacks do nothing. What a call costs
 * under it is the JVM's own price of such events; an agent can only add to it.
 */
#include <jvmti.h>
#include <string.h>

static void JNICALL on_entry(jvmtiEnv *jvmti, JNIEnv *env, jthread thread, jmethodID method)
{
}

static void JNICALL on_exit(jvmtiEnv *jvmti, JNIEnv *env, jthread thread, jmethodID method,
	jboolean by_exception, jvalue value)
{
}

static jint enable(jvmtiEnv *jvmti)
{
	static const jvmtiEvent event[] = {JVMTI_EVENT_METHOD_ENTRY, JVMTI_EVENT_METHOD_EXIT};
	jvmtiCapabilities capabilities;
	jvmtiEventCallbacks callbacks;

	memset(&capabilities, 0, sizeof(capabilities));
	capabilities.can_generate_method_entry_events = 1;
	capabilities.can_generate_method_exit_events = 1;
	memset(&callbacks, 0, sizeof(callbacks));
	callbacks.MethodEntry = on_entry;
	callbacks.MethodExit = on_exit;
	if ((*jvmti)->AddCapabilities(jvmti, &capabilities) ||
		(*jvmti)->SetEventCallbacks(jvmti, &callbacks, sizeof(callbacks)))
		return JNI_ERR;
	for (int i = 0; i < 2; i++)
		if ((*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, event[i], NULL))
			return JNI_ERR;
	return JNI_OK;
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
	jvmtiEnv *jvmti;

	if ((*vm)->GetEnv(vm, (void **)&jvmti, JVMTI_VERSION_1_2) != JNI_OK)
		return JNI_ERR;
	return enable(jvmti);
}

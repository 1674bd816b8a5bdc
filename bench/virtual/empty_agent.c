/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * empty_agent: the events of virtual threads that jprof asks for, with callbacks that do nothing: the
 * JVM's own price of them.
 */
#include <jvmti.h>
#include <string.h>

static void JNICALL on_mount(jvmtiEnv *jvmti, ...)
{
}

static void JNICALL on_vm_init(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread)
{
	jvmtiExtensionEventInfo *list;
	jint count;

	if ((*jvmti)->GetExtensionEvents(jvmti, &count, &list))
		return;
	/* The list is not given back: the program is short. */
	for (jint i = 0; i < count; i++) {
		if (!strstr(list[i].id, "VirtualThread"))
			continue;
		(*jvmti)->SetExtensionEventCallback(
			jvmti, list[i].extension_event_index, on_mount);
		(*jvmti)->SetEventNotificationMode(
			jvmti, JVMTI_ENABLE, (jvmtiEvent)list[i].extension_event_index, NULL);
	}
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
	jvmtiEventCallbacks callbacks;
	jvmtiEnv *jvmti;

	memset(&callbacks, 0, sizeof(callbacks));
	callbacks.VMInit = on_vm_init;
	if ((*vm)->GetEnv(vm, (void **)&jvmti, JVMTI_VERSION_1_2) ||
		(*jvmti)->SetEventCallbacks(jvmti, &callbacks, sizeof(callbacks)) ||
		(*jvmti)->SetEventNotificationMode(
			jvmti, JVMTI_ENABLE, JVMTI_EVENT_VM_INIT, NULL))
		return JNI_ERR;
	return JNI_OK;
}

/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* boot_class: see boot_class.h. */
#include "agent/jvm/boot_class.h"

jclass boot_class_define(JNIEnv *jni, const char *internal, const unsigned char *bytes,
	size_t size, struct error *error)
{
	jclass class =
		(*jni)->DefineClass(jni, internal, NULL, (const jbyte *)bytes, (jsize)size);
	jclass global = NULL;

	if ((*jni)->ExceptionCheck(jni)) {
		(*jni)->ExceptionClear(jni);
		class = (*jni)->FindClass(jni, internal);
	}
	if ((*jni)->ExceptionCheck(jni))
		(*jni)->ExceptionClear(jni);
	else if (class)
		global = (*jni)->NewGlobalRef(jni, class);
	(*jni)->DeleteLocalRef(jni, class);
	if (!global)
		error_set(error, ERROR_JVM, "the JVM refused the class '%s'", internal);
	return global;
}

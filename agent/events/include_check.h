/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * include_check: says which patterns of include and scope have matched nothing, and which names come near.
 */
#ifndef JPROF_INCLUDE_CHECK_H
#define JPROF_INCLUDE_CHECK_H

#include "agent/jvm/jvm.h"

/* One line on standard error for each of them that has matched no method so far; a pattern is
 * spoken of once in a session. On a Java thread, without locks, in the live phase. */
void include_check(struct jvm *jvm, JNIEnv *jni);

#endif

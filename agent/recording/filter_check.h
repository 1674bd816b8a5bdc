/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * filter_check: which names come near the patterns of include, scope and threads that have matched
 * nothing so far.
 */
#ifndef JPROF_FILTER_CHECK_H
#define JPROF_FILTER_CHECK_H

#include "agent/jvm/jvm.h"
#include "agent/session/session.h"

/* Looks through the loaded classes and the platform threads that live, if there are such
 * patterns, for the first few of them, and notes what was found in the session
 * (session_matches.h). It asks the JVM about each class, twice for a pattern: 3 to 12 us
 * a class. On a Java thread, without locks, in the live phase. */
void filter_check(JNIEnv *jni, struct session *session);

#endif

/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * jprof_class: the class jprof.JProf of jprof.jar, by which Java code asks for what
 * from_inside.h does.
 *
 * The library exports no Java_* functions, and would not be asked for them: its natives are
 * registered. There may be any number of JProf, one for each class loader that has the jar:
 *
 *   loaded before the agent --> found among the loaded classes --> natives, present = true
 *   loaded later            --> its initialiser calls jprof.Inside.bind(JProf.class), if the
 *                               boot loader has such a class   --> the same
 *   the agent is detached   --> present = false; natives stay, as a thread may just call one
 *
 * While present is false JProf calls no native.
 */
#ifndef JPROF_JPROF_CLASS_H
#define JPROF_JPROF_CLASS_H

#include <jni.h>

/* Every JProf has its natives from now on. In the live phase, on a Java thread without pending
 * exception, without locks. */
void jprof_class_open(JNIEnv *jni);

/* None asks for anything any more. As above. */
void jprof_class_close(JNIEnv *jni);

#endif

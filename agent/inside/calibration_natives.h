/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * calibration_natives: the native methods of the program that `jprof calibrate` runs
 * (java/calibration), so that it needs no library of its own.
 *
 *   native int NAME(int slot, int x)     of its classes, static or not; the slot tells what it
 *                                        does: works, calls Java methods, throws
 *
 * Slots live as long as the JVM: a thread may just be in one.
 */
#ifndef JPROF_CALIBRATION_NATIVES_H
#define JPROF_CALIBRATION_NATIVES_H

#include <jni.h>

/* The name of the class that asks for its natives. */
#define CALIBRATION_NATIVES "jprof.calibration.Natives"

/* Gives that class the native by which it binds the others; another one of that name
 * nothing. */
void calibration_natives_take(JNIEnv *jni, jclass class);

#endif

/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * io_natives: the JDK's native methods that do I/O, and what is bound in their place.
 *
 *   NativeMethodBind, or found bound --> row of io_native_rows.h
 *   call --> stand-in --> io_call_begin, the JDK's own function, io_call_end
 *
 * A native method that the class hook wraps too gets both: its thunk calls the stand-in.
 */
#ifndef JPROF_IO_NATIVES_H
#define JPROF_IO_NATIVES_H

#include "agent/jvm/jvm.h"

/* Rows that this JDK has are replaced from now on, those that are bound already at once. In the
 * live phase, on a Java thread without pending exception, with the bind event enabled. */
void io_natives_open(JNIEnv *jni);

/* The JVM binds the method to the function: the one to bind it to. */
void *io_natives_bind(const struct jvm_method *method, void *function);

/* Methods have the JDK's own functions again; calls under way end in their stand-ins. As
 * above. */
void io_natives_close(JNIEnv *jni);

#endif

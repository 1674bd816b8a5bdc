/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * method_probes: what the probes in rewritten methods call, and how the calls are recorded.
 *
 *   rewritten method --invokestatic--> java.lang.JprofProbe.enter(int)   native
 *                                        --> context_enter(shape, context, id, state, is_static)
 *
 *                    --invokestatic--> java.lang.JprofProbe.watched(int)
 *                                        --> the same, and watched_enter(context, id)
 *                    --invokestatic--> java.lang.JprofProbe.entered(int)
 *                                        --> sample_entered(id)
 *                    --invokestatic--> java.lang.JprofProbe.reach(int)
 *                                        --> context_reach(context, site)
 *                    --invokestatic--> java.lang.JprofProbe.value, result(value, int)
 *                                        --> parameter_probes.h
 *
 * The class is in java.lang, defined by the boot loader: there is no class loader that may not
 * ask the boot loader for a class of that package, and no module that cannot read java.base.
 */
#ifndef JPROF_METHOD_PROBES_H
#define JPROF_METHOD_PROBES_H

#include "agent/jvm/jvm.h"
#include "agent/session/session.h"

/* Internal name of the class that has the static methods enter, watched, exit, unwind, caught, entered and reach,
 * (I)V, and value and result, which take a value and an int. */
#define METHOD_PROBES_CLASS "java/lang/JprofProbe"

/* A step of a recording: defines the class, gives its methods their functions for the session's
 * metrics and timing (precise: those that the processor does not execute together with what is
 * around them), and calls them until the JVM has compiled their entries: so the caller's state
 * can be seen (java_caller). On a Java thread, before any class has probes. */
int method_probes_begin(JNIEnv *jni, struct session *session, struct error *error);

/* The same functions for what the session's recording counts by now, while it goes on; nothing if methods never had any. 0, or a
 * negative code: they have those that they had. */
int method_probes_renew(JNIEnv *jni, struct session *session, struct error *error);

#endif

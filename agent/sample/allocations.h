/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * allocations: objects that the JVM tells of as they are allocated, one now and then, or each.
 *
 * A JVM has one period for all who want to know, the shortest that is asked for. Each is told how many objects the one
 * stands for, so that what it adds up is right on average whatever the period is.
 *
 * The JVM takes an object if one or more of its points, which are a period apart on average, fall into it
 * (threadHeapSampler.cpp), the distances being exponential: one of s bytes is taken with 1 - exp(-s / period).
 *
 * Runs: allocations_tell and allocations_silence one at a time; what is told, in the thread that allocates.
 */
#ifndef JPROF_SAMPLE_ALLOCATIONS_H
#define JPROF_SAMPLE_ALLOCATIONS_H

#include <jvmti.h>
#include <stdint.h>

#include "error/error.h"

enum allocations_user { ALLOCATIONS_SAMPLES, ALLOCATIONS_OBJECTS, ALLOCATIONS_USERS };

struct allocation {
	JNIEnv *jni;
	jobject object;
	jclass class;
	uint64_t bytes;
	double objects; /* that it stands for, 1 or more */
};

typedef void (*allocation_told)(const struct allocation *allocation);

/* Fills in the callback. */
void allocations_callbacks(jvmtiEventCallbacks *callbacks);

/* The user is told of an object each so many bytes, on average; 0: of each object. Threads that are there are told of from their
 * next buffer of the heap on. 0, or a negative code. */
int allocations_tell(
	enum allocations_user user, uint64_t period, allocation_told told, struct error *error);

/* No more; it may be under way. */
void allocations_silence(enum allocations_user user);

#endif

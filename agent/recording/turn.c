/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* turn: see turn.h. */
#include "agent/recording/turn.h"

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "agent/jvm/jvm.h"
#include "agent/lock/lock.h"
#include "agent/threads/thread_events.h"

static pthread_mutex_t turn = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
static _Atomic bool closed;

bool turn_take(enum turn_patience ms)
{
	struct timespec until = lock_deadline(ms);

	return pthread_mutex_clocklock(&turn, CLOCK_MONOTONIC, &until) == 0;
}

void turn_give(void)
{
	pthread_mutex_unlock(&turn);
}

void turn_close(void)
{
	atomic_store(&closed, true);
}

bool turn_is_closed(void)
{
	return atomic_load(&closed);
}

int turn_do(int (*action)(JNIEnv *jni, void *argument, struct error *error), void *argument,
	struct error *error)
{
	struct thread_hiding before = slot_hide_own();
	bool attached;
	JNIEnv *jni = jvm_enter(&attached);
	int code;

	if (!jni || turn_is_closed()) {
		code = error_set(error, ERROR_JVM, "the JVM is ending");
	} else if (!turn_take(TURN_SOON)) {
		code = error_set(error, ERROR_BUSY, "another command is under way");
	} else {
		/* It may have ended while this waited. */
		code = turn_is_closed() ? error_set(error, ERROR_JVM, "the JVM is ending")
					: action(jni, argument, error);
		turn_give();
	}
	if (jni)
		jvm_leave(attached);
	slot_show_own(before);
	return code;
}

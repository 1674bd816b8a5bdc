/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * life: from the agent's loading to the JVM's death, or until it is detached.
 *
 *   Agent_OnLoad   -> life_load       callbacks set, nothing but the JVM's life enabled
 *   VMInit         -> natives of the JDK replaced, recordings may begin (agent/recording), and
 *                     the first one does, unless start=no; hooks.ready
 *   Agent_OnAttach -> life_load, life_attached: the same as VMInit
 *
 *   life_detach    -> the recording ends, the JDK's natives are its own again; hooks.over
 *   VMDeath        -> hooks.over; the recording ends; probes stay
 *   exit(3) without a VMDeath (native code called it) -> the same, without the JVM
 */
#ifndef JPROF_LIFE_H
#define JPROF_LIFE_H

#include <jni.h>
#include <stdbool.h>
#include <stdint.h>

#include "agent/recording/recorder.h"

/* Called at turning points of the agent's life. */
struct life_hooks {
	/* the JVM can run Java code, and the first recording has begun */
	void (*ready)(void);
	void (*over)(void); /* the process ends */
};

/* False: the agent is loaded. True: it is to be loaded now; life_release undoes that, and so
 * does a detach, or a life_attached that leaves nothing loaded. */
bool life_claim(void);
void life_release(void);

/* The agent is loaded with these options, which are taken. live: the JVM is running already,
 * there will be no VMInit. 0, or a negative code, and nothing is loaded: the JVM must not
 * start, or runs on without jprof. */
int life_load(JavaVM *vm, struct options *options, const struct life_hooks *hooks, bool live,
	struct error *error);

/* What VMInit does, for an agent that is loaded later. 0, or a negative code: nothing is
 * recorded; if recorder_is_open() is false, nothing is loaded either. */
int life_attached(struct error *error);

/* When the agent was loaded, by clock_now. */
uint64_t life_loaded_at(void);

/* Ends the recording, if there is one, and undoes what loading did: natives, events, what is
 * known of descriptors. The agent may be loaded again. told: as in recorder_stop. 0, or a
 * negative code: it stays, as another command is under way, or the JVM ends. */
int life_detach(struct recorder_told *told, struct error *error);

#endif

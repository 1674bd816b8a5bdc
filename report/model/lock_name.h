/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* lock_name: what people call a lock: "ReentrantLock" for java.util.concurrent.locks.ReentrantLock$NonfairSync. */
#ifndef JPROF_REPORT_LOCK_NAME_H
#define JPROF_REPORT_LOCK_NAME_H

#include "profile/store.h"

/* A part of the class's name: java.util.concurrent's without package, and without the synchronizer within; all of others. */
struct label lock_name(const char *class_name);

#endif

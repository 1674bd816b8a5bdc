/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * processor_wait: for how long a thread could have run and did not, because others had the
 * processor. The kernel counts it for each thread (Documentation/scheduler/sched-stats.rst,
 * /proc/PID/schedstat). Waiting for anything else is no part of it.
 */
#ifndef JPROF_PROCESSOR_WAIT_H
#define JPROF_PROCESSOR_WAIT_H

#include <stdint.h>

/* ns since the thread of this process began; 0 if the kernel does not tell, or there is no such
 * thread. Three system calls; errno stays. */
uint64_t processor_wait(int64_t os_id);

#endif

/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * perf_page: the page through which the kernel shows the state of one perf event.
 */
#ifndef JPROF_PERF_PAGE_H
#define JPROF_PERF_PAGE_H

#include <linux/perf_event.h>
#include <stdint.h>

/* perf_event_open for the calling thread on any processor; group is a descriptor or -1. A
 * close-on-exec descriptor, or -errno. */
int perf_page_event(struct perf_event_attr *attr, int group);

/* Maps the page of an event: it keeps the event alive when the descriptor is closed. NULL
 * if no more memory may be locked (kernel.perf_event_mlock_kb, RLIMIT_MEMLOCK). */
struct perf_event_mmap_page *perf_page_map(int fd);
void perf_page_unmap(struct perf_event_mmap_page *page);

/* The page of a software event that counts nothing, on the calling thread, without a
 * descriptor. NULL where perf events or the page are refused. */
struct perf_event_mmap_page *perf_page_dummy(void);

#endif

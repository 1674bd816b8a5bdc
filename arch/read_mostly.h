/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * read_mostly: variables that each event or operation reads, and that are hardly ever written. Side by side they are
 * in a few lines of the cache and one page, which come from far after the application has run, where each for itself
 * would have its own.
 *
 *   READ_MOSTLY _Atomic bool sampling_active;
 */
#ifndef JPROF_READ_MOSTLY_H
#define JPROF_READ_MOSTLY_H

#define READ_MOSTLY __attribute__((section("jprof_read_mostly")))

#endif

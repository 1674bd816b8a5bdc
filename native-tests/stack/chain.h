/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* chain: a chain of calls, through qsort(3), `depth` calls of a function by itself, a frame with an alignment of its
 * own, and one with an array of any size, to the leaf; compiled in three ways. */
#ifndef JPROF_TEST_CHAIN_H
#define JPROF_TEST_CHAIN_H

int chain_framed(void (*leaf)(void), int depth);    /* with frame pointers */
int chain_frameless(void (*leaf)(void), int depth); /* without */
int chain_bare(void (*leaf)(void), int depth);      /* with them, without unwind information */

#endif

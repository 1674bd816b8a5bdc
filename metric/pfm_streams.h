/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * pfm_streams: where libpfm4 prints, should it ever: never to standard output.
 */
#ifndef JPROF_PFM_STREAMS_H
#define JPROF_PFM_STREAMS_H

#include <stdio.h>

/* libpfm.a refers to stdout and stderr under these names: the build renames them, because
 * Debian's library takes the originals by an address that a shared object cannot have. */
extern FILE *jprof_pfm_stdout __attribute__((visibility("hidden")));
extern FILE *jprof_pfm_stderr __attribute__((visibility("hidden")));

/* Call before pfm_initialize. */
void pfm_streams_init(void);

#endif

/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* processor: what this machine's processor is, as the kernel tells. */
#ifndef JPROF_PROCESSOR_H
#define JPROF_PROCESSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* The first processor's "model name"; where there is none (aarch64), "implementer 0x41 part
 * 0xd0c". False: the kernel does not say; model is empty. */
bool processor_model(char *model, size_t size);

/* The same from a text like /proc/cpuinfo. */
bool processor_model_in(FILE *text, char *model, size_t size);

#endif

/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* build_id: which build of jprof this is. */
#ifndef JPROF_BUILD_ID_H
#define JPROF_BUILD_ID_H

#include <stdbool.h>
#include <stddef.h>

/* The GNU build id of the object that this code is in (libjprof.so), in hexadecimal. False: it
 * has none, or one longer than fits. */
bool build_id(char *text, size_t size);

#endif

/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* file_ending: what the end of a file's name says of what is in it. */
#ifndef JPROF_FILE_ENDING_H
#define JPROF_FILE_ENDING_H

#include <stddef.h>
#include <stdint.h>

enum {
	ENDS_AS_ARCHIVE = 1, /* of the format of zip */
	ENDS_AS_CLASSES = 2  /* a class loader may read it */
};

/* Both bits, or one, or 0. */
uint32_t file_ending(const char *name, size_t length);

#endif

/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* test_folder: a folder of a test's own, which goes with all that is in it. */
#ifndef JPROF_TEST_FOLDER_H
#define JPROF_TEST_FOLDER_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Makes it, under a name that ends with six letters (mkdtemp(3)), whatever these are. 0, or -1. */
static inline int test_folder_make(char *name)
{
	memset(name + strlen(name) - 6, 'X', 6);
	return mkdtemp(name) ? 0 : -1;
}

/* 0, or another number. */
static inline int test_folder_remove(const char *name)
{
	char command[4200];

	snprintf(command, sizeof(command), "rm -r '%s'", name);
	return system(command);
}

#endif

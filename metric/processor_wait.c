/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* processor_wait: see processor_wait.h. */
#include "metric/processor_wait.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

uint64_t processor_wait(int64_t os_id)
{
	char path[64], text[80];
	uint64_t wait = 0;
	int saved = errno, file;
	ssize_t length;

	snprintf(path, sizeof(path), "/proc/self/task/%" PRId64 "/schedstat", os_id);
	file = open(path, O_RDONLY | O_CLOEXEC);
	if (file < 0) {
		errno = saved;
		return 0;
	}
	length = read(file, text, sizeof(text) - 1);
	close(file);
	errno = saved;
	if (length <= 0)
		return 0;
	text[length] = '\0';
	return sscanf(text, "%*u %" SCNu64, &wait) == 1 ? wait : 0;
}

/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* log: see log.h. */
#include "agent/log/log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "error/harmless.h"

static _Atomic int log_level = LOG_WARN; /* enum log_level; a session may have its own */

void log_set_level(enum log_level level)
{
	atomic_store(&log_level, level);
}

void log_line(enum log_level level, const char *format, ...)
{
	static const char prefix[] = "jprof: ";
	char text[1280], line[1280];
	size_t length = sizeof(prefix) - 1;
	int saved_errno = errno;
	va_list arguments;

	if ((int)level > atomic_load_explicit(&log_level, memory_order_relaxed))
		return;
	memcpy(line, prefix, length);
	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	/* Names of classes, threads and files are the application's. */
	length += harmless_copy(line + length, sizeof(line) - length - 1, text, strlen(text));
	line[length++] = '\n';
	/* A closed or full standard error is the application's affair. */
	if (write(STDERR_FILENO, line, length) < 0)
		errno = saved_errno;
	errno = saved_errno;
}

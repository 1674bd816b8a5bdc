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

static _Atomic int log_level = LOG_WARN; /* enum log_level; a session may have its own */

void log_set_level(enum log_level level)
{
	atomic_store(&log_level, level);
}

void log_line(enum log_level level, const char *format, ...)
{
	static const char prefix[] = "jprof: ";
	char line[1280];
	size_t length = sizeof(prefix) - 1;
	int saved_errno = errno;
	va_list arguments;
	int text;

	if ((int)level > atomic_load_explicit(&log_level, memory_order_relaxed))
		return;
	memcpy(line, prefix, length);
	va_start(arguments, format);
	text = vsnprintf(line + length, sizeof(line) - length - 1, format, arguments);
	va_end(arguments);
	if (text > 0)
		length += (size_t)text < sizeof(line) - length - 1 ? (size_t)text
								    : sizeof(line) - length - 2;
	line[length++] = '\n';
	/* A closed or full standard error is the application's affair. */
	if (write(STDERR_FILENO, line, length) < 0)
		errno = saved_errno;
	errno = saved_errno;
}

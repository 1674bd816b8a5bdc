/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* number: see number.h. */
#include "options/number.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

bool number_read(const char *text, uint64_t *number)
{
	char *end;

	errno = 0;
	*number = strtoull(text, &end, 10);
	return text[0] >= '0' && text[0] <= '9' && *end == '\0' && errno == 0;
}

bool number_read_percent(const char *text, double *part)
{
	char *end;

	*part = strtod(text, &end) / 100;
	end += *end == '%';
	return text[0] >= '0' && text[0] <= '9' && *end == '\0' && isfinite(*part);
}

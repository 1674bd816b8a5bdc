/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* json_text: see json_text.h. */
#include "options/json_text.h"

#include <stdlib.h>
#include <string.h>

json_t *json_text(const char *text)
{
	json_t *string = json_string(text);
	char *plain;

	if (string)
		return string;
	plain = strdup(text);
	for (char *at = plain; at && *at; at++)
		if (*at & 0x80)
			*at = '?';
	string = plain ? json_string(plain) : NULL;
	free(plain);
	return string;
}

/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* file_ending: see file_ending.h. */
#include "agent/io/file_ending.h"

#include <string.h>

static const struct {
	const char *text;
	uint32_t means;
} ending[] = {
	{".jar", ENDS_AS_ARCHIVE | ENDS_AS_CLASSES},
	{".zip", ENDS_AS_ARCHIVE | ENDS_AS_CLASSES},
	{".war", ENDS_AS_ARCHIVE | ENDS_AS_CLASSES},
	{".ear", ENDS_AS_ARCHIVE | ENDS_AS_CLASSES},
	{".jmod", ENDS_AS_CLASSES},
	{".class", ENDS_AS_CLASSES},
};

uint32_t file_ending(const char *name, size_t length)
{
	for (size_t i = 0; i < sizeof(ending) / sizeof(*ending); i++) {
		size_t end = strlen(ending[i].text);

		if (length > end && memcmp(name + length - end, ending[i].text, end) == 0)
			return ending[i].means;
	}
	return 0;
}

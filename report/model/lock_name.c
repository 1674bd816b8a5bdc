/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* lock_name: see lock_name.h. */
#include "report/model/lock_name.h"

struct label lock_name(const char *class_name)
{
	static const char *const packages[] = {"java.util.concurrent.locks.",
		"java.util.concurrent."},
				 *const synchronizers[] = {
					 "$NonfairSync", "$FairSync", "$Sync"};
	struct label name = label_of(class_name);

	for (size_t i = 0; i < sizeof(packages) / sizeof(*packages); i++) {
		size_t length = strlen(packages[i]);

		if (strncmp(class_name, packages[i], length) != 0)
			continue;
		name = label_of(class_name + length);
		break;
	}
	for (size_t i = 0;
		name.text != class_name && i < sizeof(synchronizers) / sizeof(*synchronizers);
		i++) {
		size_t length = strlen(synchronizers[i]);

		if (name.length > length &&
			strcmp(name.text + name.length - length, synchronizers[i]) == 0) {
			name.length -= length;
			break;
		}
	}
	return name;
}

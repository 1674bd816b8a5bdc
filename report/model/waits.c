/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* waits: see waits.h. */
#include "report/model/waits.h"

struct label lock_name(const char *class_name)
{
	static const char *const packages[] = {
		"java.util.concurrent.locks.", "java.util.concurrent."};
	static const char *const synchronizers[] = {"$NonfairSync", "$FairSync", "$Sync"};
	struct label name = label_of(class_name);
	size_t length = 0;

	for (size_t i = 0; i < sizeof(packages) / sizeof(*packages) && length == 0; i++)
		if (strncmp(class_name, packages[i], strlen(packages[i])) == 0)
			length = strlen(packages[i]);
	if (length == 0)
		return name;
	name = label_of(class_name + length);
	for (size_t i = 0; i < sizeof(synchronizers) / sizeof(*synchronizers); i++) {
		length = strlen(synchronizers[i]);
		if (name.length > length &&
			strcmp(name.text + name.length - length, synchronizers[i]) == 0)
			return (struct label){name.text, name.length - length};
	}
	return name;
}

struct profile_contention waits_row(const struct profile_wait *wait)
{
	return (struct profile_contention){.node = wait->node,
		.holder = wait->holder,
		.thread = wait->thread,
		.holder_thread = wait->holder_thread,
		.lock = wait->lock,
		.kind = wait->kind,
		.count = 1,
		.ns = wait->ns,
		.longest = wait->ns,
		.began = wait->begin};
}

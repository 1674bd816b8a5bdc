/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* perf_counters: see perf_counters.h. */
#include "agent/jvm/perf_counters.h"

#include <string.h>

#include "agent/jvm/hotspot.h"

/* The beginning of that memory (PerfDataPrologue), and what is in front of each counter (PerfDataEntry). */
struct prologue {
	uint32_t magic;
	uint8_t order, major, minor, accessible;
	uint32_t used, overflow;
	uint64_t modified;
	uint32_t first, entries;
};

struct entry {
	uint32_t length, name, vector;
	uint8_t type, flags, units, variability;
	uint32_t data;
};

enum { MAGIC = 0xc0c0feca /* as bytes of this order */ };

void perf_counters_read(const char *const *name, uint64_t *value, unsigned count)
{
	char *const *start = hotspot_static("PerfMemory", "_start");
	const struct prologue *head = start ? (const void *)*start : NULL;
	const char *at, *end;

	memset(value, 0, count * sizeof(*value));
	if (!head || head->magic != (uint32_t)MAGIC || !head->accessible)
		return;
	at = (const char *)head + head->first;
	end = (const char *)head + head->used;
	for (uint32_t i = 0; i < head->entries && at + sizeof(struct entry) < end; i++) {
		const struct entry *entry = (const void *)at;

		for (unsigned n = 0; n < count; n++)
			if (entry->type == 'J' && entry->vector == 0 &&
				strcmp(at + entry->name, name[n]) == 0)
				value[n] = *(const uint64_t *)(const void *)(at + entry->data);
		if (entry->length == 0)
			return;
		at += entry->length;
	}
}

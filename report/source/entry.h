/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* entry: what an archive's entry holds. The archive may be anybody's. */
#ifndef JPROF_REPORT_ENTRY_H
#define JPROF_REPORT_ENTRY_H

#include "agent/io/archive.h"

/* The bytes of the entry at that place, with a zero behind them, owned by the caller (free). NULL: they are more
 * than `most`, damaged, packed in an unusual way; or there is no memory. */
char *entry_read(const struct archive *archive, int descriptor, size_t place, size_t most,
	size_t *length);

#endif

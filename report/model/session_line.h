/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* session_line: what reports say of a recording that several sessions shared. */
#ifndef JPROF_REPORT_SESSION_LINE_H
#define JPROF_REPORT_SESSION_LINE_H

#include "profile/profile_read.h"
#include "profile/store.h"

/* "session s2 of alice, shared with up to 3 others: ..."; empty: it was never shared. Of memory that the store lacks, too. */
struct label session_line(const struct profile *profile, struct store *store);

#endif

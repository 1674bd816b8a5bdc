/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * groups: virtual threads of one name are a group, whose parts, one a carrier, are rows of the file.
 * Here they are put together.
 *
 * The time that threads are parked may be negative in one part, and as much more in another one: sums
 * over the parts are right.
 */
#ifndef JPROF_PROFILE_GROUPS_H
#define JPROF_PROFILE_GROUPS_H

#include "profile/contents.h"

/* Each group's row gets the nodes, the accounts and the sums of its parts, path by path; their rows are
 * gone. base: the values that the nodes point to, which others take the place of. 0, or -1 without memory:
 * the profile is then fit for profile_free alone. */
int groups_merge(struct profile *profile, uint64_t **base);

#endif

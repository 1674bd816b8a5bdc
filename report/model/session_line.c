/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* session_line: see session_line.h. */
#include "report/model/session_line.h"

#include <inttypes.h>

/* What others' sessions and its own scope mean for its figures. */
struct label session_line(const struct profile *profile, struct store *store)
{
	const struct profile_session *session = profile->session;
	unsigned others = session ? profile_others(profile) : 0;
	const char *with = "", *without = "";

	if (!session)
		return (struct label){"", 0};
	if (others > 0)
		with = store_format(store,
			", shared with up to %u other%s: their probes took time in it, too",
			others, others == 1 ? "" : "s")
			       .text;
	if ((session->scoped || session->tag) && profile->unlabelled_calls > 0)
		without = store_format(store,
			"; without %" PRIu64 " calls that were counted without a path",
			profile->unlabelled_calls)
				  .text;
	return store_format(
		store, "session %s of %s%s%s", session->name, session->owner, with, without);
}

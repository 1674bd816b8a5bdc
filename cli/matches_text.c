/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* matches_text: see matches_text.h. */
#include "cli/matches_text.h"

#include "cli/terminal/say.h"
#include "options/matches.h"

static void say_line(void *user, const char *line)
{
	(void)user;
	say("%s", line);
}

bool matches_tell(const json_t *rows, bool has_ended)
{
	const char *option = matches_nothing(rows);

	matches_say(rows, has_ended, MATCHES_SAID, say_line, NULL);
	if (!option || !has_ended)
		return false;
	say(MATCHES_NOTHING, "", option);
	return true;
}

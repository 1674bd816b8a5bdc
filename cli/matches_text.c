/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* matches_text: see matches_text.h. */
#include "cli/matches_text.h"

#include "cli/say.h"
#include "options/matches.h"

/* Lines; a config file may hold hundreds of patterns. */
enum { SAID = 5 };

static void say_line(void *user, const char *line)
{
	size_t *said = user;

	if ((*said)++ < SAID)
		say("%s", line);
}

bool matches_tell(const json_t *rows, bool has_ended)
{
	size_t said = 0;
	const char *option = matches_nothing(rows);

	matches_say(rows, has_ended, say_line, &said);
	if (said > SAID)
		say("and %zu patterns more have matched nothing", said - SAID);
	if (option == NULL || !has_ended)
		return false;
	say(MATCHES_NOTHING, "", option);
	return true;
}

/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* choices: see choices.h. */
#include "options/choices.h"

#include <stdio.h>
#include <string.h>

void choices_add(struct choices *choices, const char *name)
{
	size_t used = strlen(choices->known);

	nearest_offer(&choices->nearest, name);
	snprintf(choices->known + used, sizeof(choices->known) - used, "%s%s",
		used > 0 ? ", " : "", name);
}

const char *choices_text(struct choices *choices, const char *what)
{
	const char *guess = nearest_guess(&choices->nearest);

	snprintf(choices->text, sizeof(choices->text), ";%s%s%s the %s are %s",
		guess != NULL ? " did you mean '" : "", guess != NULL ? guess : "",
		guess != NULL ? "'?" : "", what, choices->known);
	return choices->text;
}

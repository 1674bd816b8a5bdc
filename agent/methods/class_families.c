/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* class_families: see class_families.h. */
#include "agent/methods/class_families.h"

#include <stdint.h>
#include <string.h>

#include "agent/methods/name_counts.h"
#include "profile/name_pattern.h"

enum { GRAINS = 3 };

static struct name_counts apart;          /* classes */
static struct name_counts family[GRAINS]; /* with so many classes that are apart */
static const uint64_t most[GRAINS] = {FAMILY_ALIKE_MAX, FAMILY_INSIDE_MAX, FAMILY_PACKAGE_MAX};

/* The class's family of that grain; empty: it is in none. */
static void family_name(const char *class_name, int grain, char name[FAMILY_NAME_MAX])
{
	struct pattern_text text = {.bytes = name, .size = FAMILY_NAME_MAX};
	const char *end = strrchr(class_name, grain == 1 ? '$' : '.');

	if (grain == 0) {
		pattern_put_name(&text, class_name, strlen(class_name));
	} else if (end && end > class_name) {
		pattern_put_name(&text, class_name, (size_t)(end - class_name) + 1);
		pattern_put(&text, "*", 1);
	}
	name[text.full ? 0 : text.length] = '\0';
	if (!strchr(name, '*'))
		*name = '\0';
}

bool class_is_apart(const char *class_name, char name[FAMILY_NAME_MAX])
{
	if (name_counts_of(&apart, class_name) > 0)
		return true;
	for (int i = 0; i < GRAINS; i++) {
		family_name(class_name, i, name);
		if (*name && name_counts_of(&family[i], name) >= most[i])
			return false;
	}
	for (int i = 0; i < GRAINS; i++) {
		family_name(class_name, i, name);
		if (*name)
			name_counts_add(&family[i], name);
	}
	name_counts_add(&apart, class_name);
	return true;
}

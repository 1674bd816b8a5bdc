/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* account_kinds: see account_kinds.h. */
#include "profile/account_kinds.h"

#include <string.h>

const char *const account_kind_names[ACCOUNT_KINDS + 1] = {
#define X(kind, name, subject, group) [kind] = name,
	ACCOUNT_KIND_TABLE(X)
#undef X
};

static const struct {
	enum subject subject;
	const char *group;
} kinds[ACCOUNT_KINDS] = {
#define X(kind, name, subject, group) [kind] = {subject, group},
	ACCOUNT_KIND_TABLE(X)
#undef X
};

const char *account_kind_name(enum account_kind kind)
{
	return account_kind_names[kind];
}

const char *account_kind_group(enum account_kind kind)
{
	return kinds[kind].group;
}

enum subject account_kind_subject(enum account_kind kind)
{
	return kinds[kind].subject;
}

enum account_kind account_kind_find(const char *name)
{
	int i = 0;

	while (i < ACCOUNT_KINDS && strcmp(account_kind_names[i], name) != 0)
		i++;
	return (enum account_kind)i;
}

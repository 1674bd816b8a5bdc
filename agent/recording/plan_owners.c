/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* plan_owners: see plan_owners.h. */
#include "agent/recording/plan_owners.h"

#include "agent/methods/plan.h"
#include "agent/methods/value_rows.h"
#include "agent/probes/counted_calls.h"

enum {
	OWNER_CALLS,
	OWNER_COUNTED,
	OWNER_TIMED,
	OWNER_WATCHED,
	OWNER_SCOPE,
	OWNER_VALUES,
	OWNER_SITES,
	OWNER_ENTRIES,
	OWNERS
};

static struct plan_owner owners[PROFILE_SESSIONS_MAX][OWNERS];
static bool is_in[PROFILE_SESSIONS_MAX][OWNERS];

static probe_set probes_of_calls(const struct session *session)
{
	if (session_keeps_budget(session))
		return PROBE_CALLS;
	if (session->options.calls == CALLS_COUNT)
		return PROBE_COUNTED;
	return session_has_probes(session) ? PROBE_TIMED : PROBE_NONE;
}

/* What the session wants of methods: an owner each. */
struct row {
	bool wanted;
	struct plan_owner owner;
};

static const struct pattern_list none;

/* Calls that are recorded, of methods that a list names. */
static struct plan_owner named(probe_set probes, const struct pattern_list *include)
{
	return (struct plan_owner){.probes = probes,
		.named = true,
		.records = true,
		.include = include,
		.exclude = &none,
		.scope = &none};
}

static void rows_of_calls(const struct session *session, struct row rows[OWNERS])
{
	const struct options *options = &session->options;
	bool probes = session_has_probes(session);

	rows[OWNER_CALLS] = (struct row){true, {.probes = probes_of_calls(session),
						       .records = true,
						       .include = &options->include,
						       .exclude = &options->exclude,
						       .scope = &none}};
	rows[OWNER_COUNTED] = (struct row){probes && options->counted.count > 0,
		named(counted_calls_possible() ? PROBE_COUNTED : PROBE_TIMED,
			&options->counted)};
	rows[OWNER_TIMED] = (struct row){
		probes && options->timed.count > 0, named(PROBE_TIMED, &options->timed)};
	rows[OWNER_WATCHED] = (struct row){options->distribution.count > 0,
		named(probes ? PROBE_TIMED | PROBE_WATCHED : PROBE_NONE,
			&options->distribution)};
	rows[OWNER_WATCHED].owner.watches = true;
	/* The exits of a scope's methods have to be seen. */
	rows[OWNER_SCOPE] = (struct row){options->scope.count > 0,
		named(probes ? PROBE_TIMED : PROBE_NONE, &options->scope)};
	rows[OWNER_SCOPE].owner.scope = &options->scope;
	rows[OWNER_VALUES] = (struct row){
		session_reads_values(session), named(PROBE_TIMED, &session->valued)};
	rows[OWNER_VALUES].owner.values = true;
	rows[OWNER_VALUES].owner.wants = value_rows_want;
}

/* Conditions on entries are those of the recording's begin: a guest has only such as the host has, and their places. */
static void rows_of_others(const struct session *session, struct row rows[OWNERS])
{
	rows[OWNER_SITES] = (struct row){session->options.call_sites.count > 0,
		{.sites = true,
			.include = &session->options.call_sites,
			.exclude = &none,
			.scope = &none}};
	rows[OWNER_ENTRIES] =
		(struct row){session->entered.count > 0 && session->host->entered.count > 0,
			{.probes = PROBE_ENTRY,
				.include = &session->host->entered,
				.noted = &session->entered,
				.exclude = &none,
				.scope = &none}};
}

void plan_owners_begin(const struct session *session)
{
	struct row rows[OWNERS];

	rows_of_calls(session, rows);
	rows_of_others(session, rows);
	for (int i = 0; i < OWNERS; i++) {
		struct plan_owner *owner = &owners[session->bit][i];

		is_in[session->bit][i] = rows[i].wanted;
		if (!rows[i].wanted)
			continue;
		*owner = rows[i].owner;
		owner->session = session->bit;
		plan_add(owner);
	}
}

void plan_owners_leave(const struct session *session)
{
	for (int i = 0; i < OWNERS; i++)
		if (is_in[session->bit][i])
			plan_leave(&owners[session->bit][i]);
}

void plan_owners_end(const struct session *session)
{
	for (int i = OWNERS; i-- > 0;) {
		if (is_in[session->bit][i])
			plan_remove(&owners[session->bit][i]);
		is_in[session->bit][i] = false;
	}
}

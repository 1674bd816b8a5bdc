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

void plan_owners_begin(const struct session *session)
{
	static const struct pattern_list none;
	const struct options *options = &session->options;
	bool probes = session_has_probes(session);
	const struct {
		bool wanted;
		struct plan_owner owner;
	} rows[OWNERS] = {
		[OWNER_CALLS] = {true, {.probes = probes_of_calls(session),
					       .records = true,
					       .include = &options->include,
					       .exclude = &options->exclude,
					       .scope = &none}},
		[OWNER_COUNTED] = {probes && options->counted.count > 0,
			{.probes = counted_calls_possible() ? PROBE_COUNTED : PROBE_TIMED,
				.named = true,
				.records = true,
				.include = &options->counted,
				.exclude = &none,
				.scope = &none}},
		[OWNER_TIMED] = {probes && options->timed.count > 0,
			{.probes = PROBE_TIMED,
				.named = true,
				.records = true,
				.include = &options->timed,
				.exclude = &none,
				.scope = &none}},
		[OWNER_WATCHED] = {options->distribution.count > 0,
			{.probes = probes ? PROBE_TIMED | PROBE_WATCHED : PROBE_NONE,
				.named = true,
				.records = true,
				.watches = true,
				.include = &options->distribution,
				.exclude = &none,
				.scope = &none}},
		/* The exits of a scope's methods have to be seen. */
		[OWNER_SCOPE] = {options->scope.count > 0,
			{.probes = probes ? PROBE_TIMED : PROBE_NONE,
				.named = true,
				.records = true,
				.include = &options->scope,
				.exclude = &none,
				.scope = &options->scope}},
		[OWNER_VALUES] = {session_reads_values(session),
			{.probes = PROBE_TIMED,
				.named = true,
				.records = true,
				.values = true,
				.wants = value_rows_want,
				.include = &session->valued,
				.exclude = &none,
				.scope = &none}},
		[OWNER_SITES] = {options->call_sites.count > 0,
			{.sites = true,
				.include = &options->call_sites,
				.exclude = &none,
				.scope = &none}},
		[OWNER_ENTRIES] = {session->entered.count > 0,
			{.probes = PROBE_ENTRY,
				.include = &session->entered,
				.exclude = &none,
				.scope = &none}},
	};

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

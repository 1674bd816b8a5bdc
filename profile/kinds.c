/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* kinds: see kinds.h. */
#include "profile/kinds.h"

const char *const io_kind_names[IO_KINDS + 1] = {
#define X(kind, name) [kind] = name,
	IO_KIND_TABLE(X)
#undef X
};

const char *const collection_kind_names[COLLECTION_KINDS + 1] = {
#define X(kind, name) [kind] = name,
	COLLECTION_KIND_TABLE(X)
#undef X
};

const char *const deoptimization_kind_names[DEOPTIMIZATION_KINDS + 1] = {
#define X(kind, name) [kind] = name,
	DEOPTIMIZATION_KIND_TABLE(X)
#undef X
};

const char *const account_kind_names[ACCOUNT_KINDS + 1] = {
#define X(kind, name, subject, group, trace) [kind] = name,
	ACCOUNT_KIND_TABLE(X)
#undef X
};

const char *const call_figure_names[CALL_FIGURES + 1] = {
#define X(figure, name) [figure] = name,
	CALL_FIGURE_TABLE(X)
#undef X
};

const char *const trace_kind_names[TRACE_KINDS + 1] = {
#define X(kind, name) [kind] = name,
	TRACE_KIND_TABLE(X)
#undef X
};

const char *const method_kind_names[METHOD_KINDS + 1] = {
#define X(kind, name) [kind] = name,
	METHOD_KIND_TABLE(X)
#undef X
};

_Static_assert((int)SAMPLE_STATES <= SAMPLE_STATES_MAX, "a place has room for every state");

const char *const sample_state_names[SAMPLE_STATES + 1] = {
#define X(state, name) [state] = name,
	SAMPLE_STATE_TABLE(X)
#undef X
};

static const struct {
	enum subject subject;
	const char *group;
	enum trace_kind trace;
} kinds[ACCOUNT_KINDS] = {
#define X(kind, name, subject, group, trace) [kind] = {subject, group, trace},
	ACCOUNT_KIND_TABLE(X)
#undef X
};

const char *account_kind_group(enum account_kind kind)
{
	return kinds[kind].group;
}

enum subject account_kind_subject(enum account_kind kind)
{
	return kinds[kind].subject;
}

enum trace_kind account_kind_trace(enum account_kind kind)
{
	return kinds[kind].trace;
}

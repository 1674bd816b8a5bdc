/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* call_kinds: see call_kinds.h. */
#include "agent/methods/call_kinds.h"

#include <string.h>

#include "agent/methods/methods.h"

/* Ids from METHODS on are timed. SMALL: instructions of a method that is never timed, if it neither loops nor calls. */
enum { METHODS = 1 << 18, SMALL = 60 };

static _Atomic uint8_t kinds[METHODS];

void call_kinds_forget(void)
{
	for (uint32_t id = 0; id < METHODS && id < methods_end(); id++)
		atomic_store_explicit(&kinds[id], CALL_UNSEEN, memory_order_relaxed);
}

static enum call_kind kind_by_code(const struct rewrite_method *code)
{
	struct rewrite_outline outline = {0};

	/* Of a native method only its calls tell what it takes. */
	if (!code || !code->code)
		return CALL_TIMED;
	outline = rewrite_outline(code);
	return outline.instructions <= SMALL && !outline.loops && !outline.calls ? CALL_SMALL
										 : CALL_COUNTED;
}

enum call_kind call_kind_see(uint32_t method, const struct rewrite_method *code)
{
	uint8_t unseen = CALL_UNSEEN;

	if (method >= METHODS)
		return CALL_TIMED;
	if (atomic_load(&kinds[method]) == CALL_UNSEEN)
		atomic_compare_exchange_strong(&kinds[method], &unseen, kind_by_code(code));
	return atomic_load(&kinds[method]);
}

enum call_kind call_kind_of(uint32_t method)
{
	return method < METHODS ? atomic_load_explicit(&kinds[method], memory_order_relaxed)
				: CALL_UNSEEN;
}

void call_kind_change(uint32_t method, enum call_kind kind)
{
	if (method < METHODS)
		atomic_store(&kinds[method], kind);
}

probe_set call_kind_probes(
	probe_set planned, uint32_t method, const struct rewrite_method *code)
{
	if ((planned & PROBE_CALLS) != PROBE_CALLS)
		return planned;
	return planned & (probe_set) ~(call_kind_see(method, code) == CALL_TIMED ? PROBE_COUNTED
										 : PROBE_TIMED);
}

void call_kinds_count(uint64_t count[CALL_KINDS])
{
	memset(count, 0, CALL_KINDS * sizeof(*count));
	for (uint32_t id = 0; id < METHODS && id < methods_end(); id++)
		count[call_kind_of(id)]++;
}

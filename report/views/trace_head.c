/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* trace_head: see trace_head.h. */
#include "report/views/trace_head.h"

#include <inttypes.h>
#include <string.h>

#include "report/model/trace_times.h"
#include "report/text/figure.h"

/* A fact, and a line with its number in the midst; before NULL: it is no number; behind NULL: the trace's views tell it in a way
 * of their own. */
static const struct loss {
	const char *key;
	enum trace_kind trace;
	const char *before, *behind;
} losses[] = {
	{"objects.lost", TRACE_OBJECTS, "", NULL},
	{"objects.lost_bytes", TRACE_OBJECTS, "", NULL},
	{"objects.cut", TRACE_OBJECTS, "", NULL},
	{"objects.untracked", TRACE_OBJECTS, "", NULL},
	{"locks.lost", TRACE_LOCKS, "", "waits are not told: there was no room for them"},
	{"locks.cut", TRACE_LOCKS, "",
		"more waits were under way as the trace ended, and are not told"},
	{"locks.folded", TRACE_LOCKS, "",
		"waits are told by lock alone: there was no room for paths"},
	{"locks.unnamed", TRACE_LOCKS, "",
		"waits are told by class: there was no room for locks"},
	{"locks.holder_unknown", TRACE_LOCKS, "of ", "waits the holder could not be told"},
	{"locks.held_no_path", TRACE_LOCKS, "of ",
		"waits the holder's path is not known: stacks of holders are read 2,000 times "
		"a second at most"},
	{"gc.lost", TRACE_GC, "",
		"collections and safepoints are left out: too many waited to be written"},
	{"gc.unread_bytes", TRACE_GC, "", "bytes of the JVM's log came too fast to be read"},
	{"gc.strange_lines", TRACE_GC, "", "lines of the JVM's log were not understood"},
	{"gc.forgotten", TRACE_GC, "", "collections have no row: their end was not told"},
	{"gc.silenced", TRACE_GC, NULL,
		"something may lack: somebody else has switched the JVM's log off"},
	{"trace.lost.gc", TRACE_GC, "", "times a thread that was stopped could not be told"},
	{"jit.lost", TRACE_JIT, "",
		"compilations and deoptimizations are left out: too many waited to be "
		"written"},
	{"jit.unread_bytes", TRACE_JIT, "", "bytes of the JVM's log came too fast to be read"},
	{"jit.strange_lines", TRACE_JIT, "", "lines of the JVM's log were not understood"},
	{"jit.forgotten", TRACE_JIT, "", "compilations have no row: their end was not told"},
	{"jit.silenced", TRACE_JIT, NULL,
		"something may lack: somebody else has switched the JVM's log off"},
	{"trace.lost.throw", TRACE_EXCEPTIONS, "",
		"exceptions more are left out: there was no room for their stacks"},
	{"trace.lost.throwable", TRACE_EXCEPTIONS, "",
		"exceptions more are left out: there was no room for their stacks"},
	{"exceptions.lost", TRACE_EXCEPTIONS, "",
		"exceptions more are left out: their stacks got lost"},
	{"exceptions.unresolved", TRACE_EXCEPTIONS, "",
		"exceptions more are left out: who caught them was lost"},
	{"trace.lost.load", TRACE_CLASSES, "",
		"classes have no call path: there was no room for their stacks"},
	{"classes.unlisted", TRACE_CLASSES, "",
		"classes more are counted by loader and not listed"},
	{"classes.unread_bytes", TRACE_CLASSES, "",
		"bytes of the JVM's log came too fast to be read: when classes were "
		"initialized lacks"},
	{"classes.strange_lines", TRACE_CLASSES, "",
		"lines of the JVM's log were not understood"},
	{"classes.silenced", TRACE_CLASSES, NULL,
		"when classes were initialized may lack: somebody else has switched the JVM's "
		"log off"},
	{"trace.lost.start", TRACE_THREADS, "",
		"starts of threads have no call path: there was no room for their stacks"},
	{"threads.unlisted", TRACE_THREADS, "",
		"times a thread was looked at that has no row: there are too many"},
	{"events.lost", TRACE_EVENTS, "", NULL},
	{"events.odd", TRACE_EVENTS, "", NULL},
};

enum { LOSSES = sizeof(losses) / sizeof(*losses) };

void trace_head_losses(const struct report *report, struct sink *sink, enum trace_kind kind)
{
	for (const struct loss *loss = losses; loss < losses + LOSSES; loss++) {
		uint64_t number = profile_meta_number(report->model->profile, loss->key);

		if (loss->trace != kind || number == 0 || !loss->behind)
			continue;
		if (loss->before)
			sink_title(sink, "%s%s %s", loss->before,
				figure_text(FIGURE_COUNT, number).text, loss->behind);
		else
			sink_title(sink, "%s", loss->behind);
	}
}

void trace_head(const struct report *report, struct sink *sink, enum trace_kind kind)
{
	const struct trace_line line = trace_line(report->model->profile, kind);

	if (line.text[0] != '\0')
		sink_title(sink, "%s", line.text);
	if (!sink->format->title)
		sink_note(sink, "traced_ns",
			store_format(report->model->store, "%" PRIu64,
				trace_times(report->model->profile, kind).ns)
				.text,
			"");
	trace_head_losses(report, sink, kind);
}

bool trace_fact_is_loss(const char *key)
{
	const struct loss *loss = losses;

	while (loss < losses + LOSSES && strcmp(loss->key, key) != 0)
		loss++;
	return loss < losses + LOSSES;
}

/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* event_choice: what views of a trace of events share: which of it is wanted, and what is to be said of it. */
#ifndef JPROF_REPORT_EVENT_CHOICE_H
#define JPROF_REPORT_EVENT_CHOICE_H

#include "report/views/view.h"

/* The time that is wanted, ns since the session began; UINT64_MAX: to the end. */
uint64_t event_from(const struct report *report);
uint64_t event_to(const struct report *report);

/* True for a chosen thread of the trace, by its place. */
bool event_wants_thread(const struct report *report, uint32_t thread);

/* What a thread is called, as views of threads have it. */
const char *event_thread_name(const struct report *report, uint32_t thread);

/* A method as people read it; 0: "(not known)". */
struct label event_method_name(const struct report *report, uint32_t method);

/* Says what the figures lack: events that were lost, blocks that cannot be read, exits that match nothing. */
void event_say(const struct report *report, uint64_t lost, uint64_t damaged, uint64_t odd);

/* A line in front of the rows where what was kept was written, not all: what for. */
void event_note(const struct report *report, struct sink *sink);

#endif

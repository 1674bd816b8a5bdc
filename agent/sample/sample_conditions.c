/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* What an item of the option `sample` means, and whether this machine can do it: see sampling.h. */
#include <linux/perf_event.h>
#include <stdio.h>

#include "agent/log/log.h"
#include "agent/sample/sampling.h"
#include "metric/metric.h"

/* The shortest period that jprof decides on: who asks for a shorter one wants the stacks. */
#define DEAR_PERIOD_NS UINT64_C(1000000)

/* A part of the period that an interrupt takes at most. Programs that fill their caches lose five times as much. */
enum { DEAR_SHARE = 100 };

/* ns of an interrupt where it takes too large a part of the period; else 0. */
static uint64_t dear_interrupt(uint64_t period)
{
	static uint64_t interrupt;
	static bool measured;

	if (period < DEAR_PERIOD_NS)
		return 0;
	if (!measured)
		interrupt = sample_event_interrupt_ns();
	measured = true;
	return interrupt > period / DEAR_SHARE ? interrupt : 0;
}

/* Processor time: by perf, the kernel's part too; by timers where that is not allowed, or slows the program down. */
static int choose_clock(struct condition *condition)
{
	struct sample_event_choice *event = &condition->event;
	uint64_t dear;

	event->clock = true;
	event->kernel_stack = true;
	event->perf = (struct perf_event_choice){
		.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_TASK_CLOCK};
	event->timers = sample_event_try(event) < 0;
	dear = event->timers ? 0 : dear_interrupt(event->period);
	if (!event->timers && dear == 0) {
		snprintf(condition->how, sizeof(condition->how), "perf task-clock");
		return 0;
	}
	if (event->timers)
		snprintf(condition->how, sizeof(condition->how),
			"timers of the kernel's tick: perf events are forbidden here");
	else
		snprintf(condition->how, sizeof(condition->how),
			"timers of the kernel's tick: an interrupt of perf's takes %.0f us "
			"here",
			(double)dear / 1000);
	event->timers = true;
	event->kernel_stack = false;
	log_line(LOG_INFO, "sample=%s: %s; stacks are without the kernel's part",
		condition->name, condition->how);
	return 0;
}

static int choose_event(struct condition *condition, struct error *error)
{
	struct sample_event_choice *event = &condition->event;
	int status = metric_event(&event->perf, condition->choice.event, error);

	if (status < 0)
		return status;
	event->kernel_stack = !event->perf.exclude_kernel;
	snprintf(condition->how, sizeof(condition->how), "perf event");
	status = sample_event_try(event);
	if (status < 0)
		return perf_event_explain(error, condition->name, &event->perf, -status);
	return 0;
}

int sampling_choose(struct condition *condition, const char *item, struct error *error)
{
	const char *wrong = sample_choice_read(item, &condition->choice);

	if (wrong)
		return error_set(error, ERROR_VALUE, "option 'sample': '%s' %s",
			error_subject(item).text, wrong);
	snprintf(condition->name, sizeof(condition->name), "%s", item);
	condition->event.period = condition->choice.period;
	switch (condition->choice.kind) {
	case SAMPLE_CPU:
		return choose_clock(condition);
	case SAMPLE_EVENT:
		return choose_event(condition, error);
	case SAMPLE_ALLOC:
		snprintf(condition->how, sizeof(condition->how),
			"the JVM's samples of allocations");
		condition->event.period = 0;
		return 0;
	case SAMPLE_ENTER:
		snprintf(condition->how, sizeof(condition->how), "probes at the entry");
		condition->event.period = 0;
		return 0;
	case SAMPLE_WALL:
		snprintf(condition->how, sizeof(condition->how),
			"a clock that looks at Java's threads");
		condition->event.period = 0;
		return 0;
	default:
		return error_set(error, ERROR_VALUE, "sample=%s: is not there yet", item);
	}
}

/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* What an item of the option `sample` means, and whether this machine can do it: see sampling.h. */
#include <linux/perf_event.h>
#include <stdio.h>

#include "agent/log/log.h"
#include "agent/sample/sampling.h"
#include "metric/metric.h"

/* Processor time: by perf, the kernel's part too; where that is not allowed, by timers. */
static int choose_clock(struct condition *condition, struct error *error)
{
	struct sample_event_choice *event = &condition->event;

	event->clock = true;
	event->kernel_stack = true;
	event->perf = (struct perf_event_choice){
		.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_TASK_CLOCK};
	condition->how = "perf task-clock";
	if (sample_event_try(event) == 0)
		return 0;
	event->timers = true;
	event->kernel_stack = false;
	condition->how = "timers of the kernel's tick: perf events are forbidden here";
	log_line(LOG_INFO,
		"sample=%s: perf events are forbidden here, timers do it: a sample each tick "
		"of "
		"the kernel, without its part of the stack",
		condition->name);
	return 0;
}

static int choose_event(struct condition *condition, struct error *error)
{
	struct sample_event_choice *event = &condition->event;
	int status = metric_event(&event->perf, condition->choice.event, error);

	if (status < 0)
		return status;
	event->kernel_stack = !event->perf.exclude_kernel;
	condition->how = "perf event";
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
		return choose_clock(condition, error);
	case SAMPLE_EVENT:
		return choose_event(condition, error);
	case SAMPLE_ALLOC:
		condition->how = "the JVM's samples of allocations";
		condition->event.period = 0;
		return 0;
	case SAMPLE_ENTER:
		condition->how = "probes at the entry";
		condition->event.period = 0;
		return 0;
	case SAMPLE_WALL:
		condition->how = "a clock that looks at Java's threads";
		condition->event.period = 0;
		return 0;
	default:
		return error_set(error, ERROR_VALUE, "sample=%s: is not there yet", item);
	}
}

/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * metric_print: what can be counted on this machine, what it costs, and why not the rest.
 *
 * Each name is tried as a session of its own, so that the list tells what a session would.
 */
#include <stdlib.h>
#include <string.h>

#include "metric/metric.h"
#include "metric/metric_cost.h"
#include "metric/papi_names.h"
#include "metric/perf_names.h"

/* A name that cannot be counted. */
struct metric_missing {
	char name[64];
	char *reason; /* owned, or NULL without memory */
};

struct metric_list {
	FILE *out;
	struct metric_missing *missing; /* owned */
	size_t missing_count;
	bool no_memory;
};

/* Of "cannot count 'cycles': this machine has no ..." what stands behind the name. */
static const char *metric_reason(const struct error *error)
{
	const char *behind = strstr(error->text, "': ");

	return behind ? behind + 3 : error->text;
}

static void metric_list_missing(
	struct metric_list *list, const char *name, const struct error *error)
{
	struct metric_missing *more =
		realloc(list->missing, (list->missing_count + 1) * sizeof(*list->missing));

	if (!more) {
		list->no_memory = true;
		return;
	}
	list->missing = more;
	more += list->missing_count++;
	snprintf(more->name, sizeof(more->name), "%s", name);
	more->reason = strdup(metric_reason(error));
}

static void metric_list_name(void *argument, const char *name)
{
	struct metric_list *list = argument;
	char *pattern[] = {(char *)name};
	struct pattern_list names = {.pattern = pattern, .count = 1};
	struct metric_set set;
	struct error error = {0};

	if (metric_set_init(&set, &names, &error) != 0) {
		metric_list_missing(list, name, &error);
		return;
	}
	fprintf(list->out, "%-26s %-8s %-46s %8.1f\n", set.metric[0].name, set.metric[0].unit,
		set.metric[0].how, metric_cost(&set));
}

static void metric_list_fixed(struct metric_list *list)
{
#define X(kind, name, unit) name,
	static const char *const fixed[] = {METRIC_KIND_TABLE(X)};
#undef X

	for (size_t i = 0; i < sizeof(fixed) / sizeof(*fixed); i++)
		if (fixed[i])
			metric_list_name(list, fixed[i]);
}

static void metric_list_print_missing(const struct metric_list *list)
{
	if (list->missing_count == 0)
		return;
	fprintf(list->out, "\nnot available here:\n");
	for (size_t i = 0; i < list->missing_count; i++)
		fprintf(list->out, "%-26s %s\n", list->missing[i].name,
			list->missing[i].reason ? list->missing[i].reason : "");
}

static void metric_list_fini(struct metric_list *list)
{
	for (size_t i = 0; i < list->missing_count; i++)
		free(list->missing[i].reason);
	free(list->missing);
}

int metric_print_available(FILE *out)
{
	struct metric_list list = {.out = out};

	fprintf(out, "%-26s %-8s %-46s %8s\n", "NAME", "UNIT", "READ BY", "COST(ns)");
	metric_list_fixed(&list);
	perf_names_generic(metric_list_name, &list);
	for (size_t i = 0; i < papi_name_count; i++)
		metric_list_name(&list, papi_names[i].name);
	metric_list_print_missing(&list);
	fprintf(out, "\n");
	perf_names_print_pmus(out);
	metric_list_fini(&list);
	return list.no_memory || ferror(out) ? -ERROR_IO : 0;
}

/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * perf_names: libpfm4, asked once per metric.
 */
#include "metric/perf_names.h"

#include <ctype.h>
#include <perfmon/pfmlib_perf_event.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>

#define PERF_NAME_LONGEST 64

/* Called for one event of one PMU; false ends the walk. */
typedef bool (*perf_walker)(
	void *argument, const pfm_pmu_info_t *pmu, const pfm_event_info_t *event);

/* Events that happen in the kernel only: counted in user mode, they stay 0. */
static const uint64_t perf_kernel_only[] = {PERF_COUNT_SW_CONTEXT_SWITCHES,
	PERF_COUNT_SW_CPU_MIGRATIONS, PERF_COUNT_SW_CGROUP_SWITCHES};

static pthread_once_t perf_names_once = PTHREAD_ONCE_INIT;
static int perf_names_state;

static void perf_names_start(void)
{
	perf_names_state = pfm_initialize();
}

static bool perf_names_ready(void)
{
	pthread_once(&perf_names_once, perf_names_start);
	return perf_names_state == PFM_SUCCESS;
}

static bool perf_pmu(int number, pfm_pmu_info_t *pmu)
{
	*pmu = (pfm_pmu_info_t){.size = sizeof(*pmu)};
	return pfm_get_pmu_info((pfm_pmu_t)number, pmu) == PFM_SUCCESS;
}

static bool perf_walk_pmu(const pfm_pmu_info_t *pmu, perf_walker walker, void *argument)
{
	for (int i = pmu->first_event; i != -1; i = pfm_get_event_next(i)) {
		pfm_event_info_t event = {.size = sizeof(event)};

		if (pfm_get_event_info(i, PFM_OS_NONE, &event) == PFM_SUCCESS &&
			!walker(argument, pmu, &event))
			return false;
	}
	return true;
}

static void perf_walk(perf_walker walker, void *argument)
{
	pfm_pmu_info_t pmu;

	if (!perf_names_ready())
		return;
	for (int i = 0; i < PFM_PMU_MAX; i++)
		if (perf_pmu(i, &pmu) && !perf_walk_pmu(&pmu, walker, argument))
			return;
}

static int perf_encode(const char *name, int modes, struct perf_event_attr *attr)
{
	pfm_perf_encode_arg_t encode = {.attr = attr, .size = sizeof(encode)};

	memset(attr, 0, sizeof(*attr));
	attr->size = sizeof(*attr);
	return pfm_get_os_event_encoding(name, modes, PFM_OS_PERF_EVENT_EXT, &encode);
}

static bool perf_is_kernel_only(const struct perf_event_attr *attr)
{
	if (attr->type != PERF_TYPE_SOFTWARE)
		return attr->type == PERF_TYPE_TRACEPOINT;
	for (size_t i = 0; i < sizeof(perf_kernel_only) / sizeof(*perf_kernel_only); i++)
		if (attr->config == perf_kernel_only[i])
			return true;
	return false;
}

/* An event's name, looked for in the PMUs that other machines have. */
struct perf_elsewhere {
	const char *event; /* without PMU, up to the first ':' */
	size_t length;
	char pmu[PERF_NAME_LONGEST]; /* where it was found, or "" */
};

static bool perf_look_elsewhere(
	void *argument, const pfm_pmu_info_t *pmu, const pfm_event_info_t *event)
{
	struct perf_elsewhere *elsewhere = argument;

	if (pmu->is_present || strncasecmp(event->name, elsewhere->event, elsewhere->length) ||
		event->name[elsewhere->length] != '\0')
		return true;
	snprintf(elsewhere->pmu, sizeof(elsewhere->pmu), "%s", pmu->name);
	return false;
}

/* Why libpfm4 does not know a name. */
static int perf_refuse(const char *name, int pfm_error, struct error *error)
{
	const char *event = strstr(name, "::");
	struct perf_elsewhere elsewhere = {0};

	if (pfm_error != PFM_ERR_NOTFOUND && pfm_error != PFM_ERR_NOTSUPP)
		return error_set(error, ERROR_VALUE, "cannot count '%s': libpfm4 says: %s",
			name, pfm_strerror(pfm_error));
	elsewhere.event = event ? event + 2 : name;
	elsewhere.length = strcspn(elsewhere.event, ":");
	perf_walk(perf_look_elsewhere, &elsewhere);
	if (elsewhere.pmu[0] == '\0')
		return PERF_NAME_UNKNOWN;
	return error_set(error, ERROR_MISSING,
		"cannot count '%s': it is an event of other processors (libpfm4's '%s'), and "
		"this machine has none of them",
		name, elsewhere.pmu);
}

int perf_name_resolve(struct perf_event_choice *choice, const char *name, struct error *error)
{
	struct perf_event_attr attr;
	int result;

	if (!perf_names_ready())
		return error_set(error, ERROR_MISSING, "cannot count '%s': libpfm4 says: %s",
			name, pfm_strerror(perf_names_state));
	result = perf_encode(name, PFM_PLM3, &attr);
	if (result == PFM_SUCCESS && perf_is_kernel_only(&attr))
		result = perf_encode(name, PFM_PLM0 | PFM_PLM3, &attr);
	if (result != PFM_SUCCESS)
		return perf_refuse(name, result, error);
	if (attr.sample_period != 0 || attr.precise_ip != 0)
		return error_set(error, ERROR_VALUE,
			"cannot count '%s': it asks for samples, and a metric is a count",
			name);
	*choice = (struct perf_event_choice){
		.type = attr.type,
		.config = attr.config,
		.config1 = attr.config1,
		.config2 = attr.config2,
		.exclude_user = attr.exclude_user,
		.exclude_kernel = attr.exclude_kernel,
		.exclude_hv = attr.exclude_hv,
		.exclude_guest = attr.exclude_guest,
		.exclude_host = attr.exclude_host,
		.hardware =
			attr.type != PERF_TYPE_SOFTWARE && attr.type != PERF_TYPE_TRACEPOINT,
	};
	choice->user_read = choice->hardware;
	return 0;
}

/* Who is called with names, and the name that came last. */
struct perf_visit {
	void (*visit)(void *argument, const char *name);
	void *argument;
	const char *equivalent;
};

/* libpfm4 lists CYCLES and CPU-CYCLES, one behind the other, as equivalents of
 * PERF_COUNT_HW_CPU_CYCLES: the first of each is the one to show. */
static bool perf_visit_generic(
	void *argument, const pfm_pmu_info_t *pmu, const pfm_event_info_t *event)
{
	struct perf_visit *visit = argument;
	char name[PERF_NAME_LONGEST];
	size_t i;

	if (pmu->pmu != PFM_PMU_PERF_EVENT || !event->equiv)
		return true;
	if (visit->equivalent && strcmp(visit->equivalent, event->equiv) == 0)
		return true;
	visit->equivalent = event->equiv;
	for (i = 0; event->name[i] != '\0' && i < sizeof(name) - 1; i++)
		name[i] = (char)tolower((unsigned char)event->name[i]);
	name[i] = '\0';
	visit->visit(visit->argument, name);
	return true;
}

void perf_names_generic(void (*visit)(void *argument, const char *name), void *argument)
{
	struct perf_visit generic = {.visit = visit, .argument = argument};

	perf_walk(perf_visit_generic, &generic);
}

static bool perf_visit_present(
	void *argument, const pfm_pmu_info_t *pmu, const pfm_event_info_t *event)
{
	struct perf_visit *visit = argument;

	if (pmu->is_present)
		visit->visit(visit->argument, event->name);
	return true;
}

void perf_names_present(void (*visit)(void *argument, const char *name), void *argument)
{
	struct perf_visit present = {.visit = visit, .argument = argument};

	perf_walk(perf_visit_present, &present);
}

void perf_names_print_pmus(FILE *out)
{
	pfm_pmu_info_t pmu;

	if (!perf_names_ready())
		return;
	for (int i = 0; i < PFM_PMU_MAX; i++)
		if (perf_pmu(i, &pmu) && pmu.is_present && pmu.type == PFM_PMU_TYPE_CORE)
			fprintf(out,
				"%s (%s) has %d events of its own: name one "
				"%s::EVENT:UMASK\n",
				pmu.name, pmu.desc, pmu.nevents, pmu.name);
	fprintf(out, "An event that libpfm4 has no name for is named by its raw code: rHEX\n");
}

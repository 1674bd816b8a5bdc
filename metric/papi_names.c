/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * papi_names: the table. A preset has a row where some single event means what the preset
 * means; presets that PAPI derives from several events have none.
 */
#include "metric/papi_names.h"

#include <strings.h>

/* Generic events of the kernel first, then Intel's and Arm's own where there is none: the
 * kernel's generic caches have a first and a last level, but no second. */
const struct papi_name papi_names[] = {
	{"PAPI_TOT_INS", {"PERF_COUNT_HW_INSTRUCTIONS"}},
	{"PAPI_TOT_CYC", {"PERF_COUNT_HW_CPU_CYCLES"}},
	{"PAPI_REF_CYC", {"PERF_COUNT_HW_REF_CPU_CYCLES"}},
	{"PAPI_RES_STL", {"PERF_COUNT_HW_STALLED_CYCLES_BACKEND"}},
	{"PAPI_BR_INS", {"PERF_COUNT_HW_BRANCH_INSTRUCTIONS"}},
	{"PAPI_BR_MSP", {"PERF_COUNT_HW_BRANCH_MISSES"}},
	{"PAPI_LD_INS", {"MEM_INST_RETIRED:ALL_LOADS", "LD_RETIRED"}},
	{"PAPI_SR_INS", {"MEM_INST_RETIRED:ALL_STORES", "ST_RETIRED"}},
	{"PAPI_L1_DCM",
		{"L1D_CACHE_REFILL", "L1D:REPLACEMENT", "PERF_COUNT_HW_CACHE_L1D:READ:MISS"}},
	{"PAPI_L1_LDM", {"PERF_COUNT_HW_CACHE_L1D:READ:MISS"}},
	{"PAPI_L1_STM", {"PERF_COUNT_HW_CACHE_L1D:WRITE:MISS"}},
	{"PAPI_L1_ICM", {"L1I_CACHE_REFILL", "PERF_COUNT_HW_CACHE_L1I:READ:MISS"}},
	/* Intel's from Ice Lake on count requests of programs alone, not of prefetchers. */
	{"PAPI_L2_TCM", {"L2_RQSTS:MISS", "L2_RQSTS:ALL_DEMAND_MISS", "L2D_CACHE_REFILL"}},
	{"PAPI_L2_TCA", {"L2_RQSTS:REFERENCES", "L2_RQSTS:ALL_DEMAND_REFERENCES", "L2D_CACHE"}},
	{"PAPI_L3_TCM",
		{"LONGEST_LAT_CACHE:MISS", "L3D_CACHE_REFILL", "PERF_COUNT_HW_CACHE_MISSES"}},
	{"PAPI_L3_TCA",
		{"LONGEST_LAT_CACHE:REFERENCE", "L3D_CACHE", "PERF_COUNT_HW_CACHE_REFERENCES"}},
	{"PAPI_L3_LDM", {"PERF_COUNT_HW_CACHE_LL:READ:MISS"}},
	{"PAPI_TLB_DM", {"L1D_TLB_REFILL", "PERF_COUNT_HW_CACHE_DTLB:READ:MISS"}},
	{"PAPI_TLB_IM", {"L1I_TLB_REFILL", "PERF_COUNT_HW_CACHE_ITLB:READ:MISS"}},
};

const size_t papi_name_count = sizeof(papi_names) / sizeof(*papi_names);

const struct papi_name *papi_name_find(const char *name)
{
	for (size_t i = 0; i < papi_name_count; i++)
		if (strcasecmp(papi_names[i].name, name) == 0)
			return &papi_names[i];
	return NULL;
}

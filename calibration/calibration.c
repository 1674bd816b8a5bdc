/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* calibration: see calibration.h. */
#include "calibration/calibration.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_FIRST = 64 };

struct calibration *calibration_create(void)
{
	return calloc(1, sizeof(struct calibration));
}

void calibration_destroy(struct calibration *calibration)
{
	if (!calibration)
		return;
	free(calibration->row);
	free(calibration);
}

int calibration_add_metric(
	struct calibration *calibration, const char *name, const char *unit, double relative)
{
	struct calibration_metric *metric = &calibration->metric[calibration->metric_count];

	if (calibration->metric_count == PROFILE_METRIC_MAX ||
		strlen(name) >= sizeof(metric->name) || strlen(unit) >= sizeof(metric->unit))
		return -1;
	for (unsigned i = 0; i < calibration->metric_count; i++)
		if (strcmp(calibration->metric[i].name, name) == 0)
			return -1;
	snprintf(metric->name, sizeof(metric->name), "%s", name);
	snprintf(metric->unit, sizeof(metric->unit), "%s", unit);
	metric->relative = metric->interpreted = relative;
	calibration->metric_count++;
	identity_add_metric(&calibration->identity, name);
	return 0;
}

static int grow(struct calibration *calibration)
{
	size_t capacity =
		calibration->row_capacity ? 2 * calibration->row_capacity : ROWS_FIRST;
	struct calibration_row *row = realloc(calibration->row, capacity * sizeof(*row));

	if (!row)
		return -1;
	calibration->row = row;
	calibration->row_capacity = capacity;
	return 0;
}

struct calibration_row *calibration_add_row(struct calibration *calibration, uint32_t code)
{
	struct calibration_row *row;
	struct sequence_words words;

	if (!sequence_to_words(code, &words) || calibration->place[code] != 0)
		return NULL;
	if (calibration->row_count == calibration->row_capacity && grow(calibration) < 0)
		return NULL;
	row = &calibration->row[calibration->row_count++];
	*row = (struct calibration_row){.code = code};
	calibration->place[code] = (uint16_t)calibration->row_count;
	return row;
}

const struct calibration_row *calibration_row(
	const struct calibration *calibration, uint32_t code)
{
	if (code >= SEQUENCE_CODES || calibration->place[code] == 0)
		return NULL;
	return &calibration->row[calibration->place[code] - 1];
}

/* ---- the nearest ---- */

static unsigned state_of(unsigned type)
{
	return type >> 1;
}

/* The state of the method whose probe began the delta: that of the callee, or of the method
 * that was left. */
static unsigned begin_state(uint32_t code)
{
	return state_of(sequence_begin(code) == TRANSITION_ENTRY ? sequence_second_type(code)
								 : sequence_first_type(code));
}

static unsigned end_state(uint32_t code)
{
	return state_of(sequence_end(code) == TRANSITION_ENTRY ? sequence_third_type(code)
							       : sequence_second_type(code));
}

static bool same_states(uint32_t a, uint32_t b)
{
	return state_of(sequence_first_type(a)) == state_of(sequence_first_type(b)) &&
	       state_of(sequence_second_type(a)) == state_of(sequence_second_type(b)) &&
	       state_of(sequence_third_type(a)) == state_of(sequence_third_type(b));
}

/* Of a delta that an exit by exception ends only the second method is known. */
static enum calibration_fit fit_unwinds(uint32_t a, uint32_t b)
{
	if (state_of(sequence_second_type(a)) == state_of(sequence_second_type(b)))
		return FIT_STATES;
	return FIT_TRANSITION;
}

static enum calibration_fit fit_of(uint32_t a, uint32_t b)
{
	if (a == b)
		return FIT_EXACT;
	if ((a >= SEQUENCE_UNWIND) != (b >= SEQUENCE_UNWIND))
		return FIT_NONE;
	if (a >= SEQUENCE_UNWIND)
		return fit_unwinds(a, b);
	if (sequence_begin(a) != sequence_begin(b) || sequence_end(a) != sequence_end(b))
		return FIT_NONE;
	if (same_states(a, b))
		return FIT_STATES;
	if (begin_state(a) == begin_state(b) && end_state(a) == end_state(b))
		return FIT_PROBES;
	return FIT_TRANSITION;
}

const struct calibration_row *calibration_nearest(
	const struct calibration *calibration, uint32_t code, enum calibration_fit *fit)
{
	const struct calibration_row *nearest = calibration_row(calibration, code);

	*fit = nearest ? FIT_EXACT : FIT_NONE;
	for (size_t i = 0; *fit != FIT_EXACT && i < calibration->row_count; i++) {
		const struct calibration_row *row = &calibration->row[i];
		enum calibration_fit its = fit_of(code, row->code);

		if (its > *fit || (its == *fit && nearest && row->count > nearest->count)) {
			*fit = its;
			nearest = row;
		}
	}
	return nearest;
}

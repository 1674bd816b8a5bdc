/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* sequence_model: see sequence_model.h. */
#include "sequence_model.h"

#include "trace_test.h"

#include <stdlib.h>
#include <string.h>

const char *sequence_model_type(enum call_state state, bool is_static)
{
	switch (state) {
	case STATE_INTERPRETED:
		return is_static ? "interpreted static" : "interpreted";
	case STATE_JITTED:
		return is_static ? "jitted static" : "jitted";
	case STATE_NATIVE:
		return is_static ? "native static" : "native";
	default:
		return "outside";
	}
}

void sequence_model_init(struct sequence_model *model)
{
	memset(model, 0, sizeof(*model));
	model->first = model->second = "outside";
	model->begin = "entry";
}

void sequence_model_event(
	struct sequence_model *model, const char *end, const char *third, const uint64_t *used)
{
	bool unwind = strcmp(end, "unwind") == 0;
	struct sequence_words words = {.second = model->second, .end = end};
	int code;

	if (!unwind) {
		words.first = model->first;
		words.begin = model->begin;
		words.third = third;
	}
	code = sequence_from_words(&words);
	assert_true(code >= 0);
	for (int i = 0; i < 2; i++) {
		if (model->cell[code].count == 0 || used[i] < model->cell[code].min[i])
			model->cell[code].min[i] = used[i];
		model->cell[code].sum[i] += used[i];
	}
	model->cell[code].count++;
	model->first = model->second;
	model->begin = unwind ? "exit" : end;
	model->second = third;
}

void sequence_model_outside(struct sequence_model *model)
{
	model->second = "outside";
}

void sequence_model_add(struct sequence_model *model, const struct sequence_model *from)
{
	for (uint32_t code = 0; code < SEQUENCE_CODES; code++) {
		if (from->cell[code].count == 0)
			continue;
		for (int i = 0; i < 2; i++) {
			uint64_t min = from->cell[code].min[i];

			if (model->cell[code].count == 0 || min < model->cell[code].min[i])
				model->cell[code].min[i] = min;
			model->cell[code].sum[i] += from->cell[code].sum[i];
		}
		model->cell[code].count += from->cell[code].count;
	}
}

void sequence_model_check(const struct sequence_model *model, struct trace *trace)
{
	uint64_t *cells = calloc(trace_sequences_words(2), sizeof(*cells));

	assert_int_equal(trace_sequences(trace, cells), 0);
	for (uint32_t code = 0; code < SEQUENCE_CODES; code++) {
		const uint64_t *cell = &cells[code * sequence_words_of(2)];

		assert_int_equal(cell[0], model->cell[code].count);
		for (int i = 0; i < 2; i++) {
			assert_int_equal(cell[1 + 2 * i], model->cell[code].sum[i]);
			if (cell[0] > 0)
				assert_int_equal(cell[2 + 2 * i], model->cell[code].min[i]);
		}
	}
	free(cells);
}

void sequence_model_check_sum(const struct sequence_model *model, struct trace *trace)
{
	uint64_t *cells = calloc(trace_sequences_words(2), sizeof(*cells));
	uint64_t uncounted = trace_sequences(trace, cells), missing = 0;

	for (uint32_t code = 0; code < SEQUENCE_CODES; code++) {
		const uint64_t *cell = &cells[code * sequence_words_of(2)];

		assert_true(cell[0] <= model->cell[code].count);
		assert_true(cell[1] <= model->cell[code].sum[0]);
		missing += model->cell[code].count - cell[0];
	}
	assert_int_equal(uncounted, missing);
	free(cells);
}

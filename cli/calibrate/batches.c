/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* batches: see batches.h. */
#include "cli/calibrate/batches.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int take_batch(
	struct batches *batches, const char *name, const json_t *batch, struct error *error)
{
	json_int_t rounds = json_integer_value(json_object_get(batch, "rounds"));
	json_int_t number = json_integer_value(json_object_get(batch, "repetition"));
	const json_t *values = json_object_get(batch, "values");
	struct batch_program *program = batches_find(batches, name);

	if (rounds <= 0 || number <= 0 || number > SAMPLES_MAX ||
		strlen(name) >= sizeof(program->name))
		return error_set(error, ERROR_FORMAT,
			"the calibration's program printed what is not understood");
	if (!program) {
		program = realloc(batches->program, (batches->count + 1) * sizeof(*program));
		if (!program)
			return error_set(error, ERROR_MEMORY, "no memory");
		batches->program = program;
		program += batches->count++;
		memset(program, 0, sizeof(*program));
		snprintf(program->name, sizeof(program->name), "%s", name);
	}
	if (number > batches->repetitions)
		batches->repetitions = (unsigned)number;
	for (unsigned i = 0; i < batches->metric_count; i++) {
		const json_t *value = json_object_get(values, batches->metric[i]);

		if (!json_is_integer(value) || json_integer_value(value) < 0)
			return error_set(error, ERROR_MISSING,
				"the calibration's program could not measure '%s'",
				error_subject(batches->metric[i]).text);
		samples_add(
			&program->round[i], (double)json_integer_value(value) / (double)rounds);
	}
	return 0;
}

int batches_take(struct batches *batches, const char *line, struct error *error)
{
	json_t *batch = json_loads(line, 0, NULL);
	const char *name = json_string_value(json_object_get(batch, "program"));
	int code = name ? take_batch(batches, name, batch, error) : 0;

	json_decref(batch);
	return code;
}

void batches_fini(struct batches *batches)
{
	free(batches->program);
}

struct batch_program *batches_find(const struct batches *batches, const char *name)
{
	for (size_t i = 0; i < batches->count; i++)
		if (strcmp(batches->program[i].name, name) == 0)
			return &batches->program[i];
	return NULL;
}

double batches_round(const struct batches *batches, const char *name, unsigned metric)
{
	const struct batch_program *program = batches_find(batches, name);

	return program ? samples_median(&program->round[metric]) : 0;
}

/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* expectations: see expectations.h. */
#include "cli/selftest/expectations.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static int not_understood(struct error *error)
{
	return error_set(
		error, ERROR_FORMAT, "the selftest's program printed what is not understood");
}

int expectations_metric(const struct expectations *expectations, const char *name)
{
	for (unsigned i = 0; i < expectations->metric_count; i++)
		if (strcmp(expectations->metric[i], name) == 0)
			return (int)i;
	return -1;
}

static int take_values(const struct expectations *expectations, double *to,
	const json_t *values, struct error *error)
{
	for (unsigned i = 0; i < expectations->metric_count; i++) {
		const json_t *value = json_object_get(values, expectations->metric[i]);

		if (!json_is_number(value) || !isfinite(json_number_value(value)))
			return not_understood(error);
		to[i] = json_number_value(value);
	}
	return 0;
}

static int take_count(uint64_t *to, const json_t *value, struct error *error)
{
	double number = json_number_value(value);

	if (!json_is_number(value) || !(number >= -0.5 && number < 1e18))
		return not_understood(error);
	*to = (uint64_t)llround(fmax(0, number));
	return 0;
}

static int take_method(struct expectations *expectations, const json_t *line, const char *name,
	struct error *error)
{
	struct expectation *method = &expectations->method[expectations->count];
	json_t *before = json_object_get(line, "before"), *value;
	const char *metric;
	int code;

	if (expectations->count == EXPECTATIONS_MAX || strlen(name) >= sizeof(method->name))
		return not_understood(error);
	/* The first method's metrics are those of all. */
	if (expectations->count == 0)
		json_object_foreach(before, metric, value)
		{
			char *to = expectations->metric[expectations->metric_count];

			if (expectations->metric_count == PROFILE_METRIC_MAX ||
				strlen(metric) >= sizeof(expectations->metric[0]))
				return not_understood(error);
			memcpy(to, metric, strlen(metric) + 1);
			expectations->metric_count++;
		}
	if (expectations->metric_count == 0)
		return not_understood(error);
	memcpy(method->name, name, strlen(name) + 1);
	method->share = json_number_value(json_object_get(line, "share"));
	code = take_count(&method->calls, json_object_get(line, "calls"), error);
	if (code == 0)
		code = take_count(&method->bytes, json_object_get(line, "bytes"), error);
	if (code == 0)
		code = take_values(expectations, method->before, before, error);
	if (code == 0)
		code = take_values(
			expectations, method->after, json_object_get(line, "after"), error);
	expectations->count += code == 0;
	return code;
}

int expectations_take(struct expectations *expectations, const char *line, struct error *error)
{
	json_t *object = json_loads(line, 0, NULL);
	const char *name = json_string_value(json_object_get(object, "method"));
	int code = name ? take_method(expectations, object, name, error) : 0;

	json_decref(object);
	return code;
}

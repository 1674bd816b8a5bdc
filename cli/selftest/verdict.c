/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* verdict: see verdict.h. */
#include "cli/selftest/verdict.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

/* ---- what is expected ---- */

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

/* ---- values ---- */

/* Percent of a metric that a method uses, or is said to use, at least, to be judged. */
#define JUDGED 0.1

double verdict_share(double value, double sum)
{
	return sum > 0 ? 100 * value / sum : 0;
}

bool verdict_holds(const struct verdict_value *value)
{
	/* Values are whole numbers, what is expected a mean. */
	return fabs(value->expected - value->adjusted) <= value->error + value->uncertainty + 1;
}

bool verdict_judges(const struct verdict_sum *sum, const struct verdict_value *value)
{
	return verdict_share(value->expected, sum->value.expected) >= JUDGED ||
	       verdict_share(value->adjusted, sum->value.adjusted) >= JUDGED;
}

/* ---- gathering ---- */

static void add_errors(struct adjust_errors *sum, const struct adjust_errors *errors)
{
	sum->whole += errors->whole;
	sum->common += errors->common;
	sum->square += errors->square;
}

static void find_error(struct verdict_value *value)
{
	value->error = (double)adjust_half_width(
		&value->errors, (uint64_t)value->adjusted, (uint64_t)value->raw);
}

static void take_node(struct verdict *verdict, const struct adjusted *adjusted, size_t node)
{
	const struct profile *profile = verdict->profile;
	const struct profile_method *seen = &profile->method[profile->node[node].method];
	struct verdict_method *method = verdict->method, *end = method + verdict->count;

	if (!seen->class_name || strcmp(seen->class_name, "selftest.Shares") != 0)
		return;
	while (method < end && strcmp(method->expectation->name, seen->name) != 0)
		method++;
	if (method == end)
		return;
	method->calls += profile->node[node].calls;
	for (unsigned i = 0; i < verdict->metric_count; i++) {
		struct verdict_value *value = &method->value[i];
		double raw = (double)profile->node[node].base[i];
		struct adjust_errors errors;

		value->raw += raw;
		if (!adjusted) {
			value->adjusted += raw;
			continue;
		}
		value->adjusted += (double)adjusted->base[node * verdict->metric_count + i];
		errors = adjusted_errors(adjusted, profile, node, i);
		add_errors(&value->errors, &errors);
	}
}

static void judge_metric(struct verdict *verdict, unsigned metric)
{
	struct verdict_sum *sum = &verdict->sum[metric];
	struct verdict_value *all = &sum->value;

	for (size_t i = 0; i < verdict->count; i++) {
		struct verdict_value *value = &verdict->method[i].value[metric];

		find_error(value);
		all->expected += value->expected;
		all->uncertainty += value->uncertainty;
		all->raw += value->raw;
		all->adjusted += value->adjusted;
		add_errors(&all->errors, &value->errors);
	}
	find_error(all);
	for (size_t i = 0; i < verdict->count; i++) {
		const struct verdict_value *value = &verdict->method[i].value[metric];
		double expected = verdict_share(value->expected, all->expected);
		double off = fabs(verdict_share(value->adjusted, all->adjusted) - expected);
		double raw_off = fabs(verdict_share(value->raw, all->raw) - expected);

		if (!verdict_judges(sum, value))
			continue;
		sum->judged++;
		sum->hold += verdict_holds(value);
		sum->near += off <= VERDICT_NEAR;
		sum->raw_near += raw_off <= VERDICT_NEAR;
		sum->worst = fmax(sum->worst, off);
		sum->raw_worst = fmax(sum->raw_worst, raw_off);
	}
}

/* What was measured of a metric without probes. */
static int take_expected(struct verdict *verdict, const struct expectations *expectations,
	unsigned metric, struct error *error)
{
	const char *name = verdict->profile->metric[metric].name;
	int place = expectations_metric(expectations, name);

	if (place < 0)
		return error_set(error, ERROR_FORMAT,
			"the selftest's program has not measured '%s'",
			error_subject(name).text);
	for (size_t i = 0; i < verdict->count; i++) {
		struct verdict_value *value = &verdict->method[i].value[metric];
		double before = expectations->method[i].before[place];
		double after = expectations->method[i].after[place];

		/* Differences of measured times may be below zero. */
		value->expected = fmax(0, (before + after) / 2);
		value->uncertainty = fabs(before - after) / 2;
	}
	return 0;
}

int verdict_reach(struct verdict *verdict, const struct expectations *expectations,
	const struct profile *profile, const struct adjustment *adjustment, struct error *error)
{
	int code = 0;

	*verdict = (struct verdict){.profile = profile,
		.is_adjusted = adjustment->calibration,
		.metric_count = profile->metric_count,
		.count = expectations->count};
	for (size_t i = 0; i < verdict->count; i++)
		verdict->method[i].expectation = &expectations->method[i];
	for (unsigned i = 0; i < verdict->metric_count && code == 0; i++)
		code = take_expected(verdict, expectations, i, error);
	for (size_t i = 0; i < profile->node_count; i++)
		take_node(verdict, verdict->is_adjusted ? &adjustment->adjusted : NULL, i);
	for (unsigned i = 0; i < verdict->metric_count; i++)
		judge_metric(verdict, i);
	for (size_t i = 0; i < verdict->count; i++)
		verdict->calls_exact +=
			verdict->method[i].calls == verdict->method[i].expectation->calls;
	return code;
}

/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* print_verdict: a verdict as tables, or as one JSON object; see verdict.h. */
#include "cli/selftest/verdict.h"

#include <jansson.h>
#include <math.h>

#include "error/error.h"
#include "error/harmless.h"

/* ---- text ---- */

#define NAME  "  %-14s"
#define SHARE " %8.2f ±%-6.2f"

static void print_row(FILE *out, const struct verdict *verdict,
	const struct verdict_method *method, unsigned metric)
{
	const struct verdict_value *value = &method->value[metric];
	const struct verdict_value *all = &verdict->sum[metric].value;

	fprintf(out, NAME SHARE " %8.2f", method->expectation->name,
		verdict_share(value->expected, all->expected),
		verdict_share(value->uncertainty, all->expected),
		verdict_share(value->raw, all->raw));
	if (verdict->is_adjusted)
		fprintf(out, SHARE "%s", verdict_share(value->adjusted, all->adjusted),
			verdict_share(value->error, all->adjusted),
			verdict_holds(value) ? "" : " *");
	fprintf(out, "\n");
}

static void print_metric(FILE *out, const struct verdict *verdict, unsigned metric)
{
	const struct profile_metric *counted = &verdict->profile->metric[metric];
	const struct verdict_sum *sum = &verdict->sum[metric];
	const struct verdict_value *all = &sum->value;

	if (sum->judged == 0) {
		fprintf(out, "\n%s: not used by the program\n", counted->name);
		return;
	}
	fprintf(out, "\n%s, percent of all methods\n" NAME " %8s  %-6s %8s", counted->name,
		"method", "expected", "", "raw");
	fprintf(out, verdict->is_adjusted ? " adjusted\n" : "\n");
	for (size_t i = 0; i < verdict->count; i++)
		if (verdict_judges(sum, &verdict->method[i].value[metric]))
			print_row(out, verdict, &verdict->method[i], metric);
	fprintf(out, "  all methods, %s: expected %.0f ±%.0f, raw %.0f", counted->unit,
		all->expected, all->uncertainty, all->raw);
	if (verdict->is_adjusted)
		fprintf(out,
			", adjusted %.0f ±%.0f\n  %u of %u hold; adjusted shares within %.0f "
			"points: %u of %u, off by %.2f at most; ",
			all->adjusted, all->error, sum->hold, sum->judged, VERDICT_NEAR,
			sum->near, sum->judged, sum->worst);
	else
		fprintf(out, "\n  ");
	fprintf(out, "raw shares within %.0f points: %u of %u, off by %.2f at most\n",
		VERDICT_NEAR, sum->raw_near, sum->judged, sum->raw_worst);
}

int print_verdict_text(FILE *out, const struct verdict *verdict, const char *said)
{
	fprintf(out, "A method's name ends with the percent of CPU time that it is made for.\n"
		     "  expected  as measured without probes in the same JVM; ± half of what "
		     "before and after differ by\n"
		     "  raw       as counted with probes\n");
	if (verdict->is_adjusted)
		fprintf(out, "  adjusted  with jprof's own cost taken out; ± its error\n"
			     "  *         expected and adjusted are further apart than the two "
			     "allow\n");
	fprintf(out, "Calibration: ");
	harmless_put(out, said);
	fputc('\n', out);
	for (unsigned i = 0; i < verdict->metric_count; i++)
		print_metric(out, verdict, i);
	fprintf(out, "\n");
	for (size_t i = 0; i < verdict->count; i++) {
		const struct verdict_method *method = &verdict->method[i];
		unsigned long long expected = method->expectation->calls;

		if (method->calls != expected)
			fprintf(out, "calls of %s: %llu instead of %llu\n",
				method->expectation->name, (unsigned long long)method->calls,
				expected);
	}
	fprintf(out, "calls: those of %u of %zu methods are exact\n", verdict->calls_exact,
		verdict->count);
	return 0;
}

/* ---- JSON ---- */

/* Names of the objects with a number for each metric. */
static const struct quantity {
	const char *name;
	size_t offset;
	bool adjusted; /* only where there is a calibration */
} quantities[] = {
	{"expected", offsetof(struct verdict_value, expected), false},
	{"uncertainty", offsetof(struct verdict_value, uncertainty), false},
	{"raw", offsetof(struct verdict_value, raw), false},
	{"adjusted", offsetof(struct verdict_value, adjusted), true},
	{"error", offsetof(struct verdict_value, error), true},
};

/* Adds {"wall":..,"cpu":..} for each quantity; values are stride bytes apart, one a metric. */
static void add_quantities(json_t *to, const struct verdict *verdict,
	const struct verdict_value *first, size_t stride)
{
	for (size_t q = 0; q < sizeof(quantities) / sizeof(*quantities); q++) {
		json_t *numbers = json_object();

		for (unsigned i = 0; i < verdict->metric_count; i++) {
			const char *value = (const char *)first + i * stride;

			json_object_set_new(numbers, verdict->profile->metric[i].name,
				json_integer(llround(
					*(const double *)(value + quantities[q].offset))));
		}
		if (quantities[q].adjusted && !verdict->is_adjusted)
			json_decref(numbers);
		else
			json_object_set_new(to, quantities[q].name, numbers);
	}
}

static json_t *metric_of(const struct verdict *verdict, unsigned metric)
{
	const struct verdict_sum *sum = &verdict->sum[metric];
	json_t *object = json_pack("{s:s, s:s, s:i, s:i, s:f}", "name",
		verdict->profile->metric[metric].name, "unit",
		verdict->profile->metric[metric].unit, "judged", sum->judged, "raw_near",
		sum->raw_near, "raw_worst", sum->raw_worst);

	if (!verdict->is_adjusted)
		return object;
	json_object_set_new(object, "hold", json_integer(sum->hold));
	json_object_set_new(object, "near", json_integer(sum->near));
	json_object_set_new(object, "worst", json_real(sum->worst));
	return object;
}

static json_t *row_of(const struct verdict *verdict, const struct verdict_method *method)
{
	const struct expectation *expected = method->expectation;
	json_t *row = json_pack("{s:s, s:f, s:I, s:I, s:I}", "method", expected->name, "share",
		expected->share, "calls", (json_int_t)method->calls, "expected_calls",
		(json_int_t)expected->calls, "expected_bytes", (json_int_t)expected->bytes);
	json_t *holds = json_object();

	add_quantities(row, verdict, method->value, sizeof(method->value[0]));
	for (unsigned i = 0; i < verdict->metric_count; i++)
		json_object_set_new(holds, verdict->profile->metric[i].name,
			json_boolean(verdict_holds(&method->value[i])));
	if (verdict->is_adjusted)
		json_object_set(row, "holds", holds);
	json_decref(holds);
	return row;
}

int print_verdict_json(FILE *out, const struct verdict *verdict, const char *said)
{
	json_t *metrics = json_array(), *rows = json_array(), *sum = json_object();
	json_t *all = json_pack("{s:s, s:s, s:b, s:o, s:o, s:o}", "view", "selftest",
		"calibration", said, "adjusted", verdict->is_adjusted, "metrics", metrics,
		"rows", rows, "sum", sum);
	int failed;

	add_quantities(sum, verdict, &verdict->sum[0].value, sizeof(verdict->sum[0]));
	for (unsigned i = 0; i < verdict->metric_count; i++)
		json_array_append_new(metrics, metric_of(verdict, i));
	for (size_t i = 0; i < verdict->count; i++)
		json_array_append_new(rows, row_of(verdict, &verdict->method[i]));
	failed = all ? json_dumpf(all, out, JSON_INDENT(1) | JSON_REAL_PRECISION(6)) : -1;
	json_decref(all);
	fputc('\n', out);
	return failed ? -ERROR_MEMORY : 0;
}

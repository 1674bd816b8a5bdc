/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* print_verdict: see print_verdict.h. */
#include "cli/selftest/print_verdict.h"

#include <jansson.h>
#include <math.h>

#include "error/error.h"

/* ---- text ---- */

static bool is_used(const struct verdict_sum *sum)
{
	return sum->judged > 0;
}

static void print_row(FILE *out, const struct verdict_method *method,
	const struct verdict_value *value, const struct verdict *verdict,
	const struct verdict_value *all)
{
	fprintf(out, "  %-14s %8.2f ±%-6.2f %8.2f", method->expectation->name,
		verdict_share(value->expected, all->expected),
		verdict_share(value->uncertainty, all->expected),
		verdict_share(value->raw, all->raw));
	if (verdict->is_adjusted)
		fprintf(out, " %8.2f ±%-6.2f%s",
			verdict_share(value->adjusted, all->adjusted),
			verdict_share(value->error, all->adjusted),
			verdict_holds(value) ? "" : " *");
	fprintf(out, "\n");
}

static void print_closing(FILE *out, const struct verdict *verdict, unsigned metric)
{
	const struct verdict_sum *sum = &verdict->sum[metric];
	const char *unit = verdict->profile->metric[metric].unit;

	fprintf(out, "  all of them, %s: expected %.0f ±%.0f, raw %.0f", unit,
		sum->value.expected, sum->value.uncertainty, sum->value.raw);
	if (verdict->is_adjusted)
		fprintf(out, ", adjusted %.0f ±%.0f\n  %u of %u hold; ", sum->value.adjusted,
			sum->value.error, sum->hold, sum->judged);
	else
		fprintf(out, "\n  ");
	if (verdict->is_adjusted)
		fprintf(out, "shares within %.0f points: %u of %u, off by %.2f at most; ",
			VERDICT_NEAR, sum->near, sum->judged, sum->worst);
	fprintf(out, "raw shares: %u of %u, off by %.2f at most\n", sum->raw_near,
		sum->judged, sum->raw_worst);
}

static void print_metric(FILE *out, const struct verdict *verdict, unsigned metric)
{
	const struct profile_metric *name = &verdict->profile->metric[metric];
	const struct verdict_sum *sum = &verdict->sum[metric];

	if (!is_used(sum)) {
		fprintf(out, "%s: not used by the program\n", name->name);
		return;
	}
	fprintf(out, "%s, percent of all methods\n  %-14s %16s %8s%s\n", name->name, "method",
		"expected        ", "raw", verdict->is_adjusted ? " adjusted" : "");
	for (size_t i = 0; i < verdict->count; i++)
		print_row(out, &verdict->method[i], &verdict->method[i].value[metric], verdict,
			&sum->value);
	print_closing(out, verdict, metric);
}

static void print_calls(FILE *out, const struct verdict *verdict)
{
	for (size_t i = 0; i < verdict->count; i++) {
		const struct verdict_method *method = &verdict->method[i];

		if (method->calls != method->expectation->calls)
			fprintf(out, "calls of %s: %llu, of %llu\n", method->expectation->name,
				(unsigned long long)method->calls,
				(unsigned long long)method->expectation->calls);
	}
	fprintf(out, "calls: those of %u of %zu methods are exact\n", verdict->calls_exact,
		verdict->count);
}

int print_verdict_text(FILE *out, const struct verdict *verdict, const char *said)
{
	fprintf(out,
		"A method's name ends with the percent of CPU time that it is made for.\n"
		"expected: as measured without probes in the same JVM, ± half of what before "
		"and after differ by\n"
		"raw: as counted with probes%s\n"
		"calibration: %s\n",
		verdict->is_adjusted ? "; adjusted: with jprof's own cost taken out, ± its error;\n"
				       "*: expected and adjusted do not meet"
				     : "",
		said);
	for (unsigned i = 0; i < verdict->metric_count; i++)
		print_metric(out, verdict, i);
	print_calls(out, verdict);
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

static json_t *whole(double value)
{
	return json_integer(llround(value));
}

/* Adds {"wall":..,"cpu":..} for each quantity; values are stride bytes apart, one a metric. */
static void add_quantities(json_t *to, const struct verdict *verdict,
	const struct verdict_value *first, size_t stride)
{
	for (size_t q = 0; q < sizeof(quantities) / sizeof(*quantities); q++) {
		json_t *numbers = json_object();

		for (unsigned i = 0; i < verdict->metric_count; i++) {
			const char *value = (const char *)first + i * stride;

			json_object_set_new(numbers, verdict->profile->metric[i].name,
				whole(*(const double *)(value + quantities[q].offset)));
		}
		if (quantities[q].adjusted && !verdict->is_adjusted)
			json_decref(numbers);
		else
			json_object_set_new(to, quantities[q].name, numbers);
	}
}

static json_t *holds_of(const struct verdict *verdict, const struct verdict_method *method)
{
	json_t *holds = json_object();

	for (unsigned i = 0; i < verdict->metric_count; i++)
		json_object_set_new(holds, verdict->profile->metric[i].name,
			json_boolean(verdict_holds(&method->value[i])));
	return holds;
}

static json_t *row_of(const struct verdict *verdict, const struct verdict_method *method)
{
	json_t *row = json_pack("{s:s, s:f, s:I, s:I, s:I}", "method", method->expectation->name,
		"share", method->expectation->share, "calls", (json_int_t)method->calls,
		"expected_calls", (json_int_t)method->expectation->calls, "expected_bytes",
		(json_int_t)method->expectation->bytes);

	add_quantities(row, verdict, method->value, sizeof(method->value[0]));
	if (verdict->is_adjusted)
		json_object_set_new(row, "holds", holds_of(verdict, method));
	return row;
}

static json_t *sum_of(const struct verdict *verdict)
{
	json_t *sum = json_object();

	add_quantities(sum, verdict, &verdict->sum[0].value, sizeof(verdict->sum[0]));
	return sum;
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

int print_verdict_json(FILE *out, const struct verdict *verdict, const char *said)
{
	json_t *metrics = json_array(), *rows = json_array();
	json_t *all = json_pack("{s:s, s:s, s:b, s:o, s:o, s:o}", "view", "selftest",
		"calibration", said, "adjusted", verdict->is_adjusted, "metrics", metrics, "rows",
		rows, "sum", sum_of(verdict));
	int failed;

	for (unsigned i = 0; i < verdict->metric_count; i++)
		json_array_append_new(metrics, metric_of(verdict, i));
	for (size_t i = 0; i < verdict->count; i++)
		json_array_append_new(rows, row_of(verdict, &verdict->method[i]));
	failed = all ? json_dumpf(all, out, JSON_INDENT(1) | JSON_REAL_PRECISION(6)) : -1;
	json_decref(all);
	fputc('\n', out);
	return failed ? -ERROR_MEMORY : 0;
}

/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* rates_text: see rates_text.h. */
#include "cli/rates_text.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error/columns.h"
#include "error/harmless.h"
#include "report/text/out.h"

enum { NAME_LINE = 34, NARROWEST = 20, SHARE_WIDTH = 26 };

/* More than that is no count, and does not fit. */
#define LARGEST UINT64_C(1000000000000000000)

/* An answer's rates, read; a number that is missing is below 0. */
struct rates {
	double seconds, took_ms;
	double calls, io_ops, io_bytes, cpu, process_cpu, alloc; /* in a second */
	const json_t *top;
};

/* ---- reading ---- */

static double number_of(const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);

	return json_is_integer(value) && json_integer_value(value) >= 0
		       ? (double)json_integer_value(value)
		       : -1;
}

static double rate_of(double amount, double seconds)
{
	return amount < 0 ? -1 : amount / seconds;
}

/* False: nothing is recorded, or there are none. */
static bool read_rates(const json_t *status, struct rates *rates)
{
	const json_t *told = json_object_get(status, "rates");
	const json_t *metrics = json_object_get(told, "metrics");
	double ns = number_of(told, "span_ns");

	if (ns <= 0)
		return false;
	rates->seconds = ns / 1e9;
	rates->took_ms = number_of(told, "took_ns") / 1e6;
	rates->calls = rate_of(number_of(told, "calls"), rates->seconds);
	rates->io_ops = rate_of(number_of(told, "io_ops"), rates->seconds);
	rates->io_bytes = rate_of(number_of(told, "io_bytes"), rates->seconds);
	rates->cpu = rate_of(number_of(metrics, "cpu"), ns);
	rates->process_cpu = rate_of(number_of(told, "process_cpu_ns"), ns);
	rates->alloc = rate_of(number_of(metrics, "alloc"), rates->seconds);
	rates->top = json_object_get(told, "top");
	return true;
}

/* ---- values ---- */

/* "1,234,567", or "-". */
static void put_count(FILE *out, double value, int width)
{
	char digits[NUMBER_WIDTH], *end = digits + sizeof(digits) - 1, *start = end;

	*end = '\0';
	if (value >= 0)
		start = number_grouped(
			end, value < (double)LARGEST ? (uint64_t)(value + 0.5) : LARGEST);
	fprintf(out, "%*s", width, value >= 0 ? start : "-");
}

/* "12.3 MB", with three digits. */
static void put_size(FILE *out, double bytes)
{
	static const char *const units[] = {"bytes", "kB", "MB", "GB", "TB"};
	size_t unit = 0;

	if (bytes < 0) {
		fputs("-", out);
		return;
	}
	for (; bytes >= 999.5 && unit + 1 < sizeof(units) / sizeof(*units); unit++)
		bytes /= 1000;
	fprintf(out, "%.*f %s", unit == 0 || bytes >= 99.95 ? 0 : 1, bytes, units[unit]);
}

static void put_share(FILE *out, double share)
{
	if (share < 0)
		fputs("-", out);
	else
		fprintf(out, "%.0f %%", share * 100);
}

/* In at most that many columns, the middle of a longer one left out. Returns how many it took. */
static size_t put_name(FILE *out, const char *name, size_t width)
{
	enum { LONGEST = 1024 };
	char plain[LONGEST];
	size_t columns, head = width / 3, tail = width - head - 2, from;

	harmless_copy(plain, sizeof(plain), name, strlen(name));
	columns = columns_count(plain, strlen(plain));
	if (columns <= width) {
		fputs(plain, out);
		return columns;
	}
	from = columns_at_least(plain, columns - tail);
	head = columns_at_most(plain, head);
	fprintf(out, "%.*s..%s", (int)head, plain, plain + from);
	return columns_count(plain, head) + 2 +
	       columns_count(plain + from, strlen(plain + from));
}

static const char *name_of(const json_t *row)
{
	const char *name = json_string_value(json_object_get(row, "method"));

	return name ? name : "?";
}

/* ---- a screen ---- */

static void put_top(FILE *out, const struct rates *rates, unsigned width)
{
	size_t room = width > NARROWEST + SHARE_WIDTH ? width - SHARE_WIDTH : NARROWEST;

	if (json_array_size(rates->top) == 0)
		return;
	fprintf(out, "%-*s%16s%10s\n", (int)room, "Method", "Calls/s", "CPU");
	for (size_t i = 0; i < json_array_size(rates->top) && i < RATES_TOP; i++) {
		const json_t *row = json_array_get(rates->top, i);

		fprintf(out, "%*s", (int)(room - put_name(out, name_of(row), room - 1)), "");
		put_count(out, rate_of(number_of(row, "calls"), rates->seconds), 16);
		if (number_of(row, "cpu") >= 0)
			fprintf(out, "%8.1f %%",
				number_of(row, "cpu") / rates->seconds / 1e9 * 100);
		fputc('\n', out);
	}
}

static void put_armed(FILE *out, const json_t *status, long pid, const char *end)
{
	const char *state = json_string_value(json_object_get(status, "state"));

	fprintf(out, "process %ld: ", pid);
	put_name(out, state ? state : "?", NAME_LINE);
	fprintf(out, ", %s%s",
		state && strcmp(state, "recording") == 0 ? "no rates are told"
							 : "nothing is recorded",
		end);
}

static void put_screen(
	FILE *out, const json_t *status, const struct rates *rates, long pid, unsigned width)
{
	fprintf(out, "process %ld, recording for %.0f s; the last %.1f s, per second:\n", pid,
		number_of(status, "duration_ns") / 1e9, rates->seconds);
	fputs("calls       ", out);
	put_count(out, rates->calls, 16);
	fputs("   processor   ", out);
	put_share(out, rates->cpu);
	fputs(" in profiled threads, ", out);
	put_share(out, rates->process_cpu);
	fputs(" in all\nallocation  ", out);
	fputs("     ", out);
	put_size(out, rates->alloc);
	fputs("   I/O ", out);
	put_count(out, rates->io_ops, 0);
	fputs(" operations, ", out);
	put_size(out, rates->io_bytes);
	fputs("\nthreads     ", out);
	put_count(out, number_of(status, "threads_live"), 16);
	fputs("   memory ", out);
	put_size(out, number_of(json_object_get(status, "memory"), "used"));
	fputs(" of ", out);
	put_size(out, number_of(json_object_get(status, "memory"), "limit"));
	fprintf(out, "; a look takes %.1f ms\n", rates->took_ms);
	put_top(out, rates, width);
}

/* ---- a line ---- */

static void put_line(FILE *out, const struct rates *rates)
{
	enum { ROOM = 30 };

	fputs("calls/s ", out);
	put_count(out, rates->calls, 0);
	fputs("  cpu ", out);
	put_share(out, rates->cpu >= 0 ? rates->cpu : rates->process_cpu);
	fputs("  alloc/s ", out);
	put_size(out, rates->alloc);
	fputs("  io/s ", out);
	put_count(out, rates->io_ops, 0);
	fputs(" ", out);
	put_size(out, rates->io_bytes);
	if (json_array_size(rates->top) > 0) {
		fputs("  top ", out);
		put_name(out, name_of(json_array_get(rates->top, 0)), ROOM);
	}
}

/* ---- either ---- */

/* A screen so wide; 0: a line. */
static char *text_of(const json_t *status, long pid, unsigned width)
{
	struct rates rates;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	if (!read_rates(status, &rates))
		put_armed(out, status, pid, width > 0 ? "\n" : "");
	else if (width > 0)
		put_screen(out, status, &rates, pid, width);
	else
		put_line(out, &rates);
	if (fclose(out) != 0) {
		free(text);
		return NULL;
	}
	if (width > 0)
		columns_cut_lines(text, width);
	return text;
}

char *rates_screen(const json_t *status, long pid, unsigned width)
{
	return text_of(status, pid, width);
}

char *rates_line(const json_t *status)
{
	return text_of(status, (long)number_of(status, "pid"), 0);
}

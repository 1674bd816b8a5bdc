/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* figure: see figure.h. */
#include "report/text/figure.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "report/text/out.h"
#include "error/columns.h"
#include "error/harmless.h"
#include "error/utf8.h"

#define ELLIPSIS "\xe2\x80\xa6"

/* ---- numbers ---- */

/* A unit holds until the value would need a fourth digit before the point. */
static const struct unit {
	enum figure_kind kind;
	const char *name;
	double size;
} units[] = {
	{FIGURE_TIME, "ns", 1},
	{FIGURE_TIME, "us", 1e3},
	{FIGURE_TIME, "ms", 1e6},
	{FIGURE_TIME, "s", 1e9},
	{FIGURE_TIME, "min", 60e9},
	{FIGURE_TIME, "h", 3600e9},
	{FIGURE_BYTES, "B", 1},
	{FIGURE_BYTES, "kB", 1e3},
	{FIGURE_BYTES, "MB", 1e6},
	{FIGURE_BYTES, "GB", 1e9},
	{FIGURE_BYTES, "TB", 1e12},
	{FIGURE_BYTES, "PB", 1e15},
	{FIGURE_COUNT, "", 1},
	{FIGURE_COUNT, "k", 1e3},
	{FIGURE_COUNT, "M", 1e6},
	{FIGURE_COUNT, "G", 1e9},
	{FIGURE_COUNT, "T", 1e12},
};

#define UNITS (sizeof(units) / sizeof(units[0]))

struct figure figure_make(enum figure_kind kind, uint64_t value)
{
	struct figure figure = {"0", ""};
	double largest = kind == FIGURE_COUNT ? 9999.5 : 999.5, shown = 0;

	if (value == 0)
		return figure;
	for (size_t i = 0; i < UNITS; i++) {
		if (units[i].kind != kind)
			continue;
		figure.unit = units[i].name;
		shown = (double)value / units[i].size;
		if (shown < largest)
			break;
		largest = 999.5;
	}
	snprintf(figure.digits, sizeof(figure.digits), "%.*f",
		figure.unit[0] == '\0' || strcmp(figure.unit, "ns") == 0 ||
				strcmp(figure.unit, "B") == 0 || shown >= 99.95
			? 0
		: shown >= 9.995 ? 1
				 : 2,
		shown);
	return figure;
}

struct figure_text figure_text(enum figure_kind kind, uint64_t value)
{
	struct figure figure = figure_make(kind, value);
	struct figure_text text;

	snprintf(text.text, sizeof(text.text), "%s%s%s", figure.digits,
		figure.unit[0] != '\0' ? " " : "", figure.unit);
	return text;
}

struct figure_text figure_things(uint64_t count, const char *one)
{
	struct figure_text text, number = figure_text(FIGURE_COUNT, count);

	snprintf(text.text, sizeof(text.text), "%.16s %.12s%s", number.text, one,
		count == 1 ? "" : "s");
	return text;
}

struct figure_text figure_percent(uint64_t part, uint64_t whole)
{
	double share = whole > 0 ? 100 * (double)part / (double)whole : 0;
	struct figure_text text = {""};

	if (part == 0 || whole == 0)
		return text;
	if (share < 0.05)
		snprintf(text.text, sizeof(text.text), "<0.1%%");
	else
		snprintf(text.text, sizeof(text.text), "%.*f%%", share < 99.95 ? 1 : 0, share);
	return text;
}

static struct figure_text error_text(double percent)
{
	struct figure_text text;

	snprintf(text.text, sizeof(text.text), "±%.*f", percent < 9.95 ? 1 : 0,
		fmax(percent, 0.1));
	return text;
}

struct figure_text figure_share_error(uint64_t part, uint64_t whole, uint64_t taken)
{
	double share = whole > 0 ? (double)part / (double)whole : 0, error;
	struct figure_text text = {""};

	if (share <= 0 || share >= 1 || taken == 0)
		return text;
	error = 200 * sqrt(share * (1 - share) / (double)taken);
	return error_text(error);
}

struct figure_text figure_error(uint64_t error, uint64_t whole)
{
	double percent = whole > 0 ? 100 * (double)error / (double)whole : 0;

	return percent < 0.05 ? (struct figure_text){""} : error_text(percent);
}

/* ---- names ---- */

static void cut_out(char *text, size_t from, size_t to)
{
	memmove(text + from, text + to, strlen(text + to) + 1);
}

/* "org.h2.mvstore.MVMap.put(Object)": where the parameters begin, or the end. */
static size_t parameters_of(const char *name)
{
	size_t at = strcspn(name, "(");

	return at > 0 ? at : strlen(name);
}

/* Packages are what has two dots behind it before the parameters; from the first on each
 * becomes its initial until the name fits. */
static void shorten_packages(char *name, size_t columns)
{
	size_t at = 0;

	while (out_width(name, strlen(name)) > columns) {
		size_t end = parameters_of(name), dot = at + strcspn(name + at, ".");
		size_t next = dot < end ? dot + 1 + strcspn(name + dot + 1, ".") : end;
		size_t initial = at + columns_at_least(name + at, 1);

		if (next >= end)
			return;
		if (initial < dot) {
			cut_out(name, initial, dot);
			dot = initial;
		}
		at = dot + 1;
	}
}

/* "(int,String[])" becomes "(i,S)", which still tells methods of one name apart, mostly. */
static void shorten_parameters(char *name, size_t columns)
{
	size_t at = parameters_of(name);

	if (out_width(name, strlen(name)) <= columns)
		return;
	while (name[at] == '(' || name[at] == ',') {
		size_t initial = at + 1 + columns_at_least(name + at + 1, 1);
		size_t end = at + 1 + strcspn(name + at + 1, ",)");

		if (initial < end)
			cut_out(name, initial, end);
		at += 1 + strcspn(name + at + 1, ",)");
	}
}

/* "c.a.s.Order.total(i,S)" becomes "…Order.total(i,S)": which class it is says more than what is left of the
 * packages. */
static void leave_out_packages(char *name, size_t columns)
{
	size_t end = parameters_of(name), first = strcspn(name, "."), dots[2] = {0, 0};

	if (out_width(name, strlen(name)) <= columns)
		return;
	for (size_t at = first; at < end; at += 1 + strcspn(name + at + 1, ".")) {
		dots[0] = dots[1];
		dots[1] = at;
	}
	if (dots[0] < strlen(ELLIPSIS))
		return;
	memcpy(name, ELLIPSIS, strlen(ELLIPSIS));
	cut_out(name, strlen(ELLIPSIS), dots[0] + 1);
	/* One in the middle follows: it tells as much. */
	if (out_width(name, strlen(name)) > columns)
		cut_out(name, 0, strlen(ELLIPSIS));
}

/* ---- several names: "java.lang.Error  com.acme.Shop.pay", "byte[]  com.acme.Box.fill < com.acme.Main.main" ---- */

static void without_packages(char *word, bool is_class)
{
	size_t at = parameters_of(word);

	for (int left = is_class ? 1 : 2; at > 0; at--)
		if (word[at - 1] == '.' && --left == 0)
			break;
	cut_out(word, 0, at);
}

static void with_initials(char *word, bool is_class)
{
	shorten_parameters(word, 0);
}

/* Each word, the first being a class, until all fit. */
static void shorten_words(
	char *name, size_t columns, void (*shorten)(char *word, bool is_class))
{
	char word[512];

	for (size_t at = 0; name[at] != '\0' && out_width(name, strlen(name)) > columns;) {
		size_t length = strcspn(name + at, " "), left = length;

		if (length < sizeof(word)) {
			memcpy(word, name + at, length);
			word[length] = '\0';
			shorten(word, at == 0);
			left = strlen(word);
			memcpy(name + at, word, left);
			cut_out(name, at + left, at + length);
		}
		at += left;
		at += strspn(name + at, " ");
	}
}

/* Of a path, innermost first, the begin tells most. */
static void cut_path(char *name, size_t columns)
{
	if (columns < 2 || out_width(name, strlen(name)) <= columns || !strstr(name, " < "))
		return;
	strcpy(name + columns_at_most(name, columns - 1), ELLIPSIS);
}

/* How many bytes it has when it is harmless; at `most` or above: as many or more. */
static size_t harmless_length(const char *text, size_t length, size_t most)
{
	size_t whole = 0;

	for (size_t at = 0; at < length && whole < most;) {
		char escape[HARMLESS_ESCAPE];
		size_t span = harmless_span(text + at, length - at);

		at += span;
		whole += span;
		if (at < length) {
			at += harmless_escape(text + at, length - at, escape);
			whole += strlen(escape);
		}
	}
	return whole;
}

/* Fills name[0..size) with the label; with the begin and the end of one for which there is no room. */
static void copy_ends(char *name, size_t size, const char *label, size_t length)
{
	size_t used, end;

	if (harmless_length(label, length, size) < size) {
		harmless_copy(name, size, label, length);
		return;
	}
	used = harmless_copy(name, size / 2, label, length);
	memcpy(name + used, ELLIPSIS, strlen(ELLIPSIS));
	used += strlen(ELLIPSIS);
	end = size - used - 1;
	end = end < length ? end : length;
	/* An escape is six times as long as what it stands for, at most. */
	if (harmless_length(label + length - end, end, size - used) >= size - used)
		end = (size - used - 1) / 6;
	if (end > 0)
		end = length - utf8_floor(label, length - end);
	harmless_copy(name + used, size - used, label + length - end, end);
}

size_t figure_name(char *name, size_t size, const char *label, size_t length, size_t columns)
{
	size_t width, left, from, to;

	/* An ellipsis may be longer than what it stands for. */
	copy_ends(name, size - strlen(ELLIPSIS), label, length);
	if (strstr(name, "  ")) {
		shorten_words(name, columns, without_packages);
		shorten_words(name, columns, with_initials);
		cut_path(name, columns);
	}
	/* A Java name: not a path, a text of several words, or a thread of some address. */
	if (strcspn(name, " /-:") >= parameters_of(name)) {
		shorten_packages(name, columns);
		shorten_parameters(name, columns);
		leave_out_packages(name, columns);
	}
	width = out_width(name, strlen(name));
	if (width <= columns || columns < 2)
		return width;
	/* More is left of the end: it tells methods, files and threads apart. */
	left = (columns - 1) / 3;
	from = columns_at_most(name, left);
	to = columns_at_least(name, width - (columns - 1 - left));
	memmove(name + from + strlen(ELLIPSIS), name + to, strlen(name + to) + 1);
	memcpy(name + from, ELLIPSIS, strlen(ELLIPSIS));
	return out_width(name, strlen(name));
}

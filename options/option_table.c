/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * option_table: the types of options, the rows, and what is done by reading a row.
 *
 * Runs: cold, on the thread that parses, without locks.
 */
#include "options/option_table.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "options/event_condition.h"
#include "options/nearest.h"
#include "options/parameter_choice.h"
#include "options/sample_choice.h"
#include "options/thread_choice.h"

/* More would make every look at a class slow. */
enum { LIST_LIMIT = 1000 };

static const char no_memory[] = "no memory";

/* ---- a text: a path, mostly ---- */

static const char *text_give(const struct option_row *row, void *field, const char *value)
{
	if (!*value)
		return "is empty";
	char *copy = strdup(value);
	if (!copy)
		return no_memory;
	*(char **)field = copy;
	return NULL;
}

static void words_describe(const struct option_row *row, char *text, size_t size)
{
	snprintf(text, size, "%s", row->values);
}

static char *text_show(const struct option_row *row, const void *field)
{
	return strdup(*(char *const *)field);
}

static bool text_copy(void *field, const void *from)
{
	const char *text = *(char *const *)from;
	char *copy = text ? strdup(text) : NULL;
	*(char **)field = copy;
	return copy || !text;
}

static void text_fini(void *field)
{
	free(*(char **)field);
}

static const struct option_type text_type = {.give = text_give,
	.describe = words_describe,
	.show = text_show,
	.schema = schema_of_text,
	.size = sizeof(char *),
	.copy = text_copy,
	.fini = text_fini};

/* ---- a choice of words ---- */

static const char word_gap[] = ", ";

const char *option_next_word(const char *words, size_t *length)
{
	words += strspn(words, word_gap);
	*length = strcspn(words, word_gap);
	return *length ? words : NULL;
}

/* The index of value among the words, or -1. */
static int word_index(const char *words, const char *value)
{
	size_t length;
	int index = 0;
	for (const char *word = words; (word = option_next_word(word, &length));
		word += length, index++)
		if (strlen(value) == length && memcmp(word, value, length) == 0)
			return index;
	return -1;
}

static char *word_show(const struct option_row *row, int index)
{
	size_t length;
	const char *word = option_next_word(row->values, &length);
	while (word && index-- > 0)
		word = option_next_word(word + length, &length);
	return word ? strndup(word, length) : NULL;
}

static const char not_legal[] = "is not legal";

static const char *choice_give(const struct option_row *row, void *field, const char *value)
{
	int index = word_index(row->values, value);
	if (index < 0)
		return not_legal;
	*(int *)field = index;
	return NULL;
}

static char *choice_show(const struct option_row *row, const void *field)
{
	return word_show(row, *(const int *)field);
}

static const struct option_type choice_type = {.give = choice_give,
	.describe = words_describe,
	.show = choice_show,
	.schema = schema_of_choice,
	.size = sizeof(int)};

static const char *yes_no_give(const struct option_row *row, void *field, const char *value)
{
	int index = word_index(row->values, value);
	if (index < 0)
		return not_legal;
	*(bool *)field = index == 0;
	return NULL;
}

static char *yes_no_show(const struct option_row *row, const void *field)
{
	return word_show(row, *(const bool *)field ? 0 : 1);
}

static const struct option_type yes_no_type = {.from_boolean = true,
	.give = yes_no_give,
	.describe = words_describe,
	.show = yes_no_show,
	.schema = schema_of_yes_no,
	.size = sizeof(bool)};

/* ---- whole numbers, plain or with a unit ---- */

const struct option_unit option_units[] = {{'g', 1 << 30}, {'m', 1 << 20}, {'k', 1 << 10}};

const size_t option_unit_count = sizeof(option_units) / sizeof(option_units[0]);

/* Digits, and one of the first `units` units, if there is one. */
static const char *number_give(
	const struct option_row *row, void *field, const char *value, size_t units)
{
	char *end = NULL;
	uint64_t number = 0, bytes = 1;
	/* What is too large becomes UINT64_MAX (C17 7.22.1.4), which no row allows. */
	if (isdigit((unsigned char)*value))
		number = strtoull(value, &end, 10);
	if (!end)
		return not_legal;
	for (size_t i = 0; i < units && *end; i++)
		if (tolower((unsigned char)*end) == option_units[i].letter) {
			bytes = option_units[i].bytes;
			end++;
			break;
		}
	if (*end)
		return not_legal;
	if (number > row->most / bytes)
		return "is too large";
	*(uint64_t *)field = number * bytes;
	return number * bytes < row->least ? "is too small" : NULL;
}

static const char *count_give(const struct option_row *row, void *field, const char *value)
{
	return number_give(row, field, value, 0);
}

static void count_describe(const struct option_row *row, char *text, size_t size)
{
	snprintf(text, size, "%s from %" PRIu64 " to %" PRIu64, row->values, row->least,
		row->most);
}

static char *count_show(const struct option_row *row, const void *field)
{
	char text[32];
	snprintf(text, sizeof(text), "%" PRIu64, *(const uint64_t *)field);
	return strdup(text);
}

static const struct option_type count_type = {.from_integer = true,
	.give = count_give,
	.describe = count_describe,
	.show = count_show,
	.schema = schema_of_count,
	.size = sizeof(uint64_t)};

static const char *size_give(const struct option_row *row, void *field, const char *value)
{
	return number_give(row, field, value, option_unit_count);
}

/* Writes bytes in the largest unit that divides them: "256m". */
static void size_write(uint64_t bytes, char *text, size_t size)
{
	for (size_t i = 0; i < option_unit_count; i++)
		if (bytes && bytes % option_units[i].bytes == 0) {
			uint64_t number = bytes / option_units[i].bytes;
			snprintf(text, size, "%" PRIu64 "%c", number, option_units[i].letter);
			return;
		}
	snprintf(text, size, "%" PRIu64, bytes);
}

static void size_describe(const struct option_row *row, char *text, size_t size)
{
	char least[32], most[32];
	size_write(row->least, least, sizeof(least));
	size_write(row->most, most, sizeof(most));
	snprintf(text, size, "%s from %s to %s", row->values, least, most);
}

static char *size_show(const struct option_row *row, const void *field)
{
	char text[32];
	size_write(*(const uint64_t *)field, text, sizeof(text));
	return strdup(text);
}

static const struct option_type size_type = {.from_integer = true,
	.give = size_give,
	.describe = size_describe,
	.show = size_show,
	.schema = schema_of_size,
	.size = sizeof(uint64_t)};

/* ---- percent, or off ---- */

static const char *percent_give(const struct option_row *row, void *field, const char *value)
{
	if (strcmp(value, "off") != 0)
		return number_give(row, field, value, 0);
	*(uint64_t *)field = 0;
	return NULL;
}

static void percent_describe(const struct option_row *row, char *text, size_t size)
{
	snprintf(text, size, "%s from %" PRIu64 " to %" PRIu64 ", or off", row->values,
		row->least, row->most);
}

static char *percent_show(const struct option_row *row, const void *field)
{
	return *(const uint64_t *)field == 0 ? strdup("off") : count_show(row, field);
}

static const struct option_type percent_type = {.from_integer = true,
	.give = percent_give,
	.describe = percent_describe,
	.show = percent_show,
	.schema = schema_of_percent,
	.size = sizeof(uint64_t)};

/* ---- a size, or all ---- */

static const char *period_give(const struct option_row *row, void *field, const char *value)
{
	if (strcmp(value, "all") != 0)
		return size_give(row, field, value);
	*(uint64_t *)field = 0;
	return NULL;
}

static void period_describe(const struct option_row *row, char *text, size_t size)
{
	size_t length;

	size_describe(row, text, size);
	length = strlen(text);
	snprintf(text + length, size - length, ", or all");
}

static char *period_show(const struct option_row *row, const void *field)
{
	return *(const uint64_t *)field == 0 ? strdup("all") : size_show(row, field);
}

static const struct option_type period_type = {.from_integer = true,
	.give = period_give,
	.describe = period_describe,
	.show = period_show,
	.schema = schema_of_period,
	.size = sizeof(uint64_t)};

/* ---- times, or off ---- */

const struct option_time option_times[] = {
	{"h", 3600000000000}, {"m", 60000000000}, {"s", 1000000000}, {"ms", 1000000}};

const size_t option_time_count = sizeof(option_times) / sizeof(option_times[0]);

static const char *time_give(const struct option_row *row, void *field, const char *value)
{
	char *end = NULL;
	uint64_t number = 0, unit = 0;

	*(uint64_t *)field = 0;
	if (strcmp(value, "off") == 0)
		return NULL;
	if (isdigit((unsigned char)*value))
		number = strtoull(value, &end, 10);
	for (size_t i = 0; end && i < option_time_count; i++)
		if (strcmp(end, option_times[i].name) == 0)
			unit = option_times[i].ns;
	if (unit == 0)
		return not_legal;
	if (number > row->most / unit)
		return "is too large";
	*(uint64_t *)field = number * unit;
	return number * unit < row->least ? "is too small" : NULL;
}

/* In the largest unit that divides it: "1m". */
static void time_write(uint64_t ns, char *text, size_t size)
{
	size_t i = 0;

	while (i + 1 < option_time_count && ns % option_times[i].ns != 0)
		i++;
	snprintf(text, size, "%" PRIu64 "%s", ns / option_times[i].ns, option_times[i].name);
}

static void time_describe(const struct option_row *row, char *text, size_t size)
{
	char least[32], most[32];
	time_write(row->least, least, sizeof(least));
	time_write(row->most, most, sizeof(most));
	snprintf(text, size, "%s from %s to %s", row->values, least, most);
}

static char *time_show(const struct option_row *row, const void *field)
{
	char text[32] = "off";
	if (*(const uint64_t *)field != 0)
		time_write(*(const uint64_t *)field, text, sizeof(text));
	return strdup(text);
}

static const struct option_type time_type = {.give = time_give,
	.describe = time_describe,
	.show = time_show,
	.schema = schema_of_time,
	.size = sizeof(uint64_t)};

/* ---- lists ---- */

static const char *list_give(const struct option_row *row, void *field, const char *value)
{
	struct pattern_list *list = field;
	if (!*value || (row->may_add && !*pattern_text(value)))
		return "is empty";
	if (row->forbidden && strpbrk(value, row->forbidden))
		return not_legal;
	for (size_t i = 0; i < list->count; i++)
		if (strcmp(list->pattern[i], value) == 0)
			return NULL;
	if (list->count == LIST_LIMIT)
		return "is one more than the 1000 that a list may hold";
	return pattern_list_add(list, value) == 0 ? NULL : no_memory;
}

/* An item is one of the row's words. */
static const char *words_give(const struct option_row *row, void *field, const char *value)
{
	return word_index(row->values, value) < 0 ? not_legal : list_give(row, field, value);
}

static const char *names_give(const struct option_row *row, void *field, const char *value)
{
	const char *why = "is empty";
	while (*value) {
		/* Up to a comma that is not between slashes, as it is in cpu/event=1,umask=2/. */
		size_t length = 0;
		for (bool inside = false; value[length] && (inside || value[length] != ',');
			length++)
			inside ^= value[length] == '/';
		char *name = strndup(value, length);
		if (!name)
			return no_memory;
		if (length > 0)
			why = list_give(row, field, name);
		free(name);
		if (length > 0 && why)
			return why;
		value += length + (value[length] == ',');
	}
	return why;
}

static bool list_copy(void *field, const void *from)
{
	const struct pattern_list *list = from;
	for (size_t i = 0; i < list->count; i++)
		if (pattern_list_add(field, list->pattern[i]) != 0)
			return false;
	return true;
}

static void list_fini(void *field)
{
	pattern_list_fini(field);
}

static const char *threads_give(const struct option_row *row, void *field, const char *value)
{
	if (!thread_choice_is_legal(value))
		return "has no number from 1 behind '#' or 'tid:' (for a thread whose name "
		       "begins so, write '*' for that)";
	return list_give(row, field, value);
}

/* One clock looks at threads, and the JVM has one period of sampled allocations. */
static bool is_second(const struct sample_choice *choice, const char *value, const char *other)
{
	struct sample_choice first;

	return (choice->kind == SAMPLE_WALL || choice->kind == SAMPLE_ALLOC) &&
	       strcmp(value, other) != 0 && sample_choice_read(other, &first) == NULL &&
	       first.kind == choice->kind;
}

static const char *sample_give(const struct option_row *row, void *field, const char *value)
{
	const struct pattern_list *list = field;
	struct sample_choice choice;
	bool off = strcmp(value, "off") == 0;

	for (size_t i = 0; i < list->count; i++)
		if (off != (strcmp(list->pattern[i], "off") == 0))
			return "goes with no other condition";
	if (!off) {
		const char *wrong = sample_choice_read(value, &choice);
		if (wrong)
			return wrong;
		for (size_t i = 0; i < list->count; i++)
			if (is_second(&choice, value, list->pattern[i]))
				return "is the second of its kind: of wall and alloc there can "
				       "be one";
	}
	return list_give(row, field, value);
}

/* yes: of all methods; no: of none. */
static const char *sites_give(const struct option_row *row, void *field, const char *value)
{
	const struct pattern_list *list = field;

	if (strcmp(value, "no") == 0)
		return list->count == 0 ? NULL : "goes with no pattern";
	return list_give(row, field, strcmp(value, "yes") == 0 ? "*" : value);
}

static const char *event_when_give(const struct option_row *row, void *field, const char *value)
{
	char pattern[EVENT_PATTERN];
	uint64_t ns;
	const char *wrong = event_condition_read(value, pattern, &ns);

	return wrong ? wrong : list_give(row, field, value);
}

static const char *parameters_give(const struct option_row *row, void *field, const char *value)
{
	struct parameter_choice choice;
	const char *wrong = parameter_choice_read(value, false, &choice);

	return wrong ? wrong : list_give(row, field, value);
}

static const char *tags_give(const struct option_row *row, void *field, const char *value)
{
	struct parameter_choice choice;
	const char *wrong = parameter_choice_read(value, true, &choice);

	if (!wrong)
		wrong = parameter_choice_clashes(&choice, field);
	return wrong ? wrong : list_give(row, field, value);
}

#define LIST_TYPE(give_item, schema_of_it)                                                     \
	.is_list = true, .give = give_item, .describe = words_describe,                        \
	.schema = schema_of_it, .size = sizeof(struct pattern_list), .copy = list_copy,        \
	.fini = list_fini

static const struct option_type list_type = {LIST_TYPE(list_give, schema_of_list)},
				names_type = {LIST_TYPE(names_give, schema_of_list),
					.of_names = true},
				words_type = {LIST_TYPE(words_give, schema_of_words)},
				event_when_type = {LIST_TYPE(event_when_give, schema_of_list)},
				sites_type = {LIST_TYPE(sites_give, schema_of_list)},
				parameters_type = {LIST_TYPE(parameters_give, schema_of_list)},
				tags_type = {LIST_TYPE(tags_give, schema_of_list)},
				threads_type = {LIST_TYPE(threads_give, schema_of_threads)},
				sample_type = {LIST_TYPE(sample_give, schema_of_list)};

/* ---- the rows ---- */

#define FIELD(name) .offset = offsetof(struct options, name)

const struct option_row option_table[] = {
	{"config", &text_type, "a file", .unset = "none", .string_only = true, .not_paths = "",
		FIELD(config), .meaning = "JSON file that holds these keys"},
	{"file", &text_type, "a path; %p is the process id, %t the time in seconds",
		.not_paths = "", .initial = "jprof-%p.jprof", FIELD(file),
		.meaning = "the profile"},
	{"readers", &choice_type, "owner, group, all", .initial = "owner", FIELD(readers),
		.meaning =
			"who may read the profile's file: its user, the group too, everybody"},
	{"start", &yes_no_type, "yes, no", .initial = "yes", .loading_only = true, FIELD(start),
		.meaning = "record from the start, or wait for 'jprof start'"},
	{"calls", &choice_type, "auto, sample, count, instrument, events, off",
		.initial = "auto", FIELD(calls),
		.meaning =
			"how calls are seen: timed as far as the budget goes, counted "
			"otherwise, "
			"with samples beside; by samples alone; each counted, by method, with "
			"samples beside; each timed, by probes in the bytecode or the JVM's "
			"events"},
	{"budget", &percent_type, "percent", 1, 100, .initial = "10", FIELD(budget),
		.meaning = "what timing may take of a thread's time with calls=auto; off: all "
			   "calls are timed"},
	{"timed", &list_type, "patterns like com.acme.Order* joined by '+'", .unset = "none",
		.forbidden = ",;:|/[]()", FIELD(timed),
		.meaning = "methods whose calls are timed whatever that costs"},
	{"counted", &list_type, "patterns like com.acme.Node.* joined by '+'", .unset = "none",
		.forbidden = ",;:|/[]()", FIELD(counted),
		.meaning = "methods whose calls are counted, not timed"},
	{"distribution", &list_type, "patterns like com.acme.Servlet.service joined by '+'",
		.unset = "none", .forbidden = ",;:|/[]()", FIELD(distribution),
		.meaning = "methods of whose calls it is told how long each took, and what the "
			   "slowest did; they are timed whatever that costs"},
	{"distribution_process", &names_type, "metric names joined by '+' or ','",
		.unset = "none", .forbidden = " \t", FIELD(distribution_process),
		.meaning = "metrics of which it is told, beside a call of distribution, what "
			   "the whole process used meanwhile: cpu, alloc, all but wall"},
	{"slowest", &count_type, "calls", 0, 1000, .initial = "10", FIELD(slowest),
		.meaning = "so many of the slowest calls of each method of distribution are "
			   "kept, each with its own small tree; 0: none"},
	{"call_sites", &sites_type, "no, yes, or patterns like com.acme.Order* joined by '+'",
		.unset = "no", .forbidden = ",;:|/[]()", FIELD(call_sites),
		.meaning = "methods whose call sites are kept apart: what they call from two "
			   "lines is in the call tree twice"},
	{"parameters", &parameters_type,
		"items like com.acme.Orders.find(0), com.acme.Job.run(this.name):hash or jdbc "
		"joined by '+'",
		.unset = "none", FIELD(parameters),
		.meaning = "arguments, fields or results of calls; reports tell calls apart by "
			   "these values; see docs/requests.md"},
	{"tags", &tags_type,
		"items like user:com.acme.Session.handle(0.getUser()) or request:http joined "
		"by "
		"'+'",
		.unset = "none", FIELD(tags),
		.meaning =
			"whose work a thread does while a call runs: a key, and what its value "
			"is; see docs/requests.md"},
	{"parameter_length", &count_type, "bytes", 8, 4096, .initial = "200",
		FIELD(parameter_length),
		.meaning = "so much is kept of a value of parameters or tags"},
	{"parameter_values", &count_type, "values", 1, 1000000, .initial = "10000",
		FIELD(parameter_values),
		.meaning = "so many distinct ones are kept of each parameter or tag; the rest "
			   "is (others)"},
	{"sample", &sample_type,
		"conditions like cpu:1ms, wall:10ms, instructions:10000000, alloc:512k, "
		"enter:com.acme.X.y joined by '+'; or off",
		.unset = "cpu:1ms with calls=auto (unless budget=off), sample and count, else "
			 "off",
		FIELD(sample),
		.meaning = "when a thread's stack is taken; see docs/sampling.md"},
	{"metrics", &names_type, "metric names joined by '+' or ','",
		.initial = "wall+cpu+alloc", .forbidden = " \t", FIELD(metrics),
		.meaning = "what is measured; `jprof metrics` lists them"},
	/* Legal in names to the JVM (JVMS 4.2.2) are some of the forbidden ones; they are
	 * mistakes far more often, and '*' can stand for them. */
	{"include", &list_type,
		"patterns like com.acme.* joined by '+'; +java.util.* adds to the default",
		.unset = "all application classes", .may_add = true, .forbidden = ",;:|/[]()",
		FIELD(include),
		.meaning = "classes and methods; the JDK's own only when named here"},
	{"exclude", &list_type, "patterns like com.acme.* joined by '+'", .unset = "none",
		.forbidden = ",;:|/[]()", FIELD(exclude),
		.meaning = "classes and methods to leave out of the included ones"},
	{"threads", &threads_type, "patterns like worker-*, #17, tid:4711 joined by '+'",
		.unset = "all threads", FIELD(threads),
		.meaning = "the threads to record: names, #Java-id, tid:system's-id"},
	{"virtual", &choice_type, "fold, separate", .initial = "fold", FIELD(virtual),
		.meaning = "virtual threads: one row for names equal but for digits; or a row "
			   "each"},
	{"scope", &list_type,
		"patterns like com.acme.Servlet.service joined by '+', or tag:KEY=PATTERN",
		.unset = "everything", .forbidden = ",;|/[]()", FIELD(scope),
		.meaning = "a thread records only while it is inside one of these methods; or "
			   "what is done under "
			   "a tag is all that is shown"},
	{"scope_follow", &yes_no_type, "yes, no", .initial = "no", FIELD(scope_follow),
		.meaning = "whether threads started inside the scope belong to it"},
	{"components", &text_type, "ready-made, or a file", .initial = "ready-made",
		.not_paths = "ready-made", FIELD(components),
		.meaning = "JSON with what methods are put together as in reports, kept in the "
			   "profile; see docs/components.md"},
	{"traces", &words_type, "objects, locks, gc, exceptions, classes, jit, threads, events",
		.unset = "none", FIELD(traces),
		.meaning = "what else is told, joined by '+'; see docs/traces.md; `jprof "
			   "trace` switches them on and off"},
	{"events", &list_type, "patterns like com.acme.Order* joined by '+'",
		.unset = "all timed methods", .forbidden = ",;:|/[]()", FIELD(events),
		.meaning = "methods whose calls traces=events tells one by one"},
	{"events_keep", &time_type, "off, or a time (200ms, 10s, 5m)", UINT64_C(100000000),
		UINT64_C(86400000000000), .initial = "off", FIELD(events_keep),
		.meaning = "keeps so much of the last events, and writes them on `jprof trace "
			   "PID --write` or events_when; off: all are written"},
	{"events_when", &event_when_type, "conditions like com.acme.X.y>200ms joined by '+'",
		.unset = "none", FIELD(events_when),
		.meaning = "writes the events that are kept when a call took longer"},
	{"objects", &period_type, "a size (bytes, 512k, 1m)", UINT64_C(1) << 10,
		UINT64_C(1) << 30, .initial = "512k", FIELD(objects),
		.meaning = "of the trace objects: one object in so many bytes is told; all: "
			   "each"},
	{"gc_in_paths", &yes_no_type, "yes, no", .initial = "no", FIELD(gc_in_paths),
		.meaning = "whether the trace gc tells which call paths collections have "
			   "stopped"},
	{"io", &choice_type, "off, summary, records", .initial = "summary", FIELD(io),
		.meaning = "totals per file and call path; or every operation, too"},
	{"io_slots", &count_type, "descriptors", 64, 1 << 24, .initial = "32768",
		.loading_only = true, FIELD(io_slots),
		.meaning = "so many are looked up fastest; those above in a hash"},
	{"io_class_loading", &yes_no_type, "yes, no", .initial = "no", FIELD(io_class_loading),
		.meaning = "whether reading classes counts as the application's I/O"},
	{"io_cpu", &yes_no_type, "yes, no", .initial = "no", FIELD(io_cpu),
		.meaning = "whether the processor time of operations is told, too"},
	{"calibration", &text_type, "auto, off, or a file", .initial = "auto",
		.not_paths = "auto, off", FIELD(calibration),
		.meaning = "what takes jprof's own cost out of reports; auto: kept, or "
			   "measured at first use"},
	{"timing", &choice_type, "fast, precise", .initial = "fast", FIELD(timing),
		.meaning = "precise: probes cost more, but the same amount wherever they are"},
	{"keep_code", &yes_no_type, "yes, no", .initial = "no", FIELD(keep_code),
		.meaning =
			"whether the machine code of compiled methods is kept in the profile"},
	{"max_memory", &size_type, "a size (bytes, 512k, 256m, 1g)", UINT64_C(1) << 20,
		UINT64_C(1) << 40, .initial = "256m", FIELD(max_memory),
		.meaning = "bound for call trees and buffers"},
	{"fold_below", &percent_type, "percent", 1, 100, .initial = "off", FIELD(fold_below),
		.meaning = "what goes first when memory is short: call paths below this part "
			   "of their caller's use; off: as it takes"},
	{"flush", &count_type, "seconds", 1, 86400, .initial = "10", FIELD(flush),
		.meaning = "how often the profile is brought up to date"},
	{"resolution", &time_type, "off, or a time (100ms, 1s, 5m)", 100000000,
		UINT64_C(3600000000000), .initial = "off", FIELD(resolution),
		.meaning =
			"sums are kept by such pieces of time, for report --from 10s --to 12s"},
	{"log", &choice_type, "error, warn, info, debug", .initial = "warn", FIELD(log),
		.meaning = "what is told on standard error"},
};

#undef FIELD

const size_t option_count = sizeof(option_table) / sizeof(option_table[0]);

_Static_assert(sizeof(option_table) / sizeof(option_table[0]) <= 64,
	"option_set.given has a bit for every row");

/* ---- reading the rows ---- */

static uint64_t row_bit(const struct option_row *row)
{
	return UINT64_C(1) << (row - option_table);
}

bool option_is_given(const struct option_set *set, const struct option_row *row)
{
	return set->given & row_bit(row);
}

const struct option_row *option_find(const char *key, size_t length)
{
	for (size_t i = 0; i < option_count; i++)
		if (strlen(option_table[i].key) == length &&
			memcmp(option_table[i].key, key, length) == 0)
			return &option_table[i];
	return NULL;
}

const char *option_words(const struct option_row *row)
{
	return row->type == &choice_type || row->type == &yes_no_type ? row->values : NULL;
}

bool option_is_path(const struct option_row *row, const char *value)
{
	return row->not_paths && word_index(row->not_paths, value) < 0;
}

int option_unknown(const char *key, const char *value, struct error *error)
{
	struct nearest nearest = {.wanted = key};
	char keys[512] = "", hint[NEAREST_NAME + 20] = "";
	for (size_t i = 0, length = 0; i < option_count && length < sizeof(keys); i++) {
		nearest_offer(&nearest, option_table[i].key);
		length += (size_t)snprintf(keys + length, sizeof(keys) - length, "%s%s",
			i ? word_gap : "", option_table[i].key);
	}
	if (nearest.best[0].distance <= strlen(key) / 2)
		snprintf(hint, sizeof(hint), " did you mean '%s'?", nearest.best[0].name);
	return error_set(error, ERROR_USAGE, "unknown option '%s' (value '%s'):%s legal are %s",
		error_subject(key).text, error_subject(value).text, hint, keys);
}

int option_refuse(
	const struct option_row *row, const char *value, const char *why, struct error *error)
{
	char legal[200];
	row->type->describe(row, legal, sizeof(legal));
	return error_set(error, ERROR_VALUE, "option '%s': '%s' %s; legal: %s", row->key,
		error_subject(value).text, why, legal);
}

static int no_memory_for(const struct option_row *row, struct error *error)
{
	return error_set(error, ERROR_MEMORY, "no memory to keep option '%s'", row->key);
}

int option_give(struct option_set *set, const struct option_row *row, const char *value,
	struct error *error)
{
	if (option_is_given(set, row) && !row->type->is_list)
		return option_refuse(row, value, "is a second value, where one is all", error);
	void *field = option_field(row, &set->values);
	const char *why = row->type->give(row, field, value);
	if (why == no_memory)
		return no_memory_for(row, error);
	if (why)
		return option_refuse(row, value, why, error);
	set->given |= row_bit(row);
	return 0;
}

void option_give_empty(struct option_set *set, const struct option_row *row)
{
	set->given |= row_bit(row);
}

size_t option_span(const char *text, char separator)
{
	size_t length = 0;
	while (text[length] && text[length] != separator)
		length += text[length] == '\\' && text[length + 1] ? 2 : 1;
	return length;
}

char *option_unescape(const char *text, size_t length, const char *special)
{
	char *copy = malloc(length + 1), *out = copy;
	if (!copy)
		return NULL;
	for (size_t i = 0; i < length; i++) {
		char next = i + 1 < length ? text[i + 1] : '\0';
		if (text[i] == '\\' && next && (next == '\\' || strchr(special, next)))
			i++;
		*out++ = text[i];
	}
	*out = '\0';
	return copy;
}

int option_give_list(struct option_set *set, const struct option_row *row, const char *text,
	struct error *error)
{
	while (true) {
		size_t begin = row->may_add && *text == PATTERN_ADD;
		size_t length = begin + option_span(text + begin, '+');
		char *item = option_unescape(text, length, ",+");
		if (!item)
			return no_memory_for(row, error);
		int failed = option_give(set, row, item, error);
		free(item);
		if (failed || !text[length])
			return failed;
		text += length + 1;
	}
}

void option_set_merge(struct option_set *to, struct option_set *from)
{
	for (size_t i = 0; i < option_count; i++) {
		const struct option_row *row = &option_table[i];
		if (option_is_given(to, row) || !option_is_given(from, row))
			continue;
		void *field = option_field(row, &from->values);
		memcpy(option_field(row, &to->values), field, row->type->size);
		memset(field, 0, row->type->size);
		to->given |= row_bit(row);
		from->given &= ~row_bit(row);
	}
}

int option_set_fill(struct option_set *set, const struct options *from, struct error *error)
{
	for (size_t i = 0; i < option_count; i++) {
		const struct option_row *row = &option_table[i];
		if (option_is_given(set, row))
			continue;
		void *field = option_field(row, &set->values);
		if (!row->type->copy)
			memcpy(field, option_value(row, from), row->type->size);
		else if (!row->type->copy(field, option_value(row, from)))
			return no_memory_for(row, error);
		set->given |= row_bit(row);
	}
	return 0;
}

void option_set_fini(struct option_set *set)
{
	for (size_t i = 0; i < option_count; i++) {
		const struct option_type *type = option_table[i].type;
		void *field = option_field(&option_table[i], &set->values);
		if (type->fini)
			type->fini(field);
		memset(field, 0, type->size);
	}
	set->given = 0;
}

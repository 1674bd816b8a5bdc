/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* rules: see rules.h. */
#include "report/diff/rules.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "options/nearest.h"
#include "options/number.h"
#include "report/diff/words.h"

/* ---- reading ---- */

static const struct {
	const char *key;
	enum diff_by by;
	bool is_call_path;
} subjects[] = {
	{"method", DIFF_METHOD, false},
	{"path", DIFF_FILE, false},
	{"call_path", DIFF_PATH, true},
	{"total", DIFF_TOTAL, false},
};

static const char *const limits[RULE_LIMITS] = {"may_grow", "at_most", "at_least"};

/* Keys beside those. */
static const char *const others[] = {"figure", "min", "name"};

enum {
	SUBJECTS = sizeof(subjects) / sizeof(*subjects),
	OTHERS = sizeof(others) / sizeof(*others)
};

/* A place in the file, for messages. */
struct place {
	const char *subject;
	size_t rule; /* from 1 on */
	struct error *error;
};

static int refuse(const struct place *place, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static int refuse(const struct place *place, const char *format, ...)
{
	char text[700];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	return error_set(place->error, ERROR_VALUE, "'%s': rule %zu: %s",
		error_subject(place->subject).text, place->rule, text);
}

/* What all keys are, and which one was meant. */
static int refuse_key(const struct place *place, const char *key)
{
	struct choices choices = {.nearest.wanted = key};

	for (int i = 0; i < SUBJECTS; i++)
		choices_add(&choices, subjects[i].key);
	for (int i = 0; i < RULE_LIMITS; i++)
		choices_add(&choices, limits[i]);
	for (int i = 0; i < OTHERS; i++)
		choices_add(&choices, others[i]);
	return refuse(place, "no key '%s'%s", error_subject(key).text,
		choices_text(&choices, "keys"));
}

/* "5%" is 0.05. The sign has to be there: a text "5" could be meant as the number. */
static bool read_percent(const char *text, double *part)
{
	return strchr(text, '%') && number_read_percent(text, part);
}

static int read_limit(struct rule *rule, enum rule_limit limit, const json_t *value,
	const struct place *place)
{
	const char *text = json_string_value(value);

	if (rule->limit != RULE_LIMITS)
		return refuse(
			place, "has both '%s' and '%s'", limits[rule->limit], limits[limit]);
	rule->limit = limit;
	rule->value = json_number_value(value);
	if (json_is_number(value) && rule->value >= 0 && isfinite(rule->value))
		return 0;
	if (limit != RULE_MAY_GROW)
		return refuse(
			place, "'%s' needs a factor from 0 on, such as 1.05", limits[limit]);
	rule->is_part = true;
	if (!text || !read_percent(text, &rule->value))
		return refuse(place,
			"'may_grow' needs a number from 0 on, or a percentage such as \"5%%\"");
	return 0;
}

static int read_subject(
	struct rule *rule, int subject, const json_t *value, const struct place *place)
{
	if (rule->by != DIFF_TABLES)
		return refuse(
			place, "has several of 'method', 'path', 'call_path' and 'total'");
	if (!json_is_string(value) || json_string_length(value) == 0)
		return refuse(place, "'%s' needs a text", subjects[subject].key);
	rule->by = subjects[subject].by;
	rule->is_call_path = subjects[subject].is_call_path;
	if (rule->by == DIFF_TOTAL)
		rule->figure = json_string_value(value);
	else
		rule->pattern = json_string_value(value);
	return 0;
}

/* A key and its value. */
static int read_member(
	struct rule *rule, const char *key, const json_t *value, const struct place *place)
{
	for (int i = 0; i < SUBJECTS; i++)
		if (strcmp(key, subjects[i].key) == 0)
			return read_subject(rule, i, value, place);
	for (int i = 0; i < RULE_LIMITS; i++)
		if (strcmp(key, limits[i]) == 0)
			return read_limit(rule, (enum rule_limit)i, value, place);
	if (strcmp(key, "min") == 0) {
		if (!json_is_string(value) ||
			!read_percent(json_string_value(value), &rule->min) || rule->min > 1)
			return refuse(place, "'min' needs a percentage such as \"1%%\"");
		return 0;
	}
	if (strcmp(key, "figure") != 0 && strcmp(key, "name") != 0)
		return refuse_key(place, key);
	if (!json_is_string(value) || json_string_length(value) == 0)
		return refuse(place, "'%s' needs a text", key);
	if (strcmp(key, "name") == 0)
		rule->name = json_string_value(value);
	else if (rule->figure)
		return refuse(place, "has a figure beside 'total', which names one");
	else
		rule->figure = json_string_value(value);
	return 0;
}

static int read_rule(struct rule *rule, json_t *json, const struct place *place)
{
	const char *key;
	json_t *value;
	int failed;

	*rule = (struct rule){.by = DIFF_TABLES, .limit = RULE_LIMITS};
	if (!json_is_object(json))
		return refuse(place, "is no object");
	/* Before the figure, which it may name itself. */
	value = json_object_get(json, "total");
	if (value && json_object_get(json, "figure"))
		return refuse(place, "has a 'figure' beside 'total', which names one");
	json_object_foreach(json, key, value)
	{
		failed = read_member(rule, key, value, place);
		if (failed != 0)
			return failed;
	}
	if (rule->by == DIFF_TABLES)
		return refuse(place, "needs one of 'method', 'path', 'call_path' and 'total'");
	if (!rule->figure)
		return refuse(place, "needs a 'figure', such as \"calls\"");
	if (rule->limit == RULE_LIMITS)
		return refuse(place, "needs one of 'may_grow', 'at_most' and 'at_least'");
	return 0;
}

static struct rule *add_rule(struct rules *rules, struct error *error)
{
	struct rule *more = realloc(rules->rule, (rules->count + 1) * sizeof(*more));

	if (!more) {
		error_set(error, ERROR_MEMORY, "no memory for rules");
		return NULL;
	}
	rules->rule = more;
	return &more[rules->count++];
}

static int read_rules(struct rules *rules, const char *subject, struct error *error)
{
	const json_t *list = json_object_get(rules->json, "rules");
	struct place place = {.subject = subject, .error = error};
	const char *key;
	json_t *value;
	size_t i;

	json_object_foreach(rules->json, key, value)
	{
		if (strcmp(key, "rules") != 0 && strcmp(key, "$schema") != 0)
			return error_set(error, ERROR_VALUE,
				"'%s': no key '%s'; there is 'rules'",
				error_subject(subject).text, error_subject(key).text);
	}
	if (!json_is_array(list) || json_array_size(list) == 0)
		return error_set(error, ERROR_VALUE,
			"'%s': needs \"rules\", a list with one rule at least",
			error_subject(subject).text);
	json_array_foreach(list, i, value)
	{
		struct rule *rule = add_rule(rules, error);
		int failed;

		if (!rule)
			return -ERROR_MEMORY;
		place.rule = i + 1;
		failed = read_rule(rule, value, &place);
		if (failed != 0)
			return failed;
	}
	return 0;
}

static int take_json(struct rules *rules, const json_error_t *wrong, const char *subject,
	struct error *error)
{
	if (!rules->json)
		return error_set(error, ERROR_VALUE, "'%s': line %d: %s",
			error_subject(subject).text, wrong->line, wrong->text);
	if (!json_is_object(rules->json))
		return error_set(error, ERROR_VALUE, "'%s' is no JSON object",
			error_subject(subject).text);
	return read_rules(rules, subject, error);
}

int rules_parse(struct rules *rules, const char *text, size_t length, const char *subject,
	struct error *error)
{
	json_error_t wrong;

	rules->json = json_loadb(text, length, JSON_REJECT_DUPLICATES, &wrong);
	return take_json(rules, &wrong, subject, error);
}

int rules_read(struct rules *rules, const char *path, struct error *error)
{
	json_error_t wrong;
	FILE *file = fopen(path, "re");

	if (!file)
		return error_set_errno(
			error, ERROR_IO, errno, "cannot open '%s'", error_subject(path).text);
	rules->json = json_loadf(file, JSON_REJECT_DUPLICATES, &wrong);
	/* Of a folder, say: to the parser that is a file that ends. */
	if (ferror(file))
		error_set_errno(
			error, ERROR_IO, errno, "cannot read '%s'", error_subject(path).text);
	fclose(file);
	return error->text[0] != '\0' ? -ERROR_IO : take_json(rules, &wrong, path, error);
}

int rules_add_growth(
	struct rules *rules, double part, enum diff_by by, double min, struct error *error)
{
	const enum diff_by both[] = {DIFF_TOTAL, by};

	for (int i = 0; i < 2; i++) {
		struct rule *rule = add_rule(rules, error);

		if (!rule)
			return -ERROR_MEMORY;
		*rule = (struct rule){.by = both[i],
			.is_call_path = both[i] == DIFF_PATH,
			.limit = RULE_MAY_GROW,
			.value = part,
			.is_part = true,
			.min = min};
	}
	return 0;
}

void rules_want(const struct rules *rules, struct diff_choice *choice)
{
	for (size_t i = 0; i < rules->count; i++)
		choice->wants[rules->rule[i].by] = true;
}

void rules_fini(struct rules *rules)
{
	json_decref(rules->json);
	free(rules->rule);
	free(rules->test);
	*rules = (struct rules){0};
}

/* ---- testing ---- */

static bool is_like(const struct diff *diff, const struct rule *rule, uint32_t item)
{
	const struct diff_name *name = diff_name(diff, rule->by, item);
	bool matches;
	struct out path;

	if (!rule->pattern)
		return true;
	if (!rule->is_call_path) {
		const char *texts[] = {
			name->display.text, name->name.text, name->signature.text};

		if (rule->by == DIFF_METHOD && name->class_name.text && name->name.text &&
			pattern_match_method(
				rule->pattern, name->class_name.text, name->name.text))
			return true;
		/* Of files, as report --file: any of their names. */
		for (int i = 0; i < (rule->by == DIFF_FILE ? 3 : 1); i++)
			if (texts[i] && pattern_match(rule->pattern, texts[i]))
				return true;
		return false;
	}
	out_init(&path, -1);
	diff_put_name(&path, diff, rule->by, item, false);
	out_char(&path, '\0');
	matches = !path.failed && pattern_match(rule->pattern, path.buffer);
	out_fini(&path);
	return matches;
}

/* Beyond the limit; what is a quotient may be off in its last bits. */
static bool is_beyond(const struct rule *rule, const struct diff_change *change)
{
	const double slack = 1e-12;
	double before = change->before, after = change->after;

	switch (rule->limit) {
	case RULE_MAY_GROW:
		if (rule->is_part)
			return after > before * (1 + rule->value) * (1 + slack);
		return after - before > rule->value * (1 + slack);
	case RULE_AT_MOST:
		return after > before * rule->value * (1 + slack);
	case RULE_AT_LEAST:
		return after < before * rule->value * (1 - slack);
	case RULE_LIMITS:
		break;
	}
	return false;
}

/* "at most 5%", "at most 1.1 times as much". */
static void put_limit(struct out *out, const struct rule *rule, enum figure_kind kind)
{
	char text[128];

	if (rule->limit == RULE_MAY_GROW && rule->is_part)
		snprintf(text, sizeof(text), "may grow by %.6g%%", 100 * rule->value);
	else if (rule->limit == RULE_MAY_GROW && rule->value == 0)
		snprintf(text, sizeof(text), "may not grow");
	else if (rule->limit == RULE_MAY_GROW)
		snprintf(text, sizeof(text), "may grow by %s",
			diff_words(kind, rule->value).text);
	else
		snprintf(text, sizeof(text), "may be at %s %.6g times what it was",
			rule->limit == RULE_AT_MOST ? "most" : "least", rule->value);
	out_text(out, text);
}

static struct label take_label(struct diff *diff, struct out *out)
{
	struct label label = out->failed ? (struct label){0}
					 : store_bytes(&diff->store, out->buffer, out->length);

	out_fini(out);
	return label;
}

/* A path has the names of all methods above it, too: in a deep tree whole ones would take more memory than all else. */
static void put_item_name(
	struct out *out, const struct diff *diff, enum diff_by by, uint32_t item)
{
	enum { NAME_COLUMNS = 1000, NAME_SIZE = 4 * NAME_COLUMNS };
	char shortened[NAME_SIZE];
	struct out name;

	out_init(&name, -1);
	diff_put_name(&name, diff, by, item, true);
	if (name.failed) {
		out->failed = name.failed;
	} else if (name.length <= NAME_COLUMNS) {
		out_bytes(out, name.buffer, name.length);
	} else {
		figure_name(
			shortened, sizeof(shortened), name.buffer, name.length, NAME_COLUMNS);
		out_text(out, shortened);
	}
	out_fini(&name);
}

/* "method com.acme.Foo.bar: base.cpu grew by 12.3%, from 1.20 s to 1.35 s (±0.05 s); it may grow by 5%" */
static struct label broken_line(struct diff *diff, const struct rule *rule, uint32_t item,
	unsigned figure, const struct diff_change *change)
{
	const struct diff_figure *about = &diff->table[rule->by].figure[figure];
	struct out line;

	out_init(&line, -1);
	out_text(&line, diff_by_names[rule->by]);
	if (rule->by != DIFF_TOTAL) {
		out_char(&line, ' ');
		put_item_name(&line, diff, rule->by, item);
	}
	out_text(&line, ": ");
	diff_put_sentence(&line, about, change);
	out_text(&line, "; it ");
	put_limit(&line, rule, about->kind);
	return take_label(diff, &line);
}

static struct label test_name(struct diff *diff, const struct rule *rule)
{
	struct out name;

	out_init(&name, -1);
	if (rule->name) {
		out_text(&name, rule->name);
		return take_label(diff, &name);
	}
	if (rule->by == DIFF_TOTAL && rule->figure) {
		out_text(&name, "total ");
	} else {
		out_text(&name,
			rule->by == DIFF_TOTAL ? "the whole program" : diff_by_names[rule->by]);
		out_text(&name, rule->pattern ? " " : rule->by == DIFF_TOTAL ? "" : "s");
		out_text(&name, rule->pattern ? rule->pattern : "");
		out_text(&name, ": ");
	}
	out_text(&name, rule->figure ? rule->figure : "each figure");
	out_char(&name, ' ');
	put_limit(&name, rule,
		rule->figure && diff_figure_find(diff, rule->by, rule->figure) >= 0
			? diff->table[rule->by]
				  .figure[diff_figure_find(diff, rule->by, rule->figure)]
				  .kind
			: FIGURE_COUNT);
	return take_label(diff, &name);
}

static int add_line(struct diff *diff, struct rule_test *test, struct label line)
{
	enum { STEP = 32 };

	if (test->line_count % STEP == 0) {
		struct label *more =
			store_room(&diff->store, test->line_count + STEP, sizeof(*more));

		if (!more)
			return -1;
		if (test->line_count > 0)
			memcpy(more, test->broken, test->line_count * sizeof(*more));
		test->broken = more;
	}
	test->broken[test->line_count++] = line;
	return line.text ? 0 : -1;
}

/* Looks at one figure of all items that the rule is about. */
static int test_figure(
	struct rules *rules, size_t at, struct diff *diff, unsigned figure, size_t *like)
{
	const struct rule *rule = &rules->rule[at];
	struct rule_test *test = &rules->test[at];

	for (uint32_t i = 0; i < diff->table[rule->by].item_count; i++) {
		struct diff_change change;

		if (!is_like(diff, rule, i))
			continue;
		++*like;
		change = diff_change(diff, rule->by, i, figure);
		if (change.verdict == DIFF_UNKNOWN || change.share < rule->min)
			continue;
		test->looked_at++;
		if (!diff_is_change(change.verdict) || !change.is_certain ||
			!is_beyond(rule, &change))
			continue;
		test->broken_count++;
		if (test->line_count < RULE_LINES_MAX &&
			add_line(diff, test, broken_line(diff, rule, i, figure, &change)) != 0)
			return -1;
	}
	return 0;
}

static int refuse_figure(const struct diff *diff, const struct rule *rule, struct error *error)
{
	const struct diff_table *table = &diff->table[rule->by];
	struct choices choices = {.nearest.wanted = rule->figure};

	for (unsigned i = 0; i < table->figure_count; i++)
		choices_add(&choices, table->figure[i].name);
	return error_set(error, ERROR_VALUE, "no figure '%s' of a %s%s",
		error_subject(rule->figure).text, diff_by_names[rule->by],
		choices_text(&choices, "figures"));
}

static int test_rule(struct rules *rules, size_t at, struct diff *diff, struct error *error)
{
	const struct rule *rule = &rules->rule[at];
	struct rule_test *test = &rules->test[at];
	const struct diff_table *table = &diff->table[rule->by];
	int chosen = rule->figure ? diff_figure_find(diff, rule->by, rule->figure) : -1;
	size_t like = 0;

	if (rule->figure && chosen < 0 && table->figure_count > 0)
		return refuse_figure(diff, rule, error);
	test->name = test_name(diff, rule);
	for (unsigned i = 0; i < table->figure_count; i++) {
		bool is_wanted = rule->figure ? (int)i == chosen : !table->figure[i].is_aside;

		if (is_wanted && !table->figure[i].left_out &&
			test_figure(rules, at, diff, i, &like) != 0)
			return error_set(error, ERROR_MEMORY, "no memory for rules");
	}
	if (chosen >= 0 && table->figure[chosen].left_out)
		test->skipped = store_format(&diff->store,
			"the figure '%s' cannot be compared in these profiles", rule->figure);
	else if (rule->pattern && like == 0)
		test->skipped = store_format(&diff->store, "no %s is like '%s'",
			diff_by_names[rule->by], rule->pattern);
	else if (rule->pattern && test->looked_at == 0)
		test->skipped = store_format(&diff->store,
			"what is like '%s' has no '%s' that both sides know%s", rule->pattern,
			rule->figure, rule->min > 0 ? ", or less than 'min'" : "");
	else if (chosen >= 0 && rule->by == DIFF_TOTAL && test->looked_at == 0)
		test->skipped = store_format(&diff->store,
			"the figure '%s' is not known on both sides", rule->figure);
	/* Texts that there was no room for are NULL. */
	if (diff->store.failed)
		return error_set(error, ERROR_MEMORY, "no memory for rules");
	return 0;
}

int rules_test(struct rules *rules, struct diff *diff, struct error *error)
{
	int failed = 0;

	rules->test = calloc(rules->count + 1, sizeof(*rules->test));
	if (!rules->test)
		return error_set(error, ERROR_MEMORY, "no memory for rules");
	for (size_t i = 0; i < rules->count && failed == 0; i++)
		failed = test_rule(rules, i, diff, error);
	return failed;
}

size_t rules_broken(const struct rules *rules)
{
	size_t broken = 0;

	for (size_t i = 0; rules->test && i < rules->count; i++)
		broken += rules->test[i].broken_count;
	return broken;
}

struct rule_rest rule_rest(const struct rule_test *test)
{
	struct rule_rest rest = {""};

	if (test->broken_count > test->line_count)
		snprintf(rest.text, sizeof(rest.text), "and %zu more",
			test->broken_count - test->line_count);
	return rest;
}

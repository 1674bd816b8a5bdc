/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* shown: see shown.h. */
#include "cli/open/shown.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "cli/open/query.h"
#include "cli/page/page_file.h"
#include "cli/terminal/outcome.h"
#include "cli/terminal/progress.h"
#include "report/page/page.h"
#include "report/report.h"
#include "report/request.h"

static int no_memory(struct error *error)
{
	return error_set(error, ERROR_MEMORY, "no memory for the profile");
}

/* ---- the profile and its intervals ---- */

static void free_reading(struct reading *reading)
{
	opened_profile_fini(&reading->opened);
	profile_choice_fini(&reading->choice);
	free(reading->file);
	free(reading->interval);
	free(reading);
}

static void free_readings(struct reading *reading)
{
	while (reading) {
		struct reading *next = reading->next;

		free_reading(reading);
		reading = next;
	}
}

static int copy_patterns(struct pattern_list *to, const struct pattern_list *from)
{
	int failed = 0;

	for (size_t i = 0; i < from->count && failed == 0; i++)
		failed = pattern_list_add(to, from->pattern[i]);
	return failed;
}

/* Reads what was asked for, of the file of what reports show, which was read before; NULL: that itself, of the file that is shown
 * now. Adjusted. Owned; NULL with error filled. */
static struct reading *read_part(
	struct shown *shown, const struct wish *wish, struct error *error)
{
	const char *interval = wish ? wish->interval : NULL;
	const struct profile_wanted wanted = {.records = true,
		.marks = true,
		.thread_states = true,
		.classes = true,
		.collections = true,
		.compilations = true};
	struct reading *reading = calloc(1, sizeof(*reading));
	const char *file;
	int failed;

	if (reading && interval)
		reading->interval = strdup(interval);
	pthread_mutex_lock(&shown->lock);
	/* The agent's worker may have changed it since the list was read. */
	file = wish ? shown->readings->file : shown->file;
	if (reading && file)
		reading->file = strdup(file);
	failed = file ? 0
		      : error_set(error, ERROR_MISSING,
				"nothing was recorded yet: start a recording");
	pthread_mutex_unlock(&shown->lock);
	if (failed == 0 && (!reading || !reading->file || (interval && !reading->interval)))
		failed = no_memory(error);
	if (failed == 0 && wish &&
		(copy_patterns(&reading->choice.model.labels.tags, &wish->labels->tags) != 0 ||
			copy_patterns(&reading->choice.model.labels.values,
				&wish->labels->values) != 0))
		failed = no_memory(error);
	if (failed == 0) {
		reading->choice.file = reading->file;
		reading->choice.interval = reading->interval;
		reading->choice.calibration = shown->calibration;
		reading->choice.java = shown->java;
		failed =
			opened_profile_init(&reading->opened, &reading->choice, &wanted, error);
	}
	if (failed == 0)
		failed = opened_profile_adjust(&reading->opened, &reading->choice, error);
	progress_hide();
	if (failed == 0)
		return reading;
	if (reading)
		free_reading(reading);
	return NULL;
}

static bool are_same(const struct pattern_list *a, const struct pattern_list *b)
{
	bool same = a->count == b->count;

	for (size_t i = 0; i < a->count && same; i++)
		same = strcmp(a->pattern[i], b->pattern[i]) == 0;
	return same;
}

static bool is_of(const struct reading *reading, const struct wish *wish)
{
	const struct label_choice *labels = &reading->choice.model.labels;
	bool same = reading->interval && wish->interval
			    ? strcmp(reading->interval, wish->interval) == 0
			    : reading->interval == wish->interval;

	return same && are_same(&labels->tags, &wish->labels->tags) &&
	       are_same(&labels->values, &wish->labels->values);
}

/* Reads what reports show, if it is not there, stale, or anyway; intervals that were read before are given up then. 0,
 * or a negative code: all is as it was. */
static int read_again(struct shown *shown, bool anyway, struct error *error)
{
	struct reading *reading;
	bool is_stale;

	pthread_mutex_lock(&shown->lock);
	is_stale = shown->is_stale;
	shown->is_stale = false;
	pthread_mutex_unlock(&shown->lock);
	if (shown->readings && !is_stale && !anyway)
		return 0;
	reading = read_part(shown, NULL, error);
	if (!reading && is_stale)
		shown_change(shown, NULL);
	if (!reading)
		return -(int)error->code;
	free_readings(shown->readings);
	shown->readings = reading;
	return 0;
}

int shown_read(struct shown *shown, struct error *error)
{
	return read_again(shown, false, error);
}

/* Gives up those that were not asked for longest, but for the first and the newest one, which is behind it. */
static void make_room(struct shown *shown)
{
	while (true) {
		struct reading **oldest = NULL, *gone;
		size_t nodes = 0;
		unsigned count = 1;

		for (struct reading **at = &shown->readings->next; *at; at = &(*at)->next) {
			count++;
			nodes += (*at)->opened.profile->node_count;
			if (at != &shown->readings->next &&
				(!oldest || (*at)->used < (*oldest)->used))
				oldest = at;
		}
		if (!oldest || (count <= SHOWN_INTERVALS && nodes <= SHOWN_NODES))
			return;
		gone = *oldest;
		*oldest = gone->next;
		free_reading(gone);
	}
}

/* The interval ("" and NULL: what reports show), with what was done under those labels alone, which is read if it is not there.
 * Borrowed until the next call; NULL with error filled. */
static struct reading *find_reading(struct shown *shown, const char *interval,
	const struct label_choice *labels, struct error *error)
{
	const struct wish wish = {interval && *interval != '\0' ? interval : NULL, labels};
	struct reading *reading;

	if (shown_read(shown, error) != 0)
		return NULL;
	reading = shown->readings;
	while (reading && !is_of(reading, &wish))
		reading = reading->next;
	if (!reading) {
		reading = read_part(shown, &wish, error);
		if (!reading)
			return NULL;
		reading->next = shown->readings->next;
		shown->readings->next = reading;
		make_room(shown);
	}
	reading->used = ++shown->uses;
	return reading;
}

int shown_init(struct shown *shown, const char *file, const char *calibration, const char *java,
	struct error *error)
{
	*shown = (struct shown){.calibration = calibration, .java = java};
	pthread_mutex_init(&shown->lock, NULL);
	shown->file = file ? strdup(file) : NULL;
	return file && !shown->file ? no_memory(error) : 0;
}

void shown_fini(struct shown *shown)
{
	free_readings(shown->readings);
	free(shown->file);
	pthread_mutex_destroy(&shown->lock);
}

void shown_change(struct shown *shown, const char *file)
{
	char *copy = file ? strdup(file) : NULL;

	pthread_mutex_lock(&shown->lock);
	if (copy) {
		free(shown->file);
		shown->file = copy;
	}
	shown->is_stale = true;
	pthread_mutex_unlock(&shown->lock);
}

/* ---- answers ---- */

/* Nobody waits for the answer any more, others do: what takes long is not begun. */
static bool refuse_left(struct exchange *exchange)
{
	if (!exchange_is_left(exchange))
		return false;
	exchange_refuse(exchange, 503, "the client has gone");
	return true;
}

/* Takes the bytes of out. */
static void answer_with(
	struct exchange *exchange, const char *type, struct out *out, const struct error *error)
{
	if (error->code != ERROR_NONE) {
		exchange_refuse(exchange, 400, "%s", error->text);
		return;
	}
	exchange_answer(exchange, 200, type, out->buffer, out->length);
	out->buffer = NULL;
}

static int take_value(const struct given *given, struct error *error)
{
	*(const char **)given->to = given->value;
	return 0;
}

static int take_count(const struct given *given, struct error *error)
{
	return request_take_number(given->to, given->name, given->value, error);
}

/* ---- what was chosen ---- */

static int take_pattern_value(const struct given *given, struct error *error)
{
	return pattern_list_add(given->to, given->value) == 0 ? 0 : no_memory(error);
}

static int take_tag_value(const struct given *given, struct error *error)
{
	if (!label_choice_is_tag(given->value))
		return error_set(error, ERROR_USAGE,
			"tag needs a key and a pattern, as in user=alice, not '%s'",
			given->value);
	return take_pattern_value(given, error);
}

/* Of the words of a request, whose `choice` it is. */
#define CHOICE_PARAMETERS(words)                                                               \
	{"tag", take_tag_value, offsetof(struct words, choice.labels.tags)},                   \
		{"value", take_pattern_value, offsetof(struct words, choice.labels.values)},   \
		{"path", take_pattern_value, offsetof(struct words, choice.paths)},            \
	{                                                                                      \
		"component", take_pattern_value, offsetof(struct words, choice.within)         \
	}

static void free_choice(const struct model_choice *choice)
{
	struct profile_choice lists = {.model = *choice};

	profile_choice_fini(&lists);
}

/* ---- blocks ---- */

struct block_words {
	const char *interval;
	uint64_t root, limit;
	struct model_choice choice;
};

static int refuse_threads(const struct given *given, struct error *error)
{
	return error_set(error, ERROR_USAGE, "blocks of some threads alone are not made");
}

static const struct parameter block_parameters[] = {
	{"interval", take_value, offsetof(struct block_words, interval)},
	{"root", take_count, offsetof(struct block_words, root)},
	{"limit", take_count, offsetof(struct block_words, limit)},
	{"threads", refuse_threads, 0},
	CHOICE_PARAMETERS(block_words),
};

/* Of all that may be asked for. Owned; NULL without memory. */
static char *all_intervals(const struct shown *shown)
{
	size_t count, left_out;
	struct page_interval *interval =
		page_intervals(shown->readings->opened.profile, SIZE_MAX, &count, &left_out);
	char *json = interval ? page_intervals_json(interval, count) : NULL;

	page_intervals_free(interval, count);
	return json;
}

/* What was read, and what of it is asked for beside. */
static struct profile_choice choice_of(
	const struct reading *reading, const struct model_choice *asked)
{
	struct profile_choice choice = {0};

	if (reading)
		choice = reading->choice;
	choice.model.paths = asked->paths;
	choice.model.within = asked->within;
	return choice;
}

static int put_block(struct shown *shown, const struct block_words *words, struct out *out,
	struct error *error)
{
	const struct reading *reading =
		find_reading(shown, words->interval, &words->choice.labels, error);
	const struct profile_choice chosen = choice_of(reading, &words->choice);
	char *intervals = reading ? all_intervals(shown) : NULL;
	char *again = reading ? profile_choice_command(&chosen) : NULL;
	const struct block_choice choice = {.again = again,
		.interval = reading && reading->interval ? reading->interval : "",
		.intervals = intervals,
		.is_part = chosen_by(&chosen.model) != 0,
		.root = words->root,
		.limit = words->limit};
	struct model model;
	int failed = -(int)error->code;

	if (reading && !intervals)
		failed = no_memory(error);
	if (failed == 0) {
		progress_show("putting the page together");
		failed = model_init(&model, reading->opened.profile, &chosen.model, error);
		if (failed == 0)
			failed = block_deflate(out, &model, &choice, error);
		model_fini(&model);
		progress_hide();
	}
	free(again);
	free(intervals);
	return failed;
}

void shown_block(void *user, struct exchange *exchange)
{
	struct block_words words = {0};
	struct error error = {0};
	struct query *query;
	struct out out;

	if (refuse_left(exchange))
		return;
	out_init(&out, -1);
	if (query_read(&query, exchange->query, block_parameters,
		    sizeof(block_parameters) / sizeof(*block_parameters), &words, &error) == 0)
		put_block(user, &words, &out, &error);
	answer_with(exchange, TYPE_BLOCK, &out, &error);
	free_choice(&words.choice);
	out_fini(&out);
	query_free(query);
}

/* ---- reports ---- */

struct report_words {
	const char *interval;
	struct model_choice choice;
	struct report_request request;
};

static int take_view(const struct given *given, struct error *error)
{
	return request_take_view(given->to, given->value, error);
}

static int take_min(const struct given *given, struct error *error)
{
	return request_take_min(given->to, given->value, error);
}

static int take_number(const struct given *given, struct error *error)
{
	char option[32] = "--";

	strncat(option, given->name, sizeof(option) - strlen(option) - 1);
	return request_take_number(given->to, option, given->value, error);
}

static int take_switch(const struct given *given, struct error *error)
{
	*(bool *)given->to = true;
	return strcmp(given->value, "1") == 0
		       ? 0
		       : error_set(error, ERROR_USAGE, "%s can be 1 only", given->name);
}

static int take_by(const struct given *given, struct error *error)
{
	request_take_by(given->to, given->value);
	return 0;
}

#define WORD(member) offsetof(struct report_words, member)

static const struct parameter report_parameters[] = {
	{"view", take_view, WORD(request.view)},
	{"interval", take_value, WORD(interval)},
	{"thread", take_pattern_value, WORD(choice.threads)},
	{"method", take_pattern_value, WORD(choice.methods)},
	{"file", take_pattern_value, WORD(choice.files)},
	CHOICE_PARAMETERS(report_words),
	{"metric", take_value, WORD(choice.metrics)},
	{"sort", take_value, WORD(request.sort)},
	{"top", take_number, WORD(request.top)},
	{"min", take_min, WORD(request.min)},
	{"depth", take_number, WORD(request.depth)},
	{"merge-threads", take_switch, WORD(choice.merge_threads)},
	{"by", take_by, WORD(request)},
};

static void say_line(const char *line)
{
	say("%s", line);
}

/* With some threads alone jprof's own cost is looked for as `jprof report` does: in what these have done. */
static int put_report(
	struct shown *shown, struct report_words *words, struct out *out, struct error *error)
{
	struct report_request *request = &words->request;
	const struct reading *reading =
		find_reading(shown, words->interval, &words->choice.labels, error);
	struct opened_profile own;
	struct profile_choice choice;
	uint64_t violations;
	int failed;

	if (!reading)
		return -(int)error->code;
	own = (struct opened_profile){.profile = reading->opened.profile};
	choice = reading->choice;
	choice.model = words->choice;
	failed = request_check_profile(request, own.profile, choice.file, error);
	if (failed == 0 && choice.model.threads.count > 0 &&
		(request->view->adjusts || choice.calibration))
		failed = opened_profile_adjust(&own, &choice, error);
	else if (request->view->adjusts || choice.calibration)
		choice.model.adjustment = reading->choice.model.adjustment;
	progress_show("putting the report together");
	request->choice = choice.model;
	request->state = reading->opened.state[0] != '\0' ? reading->opened.state : NULL;
	request->say = say_line;
	if (failed == 0)
		failed = report_put_profile(own.profile, request, out, &violations, error);
	progress_hide();
	adjustment_fini(&own.adjustment);
	return failed;
}

void shown_report(void *user, struct exchange *exchange)
{
	struct report_words words = {.request = {.view = &view_tree, .min = -1}};
	struct error error = {0};
	struct query *query;
	struct out out;
	int failed;

	if (refuse_left(exchange))
		return;
	out_init(&out, -1);
	failed = query_read(&query, exchange->query, report_parameters,
		sizeof(report_parameters) / sizeof(*report_parameters), &words, &error);
	if (failed == 0)
		failed = request_take_format(&words.request.format, "json", &error);
	if (failed == 0)
		failed = request_check(&words.request, &words.choice, false, &error);
	if (failed == 0)
		put_report(user, &words, &out, &error);
	answer_with(exchange, TYPE_JSON, &out, &error);
	free_choice(&words.choice);
	out_fini(&out);
	query_free(query);
}

/* ---- once more ---- */

void shown_refresh(void *user, struct exchange *exchange)
{
	struct error error = {0};
	int failed = read_again(user, true, &error);

	exchange_conclude(exchange, failed == 0 ? NULL : error.text);
}

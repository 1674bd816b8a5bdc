/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * export_callgrind: the profile format of Callgrind, for KCachegrind and callgrind_annotate
 * (https://valgrind.org/docs/manual/cl-format.html).
 *
 * A function is a method, summed over all chosen threads: what it used itself, by line where samples have lines, and for each
 * method that it called how often, and what that came to: edges' "below", so that a function's own costs and those of its calls
 * are its cum, with recursion, too.
 */
#include <ctype.h>
#include <stdlib.h>

#include "error/harmless.h"
#include "report/exports/facts.h"
#include "report/exports/frames.h"
#include "report/model/edges.h"
#include "report/text/strings.h"

/* Samples of a method in a line of its own. */
struct line_cost {
	uint32_t method, line;
	uint64_t samples[SAMPLE_CONDITIONS_MAX];
};

struct callgrind {
	const struct export *export;
	struct figures figures; /* without calls, which the format has a place for */
	struct frames frames;
	struct tally tally;
	struct edges edges;
	struct strings files, objects;
	/* By method, the last one for METHOD_COUNTED; and by file and object: it has been named. */
	bool *named;
	uint32_t file_named, object_named;
	/* By method, then by line. */
	struct line_cost *line;
	size_t line_count;
};

/* ---- names ---- */

/* "fn=(3) name", and "fn=(3)" from then on. */
static void put_name(
	struct out *out, const char *key, uint64_t id, struct label name, bool is_new)
{
	out_text(out, key);
	out_text(out, "=(");
	out_number(out, id);
	out_char(out, ')');
	if (is_new) {
		out_char(out, ' ');
		out_harmless(out, name.text, name.length);
	}
	out_char(out, '\n');
}

/* One of a table's, which numbers texts in the order that they are met in. "???": not known. */
static void put_text(struct callgrind *to, const char *key, struct strings *texts,
	uint32_t *named, struct label text)
{
	uint32_t id = strings_take(texts, text.length > 0 ? text : label_of("???"));

	put_name(to->export->out, key, id, text.length > 0 ? text : label_of("???"),
		id > *named);
	if (id > *named)
		*named = id;
}

/* Object, file and name of a method; keys: what stands before each, own_keys or those of one that is called. */
static void put_method(struct callgrind *to, const char *const keys[3], uint32_t method)
{
	const struct frame *frame = frames_of(&to->frames, method);
	uint32_t at =
		method == METHOD_COUNTED ? to->export->model->profile->method_count : method;
	struct label object = frame->library.length > 0    ? frame->library
			      : frame->kind == METHOD_JAVA ? label_of("java")
							   : frame->library;
	/* Methods of one name, file and object (a class of two loaders) are one to readers, which add them up. */
	struct label name = frame->name.length > 0 ? frame->name : label_of(NAME_NONE);

	put_text(to, keys[0], &to->objects, &to->object_named, object);
	put_text(to, keys[1], &to->files, &to->file_named, frame->file);
	put_name(to->export->out, keys[2], (uint64_t)at + 1, name, !to->named[at]);
	to->named[at] = true;
}

/* ---- costs ---- */

/* Names of events are letters, digits and '_', and begin with a letter. */
static void put_event_name(struct out *out, const char *name)
{
	if (!isalpha((unsigned char)*name))
		out_text(out, "event_");
	for (; *name != '\0'; name++)
		out_char(out, isalnum((unsigned char)*name) ? *name : '_');
}

static void put_costs(struct callgrind *to, uint32_t line, const uint64_t *values)
{
	struct out *out = to->export->out;

	out_number(out, line);
	for (unsigned i = 0; i < to->figures.count; i++) {
		out_char(out, ' ');
		out_number(out, values[to->figures.figure[i].at]);
	}
	out_char(out, '\n');
}

static void take_values(
	const struct model *model, const union model_value *from, uint64_t values[FIGURES_MAX])
{
	memset(values, 0, FIGURES_MAX * sizeof(*values));
	for (unsigned v = 0; v < model->figures; v++)
		values[v] = from[v].count;
}

static int by_method(const void *left, const void *right)
{
	const struct line_cost *a = left, *b = right;

	if (a->method != b->method)
		return a->method < b->method ? -1 : 1;
	return (a->line > b->line) - (a->line < b->line);
}

/* Samples whose line is one of the method that ran itself. */
static int find_lines(struct callgrind *to)
{
	const struct model *model = to->export->model;
	const struct profile *profile = model->profile;
	struct pairs places = {0};
	unsigned condition;

	to->line = store_room(model->store, profile->account_count + 1, sizeof(*to->line));
	for (size_t i = 0; to->line && i < profile->account_count; i++) {
		const struct profile_account *account = &profile->account[i];
		uint32_t method, line, number;

		if (!model_is_sample(model, account, &condition))
			continue;
		method = profile->node[account->node].method;
		line = (uint32_t)sample_place_line(account->subject);
		if (line == 0 || profile->method[method].kind != METHOD_JAVA ||
			profile->method[method].is_native)
			continue;
		number = pairs_take(&places, method, line);
		if (number == 0) {
			pairs_fini(&places);
			return -1;
		}
		to->line[number - 1].method = method;
		to->line[number - 1].line = line;
		to->line[number - 1].samples[condition] += account->amount;
	}
	to->line_count = places.count;
	pairs_fini(&places);
	if (!to->line)
		return -1;
	qsort(to->line, to->line_count, sizeof(*to->line), by_method);
	return 0;
}

/* Of a method itself: what has no line, then line by line. at: the place in line, which moves on to the next method's. */
static void put_self(struct callgrind *to, uint32_t method, size_t *at)
{
	const struct model *model = to->export->model;
	uint64_t rest[FIGURES_MAX];
	size_t first = *at;

	take_values(model, model_at(model, to->tally.base, method), rest);
	rest[to->figures.calls] = to->tally.method[method].calls;
	for (; *at < to->line_count && to->line[*at].method == method; ++*at)
		for (unsigned c = 0; c < model->condition_count; c++)
			rest[model->metric_count + c] -= to->line[*at].samples[c];
	if (figures_any(&to->figures, rest))
		put_costs(to, 0, rest);
	for (; first < *at; first++) {
		uint64_t values[FIGURES_MAX] = {0};

		memcpy(values + model->metric_count, to->line[first].samples,
			model->condition_count * sizeof(*values));
		if (figures_any(&to->figures, values))
			put_costs(to, to->line[first].line, values);
	}
}

static void put_call(
	struct callgrind *to, uint32_t callee, uint64_t calls, const uint64_t *values)
{
	static const char *const keys[] = {"cob", "cfi", "cfn"};

	put_method(to, keys, callee);
	out_text(to->export->out, "calls=");
	out_number(to->export->out, calls);
	out_text(to->export->out, " 0\n");
	put_costs(to, 0, values);
}

static const char *const own_keys[] = {"ob", "fl", "fn"};

static void put_methods(struct callgrind *to)
{
	const struct model *model = to->export->model;
	size_t line = 0;

	for (uint32_t m = 0; m < model->profile->method_count && to->export->out->failed == 0;
		m++) {
		const uint32_t *first = to->edges.caller_first;
		uint64_t values[FIGURES_MAX];

		if (to->tally.method[m].nodes == 0)
			continue;
		out_char(to->export->out, '\n');
		put_method(to, own_keys, m);
		put_self(to, m, &line);
		for (uint32_t i = first[m]; i < first[m + 1]; i++) {
			const struct edge *edge = edge_at(&to->edges, to->edges.by_caller[i]);

			take_values(model, model_at(model, edge->values, 2), values);
			put_call(to, edge->callee, edge->count.calls, values);
		}
	}
}

/* Calls whose callers are not known come from a function of their own, and cost it nothing: what they used is in
 * the callers' costs. */
static void put_counted(struct callgrind *to)
{
	const struct model *model = to->export->model;
	const uint64_t nothing[FIGURES_MAX] = {0};

	if (!model->counted)
		return;
	out_char(to->export->out, '\n');
	put_method(to, own_keys, METHOD_COUNTED);
	for (uint32_t m = 0; m < model->profile->method_count; m++)
		if (model->counted[m] > 0)
			put_call(to, m, model->counted[m], nothing);
}

/* ---- the head ---- */

static void put_events(struct callgrind *to)
{
	struct out *out = to->export->out;

	for (unsigned i = 0; i < to->figures.count; i++) {
		const struct figure *figure = &to->figures.figure[i];

		out_text(out, "event: ");
		put_event_name(out, figure->name);
		out_text(out, " : ");
		out_harmless(out, figure->name, strlen(figure->name));
		out_text(out, " (");
		out_harmless(out, figure->unit, strlen(figure->unit));
		out_text(out, ")\n");
	}
	out_text(out, "positions: line\nevents:");
	for (unsigned i = 0; i < to->figures.count; i++) {
		out_char(out, ' ');
		put_event_name(out, to->figures.figure[i].name);
	}
	out_char(out, '\n');
}

/* KCachegrind wants to see "events:" within 2047 bytes, callgrind_annotate all that it knows of before that. */
static void put_head(struct callgrind *to)
{
	enum { COMMAND_MOST = 256 };
	const struct export *export = to->export;
	const struct profile *profile = export->model->profile;
	const char *command = profile_meta_get(profile, "java.command");
	const struct export_notes notes = export_notes(export);
	struct out *out = export->out;
	char shown[COMMAND_MOST];

	out_text(
		out, "# callgrind format\nversion: 1\ncreator: jprof " JPROF_VERSION "\npid: ");
	out_number(out, export_fact(profile, "pid"));
	if (command) {
		harmless_copy(shown, sizeof(shown), command, strlen(command));
		out_text(out, "\ncmd: ");
		out_text(out, shown);
	}
	out_char(out, '\n');
	put_events(to);
	for (size_t i = 0; notes.line[i]; i++) {
		out_text(out, "# ");
		out_harmless(out, notes.line[i], strlen(notes.line[i]));
		out_char(out, '\n');
	}
}

static void put_totals(struct callgrind *to, const char *key)
{
	struct out *out = to->export->out;
	uint64_t whole[FIGURES_MAX] = {0};

	model_whole(to->export->model, whole);
	for (uint32_t m = 0; m < to->export->model->profile->method_count; m++)
		whole[to->figures.calls] += to->tally.method[m].calls;
	out_text(out, key);
	for (unsigned i = 0; i < to->figures.count; i++) {
		out_char(out, ' ');
		out_number(out, whole[to->figures.figure[i].at]);
	}
	out_char(out, '\n');
}

/* ---- the whole ---- */

/* The format has calls beside events. Where there is nothing else they are one: of each method, how often it was called. */
static struct figures choose(const struct export *export)
{
	struct figures figures = figures_choose(export);

	if (figures.count > 1 && figures.figure[figures.count - 1].at == figures.calls)
		figures.count--;
	return figures;
}

static int write_callgrind(const struct export *export)
{
	const struct model *model = export->model;
	struct callgrind to = {.export = export, .figures = choose(export)};
	const union model_value *cum = model_cum(model);
	int failed = -1;

	to.named = store_room(model->store, model->profile->method_count + 1, 1);
	if (cum && to.named && frames_init(&to.frames, model) == 0 &&
		tally_init(&to.tally, model, cum) == 0 &&
		edges_init(&to.edges, model, cum) == 0 && find_lines(&to) == 0) {
		put_head(&to);
		put_totals(&to, "summary:");
		put_methods(&to);
		put_counted(&to);
		out_char(export->out, '\n');
		put_totals(&to, "totals:");
		failed = to.files.failed || to.objects.failed ? -1 : 0;
	}
	strings_fini(&to.files);
	strings_fini(&to.objects);
	frames_fini(&to.frames);
	return failed;
}

const struct exporter exporter_callgrind = {
	.name = "callgrind",
	.meaning = "for KCachegrind and callgrind_annotate: methods, their calls, lines",
	.prefix = "callgrind.out.",
	.suffix = "",
	.places = true,
	.write = write_callgrind,
};

/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * export_pprof: pprof's profile.proto (pprof.proto has its fields), compressed.
 *
 * A sample is a call path with what it has of its own; samples of a path that are known by state and line are
 * samples of their own. Each is packed as a message by itself (packer.h), the tables that they refer to
 * behind them all.
 */
#include <stdlib.h>

#include <pprof.pb-c.h>

#include "profile/moment.h"
#include "report/exports/facts.h"
#include "report/exports/packer.h"
#include "report/exports/samples.h"
#include "report/text/strings.h"

/* Ids of mappings: the Java code, and each library behind it. */
enum { MAPPING_JAVA = 1, LABELS_MAX = 4 };

struct pprof {
	const struct export *export;
	struct packer packer;
	struct figures figures;
	struct frames frames;   /* locations */
	struct pairs functions; /* by method */
	struct strings texts, libraries;
	uint64_t *location; /* of the sample at work */
	/* Of the thread at work. */
	size_t thread, label_count;
	Pprof__Label label[LABELS_MAX - 1];
	bool failed;
};

/* What a unit is called here. */
static const char *unit_of(const char *unit)
{
	return strcmp(unit, "ns") == 0 ? "nanoseconds" : unit;
}

static Pprof__ValueType value_type(struct pprof *pprof, const char *type, const char *unit)
{
	Pprof__ValueType value = PPROF__VALUE_TYPE__INIT;

	value.type = strings_of(&pprof->texts, type);
	value.unit = strings_of(&pprof->texts, unit_of(unit));
	return value;
}

/* ---- samples ---- */

static Pprof__Label text_label(struct pprof *pprof, const char *key, struct label text)
{
	Pprof__Label label = PPROF__LABEL__INIT;

	label.key = strings_of(&pprof->texts, key);
	label.str = strings_take(&pprof->texts, text);
	return label;
}

static Pprof__Label number_label(struct pprof *pprof, const char *key, int64_t number)
{
	Pprof__Label label = PPROF__LABEL__INIT;

	label.key = strings_of(&pprof->texts, key);
	label.num = number;
	return label;
}

/* Ids of 0 are not known, or those of many threads. */
static void label_thread(struct pprof *pprof, size_t thread)
{
	const struct model *model = pprof->export->model;
	const struct profile_thread *row = &model->profile->thread[thread];
	size_t count = 0;

	pprof->thread = thread;
	pprof->label[count++] = text_label(pprof, "thread", stacks_thread_name(model, thread));
	if (row->java_id != 0)
		pprof->label[count++] = number_label(pprof, "thread_id", row->java_id);
	if (row->os_id != 0)
		pprof->label[count++] = number_label(pprof, "os_thread_id", row->os_id);
	pprof->label_count = count;
}

static void put_sample(void *user, const struct stack_sample *from)
{
	struct pprof *pprof = user;
	Pprof__Profile profile = PPROF__PROFILE__INIT;
	Pprof__Sample sample = PPROF__SAMPLE__INIT, *one = &sample;
	Pprof__Label *labels[LABELS_MAX], state;
	int64_t value[FIGURES_MAX];

	if (pprof->thread != from->thread || pprof->label_count == 0)
		label_thread(pprof, from->thread);
	for (size_t i = 0; i < pprof->label_count; i++)
		labels[sample.n_label++] = &pprof->label[i];
	if (from->state) {
		state = text_label(pprof, "state", label_of(from->state));
		labels[sample.n_label++] = &state;
	}
	for (size_t i = 0; i < from->depth; i++)
		pprof->location[i] = from->frame[i];
	for (unsigned i = 0; i < pprof->figures.count; i++)
		value[i] = (int64_t)from->values[pprof->figures.figure[i].at];
	sample.location_id = pprof->location;
	sample.n_location_id = from->depth;
	sample.value = value;
	sample.n_value = pprof->figures.count;
	sample.label = labels;
	profile.sample = &one;
	profile.n_sample = 1;
	packer_put(&pprof->packer, &profile);
}

/* ---- tables ---- */

static uint64_t take_mapping(struct pprof *pprof, const struct frame *frame)
{
	if (frame->library.length > 0)
		return MAPPING_JAVA + strings_take(&pprof->libraries, frame->library);
	return frame->kind == METHOD_JAVA ? MAPPING_JAVA : 0;
}

static void put_function(struct pprof *pprof, uint64_t id, const struct frame *frame)
{
	Pprof__Profile profile = PPROF__PROFILE__INIT;
	Pprof__Function function = PPROF__FUNCTION__INIT, *one = &function;

	function.id = id;
	function.name = strings_take(&pprof->texts, frame->name);
	function.system_name = strings_take(
		&pprof->texts, frame->system.length > 0 ? frame->system : frame->name);
	function.filename = strings_take(&pprof->texts, frame->file);
	profile.function = &one;
	profile.n_function = 1;
	packer_put(&pprof->packer, &profile);
}

static void put_location(
	struct pprof *pprof, uint64_t id, uint64_t mapping, uint64_t function, uint32_t at)
{
	Pprof__Profile profile = PPROF__PROFILE__INIT;
	Pprof__Location location = PPROF__LOCATION__INIT, *one = &location;
	Pprof__Line line = PPROF__LINE__INIT, *one_line = &line;

	line.function_id = function;
	line.line = at;
	location.id = id;
	location.mapping_id = mapping;
	location.line = &one_line;
	location.n_line = 1;
	profile.location = &one;
	profile.n_location = 1;
	packer_put(&pprof->packer, &profile);
}

/* A location is a method and a line; the method's function and mapping are found on the way. */
static void put_locations(struct pprof *pprof)
{
	for (size_t i = 1; i <= frames_count(&pprof->frames); i++) {
		uint32_t method = frames_method(&pprof->frames, i);
		size_t known = pprof->functions.count;
		uint32_t function = pairs_take(&pprof->functions, method, 0);
		const struct frame *frame = frames_of(&pprof->frames, method);

		pprof->failed |= function == 0;
		if (function > known)
			put_function(pprof, function, frame);
		put_location(pprof, i, take_mapping(pprof, frame), function,
			frames_line(&pprof->frames, i));
	}
}

/* All names are known: readers look for none in the files. */
static void put_mapping(struct pprof *pprof, uint64_t id, struct label name)
{
	Pprof__Profile profile = PPROF__PROFILE__INIT;
	Pprof__Mapping mapping = PPROF__MAPPING__INIT, *one = &mapping;

	mapping.id = id;
	mapping.filename = strings_take(&pprof->texts, name);
	mapping.has_functions = mapping.has_filenames = mapping.has_line_numbers = 1;
	mapping.has_inline_frames = 1;
	profile.mapping = &one;
	profile.n_mapping = 1;
	packer_put(&pprof->packer, &profile);
}

static void put_mappings(struct pprof *pprof)
{
	const char *command = profile_meta_get(pprof->export->model->profile, "java.command");

	put_mapping(pprof, MAPPING_JAVA, label_of(command && *command ? command : "java"));
	for (size_t i = 0; i < pprof->libraries.count; i++)
		put_mapping(pprof, MAPPING_JAVA + 1 + i, pprof->libraries.label[i]);
}

/* What the samples have, and what the profile is of. */
static void put_facts(struct pprof *pprof)
{
	const struct profile *source = pprof->export->model->profile;
	const struct export_notes notes = export_notes(pprof->export);
	const struct figures *figures = &pprof->figures;
	Pprof__Profile profile = PPROF__PROFILE__INIT;
	Pprof__ValueType type[FIGURES_MAX], *types[FIGURES_MAX], period;
	int64_t comment[EXPORT_NOTES];
	uint64_t started = moment_begin(source), end = source->interval.end,
		 begin = source->interval.begin;

	for (unsigned i = 0; i < figures->count; i++) {
		const struct figure *figure = &figures->figure[i];

		type[i] = value_type(pprof, figure->name, figure->unit);
		types[i] = &type[i];
		if (!figure->condition || profile.period_type)
			continue;
		period = value_type(pprof, figure->condition->event, figure->condition->unit);
		profile.period_type = &period;
		profile.period = (int64_t)figure->condition->period;
	}
	profile.sample_type = types;
	profile.n_sample_type = figures->count;
	profile.default_sample_type = type[figures->lead].type;
	if (started > 0)
		profile.time_nanos = (int64_t)(started + begin);
	if (end > begin)
		profile.duration_nanos = (int64_t)(end - begin);
	for (; notes.line[profile.n_comment]; profile.n_comment++)
		comment[profile.n_comment] =
			strings_of(&pprof->texts, notes.line[profile.n_comment]);
	profile.comment = comment;
	packer_put(&pprof->packer, &profile);
}

static void put_texts(struct pprof *pprof)
{
	for (size_t i = 0; i <= pprof->texts.count; i++) {
		Pprof__Profile profile = PPROF__PROFILE__INIT;
		char *text = i > 0 ? (char *)pprof->texts.label[i - 1].text : (char *)"";

		profile.string_table = &text;
		profile.n_string_table = 1;
		packer_put(&pprof->packer, &profile);
	}
}

/* ---- the whole ---- */

static int write_pprof(const struct export *export)
{
	const struct model *model = export->model;
	struct gzip *gzip = store_room(model->store, 1, sizeof(*gzip));
	struct pprof pprof = {.export = export,
		.packer = packer_to(NULL, gzip),
		.figures = figures_choose(export),
		.location = store_room(
			model->store, model->profile->node_count + 2, sizeof(uint64_t))};
	struct stacks stacks;
	struct samples samples;

	if (!gzip || !pprof.location || frames_init(&pprof.frames, model) != 0 ||
		stacks_init(&stacks, model, figures_have_io(&pprof.figures)) != 0 ||
		samples_init(&samples, &pprof.figures, &stacks, &pprof.frames) != 0)
		return -1;
	pprof.failed = gzip_init(gzip, export->out) != 0;
	if (!pprof.failed) {
		put_facts(&pprof);
		samples_walk(&samples, export->out, put_sample, &pprof);
		put_locations(&pprof);
		put_mappings(&pprof);
		put_texts(&pprof);
		gzip_end(gzip);
	}
	pprof.failed |= samples.failed || pprof.texts.failed || pprof.libraries.failed;
	gzip_fini(gzip);
	strings_fini(&pprof.texts);
	strings_fini(&pprof.libraries);
	pairs_fini(&pprof.functions);
	frames_fini(&pprof.frames);
	return pprof.failed ? -1 : 0;
}

const struct exporter exporter_pprof = {
	.name = "pprof",
	.meaning = "profile.proto of pprof, compressed: all figures, threads, lines",
	.prefix = "",
	.suffix = ".pb.gz",
	.binary = true,
	.methods = true,
	.merges = true,
	.io = true,
	.places = true,
	.write = write_pprof,
};

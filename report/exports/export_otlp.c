/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * export_otlp: OpenTelemetry's profiles signal (otlp.proto has its fields).
 *
 *   ProfilesData
 *     resource_profiles   the process, and one Profile a figure, each with its samples
 *     dictionary          stacks, frames, texts, attributes: once for all of them
 *
 * A Profile has values of one type; stacks are met in the same order for each, so that their numbers need not be
 * kept. Messages that must say their length first are counted in one walk of all, and written in further ones.
 */
#include <stdlib.h>

#include <otlp.pb-c.h>

#include "profile/moment.h"
#include "report/exports/facts.h"
#include "report/exports/packer.h"
#include "report/exports/samples.h"
#include "report/text/strings.h"

/* Fields of embedded messages that are written in pieces, by otlp.proto. */
enum {
	FIELD_RESOURCE_PROFILES = 1,
	FIELD_DICTIONARY = 2,
	FIELD_SCOPE_PROFILES = 2,
	FIELD_PROFILES = 2
};

/* What attributes tell; the value is a number of a text, or of a thread of the profile. */
enum attribute { THREAD_NAME, THREAD_ID, SAMPLE_STATE, FRAME_TYPE, ATTRIBUTES };

static const char *const attribute_keys[ATTRIBUTES] = {
	[THREAD_NAME] = "thread.name",
	[THREAD_ID] = "thread.id",
	[SAMPLE_STATE] = "jprof.sample.state",
	[FRAME_TYPE] = "profile.frame.type",
};

struct otlp {
	const struct export *export;
	struct packer *packer; /* the one at work */
	struct figures figures;
	struct samples samples;
	struct frames frames;    /* locations */
	struct pairs attributes; /* of key and value */
	struct strings texts, libraries;
	/* Attributes of the thread at work. */
	size_t thread, of_thread_count;
	int32_t of_thread[2];
	unsigned figure; /* the one that samples are written of */
	int32_t *location;
	/* Lengths, of all pieces: of each figure's samples, of the table of stacks. */
	uint64_t samples_length[FIGURES_MAX], stacks_length;
	bool failed;
};

static int32_t take_text(struct otlp *otlp, const char *text)
{
	return (int32_t)strings_of(&otlp->texts, text);
}

static int32_t take_attribute(struct otlp *otlp, enum attribute key, uint32_t value)
{
	uint32_t number = pairs_take(&otlp->attributes, key, value);

	otlp->failed |= number == 0;
	return (int32_t)number;
}

/* Units by UCUM where there is one. */
static const char *unit_of(const char *unit)
{
	return strcmp(unit, "bytes") == 0 ? "By" : unit;
}

/* ---- samples and stacks ---- */

enum { SAMPLE_ATTRIBUTES_MAX = 3 };

/* Those of the thread are kept: a thread's samples follow each other. */
static void take_thread(struct otlp *otlp, size_t thread)
{
	const struct model *model = otlp->export->model;
	struct label name = stacks_thread_name(model, thread);
	size_t count = 0;

	otlp->of_thread[count++] =
		take_attribute(otlp, THREAD_NAME, strings_take(&otlp->texts, name));
	if (model->profile->thread[thread].java_id != 0)
		otlp->of_thread[count++] = take_attribute(otlp, THREAD_ID, (uint32_t)thread);
	otlp->thread = thread;
	otlp->of_thread_count = count;
}

static size_t list_attributes(
	struct otlp *otlp, const struct stack_sample *sample, int32_t *attributes)
{
	size_t count;

	if (otlp->of_thread_count == 0 || otlp->thread != sample->thread)
		take_thread(otlp, sample->thread);
	count = otlp->of_thread_count;
	memcpy(attributes, otlp->of_thread, count * sizeof(*attributes));
	if (sample->state)
		attributes[count++] = take_attribute(
			otlp, SAMPLE_STATE, strings_of(&otlp->texts, sample->state));
	return count;
}

/* A piece of a Profile: that sample, with one figure. */
static void put_value(struct otlp *otlp, struct packer *packer, const struct stack_sample *from,
	unsigned figure, int32_t *attributes, size_t count)
{
	Otlp__Profile profile = OTLP__PROFILE__INIT;
	Otlp__Sample sample = OTLP__SAMPLE__INIT, *one = &sample;
	int64_t value = (int64_t)from->values[otlp->figures.figure[figure].at];

	sample.stack_index = (int32_t)from->stack;
	sample.attribute_indices = attributes;
	sample.n_attribute_indices = count;
	sample.values = &value;
	sample.n_values = 1;
	profile.samples = &one;
	profile.n_samples = 1;
	packer_put(packer, &profile);
}

static void put_sample(void *user, const struct stack_sample *sample)
{
	struct otlp *otlp = user;
	int32_t attributes[SAMPLE_ATTRIBUTES_MAX];

	if (sample->values[otlp->figures.figure[otlp->figure].at] != 0)
		put_value(otlp, otlp->packer, sample, otlp->figure, attributes,
			list_attributes(otlp, sample, attributes));
}

static void put_stack(void *user, const struct stack_sample *sample)
{
	struct otlp *otlp = user;
	Otlp__ProfilesDictionary dictionary = OTLP__PROFILES_DICTIONARY__INIT;
	Otlp__Stack stack = OTLP__STACK__INIT, *one = &stack;

	if (!sample->is_new)
		return;
	for (size_t i = 0; i < sample->depth; i++)
		otlp->location[i] = (int32_t)sample->frame[i];
	stack.location_indices = otlp->location;
	stack.n_location_indices = sample->depth;
	dictionary.stack_table = &one;
	dictionary.n_stack_table = 1;
	packer_put(otlp->packer, &dictionary);
}

/* The lengths of what the two above will write, without writing. */
static void count_sample(void *user, const struct stack_sample *sample)
{
	struct otlp *otlp = user;
	int32_t attributes[SAMPLE_ATTRIBUTES_MAX];
	size_t count = list_attributes(otlp, sample, attributes);

	for (unsigned f = 0; f < otlp->figures.count; f++) {
		struct packer packer = packer_to(NULL, NULL);

		if (sample->values[otlp->figures.figure[f].at] == 0)
			continue;
		put_value(otlp, &packer, sample, f, attributes, count);
		otlp->samples_length[f] += packer.length;
	}
	put_stack(otlp, sample);
}

/* ---- profiles ---- */

/* What a Profile has beside its samples. */
static void put_profile(struct otlp *otlp, struct packer *packer, unsigned at)
{
	const struct figure *figure = &otlp->figures.figure[at];
	const struct profile *source = otlp->export->model->profile;
	uint64_t started = moment_begin(source), end = source->interval.end,
		 begin = source->interval.begin;
	Otlp__Profile profile = OTLP__PROFILE__INIT;
	Otlp__ValueType type = OTLP__VALUE_TYPE__INIT, period = OTLP__VALUE_TYPE__INIT;

	type.type_strindex = take_text(otlp, figure->name);
	type.unit_strindex = take_text(otlp, unit_of(figure->unit));
	profile.sample_type = &type;
	if (figure->condition) {
		period.type_strindex = take_text(otlp, figure->condition->event);
		period.unit_strindex = take_text(otlp, unit_of(figure->condition->unit));
		profile.period_type = &period;
		profile.period = (int64_t)figure->condition->period;
	}
	profile.time_unix_nano = started > 0 ? started + begin : 0;
	profile.duration_nano = end > begin ? end - begin : 0;
	packer_put(packer, &profile);
}

/* The lead is first: what viewers show. */
static unsigned figure_in_order(const struct figures *figures, unsigned i)
{
	if (i == 0)
		return figures->lead;
	return i <= figures->lead ? i - 1 : i;
}

static void set_text(Otlp__AnyValue *value, const char *text)
{
	value->value_case = OTLP__ANY_VALUE__VALUE_STRING_VALUE;
	value->string_value = (char *)text;
}

/* The process: attributes of OpenTelemetry's semantic conventions, and notes of jprof's. */
static void put_resource(struct otlp *otlp, struct packer *packer)
{
	static const struct {
		const char *key, *fact;
		bool is_number;
	} rows[] = {
		{"process.pid", "pid", true},
		{"process.command", "java.command", false},
		{"process.runtime.name", "jvm.name", false},
		{"process.runtime.version", "jvm.version", false},
		{"host.name", "machine.host", false},
	};
	enum { FACTS = sizeof(rows) / sizeof(rows[0]), ALL = FACTS + EXPORT_NOTES };
	const struct profile *source = otlp->export->model->profile;
	const struct export_notes notes = export_notes(otlp->export);
	Otlp__ResourceProfiles profiles = OTLP__RESOURCE_PROFILES__INIT;
	Otlp__Resource resource = OTLP__RESOURCE__INIT;
	Otlp__KeyValue pair[ALL], *pairs[ALL];
	Otlp__AnyValue value[ALL];
	size_t count = 0;

	for (size_t i = 0; i < FACTS; i++) {
		const char *fact = profile_meta_get(source, rows[i].fact);

		if (!fact)
			continue;
		otlp__key_value__init(&pair[count]);
		otlp__any_value__init(&value[count]);
		pair[count].key = (char *)rows[i].key;
		set_text(&value[count], fact);
		if (rows[i].is_number) {
			value[count].value_case = OTLP__ANY_VALUE__VALUE_INT_VALUE;
			value[count].int_value = (int64_t)export_fact(source, rows[i].fact);
		}
		count++;
	}
	for (size_t i = 0; notes.line[i]; i++, count++) {
		otlp__key_value__init(&pair[count]);
		otlp__any_value__init(&value[count]);
		pair[count].key =
			(char *)store_format(otlp->export->model->store, "jprof.note.%zu", i)
				.text;
		set_text(&value[count], notes.line[i]);
	}
	for (size_t i = 0; i < count; i++) {
		pair[i].value = &value[i];
		pairs[i] = &pair[i];
	}
	resource.attributes = pairs;
	resource.n_attributes = count;
	profiles.resource = &resource;
	packer_put(packer, &profiles);
}

static void put_scope(struct packer *packer)
{
	Otlp__ScopeProfiles profiles = OTLP__SCOPE_PROFILES__INIT;
	Otlp__Scope scope = OTLP__SCOPE__INIT;

	scope.name = (char *)"jprof";
	scope.version = (char *)JPROF_VERSION;
	profiles.scope = &scope;
	packer_put(packer, &profiles);
}

/* The length of an embedded message with its head. */
static uint64_t with_head(unsigned field, uint64_t length)
{
	struct packer packer = packer_to(NULL, NULL);

	packer_head(&packer, field, length);
	return packer.length + length;
}

static void put_profiles(struct otlp *otlp, struct packer *packer)
{
	struct packer resource = packer_to(NULL, NULL), scope = packer_to(NULL, NULL);
	uint64_t length[FIGURES_MAX], scope_length;

	put_resource(otlp, &resource);
	put_scope(&scope);
	scope_length = scope.length;
	for (unsigned f = 0; f < otlp->figures.count; f++) {
		struct packer profile = packer_to(NULL, NULL);

		put_profile(otlp, &profile, f);
		length[f] = profile.length + otlp->samples_length[f];
		scope_length += with_head(FIELD_PROFILES, length[f]);
	}
	packer_head(packer, FIELD_RESOURCE_PROFILES,
		resource.length + with_head(FIELD_SCOPE_PROFILES, scope_length));
	put_resource(otlp, packer);
	packer_head(packer, FIELD_SCOPE_PROFILES, scope_length);
	put_scope(packer);
	for (unsigned i = 0; i < otlp->figures.count; i++) {
		otlp->figure = figure_in_order(&otlp->figures, i);
		packer_head(packer, FIELD_PROFILES, length[otlp->figure]);
		put_profile(otlp, packer, otlp->figure);
		otlp->packer = packer;
		samples_walk(&otlp->samples, otlp->export->out, put_sample, otlp);
	}
}

/* ---- the dictionary ---- */

/* The first row of each table is one without anything. */
static void put_nothing(struct packer *packer)
{
	static uint8_t zeros[16];
	Otlp__ProfilesDictionary dictionary = OTLP__PROFILES_DICTIONARY__INIT;
	Otlp__Mapping mapping = OTLP__MAPPING__INIT, *mappings = &mapping;
	Otlp__Location location = OTLP__LOCATION__INIT, *locations = &location;
	Otlp__Function function = OTLP__FUNCTION__INIT, *functions = &function;
	Otlp__Link link = OTLP__LINK__INIT, *links = &link;
	Otlp__KeyValueAndUnit attribute = OTLP__KEY_VALUE_AND_UNIT__INIT,
			      *attributes = &attribute;
	Otlp__Stack stack = OTLP__STACK__INIT, *stacks = &stack;
	char *text = (char *)"";

	/* Of all zeros, as codecs want ids to be of their length. */
	link.trace_id = (ProtobufCBinaryData){16, zeros};
	link.span_id = (ProtobufCBinaryData){8, zeros};
	dictionary.mapping_table = &mappings;
	dictionary.location_table = &locations;
	dictionary.function_table = &functions;
	dictionary.link_table = &links;
	dictionary.attribute_table = &attributes;
	dictionary.stack_table = &stacks;
	dictionary.string_table = &text;
	dictionary.n_mapping_table = dictionary.n_location_table = 1;
	dictionary.n_function_table = dictionary.n_link_table = 1;
	dictionary.n_attribute_table = dictionary.n_stack_table = 1;
	dictionary.n_string_table = 1;
	packer_put(packer, &dictionary);
}

static const char *frame_type(enum method_kind kind)
{
	switch (kind) {
	case METHOD_JAVA:
	case METHOD_STUB:
		return "jvm";
	case METHOD_NATIVE:
	case METHOD_JVM:
		return "native";
	case METHOD_KERNEL:
		return "kernel";
	default: /* a class, or nothing that runs */
		return NULL;
	}
}

static void put_function(struct otlp *otlp, struct packer *packer, const struct frame *frame)
{
	Otlp__ProfilesDictionary dictionary = OTLP__PROFILES_DICTIONARY__INIT;
	Otlp__Function function = OTLP__FUNCTION__INIT, *one = &function;

	function.name_strindex = (int32_t)strings_take(&otlp->texts, frame->name);
	function.system_name_strindex = (int32_t)strings_take(&otlp->texts, frame->system);
	function.filename_strindex = (int32_t)strings_take(&otlp->texts, frame->file);
	dictionary.function_table = &one;
	dictionary.n_function_table = 1;
	packer_put(packer, &dictionary);
}

static void put_location(struct otlp *otlp, struct packer *packer, const struct frame *frame,
	uint32_t function, uint32_t at)
{
	Otlp__ProfilesDictionary dictionary = OTLP__PROFILES_DICTIONARY__INIT;
	Otlp__Location location = OTLP__LOCATION__INIT, *one = &location;
	Otlp__Line line = OTLP__LINE__INIT, *one_line = &line;
	const char *type = frame_type(frame->kind);
	int32_t attribute;

	line.function_index = (int32_t)function;
	line.line = at;
	location.lines = &one_line;
	location.n_lines = 1;
	location.mapping_index = (int32_t)strings_take(&otlp->libraries, frame->library);
	if (type) {
		attribute = take_attribute(otlp, FRAME_TYPE, strings_of(&otlp->texts, type));
		location.attribute_indices = &attribute;
		location.n_attribute_indices = 1;
	}
	dictionary.location_table = &one;
	dictionary.n_location_table = 1;
	packer_put(packer, &dictionary);
}

static void put_mapping(struct otlp *otlp, struct packer *packer, struct label name)
{
	Otlp__ProfilesDictionary dictionary = OTLP__PROFILES_DICTIONARY__INIT;
	Otlp__Mapping mapping = OTLP__MAPPING__INIT, *one = &mapping;

	mapping.filename_strindex = (int32_t)strings_take(&otlp->texts, name);
	dictionary.mapping_table = &one;
	dictionary.n_mapping_table = 1;
	packer_put(packer, &dictionary);
}

static void put_attribute(struct otlp *otlp, struct packer *packer, uint64_t pair)
{
	const struct profile *source = otlp->export->model->profile;
	enum attribute key = (enum attribute)(pair >> 32);
	uint32_t of = (uint32_t)pair;
	Otlp__ProfilesDictionary dictionary = OTLP__PROFILES_DICTIONARY__INIT;
	Otlp__KeyValueAndUnit attribute = OTLP__KEY_VALUE_AND_UNIT__INIT, *one = &attribute;
	Otlp__AnyValue value = OTLP__ANY_VALUE__INIT;

	attribute.key_strindex = take_text(otlp, attribute_keys[key]);
	attribute.value = &value;
	if (key == THREAD_ID) {
		value.value_case = OTLP__ANY_VALUE__VALUE_INT_VALUE;
		value.int_value = source->thread[of].java_id;
	} else if (of > 0) {
		/* Else there was no memory for it. */
		set_text(&value, otlp->texts.label[of - 1].text);
	}
	dictionary.attribute_table = &one;
	dictionary.n_attribute_table = 1;
	packer_put(packer, &dictionary);
}

static void put_text(struct packer *packer, struct label text)
{
	Otlp__ProfilesDictionary dictionary = OTLP__PROFILES_DICTIONARY__INIT;
	char *one = (char *)text.text;

	dictionary.string_table = &one;
	dictionary.n_string_table = 1;
	packer_put(packer, &dictionary);
}

/* Each table's rows in their order; what a row refers to stands behind it, texts last. */
static void put_tables(struct otlp *otlp, struct packer *packer)
{
	struct pairs functions = {0};

	put_nothing(packer);
	for (size_t i = 1; i <= frames_count(&otlp->frames) && !otlp->failed; i++) {
		uint32_t method = frames_method(&otlp->frames, i);
		size_t known = functions.count;
		uint32_t function = pairs_take(&functions, method, 0);
		const struct frame *frame = frames_of(&otlp->frames, method);

		otlp->failed |= function == 0;
		if (function > known)
			put_function(otlp, packer, frame);
		put_location(otlp, packer, frame, function, frames_line(&otlp->frames, i));
	}
	for (size_t i = 0; i < otlp->libraries.count; i++)
		put_mapping(otlp, packer, otlp->libraries.label[i]);
	for (size_t i = 0; i < otlp->attributes.count; i++)
		put_attribute(otlp, packer, otlp->attributes.key[i]);
	for (size_t i = 0; i < otlp->texts.count; i++)
		put_text(packer, otlp->texts.label[i]);
	pairs_fini(&functions);
}

static void put_dictionary(struct otlp *otlp, struct packer *packer)
{
	struct packer tables = packer_to(NULL, NULL);

	/* Once to number all texts and attributes, once more to count. */
	put_tables(otlp, &tables);
	tables.length = 0;
	put_tables(otlp, &tables);
	packer_head(packer, FIELD_DICTIONARY, tables.length + otlp->stacks_length);
	put_tables(otlp, packer);
	otlp->packer = packer;
	samples_walk(&otlp->samples, otlp->export->out, put_stack, otlp);
}

/* ---- the whole ---- */

static int write_otlp(const struct export *export)
{
	const struct model *model = export->model;
	struct otlp otlp = {.export = export,
		.figures = figures_choose(export),
		.location = store_room(
			model->store, model->profile->node_count + 2, sizeof(int32_t))};
	struct packer counting = packer_to(NULL, NULL), packer = packer_to(export->out, NULL);
	struct stacks stacks;

	if (!otlp.location || frames_init(&otlp.frames, model) != 0 ||
		stacks_init(&stacks, model, figures_have_io(&otlp.figures)) != 0 ||
		samples_init(&otlp.samples, &otlp.figures, &stacks, &otlp.frames) != 0)
		return -1;
	otlp.packer = &counting;
	samples_walk(&otlp.samples, export->out, count_sample, &otlp);
	otlp.stacks_length = counting.length;
	if (!otlp.failed && !otlp.samples.failed && !otlp.texts.failed) {
		put_profiles(&otlp, &packer);
		put_dictionary(&otlp, &packer);
	}
	otlp.failed |= otlp.samples.failed || otlp.texts.failed || otlp.libraries.failed;
	strings_fini(&otlp.texts);
	strings_fini(&otlp.libraries);
	pairs_fini(&otlp.attributes);
	frames_fini(&otlp.frames);
	return otlp.failed ? -1 : 0;
}

const struct exporter exporter_otlp = {
	.name = "otlp",
	.meaning = "OpenTelemetry's profiles signal (1.11.0, v1development), as protobuf",
	.prefix = "",
	.suffix = ".otlp",
	.binary = true,
	.methods = true,
	.merges = true,
	.io = true,
	.places = true,
	.write = write_otlp,
};

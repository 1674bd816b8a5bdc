/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* write_values: see write_values.h. */
#include "agent/session/write_values.h"

#include <string.h>

#include "agent/values/tag_sets.h"
#include "agent/values/value_text.h"
#include "agent/values/values.h"

static int put_parameter(struct profile_writer *profile, uint32_t id, struct error *error)
{
	struct parameter parameter = parameter_get(id);
	const struct profile_parameter record = {.id = id,
		.name = parameter.name,
		.is_tag = parameter.is_tag,
		.wanted = parameter_sessions(id)};

	return profile_put(profile, &record, error);
}

/* A text of a profile has no zeros; what else is no UTF-8 its reader replaces. */
static int put_value(struct profile_writer *profile, uint32_t id, struct error *error)
{
	struct value value = value_get(id);
	char text[VALUE_TEXT_MAX + 1];
	struct profile_value record = {.id = id,
		.parameter = value.parameter,
		.text = value.kind == VALUE_TEXT ? text : NULL,
		.others = value.kind == VALUE_OTHERS};

	for (uint32_t i = 0; i < value.length; i++)
		text[i] = value.text[i] ? value.text[i] : ' ';
	text[value.length] = '\0';
	return profile_put(profile, &record, error);
}

/* In the profile the empty set is 1. */
static int put_tags(
	struct profile_writer *profile, uint32_t set, uint32_t *rows, struct error *error)
{
	struct tag_set tags = tag_set_get(set);
	int status = 0;

	for (uint32_t i = 0; i < tags.count && status == 0; i++) {
		const struct profile_tag record = {
			.id = ++*rows, .set = set + 1, .value = tags.value[i]};

		status = profile_put(profile, &record, error);
	}
	return status;
}

int values_put(
	struct profile_writer *profile, struct values_written *written, struct error *error)
{
	/* Each of these lists refers to those behind it. */
	uint32_t sets = tag_sets_count(), values = values_count(), ends = parameters_count();
	uint32_t edition = parameters_edition();
	int status = 0;

	if (written->edition != edition)
		written->parameters = 0;
	written->edition = edition;
	while (written->parameters < ends && status == 0)
		status = put_parameter(profile, ++written->parameters, error);
	while (written->values < values && status == 0)
		status = put_value(profile, ++written->values, error);
	while (written->sets < sets && status == 0)
		status = put_tags(profile, ++written->sets, &written->tags, error);
	return status;
}

/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* facts: numbers of the profile's facts, and lines about its figures. */
#include "report/exports/facts.h"

#include <stdlib.h>

#include "report/model/chosen.h"
#include "report/model/session_line.h"

uint64_t export_fact(const struct profile *profile, const char *key)
{
	const char *value = profile_meta_get(profile, key);

	return value ? strtoull(value, NULL, 10) : 0;
}

struct export_notes export_notes(const struct export *export)
{
	const struct model *model = export->model;
	const struct profile *profile = model->profile;
	const struct profile_interval *interval = &profile->interval;
	const struct adjustment *adjustment = model->choice->adjustment;
	struct store *store = model->store;
	struct label chosen = model_chosen_line(model, store);
	struct label session = session_line(model->apart, store);
	struct export_notes notes = {{NULL}};
	unsigned count = 0;

	notes.line[count++] = "made by jprof " JPROF_VERSION;
	if (session.length > 0)
		notes.line[count++] = session.text;
	if (interval->from || interval->to)
		notes.line[count++] = store_format(store, "interval: %s..%s",
			interval->from ? interval->from->label : "",
			interval->to ? interval->to->label : "")
					      .text;
	if (chosen.length > 0)
		notes.line[count++] = chosen.text;
	if (adjustment && adjustment->said[0] != '\0')
		notes.line[count++] =
			store_format(store, "calibration: %s", adjustment->said).text;
	if (model->is_divided)
		notes.line[count++] = "metrics that are sampled, too, are divided by samples "
				      "below timed and counted methods";
	if (model->at_least)
		notes.line[count++] =
			"paths were folded for want of memory: what a method used itself is "
			"exact, what it and all below it used is at least what is shown";
	return notes;
}

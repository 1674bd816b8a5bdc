/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* adjustment: see adjustment.h. */
#include "report/model/adjustment.h"

#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "calibration/cache.h"
#include "calibration/calibration_file.h"
#include "error/harmless.h"
#include "metric/metric.h"

/* A profile that looks for its calibration. */
struct search {
	struct adjustment *adjustment;
	const struct profile *profile;
	struct identity identity;
	const struct adjustment_choice *choice;
	struct error *error;
};

static void say(struct adjustment *adjustment, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* A file's name may be any bytes; what is too long is cut behind a whole character. */
static void say(struct adjustment *adjustment, const char *format, ...)
{
	char line[sizeof(adjustment->said) + 8];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(line, sizeof(line), format, arguments);
	va_end(arguments);
	harmless_copy(adjustment->said, sizeof(adjustment->said), line, strlen(line));
}

static void say_found(struct adjustment *adjustment, const char *where)
{
	const struct calibration *calibration = adjustment->calibration;
	const struct identity *made = &calibration->identity;

	say(adjustment, "%s, made %s for %s, %s, calls=%s, timing=%s", where, calibration->made,
		error_subject(made->field[IDENTITY_JVM]).text,
		error_subject(made->field[IDENTITY_CPU]).text,
		error_subject(made->field[IDENTITY_CALLS]).text,
		error_subject(made->field[IDENTITY_TIMING]).text);
}

static int check_found(struct search *search, const char *subject, struct error *error)
{
	struct adjustment *adjustment = search->adjustment;
	int failed = identity_compare(
		&adjustment->calibration->identity, &search->identity, subject, error);

	if (failed) {
		calibration_destroy(adjustment->calibration);
		adjustment->calibration = NULL;
	}
	return failed;
}

/* ---- where there may be one ---- */

/* The first place that has something decides, be it of use or not. */
static int look_around(struct search *search)
{
	static const char subject[] = "the calibration in the profile";
	struct adjustment *adjustment = search->adjustment;
	const char *embedded = profile_meta_get(search->profile, "calibration");
	const char *refused = profile_meta_get(search->profile, "calibration.refused");
	const char *where = "from the cache";
	struct error error = {0};
	int failed;

	if (embedded) {
		where = "embedded in the profile";
		failed = calibration_parse(
			&adjustment->calibration, embedded, strlen(embedded), subject, &error);
		if (!failed)
			failed = check_found(search, subject, &error);
		if (failed == -ERROR_MEMORY)
			return error_set(search->error, ERROR_MEMORY, "%s", error.text);
	} else if (refused) {
		/* The recording looked for one, and what it found was not fit. */
		failed = error_set(&error, ERROR_MISSING, "%s", refused);
	} else {
		failed = cache_read(&adjustment->calibration, NULL, &search->identity, &error);
		if (failed && error.code == ERROR_MISSING && search->choice->measure) {
			where = "made now";
			error = (struct error){0};
			failed = search->choice->measure(&adjustment->calibration,
				search->profile, &search->identity, search->choice->java,
				&error);
		} else if (failed && error.code == ERROR_MISSING) {
			error = (struct error){0};
			error_set(&error, ERROR_MISSING,
				"the profile is not adjusted (run `jprof calibrate`)");
		}
	}
	/* It was found, or why it cannot be used, which the user wants to know. */
	adjustment->missed = failed != 0;
	if (failed)
		say(adjustment, "none: %s", error.text);
	else
		say_found(adjustment, where);
	return 0;
}

/* ---- what the user chose ---- */

static int choose(struct search *search)
{
	const char *choice = search->choice->calibration;
	const char *text = profile_meta_get(search->profile, "options"), *value;
	struct adjustment *adjustment = search->adjustment;
	bool is_probed = search->profile->metric_count == 0, is_off;
	char where[200];
	json_t *options;
	int failed;

	if (choice && strcmp(choice, "off") == 0) {
		say(adjustment, "off: the profile is not adjusted");
		return 0;
	}
	if (choice) {
		failed =
			calibration_load(&adjustment->calibration, NULL, choice, search->error);
		if (!failed)
			failed = check_found(
				search, calibration_subject(choice).text, search->error);
		snprintf(where, sizeof(where), "file '%s'", error_subject(choice).text);
		if (!failed)
			say_found(adjustment, where);
		return failed;
	}
	for (unsigned m = 0; m < search->profile->metric_count; m++)
		is_probed |= metric_is_probed(search->profile->metric[m].name);
	/* By the recording's own options. */
	options = text ? json_loads(text, 0, NULL) : NULL;
	value = json_string_value(json_object_get(options, "calibration"));
	is_off = value && strcmp(value, "off") == 0;
	json_decref(options);
	if (!is_probed)
		say(adjustment, "none: probes add nothing to what is recorded here");
	else if (strcmp(search->identity.field[IDENTITY_CALLS], "off") == 0)
		say(adjustment, "none: without calls there is nothing to adjust");
	else if (is_off)
		say(adjustment,
			"none: the profile was made with calibration=off and is not adjusted");
	else
		return look_around(search);
	return 0;
}

int adjustment_init(struct adjustment *adjustment, const struct profile *profile,
	const struct adjustment_choice *choice, struct error *error)
{
	struct search search = {
		.adjustment = adjustment, .profile = profile, .choice = choice, .error = error};
	int failed;

	*adjustment = (struct adjustment){0};
	identity_of_profile(&search.identity, profile);
	failed = choose(&search);
	if (failed || !adjustment->calibration)
		return failed;
	return adjust_profile(&adjustment->adjusted, profile, adjustment->calibration, error);
}

void adjustment_fini(struct adjustment *adjustment)
{
	calibration_destroy(adjustment->calibration);
	adjusted_fini(&adjustment->adjusted);
	*adjustment = (struct adjustment){0};
}

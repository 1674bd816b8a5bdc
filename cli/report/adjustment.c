/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* adjustment: see adjustment.h. */
#include "cli/report/adjustment.h"

#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "calibration/cache.h"
#include "calibration/calibration_file.h"
#include "metric/metric.h"

/* A profile that looks for its calibration. */
struct search {
	struct adjustment *adjustment;
	const struct profile *profile;
	struct identity identity;
	const struct adjustment_choice *choice;
	struct error *error;
};

/* One place to look at. 0; or a negative code where nobody may look further. It says why if there
 * is something that cannot be used; is_final then. */
struct place {
	const char *name; /* "embedded in the profile" */
	int (*look)(struct search *search, bool *is_final);
};

static void say(struct adjustment *adjustment, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void say(struct adjustment *adjustment, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(adjustment->said, sizeof(adjustment->said), format, arguments);
	va_end(arguments);
}

/* Why there is none, which the user wants to know. */
static void miss(struct adjustment *adjustment, const char *why)
{
	say(adjustment, "none: %s", why);
	adjustment->missed = true;
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

/* ---- the places ---- */

static int look_embedded(struct search *search, bool *is_final)
{
	static const char subject[] = "the calibration in the profile";
	const char *text = profile_meta_get(search->profile, "calibration");
	struct error error = {0};
	int failed;

	if (!text)
		return 0;
	failed = calibration_parse(
		&search->adjustment->calibration, text, strlen(text), subject, &error);
	if (!failed)
		failed = check_found(search, subject, &error);
	if (failed)
		miss(search->adjustment, error.text);
	*is_final = true;
	return failed == -ERROR_MEMORY
		       ? error_set(search->error, ERROR_MEMORY, "%s", error.text)
		       : 0;
}

/* The recording looked for one, and what it found was not fit. */
static int look_refused(struct search *search, bool *is_final)
{
	const char *reason = profile_meta_get(search->profile, "calibration.refused");

	if (!reason)
		return 0;
	miss(search->adjustment, reason);
	*is_final = true;
	return 0;
}

static int look_cache(struct search *search, bool *is_final)
{
	struct error error = {0};
	int failed = cache_read(
		&search->adjustment->calibration, NULL, &search->identity, &error);

	*is_final = !failed || error.code != ERROR_MISSING;
	if (failed && *is_final)
		miss(search->adjustment, error.text);
	return 0;
}

static int look_measure(struct search *search, bool *is_final)
{
	struct error error = {0};

	if (!search->choice->measure)
		return 0;
	*is_final = true;
	if (search->choice->measure(&search->adjustment->calibration, search->profile,
		    &search->identity, search->choice->java, &error) != 0)
		miss(search->adjustment, error.text);
	return 0;
}

static const struct place places[] = {
	{"embedded in the profile", look_embedded},
	{"", look_refused},
	{"from the cache", look_cache},
	{"made now", look_measure},
};

static int look_around(struct search *search)
{
	struct adjustment *adjustment = search->adjustment;

	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		bool is_final = false;
		int failed = places[i].look(search, &is_final);

		if (adjustment->calibration)
			say_found(adjustment, places[i].name);
		if (failed || is_final)
			return failed;
	}
	miss(adjustment, "the profile is not adjusted (run `jprof calibrate`)");
	return 0;
}

/* ---- what the user chose ---- */

static int take_file(struct search *search, const char *path)
{
	struct adjustment *adjustment = search->adjustment;
	char where[200];
	int failed = calibration_load(&adjustment->calibration, NULL, path, search->error);

	if (!failed)
		failed = check_found(search, calibration_subject(path).text, search->error);
	if (failed)
		return failed;
	snprintf(where, sizeof(where), "file '%s'", error_subject(path).text);
	say_found(adjustment, where);
	return 0;
}

/* By the recording's own options. */
static bool is_switched_off(const struct search *search)
{
	const char *text = profile_meta_get(search->profile, "options");
	json_t *options = text ? json_loads(text, 0, NULL) : NULL;
	const char *value = json_string_value(json_object_get(options, "calibration"));
	bool off = value && strcmp(value, "off") == 0;

	json_decref(options);
	return off;
}

static bool any_probed(const struct profile *profile)
{
	for (unsigned m = 0; m < profile->metric_count; m++)
		if (metric_is_probed(profile->metric[m].name))
			return true;
	return profile->metric_count == 0;
}

static int choose(struct search *search)
{
	const char *choice = search->choice->calibration;

	if (choice && strcmp(choice, "off") == 0) {
		say(search->adjustment, "off: the profile is not adjusted");
		return 0;
	}
	if (choice)
		return take_file(search, choice);
	if (!any_probed(search->profile)) {
		say(search->adjustment, "none: probes add nothing to what is recorded here");
		return 0;
	}
	if (strcmp(search->identity.field[IDENTITY_CALLS], "off") == 0) {
		say(search->adjustment, "none: without calls there is nothing to adjust");
		return 0;
	}
	if (is_switched_off(search)) {
		say(search->adjustment,
			"none: the profile was made with calibration=off and is not adjusted");
		return 0;
	}
	return look_around(search);
}

int adjustment_init(struct adjustment *adjustment, const struct profile *profile,
	const struct adjustment_choice *choice, struct error *error)
{
	struct search search = {.adjustment = adjustment,
		.profile = profile,
		.choice = choice,
		.error = error};
	int failed;

	*adjustment = (struct adjustment){0};
	identity_of_profile(&search.identity, profile);
	failed = choose(&search);
	if (failed || !adjustment->calibration)
		return failed;
	return adjust_profile(
		&adjustment->adjusted, profile, adjustment->calibration, error);
}

void adjustment_fini(struct adjustment *adjustment)
{
	calibration_destroy(adjustment->calibration);
	adjusted_fini(&adjustment->adjusted);
	*adjustment = (struct adjustment){0};
}

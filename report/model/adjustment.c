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
	bool is_off, is_auto; /* calibration=off, calls=auto: the recording's own options */
	struct error *error;
};

/* As a part of processor time: figures that are off by less are left as they are. */
#define SHOWN_LEAST 0.01

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

static bool has_timed_calls(const struct profile *profile)
{
	uint64_t events = 0;

	for (size_t t = 0; t < profile->thread_count; t++)
		events += profile->thread[t].events;
	return events > 0;
}

/* Where the agent kept its cost within a budget the report comes at once, and says what is in
 * its figures: whoever wants them without that asks for it. */
static int refuse_unasked(const struct own_cost *cost, struct error *error)
{
	char text[OWN_COST_TEXT];
	const char *part = own_cost_text(cost, text);

	return error_set(error, ERROR_MISSING,
		"figures are with what timing calls cost%s%s; `--calibration auto` measures "
		"that, once, in ten seconds or so, and takes it out",
		part ? ", " : "", part ? part : "");
}

/* What is kept, or what is measured now. 0, or a negative code with the reason; 0 without a
 * calibration where none is needed, which is said. */
static int find(struct search *search, const char **where, struct error *error)
{
	const struct adjustment_choice *choice = search->choice;
	struct adjustment *adjustment = search->adjustment;
	int failed;

	if (!has_timed_calls(search->profile)) {
		say(adjustment, "none: no calls were timed, there is nothing to take out");
		return 0;
	}
	*where = "from the cache";
	failed = cache_read(&adjustment->calibration, NULL, &search->identity, error);
	if (!failed || error->code != ERROR_MISSING)
		return failed;
	if (adjustment->own_cost.most < SHOWN_LEAST && !choice->asked) {
		say(adjustment, "none: jprof's own cost is below 1 %% of processor time");
		return 0;
	}
	*where = "made now";
	*error = (struct error){0};
	if (!choice->measure)
		return error_set(error, ERROR_MISSING,
			"the profile is not adjusted (run `jprof calibrate`)");
	if (search->is_auto && !choice->asked)
		return refuse_unasked(&adjustment->own_cost, error);
	return choice->measure(&adjustment->calibration, search->profile, &search->identity,
		choice->java, error);
}

/* The first place that has something decides, be it of use or not. */
static int look_around(struct search *search)
{
	static const char subject[] = "the calibration in the profile";
	struct adjustment *adjustment = search->adjustment;
	const char *embedded = profile_meta_get(search->profile, "calibration");
	const char *refused = profile_meta_get(search->profile, "calibration.refused");
	const char *where = "embedded in the profile";
	struct error error = {0};
	int failed;

	if (embedded) {
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
		failed = find(search, &where, &error);
	}
	/* It was found, or why it cannot be used, which the user wants to know. */
	adjustment->missed = failed != 0;
	if (failed)
		say(adjustment, "none: %s", error.text);
	else if (adjustment->calibration)
		say_found(adjustment, where);
	return 0;
}

/* ---- what the user chose ---- */

static bool has_option(const json_t *options, const char *key, const char *value)
{
	const char *text = json_string_value(json_object_get(options, key));

	return text && strcmp(text, value) == 0;
}

static void read_options(struct search *search)
{
	const char *text = profile_meta_get(search->profile, "options");
	json_t *options = text ? json_loads(text, 0, NULL) : NULL;

	search->is_off = has_option(options, "calibration", "off");
	search->is_auto = has_option(options, "calls", "auto");
	json_decref(options);
}

static int choose(struct search *search)
{
	const char *choice = search->choice->calibration;
	struct adjustment *adjustment = search->adjustment;
	bool is_probed = search->profile->metric_count == 0;
	char where[200];
	int failed;

	if (choice && strcmp(choice, "off") == 0) {
		adjustment->observed = true;
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
	if (!is_probed)
		say(adjustment, "none: probes add nothing to what is recorded here");
	else if (search->is_off)
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

	*adjustment = (struct adjustment){.own_cost = own_cost_of(profile, choice->threads)};
	identity_of_profile(&search.identity, profile);
	read_options(&search);
	adjustment->observed = search.is_off && !choice->calibration;
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

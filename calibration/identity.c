/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* identity: see identity.h. */
#include "calibration/identity.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* The name in a file, and in a message. */
static const struct {
	const char *name, *words;
} fields[IDENTITY_FIELDS] = {
	[IDENTITY_JVM] = {"jvm", "JVM"},
	[IDENTITY_CPU] = {"cpu", "processor"},
	[IDENTITY_ARCH] = {"arch", "architecture"},
	[IDENTITY_CALLS] = {"calls", "calls"},
	[IDENTITY_TIMING] = {"timing", "timing"},
	[IDENTITY_AGENT] = {"agent", "agent"},
	[IDENTITY_METRICS] = {"metrics", "metrics"},
};

const char *identity_name(enum identity_field field)
{
	return fields[field].name;
}

static void set(struct identity *identity, enum identity_field field, const char *text)
{
	snprintf(identity->field[field], IDENTITY_TEXT, "%s", text ? text : "");
}

/* What a JVM says of how it runs code (java.vm.info), and the option for it; "" where nothing of it
 * changes what a probe costs. When methods are compiled does not: a sequence says which are. What
 * of the JVM's own is shared between JVMs does not. Heap and collector do not show in it. */
static const struct mode {
	const char *info, *option;
} modes[] = {
	{"mixed mode", ""},
	{"compiled mode", ""},
	{"sharing", ""},
	{"interpreted mode", "-Xint"},
	{"emulated-client", "-XX:TieredStopAtLevel=1"},
};

static const struct mode *find_mode(const char *info, size_t length)
{
	for (size_t i = 0; i < sizeof(modes) / sizeof(*modes); i++)
		if (strlen(modes[i].info) == length &&
			strncmp(info, modes[i].info, length) == 0)
			return &modes[i];
	return NULL;
}

/* Appends what of it matters: "interpreted mode" of "interpreted mode, sharing". */
static void add_mode(char *jvm, const char *info)
{
	while (info && *info != '\0') {
		size_t length = strcspn(info, ","), used = strlen(jvm);
		const struct mode *mode = find_mode(info, length);

		if (length > 0 && (!mode || mode->option[0] != '\0'))
			snprintf(jvm + used, IDENTITY_TEXT - used, ", %.*s", (int)length, info);
		info += length;
		info += strspn(info, ", ");
	}
}

static void set_jvm(
	struct identity *identity, const char *name, const char *version, const char *info)
{
	if (!name || !version)
		return;
	snprintf(identity->field[IDENTITY_JVM], IDENTITY_TEXT, "%s %s", name, version);
	add_mode(identity->field[IDENTITY_JVM], info);
}

/* The last word of "Linux 6.1.0 x86_64". */
static void set_arch(struct identity *identity, const char *system)
{
	const char *last = system ? strrchr(system, ' ') : NULL;

	if (last)
		set(identity, IDENTITY_ARCH, last + 1);
}

void identity_init(struct identity *identity, identity_fact *fact, const void *argument)
{
	const char *calls = fact(argument, "calls");
	/* What reports its calls to the agent is interpreted, however else the JVM runs code. */
	bool is_interpreted = calls && strcmp(calls, "events") == 0;

	memset(identity, 0, sizeof(*identity));
	set_jvm(identity, fact(argument, "jvm.name"), fact(argument, "jvm.version"),
		is_interpreted ? NULL : fact(argument, "jvm.info"));
	set(identity, IDENTITY_CPU, fact(argument, "machine.cpu"));
	set_arch(identity, fact(argument, "machine.system"));
	/* Where some calls are timed they have the probes that all have otherwise. */
	set(identity, IDENTITY_CALLS,
		calls && strcmp(calls, "auto") == 0 ? "instrument" : calls);
	set(identity, IDENTITY_TIMING, fact(argument, "timing"));
	set(identity, IDENTITY_AGENT, fact(argument, "jprof.build"));
}

const char *identity_mode(const struct identity *identity)
{
	const char *info = strchr(identity->field[IDENTITY_JVM], ',');

	return info ? info + strspn(info, ", ") : NULL;
}

const char *identity_mode_option(const struct identity *identity)
{
	const char *info = identity_mode(identity);
	const struct mode *mode = info ? find_mode(info, strlen(info)) : NULL;

	if (!info)
		return "";
	return mode ? mode->option : NULL;
}

void identity_add_metric(struct identity *identity, const char *name)
{
	char *metrics = identity->field[IDENTITY_METRICS];
	size_t used = strlen(metrics);

	snprintf(metrics + used, IDENTITY_TEXT - used, "%s%s", used > 0 ? "+" : "", name);
}

static const char *profile_fact(const void *profile, const char *key)
{
	return profile_meta_get(profile, key);
}

void identity_of_profile(struct identity *identity, const struct profile *profile)
{
	identity_init(identity, profile_fact, profile);
	for (unsigned i = 0; i < profile->metric_count; i++)
		identity_add_metric(identity, profile->metric[i].name);
}

static const char *or_unknown(const char *text)
{
	return text[0] != '\0' ? text : "unknown";
}

int identity_compare(const struct identity *made, const struct identity *here,
	const char *subject, struct error *error)
{
	for (int i = 0; i < IDENTITY_FIELDS; i++) {
		const char *a = made->field[i], *b = here->field[i];

		if (strcmp(a, b) != 0)
			return error_set(error, ERROR_VALUE,
				"%s was made for %s '%s', this is '%s'", subject,
				fields[i].words, error_subject(or_unknown(a)).text,
				error_subject(or_unknown(b)).text);
	}
	return 0;
}

/* FNV-1a, with each field's final zero. */
uint64_t identity_hash(const struct identity *identity)
{
	uint64_t hash = 0xcbf29ce484222325u;

	for (int i = 0; i < IDENTITY_FIELDS; i++) {
		const char *c = identity->field[i];

		do {
			hash = (hash ^ (unsigned char)*c) * 0x100000001b3u;
		} while (*c++ != '\0');
	}
	return hash;
}

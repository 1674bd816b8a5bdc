/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * Any bytes as an option string, a config's text, a config file, the words of `jprof run`, or the options
 * of one session; the first byte chooses. What is accepted must come back the same through
 * JSON.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "options/option_table.h"
#include "options/options.h"
#include "options/pattern.h"
#include "native-tests/fuzz/text_mutator.h"

static void require(bool condition, const char *what)
{
	if (!condition) {
		fprintf(stderr, "violated: %s\n", what);
		abort();
	}
}

static void check_failure(int failed, const struct error *error)
{
	require((failed != 0) == (error->code != ERROR_NONE), "a failure has a code");
	require(failed == -(int)error->code, "the result is the code");
	for (const char *c = error->text; *c; c++)
		require((unsigned char)*c >= 0x20 && *c != 0x7f, "an error is one line");
}

/* Written as JSON and read again, a set gives the same JSON; unless bytes that are not UTF-8
 * were replaced, which can make two items of a list one. */
static void check_json(const struct options *options)
{
	struct option_set again = {0};
	struct error error = {0};
	char *json = options_to_json(options, 2);
	require(json, "a set can be written");
	if (config_parse(&again, json, strlen(json), "json", &error) != 0) {
		fprintf(stderr, "%s\n", error.text);
		abort();
	}
	char *json_again = options_to_json(&again.values, 2);
	require(strstr(json, "\xef\xbf\xbd") || strcmp(json, json_again) == 0,
		"JSON is a config file of the same set");
	free(json);
	free(json_again);
	option_set_fini(&again);
}

/* Patterns against each other's texts. */
static void check_patterns(const struct options *options)
{
	for (size_t i = 0; i < options->include.count; i++) {
		const char *pattern = options->include.pattern[i];
		bool method = pattern_match_method(pattern, options->file, "run");

		require(!method || pattern_reaches_class(pattern, options->file),
			"who selects a method reaches its class");
		require(!pattern_names_class(pattern, options->file) ||
				pattern_reaches_class(pattern, options->file),
			"who names a class reaches it");
		require(strchr(pattern, '*') || pattern_match(pattern, pattern),
			"a name is a pattern of itself");
		pattern_list_match(&options->exclude, pattern);
	}
}

static void try_string(const char *text)
{
	struct options options;
	struct error error = {0};
	if (strstr(text, "config"))
		return; /* would read whatever file that names */
	int failed = options_parse(&options, text, &error);
	check_failure(failed, &error);
	if (!failed) {
		check_json(&options);
		check_patterns(&options);
		free(options_expand_file(options.file, 1, 2));
	}
	options_fini(&options);
}

static void try_config(const uint8_t *bytes, size_t size)
{
	struct option_set set = {0};
	struct error error = {0};
	int failed = config_parse(&set, (const char *)bytes, size, "fuzz", &error);
	check_failure(failed, &error);
	option_set_fini(&set);
}

/* A config file that is in memory. */
static void try_file(const uint8_t *bytes, size_t size)
{
	struct option_set set = {0};
	struct error error = {0};
	char path[64];
	int file = memfd_create("fuzz", MFD_CLOEXEC);

	require(file >= 0 && write(file, bytes, size) == (ssize_t)size,
		"the file can be written");
	snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
	check_failure(config_load(&set, path, &error), &error);
	option_set_fini(&set);
	close(file);
}

/* KEY and VALUE, apart by a line break. A path must arrive as it was given. */
static void try_words(char *text)
{
	char *value = strchr(text, '\n'), *string = NULL;
	struct error error = {0};
	if (!value)
		return;
	*value++ = '\0';
	int failed = options_append(&string, text, value, &error);
	check_failure(failed, &error);
	if (!failed && strcmp(text, "file") == 0) {
		struct options options;
		require(options_parse(&options, string, NULL) == 0, "appended is legal");
		require(strcmp(options.file, value) == 0, "a path arrives");
		options_fini(&options);
	}
	free(string);
}

/* The options of one session, over those of a line before; and handed over as JSON, which
 * must give the same ones. */
static void try_override(char *text)
{
	char *change = strchr(text, '\n'), *given = NULL;
	struct options base, options, again;
	struct error error = {0};
	if (!change || strstr(text, "config") || strstr(change, "\\u"))
		return; /* would read whatever file that names */
	*change++ = '\0';
	if (options_parse(&base, text, NULL) != 0)
		return;
	int failed = options_override(&options, &base, change, &error);
	check_failure(failed, &error);
	if (!failed) {
		check_json(&options);
		require(options.io_slots == base.io_slots, "the holder stays");
		given = options_given_json(change, NULL);
	}
	if (given) {
		require(options_override(&again, &base, given, NULL) == 0,
			"given keys are legal");
		char *one = options_to_json(&options, 0);
		char *other = options_to_json(&again, 0);
		require(strcmp(one, other) == 0, "what is handed over arrives");
		free(one);
		free(other);
		options_fini(&again);
	}
	free(given);
	options_fini(&options);
	options_fini(&base);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	if (size == 0)
		return 0;
	char *text = strndup((const char *)bytes + 1, size - 1);
	if (!text)
		return 0;
	if (bytes[0] == 's')
		try_string(text);
	else if (bytes[0] == 'w')
		try_words(text);
	else if (bytes[0] == 'o')
		try_override(text);
	else if (bytes[0] == 'f')
		try_file(bytes + 1, size - 1);
	else
		try_config(bytes + 1, size - 1);
	free(text);
	return 0;
}

/* ---- mutations ---- */

static const char *const words[] = {"file", "start", "calls", "metrics", "include", "exclude",
	"threads", "io", "io_slots", "calibration", "timing", "max_memory", "flush", "log",
	"yes", "no", "auto", "instrument", "events", "off", "summary", "records", "fast",
	"precise", "error", "debug", "wall", "cpu", "alloc", "wall+cpu", "com.acme.*",
	"com.acme.Foo.bar", "*", "a.*.b", "256m", "1g", "4k", "10", "%p", "%t", "\n", "=", ",",
	"{\"io\":\"off\"}", NULL};

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed)
{
	return text_mutate(data, size, max_size, 1, words, seed);
}

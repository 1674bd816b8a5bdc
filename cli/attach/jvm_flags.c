/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * jvm_flags: the later word wins, in the order in which HotSpot reads them:
 * JAVA_TOOL_OPTIONS, JDK_JAVA_OPTIONS (by the launcher), the command line with its
 * @files, _JAVA_OPTIONS (arguments.cpp, args.c).
 */
#include "cli/attach/jvm_flags.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/attach/jvm_counters.h"

enum { ARGUMENT_FILE_LIMIT = 1 << 20 };

/* ---- words ---- */

static const struct {
	const char *word;
	bool no_attach;
} known[] = {
	{"-XX:+DisableAttachMechanism", true},
	{"-XX:-DisableAttachMechanism", false},
};

static bool is_word(const char *text, size_t length, const char *word)
{
	return strlen(word) == length && memcmp(text, word, length) == 0;
}

static void take_word(struct jvm_flags *flags, const char *word, size_t length)
{
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (is_word(word, length, known[i].word))
			flags->no_attach = known[i].no_attach;
	}
}

static bool is_space(char c)
{
	return c == '\0' || strchr(" \t\r\n\f", c) != NULL;
}

static void take_text(struct jvm_flags *flags, const char *text, size_t size)
{
	size_t at = 0, from;

	while (at < size) {
		while (at < size && is_space(text[at]))
			at++;
		from = at;
		while (at < size && !is_space(text[at]))
			at++;
		take_word(flags, text + from, at - from);
	}
}

/* ---- the environment ---- */

static void take_variable(
	struct jvm_flags *flags, const char *name, const char *text, size_t size)
{
	const char *end = text + size;
	size_t length = strlen(name);

	for (; text < end; text += strnlen(text, (size_t)(end - text)) + 1) {
		size_t whole = strnlen(text, (size_t)(end - text));

		if (whole > length && memcmp(text, name, length) == 0 && text[length] == '=')
			take_text(flags, text + length + 1, whole - length - 1);
	}
}

void jvm_flags_environment(
	struct jvm_flags *flags, const char *words, size_t size, bool before_command_line)
{
	if (before_command_line) {
		take_variable(flags, "JAVA_TOOL_OPTIONS", words, size);
		take_variable(flags, "JDK_JAVA_OPTIONS", words, size);
	} else {
		take_variable(flags, "_JAVA_OPTIONS", words, size);
	}
}

/* ---- the command line ---- */

/* Options of the launcher whose value is the next word. */
static const char *const with_value[] = {
	"-cp",
	"-classpath",
	"--class-path",
	"-p",
	"--module-path",
	"--upgrade-module-path",
	"--add-modules",
	"--limit-modules",
	"--add-exports",
	"--add-opens",
	"--add-reads",
	"--patch-module",
	"--enable-native-access",
	"--describe-module",
	"-d",
	"--source",
};

/* The next word is the jar, or the module. */
static bool names_program(const char *word, size_t length)
{
	return is_word(word, length, "-jar") || is_word(word, length, "-m") ||
	       is_word(word, length, "--module");
}

static bool takes_value(const char *word, size_t length)
{
	for (size_t i = 0; i < sizeof(with_value) / sizeof(with_value[0]); i++) {
		if (is_word(word, length, with_value[i]))
			return true;
	}
	return false;
}

/* "@FILE": its words are options, too. Quotes in it are not taken apart. */
static void take_file(const struct target *target, struct jvm_flags *flags, const char *name)
{
	char *bytes = malloc(ARGUMENT_FILE_LIMIT);
	int file = target_open_file(target, name);
	ssize_t size;

	if (bytes != NULL && file >= 0) {
		size = read(file, bytes, ARGUMENT_FILE_LIMIT);
		take_text(flags, bytes, size > 0 ? (size_t)size : 0);
	}
	if (file >= 0)
		close(file);
	free(bytes);
}

/* Up to the program: what stands behind it is its own. */
void jvm_flags_command_line(
	const struct target *target, struct jvm_flags *flags, const char *words, size_t size)
{
	const char *end = words + size, *word = words;
	bool is_value = true; /* as is the name of the launcher */

	for (size_t length; word < end; word += length + 1) {
		length = strnlen(word, (size_t)(end - word));
		if (is_value) {
			is_value = false;
			continue;
		}
		if (names_program(word, length))
			return;
		if (word[0] == '@' && target != NULL)
			take_file(target, flags, word + 1);
		else if (word[0] != '-' && word[0] != '@')
			return;
		take_word(flags, word, length);
		is_value = takes_value(word, length);
	}
}

char *jvm_flags_program(const char *words, size_t size)
{
	const char *end = words + size, *word = words;
	bool is_value = true, is_program = false;

	for (size_t length; word < end; word += length + 1) {
		length = strnlen(word, (size_t)(end - word));
		if (!is_program && !is_value && word[0] == '@')
			return NULL;
		if (is_program || (!is_value && word[0] != '-'))
			return strndup(word, length);
		is_program = !is_value && names_program(word, length);
		is_value = !is_value && takes_value(word, length);
	}
	return NULL;
}

/* ---- HotSpot's counters ---- */

int jvm_flags_counters(const unsigned char *bytes, size_t size)
{
	char *text = jvm_counters_text(bytes, size, "sun.rt.jvmCapabilities");
	int value = text != NULL && (text[0] == '0' || text[0] == '1') ? text[0] - '0' : -1;

	free(text);
	return value;
}

static int read_counters(const struct target *target, const char *path)
{
	size_t size;
	unsigned char *bytes = jvm_counters_read(target, path, &size);
	int value = bytes != NULL ? jvm_flags_counters(bytes, size) : -1;

	free(bytes);
	return value;
}

/* ---- all of them ---- */

static void read_words(const struct target *target, struct jvm_flags *flags)
{
	size_t line_size = 0, variables_size = 0;
	char *line = target_read(target, "cmdline", &line_size);
	char *variables = target_read(target, "environ", &variables_size);

	if (variables != NULL)
		jvm_flags_environment(flags, variables, variables_size, true);
	if (line != NULL)
		jvm_flags_command_line(target, flags, line, line_size);
	if (variables != NULL)
		jvm_flags_environment(flags, variables, variables_size, false);
	free(line);
	free(variables);
}

void jvm_flags_read(
	const struct target *target, const struct target_maps *maps, struct jvm_flags *flags)
{
	int published = maps->counters != NULL ? read_counters(target, maps->counters) : -1;

	*flags = (struct jvm_flags){0};
	read_words(target, flags);
	if (published >= 0)
		flags->no_attach = published == 0;
}

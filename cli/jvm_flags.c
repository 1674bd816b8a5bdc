/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * jvm_flags: the later word wins, in the order in which HotSpot reads them:
 * JAVA_TOOL_OPTIONS, JDK_JAVA_OPTIONS (by the launcher), the command line with its
 * @files, _JAVA_OPTIONS (arguments.cpp, args.c).
 */
#include "cli/jvm_flags.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Counters are 32 kB in all releases; a larger file is another thing. */
enum { COUNTERS_LIMIT = 4 << 20, ARGUMENT_FILE_LIMIT = 1 << 20 };

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

		if (whole > length && memcmp(text, name, length) == 0 &&
			text[length] == '=')
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

static bool takes_value(const char *word, size_t length)
{
	for (size_t i = 0; i < sizeof(with_value) / sizeof(with_value[0]); i++) {
		if (is_word(word, length, with_value[i]))
			return true;
	}
	return false;
}

/* "@FILE": its words are options, too. Quotes in it are not taken apart. */
static void take_file(
	const struct target *target, struct jvm_flags *flags, const char *name)
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
void jvm_flags_command_line(const struct target *target, struct jvm_flags *flags,
	const char *words, size_t size)
{
	const char *end = words + size, *word = words;
	bool is_value = true; /* as is the name of the launcher */

	for (size_t length; word < end; word += length + 1) {
		length = strnlen(word, (size_t)(end - word));
		if (is_value) {
			is_value = false;
			continue;
		}
		if (is_word(word, length, "-jar") || is_word(word, length, "-m") ||
			is_word(word, length, "--module"))
			return;
		if (word[0] == '@' && target != NULL)
			take_file(target, flags, word + 1);
		else if (word[0] != '-' && word[0] != '@')
			return;
		take_word(flags, word, length);
		is_value = takes_value(word, length);
	}
}

/* ---- HotSpot's counters ---- */

/* The file's layout is that of perfMemory.hpp, PerfDataPrologue and PerfDataEntry. */
struct prologue {
	unsigned char magic[4];   /* ca fe c0 c0 */
	unsigned char byte_order; /* 1: little */
	unsigned char major, minor, accessible;
	int32_t used, overflow;
	int64_t modified;
	int32_t entry_offset, entry_count;
};

struct entry {
	int32_t length, name_offset, vector_length;
	char type, flags, unit, variability;
	int32_t data_offset;
};

static bool is_native(const struct prologue *prologue)
{
	static const unsigned char magic[] = {0xca, 0xfe, 0xc0, 0xc0};
	bool is_little = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;

	return memcmp(prologue->magic, magic, sizeof(magic)) == 0 &&
	       prologue->byte_order == (is_little ? 1 : 0) && prologue->major == 2 &&
	       prologue->accessible == 1;
}

/* The first character of the entry's value if that is its name, else -1. Offsets are the
 * entry's own: they are held against its length. */
static int capability_of(const struct entry *entry, const unsigned char *bytes)
{
	static const char name[] = "sun.rt.jvmCapabilities";
	int32_t room = entry->length, at = entry->name_offset;

	if (at < 0 || at > room - (int32_t)sizeof(name) ||
		memcmp(bytes + at, name, sizeof(name)) != 0)
		return -1;
	at = entry->data_offset;
	return at > 0 && at < room ? bytes[at] : -1;
}

int jvm_flags_counters(const unsigned char *bytes, size_t size)
{
	struct prologue prologue;
	struct entry entry;
	size_t at;

	if (size < sizeof(prologue))
		return -1;
	memcpy(&prologue, bytes, sizeof(prologue));
	if (!is_native(&prologue) || prologue.entry_offset < (int32_t)sizeof(prologue))
		return -1;
	at = (size_t)prologue.entry_offset;
	for (int32_t i = 0; i < prologue.entry_count; i++) {
		if (size < sizeof(entry) || at > size - sizeof(entry))
			return -1;
		memcpy(&entry, bytes + at, sizeof(entry));
		if (entry.length < (int32_t)sizeof(entry) ||
			(size_t)entry.length > size - at)
			return -1;
		int value = capability_of(&entry, bytes + at);

		if (value >= 0)
			return value == '0' || value == '1' ? value - '0' : -1;
		at += (size_t)entry.length;
	}
	return -1;
}

/* The file is the target's own. */
static int read_counters(const struct target *target, const char *path)
{
	int file = target_open_file(target, path), value = -1;
	unsigned char *bytes;
	struct stat status;
	ssize_t got;

	if (file < 0)
		return -1;
	if (fstat(file, &status) == 0 && status.st_uid == target->uid &&
		status.st_size <= COUNTERS_LIMIT &&
		(bytes = malloc((size_t)status.st_size + 1)) != NULL) {
		got = read(file, bytes, (size_t)status.st_size);
		value = jvm_flags_counters(bytes, got > 0 ? (size_t)got : 0);
		free(bytes);
	}
	close(file);
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

void jvm_flags_read(const struct target *target, const struct target_maps *maps,
	struct jvm_flags *flags)
{
	int published =
		maps->counters != NULL ? read_counters(target, maps->counters) : -1;

	*flags = (struct jvm_flags){0};
	read_words(target, flags);
	if (published >= 0)
		flags->no_attach = published == 0;
}

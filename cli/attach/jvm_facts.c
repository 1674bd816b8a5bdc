/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* jvm_facts: see jvm_facts.h. */
#include "cli/attach/jvm_facts.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Bytes. Counters are 32 kB in all releases; a larger file is another thing. */
enum { COUNTERS_LIMIT = 4 << 20, ARGUMENT_FILE_LIMIT = 1 << 20 };

/* ---- mapped files ---- */

int jvm_maps_read(const struct target *target, struct jvm_maps *maps, struct error *error)
{
	static const char gone[] = " (deleted)";
	FILE *in = target_open_stream(target, "maps");
	char *line = NULL;
	size_t size = 0;

	*maps = (struct jvm_maps){0};
	if (!in)
		return target_refuse_access(target, errno, error);
	/* "ADDRESSES PERMISSIONS OFFSET DEVICE INODE   PATH\n", proc_pid_maps(5); without a path
	 * it is memory without a file. */
	while (getline(&line, &size, in) > 0) {
		char *path = strchr(line, '/'), **kept = NULL;
		const char *name;
		size_t length;

		if (!path)
			continue;
		length = strcspn(path, "\n");
		if (length > strlen(gone) &&
			strncmp(path + length - strlen(gone), gone, strlen(gone)) == 0)
			length -= strlen(gone);
		path[length] = '\0';
		name = strrchr(path, '/') + 1;
		if (strcmp(name, "libjvm.so") == 0)
			maps->jvm = true;
		else if (strcmp(name, "libjli.so") == 0)
			maps->launcher = true;
		else if (strncmp(name, "libjprof", 8) == 0 &&
			 strcmp(path + length - 3, ".so") == 0)
			kept = &maps->agent;
		else if (strstr(path, "/hsperfdata_"))
			kept = &maps->counters;
		if (kept && !*kept)
			*kept = strdup(target_path_there(target, path));
	}
	free(line);
	fclose(in);
	return 0;
}

void jvm_maps_fini(struct jvm_maps *maps)
{
	free(maps->agent);
	free(maps->counters);
}

/* ---- HotSpot's counters ---- */

/* perfMemory.hpp, PerfDataPrologue and PerfDataEntry; offsets are held against the file's
 * size. */
struct prologue {
	unsigned char magic[4];   /* ca fe c0 c0 */
	unsigned char byte_order; /* 1: little */
	unsigned char major, minor, accessible;
	int32_t used, overflow;
	int64_t modified;
	int32_t entry_offset, entry_count;
};

/* A name and a value follow, at offsets from the entry's begin. */
struct entry {
	int32_t length, name_offset, vector_length;
	char type, flags, unit, variability;
	int32_t data_offset;
};

char *jvm_counters_text(const unsigned char *bytes, size_t size, const char *name)
{
	static const unsigned char magic[] = {0xca, 0xfe, 0xc0, 0xc0};
	const int order = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
	int32_t name_size = (int32_t)strlen(name) + 1;
	struct prologue prologue;
	struct entry entry;
	size_t at;

	if (size < sizeof(prologue))
		return NULL;
	memcpy(&prologue, bytes, sizeof(prologue));
	if (memcmp(prologue.magic, magic, sizeof(magic)) != 0 || prologue.byte_order != order ||
		prologue.major != 2 || prologue.accessible != 1 ||
		prologue.entry_offset < (int32_t)sizeof(prologue))
		return NULL;
	at = (size_t)prologue.entry_offset;
	for (int32_t i = 0; i < prologue.entry_count; i++) {
		const char *begin = (const char *)bytes + at;

		if (size < sizeof(entry) || at > size - sizeof(entry))
			return NULL;
		memcpy(&entry, begin, sizeof(entry));
		if (entry.length < (int32_t)sizeof(entry) || (size_t)entry.length > size - at)
			return NULL;
		at += (size_t)entry.length;
		if (entry.name_offset < 0 || entry.name_offset > entry.length - name_size ||
			memcmp(begin + entry.name_offset, name, (size_t)name_size) != 0)
			continue;
		if (entry.data_offset <= 0 || entry.data_offset >= entry.length)
			return NULL;
		return strndup(
			begin + entry.data_offset, (size_t)(entry.length - entry.data_offset));
	}
	return NULL;
}

unsigned char *jvm_counters_read(const struct target *target, const char *path, size_t *size)
{
	int file = path ? target_open_file(target, path) : -1;
	unsigned char *bytes = NULL;
	struct stat status;
	ssize_t got = 0;

	*size = 0;
	if (file < 0)
		return NULL;
	if (fstat(file, &status) == 0 && status.st_uid == target->uid &&
		status.st_size <= COUNTERS_LIMIT)
		bytes = malloc((size_t)status.st_size + 1);
	if (bytes)
		got = read(file, bytes, (size_t)status.st_size);
	close(file);
	*size = got > 0 ? (size_t)got : 0;
	return bytes;
}

int jvm_counters_attach(const unsigned char *bytes, size_t size)
{
	char *text = jvm_counters_text(bytes, size, "sun.rt.jvmCapabilities");
	int value = text && (text[0] == '0' || text[0] == '1') ? text[0] - '0' : -1;

	free(text);
	return value;
}

/* ---- the file `release` of a JDK ---- */

bool jvm_release_value(int file, const char *key, char *value, size_t size)
{
	size_t key_length = strlen(key);
	char text[16384], *line = text;
	struct stat status;
	ssize_t length = 0;

	if (file < 0)
		return false;
	if (fstat(file, &status) == 0 && S_ISREG(status.st_mode))
		length = read(file, text, sizeof(text) - 1);
	close(file);
	text[length > 0 ? length : 0] = '\0';
	for (; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, key, key_length) != 0 ||
			strncmp(line + key_length, "=\"", 2) != 0)
			continue;
		line += key_length + 2;
		snprintf(value, size, "%.*s", (int)strcspn(line, "\"\n"), line);
		return true;
	}
	return false;
}

/* ---- words ---- */

static bool is_word(const char *text, size_t length, const char *word)
{
	return strlen(word) == length && memcmp(text, word, length) == 0;
}

static void take_word(const char *word, size_t length, bool *no_attach)
{
	if (is_word(word, length, "-XX:+DisableAttachMechanism"))
		*no_attach = true;
	else if (is_word(word, length, "-XX:-DisableAttachMechanism"))
		*no_attach = false;
}

static bool is_space(char c)
{
	return c == '\0' || strchr(" \t\r\n\f", c);
}

static void take_text(const char *text, size_t size, bool *no_attach)
{
	size_t at = 0, from;

	while (at < size) {
		while (at < size && is_space(text[at]))
			at++;
		from = at;
		while (at < size && !is_space(text[at]))
			at++;
		take_word(text + from, at - from, no_attach);
	}
}

void jvm_variable(const char *name, const char *words, size_t size, bool *no_attach)
{
	const char *end = words + size, *word = words;
	size_t name_length = strlen(name);

	for (size_t length; word < end; word += length + 1) {
		length = strnlen(word, (size_t)(end - word));
		if (length > name_length && memcmp(word, name, name_length) == 0 &&
			word[name_length] == '=')
			take_text(word + name_length + 1, length - name_length - 1, no_attach);
	}
}

/* Options of the launcher before the jar or the module; and those whose value is the next
 * word. */
static const char *const before_program[] = {"-jar", "-m", "--module", NULL};
static const char *const with_value[] = {"-cp", "-classpath", "--class-path", "-p",
	"--module-path", "--upgrade-module-path", "--add-modules", "--limit-modules",
	"--add-exports", "--add-opens", "--add-reads", "--patch-module",
	"--enable-native-access", "--describe-module", "-d", "--source", NULL};

static bool is_among(const char *word, size_t length, const char *const *words)
{
	while (*words && !is_word(word, length, *words))
		words++;
	return *words;
}

/* "@FILE": its words are options, too. Quotes in it are not taken apart. */
static void take_file(const struct target *target, const char *name, bool *no_attach)
{
	char *bytes = malloc(ARGUMENT_FILE_LIMIT);
	int file = target_open_file(target, name);
	ssize_t size;

	if (bytes && file >= 0) {
		size = read(file, bytes, ARGUMENT_FILE_LIMIT);
		take_text(bytes, size > 0 ? (size_t)size : 0, no_attach);
	}
	if (file >= 0)
		close(file);
	free(bytes);
}

char *jvm_command_line(
	const struct target *target, const char *words, size_t size, bool *no_attach)
{
	const char *end = words + size, *word = words;
	bool is_program = false, has_file = false;
	bool is_value = true; /* as is the name of the launcher */

	for (size_t length; word < end; word += length + 1) {
		length = strnlen(word, (size_t)(end - word));
		if (is_program || (!is_value && word[0] != '-' && word[0] != '@'))
			return has_file ? NULL : strndup(word, length);
		if (is_value) {
			is_value = false;
			continue;
		}
		if (word[0] == '@') {
			has_file = true;
			if (target)
				take_file(target, word + 1, no_attach);
		}
		take_word(word, length, no_attach);
		is_program = is_among(word, length, before_program);
		is_value = is_among(word, length, with_value);
	}
	return NULL;
}

/* What the JVM publishes itself; else its words. The later one wins, in the order in which
 * HotSpot reads them (arguments.cpp, args.c). */
bool jvm_forbids_attach(const struct target *target, const struct jvm_maps *maps)
{
	size_t size, line_size = 0, variables_size = 0;
	unsigned char *counters = jvm_counters_read(target, maps->counters, &size);
	int published = jvm_counters_attach(counters, size);
	bool no_attach = false;
	char *line, *variables;

	free(counters);
	if (published >= 0)
		return published == 0;
	line = target_read(target, "cmdline", &line_size);
	variables = target_read(target, "environ", &variables_size);
	if (variables) {
		jvm_variable("JAVA_TOOL_OPTIONS", variables, variables_size, &no_attach);
		jvm_variable("JDK_JAVA_OPTIONS", variables, variables_size, &no_attach);
	}
	if (line)
		free(jvm_command_line(target, line, line_size, &no_attach));
	if (variables)
		jvm_variable("_JAVA_OPTIONS", variables, variables_size, &no_attach);
	free(line);
	free(variables);
	return no_attach;
}

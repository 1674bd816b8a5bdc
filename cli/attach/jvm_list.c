/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * jvm_list: see jvm_list.h. A process may end while it is looked at: it is left out then.
 */
#include "cli/attach/jvm_list.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/attach/control_client.h"
#include "cli/attach/hotspot_attach.h"
#include "cli/attach/jvm_facts.h"

/* ---- one process ---- */

static void note_user(struct jvm_row *row, uid_t uid)
{
	const struct passwd *user = getpwuid(uid);

	if (user)
		snprintf(row->user, sizeof(row->user), "%s", user->pw_name);
	else
		snprintf(row->user, sizeof(row->user), "%u", (unsigned)uid);
}

/* What java's command line names (owned), or NULL. False: it is not java's. */
static bool read_command_line(const struct target *target, char **program)
{
	size_t size;
	char *words = target_read(target, "cmdline", &size), *slash;
	bool is_java, ignored;

	slash = words ? strrchr(words, '/') : NULL;
	is_java = words && strcmp(slash ? slash + 1 : words, "java") == 0;
	*program = is_java ? jvm_command_line(NULL, words, size, &ignored) : NULL;
	free(words);
	return is_java;
}

/* The main class, jar or module. The command line keeps words apart; but the program may stand
 * in an @file, and a tool of the JDK does not have it there. What HotSpot publishes has the
 * program's own words behind the first blank. Owned; NULL. */
static char *find_program_of(
	const struct target *target, const unsigned char *counters, size_t size)
{
	char *program;

	read_command_line(target, &program);
	if (program)
		return program;
	program = jvm_counters_text(counters, size, "sun.rt.javaCommand");
	if (program)
		program[strcspn(program, " ")] = '\0';
	if (program && program[0] != '\0')
		return program;
	free(program);
	return NULL;
}

/* From the file `release` of its JDK. Owned; NULL. */
static char *release_version(const struct target *target)
{
	char path[PATH_MAX + 16], version[64];
	ssize_t length = readlinkat(target->proc, "exe", path, PATH_MAX);
	int file, cut = 2;

	while (length > 0 && cut > 0)
		cut -= path[--length] == '/';
	if (length <= 0)
		return NULL;
	snprintf(path + length, 16, "/release");
	file = target_open_file(target, target_path_there(target, path));
	return jvm_release_value(file, "JAVA_VERSION", version, sizeof(version))
		       ? strdup(version)
		       : NULL;
}

static void note_jvm(
	struct jvm_row *row, const struct target *target, const struct jvm_maps *maps, bool ask)
{
	struct error error = {0};
	size_t size;
	unsigned char *counters = jvm_counters_read(target, maps->counters, &size);

	note_user(row, target->uid);
	row->program = find_program_of(target, counters, size);
	row->version = jvm_counters_text(counters, size, "java.property.java.version");
	if (!row->version)
		row->version = release_version(target);
	free(counters);
	if (maps->agent && ask)
		row->recording = control_state(target);
	if (!row->recording && hotspot_check(target, maps, &error) != 0)
		row->refusal = strdup(error.text);
}

/* Whose insides may not be looked at: another user's, or a stopped one. */
static bool see_from_outside(struct jvm_row *row, const struct error *why)
{
	char name[32];
	struct target outside = {.pid = row->pid, .root = -1};
	unsigned long long uid = 0;

	snprintf(name, sizeof(name), "/proc/%ld", (long)row->pid);
	outside.proc = open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (outside.proc < 0)
		return false;
	if (read_command_line(&outside, &row->program) &&
		target_status_number(&outside, "Uid", 10, &uid)) {
		note_user(row, (uid_t)uid);
		row->refusal = strdup(why->text);
	}
	close(outside.proc);
	return row->refusal;
}

/* ---- all of them ---- */

static void fini_row(struct jvm_row *row)
{
	free(row->version);
	free(row->program);
	free(row->refusal);
	free(row->recording);
}

/* Nothing is added of what is no JVM, or has ended. */
static int add_process(struct jvm_list *list, pid_t pid, bool ask)
{
	struct jvm_row row = {.pid = pid}, *grown = NULL;
	struct error error = {0};
	struct jvm_maps maps = {0};
	struct target target;
	bool is_jvm;

	if (target_open(&target, pid, &error) != 0) {
		is_jvm = see_from_outside(&row, &error);
	} else {
		is_jvm = jvm_maps_read(&target, &maps, &error) != 0 &&
			 see_from_outside(&row, &error);
		if (maps.jvm)
			note_jvm(&row, &target, &maps, ask);
		is_jvm |= maps.jvm && !target_ended(&target);
		jvm_maps_fini(&maps);
		target_close(&target);
	}
	if (is_jvm)
		grown = realloc(list->row, (list->count + 1) * sizeof(row));
	if (!grown) {
		fini_row(&row);
		return is_jvm ? -1 : 0;
	}
	list->row = grown;
	list->row[list->count++] = row;
	return 0;
}

static int compare_pids(const void *a, const void *b)
{
	pid_t x = ((const struct jvm_row *)a)->pid, y = ((const struct jvm_row *)b)->pid;

	return (x > y) - (x < y);
}

int jvm_list_read(struct jvm_list *list, bool ask, struct error *error)
{
	DIR *processes = opendir("/proc");
	struct dirent *entry;
	int failed = 0;

	*list = (struct jvm_list){0};
	if (!processes)
		return error_set_errno(error, ERROR_IO, errno, "cannot read '/proc'");
	while (failed == 0 && (entry = readdir(processes)) != NULL) {
		if (isdigit((unsigned char)entry->d_name[0]) &&
			add_process(list, (pid_t)atol(entry->d_name), ask) != 0)
			failed = error_set(error, ERROR_MEMORY, "no memory");
	}
	closedir(processes);
	if (list->count > 0)
		qsort(list->row, list->count, sizeof(*list->row), compare_pids);
	return failed;
}

void jvm_list_fini(struct jvm_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		fini_row(&list->row[i]);
	free(list->row);
	*list = (struct jvm_list){0};
}

/* ---- by name ---- */

bool jvm_list_is_named(const char *program, const char *word)
{
	static const char jar[] = ".jar";
	const char *slash = strrchr(program, '/'), *last = slash ? slash + 1 : program;
	const char *dot = strrchr(last, '.');

	if (strcmp(program, word) == 0 || strcmp(last, word) == 0)
		return true;
	/* A jar's name has dots of its own. */
	return dot && strcmp(dot, jar) != 0 && strcmp(dot + 1, word) == 0;
}

static int find_program(
	const struct jvm_list *list, const char *word, pid_t *pid, struct error *error)
{
	char found[400] = "";
	size_t used = 0, count = 0;

	for (size_t i = 0; i < list->count; i++) {
		const struct jvm_row *row = &list->row[i];

		if (!row->program || !jvm_list_is_named(row->program, word))
			continue;
		*pid = row->pid;
		count++;
		if (used < sizeof(found))
			used += (size_t)snprintf(found + used, sizeof(found) - used,
				"%s%ld (%s)", used > 0 ? ", " : "", (long)row->pid,
				error_subject(row->program).text);
	}
	if (count == 1)
		return 0;
	*pid = 0;
	if (count > 1)
		return error_set(error, ERROR_USAGE, "'%s' is the program of several JVMs: %s",
			error_subject(word).text, found);
	return error_set(error, ERROR_USAGE,
		"'%s' is no process id, and no JVM's main class: 'jprof list' shows what runs",
		error_subject(word).text);
}

int jvm_list_find(const char *word, pid_t *pid, struct error *error)
{
	struct jvm_list list;
	int failed;

	/* No class and no file is meant by what begins as a number does. */
	if (isdigit((unsigned char)word[0]) || word[0] == '-')
		return target_read_pid(word, pid, error);
	failed = jvm_list_read(&list, false, error);
	if (failed == 0)
		failed = find_program(&list, word, pid, error);
	jvm_list_fini(&list);
	return failed;
}

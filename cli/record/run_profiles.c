/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* run_profiles: one profile in a line, several in a list. */
#include "cli/record/run_profiles.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/attach/control_client.h"
#include "cli/record/profile_file.h"
#include "cli/terminal/outcome.h"

/* It was made, was not removed, and no later note is about the same file. */
static bool is_profile(const struct run_notes *notes, size_t at)
{
	const struct run_note *note = &notes->note[at];

	if (note->kind != RUN_NOTE_PROFILE)
		return false;
	for (size_t i = at + 1; i < notes->count; i++) {
		const struct run_note *later = &notes->note[i];

		if (strcmp(later->text, note->text) == 0 &&
			(later->kind == RUN_NOTE_PROFILE || later->pid == note->pid))
			return false;
	}
	return true;
}

/* The path as it is read from our working directory. Borrowed from path. */
static const char *from_here(const char *path)
{
	char folder[PATH_MAX];
	size_t length;

	if (!getcwd(folder, sizeof(folder)))
		return path;
	length = strlen(folder);
	return strncmp(path, folder, length) == 0 && path[length] == '/' && length > 1
		       ? path + length + 1
		       : path;
}

/* A JVM that goes on when the command has ended: a daemon, as build tools have. */
static void say_running(long pid)
{
	struct error ignored = {0};
	struct target target;
	char *state;

	if (pid <= 0 || target_open(&target, (pid_t)pid, &ignored) != 0)
		return;
	state = control_state(&target);
	if (state && strcmp(state, "armed") != 0 && !target_ended(&target))
		say("process %ld goes on recording; end that with: jprof stop %ld", pid, pid);
	free(state);
	target_close(&target);
}

/* A user may have removed it while the program ran. */
static void say_one(const struct run_note *note, bool is_java)
{
	const char *path = from_here(note->text);

	if (access(path, F_OK) != 0)
		say("the profile '%s' is not there any more", path);
	else
		profile_file_say(
			is_java || note->program[0] == '\0' ? NULL : note->program, path);
}

static void say_row(const struct run_note *note)
{
	fprintf(stderr, "jprof:   ");
	profile_file_put(from_here(note->text));
	fprintf(stderr, "  ");
	profile_file_put(note->program[0] != '\0' ? note->program : "a JVM");
	if (access(note->text, F_OK) != 0)
		fprintf(stderr, "  (not there any more)");
	fputc('\n', stderr);
}

void run_profiles_say(const struct run_notes *notes, bool is_armed, bool is_java)
{
	size_t count = 0, of_kind[RUN_NOTE_REMARK + 1] = {0};

	for (size_t i = 0; i < notes->count; i++) {
		count += is_profile(notes, i);
		of_kind[notes->note[i].kind]++;
	}
	if (count == 0 && of_kind[RUN_NOTE_REFUSED] == 0)
		say("there is no profile: %s",
			of_kind[RUN_NOTE_JVM] == 0 ? "no JVM was started"
			: is_armed ? "with --start no nothing is recorded until 'jprof start'"
				   : "no JVM ran a program");
	if (count > 1)
		say("%zu profiles were made; read one with: jprof report FILE", count);
	for (size_t i = 0; i < notes->count; i++) {
		if (!is_profile(notes, i))
			continue;
		if (count == 1)
			say_one(&notes->note[i], is_java);
		else
			say_row(&notes->note[i]);
	}
	for (size_t i = 0; i < notes->count; i++) {
		const struct run_note *note = &notes->note[i];

		if (is_profile(notes, i))
			say_running(note->pid);
		if (note->kind == RUN_NOTE_REFUSED)
			say("process %ld was not profiled: %s", note->pid, note->text);
		else if (note->kind == RUN_NOTE_REMARK && count > 1)
			say("process %ld: %s", note->pid, note->text);
		else if (note->kind == RUN_NOTE_REMARK)
			say("%s", note->text);
	}
}

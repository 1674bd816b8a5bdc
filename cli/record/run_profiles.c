/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* run_profiles: one profile in a line, several in a list. */
#include "cli/record/run_profiles.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/attach/control_client.h"
#include "cli/record/profile_file.h"
#include "cli/terminal/say.h"

static bool is_same_profile(const struct run_note *a, const struct run_note *b)
{
	return a->pid == b->pid && strcmp(a->text, b->text) == 0;
}

/* It was made, was not removed, and no later note is about the same file. */
static bool is_profile(const struct run_notes *notes, size_t at)
{
	const struct run_note *note = &notes->note[at];

	if (note->kind != RUN_NOTE_PROFILE)
		return false;
	for (size_t i = at + 1; i < notes->count; i++) {
		if (strcmp(notes->note[i].text, note->text) == 0 &&
			(notes->note[i].kind == RUN_NOTE_PROFILE ||
				is_same_profile(&notes->note[i], note)))
			return false;
	}
	return true;
}

static size_t count_kind(const struct run_notes *notes, enum run_note_kind kind)
{
	size_t count = 0;

	for (size_t i = 0; i < notes->count; i++)
		count += notes->note[i].kind == kind;
	return count;
}

static size_t count_profiles(const struct run_notes *notes)
{
	size_t count = 0;

	for (size_t i = 0; i < notes->count; i++)
		count += is_profile(notes, i);
	return count;
}

static void say_none(const struct run_notes *notes, bool is_armed)
{
	const char *why = "no JVM was started";

	if (count_kind(notes, RUN_NOTE_JVM) > 0)
		why = is_armed ? "with --start no nothing is recorded until 'jprof start'"
			       : "no JVM ran a program";
	if (count_kind(notes, RUN_NOTE_REFUSED) == 0)
		say("there is no profile: %s", why);
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

/* What a user may have removed while the program ran. */
static bool is_there(const char *path)
{
	return access(path, F_OK) == 0;
}

static void say_one(const struct run_note *note, bool is_java)
{
	const char *path = profile_file_from_here(note->text);

	if (!is_there(path)) {
		say("the profile '%s' is not there any more", path);
		return;
	}
	if (is_java || note->program[0] == '\0') {
		profile_file_say(path);
		return;
	}
	fprintf(stderr, "jprof: the profile of ");
	profile_file_put(note->program);
	fprintf(stderr, " is ");
	profile_file_put(path);
	fprintf(stderr, "; read it with: jprof report ");
	profile_file_put(path);
	fputc('\n', stderr);
}

static void say_row(const struct run_note *note)
{
	fprintf(stderr, "jprof:   ");
	profile_file_put(profile_file_from_here(note->text));
	fprintf(stderr, "  ");
	profile_file_put(note->program[0] != '\0' ? note->program : "a JVM");
	if (!is_there(note->text))
		fprintf(stderr, "  (not there any more)");
	fputc('\n', stderr);
}

static void say_remark(const struct run_note *note, bool is_one_of_many)
{
	if (is_one_of_many)
		say("process %ld: %s", note->pid, note->text);
	else
		say("%s", note->text);
}

void run_profiles_say(const struct run_notes *notes, bool is_armed, bool is_java)
{
	size_t count = count_profiles(notes);

	if (count == 0)
		say_none(notes, is_armed);
	if (count > 1)
		fprintf(stderr,
			"jprof: %zu profiles were made; read one with: jprof report "
			"FILE\n",
			count);
	for (size_t i = 0; i < notes->count; i++) {
		if (!is_profile(notes, i))
			continue;
		if (count == 1)
			say_one(&notes->note[i], is_java);
		else
			say_row(&notes->note[i]);
	}
	for (size_t i = 0; i < notes->count; i++) {
		if (is_profile(notes, i))
			say_running(notes->note[i].pid);
		if (notes->note[i].kind == RUN_NOTE_REFUSED)
			say("process %ld was not profiled: %s", notes->note[i].pid,
				notes->note[i].text);
		if (notes->note[i].kind == RUN_NOTE_REMARK)
			say_remark(&notes->note[i], count > 1);
	}
}

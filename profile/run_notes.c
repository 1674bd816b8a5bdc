/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * run_notes: see run_notes.h.
 *
 * Runs: in the agent, on the threads that load it, begin and end sessions; a note is one
 * write(2) to a file that is open for appending, so those of several processes do not
 * mix.
 */
#include "profile/run_notes.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "profile/place.h"

/* Of the notes of one run no more are read; a run that starts so many JVMs has enough to
 * say. */
enum { NOTES_LIMIT = 4 << 20, PROGRAM_LIMIT = 200 };

static const char *const kinds[] = {[RUN_NOTE_JVM] = "jvm",
	[RUN_NOTE_PROFILE] = "profile",
	[RUN_NOTE_NO_PROGRAM] = "no-program",
	[RUN_NOTE_REFUSED] = "refused",
	[RUN_NOTE_REMARK] = "remark"};

enum { KINDS = sizeof(kinds) / sizeof(*kinds) };

/* ---- the agent's side ---- */

static char *joined; /* the folder, owned; NULL: there is no run */
static bool has_claim;

void run_notes_join(void)
{
	const char *folder = secure_getenv(RUN_NOTES_VARIABLE);

	if (!joined && folder && folder[0] == '/')
		joined = strdup(folder);
}

bool run_notes_joined(void)
{
	return joined != NULL;
}

/* A file of the folder. A descriptor, or -1 with errno. */
static int open_below(const char *folder, const char *name, int flags)
{
	char path[PATH_MAX];

	if (snprintf(path, sizeof(path), "%s/%s", folder, name) >= (int)sizeof(path)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	return place_above_stdio(open(path, flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600));
}

void run_notes_put(enum run_note_kind kind, const char *text, const char *program)
{
	char record[PATH_MAX + 512];
	int saved = errno, file, length;

	if (!joined)
		return;
	length = snprintf(record, sizeof(record), "%s%c%ld%c%s%c%.*s%c", kinds[kind], 0,
		(long)getpid(), 0, text ? text : "", 0, PROGRAM_LIMIT,
		program != NULL ? program : "", 0);
	file = open_below(joined, "notes", O_WRONLY | O_APPEND);
	if (file >= 0 && length > 0 && length < (int)sizeof(record) &&
		write(file, record, (size_t)length) < 0)
		errno = saved; /* the command does not hear of it */
	if (file >= 0)
		close(file);
	errno = saved;
}

bool run_notes_claim(void)
{
	int saved = errno, file;

	if (!joined || has_claim)
		return true;
	file = open_below(joined, "first", O_WRONLY | O_CREAT | O_EXCL);
	has_claim = file >= 0;
	if (file >= 0)
		close(file);
	errno = saved;
	return has_claim;
}

void run_notes_unclaim(void)
{
	char path[PATH_MAX];
	int saved = errno;

	if (has_claim && snprintf(path, sizeof(path), "%s/first", joined) < (int)sizeof(path))
		unlink(path);
	has_claim = false;
	errno = saved;
}

/* ---- the command's side ---- */

int run_notes_open(char folder[PATH_MAX], struct error *error)
{
	const char *root = getenv("TMPDIR");
	int file;

	if (!root || root[0] != '/' || strlen(root) > PATH_MAX / 2)
		root = "/tmp";
	snprintf(folder, PATH_MAX, "%s/jprof-run-XXXXXX", root);
	if (mkdtemp(folder) == NULL) {
		folder[0] = '\0';
		return error_set_errno(
			error, ERROR_IO, errno, "cannot make a folder in '%s'", root);
	}
	file = open_below(folder, "notes", O_WRONLY | O_CREAT | O_EXCL);
	if (file < 0 || setenv(RUN_NOTES_VARIABLE, folder, 1) != 0) {
		error_set_errno(error, ERROR_IO, errno, "cannot use '%s'", folder);
		run_notes_close(folder);
		folder[0] = '\0';
	}
	if (file >= 0)
		close(file);
	return -(int)error->code;
}

/* Steps to the next text; NULL if it does not end before the end. */
static const char *next_text(const char **at, const char *end)
{
	const char *text = *at;
	size_t length = strnlen(text, (size_t)(end - text));

	if (text + length >= end)
		return NULL;
	*at = text + length + 1;
	return text;
}

static bool read_note(struct run_note *note, const char **at, const char *end)
{
	const char *kind = next_text(at, end), *pid = kind ? next_text(at, end) : NULL;
	unsigned number = 0;

	note->text = pid ? next_text(at, end) : NULL;
	note->program = note->text ? next_text(at, end) : NULL;
	if (!note->program)
		return false;
	while (number < KINDS && strcmp(kinds[number], kind) != 0)
		number++;
	note->kind = (enum run_note_kind)number;
	note->pid = strtol(pid, NULL, 10);
	return number < KINDS;
}

int run_notes_read(struct run_notes *notes, const char *folder, struct error *error)
{
	int file = open_below(folder, "notes", O_RDONLY);
	struct run_note note, *grown;
	FILE *stream = file >= 0 ? fdopen(file, "r") : NULL;
	const char *at, *end;

	*notes = (struct run_notes){.bytes = stream ? malloc(NOTES_LIMIT + 1) : NULL};
	at = end = notes->bytes;
	if (at)
		end += fread(notes->bytes, 1, NOTES_LIMIT, stream);
	if (!at || ferror(stream)) {
		error_set_errno(error, ERROR_IO, errno, "cannot read '%s/notes'", folder);
		run_notes_fini(notes);
	}
	if (stream)
		fclose(stream);
	else if (file >= 0)
		close(file);
	if (!notes->bytes)
		return -(int)error->code;
	while (read_note(&note, &at, end)) {
		grown = realloc(notes->note, (notes->count + 1) * sizeof(note));
		if (!grown) {
			run_notes_fini(notes);
			return error_set(error, ERROR_MEMORY, "no memory");
		}
		notes->note = grown;
		notes->note[notes->count++] = note;
	}
	return 0;
}

void run_notes_fini(struct run_notes *notes)
{
	free(notes->note);
	free(notes->bytes);
	*notes = (struct run_notes){0};
}

void run_notes_close(const char *folder)
{
	static const char *const files[] = {"notes", "first"};
	char path[PATH_MAX + 8];

	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		snprintf(path, sizeof(path), "%s/%s", folder, files[i]);
		unlink(path);
	}
	rmdir(folder);
}

/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* source: files are found by their class's package, and kept. */
#include "report/source/source.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "error/utf8.h"
#include "report/source/entry.h"

/* A file of a program's source; larger ones are not read. */
#define FILE_MAX ((size_t)16 << 20)

/* Where sources are in a folder, beside the folder itself. */
static const char *const folders[] = {"", "src/main/java/", "src/main/kotlin/", "src/"};

struct file {
	struct file *next;
	char *text;    /* lines, each with a zero behind it; NULL: it is not there */
	size_t length; /* of all of them */
	char name[];   /* com/acme/Foo.java */
};

struct source {
	int descriptor; /* of the folder or the archive */
	bool is_archive;
	struct archive archive;
	struct archive_memory memory;
	struct file *files;
};

/* ---- life ---- */

int source_open(struct source **out, const char *path, struct error *error)
{
	struct source *source = calloc(1, sizeof(*source));
	struct stat status = {0};
	const char *why = NULL;

	*out = NULL;
	if (!source)
		return error_set(error, ERROR_MEMORY, "no memory for '%s'", path);
	source->descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (source->descriptor < 0 || fstat(source->descriptor, &status) < 0) {
		error_set_errno(error, ERROR_MISSING, errno, "cannot open '%s'", path);
		source_close(source);
		return -ERROR_MISSING;
	}
	source->is_archive = !S_ISDIR(status.st_mode);
	source->memory.limit = UINT64_MAX;
	if (source->is_archive)
		why = archive_read(&source->archive, source->descriptor, &source->memory);
	if (why) {
		source_close(source);
		return error_set(error, ERROR_FORMAT,
			"'%s' is neither a folder nor an archive of sources: %s", path, why);
	}
	*out = source;
	return 0;
}

void source_close(struct source *source)
{
	if (!source)
		return;
	while (source->files) {
		struct file *next = source->files->next;

		free(source->files->text);
		free(source->files);
		source->files = next;
	}
	archive_fini(&source->archive, &source->memory);
	if (source->descriptor >= 0)
		close(source->descriptor);
	free(source);
}

/* ---- files ---- */

/* What the whole file holds, with a zero behind it; NULL: it cannot be had. */
static char *read_whole(int folder, const char *path, size_t *length)
{
	int descriptor = openat(folder, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat status;
	char *text = NULL;
	ssize_t got;

	*length = 0;
	if (descriptor >= 0 && fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) &&
		(uint64_t)status.st_size <= FILE_MAX)
		text = calloc(1, (size_t)status.st_size + 1);
	while (text && *length < (size_t)status.st_size &&
		(got = read(descriptor, text + *length, (size_t)status.st_size - *length)) > 0)
		*length += (size_t)got;
	if (descriptor >= 0)
		close(descriptor);
	return text;
}

static char *read_from_folders(const struct source *source, const char *name, size_t *length)
{
	char path[PATH_MAX], *text = NULL;

	for (size_t i = 0; i < sizeof(folders) / sizeof(*folders) && !text; i++)
		if (snprintf(path, sizeof(path), "%s%s", folders[i], name) < (int)sizeof(path))
			text = read_whole(source->descriptor, path, length);
	return text;
}

/* The JDK's src.zip has a folder for each module. */
static char *read_from_archive(const struct source *source, const char *name, size_t *length)
{
	const struct archive *archive = &source->archive;
	size_t bytes = strlen(name);

	for (size_t i = 0; i < archive->entries; i++) {
		const struct archive_entry *entry = &archive->entry[i];
		size_t before = entry->length - bytes;

		if (entry->length >= bytes && memcmp(entry->name + before, name, bytes) == 0 &&
			(before == 0 || entry->name[before - 1] == '/'))
			return entry_read(archive, source->descriptor, i, FILE_MAX, length);
	}
	return NULL;
}

/* What is no UTF-8, or a zero, becomes '?', a tab a space. */
static void make_harmless(char *text, size_t length)
{
	for (size_t i = 0, bytes; i<length; i += bytes> 0 ? bytes : 1) {
		bytes = utf8_length(text + i, length - i < UTF8_MAX ? length - i : UTF8_MAX);
		if (text[i] == '\t')
			text[i] = ' ';
		else if (bytes == 0 || text[i] == '\0')
			text[i] = '?';
	}
}

/* Takes the ends of lines and the spaces around them out; a zero stands behind each. Returns the length. */
static size_t put_lines(char *text, size_t length)
{
	char *to = text, *from = text, *end = text + length;

	make_harmless(text, length);
	while (from < end) {
		char *next = memchr(from, '\n', (size_t)(end - from)), *last;

		next = next ? next : end;
		for (last = next; last > from && (last[-1] == ' ' || last[-1] == '\r');)
			last--;
		while (from < last && *from == ' ')
			from++;
		memmove(to, from, (size_t)(last - from));
		to += last - from;
		*to++ = '\0';
		from = next + 1;
	}
	return (size_t)(to - text);
}

static struct file *find_file(struct source *source, const char *name)
{
	size_t bytes = strlen(name) + 1;
	struct file *file = source->files;

	while (file && strcmp(file->name, name) != 0)
		file = file->next;
	if (file)
		return file;
	file = calloc(1, sizeof(*file) + bytes);
	if (!file)
		return NULL;
	memcpy(file->name, name, bytes);
	file->text = source->is_archive ? read_from_archive(source, name, &file->length)
					: read_from_folders(source, name, &file->length);
	if (file->text)
		file->length = put_lines(file->text, file->length);
	file->next = source->files;
	source->files = file;
	return file;
}

/* ---- lines ---- */

/* com/acme/Foo.java. False: profiles have no such class or file. */
static bool name_of(char *name, size_t size, const char *class_name, const char *file)
{
	const char *dot = strrchr(class_name, '.');
	int package = dot ? (int)(dot - class_name) + 1 : 0, length;

	length = snprintf(name, size, "%.*s%s", package, class_name, file);
	if (strchr(class_name, '/') || strchr(file, '/') || file[0] == '.' || length < 0 ||
		(size_t)length >= size)
		return false;
	for (int i = 0; i < package; i++)
		if (name[i] == '.')
			name[i] = '/';
	return name[0] != '/';
}

const char *source_line(
	struct source *source, const char *class_name, const char *file, uint32_t line)
{
	const struct file *found = NULL;
	const char *text, *end;
	char name[PATH_MAX];

	if (line > 0 && class_name && file && name_of(name, sizeof(name), class_name, file))
		found = find_file(source, name);
	if (!found || !found->text)
		return NULL;
	text = found->text;
	end = text + found->length;
	for (; line > 1 && text < end; line--)
		text += strlen(text) + 1;
	return text < end ? text : NULL;
}

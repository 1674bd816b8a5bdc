/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* archive_files: see archive_files.h. */
#include "agent/io/archive_files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What is known of the archive behind a row. */
struct io_archive {
	struct lock lock; /* LOCK_ARCHIVE: all below */
	uint64_t at;      /* the row's opening when it was looked at; 0: never */
	/* Which file it was. */
	dev_t device;
	ino_t inode;
	off_t size;
	struct timespec changed;
	struct archive archive;
	_Atomic(const char *) refused; /* read without the lock */
};

/* The row's, made at the first use; two may try at the same time. NULL: no memory. */
static struct io_archive *archive_of(struct io_file *file)
{
	struct io_archive *archive = atomic_load(&file->archive), *fresh;

	if (archive)
		return archive;
	fresh = calloc(1, sizeof(*fresh));
	if (!fresh)
		return NULL;
	lock_init(&fresh->lock, LOCK_ARCHIVE);
	if (atomic_compare_exchange_strong(&file->archive, &archive, fresh))
		return fresh;
	lock_fini(&fresh->lock);
	free(fresh);
	return archive;
}

static bool is_same(const struct io_archive *archive, const struct stat *status)
{
	return archive->at != 0 && archive->device == status->st_dev &&
	       archive->inode == status->st_ino && archive->size == status->st_size &&
	       archive->changed.tv_sec == status->st_mtim.tv_sec &&
	       archive->changed.tv_nsec == status->st_mtim.tv_nsec;
}

static bool is_other(const struct stat *a, const struct stat *b)
{
	return a->st_dev != b->st_dev || a->st_ino != b->st_ino;
}

/* By the application's own descriptor: to open the file once more, and close it, would drop the
 * process's locks on it (fcntl(2)). So the descriptor may be another file's meanwhile. */
static void read_again(struct io_archive *archive, int descriptor, const struct stat *status)
{
	struct stat after;
	const char *refused;

	archive_fini(&archive->archive);
	archive->device = status->st_dev;
	archive->inode = status->st_ino;
	archive->size = status->st_size;
	archive->changed = status->st_mtim;
	refused = archive_read(&archive->archive, descriptor);
	if (fstat(descriptor, &after) || is_other(status, &after)) {
		archive_fini(&archive->archive);
		refused = "it was closed too early";
	}
	atomic_store(&archive->refused, refused);
}

/* Under the lock: what is known is of the file as it is now. */
static void renew(struct io_files *files, struct io_archive *archive, struct io_file *file,
	int descriptor)
{
	uint64_t at = atomic_load_explicit(&file->at, memory_order_relaxed);
	struct stat status;

	/* Rows that were found open have no time. */
	at = at ? at : 1;
	if (archive->at == at || fstat(descriptor, &status))
		return;
	if (!is_same(archive, &status)) {
		read_again(archive, descriptor, &status);
		io_file_changed(files, file);
	}
	archive->at = at;
}

static struct io_ref row_of(struct io_files *files, const struct io_file *file,
	const char *name, size_t length)
{
	const struct io_opening opening = {.kind = IO_ENTRY,
		.known = KNOWN_OPEN,
		.descriptor = -1,
		.name = {name, length},
		.peer = {file->name, file->name_length}};

	return io_files_open(files, &opening, false);
}

static struct io_ref entry_row(struct io_files *files, const struct io_file *file,
	const struct archive *archive, size_t place)
{
	const struct archive_entry *entry = &archive->entry[place];

	if (place == archive->entries)
		return row_of(files, file, ARCHIVE_REST, strlen(ARCHIVE_REST));
	return row_of(files, file, entry->name, entry->length);
}

void archive_files_charge(struct io_files *files, struct io_file *file, int descriptor,
	uint64_t offset, uint64_t bytes,
	void (*part)(void *user, struct io_ref entry, uint64_t bytes), void *user)
{
	int saved_errno = errno;
	struct io_archive *archive =
		io_file_ending(file) & ENDS_AS_ARCHIVE ? archive_of(file) : NULL;

	if (!archive)
		return;
	lock_take(&archive->lock);
	renew(files, archive, file, descriptor);
	while (bytes > 0 && !atomic_load(&archive->refused)) {
		size_t place = archive_find(&archive->archive, offset);
		uint64_t length = archive_end(&archive->archive, place, offset) - offset;

		if (length > bytes)
			length = bytes;
		part(user, entry_row(files, file, &archive->archive, place), length);
		offset += length;
		bytes -= length;
	}
	lock_give(&archive->lock);
	errno = saved_errno;
}

const char *archive_files_refused(const struct io_file *file)
{
	struct io_archive *archive = atomic_load(&file->archive);

	return archive ? atomic_load(&archive->refused) : NULL;
}

void archive_files_forget(struct io_file *file)
{
	struct io_archive *archive = atomic_exchange(&file->archive, NULL);

	if (!archive)
		return;
	archive_fini(&archive->archive);
	lock_fini(&archive->lock);
	free(archive);
}

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
#include <time.h>
#include <unistd.h>

/* How long the end waits for a thread that is at an archive. */
#define END_PAUSE_NS 1000000
enum { END_TRIES = 20 };

/* An archive that rows are bound to: those of all its names. */
struct bound_archive {
	struct bound_archive *next;
	struct stat key;  /* which file it is, and which state of it */
	unsigned rows;    /* under the list's lock; the last one takes it along */
	struct lock lock; /* LOCK_DIRECTORY, while the directory is read */
	/* The rest is constant once it is read. */
	bool is_read;
	const char *refused;
	struct archive archive;
};

/* What is known of the archive behind a row. */
struct io_archive {
	struct lock lock; /* LOCK_ARCHIVE: all below */
	uint64_t at;      /* the row's opening when it was looked at; 0: not since it was
			     closed */
	struct bound_archive *bound;   /* NULL: none */
	_Atomic(const char *) refused; /* read without the lock */
};

static struct {
	struct lock lock; /* LOCK_ARCHIVES */
	struct bound_archive *first;
	struct archive_memory memory;
	_Atomic bool begun;
} archives = {.lock = {PTHREAD_MUTEX_INITIALIZER, LOCK_ARCHIVES}};

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

/* ---- archives that rows are bound to ---- */

static bool is_same(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
	       a->st_mtim.tv_sec == b->st_mtim.tv_sec &&
	       a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

/* For one row more. NULL: no memory. */
static struct bound_archive *bind_to(const struct stat *key)
{
	struct bound_archive *bound;

	lock_take(&archives.lock);
	for (bound = archives.first; bound && !is_same(&bound->key, key); bound = bound->next)
		;
	if (!bound) {
		bound = calloc(1, sizeof(*bound));
		if (bound) {
			lock_init(&bound->lock, LOCK_DIRECTORY);
			bound->key = *key;
			bound->next = archives.first;
			archives.first = bound;
		}
	}
	if (bound)
		bound->rows++;
	lock_give(&archives.lock);
	return bound;
}

/* Under the row's lock, or where no thread holds the row. */
static void unbind(struct io_archive *archive)
{
	struct bound_archive *bound = archive->bound, **link;

	archive->at = 0;
	archive->bound = NULL;
	if (!bound)
		return;
	lock_take(&archives.lock);
	if (--bound->rows == 0) {
		for (link = &archives.first; *link != bound; link = &(*link)->next)
			;
		*link = bound->next;
	} else {
		bound = NULL;
	}
	lock_give(&archives.lock);
	if (!bound)
		return;
	archive_fini(&bound->archive, &archives.memory);
	lock_fini(&bound->lock);
	free(bound);
}

/* By the application's own descriptor: to open the file once more, and close it, would
 * drop the process's locks on it (fcntl(2)). So the descriptor may be another file's
 * meanwhile. Returns why the archive is refused; NULL: it is not. */
static const char *read_bound(struct bound_archive *bound, int descriptor)
{
	struct stat after = {0};
	const char *why = NULL;

	lock_take(&bound->lock);
	if (!bound->is_read) {
		why = archive_read(&bound->archive, descriptor, &archives.memory);
		if (fstat(descriptor, &after) || after.st_dev != bound->key.st_dev ||
			after.st_ino != bound->key.st_ino) {
			archive_fini(&bound->archive, &archives.memory);
			why = "it was closed too early";
		} else if (why != archive_no_memory) {
			bound->is_read = true;
			bound->refused = why;
		}
	}
	if (bound->is_read)
		why = bound->refused;
	lock_give(&bound->lock);
	return why;
}

/* Under the row's lock: what is known is of the file as it is now. */
static void renew(struct io_files *files, struct io_archive *archive, struct io_file *file,
	int descriptor)
{
	uint64_t at = atomic_load_explicit(&file->at, memory_order_relaxed);
	struct stat key;
	const char *why;

	/* Rows that were found open have no time. */
	at = at ? at : 1;
	if (archive->at == at || fstat(descriptor, &key))
		return;
	if (!archive->bound || !is_same(&archive->bound->key, &key)) {
		unbind(archive);
		archive->bound = bind_to(&key);
	}
	why = archive->bound ? read_bound(archive->bound, descriptor) : archive_no_memory;
	if (atomic_exchange(&archive->refused, why) != why)
		io_file_changed(files, file);
	archive->at = at;
}

/* The row of the entry at that place; of what is between entries at the place behind the
 * last. */
static struct io_ref row_of(struct io_files *files, const struct io_file *file,
	const struct archive *archive, size_t place)
{
	static const struct archive_entry rest = {
		.name = ARCHIVE_REST, .length = sizeof(ARCHIVE_REST) - 1};
	const struct archive_entry *entry =
		place < archive->entries ? &archive->entry[place] : &rest;
	const struct io_opening opening = {.kind = IO_ENTRY,
		.known = KNOWN_OPEN,
		.descriptor = -1,
		.name = {entry->name, entry->length},
		.peer = {file->name, file->name_length}};

	return io_files_open(files, &opening, false);
}

/* ---- from outside ---- */

void archive_files_charge(struct io_files *files, struct io_file *file, int descriptor,
	uint64_t offset, uint64_t bytes,
	void (*part)(void *user, struct io_ref entry, uint64_t bytes), void *user)
{
	int saved_errno = errno;
	struct io_archive *archive =
		io_file_ending(file) & ENDS_AS_ARCHIVE ? archive_of(file) : NULL;
	const struct archive *known = NULL;

	if (!archive)
		return;
	lock_take(&archive->lock);
	if (atomic_load(&archives.begun))
		renew(files, archive, file, descriptor);
	if (archive->bound && !atomic_load(&archive->refused))
		known = &archive->bound->archive;
	while (bytes > 0 && known) {
		size_t place = archive_find(known, offset);
		uint64_t length = archive_end(known, place, offset) - offset;

		if (length > bytes)
			length = bytes;
		part(user, row_of(files, file, known, place), length);
		offset += length;
		bytes -= length;
	}
	if (!atomic_load(&archives.begun))
		unbind(archive);
	lock_give(&archive->lock);
	errno = saved_errno;
}

const char *archive_files_refused(const struct io_file *file)
{
	struct io_archive *archive = atomic_load(&file->archive);

	return archive ? atomic_load(&archive->refused) : NULL;
}

void archive_files_closed(struct io_files *files, uint64_t id)
{
	struct io_file *file = io_files_hold(files, id);
	struct io_archive *archive = file ? atomic_load(&file->archive) : NULL;

	/* A thread that reads it just now may take long: then it is given back later. */
	if (archive && lock_try(&archive->lock)) {
		if (io_file_holds(file) == 1) /* ours */
			unbind(archive);
		lock_give(&archive->lock);
	}
	if (file)
		io_file_release(file);
}

void archive_files_forget(struct io_file *file)
{
	struct io_archive *archive = atomic_exchange(&file->archive, NULL);

	if (!archive)
		return;
	unbind(archive);
	lock_fini(&archive->lock);
	free(archive);
}

void archive_files_begin(uint64_t memory)
{
	atomic_store(&archives.memory.limit, memory);
	atomic_store(&archives.begun, true);
}

uint64_t archive_files_used(void)
{
	return atomic_load(&archives.memory.used);
}

void archive_files_end(struct io_files *files)
{
	const struct timespec pause = {0, END_PAUSE_NS};
	uint32_t end = atomic_load(&files->rows);

	if (!atomic_exchange(&archives.begun, false))
		return;
	for (uint32_t place = 1; place < end; place++) {
		struct io_file *file = io_files_hold_place(files, place);
		struct io_archive *archive = file ? atomic_load(&file->archive) : NULL;

		bool taken = archive && lock_try(&archive->lock);

		/* A thread that reads a file may do so for ever: it is not waited for longer,
		 * and takes care of its row itself, unless it looked just before. */
		for (int i = 0; archive && !taken && i < END_TRIES; i++) {
			nanosleep(&pause, NULL);
			taken = lock_try(&archive->lock);
		}
		if (taken) {
			unbind(archive);
			lock_give(&archive->lock);
		}
		if (file)
			io_file_release(file);
	}
}

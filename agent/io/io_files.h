/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * io_files: what I/O is done with, each once: files, directories, connections, pipes, terminals.
 *
 *   kind, descriptor, name, peer --> struct io_file --> its id, which operations are charged to
 *
 * The same path opened again as the same number is the same row: a program that opens a file a
 * million times has one. A row is found under the lock of its part of the table.
 *
 * Owns: rows, in blocks, and names. Both stay: an operation which still holds an id cannot be
 *       charged to another file. A row is made only for what is used while something is recorded.
 */
#ifndef JPROF_IO_FILES_H
#define JPROF_IO_FILES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "agent/lock/lock.h"
#include "agent/io/file_ending.h"
#include "profile/io_words.h"

/* Bytes as the system has them; a name need not be UTF-8. */
struct io_name {
	const char *bytes;
	size_t length;
};

/* An open, a connect, an accept; or what was found open. */
struct io_opening {
	enum io_kind kind;
	enum io_known known;
	int descriptor;
	struct io_name name; /* path; local address */
	struct io_name peer; /* remote address; empty: none */
	uint64_t at;         /* ns of CLOCK_MONOTONIC; 0: not known */
	uint32_t opener;     /* io_openers.h; 0: not known */
	uint32_t path;       /* the call path that opened it; 0: not known */
	uint32_t session;    /* whose call path that is */
};

enum io_file_state { FILE_BEING_MADE, FILE_SHOWN, FILE_CHANGED /* not shown as it is now */ };

struct io_file {
	/* Constant from its first opening on. */
	uint32_t id; /* 1, 2, ... */
	uint32_t hash;
	enum io_kind kind;
	int descriptor;
	char *name, *peer; /* NUL behind each */
	uint32_t name_length, peer_length;
	uint32_t ending; /* file_ending.h */
	/* Of the last opening. Written under the part's lock, read without. */
	_Atomic uint64_t at;
	_Atomic uint32_t opener, path;
	_Atomic uint32_t known;
	_Atomic uint32_t session; /* the last one that it was open or used in */
	_Atomic uint32_t state; /* enum io_file_state; stored behind the rest */
	struct io_archive *_Atomic archive; /* archive_files.h; NULL: not asked for */
	struct io_file *next; /* under the part's lock */
};

enum {
	IO_FILE_PARTS = 64,
	IO_FILE_BLOCK = 1024, /* rows */
	IO_FILE_BLOCKS = 1024,
	IO_FILES_MAX = IO_FILE_BLOCK * IO_FILE_BLOCKS
};

/* A part of the table: rows whose hash ends so. All under its lock. */
struct io_files_part {
	struct lock lock; /* LOCK_FILES */
	struct io_file **bucket;
	uint32_t buckets, files;
};

struct io_files {
	struct io_files_part part[IO_FILE_PARTS];
	_Atomic(struct io_file *) block[IO_FILE_BLOCKS]; /* rows by id */
	_Atomic uint32_t rows; /* that were ever used; id 0 is none */
	_Atomic bool changed; /* a row may be FILE_CHANGED */
	_Atomic uint32_t session; /* the one that records, or the last that did */
	uint32_t max; /* beyond so many rows, files are charged to one row for each kind */
};

void io_files_init(struct io_files *files, uint32_t max);

/* For tests: all rows are given back. */
void io_files_fini(struct io_files *files);

/* The row of an id. */
static inline struct io_file *io_files_at(struct io_files *files, uint32_t id)
{
	return &atomic_load_explicit(&files->block[id / IO_FILE_BLOCK],
		memory_order_acquire)[id % IO_FILE_BLOCK];
}

/* A descriptor becomes this file: the row's id, of a new row if need be. 0: no memory. */
uint32_t io_files_open(struct io_files *files, const struct io_opening *opening);

/* True if the opening's row is there. */
bool io_files_has(struct io_files *files, const struct io_opening *opening);

/* Another session begins: rows are shown to it once they are opened, or taken by it. */
void io_files_begin(struct io_files *files, uint32_t session);

/* The session has something to do with the row. Call paths of another session mean nothing to
 * it. */
void io_file_take_rare(struct io_files *files, struct io_file *file);

static inline void io_file_take(struct io_files *files, struct io_file *file)
{
	if (__builtin_expect(atomic_load_explicit(&file->session, memory_order_relaxed) !=
			atomic_load_explicit(&files->session, memory_order_relaxed), 0))
		io_file_take_rare(files, file);
}

/* Something of the row, which is shown, is another now. */
void io_file_changed(struct io_files *files, struct io_file *file);

/* True if the opening is of that row. */
bool io_file_is(const struct io_file *file, const struct io_opening *opening);

/* Shows the session's rows that are new or were changed since they were shown, or all of them. Without a lock; on one
 * thread at a time. 0, or show's negative code, which ends it. */
int io_files_visit(struct io_files *files, bool all,
	int (*show)(void *user, const struct io_file *file), void *user);

#endif

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
 * Owns: rows, in blocks that stay, and names. Until io_files_keep a row that no descriptor is
 *       any more is given back, with its id, when there are many of them; from then on never, so
 *       that an operation which still holds an id cannot be charged to another file.
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
	uint32_t thread;     /* the row of the profile that its node is of; 0: no session was on */
	uint32_t node;       /* the call path that opened it */
};

struct io_file {
	/* Constant from its first opening on, until it is given back. */
	uint32_t id; /* 1, 2, ... */
	uint32_t hash;
	enum io_kind kind;
	int descriptor;
	char *name, *peer; /* NUL behind each */
	uint32_t name_length, peer_length;
	uint32_t ending; /* file_ending.h */
	/* Of the last opening. Written under the part's lock, read without; releasing needs no lock. */
	_Atomic uint64_t at;
	_Atomic uint32_t opener, thread, node;
	_Atomic uint32_t known;
	_Atomic uint64_t opens, closes;
	struct io_archive *_Atomic archive; /* archive_files.h; NULL: not asked for */
	_Atomic uint32_t held; /* descriptors that are it now; from 0 to 1 under the part's lock */
	/* Under the part's lock. */
	struct io_file *next;
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
	uint32_t sweep_at;    /* files; then those that nobody holds are given back */
	struct io_file *free; /* given back, linked by next */
};

struct io_files {
	struct io_files_part part[IO_FILE_PARTS];
	_Atomic(struct io_file *) block[IO_FILE_BLOCKS]; /* rows by id */
	_Atomic uint32_t rows; /* that were ever used; id 0 is none */
	uint32_t max; /* beyond so many rows, files are charged to one row for each kind */
	_Atomic bool kept;
};

void io_files_init(struct io_files *files, uint32_t max);

/* For tests: all rows are given back. */
void io_files_fini(struct io_files *files);

/* Rows that nobody holds are given back; from now on they stay. */
void io_files_keep(struct io_files *files);

/* The row of an id that is held, or kept. */
static inline struct io_file *io_files_at(struct io_files *files, uint32_t id)
{
	return &atomic_load_explicit(&files->block[id / IO_FILE_BLOCK],
		memory_order_acquire)[id % IO_FILE_BLOCK];
}

/* A descriptor becomes this file: the row's id, of a new row if need be. 0: no memory. */
uint32_t io_files_open(struct io_files *files, const struct io_opening *opening);

/* A descriptor is that file no longer; it was closed, or has become another. */
void io_files_release(struct io_files *files, uint32_t id, bool closed);

/* Shows every row, under a lock that opening a file may need: look, copy, be quick. */
void io_files_visit(struct io_files *files,
	void (*show)(void *user, const struct io_file *file), void *user);

#endif

/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * archive_files: reads of archives, charged to their entries.
 *
 *   (file, offset, bytes) --> archive, by device and inode --> its entries' rows
 *
 * An archive's directory is read when it is first read from, once for all the names that it
 * has, and kept as long as it is open under one of them; again, where an opening finds that the
 * file has changed. What is in no entry is charged to a row of its own, so that the sum over
 * entries is the archive's.
 *
 * Owns: the directories, in the memory that the recording allows. Without memory an archive's
 *       entries are not told apart, and its row says so.
 * Runs: on the thread that read. Those that read the same archive wait for the one that reads
 *       its directory.
 */
#ifndef JPROF_ARCHIVE_FILES_H
#define JPROF_ARCHIVE_FILES_H

#include "agent/io/archive.h"
#include "agent/io/io_files.h"

/* What bytes in no entry are charged to: the directory, headers in front. */
#define ARCHIVE_REST "(directory)"

/* Directories may be read from now on, in so many bytes altogether, until archive_files_end
 * gives all back, those being read at the moment once they have been. One after the other. */
void archive_files_begin(uint64_t memory);
void archive_files_end(struct io_files *files);

/* Bytes that directories take. */
uint64_t archive_files_used(void);

/* Calls part for each entry that bytes of the range are in. Nothing for a file that is no
 * archive, or is refused. The file is held. */
void archive_files_charge(struct io_files *files, struct io_file *file, int descriptor,
	uint64_t offset, uint64_t bytes,
	void (*part)(void *user, struct io_ref entry, uint64_t bytes), void *user);

/* A descriptor of that file was closed: if it was the last, its directory is given back; where
 * another thread uses it just now, by the next close, or at the end. */
void archive_files_closed(struct io_files *files, uint64_t id);

/* What is known of the row's archive is given back; no thread holds the row. */
void archive_files_forget(struct io_file *file);

/* Why the file's entries are not told apart; NULL: they are, or were not asked for. Static
 * text. */
const char *archive_files_refused(const struct io_file *file);

#endif

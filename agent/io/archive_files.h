/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * archive_files: reads of archives, charged to their entries.
 *
 *   (file, offset, bytes) --> archive, read once an opening --> its entries' rows (io_files)
 *
 * An archive's directory is read when it is first read from, and again after an opening that
 * finds another file under the name. What is in no entry is charged
 * to a row of its own, so that the sum over entries is the archive's.
 *
 * Runs: on the thread that read. Those that read the same archive wait for the one that reads its
 *       directory.
 */
#ifndef JPROF_ARCHIVE_FILES_H
#define JPROF_ARCHIVE_FILES_H

#include "agent/io/archive.h"
#include "agent/io/io_files.h"

/* What bytes in no entry are charged to: the directory, headers in front. */
#define ARCHIVE_REST "(directory)"

/* Calls part for each entry that bytes of the range are in. Nothing for a file that is no
 * archive, or one that is refused. The file is held. */
void archive_files_charge(struct io_files *files, struct io_file *file, int descriptor,
	uint64_t offset, uint64_t bytes,
	void (*part)(void *user, struct io_ref entry, uint64_t bytes), void *user);

/* What is known of the row's archive is given back; nobody holds the row. */
void archive_files_forget(struct io_file *file);

/* Why the file's entries are not told apart; NULL: they are, or were not asked for. Static text. */
const char *archive_files_refused(const struct io_file *file);

#endif

/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* holder_fini: gives a holder and its files back, which live as long as the process in the agent. */
#ifndef JPROF_HOLDER_FINI_H
#define JPROF_HOLDER_FINI_H

#include <stdlib.h>
#include <sys/mman.h>

#include "agent/io/archive_files.h"
#include "agent/io/holder.h"

static inline void io_files_fini(struct io_files *files)
{
	for (int i = 0; i < IO_FILE_PARTS; i++) {
		free(files->part[i].bucket);
		lock_fini(&files->part[i].lock);
	}
	for (uint32_t place = 1; place < files->rows; place++) {
		struct io_file *block = files->block[place / IO_FILE_BLOCK];

		if (!block)
			continue;
		archive_files_forget(&block[place % IO_FILE_BLOCK]);
		free(block[place % IO_FILE_BLOCK].name);
	}
	for (int i = 0; i < IO_FILE_BLOCKS; i++)
		free(files->block[i]);
	lock_fini(&files->lock);
}

static inline void holder_fini(struct holder *holder)
{
	munmap(holder->slot, holder->slots * sizeof(*holder->slot));
	for (int i = 0; i < HOLDER_BUCKETS; i++) {
		struct holder_block *block = holder->overflow[i], *next;

		for (; block; block = next) {
			next = block->next;
			free(block);
		}
	}
	io_files_fini(&holder->files);
}

#endif

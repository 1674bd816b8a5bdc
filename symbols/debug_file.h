/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * debug_file: the file that a distribution has put an ELF file's symbols into.
 *
 * Searched as GDB does ("Debugging Information in Separate Files"):
 *   /usr/lib/debug/.build-id/xx/yyyy.debug             by the note .note.gnu.build-id
 *   FOLDER/NAME, FOLDER/.debug/NAME, /usr/lib/debug/FOLDER/NAME   by the section .gnu_debuglink
 * It is taken only if it has the same build id; of a file without one, if its check sum is the one that
 * .gnu_debuglink has.
 * Runs: cold.
 */
#ifndef JPROF_DEBUG_FILE_H
#define JPROF_DEBUG_FILE_H

#include <stdbool.h>

#include "symbols/elf_file.h"

/* path: that of `file`. False: there is none, and nothing is held. */
bool debug_file_open(struct elf_file *debug, const struct elf_file *file, const char *path);

#endif

/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * elf_file: the sections of an ELF file (elf.h; System V ABI, chapter 4).
 *
 * In: a file's path. What is read of it may be anything: every number of it is checked. It is read by
 * pread, not mapped: a file that gets shorter is no fault.
 * Out: its sections' headers, and copies of the sections that are asked for.
 * Programs and libraries of 64 bits and of this machine's byte order; others are refused.
 * Runs: cold.
 */
#ifndef JPROF_ELF_FILE_H
#define JPROF_ELF_FILE_H

#include <elf.h>
#include <stddef.h>
#include <stdint.h>

#include "error/error.h"

/* Embedded in its user. */
struct elf_file {
	int descriptor;
	uint64_t size;
	Elf64_Shdr *sections;
	size_t count;
	char *names; /* of sections; ends with a NUL */
	size_t names_size;
};

/* 0 or -code; then nothing is held. A file without sections is one, too. */
int elf_file_open(struct elf_file *file, const char *path, struct error *error);

/* The section of that name, or NULL. */
const Elf64_Shdr *elf_file_section(const struct elf_file *file, const char *name);

/* The bytes of a section, a NUL behind them; to be freed. NULL: it has none in the file, or
 * more than 1 GB, or there is no memory. *size is filled in: of what is there. */
char *elf_file_read(const struct elf_file *file, const Elf64_Shdr *section, size_t *size);

void elf_file_close(struct elf_file *file);

#endif

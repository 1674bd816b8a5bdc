/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* build_note: see build_note.h. Looks at nothing outside the bytes that it is given. */
#include "calibration/build_note.h"

#include <elf.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

static size_t padded(size_t bytes)
{
	return (bytes + 3) & ~(size_t)3;
}

static bool put(const unsigned char *id, size_t bytes, char *text, size_t size)
{
	if (bytes == 0 || 2 * bytes >= size)
		return false;
	for (size_t i = 0; i < bytes; i++)
		snprintf(text + 2 * i, 3, "%02x", id[i]);
	return true;
}

bool build_note_find(const unsigned char *notes, size_t bytes, char *text, size_t size)
{
	ElfW(Nhdr) header;

	while (bytes >= sizeof(header)) {
		size_t name, whole;

		memcpy(&header, notes, sizeof(header));
		name = sizeof(header) + padded(header.n_namesz);
		whole = name + padded(header.n_descsz);
		if (whole > bytes)
			return false;
		if (header.n_type == NT_GNU_BUILD_ID && header.n_namesz == 4 &&
			memcmp(notes + sizeof(header), "GNU", 4) == 0)
			return put(notes + name, header.n_descsz, text, size);
		notes += whole;
		bytes -= whole;
	}
	return false;
}

/* ---- in a file ---- */

static bool is_ours(const ElfW(Ehdr) * header)
{
	int bits = sizeof(header->e_entry) == 8 ? ELFCLASS64 : ELFCLASS32;

	return memcmp(header->e_ident, ELFMAG, SELFMAG) == 0 &&
	       header->e_ident[EI_CLASS] == bits && header->e_ident[EI_DATA] == ELFDATA2LSB &&
	       header->e_phentsize == sizeof(ElfW(Phdr));
}

/* True if a piece of so many bytes is in the file. */
static bool holds(size_t bytes, size_t offset, size_t piece)
{
	return offset <= bytes && piece <= bytes - offset;
}

bool build_note_in_file(const unsigned char *file, size_t bytes, char *text, size_t size)
{
	ElfW(Ehdr) header;

	if (bytes < sizeof(header))
		return false;
	memcpy(&header, file, sizeof(header));
	if (!is_ours(&header) ||
		!holds(bytes, header.e_phoff, header.e_phnum * sizeof(ElfW(Phdr))))
		return false;
	for (unsigned i = 0; i < header.e_phnum; i++) {
		ElfW(Phdr) part;

		memcpy(&part, file + header.e_phoff + i * sizeof(part), sizeof(part));
		/* Notes of 8 bytes' alignment are of other kinds. */
		if (part.p_type == PT_NOTE && part.p_align <= 4 &&
			holds(bytes, part.p_offset, part.p_filesz) &&
			build_note_find(file + part.p_offset, part.p_filesz, text, size))
			return true;
	}
	return false;
}

/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * build_id: the note that the linker makes (ld(1), "--build-id"), where the loader has put it.
 *
 *   PT_NOTE: | name bytes | descriptor bytes | type | name, padded to 4 | descriptor, padded |
 */
#include "agent/session/build_id.h"

#include <elf.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct search {
	char *text;
	size_t size;
	bool found;
};

static size_t padded(size_t bytes)
{
	return (bytes + 3) & ~(size_t)3;
}

static void take(struct search *search, const unsigned char *id, size_t bytes)
{
	if (bytes == 0 || 2 * bytes >= search->size)
		return;
	for (size_t i = 0; i < bytes; i++)
		snprintf(search->text + 2 * i, 3, "%02x", id[i]);
	search->found = true;
}

static void look_at_notes(struct search *search, const unsigned char *note, size_t bytes)
{
	ElfW(Nhdr) header;

	while (bytes >= sizeof(header) && !search->found) {
		size_t name, whole;

		memcpy(&header, note, sizeof(header));
		name = sizeof(header) + padded(header.n_namesz);
		whole = name + padded(header.n_descsz);
		if (whole > bytes)
			return;
		if (header.n_type == NT_GNU_BUILD_ID && header.n_namesz == 4 &&
			memcmp(note + sizeof(header), "GNU", 4) == 0)
			take(search, note + name, header.n_descsz);
		note += whole;
		bytes -= whole;
	}
}

static bool is_ours(const struct dl_phdr_info *object)
{
	uintptr_t here = (uintptr_t)build_id;

	for (int i = 0; i < object->dlpi_phnum; i++) {
		const ElfW(Phdr) *part = &object->dlpi_phdr[i];

		if (part->p_type == PT_LOAD &&
			here - (object->dlpi_addr + part->p_vaddr) < part->p_memsz)
			return true;
	}
	return false;
}

static int look_at_object(struct dl_phdr_info *object, size_t size, void *argument)
{
	struct search *search = argument;

	(void)size;
	if (!is_ours(object))
		return 0;
	for (int i = 0; i < object->dlpi_phnum; i++) {
		const ElfW(Phdr) *part = &object->dlpi_phdr[i];

		/* Notes of 8 bytes' alignment are of other kinds. */
		if (part->p_type == PT_NOTE && part->p_align <= 4)
			look_at_notes(search,
				(const unsigned char *)(object->dlpi_addr + part->p_vaddr),
				part->p_memsz);
	}
	return 1;
}

bool build_id(char *text, size_t size)
{
	struct search search = {.text = text, .size = size};

	dl_iterate_phdr(look_at_object, &search);
	return search.found;
}

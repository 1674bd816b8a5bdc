/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* build_id: the note with it (calibration/build_note.h), where the loader has put it. */
#include "agent/session/build_id.h"

#include <link.h>
#include <stdint.h>

#include "calibration/build_note.h"

struct search {
	char *text;
	size_t size;
	bool found;
};

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

	if (!is_ours(object))
		return 0;
	for (int i = 0; i < object->dlpi_phnum; i++) {
		const ElfW(Phdr) *part = &object->dlpi_phdr[i];

		/* Notes of 8 bytes' alignment are of other kinds. */
		if (part->p_type == PT_NOTE && part->p_align <= 4 && !search->found)
			search->found = build_note_find(
				(const unsigned char *)(object->dlpi_addr + part->p_vaddr),
				part->p_memsz, search->text, search->size);
	}
	return 1;
}

bool build_id(char *text, size_t size)
{
	struct search search = {.text = text, .size = size};

	dl_iterate_phdr(look_at_object, &search);
	return search.found;
}

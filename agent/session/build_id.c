/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* build_id: the note with it (calibration/build_note.h), where the loader has put it. */
#include "agent/session/build_id.h"

#include <link.h>

#include "calibration/build_note.h"

/* The linker's: the header of the object that this is linked into, which is mapped with it. */
extern const ElfW(Ehdr) __ehdr_start __attribute__((visibility("hidden")));

bool build_id(char *text, size_t size)
{
	const unsigned char *base = (const unsigned char *)&__ehdr_start;
	const ElfW(Phdr) *part = (const void *)(base + __ehdr_start.e_phoff);

	/* Notes of 8 bytes' alignment are of other kinds. */
	for (int i = 0; i < __ehdr_start.e_phnum; i++)
		if (part[i].p_type == PT_NOTE && part[i].p_align <= 4 &&
			build_note_find(base + part[i].p_vaddr, part[i].p_memsz, text, size))
			return true;
	return false;
}

/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * build_note: which build a library is, by the note that the linker makes (ld(1), "--build-id").
 *
 *   a part of kind PT_NOTE: | name bytes | descriptor bytes | type | name, padded | descriptor, padded |
 */
#ifndef JPROF_BUILD_NOTE_H
#define JPROF_BUILD_NOTE_H

#include <stdbool.h>
#include <stddef.h>

/* The GNU build id among these notes of 4 bytes' alignment, which may be any bytes, in hexadecimal.
 * False: there is none, or one longer than fits. */
bool build_note_find(const unsigned char *notes, size_t bytes, char *text, size_t size);

/* The same of an object's file, which may be any bytes: an ELF file of this machine's kind. */
bool build_note_in_file(const unsigned char *file, size_t bytes, char *text, size_t size);

#endif

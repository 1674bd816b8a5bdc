/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* The build id of a library's file: found where it is, and nothing read beyond what is there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <elf.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

#include "calibration/build_note.h"

enum { PARTS = 2 };

/* A file of two parts: notes of another kind, and the build id "0102abff" behind another note. */
struct library {
	ElfW(Ehdr) header;
	ElfW(Phdr) part[PARTS];
	struct {
		ElfW(Nhdr) header;
		char name[8];
		unsigned char value[4];
	} other;
	struct {
		ElfW(Nhdr) header;
		char name[4];
		unsigned char id[4];
	} build;
};

static const unsigned char id[] = {1, 2, 0xab, 0xff};

static struct library make(void)
{
	struct library library = {.header = {.e_phoff = offsetof(struct library, part),
					  .e_phentsize = sizeof(ElfW(Phdr)),
					  .e_phnum = PARTS}};

	memcpy(library.header.e_ident, ELFMAG, SELFMAG);
	library.header.e_ident[EI_CLASS] = sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32;
	library.header.e_ident[EI_DATA] = ELFDATA2LSB;
	library.part[0] = (ElfW(Phdr)){.p_type = PT_LOAD};
	library.part[1] = (ElfW(Phdr)){.p_type = PT_NOTE,
		.p_align = 4,
		.p_offset = offsetof(struct library, other),
		.p_filesz = sizeof(library.other) + sizeof(library.build)};
	library.other.header = (ElfW(Nhdr)){.n_namesz = 7, .n_descsz = 3, .n_type = 9};
	memcpy(library.other.name, "Elsewhr", 7);
	library.build.header =
		(ElfW(Nhdr)){.n_namesz = 4, .n_descsz = 4, .n_type = NT_GNU_BUILD_ID};
	memcpy(library.build.name, "GNU", 4);
	memcpy(library.build.id, id, sizeof(id));
	return library;
}

/* On the heap, where a sanitizer sees what is read behind it. */
static bool find(const struct library *library, size_t bytes, char *text, size_t size)
{
	unsigned char *copy = malloc(bytes + 1);
	bool found;

	assert_non_null(copy);
	copy = realloc(copy, bytes > 0 ? bytes : 1);
	memcpy(copy, library, bytes);
	found = build_note_in_file(copy, bytes, text, size);
	free(copy);
	return found;
}

static void found(void **state)
{
	struct library library = make();
	char text[16];

	assert_true(find(&library, sizeof(library), text, sizeof(text)));
	assert_string_equal(text, "0102abff");
	assert_true(find(&library, sizeof(library), text, 9));
	assert_false(find(&library, sizeof(library), text, 8));
}

static void cut(void **state)
{
	struct library library = make();
	size_t whole = offsetof(struct library, build) + sizeof(library.build);
	char text[16];

	for (size_t bytes = 0; bytes < whole; bytes++)
		assert_false(find(&library, bytes, text, sizeof(text)));
}

#define EXPECT_NONE(change)                                                                    \
	do {                                                                                   \
		struct library library = make();                                               \
		char text[16];                                                                 \
		change;                                                                        \
		assert_false(find(&library, sizeof(library), text, sizeof(text)));             \
	} while (0)

static void damaged(void **state)
{
	EXPECT_NONE(library.header.e_ident[0] = 0);
	EXPECT_NONE(library.header.e_ident[EI_CLASS] = ELFCLASSNONE);
	EXPECT_NONE(library.header.e_ident[EI_DATA] = ELFDATA2MSB);
	EXPECT_NONE(library.header.e_phentsize = 3);
	EXPECT_NONE(library.header.e_phoff = SIZE_MAX - 3);
	EXPECT_NONE(library.header.e_phnum = UINT16_MAX);
	EXPECT_NONE(library.part[1].p_type = PT_LOAD);
	EXPECT_NONE(library.part[1].p_align = 8);
	EXPECT_NONE(library.part[1].p_offset = SIZE_MAX - 10);
	EXPECT_NONE(library.part[1].p_filesz = SIZE_MAX);
	EXPECT_NONE(library.other.header.n_namesz = UINT32_MAX);
	EXPECT_NONE(library.other.header.n_descsz = UINT32_MAX);
	EXPECT_NONE(library.build.header.n_descsz = 5);
	EXPECT_NONE(library.build.header.n_descsz = 0);
	EXPECT_NONE(library.build.header.n_type = 1);
	EXPECT_NONE(library.build.name[1] = 'M');
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(found),
		cmocka_unit_test(cut),
		cmocka_unit_test(damaged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

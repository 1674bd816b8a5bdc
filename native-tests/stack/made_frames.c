/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* made_frames: see made_frames.h. */
#include "native-tests/stack/made_frames.h"

#include <string.h>

#include "unwind_registers.h"

static void put(struct made_frames *made, const void *bytes, size_t size)
{
	if (size > sizeof(made->bytes) - made->size)
		size = sizeof(made->bytes) - made->size;
	if (size > 0)
		memcpy(made->bytes + made->size, bytes, size);
	made->size += size;
}

static void put_number(struct made_frames *made, uint64_t value, size_t bytes)
{
	put(made, &value, bytes);
}

/* The length of an entry that ends here, into its place. */
static void end_entry(struct made_frames *made, size_t begin)
{
	uint32_t length = (uint32_t)(made->size - begin - 4);

	memcpy(made->bytes + begin, &length, sizeof(length));
}

static uint64_t here(const struct made_frames *made)
{
	return (uintptr_t)made->bytes + made->size;
}

void made_frames_init(struct made_frames *made, const char *letters, const uint8_t *common,
	size_t common_size, const uint8_t *program, size_t program_size)
{
	uintptr_t code;
	int32_t entry;

	memset(made, 0, sizeof(*made));
	code = (uintptr_t)made->bytes + 0x100000;
	put(made, "\1\x1b\3\x3b", 4); /* pointer, count, table */
	put_number(made, 0, 4);
	put_number(made, 1, 4);
	put_number(made, code - (uintptr_t)made->bytes, 4);
	put_number(made, 0, 4);
	made->header = made->size;

	made->common = made->size;
	put_number(made, 0, 4);
	put_number(made, 0, 4);
	put_number(made, 1, 1);
	put(made, letters, strlen(letters) + 1);
	put(made, "\1\x78", 2); /* units: 1, -8 */
	put_number(made, UNWIND_RETURN, 1);
	if (letters[0] == 'z')
		put(made, strchr(letters, 'P') ? "\7" : strchr(letters, 'L') ? "\2" : "\1", 1);
	for (const char *letter = letters; *letter != '\0'; letter++) {
		if (*letter == 'R' || *letter == 'L')
			put_number(made, 0x1b, 1);
		if (*letter == 'P')
			put(made, "\x9b\0\0\0\0", 5);
	}
	put(made, common, common_size);
	end_entry(made, made->common);

	made->entry = made->size;
	put_number(made, 0, 4);
	put_number(made, made->size - made->common, 4);
	if (letters[0] == 'z') {
		put_number(made, code - here(made), 4);
		put_number(made, MADE_CODE, 4);
		put_number(made, 0, 1);
	} else {
		put_number(made, code, 8);
		put_number(made, MADE_CODE, 8);
	}
	put(made, program, program_size);
	end_entry(made, made->entry);
	entry = (int32_t)made->entry;
	memcpy(made->bytes + 16, &entry, sizeof(entry));

	made->module = (struct module){.begin = code,
		.end = code + MADE_CODE,
		.frame_header = made->bytes,
		.frame_header_size = made->header,
		.readable = made->bytes,
		.readable_end = made->bytes + made->size,
		.path = "made"};
	made->modules = (struct modules){.count = 1, .module = &made->module};
}

/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * Any bytes as a module's unwind information: no step reads outside of it, and walks go upwards.
 *
 *   | kind | program...                     kind 0 to 63: of one function (made_frames.h), walked at several pcs
 *   | kind | pc: 4 bytes | header: 4 | bytes...   others: .eh_frame_hdr at `header` of the bytes
 *
 * The corpus has the sections of real programs, and programs of the tests (corpus.sh).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/stack/unwind.h"
#include "native-tests/fuzz/text_mutator.h"
#include "native-tests/stack/made_frames.h"

enum { BASE = 0x1000, WORDS = 4096, STEPS_MAX = 64 };

/* Of stack words most are addresses: of the stack itself, or of the code. */
static const struct modules *current;

static void require(bool condition, const char *what)
{
	if (!condition) {
		fprintf(stderr, "violated: %s\n", what);
		abort();
	}
}

static bool read_word(const void *user, uintptr_t address, uintptr_t *word)
{
	const struct module *module = &current->module[0];

	if (address % sizeof(*word) != 0 || address < BASE ||
		address >= BASE + WORDS * sizeof(*word))
		return false;
	*word = address % 32 < 16 ? module->begin + address % (module->end - module->begin)
				  : address + address / 8 % 32;
	return true;
}

static void walk(const struct modules *modules, uintptr_t pc)
{
	struct unwind_memory memory = {read_word, NULL};
	struct native_frame frame = {
		.pc = pc, .sp = BASE + 64, .fp = BASE + 512, .link = pc + 4};

	current = modules;
	for (int i = 0; i < STEPS_MAX; i++) {
		struct native_frame before = frame;

		if (!unwind_step(modules, &memory, &frame, i == 0)) {
			require(frame.pc == before.pc || frame.pc == 0,
				"it stays, or the walk is complete");
			require(frame.sp == before.sp, "it stays");
			return;
		}
		require(frame.pc != 0, "a caller has an address");
		require(frame.interrupted || frame.sp > before.sp ||
				(i == 0 && frame.sp == before.sp),
			"a caller is above");
	}
}

static void walk_made(uint8_t kind, const uint8_t *program, size_t size)
{
	static const char *const letters[] = {"zR", "zPLR", "", "zRS"};
	static struct made_frames made;
	size_t common = size < kind % 16u ? size : kind % 16u;

	made_frames_init(&made, letters[kind / 16 % 4], program, common, program + common,
		size - common);
	for (uintptr_t pc = 0; pc < MADE_CODE; pc += 51)
		walk(&made.modules, made.module.begin + pc);
}

/* The bytes are copied to a place of their size, so that the address sanitizer knows their end. */
static void walk_bytes(const uint8_t *data, size_t size)
{
	uint32_t pc, header;
	uint8_t *bytes;
	struct module module;
	struct modules modules = {.count = 1, .module = &module};

	if (size <= sizeof(pc) + sizeof(header))
		return;
	memcpy(&pc, data, sizeof(pc));
	memcpy(&header, data + sizeof(pc), sizeof(header));
	data += sizeof(pc) + sizeof(header);
	size -= sizeof(pc) + sizeof(header);
	header %= size;
	bytes = malloc(size);
	require(bytes != NULL, "memory");
	memcpy(bytes, data, size);
	module = (struct module){.frame_header = bytes + header,
		.frame_header_size = size - header,
		.readable = bytes,
		.readable_end = bytes + size,
		.begin = (uintptr_t)bytes - ((uintptr_t)1 << 31),
		.end = (uintptr_t)bytes + ((uintptr_t)1 << 31)};
	walk(&modules, (uintptr_t)bytes + (uintptr_t)(int32_t)pc);
	free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size == 0)
		return 0;
	if (data[0] < 64)
		walk_made(data[0], data + 1, size - 1);
	else
		walk_bytes(data + 1, size - 1);
	return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed)
{
	static const uint8_t starts[] = {
		0x0c, 0x0f, 0x10, 0x16, 0x80, 0x0a, 0x41, 0x77, 0x8f, 0xff};

	/* A byte that many programs have. */
	if (size > 1 && seed % 4 == 0) {
		data[1 + seed / 4 % (size - 1)] = starts[seed / 64 % sizeof(starts)];
		return size;
	}
	return LLVMFuzzerMutate(data, size, max_size);
}

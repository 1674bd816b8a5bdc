/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * Any bytes as an ELF file. What was read of it ends with a NUL, begins where it says, and is found
 * again by its name.
 *
 * The corpus is a small library in several states (corpus.sh). Most mutations change a number of it, aligned,
 * to another number of it or to a limit.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "native-tests/fuzz/text_mutator.h"
#include "symbols/elf_symbols.h"

enum { PLACES = 64 };

volatile size_t fuzz_sink; /* so that nothing is optimised away */

static void require(bool condition, const char *what)
{
	if (!condition) {
		fprintf(stderr, "violated: %s\n", what);
		abort();
	}
}

static const char *file_of(const uint8_t *data, size_t size)
{
	static int descriptor = -1;
	static char path[64];

	if (descriptor < 0) {
		descriptor = memfd_create("fuzz", MFD_CLOEXEC);
		snprintf(path, sizeof(path), "/proc/self/fd/%d", descriptor);
	}
	require(descriptor >= 0 && ftruncate(descriptor, 0) == 0 &&
			pwrite(descriptor, data, size, 0) == (ssize_t)size,
		"the file can be written");
	return path;
}

static void check(const struct elf_symbols *symbols, uint64_t address)
{
	struct symbol_found found;
	uint64_t again;

	if (!elf_symbols_find(symbols, address, &found))
		return;
	require(found.start <= address, "an address is behind the start of its symbol");
	require(elf_symbols_address(symbols, found.name, &again), "a name is found");
	fuzz_sink += strlen(found.name);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct error error = {0};
	struct elf_symbols *symbols = elf_symbols_create(file_of(data, size), &error);

	require(!symbols == (error.code != ERROR_NONE), "there is a reason");
	if (!symbols)
		return 0;
	for (size_t i = 0; i < PLACES; i++) {
		uint64_t address;

		check(symbols, i * 256);
		if (size < 8)
			continue;
		memcpy(&address, data + size / PLACES * i % (size - 7), 8);
		check(symbols, address);
	}
	elf_symbols_destroy(symbols);
	return 0;
}

/* xorshift */
static uint32_t random_next(uint32_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 17;
	*state ^= *state << 5;
	return *state;
}

/* A number of the header (the first 64 bytes), of the table of sections (the last part), or of any place. */
static size_t place(size_t size, uint32_t *state)
{
	size_t from = 0, length = size;

	switch (random_next(state) % 4) {
	case 0:
		length = 64;
		break;
	case 1:
	case 2:
		from = size - size / 4;
		length = size / 4;
		break;
	}
	return from + random_next(state) % length;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed)
{
	static const uint64_t limits[] = {0, 1, 2, 24, 64, 0xffff, 0xff00, INT32_MAX,
		UINT32_MAX, INT64_MAX, UINT64_MAX, UINT64_C(1) << 40};
	uint32_t state = seed * 2654435761u | 1;

	if (size < 256 || random_next(&state) % 4 == 0)
		return LLVMFuzzerMutate(data, size, max_size);
	for (uint32_t i = random_next(&state) % 3; i < 3; i++) {
		size_t bytes = (size_t)1 << random_next(&state) % 4;
		size_t at = place(size - 8, &state) / bytes * bytes;
		uint64_t value =
			limits[random_next(&state) % (sizeof(limits) / sizeof(*limits))];

		if (random_next(&state) % 2)
			memcpy(&value, data + place(size - 8, &state) / bytes * bytes, bytes);
		memcpy(data + at, &value, bytes);
	}
	return size;
}

/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * fuzz_main: runs what a fuzzer is made of without libFuzzer, with any compiler, for the tests: each
 * file of a corpus, then so many mutations of them, always the same ones.
 *
 *   PROGRAM RUNS [DIRECTORY]
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "native-tests/fuzz/text_mutator.h"

enum { SIZE_MAX_INPUT = 1 << 20, INPUTS_MAX = 1000 };

#pragma weak LLVMFuzzerCustomMutator

struct input {
	uint8_t *bytes;
	size_t size;
};

static struct input inputs[INPUTS_MAX];
static size_t input_count;
static uint32_t state = 1;

/* xorshift */
static uint32_t below(size_t limit)
{
	state ^= state << 13;
	state ^= state >> 17;
	state ^= state << 5;
	return state % (uint32_t)limit;
}

static void keep(const uint8_t *bytes, size_t size)
{
	struct input *input = &inputs[input_count++];

	input->bytes = malloc(size + 1);
	if (!input->bytes)
		exit(2);
	memcpy(input->bytes, bytes, size);
	input->size = size;
}

static void read_input(const char *path)
{
	static uint8_t bytes[SIZE_MAX_INPUT];
	FILE *file = fopen(path, "rb");

	if (file && input_count < INPUTS_MAX)
		keep(bytes, fread(bytes, 1, sizeof(bytes), file));
	if (file)
		fclose(file);
}

/* In the order of their names, whatever the file system. */
static void read_folder(const char *folder)
{
	struct dirent **entry;
	int count = scandir(folder, &entry, NULL, alphasort);

	for (int i = 0; i < count; i++) {
		char path[4096];

		snprintf(path, sizeof(path), "%s/%s", folder, entry[i]->d_name);
		if (entry[i]->d_name[0] != '.')
			read_input(path);
		free(entry[i]);
	}
	if (count >= 0)
		free(entry);
}

/* A byte changed, put in, or left out, a few times. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size)
{
	for (uint32_t i = below(4); i < 4; i++) {
		size_t at = size > 0 ? below(size) : 0;
		uint32_t kind = below(4);

		if (kind == 0 && size < max_size) {
			memmove(data + at + 1, data + at, size - at);
			data[at] = (uint8_t)below(256);
			size++;
		} else if (kind == 1 && size > 1) {
			memmove(data + at, data + at + 1, size - at - 1);
			size--;
		} else if (size > 0) {
			data[at] = kind == 2 ? (uint8_t)below(256)
					     : (uint8_t)(data[at] ^ 1u << below(8));
		}
	}
	return size;
}

/* The mutation goes on from what it came to, some times. */
static void run_mutations(const struct input *input, uint32_t times)
{
	static uint8_t bytes[SIZE_MAX_INPUT];
	size_t size = input->size;

	memcpy(bytes, input->bytes, size);
	for (; times > 0; times--) {
		size = LLVMFuzzerCustomMutator ? LLVMFuzzerCustomMutator(bytes, size,
							 sizeof(bytes), below(1u << 31))
					       : LLVMFuzzerMutate(bytes, size, sizeof(bytes));
		LLVMFuzzerTestOneInput(bytes, size);
	}
}

int main(int argc, char **argv)
{
	enum { TIMES = 4 };
	long runs = argc > 1 ? atol(argv[1]) : 0;

	if (runs <= 0) {
		fprintf(stderr, "usage: %s RUNS [DIRECTORY]\n", argv[0]);
		return 2;
	}
	keep((const uint8_t *)"", 0);
	if (argc > 2)
		read_folder(argv[2]);
	if (argc > 2 && input_count == 1) {
		fprintf(stderr, "%s: there is nothing\n", argv[2]);
		return 2;
	}
	for (size_t i = 0; i < input_count; i++)
		LLVMFuzzerTestOneInput(inputs[i].bytes, inputs[i].size);
	for (long i = 0; i < runs; i += TIMES)
		run_mutations(&inputs[below(input_count)], TIMES);
	printf("%zu inputs, %ld mutations\n", input_count, runs);
	for (size_t i = 0; i < input_count; i++)
		free(inputs[i].bytes);
	return 0;
}

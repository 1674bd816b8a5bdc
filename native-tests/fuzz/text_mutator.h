/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * text_mutator: changes texts that are made of words and signs (JSON, lists of options), so that
 * most of what comes out is still nearly one.
 *
 * A text is taken apart into tokens: "a string", a word or number, a sign. Tokens are replaced by
 * others of the same text, by words of the format, or by numbers at limits; deltas of them are
 * left out, or put in once more elsewhere. A third of the mutations are the library's, of bytes.
 */
#ifndef JPROF_FUZZ_TEXT_MUTATOR_H
#define JPROF_FUZZ_TEXT_MUTATOR_H

#include <stddef.h>
#include <stdint.h>

/* What libFuzzer has, or fuzz_main.c. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Changes the text from its byte `from` on; words: of the format, ended by NULL. Returns the new size. */
size_t text_mutate(uint8_t *data, size_t size, size_t max_size, size_t from,
	const char *const *words, unsigned int seed);

#endif

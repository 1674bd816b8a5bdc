/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * Any bytes as an item of `parameters`, or of `tags` by the first byte: refused with a reason, or something that is whole,
 * and is the same when it is written out and read again.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "native-tests/fuzz/text_mutator.h"
#include "options/parameter_choice.h"

static void require(bool condition, const char *what, const char *item)
{
	if (condition)
		return;
	fprintf(stderr, "violated: %s: %s\n", what, item);
	abort();
}

/* The item as one would write it. */
static void write_item(FILE *out, const struct parameter_choice *choice)
{
	if (choice->key[0])
		fprintf(out, "%s:", choice->key);
	if (choice->set) {
		fprintf(out, "%s", choice->set->name);
		return;
	}
	fprintf(out, "%s(", choice->pattern);
	for (uint32_t i = 0; i < choice->part_count; i++) {
		const struct parameter_part *part = &choice->part[i];

		fprintf(out, "%s", i ? " " : "");
		if (part->base == BASE_PLACE)
			fprintf(out, "%u", part->place);
		else
			fprintf(out, "%s",
				part->base == BASE_THIS     ? "this"
				: part->base == BASE_RESULT ? "result"
							    : part->name);
		for (uint32_t s = 0; s < part->step_count; s++)
			fprintf(out, ".%s%s", part->step[s].name,
				part->step[s].getter ? "()" : "");
	}
	fprintf(out, "):%s", value_keep_word(choice->keep));
}

static void check_choice(const struct parameter_choice *choice, const char *item)
{
	if (choice->set)
		return;
	require(choice->pattern[0] && !strpbrk(choice->pattern, "() "), "it has a pattern",
		item);
	require(choice->part_count >= 1 && choice->part_count <= PARAMETER_PARTS,
		"it has parts", item);
	for (uint32_t i = 0; i < choice->part_count; i++) {
		const struct parameter_part *part = &choice->part[i];

		require(part->step_count <= PARAMETER_STEPS, "its steps are few", item);
		require(part->place < PARAMETER_PLACES, "its place is one", item);
		require((part->base == BASE_NAME) == (part->name[0] != '\0'), "it has a name",
			item);
		require(part->base != BASE_RESULT || choice->part_count == 1,
			"a result is alone", item);
		for (uint32_t s = 0; s < part->step_count; s++)
			require(part->step[s].name[0], "a step has a name", item);
	}
}

/* A tag in a list with another one. */
static void check_in_list(const struct parameter_choice *choice, char *item)
{
	char *all[] = {"user:a.b(0):hash", item};
	struct pattern_list list = {.pattern = all, .count = 2};
	const char *clash = parameter_choice_clashes(choice, &list);

	require((clash != NULL) == (strcmp(choice->key, "user") == 0 &&
					   (choice->set || choice->keep != KEEP_HASH)),
		"it clashes with what is kept otherwise", item);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	static struct parameter_choice choice, again;
	bool tag = size > 0 && bytes[0] % 2;
	char *item = size > 0 ? strndup((const char *)bytes + 1, size - 1) : NULL;
	char *written[2];
	size_t length;

	if (item && parameter_choice_read(item, tag, &choice) == NULL) {
		check_choice(&choice, item);
		if (tag)
			check_in_list(&choice, item);
		require(tag == (choice.key[0] != '\0'), "a tag has a key", item);
		for (int i = 0; i < 2; i++) {
			FILE *out = open_memstream(&written[i], &length);

			if (!out)
				abort();
			write_item(out, i ? &again : &choice);
			fclose(out);
			if (i == 0)
				require(parameter_choice_read(written[0], tag, &again) == NULL,
					"what was read can be written", item);
		}
		require(strcmp(written[0], written[1]) == 0, "it is the same again", item);
		free(written[0]);
		free(written[1]);
	}
	free(item);
	return 0;
}

/* ---- mutations ---- */

static const char *const words[] = {"(", ")", ".", ":", " ", "()", "this", "result", "0", "254",
	"255", "jdbc", "http", "hash", "plain", "auto", "shape", "route", "user:", "a.b(0)",
	NULL};

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed)
{
	return text_mutate(data, size, max_size, 1, words, seed);
}

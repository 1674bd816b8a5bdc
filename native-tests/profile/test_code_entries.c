/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* Machine code in a profile: written and read, found by address and time, refused where it cannot be. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fixture.h"
#include "profile/code_index.h"

enum { A = METHOD_FIRST, B, NO_ROW = 9 };
#define MS UINT64_C(1000000)

/* B at line 7 is inlined into the code's own method at line 40: up to 16 it is line 40, up to 32 B's line 9. */
static const struct code_frame frames[] = {{0}, {0, 40, B}};
static const struct code_place some[] = {{16, 0, 40}, {32, 1, 9}};

static const struct profile_code rows[] = {
	{.id = 1, .name = "Interpreter", .address = 1000, .size = 1000},
	{.id = 2, .name = "iload", .address = 1200, .size = 50},
	{.id = 3, .method = A, .level = 3, .address = 5000, .size = 64, .unloaded = 500 * MS},
	{.id = 4, .method = B, .level = 4, .address = 5016, .size = 100, .loaded = 700 * MS},
	{.id = 5, .method = A, .level = 4, .address = 6000, .size = 64, .loaded = 5000 * MS},
	{.id = 6, .method = B, .address = UINT64_MAX - 100, .size = 100},
};

static const uint8_t instructions[64] = {0x90, 0, 0xc3};

static const char *write_rows(void)
{
	const char *path = fixture_path("code.jprof");
	const struct code_places places = {
		(struct code_frame *)frames, (struct code_place *)some, 2, 2};
	struct profile_writer *writer;
	struct error error = {0};
	size_t size;
	uint8_t *bytes = code_places_encode(&places, &size);

	profile_create(&writer, path, fixture_metrics, FIXTURE_METRICS, NULL, &error);
	profile_begin(writer, &error);
	for (uint32_t i = 0; i < 2; i++)
		profile_put(writer,
			(&(struct profile_method){.id = A + i,
				.class_name = "acme.X",
				.name = i ? "b" : "a",
				.signature = "()V"}),
			&error);
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct profile_code code = rows[i];

		if (code.id == 3 || code.id == 5)
			code.places = (struct profile_bytes){bytes, size};
		profile_put(writer, &code, &error);
	}
	profile_put(writer,
		(&(struct profile_machine_code){3, {instructions, sizeof instructions}}),
		&error);
	/* Once more, as when it changed: the instructions stay as they were. */
	profile_put(writer, (&(struct profile_machine_code){3, {NULL, 0}}), &error);
	profile_commit(writer, &error);
	profile_close(writer, &error);
	free(bytes);
	assert_string_equal(error.text, "");
	return path;
}

static struct profile *read_rows(const char *path, struct error *error)
{
	const struct profile_wanted wanted = {.code = true, .machine_code = true};
	struct profile *profile;

	profile_open_wanted(&profile, path, &wanted, error);
	return profile;
}

static void round_trip(void **state)
{
	struct error error = {0};
	struct profile *profile = read_rows(write_rows(), &error), *without;

	assert_string_equal(error.text, "");
	assert_int_equal(profile->code_count, sizeof rows / sizeof rows[0]);
	for (size_t i = 0; i < profile->code_count; i++) {
		const struct profile_code *code = &profile->code[i];

		assert_int_equal(code->id, rows[i].id);
		assert_int_equal(code->method, rows[i].method);
		assert_int_equal(code->level, rows[i].level);
		assert_true(code->address == rows[i].address && code->size == rows[i].size);
		assert_true(code->loaded == rows[i].loaded);
		assert_true(code->unloaded == rows[i].unloaded);
		if (rows[i].name)
			assert_string_equal(code->name, rows[i].name);
		else
			assert_null(code->name);
	}
	assert_int_equal(profile->machine_code_count, 1);
	assert_int_equal(profile->machine_code[0].id, 3);
	assert_int_equal(profile->machine_code[0].bytes.size, sizeof instructions);
	assert_memory_equal(
		profile->machine_code[0].bytes.bytes, instructions, sizeof instructions);
	profile_free(profile);
	assert_int_equal(profile_open(&without, fixture_path("code.jprof"), &error), 0);
	assert_int_equal(without->code_count, 0);
	profile_free(without);
}

/* What an address was then: the code's name, and the stack of methods there. */
static void found(void **state)
{
	static const struct {
		int line;
		uint64_t address, time;
		const char *answer;
	} asked[] = {
		{__LINE__, 999, 0, "-"},
		{__LINE__, 1000, 0, "Interpreter"},
		{__LINE__, 1210, 9, "iload"},
		{__LINE__, 1250, 9, "Interpreter"},
		{__LINE__, 2000, 9, "-"},
		{__LINE__, 5000, 0, "acme.X.a: 2:40"},
		{__LINE__, 5016, 499 * MS, "acme.X.a: 2:40"},
		{__LINE__, 5017, 499 * MS, "acme.X.a: 3:9 < 2:40"},
		/* Behind the last place. */
		{__LINE__, 5033, 499 * MS, "acme.X.a: 2:0"},
		/* Unloaded; and the next one there, that the JVM will tell of soon. */
		{__LINE__, 5000, 500 * MS, "-"},
		{__LINE__, 5020, 500 * MS, "acme.X.b: 3:0"},
		{__LINE__, 5020, 800 * MS, "acme.X.b: 3:0"},
		{__LINE__, 6000, 3000 * MS, "-"},
		{__LINE__, 6000, 4500 * MS, "acme.X.a: 2:40"},
		{__LINE__, UINT64_MAX - 1, 0, "acme.X.b: 3:0"},
		{__LINE__, UINT64_MAX, 0, "-"},
	};
	struct error error = {0};
	struct profile *profile = read_rows(write_rows(), &error);
	struct code_index *index = code_index_create(profile);

	for (size_t i = 0; i < sizeof asked / sizeof asked[0]; i++) {
		const struct profile_code *code =
			code_index_find(index, asked[i].address, asked[i].time);
		struct code_position stack[4];
		unsigned depth = code ? code_index_stack(code, asked[i].address, stack, 4) : 0;
		char *name = code ? code_index_name(index, code) : strdup("-"), text[200];
		size_t used = (size_t)snprintf(text, sizeof text, "%s", name);

		for (unsigned j = 0; j < depth; j++)
			used += (size_t)snprintf(text + used, sizeof text - used, "%s%u:%u",
				j ? " < " : ": ", stack[j].method, stack[j].line);
		if (strcmp(text, asked[i].answer) != 0)
			fail_msg("row of line %d: %s", asked[i].line, text);
		free(name);
	}
	code_index_destroy(index);
	code_index_destroy(NULL);
	profile_free(profile);
}

static void damaged(void **state)
{
	static const struct {
		int line;
		const char *sql, *result;
	} changes[] = {
		{__LINE__, "UPDATE code SET method = 77 WHERE id = 3",
			"is damaged: code 3 is impossible"},
		{__LINE__, "UPDATE code SET level = 5 WHERE id = 3",
			"is damaged: code 3 is impossible"},
		{__LINE__, "UPDATE code SET size = 0 WHERE id = 1",
			"is damaged: code 1 is impossible"},
		{__LINE__, "UPDATE code SET size = -1 WHERE id = 3",
			"is damaged: code 3 is impossible"},
		{__LINE__, "UPDATE code SET unloaded = 1, loaded = 2 WHERE id = 3",
			"is damaged: code 3 is impossible"},
		{__LINE__, "UPDATE code SET places = x'01' WHERE id = 3",
			"is damaged: code 3 has impossible places"},
		/* A frame's method is 77; a place behind the code. */
		{__LINE__, "UPDATE code SET places = x'0101009a01' WHERE id = 3",
			"is damaged: code 3 has impossible places"},
		{__LINE__, "UPDATE code SET places = x'00840102' WHERE id = 3",
			"is damaged: code 3 has impossible places"},
		{__LINE__, "UPDATE code SET id = 0 WHERE id = 3",
			"is damaged: code id out of range"},
		{__LINE__, "UPDATE machine_code SET id = 99",
			"is damaged: instructions of code 99, which has none"},
		{__LINE__, "UPDATE machine_code SET bytes = zeroblob(65)",
			"is damaged: instructions of code 3, which has none"},
		{__LINE__, "DROP TABLE code", "is damaged: no table 'code'"},
	};

	for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
		const char *path = write_rows();
		struct error error = {0};
		struct profile *profile;

		fixture_sql(path, changes[i].sql, NULL, 0);
		profile = read_rows(path, &error);
		if (profile || !strstr(error.text, changes[i].result))
			fail_msg("row of line %d: %s", changes[i].line, error.text);
	}
}

static int clean(void **state)
{
	fixture_clean();
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(round_trip),
		cmocka_unit_test(found),
		cmocka_unit_test(damaged),
	};

	return cmocka_run_group_tests(tests, NULL, clean);
}

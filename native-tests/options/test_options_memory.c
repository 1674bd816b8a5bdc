/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * The n-th allocation fails, n = 0, 1, 2... until all succeed: every failure is told, and
 * leaves nothing behind. The linker's --wrap puts the functions here before the C
 * library's, for jansson too.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "options/options.h"

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *block, size_t size);
char *__real_strdup(const char *text);
char *__real_strndup(const char *text, size_t length);
void __real_free(void *block);

static long until_failure = -1; /* allocations that still succeed; below 0: all */
static bool refused;

/* The blocks that were allocated here and not freed. Blocks of the C library's own, as
 * open_memstream gives them, are freed here too, and not counted. */
static void *blocks[4096];
static size_t block_count;

static void forget(const void *block)
{
	for (size_t i = 0; i < block_count; i++)
		if (blocks[i] == block) {
			blocks[i] = blocks[--block_count];
			return;
		}
}

static void *keep(void *block)
{
	if (block && block_count < sizeof(blocks) / sizeof(blocks[0]))
		blocks[block_count++] = block;
	return block;
}

static bool is_refused(void)
{
	if (until_failure > 0)
		until_failure--;
	else if (until_failure == 0)
		return refused = true;
	return false;
}

void *__wrap_malloc(size_t size)
{
	return is_refused() ? NULL : keep(__real_malloc(size));
}

void *__wrap_calloc(size_t count, size_t size)
{
	return is_refused() ? NULL : keep(__real_calloc(count, size));
}

void *__wrap_realloc(void *block, size_t size)
{
	if (is_refused())
		return NULL;
	forget(block);
	return keep(__real_realloc(block, size));
}

char *__wrap_strdup(const char *text)
{
	return is_refused() ? NULL : keep(__real_strdup(text));
}

char *__wrap_strndup(const char *text, size_t length)
{
	return is_refused() ? NULL : keep(__real_strndup(text, length));
}

void __wrap_free(void *block)
{
	forget(block);
	__real_free(block);
}

/* jansson takes some of its failed allocations for bad syntax (2.14: lex_scan_string). */
static bool is_memory_failure(const struct error *error)
{
	return error->code == ERROR_MEMORY ||
	       (error->code == ERROR_FORMAT && strstr(error->text, "not JSON in line"));
}

/* Runs `job` with one allocation more each time, from none, until it is refused none;
 * every run before must fail for want of memory, and free what it took. At least `least`
 * runs must fail: else the job does not do what the test thinks. */
static void run_short_of_memory(int (*job)(struct error *error), long least)
{
	for (long n = 0; n < 10000; n++) {
		struct error error = {0};
		size_t before = block_count;
		refused = false;
		until_failure = n;
		int failed = job(&error);
		until_failure = -1;
		if (block_count != before)
			fail_msg("allocation %ld: %zu blocks left", n, block_count - before);
		if (!refused) {
			assert_int_equal(failed, 0);
			if (n < least)
				fail_msg("only %ld allocations", n);
			return;
		}
		if (failed != -(int)error.code || !is_memory_failure(&error))
			fail_msg("allocation %ld: %d '%s'", n, failed, error.text);
	}
	fail_msg("never succeeds");
}

static int parse_string(struct error *error)
{
	struct options options;
	int failed = options_parse(&options,
		"file=a\\,b,metrics=wall+cpu,include=a.*,include=b.*,threads=x,io=off", error);
	options_fini(&options);
	return failed;
}

static char config_string[] = "io=off,config=/tmp/jprof-memory-XXXXXX";

static int parse_config(struct error *error)
{
	struct options options;
	int failed = options_parse(&options, config_string, error);
	options_fini(&options);
	return failed;
}

static int refuse_config(struct error *error)
{
	struct options options;
	int failed = options_parse(&options, config_string, error);
	options_fini(&options);
	return failed == -ERROR_VALUE || failed == -ERROR_USAGE ? 0 : failed;
}

static int append_words(struct error *error)
{
	char *string = NULL;
	int failed = options_append(&string, "file", "a,b", error);
	if (!failed)
		failed = options_append(&string, "include", "a.*+b.*", error);
	free(string);
	return failed;
}

static struct options written;

static int write_json(struct error *error)
{
	char *json = options_to_json(&written, 2);
	if (!json)
		return error_set(error, ERROR_MEMORY, "none");
	free(json);
	return 0;
}

static int override_by(const char *text, struct error *error)
{
	struct options options;
	int failed = options_override(&options, &written, text, error);
	options_fini(&options);
	return failed;
}

static int override_by_string(struct error *error)
{
	return override_by("file=a\\,b,threads=x+#5", error);
}

static int override_by_json(struct error *error)
{
	return override_by("{\"file\": \"a\", \"threads\": [\"x\"]}", error);
}

static int write_given(struct error *error)
{
	char *json = options_given_json("file=a,include=b+c,flush=5", error);
	free(json);
	return json ? 0 : -(int)error->code;
}

/* All of the schema, or nothing. */
static int print_schema(struct error *error)
{
	static char text[65536];
	FILE *out = fmemopen(text, sizeof(text), "w");
	assert_non_null(out);
	memset(text, 0, sizeof(text));
	options_schema(out);
	assert_int_equal(fclose(out), 0);
	if (!text[0])
		return error_set(error, ERROR_MEMORY, "none");
	assert_non_null(strstr(text, "\n}\n"));
	return 0;
}

static void the_string_needs_memory(void **state)
{
	run_short_of_memory(parse_string, 20);
}

static void appending_needs_memory(void **state)
{
	run_short_of_memory(append_words, 8);
}

static void writing_needs_memory(void **state)
{
	assert_int_equal(options_parse(&written, "threads=a+b", NULL), 0);
	run_short_of_memory(write_json, 30);
	options_fini(&written);
}

static void sessions_need_memory(void **state)
{
	assert_int_equal(options_parse(&written, "file=f,include=a+b,scope=s", NULL), 0);
	run_short_of_memory(override_by_string, 20);
	run_short_of_memory(override_by_json, 25);
	options_fini(&written);
	run_short_of_memory(write_given, 20);
}

static void the_schema_needs_memory(void **state)
{
	run_short_of_memory(print_schema, 300);
}

static const struct {
	int line;
	const char *text;
	int (*job)(struct error *error);
	long least;
} configs[] = {
	{__LINE__,
		"{\"file\": \"caf\xc3\xa9\", \"metrics\": [\"cpu\", \"a\"],"
		" \"flush\": 5}",
		parse_config, 30},
	{__LINE__, "{\"include\": \"a+b\", \"start\": true}", parse_config, 20},
	{__LINE__, "{\"io\": {\"a\": [1, 2]}}", refuse_config, 20},
	{__LINE__, "{\"oi\": 1}", refuse_config, 10},
};

static void the_file_needs_memory(void **state)
{
	char *path = strchr(config_string, '/');
	int descriptor = mkstemp(path);
	assert_true(descriptor >= 0);
	for (size_t i = 0; i < sizeof(configs) / sizeof(configs[0]); i++) {
		size_t size = strlen(configs[i].text);
		assert_int_equal(ftruncate(descriptor, 0), 0);
		assert_int_equal(pwrite(descriptor, configs[i].text, size, 0), size);
		print_message("row of line %d\n", configs[i].line);
		run_short_of_memory(configs[i].job, configs[i].least);
	}
	close(descriptor);
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_string_needs_memory),
		cmocka_unit_test(appending_needs_memory),
		cmocka_unit_test(writing_needs_memory),
		cmocka_unit_test(the_file_needs_memory),
		cmocka_unit_test(sessions_need_memory),
		cmocka_unit_test(the_schema_needs_memory),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

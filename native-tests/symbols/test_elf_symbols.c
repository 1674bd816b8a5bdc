/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* Names of a library that has its symbols, that has been stripped, and whose symbols are in a file
 * beside it; addresses of this program, whose functions know where they are. */
#include <dlfcn.h>
#include <link.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "native-tests/test_folder.h"
#include "symbols/elf_symbols.h"

static char folder[] = "/tmp/jprof-symbols-XXXXXX";

static void run(const char *format, ...)
{
	char command[4096];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(command, sizeof(command), format, arguments);
	va_end(arguments);
	assert_int_equal(system(command), 0);
}

static char *path_of(const char *name)
{
	static char path[512];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

static struct elf_symbols *open_good(const char *path)
{
	struct error error = {0};
	struct elf_symbols *symbols = elf_symbols_create(path, &error);

	if (!symbols)
		fail_msg("%s", error.text);
	return symbols;
}

static uint64_t address_of(const struct elf_symbols *symbols, const char *name)
{
	uint64_t address = 0;

	return elf_symbols_address(symbols, name, &address) ? address : 0;
}

static __attribute__((noinline)) int a_function_of_the_test(int x)
{
	__asm__ volatile("");
	return x + 1;
}

/* This program's own functions, static ones too, by what the processor calls. */
static void test_self(void **state)
{
	struct elf_symbols *symbols = open_good("/proc/self/exe");
	struct link_map *map;
	struct symbol_found found;
	uint64_t address;

	assert_int_equal(dlinfo(dlopen(NULL, RTLD_NOW), RTLD_DI_LINKMAP, &map), 0);
	address = (uintptr_t)a_function_of_the_test - map->l_addr;
	assert_true(elf_symbols_find(symbols, address, &found));
	assert_string_equal(found.name, "a_function_of_the_test");
	assert_int_equal(found.start, address);
	assert_true(elf_symbols_find(symbols, address + 1, &found));
	assert_string_equal(found.name, "a_function_of_the_test");
	assert_int_equal(address_of(symbols, "a_function_of_the_test"), address);
	assert_false(elf_symbols_find(symbols, 0, &found));
	assert_false(elf_symbols_find(symbols, UINT64_MAX, &found));
	elf_symbols_destroy(symbols);
}

static void test_library(void **state)
{
	struct elf_symbols *symbols = open_good(SYMBOLS_LIBRARY);
	void *library = dlopen(SYMBOLS_LIBRARY, RTLD_NOW);
	void *(*hidden_at)(void) = (void *(*)(void))dlsym(library, "library_hidden_at");
	struct link_map *map;
	struct symbol_found found;

	assert_int_equal(dlinfo(library, RTLD_DI_LINKMAP, &map), 0);
	assert_int_equal(
		address_of(symbols, "library_hidden"), (uintptr_t)hidden_at() - map->l_addr);
	/* Strong ones in front of weak ones, then in the order of the alphabet. */
	assert_true(elf_symbols_find(symbols, address_of(symbols, "library_weak"), &found));
	assert_string_equal(found.name, "library_alias");
	/* What it calls is not in it. */
	assert_int_equal(address_of(symbols, "__cxa_finalize"), 0);
	dlclose(library);
	elf_symbols_destroy(symbols);
}

/* Its dynamic symbols alone. */
static void test_stripped(void **state)
{
	struct elf_symbols *symbols;

	run("'%s' --strip-all '%s' %s/alone.so", OBJCOPY, SYMBOLS_LIBRARY, folder);
	symbols = open_good(path_of("alone.so"));
	assert_int_not_equal(address_of(symbols, "library_shown"), 0);
	assert_int_equal(address_of(symbols, "library_hidden"), 0);
	elf_symbols_destroy(symbols);
}

/* Beside it, and in .debug; by its build id and by its sum; not one that is another's. */
static void test_debug_file(void **state)
{
	static const char *const places[] = {".", ".debug"};
	static const char *const ids[] = {"", "--remove-section=.note.gnu.build-id"};
	struct elf_symbols *symbols;

	for (int i = 0; i < 4; i++) {
		run("cd %s && mkdir -p .debug && '%s' %s '%s' whole.so && '%s' "
		    "--only-keep-debug "
		    "whole.so"
		    " %s/l.debug && '%s' --strip-all --add-gnu-debuglink=%s/l.debug whole.so "
		    "l.so",
			folder, OBJCOPY, ids[i / 2], SYMBOLS_LIBRARY, OBJCOPY, places[i % 2],
			OBJCOPY, places[i % 2]);
		symbols = open_good(path_of("l.so"));
		assert_int_not_equal(address_of(symbols, "library_hidden"), 0);
		elf_symbols_destroy(symbols);

		/* Another build of it. */
		run("cd %s && '%s' --only-keep-debug /proc/%d/exe %s/l.debug", folder, OBJCOPY,
			(int)getpid(), places[i % 2]);
		symbols = open_good(path_of("l.so"));
		assert_int_equal(address_of(symbols, "a_function_of_the_test"), 0);
		assert_int_equal(address_of(symbols, "library_hidden"), 0);
		elf_symbols_destroy(symbols);
		run("rm %s/%s/l.debug", folder, places[i % 2]);
	}
}

static void refused(const char *path, const char *why)
{
	struct error error = {0};

	assert_null(elf_symbols_create(path, &error));
	if (!strstr(error.text, why))
		fail_msg("'%s', not '%s'", error.text, why);
}

static void test_refused(void **state)
{
	refused(path_of("none"), "No such file");
	refused(folder, "not a regular file");
	refused("/dev/zero", "not a regular file");
	refused("/etc/passwd", "not a program or library");
	assert_int_equal(mkfifo(path_of("pipe"), 0600), 0);
	refused(path_of("pipe"), "not a regular file");
	run(": >%s/nothing", folder);
	refused(path_of("nothing"), "not a program or library");
	/* Without its end, where the table of sections is. */
	run("head -c 5000 '%s' >%s/half", SYMBOLS_LIBRARY, folder);
	refused(path_of("half"), "not a program or library");
	elf_symbols_destroy(NULL);
}

static int begin(void **state)
{
	return test_folder_make(folder);
}

static int end(void **state)
{
	return test_folder_remove(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_self),
		cmocka_unit_test(test_library),
		cmocka_unit_test(test_stripped),
		cmocka_unit_test(test_debug_file),
		cmocka_unit_test(test_refused),
	};
	return cmocka_run_group_tests(tests, begin, end);
}

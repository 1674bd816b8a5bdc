/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* Lines as /proc/kallsyms has them, and those of this machine. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "symbols/kernel_symbols.h"

static int read_text(const char *text, struct kernel_symbols **symbols, struct error *error)
{
	char path[] = "/tmp/jprof-kallsyms-XXXXXX";
	int file = mkstemp(path), result;

	assert_true(file >= 0);
	assert_int_equal(write(file, text, strlen(text)), (ssize_t)strlen(text));
	close(file);
	result = kernel_symbols_create(symbols, path, error);
	unlink(path);
	return result;
}

static void expect(const struct kernel_symbols *symbols, uint64_t address, const char *name,
	const char *module)
{
	struct kernel_found found;

	assert_true(kernel_symbols_find(symbols, address, &found));
	assert_string_equal(found.name, name);
	assert_string_equal(found.module, module);
	assert_true(found.start <= address);
}

static void test_lines(void **state)
{
	struct kernel_symbols *symbols;
	struct kernel_found found;
	struct error error = {0};

	assert_int_equal(read_text("0000000000000000 A fixed_percpu_data\n"
				   "ffffffff81000000 T _stext\n"
				   "ffffffff81000000 t local\n"
				   "ffffffff81000100 W weak\n"
				   "ffffffff81000180 D data\n"
				   "ffffffff81000200 t last\n"
				   "not a line\n\n"
				   "ffffffffc0001000 t ext4_open\t[ext4]\n"
				   "ffffffffc0002000 t bpf_prog_1\t[bpf]",
				 &symbols, &error),
		0);
	assert_int_equal(kernel_symbols_count(symbols), 6);
	expect(symbols, 0xffffffff81000000, "_stext", "[kernel]");
	expect(symbols, 0xffffffff810000ff, "_stext", "[kernel]");
	expect(symbols, 0xffffffff810001ff, "weak", "[kernel]");
	expect(symbols, 0xffffffff81000200, "last", "[kernel]");
	expect(symbols, 0xffffffffc0001fff, "ext4_open", "[ext4]");
	expect(symbols, 0xffffffffc0002000, "bpf_prog_1", "[bpf]");
	assert_false(kernel_symbols_find(symbols, 0xffffffff80ffffff, &found));
	kernel_symbols_destroy(symbols);
}

static void test_refused(void **state)
{
	struct kernel_symbols *symbols;
	struct error error = {0};

	assert_int_equal(read_text("0000000000000000 T _stext\n0000000000000000 t local\n",
				 &symbols, &error),
		-ERROR_DENIED);
	assert_null(symbols);
	assert_non_null(strstr(error.text, "kptr_restrict"));
	assert_int_equal(read_text("", &symbols, NULL), -ERROR_DENIED);
	assert_int_equal(kernel_symbols_create(&symbols, "/none", NULL), -ERROR_IO);
	assert_int_equal(kernel_symbols_create(&symbols, "/", NULL), -ERROR_IO);
	assert_null(symbols);
	kernel_symbols_destroy(NULL);
}

/* Whatever this machine shows. */
static void test_here(void **state)
{
	struct kernel_symbols *symbols;
	struct error error = {0};
	int result = kernel_symbols_create(&symbols, NULL, &error);

	if (result != 0) {
		print_message("%s\n", error.text);
		assert_null(symbols);
		return;
	}
	print_message("%zu symbols, %zu KB\n", kernel_symbols_count(symbols),
		kernel_symbols_bytes(symbols) / 1024);
	kernel_symbols_destroy(symbols);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_here),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

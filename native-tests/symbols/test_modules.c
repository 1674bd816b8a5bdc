/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* Each library is found by its functions' addresses, as dladdr(3) knows them. */
#include <dlfcn.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>
#include <cmocka.h>

#include "symbols/modules.h"

static void check_frames(const struct module *module)
{
	assert_non_null(module->frame_header);
	assert_true(module->frame_header >= module->readable);
	assert_true(module->frame_header + module->frame_header_size <= module->readable_end);
	assert_int_equal(module->frame_header[0], 1);
}

static void test_found(void **state)
{
	struct modules *modules = modules_read();
	const struct module *module = modules_find(modules, (uintptr_t)test_found);
	char path[PATH_MAX] = "";
	Dl_info info;

	assert_non_null(module);
	assert_true(readlink("/proc/self/exe", path, sizeof(path) - 1) > 0);
	assert_string_equal(module->path, path);
	check_frames(module);

	module = modules_find(modules, (uintptr_t)dlsym(RTLD_DEFAULT, "gnu_get_libc_version"));
	assert_non_null(module);
	assert_true(dladdr(dlsym(RTLD_DEFAULT, "gnu_get_libc_version"), &info) != 0);
	assert_string_equal(module->path, info.dli_fname);
	assert_int_equal(module->bias, (uintptr_t)info.dli_fbase);
	check_frames(module);

	assert_null(modules_find(modules, 0));
	assert_null(modules_find(modules, UINTPTR_MAX));
	assert_null(modules_find(modules, (uintptr_t)&module));
	for (size_t i = 0; i < modules->count; i++) {
		module = &modules->module[i];
		assert_true(module->begin < module->end);
		assert_true(i == 0 || module->begin >= module[-1].end);
		assert_ptr_equal(modules_find(modules, module->begin), module);
		assert_ptr_equal(modules_find(modules, module->end - 1), module);
		assert_ptr_not_equal(modules_find(modules, module->end), module);
	}
	modules_destroy(modules);
	modules_destroy(NULL);
}

static void test_vdso(void **state)
{
	struct modules *modules = modules_read();
	unsigned found = 0;

	if (getauxval(AT_SYSINFO_EHDR) == 0)
		skip();
	for (size_t i = 0; i < modules->count; i++) {
		const struct module *module = &modules->module[i];

		if (strcmp(module->path, "[vdso]") != 0)
			continue;
		found++;
		assert_int_equal(module->bias, getauxval(AT_SYSINFO_EHDR));
	}
	assert_int_equal(found, 1);
	modules_destroy(modules);
}

static void test_changes(void **state)
{
	struct modules *before = modules_read(), *with, *after;
	const struct module *module;
	uintptr_t address;
	void *library;

	assert_false(modules_changed(before));
	library = dlopen(SYMBOLS_LIBRARY, RTLD_NOW);
	assert_non_null(library);
	assert_true(modules_changed(before));
	with = modules_read();
	assert_false(modules_changed(with));
	address = (uintptr_t)dlsym(library, "library_shown");
	assert_null(modules_find(before, address));
	module = modules_find(with, address);
	assert_non_null(module);
	assert_string_equal(module->path, SYMBOLS_LIBRARY);
	check_frames(module);
	dlclose(library);
	assert_true(modules_changed(with));
	after = modules_read();
	assert_null(modules_find(after, address));
	assert_int_equal(after->count, before->count);
	modules_destroy(before);
	modules_destroy(with);
	modules_destroy(after);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_found),
		cmocka_unit_test(test_vdso),
		cmocka_unit_test(test_changes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

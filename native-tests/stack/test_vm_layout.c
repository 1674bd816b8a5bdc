/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* vm_layout: read from tables as several JDKs have them, and from those in which something is missing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "native-tests/stack/fake_jvm.h"

static const char *read_layout(struct vm_layout *layout, unsigned java)
{
	static struct error error;

	error = (struct error){0};
	if (vm_layout_read(layout, fake_symbol, java, &error) == 0)
		return "";
	assert_int_equal(error.code, ERROR_MISSING);
	return error.text;
}

static struct fake_row *row_of(const char *type, const char *field)
{
	struct fake_row *row = fake_jvm_rows();

	while (row->type && (strcmp(row->type, type) != 0 || strcmp(row->field, field) != 0))
		row++;
	return row->type ? row : NULL;
}

static void test_forms(void **state)
{
	struct fake_jvm *jvm = fake_jvm_create(FAKE_17);
	const struct vm_layout *layout = &jvm->layout;

	assert_false(layout->frame_complete_is_short);
	assert_int_equal(layout->number_base, 0);
	assert_true(layout->blob_code_begin != VM_NONE && layout->blob_code_offset == VM_NONE);
	assert_true(layout->nmethod_entry != VM_NONE);
	assert_true(layout->nmethod_immutable == VM_NONE);
	assert_int_equal(
		layout->nmethod_pcs_end, row_of("nmethod", "_dependencies_offset")->offset);
	assert_int_equal(layout->entry_frame_wrapper, -6);
	assert_ptr_equal(layout->code_heaps, row_of("CodeCache", "_heaps")->address);
	assert_null(layout->continuation_return);
	assert_int_equal(layout->block_header, 16);
	fake_jvm_destroy(jvm);

	jvm = fake_jvm_create(FAKE_23);
	layout = &jvm->layout;
	assert_false(layout->frame_complete_is_short);
	assert_int_equal(layout->number_base, 1);
	assert_true(layout->nmethod_scopes == VM_NONE);
	assert_int_equal(layout->nmethod_pcs_end, layout->nmethod_scopes_offset);
	assert_true(layout->blob_mutable_data == VM_NONE);
	fake_jvm_destroy(jvm);

	jvm = fake_jvm_create(FAKE_25);
	layout = &jvm->layout;
	assert_true(layout->frame_complete_is_short);
	assert_true(layout->blob_mutable_data != VM_NONE);
	assert_true(layout->nmethod_metadata_offset == VM_NONE);
	fake_jvm_destroy(jvm);
}

/* What is said where another thing than the row itself is missed; "": nothing is. */
static const struct {
	const char *type, *field, *said;
} others[] = {
	{"CodeBlob", "_code_begin", "this JVM does not tell where the code of a piece begins"},
	{"CodeBlob", "_code_offset", "this JVM does not tell where the code of a piece begins"},
	{"CodeBlob", "_data_offset", ""},
	{"CodeBlob", "_mutable_data", "this JVM does not tell the methods of compiled code"},
	{"CodeBlob", "_relocation_size", ""},
	{"CompiledMethod", "_method", "this JVM does not tell where nmethod::_method is"},
	{"CompiledMethod", "_scopes_data_begin",
		"this JVM does not tell what compiled code was made of"},
	{"CompiledMethod", "_deopt_handler_begin", ""},
	{"CompiledMethod", "_deopt_mh_handler_begin", ""},
	{"nmethod", "_verified_entry_point",
		"this JVM does not tell where a compiled method is entered"},
	{"nmethod", "_verified_entry_offset",
		"this JVM does not tell where a compiled method is entered"},
	{"nmethod", "_scopes_data_offset",
		"this JVM does not tell what compiled code was made of"},
	{"nmethod", "_dependencies_offset",
		"this JVM does not tell how much is said of compiled code"},
	{"nmethod", "_metadata_offset", "this JVM does not tell the methods of compiled code"},
	{"nmethod", "_compile_id", ""},
	{"nmethod", "_deopt_handler_offset", ""},
	{"nmethod", "_deopt_mh_handler_offset", ""},
	{"nmethod", "_immutable_data",
		"this JVM does not tell how much is said of compiled code"},
	{"ConstMethod", "_flags", "this JVM does not tell where ConstMethod::_flags._flags is"},
	{"ConstantPool", "_source_file_name_index", ""},
	{"JavaThread", "_vframe_array_head", ""},
	{"JavaThread", "_osthread", "this JVM does not tell where Thread::_osthread is"},
};

/* Each row taken out in turn: what is missing is named, unless it can be done without. */
static void test_missing(void **state)
{
	for (int form = 0; form < FAKE_FORMS; form++) {
		struct fake_jvm *jvm = fake_jvm_create((enum fake_form)form);

		for (struct fake_row *row = fake_jvm_rows(); row->type; row++) {
			struct fake_row kept = *row;
			char expected[200];
			const char *said;
			struct vm_layout layout;

			snprintf(expected, sizeof(expected),
				"this JVM does not tell where %s::%s is", row->type,
				row->field);
			for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
				if (strcmp(others[i].type, row->type) == 0 &&
					strcmp(others[i].field, row->field) == 0)
					snprintf(expected, sizeof(expected), "%s",
						others[i].said);
			row->field = "_of_another_name";
			said = read_layout(&layout, fake_jvm_java((enum fake_form)form));
			if (strcmp(said, expected) != 0)
				fail_msg("form %d without %s::%s: '%s'", form, kept.type,
					kept.field, said);
			*row = kept;
		}
		fake_jvm_destroy(jvm);
	}
}

/* A JVM may have a field in two forms: that of the first row in vm_layout.c counts. */
static void test_first(void **state)
{
	struct fake_jvm *jvm = fake_jvm_create(FAKE_25);
	struct fake_row *row = fake_jvm_rows();
	struct vm_layout layout;

	while (row->type)
		row++;
	row[0] = (struct fake_row){"CompiledMethod", "_method", "Method*", 0, 1000, NULL};
	row[1] = (struct fake_row){"ConstMethod", "_flags", "u2", 0, 1002, NULL};
	row[2] = (struct fake_row){"CodeBlob", "_name", "char*", 0, 1004, NULL};
	row[3] = (struct fake_row){0};
	assert_string_equal(read_layout(&layout, 25), "");
	assert_int_equal(layout.nmethod_method, 1000);
	assert_int_equal(layout.const_flags, 1002);
	/* Of the JVM's rows of one name the first. */
	assert_int_equal(layout.blob_name, 0);
	/* A row without a field's name is none. */
	row[0] = (struct fake_row){"CompiledMethod", NULL, "Method*", 0, 1000, NULL};
	assert_string_equal(read_layout(&layout, 25), "");
	assert_true(layout.nmethod_method != 1000);
	fake_jvm_destroy(jvm);
}

static const char *hidden;

static void *symbol_but_one(const char *name)
{
	return strcmp(name, hidden) == 0 ? NULL : fake_symbol(name);
}

static void *no_symbol(const char *name)
{
	return NULL;
}

static void test_tables(void **state)
{
	struct fake_jvm *jvm = fake_jvm_create(FAKE_17);
	struct vm_layout layout;
	struct error error = {0};

	assert_int_equal(vm_layout_read(&layout, no_symbol, 17, &error), -ERROR_MISSING);
	assert_string_equal(error.text, "this JVM does not tell where CodeCache::_heaps is");
	hidden = "gHotSpotVMStructEntryArrayStride";
	assert_int_equal(vm_layout_read(&layout, symbol_but_one, 17, &error), -ERROR_MISSING);
	error = (struct error){0};
	hidden = "gHotSpotVMTypes";
	assert_int_equal(vm_layout_read(&layout, symbol_but_one, 17, &error), -ERROR_MISSING);
	assert_string_equal(error.text, "this JVM does not tell where HeapBlock::(its end) is");
	/* Those of aarch64 have no such constant. */
	hidden = "gHotSpotVMIntConstants";
	assert_int_equal(vm_layout_read(&layout, symbol_but_one, 20, &error), 0);
	assert_int_equal(layout.entry_frame_wrapper, -8);
	assert_int_equal(layout.number_base, 1);
	fake_jvm_destroy(jvm);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_forms),
		cmocka_unit_test(test_missing),
		cmocka_unit_test(test_first),
		cmocka_unit_test(test_tables),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

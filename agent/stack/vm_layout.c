/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* vm_layout: see vm_layout.h. */
#include "agent/stack/vm_layout.h"

#include <string.h>

enum field_form {
	FIELD_MEMBER, /* its offset */
	FIELD_STATIC, /* its address */
	FIELD_SIZE    /* of the type */
};

/* Where a field goes to. One that has rows for several JVMs is in the first that the JVM knows. */
static const struct field_row {
	const char *type, *field;
	enum field_form form;
	size_t to;
	bool optional;
} field_rows[] = {
#define MEMBER(type, field, to)                                                                \
	{                                                                                      \
		type, field, FIELD_MEMBER, offsetof(struct vm_layout, to), false               \
	}
#define MAYBE(type, field, to)                                                                 \
	{                                                                                      \
		type, field, FIELD_MEMBER, offsetof(struct vm_layout, to), true                \
	}
#define STATIC(type, field, to)                                                                \
	{                                                                                      \
		type, field, FIELD_STATIC, offsetof(struct vm_layout, to), false               \
	}
#define MAYBE_STATIC(type, field, to)                                                          \
	{                                                                                      \
		type, field, FIELD_STATIC, offsetof(struct vm_layout, to), true                \
	}
#define SIZE(type, to)                                                                         \
	{                                                                                      \
		type, NULL, FIELD_SIZE, offsetof(struct vm_layout, to), false                  \
	}
	STATIC("CodeCache", "_heaps", code_heaps),
	STATIC("CodeCache", "_low_bound", code_low),
	STATIC("CodeCache", "_high_bound", code_high),
	MEMBER("GrowableArrayBase", "_len", array_length),
	MEMBER("GrowableArray<int>", "_data", array_data),
	MEMBER("CodeHeap", "_memory", heap_memory),
	MEMBER("CodeHeap", "_segmap", heap_map),
	MEMBER("CodeHeap", "_log2_segment_size", heap_log2_segment),
	MEMBER("VirtualSpace", "_low", space_low),
	MEMBER("VirtualSpace", "_high", space_high),
	MEMBER("HeapBlock::Header", "_used", block_used),
	SIZE("HeapBlock", block_header),

	MEMBER("CodeBlob", "_name", blob_name),
	MEMBER("CodeBlob", "_size", blob_size),
	MEMBER("CodeBlob", "_frame_size", blob_frame_size),
	MEMBER("CodeBlob", "_frame_complete_offset", blob_frame_complete),
	MAYBE("CodeBlob", "_code_begin", blob_code_begin),
	MAYBE("CodeBlob", "_code_offset", blob_code_offset),
	MAYBE("CodeBlob", "_data_offset", blob_data_offset),
	MAYBE("CodeBlob", "_mutable_data", blob_mutable_data),
	MAYBE("CodeBlob", "_relocation_size", blob_relocation_size),

	MAYBE("CompiledMethod", "_method", nmethod_method),
	MEMBER("nmethod", "_method", nmethod_method),
	MEMBER("nmethod", "_comp_level", nmethod_level),
	MAYBE("nmethod", "_compile_id", nmethod_number),
	MEMBER("nmethod", "_orig_pc_offset", nmethod_original_pc),
	MEMBER("nmethod", "_state", nmethod_state),
	MAYBE("nmethod", "_verified_entry_point", nmethod_entry),
	MAYBE("nmethod", "_verified_entry_offset", nmethod_entry_offset),
	MAYBE("nmethod", "_immutable_data", nmethod_immutable),
	MEMBER("nmethod", "_scopes_pcs_offset", nmethod_pcs),
	MAYBE("CompiledMethod", "_scopes_data_begin", nmethod_scopes),
	MAYBE("nmethod", "_scopes_data_offset", nmethod_scopes_offset),
	MAYBE("nmethod", "_dependencies_offset", nmethod_pcs_end),
	MAYBE("nmethod", "_metadata_offset", nmethod_metadata_offset),
	MAYBE("CompiledMethod", "_deopt_handler_begin", nmethod_deopt),
	MAYBE("CompiledMethod", "_deopt_mh_handler_begin", nmethod_mh_deopt),
	MAYBE("nmethod", "_deopt_handler_offset", nmethod_deopt_offset),
	MAYBE("nmethod", "_deopt_mh_handler_offset", nmethod_mh_deopt_offset),

	MEMBER("Method", "_constMethod", method_const),
	MEMBER("Method", "_access_flags", method_flags),
	MEMBER("ConstMethod", "_constants", const_constants),
	MEMBER("ConstMethod", "_constMethod_size", const_size),
	MAYBE("ConstMethod", "_flags", const_flags),
	MEMBER("ConstMethod", "_flags._flags", const_flags),
	MEMBER("ConstMethod", "_code_size", const_code_size),
	MEMBER("ConstMethod", "_name_index", const_name),
	MEMBER("ConstMethod", "_signature_index", const_signature),
	SIZE("ConstMethod", const_bytes),
	MEMBER("ConstantPool", "_pool_holder", pool_holder),
	MAYBE("ConstantPool", "_source_file_name_index", pool_source_file),
	SIZE("ConstantPool", pool_bytes),
	MEMBER("Klass", "_name", klass_name),
	MEMBER("Symbol", "_length", symbol_length),
	MEMBER("Symbol", "_body", symbol_body),

	MEMBER("JavaThread", "_anchor", thread_anchor),
	MEMBER("JavaThread", "_stack_base", thread_stack_base),
	MEMBER("JavaThread", "_stack_size", thread_stack_size),
	MEMBER("JavaThread", "_thread_state", thread_state),
	MAYBE("JavaThread", "_vframe_array_head", thread_unpacking),
	MAYBE("JavaThread", "_osthread", thread_system),
	MEMBER("Thread", "_osthread", thread_system),
	MEMBER("OSThread", "_thread_id", system_id),
	MAYBE("OSThread", "_state", system_state),
	STATIC("ThreadsSMRSupport", "_java_thread_list", thread_list),
	MEMBER("ThreadsList", "_length", list_length),
	MEMBER("ThreadsList", "_threads", list_threads),
	MEMBER("JavaFrameAnchor", "_last_Java_sp", anchor_sp),
	MEMBER("JavaFrameAnchor", "_last_Java_pc", anchor_pc),
	MEMBER("JavaFrameAnchor", "_last_Java_fp", anchor_fp),
	MEMBER("JavaCallWrapper", "_anchor", call_wrapper_anchor),
	STATIC("StubRoutines", "_call_stub_return_address", call_stub_return),
	MAYBE_STATIC("ContinuationEntry", "_return_pc", continuation_return),
	MAYBE("JavaThread", "_cont_entry", thread_continuation),
	MAYBE("JavaThread", "_current_pending_monitor", thread_pending_monitor),
	MAYBE("JavaThread", "_monitor_owner_id", thread_owner_id),
	MAYBE("ObjectMonitor", "_owner", monitor_owner),
	MAYBE("JavaThread", "_lock_stack", thread_lock_stack),
	MAYBE("LockStack", "_top", lock_stack_top),
	MAYBE("LockStack", "_base[0]", lock_stack_base),
	MAYBE_STATIC("CompressedOops", "_base", oop_base),
	MAYBE_STATIC("CompressedOops", "_shift", oop_shift),
	MAYBE_STATIC("CompressedOops", "_narrow_oop._base", oop_base),
	MAYBE_STATIC("CompressedOops", "_narrow_oop._shift", oop_shift),
	MAYBE_STATIC("CompressedKlassPointers", "_base", klass_base),
	MAYBE_STATIC("CompressedKlassPointers", "_shift", klass_shift),
	MAYBE_STATIC("CompressedKlassPointers", "_narrow_klass._base", klass_base),
	MAYBE_STATIC("CompressedKlassPointers", "_narrow_klass._shift", klass_shift),
	MAYBE("oopDesc", "_metadata._compressed_klass", oop_klass),
	MAYBE("Klass", "_layout_helper", klass_layout_helper),
	MAYBE_STATIC("ZGlobalsForVMStructs", "_instance_p", z_globals),
	MAYBE("ZGlobalsForVMStructs", "_ZPointerLoadShift", z_shift),
	MAYBE("ZGlobalsForVMStructs", "_ZPointerLoadBadMask", z_bad_mask),
#undef MEMBER
#undef MAYBE
#undef STATIC
#undef MAYBE_STATIC
#undef SIZE
};

enum { FIELD_ROWS = sizeof(field_rows) / sizeof(*field_rows) };

/* ---- the JVM's tables ---- */

/* One of them: rows of equal size, in which a column stands so many bytes from the begin. */
struct vm_table {
	const char *row;
	uint64_t stride, name, field, offset, address, type, size, value;
};

static uint64_t number(void *(*symbol)(const char *), const char *name)
{
	const uint64_t *at = symbol(name);

	return at ? *at : 0;
}

static const char *text_at(const char *row, uint64_t column)
{
	return *(const char *const *)(const void *)(row + column);
}

static struct vm_table fields_of(void *(*symbol)(const char *))
{
	const char *const *rows = symbol("gHotSpotVMStructs");

	return (struct vm_table){
		.row = rows ? *rows : NULL,
		.stride = number(symbol, "gHotSpotVMStructEntryArrayStride"),
		.name = number(symbol, "gHotSpotVMStructEntryTypeNameOffset"),
		.field = number(symbol, "gHotSpotVMStructEntryFieldNameOffset"),
		.type = number(symbol, "gHotSpotVMStructEntryTypeStringOffset"),
		.offset = number(symbol, "gHotSpotVMStructEntryOffsetOffset"),
		.address = number(symbol, "gHotSpotVMStructEntryAddressOffset"),
	};
}

static struct vm_table types_of(void *(*symbol)(const char *))
{
	const char *const *rows = symbol("gHotSpotVMTypes");

	return (struct vm_table){
		.row = rows ? *rows : NULL,
		.stride = number(symbol, "gHotSpotVMTypeEntryArrayStride"),
		.name = number(symbol, "gHotSpotVMTypeEntryTypeNameOffset"),
		.size = number(symbol, "gHotSpotVMTypeEntrySizeOffset"),
	};
}

static struct vm_table constants_of(void *(*symbol)(const char *))
{
	const char *const *rows = symbol("gHotSpotVMIntConstants");

	return (struct vm_table){
		.row = rows ? *rows : NULL,
		.stride = number(symbol, "gHotSpotVMIntConstantEntryArrayStride"),
		.name = number(symbol, "gHotSpotVMIntConstantEntryNameOffset"),
		.value = number(symbol, "gHotSpotVMIntConstantEntryValueOffset"),
	};
}

/* The row of that name and field (NULL: it has none), or NULL. */
static const char *find(const struct vm_table *table, const char *name, const char *field)
{
	if (!table->row || table->stride == 0)
		return NULL;
	for (const char *row = table->row; text_at(row, table->name); row += table->stride) {
		if (strcmp(text_at(row, table->name), name) != 0)
			continue;
		if (!field)
			return row;
		if (text_at(row, table->field) &&
			strcmp(text_at(row, table->field), field) == 0)
			return row;
	}
	return NULL;
}

/* ---- the layout ---- */

static vm_offset *offset_in(struct vm_layout *layout, const struct field_row *row)
{
	return (vm_offset *)(void *)((char *)layout + row->to);
}

static const uintptr_t **address_in(struct vm_layout *layout, const struct field_row *row)
{
	return (const uintptr_t **)(void *)((char *)layout + row->to);
}

static bool is_there(struct vm_layout *layout, const struct field_row *row)
{
	return row->form == FIELD_STATIC ? *address_in(layout, row) != NULL
					 : *offset_in(layout, row) != VM_NONE;
}

static void fill(struct vm_layout *layout, const struct field_row *row,
	const struct vm_table *fields, const struct vm_table *types)
{
	const char *found =
		find(row->form == FIELD_SIZE ? types : fields, row->type, row->field);

	if (!found || is_there(layout, row))
		return;
	if (row->form == FIELD_STATIC)
		*address_in(layout, row) =
			*(const uintptr_t *const *)(const void *)(found + fields->address);
	else if (row->form == FIELD_SIZE)
		*offset_in(layout, row) =
			(vm_offset) * (const uint64_t *)(const void *)(found + types->size);
	else
		*offset_in(layout, row) =
			(vm_offset) * (const uint64_t *)(const void *)(found + fields->offset);
}

static bool either(vm_offset one, vm_offset other)
{
	return one != VM_NONE || other != VM_NONE;
}

/* What is needed in one form or the other. NULL: all is there. */
static const char *missing_form(const struct vm_layout *layout)
{
	if (!either(layout->blob_code_begin, layout->blob_code_offset))
		return "where the code of a piece begins";
	if (!either(layout->nmethod_entry, layout->nmethod_entry_offset))
		return "where a compiled method is entered";
	if (!either(layout->nmethod_scopes, layout->nmethod_scopes_offset))
		return "what compiled code was made of";
	if (!either(layout->nmethod_metadata_offset, layout->blob_mutable_data))
		return "the methods of compiled code";
	if (layout->nmethod_pcs_end == VM_NONE)
		return "how much is said of compiled code";
	return NULL;
}

int vm_layout_read(struct vm_layout *layout, void *(*symbol)(const char *name), unsigned java,
	struct error *error)
{
	struct vm_table fields = fields_of(symbol), types = types_of(symbol),
			constants = constants_of(symbol);
	const char *found, *missing;

	memset(layout, 0, sizeof(*layout));
	for (size_t i = 0; i < FIELD_ROWS; i++)
		if (field_rows[i].form != FIELD_STATIC)
			*offset_in(layout, &field_rows[i]) = VM_NONE;
	for (size_t i = 0; i < FIELD_ROWS; i++)
		fill(layout, &field_rows[i], &fields, &types);
	for (size_t i = 0; i < FIELD_ROWS; i++)
		if (!field_rows[i].optional && !is_there(layout, &field_rows[i]))
			return error_set(error, ERROR_MISSING,
				"this JVM does not tell where %s::%s is", field_rows[i].type,
				field_rows[i].field ? field_rows[i].field : "(its end)");

	found = find(&fields, "CodeBlob", "_frame_complete_offset");
	layout->frame_complete_is_short =
		text_at(found, fields.type) && strcmp(text_at(found, fields.type), "int") != 0;
	/* Since what is said of code is a block of its own, the list of places ends where their
	 * scopes begin. */
	if (layout->nmethod_immutable != VM_NONE)
		layout->nmethod_pcs_end = layout->nmethod_scopes_offset;
	missing = missing_form(layout);
	if (missing)
		return error_set(error, ERROR_MISSING, "this JVM does not tell %s", missing);

	/* aarch64 does not tell; it has been so in all versions (frame_aarch64.hpp). */
	found = find(&constants, "frame::entry_frame_call_wrapper_offset", NULL);
	layout->entry_frame_wrapper =
		found ? *(const int32_t *)(const void *)(found + constants.value) : -8;
	layout->number_base = java >= 20;
	return 0;
}

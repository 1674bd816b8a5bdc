/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* fake_jvm: see fake_jvm.h. */
#include "native-tests/stack/fake_jvm.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { SEGMENT_LOG2 = 7, FREE = 0xff, WORD = sizeof(uintptr_t) };

/* ---- its structs, with the members of all forms ---- */

struct heap_block {
	size_t length;
	uint8_t used;
};

struct space {
	uintptr_t low, high;
};

struct heap {
	struct space memory, map;
	int32_t log2_segment;
};

struct array {
	int32_t length;
	uintptr_t data;
};

struct piece {
	uintptr_t name, method, code_begin, entry, scopes, deopt, mh_deopt, immutable,
		mutable_data;
	int32_t size, frame_size, frame_complete, code_offset, data_offset, relocation_size;
	int32_t pcs_offset, scopes_offset, end_offset, metadata_offset, deopt_offset,
		mh_deopt_offset, original_pc, level, number;
	int16_t short_complete;
	uint16_t entry_offset, short_metadata_offset;
	uint8_t state;
};

struct symbol {
	uint16_t references, random, length;
	char body[2];
};

struct klass {
	uintptr_t vtable, name;
};

struct pool {
	uintptr_t vtable, holder;
	uint16_t source_file;
	uintptr_t entry[]; /* ConstantPool is as long as what is in front */
};

struct constants {
	uintptr_t constants;
	uint32_t size, flags; /* size: words */
	uint16_t code_size, name, signature, old_flags;
};

struct method {
	uintptr_t vtable, constants;
	uint32_t flags;
};

struct anchor {
	uintptr_t sp, pc, fp;
};

struct java_thread {
	uintptr_t vtable;
	struct anchor anchor;
	uintptr_t stack_base, stack_size, unpacking, system;
	uint32_t state;
};

struct system_thread {
	uintptr_t vtable;
	int32_t id;
};

struct thread_list {
	uint32_t length;
	uintptr_t threads;
};

struct call_wrapper {
	uintptr_t thread;
	struct anchor anchor;
};

/* ---- what is static in it ---- */

static struct {
	struct fake_jvm *jvm;
	struct heap heap;
	uintptr_t heaps[1], list, low, high;
	struct array array;
	uint8_t map[FAKE_CODE_BYTES >> SEGMENT_LOG2];
	struct java_thread *thread;
	struct system_thread system;
	uintptr_t threads[1], thread_list;
	struct thread_list thread_list_body;
	struct fake_row row[128];
	uint16_t random;
	int32_t compiled; /* how often */
} fake;

/* ---- the tables ---- */

enum {
	IN_17 = 1 << FAKE_17,
	IN_23 = 1 << FAKE_23,
	IN_25 = 1 << FAKE_25,
	LATER = IN_23 | IN_25
};

static const struct form_row {
	unsigned forms;
	struct fake_row row;
} form_rows[] = {
#define IN(forms, type, field, kind, of, member)                                               \
	{                                                                                      \
		forms,                                                                         \
		{                                                                              \
			type, field, kind, 0, offsetof(struct of, member), NULL                \
		}                                                                              \
	}
#define MEMBER(type, field, kind, of, member) IN(7, type, field, kind, of, member)
#define STATIC(type, field, at)                                                                \
	{                                                                                      \
		7,                                                                             \
		{                                                                              \
			type, field, "address", 1, 0, at                                       \
		}                                                                              \
	}
	STATIC("CodeCache", "_heaps", &fake.list),
	STATIC("CodeCache", "_low_bound", &fake.low),
	STATIC("CodeCache", "_high_bound", &fake.high),
	MEMBER("GrowableArrayBase", "_len", "int", array, length),
	MEMBER("GrowableArray<int>", "_data", "int*", array, data),
	MEMBER("CodeHeap", "_memory", "VirtualSpace", heap, memory),
	MEMBER("CodeHeap", "_segmap", "VirtualSpace", heap, map),
	MEMBER("CodeHeap", "_log2_segment_size", "int", heap, log2_segment),
	MEMBER("VirtualSpace", "_low", "char*", space, low),
	MEMBER("VirtualSpace", "_high", "char*", space, high),
	MEMBER("HeapBlock::Header", "_used", "bool", heap_block, used),
	MEMBER("CodeBlob", "_name", "const char*", piece, name),
	MEMBER("CodeBlob", "_size", "int", piece, size),
	MEMBER("CodeBlob", "_frame_size", "int", piece, frame_size),
	IN(IN_17 | IN_23, "CodeBlob", "_frame_complete_offset", "int", piece, frame_complete),
	IN(IN_25, "CodeBlob", "_frame_complete_offset", "int16_t", piece, short_complete),
	IN(IN_17, "CodeBlob", "_code_begin", "address", piece, code_begin),
	IN(LATER, "CodeBlob", "_code_offset", "int", piece, code_offset),
	IN(LATER, "CodeBlob", "_data_offset", "int", piece, data_offset),
	IN(IN_25, "CodeBlob", "_mutable_data", "address", piece, mutable_data),
	IN(IN_25, "CodeBlob", "_relocation_size", "int", piece, relocation_size),
	IN(IN_17, "CompiledMethod", "_method", "Method*", piece, method),
	IN(LATER, "nmethod", "_method", "Method*", piece, method),
	MEMBER("nmethod", "_comp_level", "int", piece, level),
	MEMBER("nmethod", "_compile_id", "int", piece, number),
	MEMBER("nmethod", "_orig_pc_offset", "int", piece, original_pc),
	MEMBER("nmethod", "_state", "volatile signed char", piece, state),
	IN(IN_17, "nmethod", "_verified_entry_point", "address", piece, entry),
	IN(LATER, "nmethod", "_verified_entry_offset", "uint16_t", piece, entry_offset),
	IN(LATER, "nmethod", "_immutable_data", "address", piece, immutable),
	MEMBER("nmethod", "_scopes_pcs_offset", "int", piece, pcs_offset),
	IN(IN_17, "CompiledMethod", "_scopes_data_begin", "address", piece, scopes),
	IN(LATER, "nmethod", "_scopes_data_offset", "int", piece, scopes_offset),
	IN(IN_17, "nmethod", "_dependencies_offset", "int", piece, end_offset),
	IN(IN_17, "nmethod", "_metadata_offset", "int", piece, metadata_offset),
	IN(IN_23, "nmethod", "_metadata_offset", "uint16_t", piece, short_metadata_offset),
	IN(IN_17, "CompiledMethod", "_deopt_handler_begin", "address", piece, deopt),
	IN(IN_17, "CompiledMethod", "_deopt_mh_handler_begin", "address", piece, mh_deopt),
	IN(LATER, "nmethod", "_deopt_handler_offset", "int", piece, deopt_offset),
	IN(LATER, "nmethod", "_deopt_mh_handler_offset", "int", piece, mh_deopt_offset),
	MEMBER("Method", "_constMethod", "ConstMethod*", method, constants),
	MEMBER("Method", "_access_flags", "AccessFlags", method, flags),
	MEMBER("ConstMethod", "_constants", "ConstantPool*", constants, constants),
	MEMBER("ConstMethod", "_constMethod_size", "int", constants, size),
	IN(IN_17, "ConstMethod", "_flags", "u2", constants, old_flags),
	IN(LATER, "ConstMethod", "_flags._flags", "u4", constants, flags),
	MEMBER("ConstMethod", "_code_size", "u2", constants, code_size),
	MEMBER("ConstMethod", "_name_index", "u2", constants, name),
	MEMBER("ConstMethod", "_signature_index", "u2", constants, signature),
	MEMBER("ConstantPool", "_pool_holder", "InstanceKlass*", pool, holder),
	MEMBER("ConstantPool", "_source_file_name_index", "u2", pool, source_file),
	MEMBER("Klass", "_name", "Symbol*", klass, name),
	MEMBER("Symbol", "_length", "u2", symbol, length),
	MEMBER("Symbol", "_body", "u1", symbol, body),
	MEMBER("JavaThread", "_anchor", "JavaFrameAnchor", java_thread, anchor),
	MEMBER("JavaThread", "_stack_base", "address", java_thread, stack_base),
	MEMBER("JavaThread", "_stack_size", "size_t", java_thread, stack_size),
	MEMBER("JavaThread", "_thread_state", "JavaThreadState", java_thread, state),
	MEMBER("JavaThread", "_vframe_array_head", "vframeArray*", java_thread, unpacking),
	IN(IN_17, "Thread", "_osthread", "OSThread*", java_thread, system),
	IN(LATER, "JavaThread", "_osthread", "OSThread*", java_thread, system),
	MEMBER("OSThread", "_thread_id", "pid_t", system_thread, id),
	STATIC("ThreadsSMRSupport", "_java_thread_list", &fake.thread_list),
	MEMBER("ThreadsList", "_length", "uint", thread_list, length),
	MEMBER("ThreadsList", "_threads", "JavaThread**", thread_list, threads),
	MEMBER("JavaFrameAnchor", "_last_Java_sp", "intptr_t*", anchor, sp),
	MEMBER("JavaFrameAnchor", "_last_Java_pc", "address", anchor, pc),
	MEMBER("JavaFrameAnchor", "_last_Java_fp", "intptr_t*", anchor, fp),
	MEMBER("JavaCallWrapper", "_anchor", "JavaFrameAnchor", call_wrapper, anchor),
#undef IN
#undef MEMBER
#undef STATIC
};

enum { FORM_ROWS = sizeof(form_rows) / sizeof(*form_rows) };

static const struct type_row {
	const char *name;
	uint64_t size;
} type_rows[] = {
	{"HeapBlock", sizeof(struct heap_block)},
	{"ConstMethod", sizeof(struct constants)},
	{"ConstantPool", offsetof(struct pool, entry)},
	{NULL, 0},
};

static const struct constant_row {
	const char *name;
	int32_t value;
} constant_rows[] = {
	{"frame::entry_frame_call_wrapper_offset", -6},
	{NULL, 0},
};

static uintptr_t call_stub_return_row(void)
{
	return (uintptr_t)&fake.jvm->call_stub_return;
}

static void fill_rows(enum fake_form form)
{
	unsigned count = 0;

	for (size_t i = 0; i < FORM_ROWS; i++)
		if (form_rows[i].forms >> form & 1)
			fake.row[count++] = form_rows[i].row;
	fake.row[count++] = (struct fake_row){"StubRoutines", "_call_stub_return_address",
		"address", 1, 0, (const void *)call_stub_return_row()};
	fake.row[count] = (struct fake_row){0};
}

struct fake_row *fake_jvm_rows(void)
{
	return fake.row;
}

unsigned fake_jvm_java(enum fake_form form)
{
	static const unsigned java[FAKE_FORMS] = {17, 23, 25};

	return java[form];
}

void *fake_symbol(const char *name)
{
	static const struct fake_row *rows = fake.row;
	static const struct type_row *types = type_rows;
	static const struct constant_row *constants = constant_rows;
#define COLUMN(of, member)                                                                     \
	{                                                                                      \
		offsetof(struct of, member)                                                    \
	}
	static uint64_t columns[][1] = {{sizeof(struct fake_row)}, COLUMN(fake_row, type),
		COLUMN(fake_row, field), COLUMN(fake_row, kind), COLUMN(fake_row, offset),
		COLUMN(fake_row, address), {sizeof(struct type_row)}, COLUMN(type_row, name),
		COLUMN(type_row, size), {sizeof(struct constant_row)},
		COLUMN(constant_row, name), COLUMN(constant_row, value)};
#undef COLUMN
	static const char *const names[] = {"gHotSpotVMStructEntryArrayStride",
		"gHotSpotVMStructEntryTypeNameOffset", "gHotSpotVMStructEntryFieldNameOffset",
		"gHotSpotVMStructEntryTypeStringOffset", "gHotSpotVMStructEntryOffsetOffset",
		"gHotSpotVMStructEntryAddressOffset", "gHotSpotVMTypeEntryArrayStride",
		"gHotSpotVMTypeEntryTypeNameOffset", "gHotSpotVMTypeEntrySizeOffset",
		"gHotSpotVMIntConstantEntryArrayStride", "gHotSpotVMIntConstantEntryNameOffset",
		"gHotSpotVMIntConstantEntryValueOffset"};

	if (strcmp(name, "gHotSpotVMStructs") == 0)
		return &rows;
	if (strcmp(name, "gHotSpotVMTypes") == 0)
		return &types;
	if (strcmp(name, "gHotSpotVMIntConstants") == 0)
		return &constants;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strcmp(name, names[i]) == 0)
			return columns[i];
	return NULL;
}

/* ---- memory ---- */

static void guard(struct fake_jvm *jvm, uintptr_t begin, size_t bytes)
{
	if (bytes > 0 && jvm->guarded_count < FAKE_GUARDED_MAX)
		jvm->guarded[jvm->guarded_count++] = (struct fake_range){begin, bytes};
}

/* Zeroed; of the data. A test that has too much of it ends. */
static void *add_data(struct fake_jvm *jvm, size_t bytes)
{
	uintptr_t at = jvm->data + jvm->data_used;

	jvm->data_used += (bytes + WORD - 1) / WORD * WORD;
	if (jvm->data_used > FAKE_DATA_BYTES)
		abort();
	return (void *)at;
}

/* ---- methods ---- */

static uintptr_t add_symbol(struct fake_jvm *jvm, const char *text)
{
	size_t length = strlen(text);
	struct symbol *symbol = add_data(jvm, offsetof(struct symbol, body) + length);

	symbol->references = 1;
	symbol->random = ++fake.random;
	symbol->length = (uint16_t)length;
	memcpy(symbol->body, text, length);
	return (uintptr_t)symbol;
}

size_t fake_number(uint8_t *to, uint8_t base, uint32_t number)
{
	uint32_t low = 192u - base;

	for (size_t i = 0; i < 4; i++) {
		if (number < low) {
			to[i] = (uint8_t)(base + number);
			return i + 1;
		}
		number -= low;
		to[i] = (uint8_t)(base + low + number % 64);
		number /= 64;
	}
	to[4] = (uint8_t)(base + number);
	return 5;
}

static size_t put_signed(uint8_t *to, uint8_t base, int32_t number)
{
	return fake_number(to, base, (uint32_t)number << 1 ^ (uint32_t)(number >> 31));
}

/* Compressed; ends with a 0. Returns how many bytes. */
static size_t put_lines(uint8_t *to, uint8_t base, const struct fake_line *line)
{
	int32_t bci = 0, last = 0;
	size_t bytes = 0;

	for (; line->line != 0; line++) {
		int32_t further = line->bci - bci, down = line->line - last;

		if (further >= 0 && further < 31 && down >= 0 && down < 8 &&
			(further || down)) {
			to[bytes++] = (uint8_t)(further << 3 | down);
		} else {
			to[bytes++] = 0xff;
			bytes += put_signed(to + bytes, base, further);
			bytes += put_signed(to + bytes, base, down);
		}
		bci = line->bci;
		last = line->line;
	}
	to[bytes++] = 0;
	return bytes;
}

static uintptr_t add_pool(struct fake_jvm *jvm, const struct fake_method *method)
{
	struct pool *pool = add_data(jvm, sizeof(*pool) + 8 * WORD);
	struct klass *klass = add_data(jvm, sizeof(*klass));

	klass->name = add_symbol(jvm, method->class_name);
	pool->holder = (uintptr_t)klass;
	pool->entry[1] = add_symbol(jvm, method->name);
	pool->entry[2] = add_symbol(jvm, method->signature);
	if (method->file) {
		pool->entry[3] = add_symbol(jvm, method->file);
		pool->source_file = 3;
	}
	return (uintptr_t)pool;
}

void fake_method_replace(struct fake_jvm *jvm, uintptr_t at, const struct fake_method *method)
{
	uint8_t lines[4096];
	size_t line_bytes =
		method->line ? put_lines(lines, jvm->layout.number_base, method->line) : 0;
	size_t bytes = sizeof(struct constants) + method->code_size + line_bytes;
	struct constants *constants = add_data(jvm, bytes);

	constants->constants = add_pool(jvm, method);
	constants->size = (uint32_t)((bytes + WORD - 1) / WORD);
	constants->flags = constants->old_flags = method->line != NULL;
	constants->code_size = method->code_size;
	constants->name = 1;
	constants->signature = 2;
	memcpy((char *)(constants + 1) + method->code_size, lines, line_bytes);
	((struct method *)at)->constants = (uintptr_t)constants;
	((struct method *)at)->flags = 1;
}

uintptr_t fake_method_add(struct fake_jvm *jvm, const struct fake_method *method)
{
	uintptr_t at = (uintptr_t)add_data(jvm, sizeof(struct method));

	fake_method_replace(jvm, at, method);
	return at;
}

/* ---- code ---- */

#if defined(__x86_64__)
const uint8_t fake_java_bytes[] = {0x89, 0x84, 0x24, 0x00, 0xc0, 0xfe,
	0xff,                               /* 0: mov [rsp - n], eax */
	0x55,                               /* 7: push rbp */
	0x48, 0x83, 0xec, 0x20,             /* 8: sub rsp, 32 */
	0x90, 0x90, 0x90, 0x90,             /* 12 */
	0xe8, 0x00, 0x00, 0x00, 0x00,       /* 16: call */
	0x90,                               /* 21 */
	0x48, 0x83, 0xc4, 0x20,             /* 22: add rsp, 32 */
	0x5d,                               /* 26: pop rbp */
	0x49, 0x3b, 0x67, 0x28,             /* 27: cmp rsp, [r15 + n] */
	0x0f, 0x87, 0x01, 0x00, 0x00, 0x00, /* 31: ja */
	0xc3,                               /* 37: ret */
	0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90};
const int32_t fake_java_return = 21, fake_java_complete = 12;
const struct fake_step fake_java_steps[] = {{0, {1, false}}, {7, {1, false}}, {8, {2, false}},
	{12, {FAKE_JAVA_WORDS, false}}, {16, {FAKE_JAVA_WORDS, false}},
	{21, {FAKE_JAVA_WORDS, false}}, {22, {FAKE_JAVA_WORDS, false}}, {26, {2, false}},
	{27, {1, false}}, {31, {1, false}}, {37, {1, false}}};
#else
#define CODE(n) (n) & 0xff, (n) >> 8 & 0xff, (n) >> 16 & 0xff, (uint32_t)(n) >> 24
const uint8_t fake_java_bytes[] = {CODE(0xd503201f), /* 0: nop */
	CODE(0xd100c3ff),                            /* 4: sub sp, sp, 48 */
	CODE(0xa9027bfd),                            /* 8: stp x29, x30, [sp, 32] */
	CODE(0xd503201f),                            /* 12 */
	CODE(0x94000001),                            /* 16: bl */
	CODE(0xd503201f),                            /* 20 */
	CODE(0xa9427bfd),                            /* 24: ldp x29, x30, [sp, 32] */
	CODE(0x9100c3ff),                            /* 28: add sp, sp, 48 */
	CODE(0xf9400388),                            /* 32: ldr x8, [x28, n] */
	CODE(0xeb2863ff),                            /* 36: cmp sp, x8 */
	CODE(0x54000048),                            /* 40: b.hi */
	CODE(0xd65f03c0),                            /* 44: ret */
	CODE(0xd503201f), CODE(0xd503201f), CODE(0xd503201f), CODE(0xd503201f),
	CODE(0xd503201f), CODE(0xd503201f), CODE(0xd503201f), CODE(0xd503201f)};
const int32_t fake_java_return = 20, fake_java_complete = 12;
const struct fake_step fake_java_steps[] = {{0, {0, true}}, {4, {0, true}},
	{8, {FAKE_JAVA_WORDS, true}}, {12, {FAKE_JAVA_WORDS, false}},
	{16, {FAKE_JAVA_WORDS, false}}, {20, {FAKE_JAVA_WORDS, false}},
	{24, {FAKE_JAVA_WORDS, false}}, {28, {FAKE_JAVA_WORDS, true}}, {32, {0, true}},
	{36, {0, true}}, {40, {0, true}}, {44, {0, true}}};
#endif
const size_t fake_java_size = sizeof(fake_java_bytes);
const size_t fake_java_step_count = sizeof(fake_java_steps) / sizeof(*fake_java_steps);

/* What is said of a piece, as it is written. */
struct description {
	uint8_t scopes[4096];
	size_t scope_bytes;
	struct {
		int32_t offset, scope;
		uint64_t unused;
	} place[256];
	size_t places;
	size_t methods;
};

static void describe_code(
	const struct fake_jvm *jvm, const struct fake_code *code, struct description *said)
{
	uint8_t base = jvm->layout.number_base;
	uint32_t at[64] = {0};
	size_t used = 8; /* no scope is at 0 */

	memset(said, 0, sizeof(*said));
	while (code->method[said->methods])
		said->methods++;
	for (int i = 0; code->scope && code->scope[i].bci != -2; i++) {
		const struct fake_scope *scope = &code->scope[i];

		at[i] = (uint32_t)used;
		used += fake_number(
			said->scopes + used, base, scope->outer < 0 ? 0 : at[scope->outer]);
		used += fake_number(said->scopes + used, base, scope->method + 1);
		used += fake_number(said->scopes + used, base, (uint32_t)scope->bci + 1);
	}
	said->scope_bytes = (used + WORD - 1) / WORD * WORD;
	if (!code->place)
		return;
	/* The JVM's lists begin and end with a place that is none. */
	said->place[said->places++].offset = -1;
	for (int i = 0; code->place[i].offset >= 0; i++) {
		said->place[said->places].offset = code->place[i].offset;
		said->place[said->places++].scope =
			code->place[i].scope < 0 ? 0 : (int32_t)at[code->place[i].scope];
	}
	said->place[said->places++].offset = INT32_MAX;
}

/* Segments of a piece: how far back to its header, in steps of at most 254. */
static void mark_segments(size_t first, size_t count)
{
	uint8_t back = 0;

	for (size_t i = 0; i < count; i++) {
		fake.map[first + i] = back;
		back = back == FREE - 1 ? 1 : (uint8_t)(back + 1);
	}
}

static int32_t from(const void *piece, const void *at)
{
	return (int32_t)((uintptr_t)at - (uintptr_t)piece);
}

/* Behind the instructions, rounded up. */
static size_t handlers_of(const struct fake_code *code)
{
	return (code->size + 15) / 16 * 16 + 16;
}

uintptr_t fake_code_handler(const struct fake_code *code, uintptr_t begin, bool of_handles)
{
	return begin + handlers_of(code) + (of_handles ? 8 : 0);
}

/* Names of pieces of code: the same string for the same name, for good, as the JVM's are. */
static struct {
	_Alignas(sizeof(uintptr_t)) char text[64];
} code_names[32];

struct fake_range fake_code_names(void)
{
	return (struct fake_range){(uintptr_t)code_names, sizeof(code_names)};
}

static uintptr_t add_name(const char *name)
{
	size_t i = 0;

	if (!name)
		return 0;
	while (code_names[i].text[0] && strcmp(code_names[i].text, name) != 0)
		if (++i == sizeof(code_names) / sizeof(*code_names))
			abort();
	snprintf(code_names[i].text, sizeof(code_names[i].text), "%s", name);
	return (uintptr_t)code_names[i].text;
}

uintptr_t fake_code_add(struct fake_jvm *jvm, const struct fake_code *code)
{
	static struct description said;
	size_t header = (sizeof(struct heap_block) + 15) / 16 * 16;
	size_t instructions = handlers_of(code) + 16, place_bytes, method_bytes, bytes,
	       segments;
	struct heap_block *block = (struct heap_block *)(jvm->code + jvm->code_used);
	struct piece *piece = (struct piece *)((char *)block + sizeof(*block));
	char *begin = (char *)block + header + (sizeof(*piece) + 15) / 16 * 16, *end, *scopes,
	     *places, *methods;

	describe_code(jvm, code, &said);
	place_bytes = said.places * sizeof(*said.place);
	method_bytes = said.methods * WORD;
	bytes = (size_t)(begin - (char *)block) + instructions + method_bytes +
		said.scope_bytes + place_bytes;
	segments = (bytes + (1 << SEGMENT_LOG2) - 1) >> SEGMENT_LOG2;
	if (jvm->code_used + (segments << SEGMENT_LOG2) > FAKE_CODE_BYTES)
		abort();
	mark_segments(jvm->code_used >> SEGMENT_LOG2, segments);
	jvm->code_used += segments << SEGMENT_LOG2;
	block->used = 1;
	block->length = segments;

	memcpy(begin, code->bytes, code->size);
	end = begin + instructions;
	methods = jvm->form == FAKE_25 ? (char *)add_data(jvm, method_bytes + 16) + 16 : end;
	memcpy(methods, code->method, method_bytes);
	/* JDK 17 has scopes in front of places, later ones behind. */
	if (jvm->form == FAKE_17) {
		scopes = methods + method_bytes;
		places = scopes + said.scope_bytes;
	} else {
		places = add_data(jvm, 32 + place_bytes + said.scope_bytes);
		piece->immutable = (uintptr_t)places;
		places += 32;
		scopes = places + place_bytes;
	}
	memcpy(scopes, said.scopes, said.scope_bytes);
	memcpy(places, said.place, place_bytes);
	guard(jvm, (uintptr_t)end, bytes - (size_t)(end - (char *)block));

	piece->name = add_name(code->name);
	piece->method = code->method[0];
	piece->code_begin = (uintptr_t)begin;
	piece->entry = (uintptr_t)begin + code->entry;
	piece->entry_offset = code->entry;
	piece->code_offset = from(piece, begin);
	piece->size = from(block, (char *)block + bytes) - from(block, piece);
	piece->frame_size = code->frame_words;
	piece->frame_complete = code->frame_complete;
	piece->short_complete = (int16_t)code->frame_complete;
	piece->level = code->level;
	piece->number = ++fake.compiled;
	piece->original_pc = code->original_pc;
	piece->deopt = fake_code_handler(code, (uintptr_t)begin, false);
	piece->mh_deopt = fake_code_handler(code, (uintptr_t)begin, true);
	piece->deopt_offset = from(piece, (void *)piece->deopt);
	piece->mh_deopt_offset = from(piece, (void *)piece->mh_deopt);
	piece->data_offset = from(piece, end);
	piece->metadata_offset = from(piece, methods);
	piece->mutable_data = (uintptr_t)methods - 16;
	piece->relocation_size = 16;
	piece->scopes = (uintptr_t)scopes;
	if (jvm->form == FAKE_17) {
		piece->pcs_offset = from(piece, places);
		piece->end_offset = from(piece, places + place_bytes);
	} else {
		piece->pcs_offset = from((void *)piece->immutable, places);
		piece->scopes_offset = from((void *)piece->immutable, scopes);
	}
	guard(jvm, (uintptr_t)&piece->method, WORD);
	guard(jvm, (uintptr_t)&piece->immutable, 2 * WORD);
	return (uintptr_t)begin;
}

void fake_code_free(struct fake_jvm *jvm, uintptr_t begin)
{
	struct code code;

	if (code_find(begin, &code))
		((struct heap_block *)(code.at - sizeof(struct heap_block)))->used = 0;
}

/* ---- frames ---- */

static void push_word(struct fake_jvm *jvm, uintptr_t word)
{
	if (jvm->now.sp <= (uintptr_t)jvm->stack)
		abort();
	jvm->now.sp -= WORD;
	*(uintptr_t *)jvm->now.sp = word;
}

void fake_stack_clear(struct fake_jvm *jvm)
{
	memset(jvm->stack, 0, FAKE_STACK_WORDS * WORD);
	fake.thread->anchor = (struct anchor){0};
	fake.thread->unpacking = 0;
	jvm->now = (struct machine){
		.sp = (uintptr_t)(jvm->stack + FAKE_STACK_WORDS), .pc = 0, .fp = 0};
	/* Above the first function is what started the thread. */
	for (int i = 0; i < 4; i++)
		push_word(jvm, 0);
	jvm->native = 0x10000;
	fake_enter_native(jvm);
}

/* What a call and a prologue leave: the return address, the caller's frame pointer. */
static void push_link(struct fake_jvm *jvm)
{
	push_word(jvm, jvm->now.pc);
	push_word(jvm, jvm->now.fp);
	jvm->now.fp = jvm->now.sp;
}

void fake_enter_native(struct fake_jvm *jvm)
{
	push_link(jvm);
	for (int i = 0; i < 4; i++)
		push_word(jvm, 7);
	jvm->now.pc = jvm->native;
	jvm->native += 16;
}

void fake_enter_stub(struct fake_jvm *jvm)
{
	struct call_wrapper wrapper = {jvm->java, fake.thread->anchor};
	uintptr_t at;

	/* It lies in the frame of the native code that calls. */
	jvm->now.sp -= sizeof(wrapper);
	at = jvm->now.sp;
	memcpy((void *)at, &wrapper, sizeof(wrapper));
	push_link(jvm);
	for (int i = 0; i < 12; i++)
		push_word(jvm, 0);
	((uintptr_t *)jvm->now.fp)[jvm->layout.entry_frame_wrapper] = at;
	jvm->now.pc = jvm->call_stub_return;
	fake.thread->anchor = (struct anchor){0};
}

void fake_enter_interpreted(struct fake_jvm *jvm, uintptr_t method, int32_t bci)
{
	const struct method *it = (const struct method *)method;
	uintptr_t caller_sp = jvm->now.sp, *fp;

	push_link(jvm);
	for (int i = 0; i < 14; i++)
		push_word(jvm, 0);
	fp = (uintptr_t *)jvm->now.fp;
	fp[INTERPRETED_CALLER_SP] = caller_sp;
	fp[INTERPRETED_METHOD] = method;
	fp[INTERPRETED_BYTECODE] =
		it->constants + sizeof(struct constants) + (uintptr_t)(intptr_t)bci;
	jvm->now.pc = jvm->interpreter + 1000;
}

void fake_enter_compiled(struct fake_jvm *jvm, uintptr_t begin, int32_t offset, uint32_t words)
{
	push_word(jvm, jvm->now.pc);
	push_word(jvm, jvm->now.fp);
	for (uint32_t i = 2; i < words; i++)
		push_word(jvm, 1);
	jvm->now.pc = begin + (uintptr_t)offset;
}

void fake_leave_java(struct fake_jvm *jvm)
{
	fake.thread->anchor = (struct anchor){jvm->now.sp, jvm->now.pc, jvm->now.fp};
	fake.thread->state = 4;
}

struct walk_thread fake_thread(const struct fake_jvm *jvm)
{
	return (struct walk_thread){
		.java = jvm->java, .stack_base = (uintptr_t)(jvm->stack + FAKE_STACK_WORDS)};
}

/* ---- all of it ---- */

static uintptr_t map_bytes(size_t bytes)
{
	void *memory =
		mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return memory == MAP_FAILED ? 0 : (uintptr_t)memory;
}

static void add_usual_code(struct fake_jvm *jvm)
{
	static uint8_t bytes[FAKE_INTERPRETER_BYTES];
	const struct fake_code interpreter = {
		.name = "Interpreter", .bytes = bytes, .size = sizeof(bytes)};
	const struct fake_code stubs = {
		.name = "StubRoutines (initial stubs)", .bytes = bytes, .size = 512};

	jvm->interpreter = fake_code_add(jvm, &interpreter);
	jvm->call_stub_return = fake_code_add(jvm, &stubs) + 64;
}

struct fake_jvm *fake_jvm_create(enum fake_form form)
{
	struct fake_jvm *jvm = calloc(1, sizeof(*jvm));
	struct error error;

	if (!jvm)
		return NULL;
	memset(&fake, 0, sizeof(fake));
	fake.jvm = jvm;
	jvm->form = form;
	jvm->code = map_bytes(FAKE_CODE_BYTES);
	jvm->data = map_bytes(FAKE_DATA_BYTES);
	jvm->stack = calloc(FAKE_STACK_WORDS, WORD);
	fake.thread = calloc(1, sizeof(*fake.thread));
	fill_rows(form);
	if (!jvm->code || !jvm->data || !jvm->stack || !fake.thread ||
		vm_layout_read(&jvm->layout, fake_symbol, fake_jvm_java(form), &error) != 0) {
		fake_jvm_destroy(jvm);
		return NULL;
	}
	memset(fake.map, FREE, sizeof(fake.map));
	fake.heap = (struct heap){{jvm->code, jvm->code + FAKE_CODE_BYTES},
		{(uintptr_t)fake.map, (uintptr_t)fake.map + sizeof(fake.map)}, SEGMENT_LOG2};
	fake.heaps[0] = (uintptr_t)&fake.heap;
	fake.array = (struct array){1, (uintptr_t)fake.heaps};
	fake.list = (uintptr_t)&fake.array;
	fake.low = jvm->code;
	fake.high = jvm->code + FAKE_CODE_BYTES;
	guard(jvm, jvm->data, FAKE_DATA_BYTES);
	jvm->java = (uintptr_t)fake.thread;
	fake.thread->stack_base = (uintptr_t)(jvm->stack + FAKE_STACK_WORDS);
	fake.thread->stack_size = FAKE_STACK_WORDS * WORD;
	fake.thread->system = (uintptr_t)&fake.system;
	fake.system.id = 4711;
	fake.threads[0] = jvm->java;
	fake.thread_list_body = (struct thread_list){1, (uintptr_t)fake.threads};
	fake.thread_list = (uintptr_t)&fake.thread_list_body;
	code_use(&jvm->layout);
	add_usual_code(jvm);
	fake_stack_clear(jvm);
	return jvm;
}

void fake_jvm_destroy(struct fake_jvm *jvm)
{
	if (!jvm)
		return;
	if (jvm->code)
		munmap((void *)jvm->code, FAKE_CODE_BYTES);
	if (jvm->data)
		munmap((void *)jvm->data, FAKE_DATA_BYTES);
	free(jvm->stack);
	free(fake.thread);
	free(jvm);
}

/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* code: see code.h. */
#include "agent/stack/code.h"

#include <stdatomic.h>
#include <string.h>

#include "agent/stack/safe_read.h"

static const struct vm_layout *vm;

void code_use(const struct vm_layout *layout)
{
	vm = layout;
}

/* ---- memory that is never given back ---- */

static uintptr_t word_at(uintptr_t at)
{
	return *(const uintptr_t *)at;
}

static int32_t int_at(uintptr_t at)
{
	return *(const int32_t *)at;
}

/* ---- pieces ---- */

bool code_has(uintptr_t pc)
{
	return pc >= *vm->code_low && pc < *vm->code_high;
}

/* The heap that has the address, or 0. */
static uintptr_t heap_of(uintptr_t pc)
{
	enum { HEAPS = 8 };
	uintptr_t list = *vm->code_heaps;
	int32_t count = list ? int_at(list + vm->array_length) : 0;

	for (int32_t i = 0; i < count && i < HEAPS; i++) {
		uintptr_t heap =
			word_at(word_at(list + vm->array_data) + (size_t)i * sizeof(uintptr_t));
		uintptr_t memory = heap + vm->heap_memory;

		if (pc >= word_at(memory + vm->space_low) &&
			pc < word_at(memory + vm->space_high))
			return heap;
	}
	return 0;
}

/* Names are those of the JVM's constructors (codeBlob.cpp), of JDK 17 to 25. */
static const struct kind {
	const char *name; /* its begin */
	enum code_kind kind;
} kinds[] = {
	{"nmethod", CODE_COMPILED},
	{"native nmethod", CODE_NATIVE},
	{"Interpreter", CODE_INTERPRETER},
	/* Those above have one string for all of their kind. */
	{"StubRoutines", CODE_STUB},
	{"vtable chunks", CODE_VTABLE},
	{"I2C/C2I adapters", CODE_ADAPTER},
	{"MethodHandlesAdapterBlob", CODE_ADAPTER},
};

enum { KINDS = sizeof(kinds) / sizeof(*kinds), USUAL = 3 };

static void name_it(struct code *code, uintptr_t name)
{
	/* Where the first ones are: most pieces that are asked for. */
	static _Atomic uintptr_t usual[USUAL];
	size_t i;

	code->kind = CODE_OTHER;
	for (i = 0; i < USUAL; i++)
		if (name && name == atomic_load_explicit(&usual[i], memory_order_relaxed)) {
			code->kind = kinds[i].kind;
			strcpy(code->name, kinds[i].name);
			return;
		}
	if (!safe_text(code->name, sizeof(code->name), name))
		code->name[0] = '\0';
	for (i = 0; i < KINDS; i++)
		if (strncmp(code->name, kinds[i].name, strlen(kinds[i].name)) == 0) {
			code->kind = kinds[i].kind;
			if (i < USUAL)
				atomic_store_explicit(&usual[i], name, memory_order_relaxed);
			return;
		}
}

static void describe(struct code *code)
{
	uintptr_t at = code->at;

	name_it(code, word_at(at + vm->blob_name));
	code->begin = vm->blob_code_begin != VM_NONE
			      ? word_at(at + vm->blob_code_begin)
			      : at + (uintptr_t)int_at(at + vm->blob_code_offset);
	code->end = at + (uintptr_t)int_at(at + vm->blob_size);
	code->frame_words = (uint32_t)int_at(at + vm->blob_frame_size);
	code->frame_complete =
		vm->frame_complete_is_short
			? (uint32_t)(int32_t) * (const int16_t *)(at + vm->blob_frame_complete)
			: (uint32_t)int_at(at + vm->blob_frame_complete);
	/* Sizes of frames are -1 where frames differ. */
	if (code->frame_words > 1 << 20)
		code->frame_words = 0;
	if (code->kind == CODE_OTHER && code->frame_words > 0)
		code->kind = CODE_RUNTIME;
}

bool code_find(uintptr_t pc, struct code *code)
{
	uintptr_t heap = heap_of(pc), map = heap + vm->heap_map, low, block;
	const uint8_t *back;
	size_t segment;
	int32_t shift;

	if (!heap)
		return false;
	low = word_at(heap + vm->heap_memory + vm->space_low);
	shift = int_at(heap + vm->heap_log2_segment);
	segment = (pc - low) >> shift;
	/* As a heap grows, its map follows (CodeHeap::expand_by). */
	if (segment >= word_at(map + vm->space_high) - word_at(map + vm->space_low))
		return false;
	back = (const uint8_t *)word_at(map + vm->space_low);
	if (back[segment] == 0xff)
		return false;
	while (back[segment] > 0 && segment >= back[segment])
		segment -= back[segment];
	block = low + (segment << shift);
	if (!*(const uint8_t *)(block + vm->block_used))
		return false;
	code->at = block + vm->block_header;
	describe(code);
	/* What is not yet written may say anything. */
	return code->begin >= code->at && pc >= code->begin && pc < code->end &&
	       code->end <= word_at(heap + vm->heap_memory + vm->space_high);
}

/* ---- compiled methods ---- */

uintptr_t code_method(const struct code *code)
{
	return word_at(code->at + vm->nmethod_method);
}

unsigned code_level(const struct code *code)
{
	int8_t level = *(const int8_t *)(code->at + vm->nmethod_level);

	return level > 0 ? (unsigned)level : 0;
}

uint32_t code_number(const struct code *code)
{
	if (vm->nmethod_number == VM_NONE)
		return 0;
	return (uint32_t)int_at(code_number_at(code));
}

uintptr_t code_number_at(const struct code *code)
{
	return code->at + vm->nmethod_number;
}

uintptr_t code_entry(const struct code *code)
{
	if (vm->nmethod_entry != VM_NONE)
		return word_at(code->at + vm->nmethod_entry);
	return code->begin + *(const uint16_t *)(code->at + vm->nmethod_entry_offset);
}

/* What is said of the code: places and scopes are offsets from there. */
static uintptr_t description(const struct code *code)
{
	return vm->nmethod_immutable != VM_NONE ? word_at(code->at + vm->nmethod_immutable)
						: code->at;
}

static uintptr_t scopes_of(const struct code *code)
{
	if (vm->nmethod_scopes != VM_NONE)
		return word_at(code->at + vm->nmethod_scopes);
	return description(code) + (uintptr_t)int_at(code->at + vm->nmethod_scopes_offset);
}

/* The methods that scopes name, an array of pointers. */
static uintptr_t metadata_of(const struct code *code)
{
	uintptr_t at = code->at;

	if (vm->blob_mutable_data != VM_NONE)
		return word_at(at + vm->blob_mutable_data) +
		       (uintptr_t)int_at(at + vm->blob_relocation_size);
	if (vm->nmethod_immutable != VM_NONE)
		return at + (uintptr_t)int_at(at + vm->blob_data_offset) +
		       *(const uint16_t *)(at + vm->nmethod_metadata_offset);
	return at + (uintptr_t)int_at(at + vm->nmethod_metadata_offset);
}

/* A number of a scope; *at goes behind it. */
static bool read_number(uintptr_t *at, uint32_t *number)
{
	enum { LOW = 192 }; /* bytes below it are the last of a number */
	uint8_t byte;

	*number = 0;
	for (int shift = 0; shift <= 24; shift += 6) {
		if (!safe_u8((*at)++, &byte) || byte < vm->number_base)
			return false;
		*number += (uint32_t)(byte - vm->number_base) << shift;
		if (byte < LOW)
			break;
	}
	return true;
}

/* A scope begins with the outer one's place, its method's place in the list + 1, its bytecode + 1. */
static bool read_scope(const struct code *code, uint32_t offset, struct code_scope *scope)
{
	uintptr_t at = scopes_of(code) + offset;
	uint32_t method, bci;

	if (!read_number(&at, &scope->outer) || !read_number(&at, &method) ||
		!read_number(&at, &bci) || method == 0)
		return false;
	/* Outer scopes were written before inner ones: so the way outwards ends. */
	if (scope->outer >= offset)
		return false;
	scope->bci = (int32_t)bci - 1;
	return safe_word(metadata_of(code) + (uintptr_t)(method - 1) * sizeof(uintptr_t),
		&scope->method);
}

/* A place: where, and its scope; see PcDesc (pcDesc.hpp). */
enum { PLACE_BYTES = 16 };

static bool place_at(uintptr_t places, uint32_t i, int32_t *offset, uint32_t *scope)
{
	uintptr_t word;

	if (!safe_word(places + (uintptr_t)i * PLACE_BYTES, &word))
		return false;
	*offset = (int32_t)(uint32_t)word;
	*scope = (uint32_t)(word >> 32);
	return true;
}

bool code_scope_at(
	const struct code *code, uintptr_t pc, bool exactly, struct code_scope *scope)
{
	uintptr_t places = description(code) + (uintptr_t)int_at(code->at + vm->nmethod_pcs);
	uintptr_t end = description(code) + (uintptr_t)int_at(code->at + vm->nmethod_pcs_end);
	int32_t wanted = (int32_t)(pc - code->begin), offset;
	uint32_t low = 0, high = (uint32_t)((end - places) / PLACE_BYTES), at;

	if (end <= places)
		return false;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (!place_at(places, middle, &offset, &at))
			return false;
		if (offset < wanted)
			low = middle + 1;
		else
			high = middle;
	}
	/* The last one is none: it stands behind all code. */
	if (low + 1 >= (uint32_t)((end - places) / PLACE_BYTES) ||
		!place_at(places, low, &offset, &at) || (exactly && offset != wanted))
		return false;
	return at > 0 && read_scope(code, at, scope);
}

bool code_scope_outer(const struct code *code, struct code_scope *scope)
{
	return read_scope(code, scope->outer, scope);
}

/* A handler's address, from a pointer or an offset. 0: there is none. */
static uintptr_t handler(const struct code *code, vm_offset pointer, vm_offset offset)
{
	if (pointer != VM_NONE)
		return word_at(code->at + pointer);
	if (offset == VM_NONE)
		return 0;
	return code->at + (uintptr_t)int_at(code->at + offset);
}

bool code_is_deopt(const struct code *code, uintptr_t pc)
{
	return pc == handler(code, vm->nmethod_deopt, vm->nmethod_deopt_offset) ||
	       pc == handler(code, vm->nmethod_mh_deopt, vm->nmethod_mh_deopt_offset);
}

uintptr_t code_original_place(const struct code *code, uintptr_t pc, uintptr_t sp)
{
	int32_t where;

	if (!code_is_deopt(code, pc))
		return 0;
	where = int_at(code->at + vm->nmethod_original_pc);
	if (where <= 0 || (uint32_t)where >= code->frame_words * sizeof(uintptr_t))
		return 0;
	return sp + (uintptr_t)where;
}

/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* frozen: see frozen.h. */
#include "agent/stack/frozen.h"

#include <string.h>

#include "agent/stack/safe_read.h"
#include "java_frames.h"

enum {
	WORD = sizeof(uintptr_t),
	/* In ContinuationEntry, behind what the processor needs, and its parent (continuationEntry.hpp). */
	ENTRY_CONTINUATION = 16,
	CHUNK_WORDS_MAX = 1 << 24
};

static const struct vm_layout *vm;
static struct frozen_fields fields;
static bool is_narrow;

void frozen_use(const struct vm_layout *layout, const struct frozen_fields *known, bool narrow)
{
	vm = layout;
	fields = *known;
	is_narrow = narrow;
}

/* A number that ZGC keeps: 0 where another collector runs. */
static uintptr_t z_number(vm_offset offset)
{
	uintptr_t globals, place, number;

	if (!vm->z_globals || offset == VM_NONE ||
		!safe_word((uintptr_t)vm->z_globals, &globals) ||
		!safe_word(globals + offset, &place) || !safe_word(place, &number))
		return 0;
	return number;
}

/* A reference of 64 bits. Of ZGC one that may lead to where the object was is none. */
static uintptr_t wide_reference(uintptr_t at)
{
	uintptr_t word;

	if (!safe_word(at, &word) || (word & z_number(vm->z_bad_mask)) != 0)
		return 0;
	return word >> (z_number(vm->z_shift) & 63);
}

/* The reference in a field. 0: none, or it cannot be read. */
static uintptr_t reference(uintptr_t at)
{
	uint32_t narrow;

	if (!is_narrow)
		return wide_reference(at);
	if (!vm->oop_base || !safe_u32(at, &narrow) || narrow == 0)
		return 0;
	return *vm->oop_base + ((uintptr_t)narrow << *(const int32_t *)vm->oop_shift);
}

static bool is_chunk_class(uintptr_t klass)
{
	static const char name[] = "jdk/internal/vm/StackChunk";
	char text[sizeof(name)];
	uintptr_t symbol;
	uint16_t length;

	return safe_word(klass + vm->klass_name, &symbol) &&
	       safe_u16(symbol + vm->symbol_length, &length) && length == sizeof(name) - 1 &&
	       safe_copy(text, symbol + vm->symbol_body, length) &&
	       memcmp(text, name, length) == 0;
}

static uintptr_t wide_class(uintptr_t narrow)
{
	return *vm->klass_base + (narrow << *(const int32_t *)vm->klass_shift);
}

/* Bytes of a StackChunk without its frames; 0: it is none. */
static uint32_t chunk_bytes(uintptr_t chunk)
{
	enum { COMPACT_SHIFT = 42 }; /* markWord::klass_shift */
	uintptr_t mark, klass;
	uint32_t bytes;

	if (!vm->klass_base || !safe_word(chunk, &mark) ||
		!safe_word(chunk + vm->oop_klass, &klass))
		return 0;
	/* Its class is in the lower half of a word, the whole word, or in the mark before it. */
	if (is_chunk_class(wide_class((uint32_t)klass)))
		klass = wide_class((uint32_t)klass);
	else if (!is_chunk_class(klass))
		klass = wide_class(mark >> COMPACT_SHIFT);
	if (!is_chunk_class(klass) || !safe_u32(klass + vm->klass_layout_helper, &bytes))
		return 0;
	return bytes & ~(uint32_t)(WORD - 1);
}

/* The frame that begins behind sp, whose own words, if it is compiled, are from base on. */
static bool set_frame(struct frozen *frozen, uintptr_t sp, uintptr_t base)
{
	uintptr_t distance;

	if (sp <= frozen->begin || sp >= frozen->end || sp % WORD != 0 ||
		!safe_word(sp - WORD, &frozen->pc) || !safe_word(sp - 2 * WORD, &distance))
		return false;
	frozen->sp = sp;
	frozen->base = base;
	frozen->fp = sp - 2 * WORD + distance * WORD;
	return true;
}

/* The first frame of the chunk, or of the next one that has some. */
static bool set_chunk(struct frozen *frozen, uintptr_t chunk)
{
	uint32_t bytes, sp, size;

	for (int i = 0; i < 64 && chunk != 0; i++) {
		bytes = chunk_bytes(chunk);
		if (bytes == 0 || !safe_u32(chunk + fields.chunk_sp, &sp) ||
			!safe_u32(chunk + fields.chunk_size, &size) || size > CHUNK_WORDS_MAX ||
			sp > size)
			return false;
		frozen->chunk = chunk;
		frozen->begin = chunk + bytes;
		frozen->end = frozen->begin + (uintptr_t)size * WORD;
		sp *= WORD;
		if (frozen->begin + sp < frozen->end)
			return set_frame(frozen, frozen->begin + sp, frozen->begin + sp);
		chunk = reference(chunk + fields.chunk_parent);
	}
	return false;
}

/* The continuation that runs. */
static uintptr_t continuation_of(uintptr_t java_thread)
{
	uintptr_t entry, continuation;

	if (!vm || vm->thread_continuation == VM_NONE || fields.continuation_tail == 0 ||
		!safe_word(java_thread + vm->thread_continuation, &entry) ||
		!safe_word(entry + ENTRY_CONTINUATION, &continuation))
		return 0;
	return continuation;
}

bool frozen_begin(struct frozen *frozen, uintptr_t java_thread)
{
	frozen->continuation = continuation_of(java_thread);
	if (frozen->continuation == 0)
		return false;
	frozen->first = reference(frozen->continuation + fields.continuation_tail);
	return set_chunk(frozen, frozen->first);
}

bool frozen_word(const struct frozen *frozen, int at, uintptr_t *word)
{
	uintptr_t place = frozen->fp + (uintptr_t)(at * WORD);

	return place >= frozen->begin && place < frozen->end && safe_word(place, word);
}

bool frozen_next(struct frozen *frozen, uint32_t words)
{
	uintptr_t sp, base, distance;

	if (words > 0) {
		sp = base = frozen->base + words * WORD;
	} else {
		if (!frozen_word(frozen, INTERPRETED_CALLER_SP, &distance))
			return false;
		sp = frozen->fp + 2 * WORD;
		base = frozen->fp + distance * WORD;
	}
	if (sp >= frozen->end)
		return set_chunk(frozen, reference(frozen->chunk + fields.chunk_parent));
	return set_frame(frozen, sp, base);
}

bool frozen_holds(const struct frozen *frozen, uintptr_t java_thread)
{
	return continuation_of(java_thread) == frozen->continuation &&
	       reference(frozen->continuation + fields.continuation_tail) == frozen->first;
}

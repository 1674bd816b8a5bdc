/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* seen_methods: see seen_methods.h. */
#include "agent/stack/seen_methods.h"

#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>

#include "agent/stack/safe_read.h"

enum {
	SLOTS = 2 * SEEN_METHODS_MAX,
	PROBES = 64, /* slots looked at for one method */
	NAME_BYTES = 24 << 20,
	SYMBOLS = 3 /* of the class, of the method, its signature */
};

/* What tells one method from another at the same address. */
struct identity {
	uintptr_t constants;       /* ConstMethod */
	uintptr_t symbol[SYMBOLS]; /* Symbol */
	uint32_t mark[SYMBOLS];    /* of the symbol: its random number, its length */
};

struct entry {
	uintptr_t method;
	struct identity identity;
	uint32_t code_size;
	uint16_t flags;
	uint16_t length[SYMBOLS];
	uint32_t names;     /* offset */
	_Atomic bool whole; /* stored with release */
};

struct seen_methods {
	const struct vm_layout *vm;
	_Atomic uint32_t count; /* of entries, the first is none; may go beyond the end */
	_Atomic uint32_t bytes; /* of names; as well */
	_Atomic uint64_t lost;
	_Atomic uint32_t *slot;
	struct entry *entry;
	char *names;
};

/* ---- memory ---- */

static void *reserve(size_t bytes)
{
	void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return memory == MAP_FAILED ? NULL : memory;
}

static void give_back(void *memory, size_t bytes)
{
	if (memory)
		munmap(memory, bytes);
}

struct seen_methods *seen_methods_create(const struct vm_layout *layout)
{
	struct seen_methods *seen = reserve(sizeof(*seen));

	if (!seen)
		return NULL;
	seen->vm = layout;
	seen->count = 1;
	seen->slot = reserve(SLOTS * sizeof(*seen->slot));
	seen->entry = reserve(SEEN_METHODS_MAX * sizeof(*seen->entry));
	seen->names = reserve(NAME_BYTES);
	if (seen->slot && seen->entry && seen->names)
		return seen;
	seen_methods_destroy(seen);
	return NULL;
}

void seen_methods_destroy(struct seen_methods *seen)
{
	if (!seen)
		return;
	give_back(seen->slot, SLOTS * sizeof(*seen->slot));
	give_back(seen->entry, SEEN_METHODS_MAX * sizeof(*seen->entry));
	give_back(seen->names, NAME_BYTES);
	give_back(seen, sizeof(*seen));
}

/* ---- the JVM's Method ---- */

static bool pointer(uintptr_t at, uintptr_t *to)
{
	return safe_word(at, to) && *to != 0;
}

/* A Symbol begins with a random number and a count of references, 16 bits each, and its length. */
static bool mark_symbol(const struct vm_layout *vm, uintptr_t symbol, uint32_t *mark)
{
	uint16_t random, length;

	if (symbol % sizeof(symbol) != 0 || !safe_u16(symbol + 2, &random) ||
		!safe_u16(symbol + vm->symbol_length, &length))
		return false;
	*mark = (uint32_t)random << 16 | length;
	return true;
}

/* An entry of a constant pool that is a symbol. */
static bool pool_symbol(
	const struct vm_layout *vm, uintptr_t pool, uint16_t index, uintptr_t *symbol)
{
	return index > 0 && pointer(pool + vm->pool_bytes + index * sizeof(uintptr_t), symbol);
}

/* False: it is no Method, or cannot be read. */
static bool identify(const struct vm_layout *vm, uintptr_t method, struct identity *identity)
{
	uint16_t name, signature;
	uintptr_t pool, holder;
	uintptr_t *constants = &identity->constants;

	if (!pointer(method + vm->method_const, constants) ||
		!pointer(*constants + vm->const_constants, &pool) ||
		!safe_u16(*constants + vm->const_name, &name) ||
		!safe_u16(*constants + vm->const_signature, &signature) ||
		!pointer(pool + vm->pool_holder, &holder) ||
		!pointer(holder + vm->klass_name, &identity->symbol[0]) ||
		!pool_symbol(vm, pool, name, &identity->symbol[1]) ||
		!pool_symbol(vm, pool, signature, &identity->symbol[2]))
		return false;
	for (int i = 0; i < SYMBOLS; i++)
		if (!mark_symbol(vm, identity->symbol[i], &identity->mark[i]))
			return false;
	return true;
}

static bool same(const struct identity *a, const struct identity *b)
{
	return memcmp(a->symbol, b->symbol, sizeof(a->symbol)) == 0 &&
	       memcmp(a->mark, b->mark, sizeof(a->mark)) == 0 && a->constants == b->constants;
}

/* ---- numbers ---- */

/* True if they can be what a method is called: it is not nothing, and a signature has two parentheses and a type. Words
 * that lead to no method must not use up the names. */
static bool are_names(const struct seen_methods *seen, const struct identity *identity)
{
	uint8_t byte;

	for (int i = 0; i < SYMBOLS; i++) {
		uintptr_t body = identity->symbol[i] + seen->vm->symbol_body;
		uint16_t length = (uint16_t)identity->mark[i];

		if (length == 0 || !safe_u8(body + length - 1, &byte) || !safe_u8(body, &byte))
			return false;
	}
	return (uint16_t)identity->mark[SYMBOLS - 1] >= 3 && byte == '(';
}

/* What a method is called goes into the names. False: it cannot be read, or is full. */
static bool copy_names(
	struct seen_methods *seen, const struct identity *identity, struct entry *entry)
{
	uint32_t bytes = 0, at;

	for (int i = 0; i < SYMBOLS; i++) {
		entry->length[i] = (uint16_t)identity->mark[i];
		bytes += entry->length[i];
	}
	at = atomic_load_explicit(&seen->bytes, memory_order_relaxed);
	do {
		if (bytes > NAME_BYTES - at)
			return false;
	} while (!atomic_compare_exchange_weak(&seen->bytes, &at, at + bytes));
	entry->names = at;
	for (int i = 0; i < SYMBOLS; i++) {
		if (!safe_copy(seen->names + at, identity->symbol[i] + seen->vm->symbol_body,
			    entry->length[i]))
			return false;
		at += entry->length[i];
	}
	return true;
}

/* 0: there is no room. */
static uint32_t add(struct seen_methods *seen, struct entry fresh)
{
	uint32_t number;

	if (!copy_names(seen, &fresh.identity, &fresh))
		return 0;
	number = atomic_load_explicit(&seen->count, memory_order_relaxed);
	do {
		if (number >= SEEN_METHODS_MAX)
			return 0;
	} while (!atomic_compare_exchange_weak(&seen->count, &number, number + 1));
	memcpy(&seen->entry[number], &fresh, offsetof(struct entry, whole));
	atomic_store_explicit(&seen->entry[number].whole, true, memory_order_release);
	return number;
}

/* Methods are some 88 bytes apart. */
static uint32_t hash(uintptr_t method)
{
	return (uint32_t)(((method >> 3) * UINT64_C(0x9e3779b97f4a7c15)) >> 32);
}

uint32_t seen_method(struct seen_methods *seen, uintptr_t method)
{
	struct entry fresh = {.method = method};
	uint32_t at = hash(method), number;
	_Atomic uint32_t *slot = NULL;
	uint16_t size;

	if (method % sizeof(method) != 0 || !identify(seen->vm, method, &fresh.identity))
		return 0;
	for (int i = 0; i < PROBES; i++) {
		slot = &seen->slot[(at + (uint32_t)i) % SLOTS];
		number = atomic_load_explicit(slot, memory_order_acquire);
		if (number == 0 || seen->entry[number].method == method)
			break;
		slot = NULL;
	}
	if (slot && number > 0 && same(&seen->entry[number].identity, &fresh.identity))
		return number;
	if (!are_names(seen, &fresh.identity) ||
		!safe_u16(fresh.identity.constants + seen->vm->const_code_size, &size) ||
		!safe_u16(method + seen->vm->method_flags, &fresh.flags))
		return 0;
	fresh.code_size = size;
	number = slot ? add(seen, fresh) : 0;
	/* Another thread may add it as well: then it has two numbers, and one name. */
	if (number > 0)
		atomic_store_explicit(slot, number, memory_order_release);
	else
		atomic_fetch_add_explicit(&seen->lost, 1, memory_order_relaxed);
	return number;
}

/* ---- what is known of a number ---- */

uint32_t seen_method_code_size(const struct seen_methods *seen, uint32_t number)
{
	return seen->entry[number].code_size;
}

uintptr_t seen_method_code(const struct seen_methods *seen, uint32_t number)
{
	return seen->entry[number].identity.constants + seen->vm->const_bytes;
}

uint32_t seen_methods_end(const struct seen_methods *seen)
{
	return atomic_load_explicit(&seen->count, memory_order_acquire);
}

bool seen_method_names(
	const struct seen_methods *seen, uint32_t number, struct seen_names *names)
{
	const struct entry *entry = &seen->entry[number];

	if (!atomic_load_explicit(&entry->whole, memory_order_acquire))
		return false;
	*names = (struct seen_names){
		.class_name = seen->names + entry->names,
		.class_length = entry->length[0],
		.name_length = entry->length[1],
		.signature_length = entry->length[2],
		.flags = entry->flags,
		.method = entry->method,
	};
	names->name = names->class_name + names->class_length;
	names->signature = names->name + names->name_length;
	return true;
}

bool seen_method_is_there(const struct seen_methods *seen, uint32_t number)
{
	const struct entry *entry = &seen->entry[number];
	struct identity now;

	return identify(seen->vm, entry->method, &now) && same(&now, &entry->identity);
}

uint64_t seen_methods_lost(const struct seen_methods *seen)
{
	return atomic_load_explicit(&seen->lost, memory_order_relaxed);
}

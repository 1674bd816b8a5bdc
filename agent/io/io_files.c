/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * io_files: see io_files.h.
 *
 * Runs: on any thread. A part's lock is held for a look-up and a few stores; names are copied
 *       under it once.
 */
#include "agent/io/io_files.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_BUCKETS = 64 }; /* of a part, a power of two */

void io_files_init(struct io_files *files, uint32_t max)
{
	memset(files, 0, sizeof(*files));
	files->max = max < IO_FILES_MAX - IO_KINDS ? max : IO_FILES_MAX - IO_KINDS - 1;
	atomic_init(&files->rows, 1);
	for (int i = 0; i < IO_FILE_PARTS; i++)
		lock_init(&files->part[i].lock, LOCK_FILES);
}

static struct io_file *row(struct io_files *files, uint32_t id)
{
	struct io_file *block = atomic_load_explicit(
		&files->block[id / IO_FILE_BLOCK], memory_order_acquire);

	return block ? &block[id % IO_FILE_BLOCK] : NULL;
}

void io_files_fini(struct io_files *files)
{
	for (int i = 0; i < IO_FILE_PARTS; i++) {
		free(files->part[i].bucket);
		lock_fini(&files->part[i].lock);
	}
	for (uint32_t id = 1; id < files->rows; id++)
		if (row(files, id))
			free(row(files, id)->name);
	for (int i = 0; i < IO_FILE_BLOCKS; i++)
		free(files->block[i]);
}

/* FNV-1a, by eight bytes: paths are long, and differ at their ends. */
static uint64_t hash_bytes(uint64_t hash, struct io_name name)
{
	const uint64_t prime = 0x100000001b3;
	uint64_t word;
	size_t i = 0;

	for (; i + sizeof(word) <= name.length; i += sizeof(word)) {
		memcpy(&word, name.bytes + i, sizeof(word));
		hash = (hash ^ word) * prime;
		hash ^= hash >> 32;
	}
	for (; i < name.length; i++)
		hash = (hash ^ (unsigned char)name.bytes[i]) * prime;
	return (hash ^ name.length) * prime;
}

static uint32_t hash_of(const struct io_opening *opening)
{
	uint64_t hash = hash_bytes(0xcbf29ce484222325, opening->name);

	hash = hash_bytes(hash ^ (uint64_t)opening->kind << 32 ^ (uint32_t)opening->descriptor,
		opening->peer);
	return (uint32_t)(hash ^ hash >> 29);
}

static bool is_same(const char *bytes, uint32_t length, struct io_name name)
{
	return length == name.length && (length == 0 || memcmp(bytes, name.bytes, length) == 0);
}

static struct io_file **bucket_of(struct io_files_part *part, uint32_t hash)
{
	return &part->bucket[hash / IO_FILE_PARTS % part->buckets];
}

bool io_file_is(const struct io_file *file, const struct io_opening *opening)
{
	return file->kind == opening->kind && file->descriptor == opening->descriptor &&
	       is_same(file->name, file->name_length, opening->name) &&
	       is_same(file->peer, file->peer_length, opening->peer);
}

static struct io_file *find(
	struct io_files_part *part, uint32_t hash, const struct io_opening *opening)
{
	struct io_file *file = part->buckets ? *bucket_of(part, hash) : NULL;

	while (file && !(file->hash == hash && io_file_is(file, opening)))
		file = file->next;
	return file;
}

/* Doubles the buckets when there are as many rows. False: there are none at all. */
static bool make_buckets(struct io_files_part *part)
{
	uint32_t buckets = part->buckets ? part->buckets * 2 : FIRST_BUCKETS;
	struct io_files_part old = {.bucket = part->bucket, .buckets = part->buckets};
	struct io_file **fresh;

	if (part->files < part->buckets)
		return true;
	fresh = calloc(buckets, sizeof(*fresh));
	if (!fresh)
		return part->buckets > 0;
	part->bucket = fresh;
	part->buckets = buckets;
	for (uint32_t i = 0; i < old.buckets; i++) {
		for (struct io_file *file = old.bucket[i], *next; file; file = next) {
			next = file->next;
			file->next = *bucket_of(part, file->hash);
			*bucket_of(part, file->hash) = file;
		}
	}
	free(old.bucket);
	return true;
}

/* The block with that row, made if need be; two may try at the same time. */
static struct io_file *row_make(struct io_files *files, uint32_t id)
{
	_Atomic(struct io_file *) *block = &files->block[id / IO_FILE_BLOCK];
	struct io_file *none = NULL, *fresh;

	if (!atomic_load_explicit(block, memory_order_acquire)) {
		fresh = calloc(IO_FILE_BLOCK, sizeof(*fresh));
		if (!fresh)
			return NULL;
		if (!atomic_compare_exchange_strong(block, &none, fresh))
			free(fresh);
	}
	return row(files, id);
}

/* The next row. NULL: there are max, or no memory. */
static struct io_file *row_new(struct io_files *files, uint32_t max)
{
	uint32_t id = atomic_load(&files->rows);
	struct io_file *file;

	do {
		if (id > max)
			return NULL;
	} while (!atomic_compare_exchange_weak(&files->rows, &id, id + 1));
	file = row_make(files, id);
	if (file)
		file->id = id;
	return file;
}

/* Both names in one block, a NUL behind each. */
static char *copy_names(const struct io_opening *opening)
{
	char *names = malloc(opening->name.length + opening->peer.length + 2), *peer;

	if (!names)
		return NULL;
	if (opening->name.length)
		memcpy(names, opening->name.bytes, opening->name.length);
	names[opening->name.length] = '\0';
	peer = names + opening->name.length + 1;
	if (opening->peer.length)
		memcpy(peer, opening->peer.bytes, opening->peer.length);
	peer[opening->peer.length] = '\0';
	return names;
}

static struct io_file *add(struct io_files *files, struct io_files_part *part, uint32_t max,
	uint32_t hash, const struct io_opening *opening)
{
	char *names = copy_names(opening);
	struct io_file *file =
		names && make_buckets(part) ? row_new(files, max) : NULL;

	if (!file) {
		free(names);
		return NULL;
	}
	file->hash = hash;
	file->kind = opening->kind;
	file->descriptor = opening->descriptor;
	file->name = names;
	file->name_length = (uint32_t)opening->name.length;
	file->peer = names + opening->name.length + 1;
	file->peer_length = (uint32_t)opening->peer.length;
	file->ending = file_ending(file->name, file->name_length);
	file->next = *bucket_of(part, hash);
	*bucket_of(part, hash) = file;
	part->files++;
	return file;
}

void io_file_changed(struct io_files *files, struct io_file *file)
{
	atomic_store_explicit(&file->state, FILE_CHANGED, memory_order_release);
	atomic_store_explicit(&files->changed, true, memory_order_release);
}

void io_files_begin(struct io_files *files, uint32_t session)
{
	atomic_store(&files->session, session);
}

void io_file_take_rare(struct io_files *files, struct io_file *file)
{
	struct io_files_part *part = &files->part[file->hash % IO_FILE_PARTS];
	uint32_t session = atomic_load(&files->session);

	lock_take(&part->lock);
	if (atomic_load(&file->session) != session) {
		atomic_store(&file->path, 0);
		atomic_store(&file->session, session);
		io_file_changed(files, file);
	}
	lock_give(&part->lock);
}

static void note_opening(
	struct io_files *files, struct io_file *file, const struct io_opening *opening)
{
	uint32_t session = atomic_load_explicit(&files->session, memory_order_relaxed);

	atomic_store_explicit(&file->at, opening->at, memory_order_relaxed);
	atomic_store_explicit(&file->opener, opening->opener, memory_order_relaxed);
	atomic_store_explicit(&file->path, opening->session == session ? opening->path : 0,
		memory_order_relaxed);
	atomic_store_explicit(&file->session, session, memory_order_relaxed);
	atomic_store_explicit(&file->known, opening->known, memory_order_relaxed);
	io_file_changed(files, file);
}

/* What a file is charged to when there is no row for it. */
static struct io_opening nameless(const struct io_opening *opening)
{
	struct io_opening other = *opening;

	other.name = other.peer = (struct io_name){NULL, 0};
	other.descriptor = -1;
	return other;
}

static uint32_t open_as(
	struct io_files *files, uint32_t max, const struct io_opening *opening)
{
	uint32_t hash = hash_of(opening), id = 0;
	struct io_files_part *part = &files->part[hash % IO_FILE_PARTS];
	struct io_file *file;

	lock_take(&part->lock);
	file = find(part, hash, opening);
	if (!file)
		file = add(files, part, max, hash, opening);
	if (file) {
		note_opening(files, file, opening);
		id = file->id;
	}
	lock_give(&part->lock);
	return id;
}

bool io_files_has(struct io_files *files, const struct io_opening *opening)
{
	uint32_t hash = hash_of(opening);
	struct io_files_part *part = &files->part[hash % IO_FILE_PARTS];
	bool found;

	lock_take(&part->lock);
	found = find(part, hash, opening) != NULL;
	lock_give(&part->lock);
	return found;
}

uint32_t io_files_open(struct io_files *files, const struct io_opening *opening)
{
	struct io_opening other = nameless(opening);
	uint32_t id = open_as(files, files->max, opening);

	return id ? id : open_as(files, files->max + IO_KINDS, &other);
}

int io_files_visit(struct io_files *files, bool all,
	int (*show)(void *user, const struct io_file *file), void *user)
{
	uint32_t end = atomic_load(&files->rows);
	int status = 0;

	if (!atomic_exchange(&files->changed, false) && !all)
		return 0;
	for (uint32_t id = 1; id < end && status == 0; id++) {
		struct io_file *file = row(files, id);
		uint32_t state = file ? atomic_load(&file->state) : FILE_BEING_MADE;

		if (state == FILE_BEING_MADE || (state == FILE_SHOWN && !all) ||
			atomic_load(&file->session) != atomic_load(&files->session))
			continue;
		atomic_exchange(&file->state, FILE_SHOWN);
		status = show(user, file);
	}
	return status;
}

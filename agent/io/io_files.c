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

#include "agent/io/archive_files.h"
#include "agent/io/io_groups.h"

enum { FIRST_BUCKETS = 64 }; /* of a part, a power of two */

void io_files_init(struct io_files *files, uint32_t max)
{
	const uint32_t most = IO_FILES_MAX - IO_GROUPS_MAX - IO_KINDS - 1;

	memset(files, 0, sizeof(*files));
	files->max = max < most ? max : most;
	files->keep = UINT32_MAX;
	atomic_init(&files->rows, 1);
	for (int i = 0; i < IO_FILE_PARTS; i++)
		lock_init(&files->part[i].lock, LOCK_FILES);
	lock_init(&files->lock, LOCK_FILE_SLOTS);
}

static struct io_file *row(struct io_files *files, uint32_t place)
{
	struct io_file *block = atomic_load_explicit(
		&files->block[place / IO_FILE_BLOCK], memory_order_acquire);

	return block ? &block[place % IO_FILE_BLOCK] : NULL;
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

/* ---- rows ---- */

static void give_free(struct io_files *files, struct io_file *file)
{
	archive_files_forget(file);
	free(file->name);
	file->name = file->peer = NULL;
	file->in_file = file->dropped = file->kept = false;
	atomic_store(&file->state, FILE_BEING_MADE);
	lock_take(&files->lock);
	file->next = files->free;
	files->free = file;
	lock_give(&files->lock);
}

/* A row for that, made if need be, at a place that a folded row had, or that none had before;
 * groups have ids that are places. NULL: there are too many, or no memory. */
static struct io_file *row_new(struct io_files *files, bool is_group)
{
	uint32_t max = is_group ? IO_FILES_MAX - 1 : files->max + atomic_load(&files->groups);
	uint32_t place = 0;
	struct io_file *file = NULL, *none = NULL, *fresh;
	_Atomic(struct io_file *) *block;

	if (!is_group) {
		lock_take(&files->lock);
		file = files->free;
		if (file) {
			files->free = file->next;
			place = io_file_place(file->id);
		}
		lock_give(&files->lock);
	}
	if (place == 0) {
		place = atomic_load(&files->rows);
		do {
			if (place > max)
				return NULL;
		} while (!atomic_compare_exchange_weak(&files->rows, &place, place + 1));
	}
	block = &files->block[place / IO_FILE_BLOCK];
	if (!atomic_load_explicit(block, memory_order_acquire)) {
		fresh = calloc(IO_FILE_BLOCK, sizeof(*fresh));
		if (!fresh)
			return NULL;
		/* Another thread may have made it meanwhile. */
		if (!atomic_compare_exchange_strong(block, &none, fresh))
			free(fresh);
	}
	file = row(files, place);
	file->id = io_file_id(file, place);
	return file;
}

/* What the end of a name says of what is in the file. */
static const struct {
	const char *text;
	uint32_t means;
} endings[] = {
	{".jar", ENDS_AS_ARCHIVE | ENDS_AS_CLASSES},
	{".zip", ENDS_AS_ARCHIVE | ENDS_AS_CLASSES},
	{".war", ENDS_AS_ARCHIVE | ENDS_AS_CLASSES},
	{".ear", ENDS_AS_ARCHIVE | ENDS_AS_CLASSES},
	{".jmod", ENDS_AS_CLASSES},
	{".class", ENDS_AS_CLASSES},
};

/* Both bits, or one, or 0. */
static uint32_t file_ending(const char *name, size_t length)
{
	for (size_t i = 0; i < sizeof(endings) / sizeof(*endings); i++) {
		size_t end = strlen(endings[i].text);

		if (length > end && memcmp(name + length - end, endings[i].text, end) == 0)
			return endings[i].means;
	}
	return 0;
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

static struct io_ref ref_of(const struct io_file *file)
{
	return io_ref_of(file->id, atomic_load_explicit(&file->traits, memory_order_relaxed));
}

/* Under the part's lock. group: the place of the row's; 0: it is one. */
static struct io_file *add(struct io_files *files, struct io_files_part *part, uint32_t hash,
	const struct io_opening *opening, uint32_t group)
{
	char *names = copy_names(opening);
	struct io_file *file = names && make_buckets(part) ? row_new(files, group == 0) : NULL;

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
	file->group = group ? group : io_file_place(file->id);
	atomic_store_explicit(&file->traits,
		(uint64_t)file->group << 32 | (uint64_t)file->kind << 8 |
			file_ending(file->name, file->name_length),
		memory_order_release);
	atomic_store(&file->first, 0);
	atomic_store(&file->used, 0);
	atomic_store(&file->session, 0);
	atomic_store(&file->state, FILE_SHOWN);
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

/* ---- sessions ---- */

void io_files_begin(struct io_files *files, uint32_t session, uint32_t keep, bool keep_names)
{
	uint32_t end = atomic_load(&files->rows);

	files->keep = keep;
	files->keep_names = keep_names;
	files->waiting = false;
	for (int i = 0; i < IO_CLASSES; i++)
		atomic_store(&files->folded[i], 0);
	atomic_store(&files->session, session);
	for (uint32_t place = 1; place < end; place++) {
		struct io_file *file = row(files, place);

		if (!file || atomic_load(&file->state) == FILE_BEING_MADE)
			continue;
		if (atomic_load(&file->state) == FILE_FOLDED)
			give_free(files, file);
		file->in_file = file->kept = false;
	}
}

/* Under the part's lock. */
static void take(struct io_files *files, struct io_file *file)
{
	uint32_t session = atomic_load(&files->session);

	if (atomic_load(&file->session) == session)
		return;
	atomic_store(&file->node, 0);
	atomic_store(&file->folded, 0);
	if (file->descriptor == IO_GROUP) {
		atomic_store(&file->first, 0);
		atomic_store(&file->at, 0);
	}
	atomic_store(&file->session, session);
	io_file_changed(files, file);
}

void io_files_take_rare(struct io_files *files, uint64_t id)
{
	struct io_file *file = io_files_hold(files, id);
	struct io_files_part *part;

	if (!file)
		return;
	part = &files->part[file->hash % IO_FILE_PARTS];
	lock_take(&part->lock);
	take(files, file);
	lock_give(&part->lock);
	io_file_release(file);
}

/* ---- openings ---- */

/* Under the part's lock: the row is of this opening. */
static void note_opening(
	struct io_files *files, struct io_file *file, const struct io_opening *opening)
{
	uint32_t session = atomic_load_explicit(&files->session, memory_order_relaxed);

	/* Names alone have no openings. */
	if (opening->at == 0 && atomic_load(&file->session) == session)
		return;
	atomic_store_explicit(&file->at, opening->at, memory_order_relaxed);
	if (atomic_load_explicit(&file->first, memory_order_relaxed) == 0)
		atomic_store_explicit(&file->first, opening->at, memory_order_relaxed);
	atomic_store_explicit(&file->opener, opening->opener, memory_order_relaxed);
	atomic_store_explicit(&file->node, opening->session == session ? opening->node : 0,
		memory_order_relaxed);
	atomic_store_explicit(&file->session, session, memory_order_relaxed);
	atomic_store_explicit(&file->known, opening->known, memory_order_relaxed);
	io_file_changed(files, file);
}

/* group 0: only if the row is there. id 0: it is not, or there is no room for it. */
static struct io_ref open_as(
	struct io_files *files, const struct io_opening *opening, bool hold, uint32_t group)
{
	uint32_t hash = hash_of(opening);
	struct io_files_part *part = &files->part[hash % IO_FILE_PARTS];
	struct io_ref ref = {0};
	struct io_file *file;

	lock_take(&part->lock);
	file = find(part, hash, opening);
	if (!file && group) {
		file = add(files, part, hash, opening, group);
		atomic_fetch_add(&files->made, 1);
	}
	if (file) {
		note_opening(files, file, opening);
		if (hold)
			atomic_fetch_add(&file->life, 1);
		ref = ref_of(file);
	}
	lock_give(&part->lock);
	return ref;
}

/* ---- groups ---- */

/* The place of that group, made if there may be one more of them; 0: there is none. */
static uint32_t group_find(
	struct io_files *files, const struct io_opening *opening, uint32_t max)
{
	uint32_t hash = hash_of(opening);
	struct io_files_part *part = &files->part[hash % IO_FILE_PARTS];
	struct io_file *file;

	lock_take(&part->lock);
	file = find(part, hash, opening);
	if (!file && atomic_load(&files->groups) < max) {
		file = add(files, part, hash, opening, 0);
		atomic_fetch_add(&files->groups, file != NULL);
	}
	lock_give(&part->lock);
	return file ? file->group : 0;
}

bool io_files_has(struct io_files *files, const struct io_opening *opening)
{
	return group_find(files, opening, 0) != 0;
}

/* The group of what is opened: the finest that there is room for. 0: no memory. */
static uint32_t group_for(struct io_files *files, const struct io_opening *opening)
{
	struct io_group_text text;
	struct io_opening group = io_group_of(opening, GRAIN_FINE, &text);
	uint32_t fine = group_find(files, &group, 0), coarse;

	if (fine)
		return fine;
	group = io_group_of(opening, GRAIN_COARSE, &text);
	coarse = group_find(files, &group, IO_GROUPS_MAX);
	if (coarse && atomic_load(&io_files_at(files, coarse)->members) < IO_GROUP_MEMBERS) {
		atomic_fetch_add(&io_files_at(files, coarse)->members, 1);
		group = io_group_of(opening, GRAIN_FINE, &text);
		fine = group_find(files, &group, IO_GROUPS_MAX);
	}
	if (fine || coarse)
		return fine ? fine : coarse;
	group = io_group_of(opening, GRAIN_KIND, &text);
	return group_find(files, &group, UINT32_MAX);
}

static enum io_class class_of(enum io_kind kind)
{
	if (kind == IO_ENTRY)
		return CLASS_ENTRIES;
	return io_kind_is_socket(kind) ? CLASS_CONNECTIONS : CLASS_FILES;
}

/* One file more is in the group. at: its last opening, first: its first one. */
static void join(struct io_files *files, struct io_file *group, uint64_t first, uint64_t at)
{
	struct io_files_part *part = &files->part[group->hash % IO_FILE_PARTS];
	uint64_t earliest;

	lock_take(&part->lock);
	take(files, group);
	earliest = atomic_load(&group->first);
	if (earliest == 0 || (first != 0 && first < earliest))
		atomic_store(&group->first, first);
	if (at > atomic_load(&group->at))
		atomic_store(&group->at, at);
	atomic_store(&group->known, KNOWN_OPEN);
	atomic_fetch_add(&group->folded, 1);
	io_file_changed(files, group);
	lock_give(&part->lock);
	atomic_fetch_add(&files->folded[class_of(group->kind)], 1);
}

struct io_ref io_files_open(struct io_files *files, const struct io_opening *opening, bool hold)
{
	struct io_ref ref = open_as(files, opening, hold, 0);
	struct io_file *group;
	uint32_t place;

	if (ref.id != 0)
		return ref;
	place = group_for(files, opening);
	if (place == 0)
		return ref;
	ref = open_as(files, opening, hold, place);
	if (ref.id != 0)
		return ref;
	/* There is no room for a row of its own. */
	group = io_files_at(files, place);
	join(files, group, opening->at, opening->at);
	if (hold)
		atomic_fetch_add(&group->life, 1);
	return ref_of(group);
}

struct io_file *io_files_hold(struct io_files *files, uint64_t id)
{
	uint32_t place = io_file_place(id);
	struct io_file *file = id ? io_files_at(files, place) : NULL;
	uint64_t life = file ? atomic_load(&file->life) : 0;

	do {
		if ((life >> IO_HOLD_BITS << IO_PLACE_BITS | place) != id)
			return NULL;
	} while (!atomic_compare_exchange_weak(&file->life, &life, life + 1));
	return file;
}

struct io_file *io_files_hold_place(struct io_files *files, uint32_t place)
{
	struct io_file *file = row(files, place);

	return file ? io_files_hold(files, io_file_id(file, place)) : NULL;
}

/* ---- folding ---- */

/* A row that may be folded. */
struct candidate {
	struct io_file *file;
	enum io_class class;
	uint64_t used;
};

static int compare_candidates(const void *left, const void *right)
{
	const struct candidate *a = left, *b = right;

	if (a->class != b->class)
		return a->class < b->class ? -1 : 1;
	return (a->used > b->used) - (a->used < b->used);
}

/* Takes the row out of the table, if nothing needs it to stay: its id is void from then on. */
static bool retire(struct io_files *files, struct io_file *file)
{
	struct io_files_part *part = &files->part[file->hash % IO_FILE_PARTS];
	struct io_file **link;
	uint64_t life;
	bool retired;

	lock_take(&part->lock);
	life = atomic_load(&file->life) >> IO_HOLD_BITS << IO_HOLD_BITS;
	retired = atomic_compare_exchange_strong(
		&file->life, &life, life + (UINT64_C(1) << IO_HOLD_BITS));
	for (link = bucket_of(part, file->hash); retired && *link != file;
		link = &(*link)->next)
		;
	if (retired) {
		*link = file->next;
		part->files--;
	}
	lock_give(&part->lock);
	return retired;
}

static bool is_of_session(const struct io_files *files, const struct io_file *file)
{
	return atomic_load(&file->session) == atomic_load(&files->session);
}

static bool fold(struct io_files *files, struct io_file *file)
{
	bool is_session = is_of_session(files, file);

	if (!retire(files, file))
		return false;
	archive_files_forget(file);
	if (is_session)
		join(files, io_files_at(files, file->group), atomic_load(&file->first),
			atomic_load(&file->at));
	if (!is_session || !file->in_file) {
		give_free(files, file);
		return true;
	}
	files->waiting = true;
	atomic_store(&file->state, FILE_FOLDED);
	atomic_store(&files->changed, true);
	return true;
}

/* Those of the table that nothing needs to stay; rows of earlier sessions are folded at
 * once. */
static uint32_t find_candidates(
	struct io_files *files, struct candidate *candidate, uint32_t end)
{
	uint32_t count = 0;

	for (uint32_t place = 1; place < end; place++) {
		struct io_file *file = row(files, place);
		uint32_t state = file ? atomic_load(&file->state) : FILE_BEING_MADE;

		if (state == FILE_BEING_MADE || state == FILE_FOLDED ||
			file->descriptor == IO_GROUP ||
			atomic_load(&file->life) << (64 - IO_HOLD_BITS) != 0)
			continue;
		if (!is_of_session(files, file)) {
			fold(files, file);
			continue;
		}
		/* Its name is not in the profile yet. */
		if (files->keep_names && !file->in_file)
			continue;
		candidate[count++] = (struct candidate){.file = file,
			.class = class_of(file->kind),
			.used = atomic_load_explicit(&file->used, memory_order_relaxed)};
	}
	return count;
}

bool io_files_fold(struct io_files *files, bool force)
{
	uint32_t end = atomic_load(&files->rows), count, of_class[IO_CLASSES] = {0};
	struct candidate *candidate;
	bool folded = false;

	if (!force && atomic_load(&files->made) < files->keep)
		return false;
	atomic_store(&files->made, 0);
	candidate = end > files->keep ? malloc(end * sizeof(*candidate)) : NULL;
	if (!candidate)
		return false;
	count = find_candidates(files, candidate, end);
	qsort(candidate, count, sizeof(*candidate), compare_candidates);
	for (uint32_t i = 0; i < count; i++)
		of_class[candidate[i].class]++;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t *left = &of_class[candidate[i].class];

		if (*left <= files->keep || !fold(files, candidate[i].file))
			continue;
		folded = true;
		--*left;
	}
	free(candidate);
	return folded;
}

/* ---- for the writer ---- */

int io_files_visit(struct io_files *files, bool all,
	int (*show)(void *user, const struct io_file *file), void *user)
{
	uint32_t end = atomic_load(&files->rows);
	int status = 0;

	if (!atomic_exchange(&files->changed, false) && !all)
		return 0;
	for (uint32_t place = 1; place < end && status == 0; place++) {
		struct io_file *file = row(files, place);
		uint32_t state = file ? atomic_load(&file->state) : FILE_BEING_MADE;

		if (state == FILE_BEING_MADE || !is_of_session(files, file))
			continue;
		/* A group that nothing was folded into yet; what was shown already. */
		if ((file->descriptor == IO_GROUP && atomic_load(&file->folded) == 0) ||
			(!all && (state == FILE_SHOWN ||
					 (state == FILE_FOLDED && file->dropped))))
			continue;
		if (state == FILE_FOLDED) {
			file->dropped = true;
		} else {
			atomic_exchange(&file->state, FILE_SHOWN);
			file->in_file = true;
		}
		status = show(user, file);
	}
	return status;
}

void io_files_shown(struct io_files *files, bool referred)
{
	uint32_t end = atomic_load(&files->rows);
	bool waiting = false;

	if (!files->waiting && !referred)
		return;
	for (uint32_t place = 1; place < end; place++) {
		struct io_file *file = row(files, place);

		if (!file || atomic_load(&file->state) == FILE_BEING_MADE)
			continue;
		if (atomic_load(&file->state) == FILE_FOLDED && file->dropped)
			give_free(files, file);
		else if (atomic_load(&file->state) == FILE_FOLDED)
			waiting = true;
		else if (referred && file->in_file)
			file->kept = true;
	}
	files->waiting = waiting;
}

/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * io_files: what I/O is done with, each once: files, directories, connections, pipes,
 * terminals.
 *
 *   kind, descriptor, name, peer --> struct io_file --> its id, which operations are charged to
 *
 * The same path opened again as the same number is the same row: a program that opens a file a
 * million times has one. A row belongs to a group (io_groups.h), a row for all files or
 * connections that have something in common; groups are few, and stay. Where many rows have no
 * descriptor, those used least are folded: their place is given to other files, and their
 * operations are their group's from then on. An id is never used again: io_files_now tells of
 * an old one that it is the group's.
 *
 * Owns: rows, in blocks, and names. Blocks stay: a row may be looked at while its place becomes
 *       another file's; the id tells. Rows are made only for what is used while something is
 *       recorded.
 * Runs: on any thread; folding and showing on one thread at a time, the writer's.
 */
#ifndef JPROF_IO_FILES_H
#define JPROF_IO_FILES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "agent/lock/lock.h"
#include "profile/kinds.h"

/* Bytes as the system has them; a name need not be UTF-8. */
struct io_name {
	const char *bytes;
	size_t length;
};

/* What the end of a file's name says of what is in it. */
enum {
	ENDS_AS_ARCHIVE = 1, /* of the format of zip */
	ENDS_AS_CLASSES = 2  /* a class loader may read it */
};

/* Which side of a connection asked for it. */
enum io_side { SIDE_UNKNOWN, SIDE_ACCEPTED, SIDE_CONNECTED };

/* An open, a connect, an accept; or what was found open. */
struct io_opening {
	enum io_kind kind;
	enum io_known known;
	enum io_side side;
	int descriptor;
	struct io_name name; /* path; local address */
	struct io_name peer; /* remote address; empty: none */
	uint64_t at;         /* ns of CLOCK_MONOTONIC; 0: not known */
	uint32_t opener;     /* io_openers.h; 0: not known */
	uint64_t node;       /* that opened it: row of the trace << 32 | id; 0: not known */
	uint32_t session;    /* whose node that is */
};

/* A row, for what charges operations to it: valid for ever, whatever becomes of the row. */
struct io_ref {
	uint64_t id;    /* 0: none */
	uint32_t group; /* the id of its group; its own, if it is one */
	uint8_t kind;   /* enum io_kind */
	uint8_t ending; /* ENDS_AS_... */
};

enum io_file_state {
	FILE_BEING_MADE,
	FILE_SHOWN,
	FILE_CHANGED, /* not shown as it is now */
	FILE_FOLDED   /* was shown, and is to be shown as folded: then its place is free */
};

struct io_file {
	/* turn << IO_HOLD_BITS | descriptors that are this file, and others that need the row.
	 * The turn rises when the row is folded. */
	_Atomic uint64_t life;
	/* Those of the row's io_ref, packed: group << 32 | kind << 8 | ending. */
	_Atomic uint64_t traits;
	_Atomic uint64_t used;    /* see io_files_use: what was used least is folded first */
	_Atomic uint32_t session; /* the last one that it was open or used in */
	/* Constant while the row is this file. */
	uint64_t id;
	uint32_t hash;
	enum io_kind kind;
	int descriptor;    /* IO_GROUP: a group */
	char *name, *peer; /* NUL behind each */
	uint32_t name_length, peer_length;
	uint32_t group; /* the place of its group */
	/* Of the last opening. Written under the part's lock, read without. */
	_Atomic uint64_t at, first; /* first: of the first one */
	_Atomic uint64_t node;
	_Atomic uint32_t opener;
	_Atomic uint32_t known;
	_Atomic uint32_t state; /* enum io_file_state; stored behind the rest */
	/* Of a group: files folded into it in its session; groups below it that were made. */
	_Atomic uint64_t folded;
	_Atomic uint32_t members;
	struct io_archive *_Atomic archive; /* archive_files.h; NULL: not asked for */
	struct io_file *next; /* under the part's lock; in the list of free ones */
	/* The writer's. */
	bool in_file, dropped; /* shown; shown as folded */
	bool kept;             /* the profile goes on to refer to it */
};

enum {
	IO_FILE_PARTS = 64,
	IO_FILE_BLOCK = 1024, /* rows */
	IO_FILE_BLOCKS = 1024,
	IO_PLACE_BITS = 20,
	IO_FILES_MAX = 1 << IO_PLACE_BITS,
	IO_HOLD_BITS = 22,
	IO_GROUP = -2,        /* the descriptor of groups */
	IO_GROUPS_MAX = 4096, /* and one for each kind */
	IO_GROUP_MEMBERS = 32 /* groups of names in a folder, of hosts at a port */
};
_Static_assert(IO_FILES_MAX == IO_FILE_BLOCK * IO_FILE_BLOCKS, "places have IO_PLACE_BITS");

/* Rows that are folded apart: many of one class do not push out those of the others. */
enum io_class { CLASS_FILES, CLASS_CONNECTIONS, CLASS_ENTRIES, IO_CLASSES };

/* A part of the table: rows whose hash ends so. All under its lock. */
struct io_files_part {
	struct lock lock; /* LOCK_FILES */
	struct io_file **bucket;
	uint32_t buckets, files;
};

struct io_files {
	_Atomic uint32_t session; /* the one that records, or the last that did */
	_Atomic(struct io_file *) block[IO_FILE_BLOCKS]; /* rows by place */
	struct io_files_part part[IO_FILE_PARTS];
	_Atomic uint32_t rows; /* places that were ever used; 0 is none */
	_Atomic bool changed;  /* a row may be FILE_CHANGED or FILE_FOLDED */
	uint32_t max;          /* beyond so many rows, files are charged to their groups */
	struct lock lock;      /* LOCK_FILE_SLOTS */
	struct io_file *free;  /* under it */
	_Atomic uint32_t groups;
	_Atomic uint32_t made; /* rows since they were last folded */
	uint32_t keep;   /* rows of each class that stay when no descriptor refers to them */
	bool keep_names; /* the profile goes on to refer to folded rows */
	bool waiting;    /* the writer's: rows are FILE_FOLDED */
	_Atomic uint64_t folded[IO_CLASSES]; /* in this session */
};

/* Stays as long as the process. */
void io_files_init(struct io_files *files, uint32_t max);

/* The row of a place. */
static inline struct io_file *io_files_at(struct io_files *files, uint32_t place)
{
	return &atomic_load_explicit(&files->block[place / IO_FILE_BLOCK],
		memory_order_acquire)[place % IO_FILE_BLOCK];
}

static inline uint32_t io_file_place(uint64_t id)
{
	return (uint32_t)id & (IO_FILES_MAX - 1);
}

/* The id of the file that the row at that place is now. */
static inline uint64_t io_file_id(const struct io_file *file, uint32_t place)
{
	return atomic_load_explicit(&file->life, memory_order_acquire) >>
		       IO_HOLD_BITS << IO_PLACE_BITS |
	       place;
}

static inline uint32_t io_file_ending(const struct io_file *file)
{
	return (uint8_t)atomic_load_explicit(&file->traits, memory_order_relaxed);
}

/* What operations of that file and group are charged to now. */
static inline uint64_t io_files_now(struct io_files *files, uint64_t id, uint32_t group)
{
	uint32_t place = io_file_place(id);

	return io_file_id(io_files_at(files, place), place) == id ? id : group;
}

static inline struct io_ref io_ref_of(uint64_t id, uint64_t traits)
{
	return (struct io_ref){.id = id,
		.group = (uint32_t)(traits >> 32),
		.kind = (uint8_t)(traits >> 8),
		.ending = (uint8_t)traits};
}

static inline uint64_t io_ref_traits(struct io_ref ref)
{
	return (uint64_t)ref.group << 32 | (uint64_t)ref.kind << 8 | ref.ending;
}

/* That of the row at a place; of something else, if the row is folded meanwhile. */
static inline struct io_ref io_files_ref(struct io_files *files, uint32_t place)
{
	const struct io_file *file = io_files_at(files, place);
	uint64_t id = io_file_id(file, place);

	return io_ref_of(id, atomic_load_explicit(&file->traits, memory_order_acquire));
}

/* An operation of that file was of so many bytes: each counts for a KB more. */
static inline void io_files_use(struct io_files *files, uint64_t id, uint64_t bytes)
{
	_Atomic uint64_t *used = &io_files_at(files, io_file_place(id))->used;

	/* Of two threads at a time one may be missed: it is for the order alone. */
	atomic_store_explicit(used,
		atomic_load_explicit(used, memory_order_relaxed) + bytes + 1024,
		memory_order_relaxed);
}

/* The row of what was opened, made if need be; its group's, if there is no room. hold: it stays
 * until it is released. id 0: no memory. */
struct io_ref io_files_open(
	struct io_files *files, const struct io_opening *opening, bool hold);

/* The row, if it is still that file, until it is released; or NULL. */
struct io_file *io_files_hold(struct io_files *files, uint64_t id);

/* The row of a place, whatever file that is; NULL: there is none. */
struct io_file *io_files_hold_place(struct io_files *files, uint32_t place);

/* Descriptors, and others that hold it. */
static inline uint32_t io_file_holds(const struct io_file *file)
{
	return (uint32_t)atomic_load(&file->life) & ((UINT32_C(1) << IO_HOLD_BITS) - 1);
}

static inline void io_file_release(struct io_file *file)
{
	atomic_fetch_sub_explicit(&file->life, 1, memory_order_release);
}

/* True if the opening's row is there. */
bool io_files_has(struct io_files *files, const struct io_opening *opening);

/* Another session begins: rows are shown to it once they are opened, or taken by it. keep,
 * keep_names: see struct io_files. */
void io_files_begin(struct io_files *files, uint32_t session, uint32_t keep, bool keep_names);

/* The session uses the row; nodes of another session mean nothing to it. */
void io_files_take_rare(struct io_files *files, uint64_t id);

static inline void io_files_take(struct io_files *files, uint64_t id)
{
	const struct io_file *file = io_files_at(files, io_file_place(id));

	if (__builtin_expect(
		    atomic_load_explicit(&file->session, memory_order_relaxed) !=
			    atomic_load_explicit(&files->session, memory_order_relaxed),
		    0))
		io_files_take_rare(files, id);
}

/* Something of the row, which is shown, is another now. */
void io_file_changed(struct io_files *files, struct io_file *file);

/* True if the opening is of that row, which is held. */
bool io_file_is(const struct io_file *file, const struct io_opening *opening);

/* ---- the writer's, on one thread at a time ---- */

/* Folds the rows without descriptors that were used least, when a class has more of them than
 * are to be kept; force: even where few were made since the last time. True: some were. */
bool io_files_fold(struct io_files *files, bool force);

/* Shows the session's rows that are new, changed or folded since they were shown, or all.
 * Without a lock. 0, or show's negative code, which ends it. */
int io_files_visit(struct io_files *files, bool all,
	int (*show)(void *user, const struct io_file *file), void *user);

/* What was shown has arrived: places of folded rows are free. referred: something will refer to
 * what was shown as it is now. */
void io_files_shown(struct io_files *files, bool referred);

/* Of a row that is shown: the id of what it was folded into; 0: it was not. */
static inline uint64_t io_file_into(const struct io_file *file)
{
	return atomic_load(&file->state) == FILE_FOLDED ? file->group : 0;
}

#endif

/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * io_words: the kinds of what I/O is done with, and their names in the profile, each once.
 */
#ifndef JPROF_IO_WORDS_H
#define JPROF_IO_WORDS_H

/* Kind of what operations are done with, its name. */
#define IO_KIND_TABLE(X)                                                                       \
	X(IO_OTHER, "other") /* epoll, eventfd, inotify, what is not known */                  \
	X(IO_FILE, "file")                                                                     \
	X(IO_DIRECTORY, "directory")                                                           \
	X(IO_TCP, "tcp")                                                                       \
	X(IO_UDP, "udp")                                                                       \
	X(IO_UNIX, "unix")                                                                     \
	X(IO_PIPE, "pipe")                                                                     \
	X(IO_TERMINAL, "terminal")                                                             \
	X(IO_HOST, "host")   /* a name that was looked up; not a descriptor */                 \
	X(IO_ENTRY, "entry") /* of an archive, whose path is its peer: what was read of the  \
	                      * archive once more */

enum io_kind {
#define X(kind, name) kind,
	IO_KIND_TABLE(X)
#undef X
		IO_KINDS
};

/* How something came to be known: its opening was seen, or it was found open. */
enum io_known { KNOWN_OPEN, KNOWN_ATTACH };

static inline int io_kind_is_socket(enum io_kind kind)
{
	return kind == IO_TCP || kind == IO_UDP || kind == IO_UNIX;
}

/* By enum io_kind; NULL behind the last. */
extern const char *const io_kind_names[IO_KINDS + 1];

/* "tcp". Static. */
const char *io_kind_name(enum io_kind kind);

/* The one of that name; IO_KINDS: there is none. */
enum io_kind io_kind_find(const char *name);

#endif

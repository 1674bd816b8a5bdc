/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * io_words: the kinds of I/O operations and of what they are done with, and their names in
 * the profile, each once.
 */
#ifndef JPROF_IO_WORDS_H
#define JPROF_IO_WORDS_H

/* Operation, its name, the group of columns that reports show it in. */
#define IO_OP_TABLE(X)                                                                   \
	X(IO_OPEN, "open", "opens")                                                      \
	X(IO_CLOSE, "close", "closes")                                                   \
	X(IO_READ, "read", "reads")                                                      \
	X(IO_WRITE, "write", "writes")                                                   \
	X(IO_RECEIVE, "receive", "received") /* a read from a socket */                  \
	X(IO_SEND, "send", "sent")           /* a write to one */                        \
	X(IO_CONNECT, "connect", "connects")                                             \
	X(IO_ACCEPT, "accept", "accepts") /* charged to the listening socket */          \
	X(IO_DELETE, "delete", "deletes")                                                \
	X(IO_MOVE, "move", "moves") /* rename(2), charged to the old name */             \
	X(IO_MAP, "map", "maps")    /* mmap(2): bytes mapped */                          \
	X(IO_SYNC, "sync", "syncs") /* fsync(2) and its like */                          \
	X(IO_RESOLVE, "resolve", "resolves") /* a host name or address looked up */

enum io_op {
#define X(op, name, group) op,
	IO_OP_TABLE(X)
#undef X
	IO_OPS
};

/* Kind of what operations are done with, its name. */
#define IO_KIND_TABLE(X)                                                                 \
	X(IO_OTHER, "other") /* epoll, eventfd, inotify, what is not known */            \
	X(IO_FILE, "file")                                                               \
	X(IO_DIRECTORY, "directory")                                                     \
	X(IO_TCP, "tcp")                                                                 \
	X(IO_UDP, "udp")                                                                 \
	X(IO_UNIX, "unix")                                                               \
	X(IO_PIPE, "pipe")                                                               \
	X(IO_TERMINAL, "terminal")                                                       \
	X(IO_HOST, "host")   /* a name that was looked up; not a descriptor */         \
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

/* "read"; "tcp". Static. */
const char *io_op_name(enum io_op op);
const char *io_op_group(enum io_op op);
const char *io_kind_name(enum io_kind kind);

/* The one of that name; IO_OPS, IO_KINDS: there is none. */
enum io_op io_op_find(const char *name);
enum io_kind io_kind_find(const char *name);

#endif

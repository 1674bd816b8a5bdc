/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * kinds: the numbers and words that the agent, the file and the reports share.
 *
 * A kind of account is a row: its name in the profile, what its subject is, and the group of columns that
 * reports show it in. What counts it adds to an account (agent/trace/accounts.h); everything between, the
 * visit, the file, its reader and intervals, treats all kinds alike.
 */
#ifndef JPROF_PROFILE_KINDS_H
#define JPROF_PROFILE_KINDS_H

/* Ids that are no method's. */
enum {
	METHOD_ROOT = 0,   /* a thread's root: what runs outside every included method */
	METHOD_FOLDED = 1, /* a fold: below it are methods whose paths were given up */
	METHOD_FIRST = 2   /* the first real method's id */
};

/* ---- accounts: what is summed up by call path and subject, and recorded one by one ---- */

/* Subject 0: not known, or none. */
enum subject {
	SUBJECT_FILE, /* a file's id (table file): it may become its group's */
	SUBJECT_NONE  /* the call path alone tells: what it is about is always 0 */
};

#define ACCOUNT_KIND_TABLE(X)                                                                  \
	X(IO_OPEN, "open", SUBJECT_FILE, "opens")                                              \
	X(IO_CLOSE, "close", SUBJECT_FILE, "closes")                                           \
	X(IO_READ, "read", SUBJECT_FILE, "reads")                                              \
	X(IO_WRITE, "write", SUBJECT_FILE, "writes")                                           \
	X(IO_RECEIVE, "receive", SUBJECT_FILE, "received") /* a read from a socket */          \
	X(IO_SEND, "send", SUBJECT_FILE, "sent")           /* a write to one */                \
	X(IO_CONNECT, "connect", SUBJECT_FILE, "connects")                                     \
	X(IO_ACCEPT, "accept", SUBJECT_FILE, "accepts") /* of the listening socket */          \
	X(IO_DELETE, "delete", SUBJECT_FILE, "deletes")                                        \
	X(IO_MOVE, "move", SUBJECT_FILE, "moves")          /* rename(2), of the old name */    \
	X(IO_MAP, "map", SUBJECT_FILE, "maps")             /* mmap(2): bytes mapped */         \
	X(IO_SYNC, "sync", SUBJECT_FILE, "syncs")          /* fsync(2) and its like */         \
	X(IO_RESOLVE, "resolve", SUBJECT_FILE, "resolves") /* a host name looked up */

enum account_kind {
#define X(kind, name, subject, group) kind,
	ACCOUNT_KIND_TABLE(X)
#undef X
		ACCOUNT_KINDS,
	IO_OPS = IO_RESOLVE + 1 /* operations of I/O are the first ones */
};

/* By kind; NULL behind the last. */
extern const char *const account_kind_names[ACCOUNT_KINDS + 1];

/* "reads". Static. */
const char *account_kind_group(enum account_kind kind);
enum subject account_kind_subject(enum account_kind kind);

/* ---- what I/O is done with ---- */

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

#endif

/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * account_kinds: what is summed up by call path and subject, and recorded one by one.
 *
 * A kind is a row: its name in the profile, what its subject is, and the group of columns that reports
 * show it in. What counts it adds to an account (agent/trace/accounts.h); everything between, the visit,
 * the file, its reader and intervals, treats all kinds alike.
 */
#ifndef JPROF_ACCOUNT_KINDS_H
#define JPROF_ACCOUNT_KINDS_H

/* Subject 0 is always "not known". */
enum subject {
	SUBJECT_FILE /* a file's id (table file): it may become its group's */
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

/* "read"; "reads". Static. */
const char *account_kind_name(enum account_kind kind);
const char *account_kind_group(enum account_kind kind);
enum subject account_kind_subject(enum account_kind kind);

/* The one of that name; ACCOUNT_KINDS: there is none. */
enum account_kind account_kind_find(const char *name);

#endif

/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * target: what is known of a process that the user points at.
 *
 * In:   /proc/PID.
 * Out:  facts, and directories as that process sees them, whatever container it lives in.
 * Owns: a descriptor of /proc/PID, which stays with this process when its number is given
 *       to another one, and one of its root directory.
 *
 * Nothing here changes anything in that process.
 */
#ifndef JPROF_CLI_TARGET_H
#define JPROF_CLI_TARGET_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

#include "error/error.h"

struct target {
	pid_t pid;
	pid_t inner_pid; /* what it calls itself: its pid in its own namespace */
	uid_t uid;       /* effective, as are all here */
	gid_t gid;
	int proc;       /* /proc/PID */
	int root;       /* what it has for "/"; O_PATH */
	bool same_view; /* its paths are ours */
	int turn;       /* what is locked while it is this command's; negative: nothing */
};

/* "4711" as a process id. 0, or a negative code. */
int target_read_pid(const char *text, pid_t *pid, struct error *error);

/* Looks at a process: it exists, runs (is neither a zombie, nor stopped, nor a part of
 * the kernel), and we may touch it. 0, or a negative code and one line that says why not;
 * target_close is harmless then. */
int target_open(struct target *target, pid_t pid, struct error *error);
void target_close(struct target *target);

/* It is gone, or a zombie. */
bool target_ended(const struct target *target);

/* The same, looked at for some seconds: sockets close before their process is gone. */
bool target_is_ending(const struct target *target);

/* Locks the process for commands that change something in it; waits for half a minute at
 * most. Nothing is written anywhere: the lock is on /proc/PID/environ, which no other user
 * can open. */
void target_lock(struct target *target);
void target_unlock(struct target *target);

/* The line "KEY:" of its /proc/PID/status as a number of that base: its first word.
 * False if it is gone. */
bool target_status_number(
	const struct target *target, const char *key, int base, unsigned long long *number);

/* A file of /proc/PID as one text that ends with '\0' behind *size bytes. Owned; NULL. */
char *target_read(const struct target *target, const char *name, size_t *size);

/* The same, to be read a line at a time. Owned (fclose); NULL with errno. */
FILE *target_open_stream(const struct target *target, const char *name);

/* Says why a part of /proc/PID could not be opened (an errno). A negative code. */
int target_refuse_access(const struct target *target, int reason, struct error *error);

/* Opens an absolute path as the target sees it; symbolic links end in its root, not in
 * ours. A descriptor, or -1 with errno. */
int target_open_path(const struct target *target, const char *path, int flags);

/* Opens a plain file for reading, as the target's user; nothing that is none is opened. A
 * path that is not absolute begins where the target works. A descriptor, or -1. */
int target_open_file(const struct target *target, const char *path);

/* A path that /proc/PID tells, as the target sees it: there it begins at our root, that
 * of a process in a chroot with that directory. Borrowed from path. */
const char *target_path_there(const struct target *target, const char *path);

/* The same path for this process: /proc/PID/root/... where the views differ. Owned; NULL
 * without memory. */
char *target_path_here(const struct target *target, const char *path);

/* root becomes the target's user and back, so that what is made is the target's, may be
 * no more than it may, and is what its JVM trusts in another user namespace, too. Nothing
 * happens where that is not possible. */
void target_become(const struct target *target);
void target_unbecome(void);

#endif

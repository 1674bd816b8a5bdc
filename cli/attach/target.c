/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * target: reads /proc/PID (proc(5)) of a process that may end at any moment.
 *
 * Everything is opened relative to one descriptor of /proc/PID: when the process is gone,
 * that fails with ESRCH, even if its number was given to another one.
 */
#include "cli/attach/target.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <linux/openat2.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cli/terminal/waiting.h"

/* Milliseconds for a process to end, and between two looks; for others to be done with it. */
enum { END_LIMIT = 3000, END_PAUSE = 20, TURN_LIMIT = 30000 };

/* More than any file of /proc that is read here whole. */
enum { READ_LIMIT = 4 << 20 };

int target_read_pid(const char *text, pid_t *pid, struct error *error)
{
	char *end;
	long number = strtol(text, &end, 10);

	if (text[0] < '0' || text[0] > '9' || *end != '\0' || number < 1 || number > INT_MAX)
		return error_set(
			error, ERROR_USAGE, "'%s' is no process id", error_subject(text).text);
	*pid = (pid_t)number;
	return 0;
}

/* ---- files of /proc/PID ---- */

FILE *target_open_stream(const struct target *target, const char *name)
{
	int descriptor = openat(target->proc, name, O_RDONLY | O_CLOEXEC);
	FILE *in = descriptor >= 0 ? fdopen(descriptor, "r") : NULL;

	if (!in && descriptor >= 0)
		close(descriptor);
	return in;
}

char *target_read(const struct target *target, const char *name, size_t *size)
{
	FILE *in = target_open_stream(target, name), *out;
	char part[4096], *text = NULL;
	bool is_whole = false;
	size_t got;

	if (!in)
		return NULL;
	out = open_memstream(&text, size);
	if (out) {
		for (size_t all = 0; all <= READ_LIMIT; all += got) {
			got = fread(part, 1, sizeof(part), in);
			is_whole = got == 0 && !ferror(in);
			if (got == 0)
				break;
			fwrite(part, 1, got, out);
		}
		is_whole &= fclose(out) == 0;
	}
	fclose(in);
	if (is_whole)
		return text;
	free(text);
	return NULL;
}

/* What stands behind "KEY:" in the text of /proc/PID/status, or NULL. The only free text
 * there, the name, comes first and has its line breaks escaped. */
static const char *status_field(const char *status, const char *key)
{
	char mark[32];
	const char *line;

	snprintf(mark, sizeof(mark), "\n%s:", key);
	line = strstr(status, mark);
	return line ? line + strlen(mark) + strspn(line + strlen(mark), "\t ") : NULL;
}

bool target_status_number(
	const struct target *target, const char *key, int base, unsigned long long *number)
{
	size_t size;
	char *status = target_read(target, "status", &size);
	const char *field = status ? status_field(status, key) : NULL;

	if (field)
		*number = strtoull(field, NULL, base);
	free(status);
	return field;
}

bool target_ended(const struct target *target)
{
	size_t size;
	char *status = target_read(target, "status", &size);
	const char *state = status ? status_field(status, "State") : NULL;
	bool ended = !state || strchr("ZX", *state);

	free(status);
	return ended;
}

bool target_is_ending(const struct target *target)
{
	int64_t end = waiting_until(END_LIMIT);

	while (!target_ended(target)) {
		if (waiting_now() > end)
			return false;
		waiting_sleep(END_PAUSE);
	}
	return true;
}

void target_lock(struct target *target)
{
	struct waiting waiting;

	target->turn = openat(target->proc, "environ", O_RDONLY | O_CLOEXEC);
	if (target->turn < 0)
		return;

	waiting_begin(&waiting, waiting_answer_limit(TURN_LIMIT),
		"another jprof that works on process %ld", (long)target->pid);
	while (flock(target->turn, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK &&
		!waiting_interrupted() && waiting_again(&waiting, END_PAUSE))
		;
	waiting_end(&waiting);
}

void target_unlock(struct target *target)
{
	if (target->turn >= 0)
		close(target->turn);
	target->turn = -1;
}

/* ---- may it be touched ---- */

static int refuse_state(const struct target *target, const char *status, struct error *error)
{
	long pid = target->pid;
	const char *state = status_field(status, "State");
	const char *group = status_field(status, "Tgid");

	if (!state || !group)
		return error_set(error, ERROR_IO, "cannot read '/proc/%ld/status'", pid);
	if (atol(group) != pid)
		return error_set(error, ERROR_VALUE,
			"%ld is a thread of process %ld: name the process", pid, atol(group));
	if (strchr("ZX", *state))
		return error_set(error, ERROR_MISSING,
			"process %ld has ended already (it is a zombie)", pid);
	if (status_field(status, "VmSize") == NULL)
		return error_set(
			error, ERROR_VALUE, "process %ld is a part of the kernel", pid);
	if (*state == 'T')
		return error_set(error, ERROR_BUSY,
			"process %ld is stopped; continue it with: kill -CONT %ld", pid, pid);
	if (*state == 't')
		return error_set(error, ERROR_BUSY,
			"process %ld is stopped by a debugger; continue it there", pid);
	return 0;
}

/* The second number of "Uid: real effective saved file". */
static unsigned effective_id(const char *status, const char *key)
{
	const char *field = status_field(status, key);
	unsigned id = UINT_MAX;

	if (field)
		sscanf(field, "%*u %u", &id);
	return id;
}

static int read_identity(struct target *target, struct error *error)
{
	size_t size;
	char *status = target_read(target, "status", &size), *end;
	const struct passwd *user;
	const char *inner;
	int failed;

	if (!status)
		return error_set(error, ERROR_MISSING, "no process %ld", (long)target->pid);
	failed = refuse_state(target, status, error);
	target->uid = (uid_t)effective_id(status, "Uid");
	target->gid = (gid_t)effective_id(status, "Gid");
	/* The last word of "NSpid: outer ... inner"; the pid itself on kernels without it. */
	target->inner_pid = target->pid;
	inner = status_field(status, "NSpid");
	while (inner && *inner >= '0' && *inner <= '9') {
		target->inner_pid = (pid_t)strtol(inner, &end, 10);
		inner = end + strspn(end, "\t ");
	}
	free(status);
	if (failed != 0 || geteuid() == 0 || geteuid() == target->uid)
		return failed;
	user = getpwuid(target->uid);
	return error_set(error, ERROR_DENIED,
		"process %ld belongs to user %s (uid %u): run jprof as that user or as root",
		(long)target->pid, user ? user->pw_name : "without a name",
		(unsigned)target->uid);
}

/* ---- what it sees ---- */

int target_refuse_access(const struct target *target, int reason, struct error *error)
{
	const char *why = geteuid() == 0 ? "root needs CAP_SYS_PTRACE for that"
					 : "it hides from its own user; try as root";

	if (reason == ENOENT || reason == ESRCH)
		return error_set(
			error, ERROR_MISSING, "process %ld has just ended", (long)target->pid);
	return error_set(error, ERROR_DENIED, "cannot look into process %ld: %s (%s)",
		(long)target->pid, strerror(reason), why);
}

/* Opens its root. Views are the same where namespaces and the directory for "/" are. */
static int read_view(struct target *target, struct error *error)
{
	char ours[64] = "", theirs[64] = "";
	struct stat here, there;

	target->root = openat(target->proc, "root", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (target->root < 0)
		return target_refuse_access(target, errno, error);
	target->same_view =
		readlink("/proc/self/ns/mnt", ours, sizeof(ours) - 1) > 0 &&
		readlinkat(target->proc, "ns/mnt", theirs, sizeof(theirs) - 1) > 0 &&
		strcmp(ours, theirs) == 0 && stat("/", &here) == 0 &&
		fstat(target->root, &there) == 0 && here.st_dev == there.st_dev &&
		here.st_ino == there.st_ino;
	return 0;
}

int target_open(struct target *target, pid_t pid, struct error *error)
{
	char name[32];
	int failed;

	*target = (struct target){.pid = pid, .proc = -1, .root = -1, .turn = -1};
	snprintf(name, sizeof(name), "/proc/%ld", (long)pid);
	target->proc = open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (target->proc < 0)
		return error_set(error, ERROR_MISSING, "no process %ld", (long)pid);
	failed = read_identity(target, error);
	if (failed == 0)
		failed = read_view(target, error);
	if (failed != 0)
		target_close(target);
	return failed;
}

void target_close(struct target *target)
{
	if (target->proc >= 0)
		close(target->proc);
	if (target->root >= 0)
		close(target->root);
	if (target->turn >= 0)
		close(target->turn);
	target->proc = target->root = target->turn = -1;
}

int target_open_path(const struct target *target, const char *path, int flags)
{
	struct open_how how = {.flags = (unsigned)(flags | O_CLOEXEC),
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS};

	if (target->same_view)
		return open(path, flags | O_CLOEXEC);
	/* Linux 5.6; without it a link in there could lead us to any place out here. */
	return (int)syscall(SYS_openat2, target->root, path, &how, sizeof(how));
}

const char *target_path_there(const struct target *target, const char *path)
{
	char root[PATH_MAX];
	ssize_t length = readlinkat(target->proc, "root", root, sizeof(root));

	if (length > 1 && strncmp(path, root, (size_t)length) == 0 && path[length] == '/')
		return path + length;
	return path;
}

int target_open_file(const struct target *target, const char *path)
{
	char folder[PATH_MAX], name[32], *whole = NULL;
	ssize_t length = readlinkat(target->proc, "cwd", folder, sizeof(folder) - 1);
	int held = -1, file = -1;
	struct stat status;

	if (path[0] == '/') {
		whole = strdup(path);
	} else if (length > 0) {
		folder[length] = '\0';
		if (asprintf(&whole, "%s/%s", target_path_there(target, folder), path) < 0)
			whole = NULL;
	}
	target_become(target);
	if (whole)
		held = target_open_path(target, whole, O_PATH);
	/* Held first: opening a device or a pipe may do something. */
	if (held >= 0 && fstat(held, &status) == 0 && S_ISREG(status.st_mode)) {
		snprintf(name, sizeof(name), "/proc/self/fd/%d", held);
		file = open(name, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	}
	target_unbecome();
	if (held >= 0)
		close(held);
	free(whole);
	return file;
}

char *target_path_here(const struct target *target, const char *path)
{
	char *here;

	if (target->same_view)
		return strdup(path);
	return asprintf(&here, "/proc/%ld/root%s", (long)target->pid, path) < 0 ? NULL : here;
}

/* ---- as its user ---- */

/* This program's own user and groups, while it is another one. */
static uid_t own_uid;
static gid_t own_gid;
static gid_t *own_groups; /* owned; NULL: they are still there */
static int own_group_count;
static bool is_other;

static void take_groups_back(void)
{
	if (own_groups && setgroups((size_t)own_group_count, own_groups) != 0)
		abort();
	free(own_groups);
	own_groups = NULL;
}

void target_become(const struct target *target)
{
	int count;

	if (is_other || geteuid() != 0 || target->uid == 0)
		return;
	own_uid = geteuid();
	own_gid = getegid();
	if (setegid(target->gid) != 0)
		return;
	/* What our groups may do is not for the target. Where that is not allowed they stay. */
	count = getgroups(0, NULL);
	own_groups = count >= 0 ? calloc((size_t)count + 1, sizeof(*own_groups)) : NULL;
	own_group_count = own_groups ? getgroups(count, own_groups) : -1;
	if (own_group_count < 0 || setgroups(0, NULL) != 0) {
		free(own_groups);
		own_groups = NULL;
	}
	is_other = seteuid(target->uid) == 0;
	if (is_other)
		return;
	take_groups_back();
	if (setegid(own_gid) != 0)
		abort();
}

void target_unbecome(void)
{
	if (!is_other)
		return;
	/* Both were ours a moment ago, and the saved ones still are. */
	if (seteuid(own_uid) != 0 || setegid(own_gid) != 0)
		abort();
	take_groups_back();
	is_other = false;
}

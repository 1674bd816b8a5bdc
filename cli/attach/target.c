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

/* Reads to the end; false for an error or more than the limit. */
static bool read_stream(FILE *in, char **text, size_t *size)
{
	FILE *out = open_memstream(text, size);
	char part[4096];
	size_t got, all = 0;

	if (out == NULL)
		return false;
	while ((got = fread(part, 1, sizeof(part), in)) > 0 && (all += got) <= READ_LIMIT)
		fwrite(part, 1, got, out);
	if (fclose(out) == 0 && !ferror(in) && all <= READ_LIMIT)
		return true;
	free(*text);
	*text = NULL;
	return false;
}

FILE *target_open_stream(const struct target *target, const char *name)
{
	int descriptor = openat(target->proc, name, O_RDONLY | O_CLOEXEC);
	FILE *in = descriptor >= 0 ? fdopen(descriptor, "r") : NULL;

	if (in == NULL && descriptor >= 0)
		close(descriptor);
	return in;
}

char *target_read(const struct target *target, const char *name, size_t *size)
{
	FILE *in = target_open_stream(target, name);
	char *text = NULL;

	if (in == NULL)
		return NULL;
	if (!read_stream(in, &text, size))
		text = NULL;
	fclose(in);
	return text;
}

/* What stands behind "KEY:" in the text of /proc/PID/status, or NULL. The only free text
 * there, the name, comes first and has its line breaks escaped. */
static const char *status_field(const char *status, const char *key)
{
	char mark[32];
	const char *line;

	snprintf(mark, sizeof(mark), "\n%s:", key);
	line = strstr(status, mark);
	return line != NULL ? line + strlen(mark) + strspn(line + strlen(mark), "\t ") : NULL;
}

bool target_status_number(
	const struct target *target, const char *key, int base, unsigned long long *number)
{
	size_t size;
	char *status = target_read(target, "status", &size);
	const char *field = status != NULL ? status_field(status, key) : NULL;

	if (field != NULL)
		*number = strtoull(field, NULL, base);
	free(status);
	return field != NULL;
}

bool target_ended(const struct target *target)
{
	size_t size;
	char *status = target_read(target, "status", &size);
	const char *state = status != NULL ? status_field(status, "State") : NULL;
	bool ended = state == NULL || strchr("ZX", *state) != NULL;

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
		!waiting_is_over(&waiting) && !waiting_interrupted())
		waiting_pause(&waiting, END_PAUSE);
	waiting_end(&waiting);
}

void target_unlock(struct target *target)
{
	if (target->turn >= 0)
		close(target->turn);
	target->turn = -1;
}

/* ---- may it be touched ---- */

/* The second number of "Uid: real effective saved file". */
static unsigned effective_id(const char *status, const char *key)
{
	const char *field = status_field(status, key);
	unsigned id = UINT_MAX;

	if (field != NULL)
		sscanf(field, "%*u %u", &id);
	return id;
}

/* The last word of "NSpid: outer ... inner"; the pid itself on kernels without it. */
static pid_t innermost_pid(const char *status, pid_t pid)
{
	const char *field = status_field(status, "NSpid");
	char *end;

	while (field != NULL && *field >= '0' && *field <= '9') {
		pid = (pid_t)strtol(field, &end, 10);
		field = end + strspn(end, "\t ");
	}
	return pid;
}

static int refuse_state(const struct target *target, const char *status, struct error *error)
{
	long pid = target->pid;
	const char *state = status_field(status, "State");
	const char *group = status_field(status, "Tgid");

	if (state == NULL || group == NULL)
		return error_set(error, ERROR_IO, "cannot read '/proc/%ld/status'", pid);
	if (atol(group) != pid)
		return error_set(error, ERROR_VALUE,
			"%ld is a thread of process %ld: name the process", pid, atol(group));
	if (strchr("ZX", *state) != NULL)
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

static int refuse_user(const struct target *target, struct error *error)
{
	const struct passwd *user;

	if (geteuid() == 0 || geteuid() == target->uid)
		return 0;
	user = getpwuid(target->uid);
	return error_set(error, ERROR_DENIED,
		"process %ld belongs to user %s (uid %u): run jprof as that user or as "
		"root",
		(long)target->pid, user != NULL ? user->pw_name : "without a name",
		(unsigned)target->uid);
}

static int read_identity(struct target *target, struct error *error)
{
	size_t size;
	char *status = target_read(target, "status", &size);
	int failed;

	if (status == NULL)
		return error_set(error, ERROR_MISSING, "no process %ld", (long)target->pid);
	failed = refuse_state(target, status, error);
	target->uid = (uid_t)effective_id(status, "Uid");
	target->gid = (gid_t)effective_id(status, "Gid");
	target->inner_pid = innermost_pid(status, target->pid);
	free(status);
	return failed != 0 ? failed : refuse_user(target, error);
}

/* ---- what it sees ---- */

/* The same link of namespaces, and the same directory for "/". */
static bool shares_view(const struct target *target)
{
	char ours[64] = "", theirs[64] = "";
	struct stat here, there;

	return readlink("/proc/self/ns/mnt", ours, sizeof(ours) - 1) > 0 &&
	       readlinkat(target->proc, "ns/mnt", theirs, sizeof(theirs) - 1) > 0 &&
	       strcmp(ours, theirs) == 0 && stat("/", &here) == 0 &&
	       fstat(target->root, &there) == 0 && here.st_dev == there.st_dev &&
	       here.st_ino == there.st_ino;
}

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

static int read_view(struct target *target, struct error *error)
{
	target->root = openat(target->proc, "root", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (target->root < 0)
		return target_refuse_access(target, errno, error);
	target->same_view = shares_view(target);
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

/* The same path, whole: a process may have given it from where it works. Owned; NULL. */
static char *whole_path(const struct target *target, const char *path)
{
	char folder[PATH_MAX];
	ssize_t length = readlinkat(target->proc, "cwd", folder, sizeof(folder) - 1);
	char *whole;

	if (path[0] == '/')
		return strdup(path);
	if (length <= 0)
		return NULL;
	folder[length] = '\0';
	return asprintf(&whole, "%s/%s", target_path_there(target, folder), path) < 0 ? NULL
										      : whole;
}

/* Opens for reading what is held already, if it is a plain file: opening a device or a
 * pipe may do something. */
static int open_plain(int held)
{
	struct stat status;
	char name[32];

	if (fstat(held, &status) != 0 || !S_ISREG(status.st_mode)) {
		errno = EINVAL;
		return -1;
	}
	snprintf(name, sizeof(name), "/proc/self/fd/%d", held);
	return open(name, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
}

int target_open_file(const struct target *target, const char *path)
{
	char *whole = whole_path(target, path);
	int held, file = -1;

	target_become(target);
	held = whole != NULL ? target_open_path(target, whole, O_PATH) : -1;
	if (held >= 0)
		file = open_plain(held);
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

/* Who this program was before it became somebody else. */
static uid_t own_uid;
static gid_t own_gid;
static gid_t *own_groups; /* owned; NULL: they are still there */
static int own_group_count;
static bool is_other;

/* What our groups may do is not for the target. Where that is not allowed they stay. */
static void leave_groups(void)
{
	int count = getgroups(0, NULL);
	gid_t *groups = count >= 0 ? calloc((size_t)count + 1, sizeof(*groups)) : NULL;

	if (groups != NULL)
		count = getgroups(count, groups);
	if (groups == NULL || count < 0 || setgroups(0, NULL) != 0) {
		free(groups);
		return;
	}
	own_groups = groups;
	own_group_count = count;
}

static void take_groups_back(void)
{
	if (own_groups != NULL && setgroups((size_t)own_group_count, own_groups) != 0)
		abort();
	free(own_groups);
	own_groups = NULL;
}

void target_become(const struct target *target)
{
	if (is_other || geteuid() != 0 || target->uid == 0)
		return;
	own_uid = geteuid();
	own_gid = getegid();
	if (setegid(target->gid) != 0)
		return;
	leave_groups();
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

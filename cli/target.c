/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * target: reads /proc/PID (proc(5)) of a process that may end at any moment.
 *
 * Everything is opened relative to one descriptor of /proc/PID: when the process is gone,
 * that fails with ESRCH, even if its number was given to another one.
 */
#include "cli/target.h"

#include <errno.h>
#include <fcntl.h>
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

#include "cli/waiting.h"

/* Milliseconds for a process to end, and between two looks. */
enum { END_LIMIT = 3000, END_PAUSE = 20 };

/* More than any file of /proc that is read here whole. */
enum { READ_LIMIT = 4 << 20 };

int target_read_pid(const char *text, pid_t *pid, struct error *error)
{
	char *end;
	long number = strtol(text, &end, 10);

	if (text[0] < '0' || text[0] > '9' || *end != '\0' || number < 1 ||
		number > INT_MAX)
		return error_set(error, ERROR_USAGE, "'%s' is no process id",
			error_subject(text).text);
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

static FILE *open_stream(const struct target *target, const char *name)
{
	int descriptor = openat(target->proc, name, O_RDONLY | O_CLOEXEC);
	FILE *in = descriptor >= 0 ? fdopen(descriptor, "r") : NULL;

	if (in == NULL && descriptor >= 0)
		close(descriptor);
	return in;
}

char *target_read(const struct target *target, const char *name, size_t *size)
{
	FILE *in = open_stream(target, name);
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
	return line != NULL ? line + strlen(mark) + strspn(line + strlen(mark), "\t ")
			    : NULL;
}

bool target_status_number(const struct target *target, const char *key, int base,
	unsigned long long *number)
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

void target_lock(const struct target *target)
{
	int64_t end = waiting_until(waiting_answer_limit());

	while (flock(target->proc, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK &&
		waiting_now() < end && !waiting_interrupted())
		waiting_sleep(END_PAUSE);
}

void target_unlock(const struct target *target)
{
	flock(target->proc, LOCK_UN);
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

static int refuse_state(
	const struct target *target, const char *status, struct error *error)
{
	long pid = target->pid;
	const char *state = status_field(status, "State");
	const char *group = status_field(status, "Tgid");

	if (state == NULL || group == NULL)
		return error_set(error, ERROR_IO, "cannot read '/proc/%ld/status'", pid);
	if (atol(group) != pid)
		return error_set(error, ERROR_VALUE,
			"%ld is a thread of process %ld: name the process", pid,
			atol(group));
	if (strchr("ZX", *state) != NULL)
		return error_set(error, ERROR_MISSING,
			"process %ld has ended already (it is a zombie)", pid);
	if (status_field(status, "VmSize") == NULL)
		return error_set(
			error, ERROR_VALUE, "process %ld is a part of the kernel", pid);
	if (*state == 'T')
		return error_set(error, ERROR_BUSY,
			"process %ld is stopped; continue it with: kill -CONT %ld", pid,
			pid);
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
		return error_set(
			error, ERROR_MISSING, "no process %ld", (long)target->pid);
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

static int refuse_access(const struct target *target, int reason, struct error *error)
{
	const char *why = geteuid() == 0 ? "root needs CAP_SYS_PTRACE for that"
					 : "it hides from its own user; try as root";

	if (reason == ENOENT || reason == ESRCH)
		return error_set(error, ERROR_MISSING, "process %ld has just ended",
			(long)target->pid);
	return error_set(error, ERROR_DENIED, "cannot look into process %ld: %s (%s)",
		(long)target->pid, strerror(reason), why);
}

static int read_view(struct target *target, struct error *error)
{
	target->root = openat(target->proc, "root", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (target->root < 0)
		return refuse_access(target, errno, error);
	target->same_view = shares_view(target);
	return 0;
}

int target_open(struct target *target, pid_t pid, struct error *error)
{
	char name[32];
	int failed;

	*target = (struct target){.pid = pid, .proc = -1, .root = -1};
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
	target->proc = target->root = -1;
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

char *target_path_here(const struct target *target, const char *path)
{
	char *here;

	if (target->same_view)
		return strdup(path);
	return asprintf(&here, "/proc/%ld/root%s", (long)target->pid, path) < 0 ? NULL
										: here;
}

/* ---- what it has mapped ---- */

/* "ADDRESSES PERMISSIONS OFFSET DEVICE INODE   PATH\n", proc_pid_maps(5): the path, with
 * the line's end and the mark of deleted files cut off; NULL for memory without a file.
 */
static char *mapped_path(char *line)
{
	static const char gone[] = " (deleted)";
	char *path = strchr(line, '/');
	size_t length;

	if (path == NULL)
		return NULL;
	path[strcspn(path, "\n")] = '\0';
	length = strlen(path);
	if (length > strlen(gone) && strcmp(path + length - strlen(gone), gone) == 0)
		path[length - strlen(gone)] = '\0';
	return path;
}

/* Paths in maps begin at our root, those of a process in a chroot with that directory. */
static const char *path_there(const struct target *target, const char *path)
{
	char root[PATH_MAX];
	ssize_t length = readlinkat(target->proc, "root", root, sizeof(root));

	if (length > 1 && strncmp(path, root, (size_t)length) == 0 && path[length] == '/')
		return path + length;
	return path;
}

static bool is_agent(const char *name)
{
	size_t length = strlen(name);

	return strncmp(name, "libjprof", 8) == 0 && length > 3 &&
	       strcmp(name + length - 3, ".so") == 0;
}

static void keep_first(const struct target *target, char **kept, const char *path)
{
	if (*kept == NULL)
		*kept = strdup(path_there(target, path));
}

static void read_mapping(
	const struct target *target, struct target_maps *maps, const char *path)
{
	const char *name = strrchr(path, '/') + 1;

	if (strcmp(name, "libjvm.so") == 0)
		maps->jvm = true;
	else if (strcmp(name, "libjli.so") == 0)
		maps->launcher = true;
	else if (is_agent(name))
		keep_first(target, &maps->agent, path);
	else if (strstr(path, "/hsperfdata_") != NULL)
		keep_first(target, &maps->counters, path);
}

int target_maps_read(
	const struct target *target, struct target_maps *maps, struct error *error)
{
	FILE *in = open_stream(target, "maps");
	char *line = NULL;
	const char *path;
	size_t size = 0;

	*maps = (struct target_maps){0};
	if (in == NULL)
		return refuse_access(target, errno, error);
	while (getline(&line, &size, in) > 0) {
		path = mapped_path(line);
		if (path != NULL)
			read_mapping(target, maps, path);
	}
	free(line);
	fclose(in);
	return 0;
}

void target_maps_fini(struct target_maps *maps)
{
	free(maps->agent);
	free(maps->counters);
	*maps = (struct target_maps){0};
}

/* ---- as its user ---- */

/* Who this program was before it became somebody else. */
static uid_t own_uid;
static gid_t own_gid;
static bool is_other;

void target_become(const struct target *target)
{
	if (is_other || geteuid() != 0 || target->uid == 0)
		return;
	own_uid = geteuid();
	own_gid = getegid();
	if (setegid(target->gid) != 0)
		return;
	is_other = seteuid(target->uid) == 0;
	if (!is_other && setegid(own_gid) != 0)
		abort();
}

void target_unbecome(void)
{
	if (!is_other)
		return;
	/* Both were ours a moment ago, and the saved ones still are. */
	if (seteuid(own_uid) != 0 || setegid(own_gid) != 0)
		abort();
	is_other = false;
}

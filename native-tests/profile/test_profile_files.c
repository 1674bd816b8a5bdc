/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* Files: odd paths, what must not be overwritten, what is not a profile, a full disk. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fixture.h"

/* A message is one line that names the file and the reason. */
static void assert_message(const struct error *error, const char *part)
{
	if (!strstr(error->text, part))
		fail_msg("'%s' does not say '%s'", error->text, part);
	assert_null(strchr(error->text, '\n'));
}

static void assert_create_fails(const char *path, enum error_code code, const char *part)
{
	struct profile_writer *writer = (struct profile_writer *)path;
	struct error error = {0};

	int status =
		profile_create(&writer, path, fixture_metrics, FIXTURE_METRICS, NULL, &error);
	assert_message(&error, part);
	assert_int_equal(status, -(int)code);
	assert_null(writer);
}

static void assert_open_fails(const char *path, enum error_code code, const char *part)
{
	struct profile *profile = (struct profile *)path;
	struct error error = {0};

	int status = profile_open(&profile, path, &error);
	assert_message(&error, part);
	assert_int_equal(status, -(int)code);
	assert_null(profile);
}

static void assert_reads(const char *path, uint32_t threads, uint32_t nodes)
{
	struct profile *profile = NULL;
	struct error error = {0};
	uint64_t round;

	profile_open(&profile, path, &error);
	assert_string_equal(error.text, "");
	assert_true(fixture_is_whole(profile, threads, nodes, &round));
	profile_free(profile);
}

static bool has_side_file(const char *path)
{
	static const char *const suffixes[] = {"-wal", "-shm", "-journal"};
	char side[2 * PATH_MAX];

	for (size_t i = 0; i < 3; i++) {
		snprintf(side, sizeof side, "%s%s", path, suffixes[i]);
		if (fixture_exists(side))
			return true;
	}
	return false;
}

/* Runs body in a child without privileges, where the modes of files count. */
static void in_ordinary_child(void (*body)(void))
{
	fflush(NULL);
	pid_t child = fork();
	if (child == 0) {
		if (geteuid() == 0 && (setgid(65534) < 0 || setuid(65534) < 0))
			_exit(2);
		body();
		_exit(0);
	}
	int status;
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

/* --- paths --- */

static void odd_names(void **state)
{
	static const struct {
		int line;
		const char *name;
	} rows[] = {
		{__LINE__, "with space.jprof"},
		{__LINE__, "per%cent %41.jprof"},
		{__LINE__, "what?mode=memory"},
		{__LINE__, "sharp#frag.jprof"},
		{__LINE__, "caf\xc3\xa9 \xe6\x97\xa5\xe6\x9c\xac.jprof"},
		{__LINE__, "not\xff-utf8.jprof"},
		{__LINE__, "quote's \"here\".jprof"},
		{__LINE__, "new\nline.jprof"},
		{__LINE__, "-dash"},
		{__LINE__, ":memory:"},
	};

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		const char *path = fixture_path(rows[i].name);
		fixture_profile(path, 1, 10);
		if (!fixture_exists(path) || has_side_file(path))
			fail_msg("row of line %d", rows[i].line);
		assert_reads(path, 1, 10);
	}
}

/* Names that SQLite would take for a URI, or for memory. */
static void relative_names(void **state)
{
	int here = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);

	assert_int_equal(chdir(fixture_directory()), 0);
	fixture_profile("file:relative.jprof?immutable=1", 1, 10);
	assert_true(fixture_exists("file:relative.jprof?immutable=1"));
	assert_reads("file:relative.jprof?immutable=1", 1, 10);
	fixture_profile(":memory:", 1, 10);
	assert_true(fixture_exists(":memory:"));
	assert_reads(":memory:", 1, 10);
	assert_int_equal(fchdir(here), 0);
	close(here);
}

/* A path of so many bytes below the test's directory, its directories made. */
static char *long_path(size_t bytes)
{
	static char path[PATH_MAX];
	size_t length = (size_t)snprintf(path, sizeof path, "%s", fixture_path("long"));

	mkdir(path, 0777);
	while (bytes - length > 250) {
		memset(path + length, 'd', 200);
		path[length] = '/';
		length += 200;
		path[length] = '\0';
		assert_true(mkdir(path, 0777) == 0 || errno == EEXIST);
	}
	memset(path + length, '%', bytes - length);
	path[length] = '/';
	path[bytes] = '\0';
	return path;
}

static void long_paths(void **state)
{
	static const size_t rows[] = {490, 495, 496, 497, 505, 512, 600, 1024, 4000};

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		const char *path = long_path(rows[i]);
		assert_int_equal(strlen(path), rows[i]);
		fixture_profile(path, 2, 1000);
		fixture_profile(path, 1, 100); /* replaces */
		assert_false(has_side_file(path));
		assert_reads(path, 1, 100);
	}
	/* The message of a long path still says why. */
	char *path = long_path(4000);
	strcpy(path + 3990, "x");
	assert_open_fails(path, ERROR_MISSING, "[...]");
	assert_open_fails(path, ERROR_MISSING, "No such file or directory");
	path[3000] = path[3000] == 'd' ? 'e' : 'd';
	assert_create_fails(path, ERROR_IO, "No such file or directory");
	char too_long[PATH_MAX + 100];
	memset(too_long, 'x', sizeof too_long - 1);
	too_long[sizeof too_long - 1] = '\0';
	assert_create_fails(too_long, ERROR_IO, "longer than");
	memset(too_long, '/', sizeof too_long - 10);
	assert_create_fails(too_long, ERROR_IO, "File name too long");
	assert_open_fails(too_long, ERROR_IO, "File name too long");
}

static void last_name_too_long(void **state)
{
	char name[NAME_MAX + 1];

	memset(name, 'n', sizeof name);
	name[NAME_MAX - 8] = '\0';
	fixture_profile(fixture_path(name), 1, 10);
	assert_reads(fixture_path(name), 1, 10);
	name[NAME_MAX - 8] = 'n';
	name[NAME_MAX - 7] = '\0';
	assert_create_fails(fixture_path(name), ERROR_IO, "longer than 247 bytes");
	assert_false(fixture_exists(fixture_path(name)));
}

static bool is_ours(int fd)
{
	char link[64], target[PATH_MAX];

	snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
	ssize_t bytes = readlink(link, target, sizeof target);
	size_t length = strlen(fixture_directory());
	return bytes >= (ssize_t)length && strncmp(target, fixture_directory(), length) == 0;
}

/* No file of the profile stands where the application would write its output to, and none
 * goes on to the programs it starts. */
static void descriptors_body(void)
{
	close(STDIN_FILENO);
	close(STDOUT_FILENO);
	struct profile_writer *writer;
	struct error error = {0};
	char *path = long_path(1024);
	if (profile_create(&writer, path, fixture_metrics, FIXTURE_METRICS, NULL, &error) < 0 ||
		fixture_fill(writer, 1, 10, 0, &error) < 0)
		_exit(3);
	int ours = 0;
	for (int fd = 0; fd < 64; fd++) {
		if (!is_ours(fd))
			continue;
		if (fd <= STDERR_FILENO)
			_exit(4);
		if (!(fcntl(fd, F_GETFD) & FD_CLOEXEC))
			_exit(5);
		ours++;
	}
	if (ours < 3)
		_exit(7);
	_exit(profile_close(writer, &error) < 0 ? 6 : 0);
}

static void descriptors(void **state)
{
	int status;

	fflush(NULL);
	pid_t child = fork();
	if (child == 0)
		descriptors_body();
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(WEXITSTATUS(status), 0);
}

/* --- what is there already --- */

static void replaces_older_profile(void **state)
{
	const char *path = fixture_path("older.jprof");
	char side[PATH_MAX];

	fixture_profile(path, 3, 5000);
	/* As a killed JVM leaves them. */
	static const char *const suffixes[] = {"-wal", "-shm", "-journal"};
	for (size_t i = 0; i < 3; i++) {
		snprintf(side, sizeof side, "%s%s", path, suffixes[i]);
		fixture_write_bytes(side, "stale", 5);
	}
	fixture_profile(path, 1, 10);
	assert_reads(path, 1, 10);
	assert_false(has_side_file(path));
	assert_true(fixture_size(path) < 300000);
	/* Empty ones are free to use. */
	fixture_write_bytes(path, "", 0);
	fixture_profile(path, 1, 10);
	assert_reads(path, 1, 10);
}

static void keeps_other_files(void **state)
{
	const char *text = fixture_path("notes.txt");
	const char *database = fixture_path("other.db");
	char answer[16];

	fixture_write_bytes(text, "my notes\n", 9);
	assert_create_fails(text, ERROR_FORMAT, "exists and is not a jprof profile");
	assert_int_equal(fixture_size(text), 9);
	fixture_write_bytes(text, "SQLite format 3", 16);
	assert_create_fails(text, ERROR_FORMAT, "exists and is not a jprof profile");

	fixture_sql(database, "CREATE TABLE t AS SELECT 42 AS a", NULL, 0);
	assert_create_fails(database, ERROR_FORMAT, "exists and is not a jprof profile");
	fixture_sql(database, "SELECT a FROM t", answer, sizeof answer);
	assert_string_equal(answer, "42");
}

static void not_a_file(void **state)
{
	assert_create_fails(fixture_directory(), ERROR_IO, "Is a directory");
	assert_int_equal(mkfifo(fixture_path("fifo"), 0666), 0);
	assert_create_fails(fixture_path("fifo"), ERROR_IO, "Not a regular file");
	assert_create_fails("/dev/null", ERROR_IO, "Not a regular file");
	assert_create_fails(
		fixture_path("none/x.jprof"), ERROR_IO, "No such file or directory");
	assert_create_fails("", ERROR_IO, "No such file or directory");
	fixture_write_bytes(fixture_path("plain"), "x", 1);
	assert_create_fails(fixture_path("plain/x.jprof"), ERROR_IO, "Not a directory");
}

static void unwritable_body(void)
{
	struct profile_writer *writer;
	struct error error = {0};

	if (profile_create(&writer, fixture_path("locked/new.jprof"), NULL, 0, NULL, &error) !=
			-ERROR_DENIED ||
		!strstr(error.text, "Permission denied"))
		_exit(3);
	error = (struct error){0};
	if (profile_create(&writer, fixture_path("locked/own.jprof"), NULL, 0, NULL, &error) !=
			-ERROR_DENIED ||
		(!strstr(error.text, "Permission denied") &&
			!strstr(error.text, "belongs to user 0")))
		_exit(4);
}

static void unwritable(void **state)
{
	assert_int_equal(chmod(fixture_directory(), 0755), 0);
	assert_int_equal(mkdir(fixture_path("locked"), 0755), 0);
	fixture_profile(fixture_path("locked/own.jprof"), 1, 10);
	assert_int_equal(chmod(fixture_path("locked/own.jprof"), 0444), 0);
	assert_int_equal(chmod(fixture_path("locked"), 0555), 0);
	in_ordinary_child(unwritable_body);
	assert_reads(fixture_path("locked/own.jprof"), 1, 10);
	assert_int_equal(chmod(fixture_path("locked"), 0755), 0);
}

static void two_writers(void **state)
{
	const char *path = fixture_path("two.jprof");
	struct profile_writer *first;
	struct error error = {0};

	assert_int_equal(
		profile_create(&first, path, fixture_metrics, FIXTURE_METRICS, NULL, &error),
		0);
	assert_int_equal(fixture_fill(first, 1, 10, 0, &error), 0);
	fflush(NULL);
	pid_t child = fork();
	if (child == 0) {
		struct profile_writer *second;
		int status = profile_create(&second, path, NULL, 0, NULL, &error);
		_exit(status == -ERROR_BUSY && strstr(error.text, "running JVM") ? 0 : 3);
	}
	int status;
	waitpid(child, &status, 0);
	assert_int_equal(status, 0);
	assert_create_fails(path, ERROR_BUSY, "a running JVM is writing this profile");
	assert_int_equal(fixture_fill(first, 2, 20, 1, &error), 0);
	assert_int_equal(profile_close(first, &error), 0);
	assert_reads(path, 2, 20);
	fixture_profile(path, 1, 10); /* free again */
}

/* ---- an older profile that is set aside ---- */

static struct profile_writer *create_beside(const char *path)
{
	struct profile_writer *writer;
	struct error error = {0};

	assert_int_equal(profile_create(&writer, path, fixture_metrics, FIXTURE_METRICS,
				 &(struct profile_creation){.set_aside = true}, &error),
		0);
	assert_int_equal(fixture_fill(writer, 2, 20, 1, &error), 0);
	assert_reads(path, 2, 20);
	return writer;
}

static bool has_older(void)
{
	return fixture_exists(fixture_path("beside.jprof-older")) ||
	       has_side_file(fixture_path("beside.jprof-older"));
}

static void discarded(void **state)
{
	const char *path = fixture_path("beside.jprof");
	struct profile_writer *writer;
	struct stat before, after;

	profile_discard(create_beside(path));
	assert_false(fixture_exists(path));
	assert_false(has_side_file(path));
	fixture_profile(path, 1, 10);
	chmod(path, 0640);
	stat(path, &before);
	writer = create_beside(path);
	assert_true(has_older());
	stat(path, &after);
	assert_int_equal(after.st_mode, before.st_mode);
	assert_create_fails(path, ERROR_BUSY, "a running JVM is writing this profile");
	profile_discard(writer);
	stat(path, &after);
	assert_int_equal(after.st_ino, before.st_ino);
	assert_false(has_older());
	assert_false(has_side_file(path));
	assert_reads(path, 1, 10);
	writer = create_beside(path);
	assert_int_equal(profile_close(writer, NULL), 0);
	assert_false(has_older());
	assert_reads(path, 2, 20);
}

/* What a killed JVM left has side files, which are not those of the next one. */
static void discarded_beside_a_journal(void **state)
{
	const char *path = fixture_path("beside.jprof");
	const char *journal = fixture_path("beside.jprof-journal");
	struct error error = {0};

	fflush(NULL);
	pid_t child = fork();
	if (child == 0) {
		struct profile_writer *writer;
		profile_create(&writer, path, fixture_metrics, FIXTURE_METRICS, NULL, &error);
		fixture_fill(writer, 3, 300, 1, &error);
		_exit(0);
	}
	waitpid(child, NULL, 0);
	assert_true(fixture_exists(journal));
	profile_discard(create_beside(path));
	assert_true(fixture_exists(journal));
	assert_false(has_older());
	assert_reads(path, 3, 300);
	assert_int_equal(profile_close(create_beside(path), &error), 0);
	assert_false(has_older());
	assert_reads(path, 2, 20);
}

/* ---- what others may have put there ---- */

/* Nobody else's file is filled through a link. */
static void links(void **state)
{
	const char *path = fixture_path("link.jprof"), *to = fixture_path("led-to");
	struct profile_writer *writer;

	assert_int_equal(symlink(to, path), 0);
	assert_create_fails(path, ERROR_VALUE, "is a symbolic link");
	assert_false(fixture_exists(to));
	assert_int_equal(
		profile_create(&writer, path, fixture_metrics, FIXTURE_METRICS, NULL, NULL),
		-ERROR_VALUE);
	fixture_profile(to, 1, 10);
	assert_create_fails(path, ERROR_VALUE, "is a symbolic link");
	assert_reads(to, 1, 10);
	unlink(path);

	/* Where SQLite makes its journal. */
	assert_int_equal(
		symlink(fixture_path("led-to-journal"), fixture_path("link.jprof-journal")), 0);
	fixture_profile(path, 1, 10);
	assert_reads(path, 1, 10);
	assert_false(fixture_exists(fixture_path("led-to-journal")));
	unlink(path);
	assert_int_equal(mkdir(fixture_path("link.jprof-journal"), 0777), 0);
	assert_create_fails(path, ERROR_DENIED, "is in its way");
	assert_false(fixture_exists(path));
	assert_int_equal(rmdir(fixture_path("link.jprof-journal")), 0);
}

static mode_t mode_of(const char *path)
{
	struct stat status;

	assert_int_equal(stat(path, &status), 0);
	return status.st_mode & 07777;
}

static void modes(void **state)
{
	static const mode_t readers[] = {0, S_IRGRP, S_IRGRP | S_IROTH};
	const char *path = fixture_path("mode.jprof");
	mode_t mask = umask(0);

	for (size_t i = 0; i < 3; i++) {
		struct profile_writer *writer;
		struct error error = {0};

		umask(i == 0 ? 0 : 0077);
		assert_int_equal(
			profile_create(&writer, path, fixture_metrics, FIXTURE_METRICS,
				&(struct profile_creation){.readers = readers[i]}, &error),
			0);
		assert_int_equal(mode_of(path), 0600 | readers[i]);
		assert_int_equal(
			mode_of(fixture_path("mode.jprof-journal")), 0600 | readers[i]);
		assert_int_equal(profile_close(writer, &error), 0);
		unlink(path);
	}
	umask(mask);
	/* Replaced, it is to others as it was. */
	fixture_profile(path, 1, 10);
	assert_int_equal(chmod(path, 0644), 0);
	fixture_profile(path, 2, 20);
	assert_int_equal(mode_of(path), 0644);
}

static void others_file_body(void)
{
	struct profile_writer *writer;
	struct error error = {0};

	_exit(profile_create(&writer, fixture_path("others.jprof"), NULL, 0, NULL, &error) ==
					-ERROR_DENIED &&
				strstr(error.text, "belongs to user 0")
			? 0
			: 3);
}

/* Even if this user may write it. */
static void others_file(void **state)
{
	const char *path = fixture_path("others.jprof");

	if (geteuid() != 0)
		skip();
	fixture_profile(path, 1, 10);
	assert_int_equal(chmod(path, 0666), 0);
	in_ordinary_child(others_file_body);
	assert_reads(path, 1, 10);
	/* Not even root fills the file of another. */
	assert_int_equal(chown(path, 65534, 65534), 0);
	assert_create_fails(path, ERROR_DENIED, "belongs to user 65534");
}

/* --- a full disk --- */

/* A limit on the size of files stands for the end of the disk: the same failure of
 * write(2), and no privileges needed. */
static void limit_file_size(rlim_t bytes)
{
	struct rlimit limit = {bytes, RLIM_INFINITY};

	signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &limit);
}

static void full_disk_body(void)
{
	const char *path = fixture_path("full.jprof");
	struct profile_writer *writer;
	struct error error = {0};

	limit_file_size(4096);
	if (profile_create(&writer, path, fixture_metrics, FIXTURE_METRICS, NULL, &error) ==
			0 ||
		!strstr(error.text, "cannot write"))
		_exit(3);
	if (has_side_file(path) || fixture_exists(path))
		_exit(4);
	limit_file_size(400000);
	error = (struct error){0};
	if (profile_create(&writer, path, fixture_metrics, FIXTURE_METRICS, NULL, &error) < 0 ||
		fixture_fill(writer, 1, 100, 1, &error) < 0)
		_exit(5);
	for (int i = 0; i < 3; i++) {
		error = (struct error){0};
		if (fixture_fill(writer, 1, 100000, 2, &error) == 0)
			_exit(6);
	}
	if (!strstr(error.text, "cannot write"))
		_exit(7);
	/* There is room again. */
	limit_file_size(RLIM_INFINITY);
	error = (struct error){0};
	if (fixture_fill(writer, 2, 5000, 3, &error) < 0)
		_exit(8);
	limit_file_size(400000);
	if (fixture_fill(writer, 2, 20000, 4, &error) == 0)
		_exit(9);
	error = (struct error){0};
	_exit(profile_close(writer, &error) < 0 ? 10 : 0);
}

static void full_disk(void **state)
{
	int status;

	fflush(NULL);
	pid_t child = fork();
	if (child == 0)
		full_disk_body();
	waitpid(child, &status, 0);
	assert_int_equal(WEXITSTATUS(status), 0);
	assert_reads(fixture_path("full.jprof"), 2, 5000);
}

/* --- what is not a profile --- */

static void copy_head(const char *from, const char *to, size_t bytes)
{
	FILE *in = fopen(from, "re");
	char *buffer = malloc(bytes);

	assert_non_null(in);
	assert_int_equal(fread(buffer, 1, bytes, in), bytes);
	fclose(in);
	fixture_write_bytes(to, buffer, bytes);
	free(buffer);
}

static void other_kinds(void **state)
{
	const char *path = fixture_path("kind");

	assert_open_fails(fixture_path("missing.jprof"), ERROR_MISSING, "No such file");
	assert_open_fails(fixture_directory(), ERROR_FORMAT, "directory");
	assert_open_fails("/dev/null", ERROR_FORMAT, "special file");
	mkfifo(fixture_path("fifo2"), 0666);
	assert_open_fails(fixture_path("fifo2"), ERROR_FORMAT, "special file");
	fixture_write_bytes(path, "", 0);
	assert_open_fails(path, ERROR_FORMAT, "is empty");
	fixture_write_bytes(path, "some text", 9);
	assert_open_fails(path, ERROR_FORMAT, "is not a jprof profile");
	char *zeros = calloc(1, 100000);
	fixture_write_bytes(path, zeros, 100000);
	free(zeros);
	assert_open_fails(path, ERROR_FORMAT, "is not a jprof profile");
	unlink(path);
	fixture_sql(path, "CREATE TABLE t(a)", NULL, 0);
	assert_open_fails(path, ERROR_FORMAT, "another SQLite database");
}

static void truncated(void **state)
{
	const char *whole = fixture_path("whole.jprof"), *path = fixture_path("cut.jprof");
	fixture_profile(whole, 2, 5000);
	long size = fixture_size(whole);

	/* SQLite takes a file of one byte for an empty one. */
	for (long bytes = 2; bytes < size; bytes += 1 + bytes / 2) {
		copy_head(whole, path, (size_t)bytes);
		assert_open_fails(path, ERROR_FORMAT, "is truncated");
	}
	copy_head(whole, path, (size_t)size - 1);
	assert_open_fails(path, ERROR_FORMAT, "is truncated");
}

#define A_VALUE                                                                                \
	"INSERT INTO parameter VALUES(1, 'k', 0, 255); INSERT INTO value VALUES(1, 1, 'x', "   \
	"0); "
/* So many labels, each below the one before, below a node. */
#define LABELS(count)                                                                          \
	"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < " count      \
	") INSERT INTO node(id, parent, thread, method, tags) SELECT 4294967296 + 999 + i, "   \
	"4294967296 + iif(i = 1, 1, 998 + i), 1, "                                             \
	"(SELECT method FROM node WHERE id = 4294967297), 1 FROM n"

static void damaged(void **state)
{
	/* SQL that damages a profile of 2 threads and 7 nodes each, and what is said
	 * then. */
	static const struct {
		int line;
		const char *sql;
		enum error_code code;
		const char *part;
	} rows[] = {
		{__LINE__, "PRAGMA user_version = 12", ERROR_VERSION, "newer jprof"},
		{__LINE__, "PRAGMA user_version = 10", ERROR_VERSION, "older jprof"},
		{__LINE__, "PRAGMA user_version = 0", ERROR_FORMAT, "no version"},
		{__LINE__, "PRAGMA application_id = 7", ERROR_FORMAT, "another SQLite"},
		{__LINE__, "DROP TABLE node", ERROR_FORMAT, "no table 'node'"},
		{__LINE__, "DROP TABLE meta", ERROR_FORMAT, "no table 'meta'"},
		{__LINE__,
			"ALTER TABLE node RENAME TO n; CREATE VIEW node AS SELECT * FROM "
			"n",
			ERROR_FORMAT, "no table 'node'"},
		{__LINE__, "ALTER TABLE thread RENAME COLUMN os_id TO o", ERROR_FORMAT,
			"no column 'os_id'"},
		{__LINE__, "INSERT INTO metric VALUES(3, 'x', 'y', 'z')", ERROR_FORMAT,
			"no column 'total_3'"},
		{__LINE__, "INSERT INTO metric VALUES(7, 'x', 'y', 'z')", ERROR_FORMAT,
			"metric 3 is missing"},
		{__LINE__,
			"WITH RECURSIVE c(i) AS (SELECT 3 UNION ALL SELECT i + 1 FROM c "
			"LIMIT "
			"40) INSERT INTO metric SELECT i, '', '', '' FROM c",
			ERROR_FORMAT, "43 metrics"},
		{__LINE__, "INSERT INTO meta VALUES(NULL, 'v')", ERROR_FORMAT,
			"impossible 'key'"},
		{__LINE__, "INSERT INTO method(id) VALUES(-1)", ERROR_FORMAT,
			"impossible 'id'"},
		{__LINE__, "INSERT INTO method(id) VALUES(4000000000)", ERROR_FORMAT,
			"ids up to 4000000000"},
		{__LINE__, "UPDATE node SET method = 10 WHERE id & 15 = 3", ERROR_FORMAT,
			"unknown method"},
		{__LINE__, "UPDATE node SET method = -1 WHERE id & 15 = 3", ERROR_FORMAT,
			"impossible 'method'"},
		{__LINE__, "UPDATE node SET method = 0 WHERE id & 15 = 3", ERROR_FORMAT,
			"unknown method"},
		{__LINE__, "DELETE FROM node WHERE id & 15 = 2", ERROR_FORMAT,
			"impossible parent"},
		{__LINE__, "DELETE FROM node WHERE id & 15 = 0", ERROR_FORMAT,
			"root is missing"},
		{__LINE__, "DELETE FROM thread WHERE id = 1", ERROR_FORMAT, "unknown thread"},
		{__LINE__, "DELETE FROM thread WHERE id = 2", ERROR_FORMAT, "unknown thread"},
		{__LINE__, "UPDATE node SET thread = 2", ERROR_FORMAT, "impossible 'thread'"},
		{__LINE__, "INSERT INTO node(id) VALUES(-5)", ERROR_FORMAT,
			"impossible 'parent'"},
		{__LINE__, "INSERT INTO thread(id) VALUES(0)", ERROR_FORMAT, "thread id"},
		{__LINE__, "INSERT INTO thread(id) VALUES(4294967296)", ERROR_FORMAT,
			"impossible 'id'"},
		{__LINE__, "UPDATE node SET parent = id", ERROR_FORMAT, "impossible 'parent'"},
		{__LINE__, "UPDATE node SET parent = NULL", ERROR_FORMAT,
			"impossible 'parent'"},
		{__LINE__, "UPDATE node SET parent = id + 1 WHERE id & 15 = 2", ERROR_FORMAT,
			"impossible parent"},
		{__LINE__, "UPDATE node SET parent = 4294967296 WHERE id = 8589934594",
			ERROR_FORMAT, "impossible 'parent'"},
		{__LINE__, "UPDATE node SET parent = 'x' WHERE id & 15 = 2", ERROR_FORMAT,
			"impossible 'parent'"},
		{__LINE__, "ALTER TABLE node DROP COLUMN spent_2", ERROR_FORMAT,
			"no column 'spent_2'"},
		{__LINE__, "ALTER TABLE sequence DROP COLUMN min_0", ERROR_FORMAT,
			"no column 'min_0'"},
		{__LINE__, "INSERT INTO sequence(id) VALUES(2056)", ERROR_FORMAT,
			"sequence code"},
		{__LINE__, "INSERT INTO sequence(id) VALUES(-1)", ERROR_FORMAT,
			"impossible 'id'"},
		{__LINE__, "UPDATE node SET recursion = 4000000000", ERROR_FORMAT,
			"impossible recursion"},
		{__LINE__, "UPDATE node SET value = 1 WHERE id & 15 = 3", ERROR_FORMAT,
			"unknown value"},
		{__LINE__, "UPDATE node SET tags = 268435456 WHERE id & 15 = 3", ERROR_FORMAT,
			"unknown tags"},
		{__LINE__, "UPDATE node SET tags = 2 WHERE id & 15 = 3", ERROR_FORMAT,
			"unknown tags"},
		{__LINE__, "UPDATE node SET line = 7, tags = 1 WHERE id & 15 = 3", ERROR_FORMAT,
			"more than one label"},
		{__LINE__, A_VALUE "UPDATE node SET value = 1, tags = 1 WHERE id & 15 = 3",
			ERROR_FORMAT, "more than one label"},
		{__LINE__, A_VALUE "UPDATE node SET value = 1 WHERE id & 15 = 0", ERROR_FORMAT,
			"a root with a label"},
		{__LINE__, LABELS("64"), 0, ""},
		{__LINE__, LABELS("65"), ERROR_FORMAT, "one label of too many"},
		{__LINE__, "UPDATE node SET tags = 2 WHERE id & 15 = 0", ERROR_FORMAT,
			"unknown method"},
		{__LINE__, "UPDATE node SET tags = -1 WHERE id & 15 = 3", ERROR_FORMAT,
			"impossible 'tags'"},
		{__LINE__, "INSERT INTO value VALUES(1, 1, 'x', 0)", ERROR_FORMAT,
			"a value is of nothing"},
		{__LINE__, "INSERT INTO value VALUES(268435456, 1, 'x', 0)", ERROR_FORMAT,
			"value id"},
		{__LINE__, "INSERT INTO tag VALUES(1, 2, 1)", ERROR_FORMAT,
			"a tag has no value"},
		{__LINE__,
			"INSERT INTO parameter VALUES(1, 'k', 1, 255); INSERT INTO value "
			"VALUES(1, "
			"1, "
			"'x', 0); INSERT INTO tag VALUES(1, 1, 1)",
			ERROR_FORMAT, "impossible set"},
		{__LINE__,
			"INSERT INTO parameter VALUES(1, 'k', 1, 255); INSERT INTO value "
			"VALUES(1, "
			"1, "
			"'x', 0); INSERT INTO tag VALUES(1, 3, 1), (2, 2, 1)",
			ERROR_FORMAT, "impossible set"},
		{__LINE__, "DROP VIEW tree; ALTER TABLE node DROP COLUMN tags", ERROR_FORMAT,
			"no column 'tags'"},
		{__LINE__, "DROP TABLE value", ERROR_FORMAT, "no table 'value'"},
	};

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		const char *path = fixture_path("damaged.jprof");
		struct profile *profile;
		struct error error = {0};
		unlink(path);
		fixture_profile(path, 2, 7);
		fixture_sql(path, rows[i].sql, NULL, 0);
		int status = profile_open(&profile, path, &error);
		if (status != -(int)rows[i].code || !profile != (status != 0) ||
			!strstr(error.text, rows[i].part))
			fail_msg("row of line %d: %d %s", rows[i].line, status, error.text);
		profile_free(profile);
	}
}

/* Pages overwritten one at a time: an error or a profile, never a crash. */
static void scribbled(void **state)
{
	const char *path = fixture_path("scribbled.jprof");
	char page[4096];
	int refused = 0;

	memset(page, 0xa5, sizeof page);
	fixture_profile(path, 2, 300);
	long size = fixture_size(path);
	for (long at = 4096; at < size; at += 4096) {
		struct profile *profile;
		struct error error = {0};
		fixture_profile(path, 2, 300);
		int fd = open(path, O_WRONLY | O_CLOEXEC);
		assert_int_equal(pwrite(fd, page, sizeof page, at), sizeof page);
		close(fd);
		refused += profile_open(&profile, path, &error) < 0;
		profile_free(profile);
	}
	assert_true(refused >= 10);
}

/* --- places where nothing can be written --- */

static void read_only_body(void)
{
	static const char *const names[] = {"ro/closed %.jprof", "ro/wal.jprof"};

	for (int i = 0; i < 2; i++) {
		struct profile *profile;
		struct error error = {0};
		uint64_t round;
		if (profile_open(&profile, fixture_path(names[i]), &error) < 0 ||
			!fixture_is_whole(profile, 1, 10, &round)) {
			fprintf(stderr, "%s: %s\n", names[i], error.text);
			_exit(3 + i);
		}
	}
	struct profile *profile;
	struct error error = {0};
	if (profile_open(&profile, fixture_path("ro/log.jprof"), &error) != -ERROR_DENIED ||
		!strstr(error.text, "'-wal'")) {
		fprintf(stderr, "%s\n", error.text);
		_exit(5);
	}
	error = (struct error){0};
	if (profile_open(&profile, fixture_path("ro/torn.jprof"), &error) != -ERROR_DENIED ||
		!strstr(error.text, "'-journal'")) {
		fprintf(stderr, "%s\n", error.text);
		_exit(6);
	}
}

/* A process dies in the middle of a transaction of which a part is in the file. */
static void tear(const char *path)
{
	static const char sql[] = "PRAGMA synchronous = OFF; PRAGMA cache_size = 2;"
				  "BEGIN EXCLUSIVE; UPDATE node SET calls = calls + 1";
	int status;
	pid_t child;

	fflush(NULL);
	child = fork();
	if (child == 0) {
		sqlite3 *db;

		_exit(sqlite3_open(path, &db) != SQLITE_OK ||
			sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

static void read_only_directory(void **state)
{
	assert_int_equal(mkdir(fixture_path("ro"), 0755), 0);
	fixture_profile(fixture_path("ro/closed %.jprof"), 1, 10);
	/* In the mode of a log, but without one: a JVM was killed right after a
	 * checkpoint, and the side files were removed. */
	fixture_profile(fixture_path("ro/wal.jprof"), 1, 10);
	fixture_sql(fixture_path("ro/wal.jprof"), "PRAGMA journal_mode = WAL", NULL, 0);
	/* With a log but without its index: only some of the files were copied. */
	fixture_profile(fixture_path("ro/log.jprof"), 1, 10);
	fixture_sql(fixture_path("ro/log.jprof"), "PRAGMA journal_mode = WAL", NULL, 0);
	fixture_write_bytes(fixture_path("ro/log.jprof-wal"), "not a log", 9);
	fixture_profile(fixture_path("ro/torn.jprof"), 2, 3000);
	tear(fixture_path("ro/torn.jprof"));
	assert_int_equal(chmod(fixture_path("ro/torn.jprof"), 0644), 0);
	assert_int_equal(chmod(fixture_path("ro/torn.jprof-journal"), 0644), 0);
	assert_int_equal(chmod(fixture_path("ro/closed %.jprof"), 0644), 0);
	assert_int_equal(chmod(fixture_path("ro/wal.jprof"), 0644), 0);
	assert_int_equal(chmod(fixture_path("ro/log.jprof"), 0644), 0);
	assert_int_equal(chmod(fixture_path("ro"), 0555), 0);
	in_ordinary_child(read_only_body);
	assert_int_equal(chmod(fixture_path("ro"), 0755), 0);
}

static void no_right_body(void)
{
	struct profile *profile;
	struct error error = {0};

	if (profile_open(&profile, fixture_path("secret.jprof"), &error) >= 0 ||
		!strstr(error.text, "Permission denied")) {
		fprintf(stderr, "%s\n", error.text);
		_exit(3);
	}
}

static void no_right_to_read(void **state)
{
	fixture_profile(fixture_path("secret.jprof"), 1, 10);
	assert_int_equal(chmod(fixture_path("secret.jprof"), 0), 0);
	assert_int_equal(chmod(fixture_directory(), 0755), 0);
	in_ordinary_child(no_right_body);
}

/* --- what a stranger may put beside a profile --- */

static void put32(char *to, unsigned number)
{
	for (int i = 0; i < 4; i++)
		to[i] = (char)(number >> (24 - 8 * i));
}

/* A journal that ends as those of SQLite's transactions over several files do: it names the
 * file that SQLite deletes when the transaction was undone. */
static void write_journal(const char *path, const char *named)
{
	static const char magic[] = "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7";
	char bytes[1024] = "journal";
	size_t length = strlen(named), at = 512;
	unsigned sum = 0;

	for (size_t i = 0; i < length; i++)
		sum += (unsigned)(signed char)named[i];
	memcpy(bytes + at, named, length);
	at += length;
	put32(bytes + at, (unsigned)length);
	put32(bytes + at + 4, sum);
	memcpy(bytes + at + 8, magic, 8);
	fixture_write_bytes(path, bytes, at + 16);
}

static void journal_that_names_a_file(void **state)
{
	const char *path = fixture_path("lured.jprof"), *victim = fixture_path("victim");
	struct profile *profile;
	struct error error = {0};

	fixture_profile(path, 1, 10);
	fixture_write_bytes(victim, "of value", 9);
	write_journal(fixture_path("lured.jprof-journal"), victim);
	if (profile_open(&profile, path, &error) >= 0)
		profile_free(profile);
	assert_true(fixture_exists(victim));
}

static int clean(void **state)
{
	fixture_clean();
	return 0;
}

/* ---- endless files ---- */

static unsigned get16(const unsigned char *at)
{
	return (unsigned)(at[0] << 8 | at[1]);
}

enum { PAGE = 4096, INTERIOR = 5, LEAF = 13 };

static int page_type(FILE *file, unsigned page)
{
	fseek(file, (long)(page - 1) * PAGE, SEEK_SET);
	return fgetc(file);
}

/* Makes pages above the root of the table of methods, each of whose children are all the next one;
 * the last one's are a leaf. SQLite follows 20 levels. File format of SQLite, 1.6. */
static void make_endless(const char *path, const char *table)
{
	enum { LEVELS = 12 };
	static unsigned char page[PAGE];
	char sql[128], answer[32];
	unsigned root, last;
	FILE *file;

	snprintf(sql, sizeof(sql), "SELECT rootpage FROM sqlite_master WHERE name = '%s'",
		table);
	fixture_sql(path, sql, answer, sizeof(answer));
	root = (unsigned)atoi(answer);
	fixture_sql(path, "PRAGMA page_count", answer, sizeof(answer));
	last = (unsigned)atoi(answer);
	file = fopen(path, "r+");
	assert_non_null(file);
	fseek(file, (long)(root - 1) * PAGE, SEEK_SET);
	assert_int_equal(fread(page, 1, PAGE, file), PAGE);
	assert_int_equal(page[0], INTERIOR);
	/* The last pages of the file are leaves of the table that was filled last. */
	while (page_type(file, last) != LEAF)
		last--;
	for (unsigned level = 0; level < LEVELS; level++) {
		unsigned here = level == 0 ? root : last - LEVELS + level,
			 next = last - LEVELS + level + 1;

		for (unsigned cell = 0; cell < get16(page + 3); cell++)
			put32((char *)page + get16(page + 12 + 2 * cell), next);
		put32((char *)page + 8, next);
		fseek(file, (long)(here - 1) * PAGE, SEEK_SET);
		assert_int_equal(fwrite(page, 1, PAGE, file), PAGE);
	}
	assert_int_equal(fclose(file), 0);
}

/* 20 KB are read by SQLite as more rows than there is time for. */
static void endless(void **state)
{
	static const char *const tables[] = {"method", "mark", "thread"};
	char *path = fixture_path("endless");

	for (size_t i = 0; i < sizeof(tables) / sizeof(*tables); i++) {
		char sql[256];

		fixture_profile(path, 2, 3);
		snprintf(sql, sizeof(sql),
			"WITH RECURSIVE n(i) AS (SELECT 1000 UNION ALL SELECT i + 1 FROM n "
			"LIMIT "
			"30000) INSERT INTO %s(rowid, name) SELECT i, 'a name of some length' "
			"FROM n",
			tables[i]);
		fixture_sql(path, sql, NULL, 0);
		make_endless(path, tables[i]);
		alarm(60);
		assert_open_fails(path, ERROR_FORMAT, "than the file can hold");
		alarm(0);
	}
}

/* ---- a file that grows ---- */

/* Locks the file, says so, and has written much to it when the lock is gone. */
static void write_much(const char *path, int said)
{
	sqlite3 *db;

	if (sqlite3_open(path, &db) != SQLITE_OK ||
		sqlite3_exec(db, "BEGIN EXCLUSIVE", NULL, NULL, NULL) != SQLITE_OK ||
		write(said, "", 1) != 1)
		_exit(2);
	usleep(500000);
	if (sqlite3_exec(db,
		    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n "
		    "LIMIT 100000) INSERT INTO meta SELECT 'fact' || i, '' FROM n; COMMIT",
		    NULL, NULL, NULL) != SQLITE_OK)
		_exit(3);
	sqlite3_close(db);
	_exit(0);
}

/* What is there when reading begins is read, however small the file was when it was looked at. */
static void grows_meanwhile(void **state)
{
	char *path = fixture_path("grows"), said;
	struct error error = {0};
	struct profile *profile;
	int ends[2], status;
	pid_t writer;

	fixture_profile(path, 2, 3);
	assert_int_equal(pipe(ends), 0);
	writer = fork();
	if (writer == 0)
		write_much(path, ends[1]);
	assert_int_equal(read(ends[0], &said, 1), 1);
	if (profile_open(&profile, path, &error) != 0)
		fail_msg("%s", error.text);
	assert_true(profile->meta_count >= 100000);
	profile_free(profile);
	assert_int_equal(waitpid(writer, &status, 0), writer);
	assert_int_equal(status, 0);
	close(ends[0]);
	close(ends[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(odd_names),
		cmocka_unit_test(relative_names),
		cmocka_unit_test(long_paths),
		cmocka_unit_test(last_name_too_long),
		cmocka_unit_test(descriptors),
		cmocka_unit_test(replaces_older_profile),
		cmocka_unit_test(keeps_other_files),
		cmocka_unit_test(not_a_file),
		cmocka_unit_test(unwritable),
		cmocka_unit_test(two_writers),
		cmocka_unit_test(discarded),
		cmocka_unit_test(discarded_beside_a_journal),
		cmocka_unit_test(links),
		cmocka_unit_test(modes),
		cmocka_unit_test(others_file),
		cmocka_unit_test(full_disk),
		cmocka_unit_test(other_kinds),
		cmocka_unit_test(truncated),
		cmocka_unit_test(damaged),
		cmocka_unit_test(scribbled),
		cmocka_unit_test(journal_that_names_a_file),
		cmocka_unit_test(endless),
		cmocka_unit_test(grows_meanwhile),
		cmocka_unit_test(read_only_directory),
		cmocka_unit_test(no_right_to_read),
	};

	umask(022);
	return cmocka_run_group_tests(tests, NULL, clean);
}

/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * What may be where the control socket is to be: each case prepares the first of two roots, and
 * says whether the socket may be there; otherwise it must be in the second, and what was found
 * is as it was. A case in which nothing was refused although it must be is one that fails.
 */
#include "agent/control/place.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { PID = 4711 };

static char base[64], first[80], second[80];
static const char *const roots[] = {first, second, NULL};

/* "BASE/1/.jprof-4711/control" and the like; up to four at a time. */
static const char *path(const char *root, const char *rest)
{
	static char paths[4][160];
	static unsigned turn;
	char *text = paths[turn++ % 4];

	snprintf(text, sizeof(paths[0]), "%s/.jprof-%d%s", root, PID, rest);
	return text;
}

static int set_up(void **state)
{
	snprintf(base, sizeof(base), "%s/placeXXXXXX",
		getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
	assert_non_null(mkdtemp(base));
	snprintf(first, sizeof(first), "%s/1", base);
	snprintf(second, sizeof(second), "%s/2", base);
	assert_int_equal(mkdir(first, 0700), 0);
	assert_int_equal(mkdir(second, 0700), 0);
	return 0;
}

static int tear_down(void **state)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf '%s'", base);
	return system(command);
}

static int open_descriptors(void)
{
	int count = 0;

	for (int i = 0; i < 256; i++)
		count += fcntl(i, F_GETFD) >= 0;
	return count;
}

static bool exists(const char *name)
{
	struct stat status;

	return lstat(name, &status) == 0;
}

static int connect_to(const char *name)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int caller = socket(AF_UNIX, SOCK_STREAM, 0);

	snprintf(address.sun_path, sizeof(address.sun_path), "%s", name);
	if (connect(caller, (struct sockaddr *)&address, sizeof(address)) == 0)
		return caller;
	close(caller);
	return -1;
}

/* A socket as another process might have there; it listens unless it is a stale one. */
static int make_socket(const char *name, bool stale)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int listener = socket(AF_UNIX, SOCK_STREAM, 0);

	snprintf(address.sun_path, sizeof(address.sun_path), "%s", name);
	assert_int_equal(bind(listener, (struct sockaddr *)&address, sizeof(address)), 0);
	if (!stale)
		assert_int_equal(listen(listener, 1), 0);
	return listener;
}

static void touch(const char *name)
{
	int file = open(name, O_CREAT | O_WRONLY | O_EXCL, 0600);

	assert_true(file >= 0);
	close(file);
}

/* Makes the place, checks that it works and where it is, and removes it. */
static void expect_place(const char *root)
{
	int before = open_descriptors();
	struct error error = {0};
	struct place place;
	struct stat status;
	int listener = place_make(&place, roots, PID, &error), caller;

	if (listener < 0)
		fail_msg("%s", error.text);
	assert_string_equal(place.address.sun_path, path(root, "/control"));
	assert_int_equal(lstat(path(root, ""), &status), 0);
	assert_int_equal(status.st_mode, S_IFDIR | 0700);
	assert_int_equal(lstat(path(root, "/control"), &status), 0);
	assert_int_equal(status.st_mode, S_IFSOCK | 0600);
	assert_true(fcntl(listener, F_GETFD) & FD_CLOEXEC);
	assert_true(fcntl(listener, F_GETFL) & O_NONBLOCK);
	assert_true(fcntl(place.directory, F_GETFD) & FD_CLOEXEC);
	assert_int_equal(open_descriptors(), before + 2);
	caller = connect_to(path(root, "/control"));
	assert_true(caller >= 0);
	close(caller);
	place_remove(&place);
	place_remove(&place);
	close(listener);
	assert_false(exists(path(root, "/control")));
	assert_int_equal(open_descriptors(), before);
}

static void test_fresh(void **state)
{
	expect_place(first);
	assert_false(exists(path(first, "")));
	assert_false(exists(path(second, "")));
}

static void test_root_missing(void **state)
{
	rmdir(first);
	expect_place(second);
}

static void test_empty_directory(void **state)
{
	mkdir(path(first, ""), 0700);
	expect_place(first);
	assert_false(exists(path(first, "")));
}

/* What a killed process leaves: the file of a socket that nobody has open. */
static void test_stale(void **state)
{
	mkdir(path(first, ""), 0700);
	close(make_socket(path(first, "/control"), false));
	expect_place(first);
	assert_false(exists(path(first, "")));
}

static void test_living(void **state)
{
	int listener;

	mkdir(path(first, ""), 0700);
	listener = make_socket(path(first, "/control"), false);
	expect_place(second);
	/* Its backlog is full: it is alive all the same. */
	for (int i = 0; i < 4; i++) {
		int caller = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
		struct sockaddr_un address = {.sun_family = AF_UNIX};

		snprintf(address.sun_path, sizeof(address.sun_path), "%s",
			path(first, "/control"));
		if (connect(caller, (struct sockaddr *)&address, sizeof(address)) != 0)
			assert_int_equal(errno, EAGAIN);
		close(caller);
	}
	expect_place(second);
	close(listener);
}

/* Other things than a socket, and things that are not only ours, stay as they are. */
static void test_not_a_socket(void **state)
{
	mkdir(path(first, ""), 0700);
	touch(path(first, "/control"));
	expect_place(second);
	assert_true(exists(path(first, "/control")));
}

static void test_link_to_a_socket(void **state)
{
	mkdir(path(first, ""), 0700);
	close(make_socket(path(second, ""), false));
	assert_int_equal(symlink(path(second, ""), path(first, "/control")), 0);
	unlink(path(second, ""));
	expect_place(second);
	assert_true(exists(path(first, "/control")));
}

static void test_other_files_stay(void **state)
{
	mkdir(path(first, ""), 0700);
	touch(path(first, "/mine"));
	expect_place(first);
	assert_true(exists(path(first, "/mine")));
}

static void test_file(void **state)
{
	touch(path(first, ""));
	expect_place(second);
	assert_true(exists(path(first, "")));
}

static void test_pipe(void **state)
{
	assert_int_equal(mkfifo(path(first, ""), 0600), 0);
	expect_place(second);
}

static void test_symlink(void **state)
{
	char other[96];

	snprintf(other, sizeof(other), "%s/other", base);
	mkdir(other, 0700);
	assert_int_equal(symlink(other, path(first, "")), 0);
	expect_place(second);
	assert_int_equal(rmdir(other), 0);
}

static void test_dangling_symlink(void **state)
{
	char other[96];

	snprintf(other, sizeof(other), "%s/other", base);
	assert_int_equal(symlink(other, path(first, "")), 0);
	expect_place(second);
	assert_false(exists(other));
}

static void test_modes(void **state)
{
	static const mode_t open_ones[] = {
		0770, 0710, 0720, 0740, 0701, 0702, 0704, 0777, 01777};

	for (size_t i = 0; i < sizeof(open_ones) / sizeof(*open_ones); i++) {
		mkdir(path(first, ""), 0700);
		chmod(path(first, ""), open_ones[i]);
		expect_place(second);
		assert_int_equal(rmdir(path(first, "")), 0);
	}
}

static void test_other_user(void **state)
{
	if (geteuid() != 0)
		skip();
	mkdir(path(first, ""), 0700);
	assert_int_equal(chown(path(first, ""), 65534, 65534), 0);
	expect_place(second);
}

static bool is_heard_at(const char *path)
{
	int connection = connect_to(path);

	close(connection);
	return connection >= 0;
}

/* Other processes of this pid are at it: two have the usual places, the others one of
 * their own. */
static void test_race(void **state)
{
	enum { RACERS = 8 };
	struct error error = {0};
	struct place place;
	int ready[2], usual = 0;
	pid_t child[RACERS];

	assert_int_equal(pipe(ready), 0);
	for (unsigned i = 0; i < RACERS; i++) {
		child[i] = fork();
		if (child[i] == 0) {
			int listener = place_make(&place, roots, PID, &error);
			char path[sizeof(place.address.sun_path)] = "";

			if (listener >= 0)
				memcpy(path, place.address.sun_path, sizeof(path));
			if (write(ready[1], path, sizeof(path)) == (ssize_t)sizeof(path) &&
				listener >= 0)
				pause();
			_exit(1);
		}
	}
	close(ready[1]);
	for (unsigned i = 0; i < RACERS; i++) {
		char made[sizeof(place.address.sun_path)];

		assert_int_equal(read(ready[0], made, sizeof(made)), sizeof(made));
		assert_true(is_heard_at(made));
		usual += strcmp(made, path(first, "/control")) == 0 ||
			 strcmp(made, path(second, "/control")) == 0;
	}
	assert_int_equal(usual, 2);
	for (unsigned i = 0; i < RACERS; i++) {
		kill(child[i], SIGKILL);
		waitpid(child[i], NULL, 0);
	}
	close(ready[0]);
	/* All are stale now. */
	expect_place(first);
}

/* In a child, so that the mask is gone afterwards. The process's mask does not change. */
static void test_umask(void **state)
{
	for (int mask = 0; mask <= 077; mask += 077) {
		umask((mode_t)mask);
		expect_place(first);
		assert_int_equal(umask(022), mask);
	}
}

/* All names that could be foreseen are taken. */
static void test_taken(void **state)
{
	struct error error = {0};
	struct place place;
	int listener;

	touch(path(first, ""));
	touch(path(second, ""));
	listener = place_make(&place, roots, PID, &error);
	assert_true(listener >= 0);
	assert_int_equal(error.code, ERROR_NONE);
	assert_int_equal(
		strncmp(place.address.sun_path, path(first, "."), strlen(path(first, "."))), 0);
	assert_true(is_heard_at(place.address.sun_path));
	place_remove(&place);
	assert_false(exists(place.address.sun_path));
	close(listener);
	/* Nobody may want to know why the usual ones are not to be had. */
	listener = place_make(&place, roots, PID, NULL);
	assert_true(listener >= 0);
	place_remove(&place);
	close(listener);
}

static void test_nowhere(void **state)
{
	int before = open_descriptors();
	struct error error = {0};
	struct place place;
	char file[200];
	const char *const none[] = {file, second, NULL};

	snprintf(file, sizeof(file), "%s/file", first);
	touch(file);
	rmdir(second);
	assert_true(place_make(&place, none, PID, &error) < 0);
	assert_int_not_equal(error.code, ERROR_NONE);
	assert_non_null(strstr(error.text, file));
	assert_non_null(strstr(error.text, path(second, "")));
	assert_non_null(strstr(error.text, "No such file"));
	place_remove(&place);
	assert_int_equal(open_descriptors(), before);
}

static void test_path_too_long(void **state)
{
	char longest[200];
	const char *const two[] = {longest, second, NULL};
	struct error error = {0};
	struct place place;
	int listener;

	snprintf(longest, sizeof(longest), "%s/%0100d", first, 0);
	mkdir(longest, 0700);
	listener = place_make(&place, two, PID, &error);
	assert_true(listener >= 0);
	assert_string_equal(place.address.sun_path, path(second, "/control"));
	place_remove(&place);
	close(listener);
	assert_int_equal(rmdir(longest), 0);
}

/* Somebody took our place away and made another: it is not ours to remove. */
static void test_replaced(void **state)
{
	struct place place;
	int listener = place_make(&place, roots, PID, NULL), other;

	assert_true(listener >= 0);
	/* The other one is made first: a file system may give the same number again. */
	other = make_socket(path(first, "/new"), false);
	assert_int_equal(rename(path(first, "/new"), path(first, "/control")), 0);
	place_remove(&place);
	assert_true(exists(path(first, "/control")));
	close(other);
	close(listener);
}

static void test_moved_away(void **state)
{
	struct place place;
	char away[96];
	int listener = place_make(&place, roots, PID, NULL);

	assert_true(listener >= 0);
	snprintf(away, sizeof(away), "%s/away", base);
	assert_int_equal(rename(path(first, ""), away), 0);
	mkdir(path(first, ""), 0700);
	touch(path(first, "/control"));
	place_remove(&place);
	assert_true(exists(path(first, "/control")));
	close(listener);
}

/* ---- file systems that can be had as root only ---- */

static void with_mount(unsigned long flags, const char *options, bool fill)
{
	if (mount("tmpfs", first, "tmpfs", 0, options) != 0)
		skip();
	if (fill)
		for (int i = 0;; i++) {
			char name[96];

			snprintf(name, sizeof(name), "%s/%d", first, i);
			if (mknod(name, S_IFREG | 0600, 0) != 0)
				break;
		}
	if (flags)
		assert_int_equal(mount(NULL, first, NULL, MS_REMOUNT | flags, options), 0);
	expect_place(second);
	assert_int_equal(umount(first), 0);
}

static void test_read_only(void **state)
{
	with_mount(MS_RDONLY, "size=64k", false);
}

/* No file can be made any more. */
static void test_full(void **state)
{
	with_mount(0, "size=64k,nr_inodes=8", true);
}

/* One can: the directory, and then not the socket. */
static void test_nearly_full(void **state)
{
	if (mount("tmpfs", first, "tmpfs", 0, "size=64k,nr_inodes=2") != 0)
		skip();
	expect_place(second);
	assert_false(exists(path(first, "")));
	assert_int_equal(umount(first), 0);
}

/* Without mount(2): a root that may not be written to. */
static void test_forbidden_root(void **state)
{
	pid_t child;
	int status;

	chmod(first, 0500);
	child = fork();
	if (child == 0) {
		struct place place;
		struct error error = {0};

		/* Root may write anywhere. */
		if (geteuid() == 0 &&
			(chown(base, 65534, 65534) || chown(first, 65534, 65534) ||
				chown(second, 65534, 65534) || setresuid(65534, 65534, 65534)))
			_exit(2);
		int listener = place_make(&place, roots, PID, &error);
		if (listener < 0 && strstr(error.text, "Permission denied; cannot make"))
			_exit(3); /* the way to them is closed to others */
		bool good = listener >= 0 &&
			    strcmp(place.address.sun_path, path(second, "/control")) == 0;
		place_remove(&place);
		_exit(good ? 0 : 1);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	if (WEXITSTATUS(status) == 3)
		skip();
	assert_int_equal(status, 0);
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(test_fresh),
		CASE(test_root_missing),
		CASE(test_empty_directory),
		CASE(test_stale),
		CASE(test_living),
		CASE(test_not_a_socket),
		CASE(test_link_to_a_socket),
		CASE(test_other_files_stay),
		CASE(test_file),
		CASE(test_pipe),
		CASE(test_symlink),
		CASE(test_dangling_symlink),
		CASE(test_modes),
		CASE(test_other_user),
		CASE(test_race),
		CASE(test_taken),
		CASE(test_umask),
		CASE(test_nowhere),
		CASE(test_path_too_long),
		CASE(test_replaced),
		CASE(test_moved_away),
		CASE(test_read_only),
		CASE(test_full),
		CASE(test_nearly_full),
		CASE(test_forbidden_root),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

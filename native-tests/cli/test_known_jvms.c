/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* Which JVMs are noted, and which of those are still taken later. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/java/known_jvms.h"
#include "native-tests/test_folder.h"

enum { NOBODY = 65534 };

static char folder[] = "/tmp/jprof-known-XXXXXX";

/* ---- files ---- */

static const char *at(const char *name)
{
	static char path[2][4200];
	static int next;

	next = !next;
	snprintf(path[next], sizeof(path[next]), "%s/%s", folder, name);
	return path[next];
}

static void make_java(const char *home, mode_t mode)
{
	char path[256];
	int file;

	assert_int_equal(mkdir(at(home), 0755), 0);
	snprintf(path, sizeof(path), "%s/bin", home);
	assert_int_equal(mkdir(at(path), 0755), 0);
	snprintf(path, sizeof(path), "%s/bin/java", home);
	file = open(at(path), O_CREAT | O_WRONLY, mode);
	assert_true(file >= 0);
	assert_int_equal(fchmod(file, mode) | close(file), 0);
}

static int make_folder(void **state)
{
	return test_folder_make(folder) == 0 ? setenv("XDG_CACHE_HOME", at("cache"), 1) : -1;
}

static int clean(void **state)
{
	return test_folder_remove(folder);
}

/* ---- what is known ---- */

static struct {
	int count;
	char last[4096];
} seen;

static bool look(const void *argument, const char *java)
{
	seen.count++;
	snprintf(seen.last, sizeof(seen.last), "%s", java);
	return false;
}

static int known(void)
{
	char java[PATH_MAX];

	memset(&seen, 0, sizeof(seen));
	assert_false(known_jvms_find(java, look, NULL));
	return seen.count;
}

/* ---- tests ---- */

static void noted_once(void **state)
{
	assert_int_equal(known(), 0);
	make_java("one", 0755);
	make_java("two", 0755);
	known_jvms_note(at("one"));
	known_jvms_note(at("one"));
	assert_int_equal(known(), 1);
	assert_string_equal(seen.last, at("one/bin/java"));
	known_jvms_note(at("two"));
	known_jvms_note(at("one"));
	assert_int_equal(known(), 2);
	assert_string_equal(seen.last, at("two/bin/java"));
}

/* By what it leads to: the link may lead elsewhere later. */
static void links(void **state)
{
	make_java("one", 0755);
	assert_int_equal(symlink("one", at("link")), 0);
	known_jvms_note(at("link"));
	assert_int_equal(known(), 1);
	assert_string_equal(seen.last, at("one/bin/java"));
}

static void not_noted(void **state)
{
	make_java("open", 0777);
	make_java("plain", 0644);
	make_java("line\nend", 0755);
	assert_int_equal(mkdir(at("folder"), 0755) | mkdir(at("folder/bin"), 0755) |
				 mkdir(at("folder/bin/java"), 0755),
		0);
	known_jvms_note(at("open"));
	known_jvms_note(at("plain"));
	known_jvms_note(at("folder"));
	known_jvms_note(at("line\nend"));
	known_jvms_note(at("none"));
	known_jvms_note("one");
	known_jvms_note("");
	assert_int_equal(known(), 0);
}

/* Each way in which what was noted is not to be run any more. */
static void not_taken_later(void **state)
{
	make_java("one", 0755);
	known_jvms_note(at("one"));
	assert_int_equal(chmod(at("one"), 0777), 0);
	assert_int_equal(known(), 0);
	assert_int_equal(chmod(at("one"), 0755), 0);
	assert_int_equal(known(), 1);
	assert_int_equal(unlink(at("one/bin/java")), 0);
	assert_int_equal(known(), 0);
}

/* A list that others could have written is none. */
static void list_of_others(void **state)
{
	make_java("one", 0755);
	known_jvms_note(at("one"));
	assert_int_equal(known(), 1);
	assert_int_equal(chmod(at("cache/jprof"), 0770), 0);
	assert_int_equal(known(), 0);
	assert_int_equal(chmod(at("cache/jprof"), 0700) | chmod(at("cache"), 01777), 0);
	assert_int_equal(known(), 1);
	assert_int_equal(chmod(at("cache"), 0777), 0);
	assert_int_equal(known(), 0);
	assert_int_equal(chmod(at("cache"), 0700), 0);
	if (geteuid() == 0) {
		assert_int_equal(chown(at("cache/jprof"), NOBODY, NOBODY), 0);
		assert_int_equal(known(), 0);
	}
}

/* Whatever is in the list: nothing but whole paths of programs of ours. */
static void list_of_anything(void **state)
{
	static const char lines[] =
		"java\n\n./java\n/nowhere/java\n/etc/passwd\n/dev/zero\n/\n";
	FILE *list;

	make_java("one", 0755);
	known_jvms_note(at("one"));
	list = fopen(at("cache/jprof/jvms"), "w");
	fputs(lines, list);
	for (int i = 0; i < 100000; i++)
		fputc('/', list);
	fputc('\n', list);
	fprintf(list, "%s", at("one/bin/java"));
	fclose(list);
	assert_int_equal(known(), 1);
	assert_string_equal(seen.last, at("one/bin/java"));
}

static void list_is_bounded(void **state)
{
	struct stat status;
	char home[32];

	for (int i = 0; i < 200; i++) {
		snprintf(home, sizeof(home), "home%d", i);
		make_java(home, 0755);
		known_jvms_note(at(home));
	}
	assert_int_equal(stat(at("cache/jprof/jvms"), &status), 0);
	assert_true(status.st_size > 0 && status.st_size <= 4096);
	assert_string_equal((known(), seen.last), at("home199/bin/java"));
}

static void process(void **state)
{
	struct target target;
	struct error error = {0};
	char command[512];
	pid_t child;

	assert_int_equal(target_open(&target, getpid(), &error), 0);
	/* .../tests/test_known_jvms: there is no bin/java */
	known_jvms_note_process(&target);
	target_close(&target);
	assert_int_equal(known(), 0);

	make_java("one", 0755);
	snprintf(command, sizeof(command), "cp /bin/sleep '%s'", at("one/bin/java"));
	assert_int_equal(system(command), 0);
	child = fork();
	if (child == 0) {
		execl(at("one/bin/java"), "java", "100", (char *)NULL);
		_exit(127);
	}
	for (int i = 0; i < 500 && known() == 0; i++) {
		assert_int_equal(target_open(&target, child, &error), 0);
		known_jvms_note_process(&target);
		target_close(&target);
		usleep(10000);
	}
	kill(child, SIGKILL);
	assert_int_equal(known(), 1);
	assert_string_equal(seen.last, at("one/bin/java"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(noted_once, make_folder, clean),
		cmocka_unit_test_setup_teardown(links, make_folder, clean),
		cmocka_unit_test_setup_teardown(not_noted, make_folder, clean),
		cmocka_unit_test_setup_teardown(not_taken_later, make_folder, clean),
		cmocka_unit_test_setup_teardown(list_of_others, make_folder, clean),
		cmocka_unit_test_setup_teardown(list_of_anything, make_folder, clean),
		cmocka_unit_test_setup_teardown(list_is_bounded, make_folder, clean),
		cmocka_unit_test_setup_teardown(process, make_folder, clean),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

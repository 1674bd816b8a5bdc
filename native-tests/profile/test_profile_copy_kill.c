/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* A JVM killed at any moment of a recording that is shared, and moves from file to file, leaves whole files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "fixture.h"
#include "profile/profile_copy.h"

enum { KILLS = 24, NODES = 1000, FILES_MAX = 64 };

/* Of the child that writes; shared with it. */
static struct progress {
	volatile uint64_t committed, copied; /* rounds: in the database, in the copy */
	volatile int files;                  /* how many have been taken */
	volatile int holder;                 /* the database's */
} * progress;

static int make_shared(void **state)
{
	progress = mmap(NULL, sizeof *progress, PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	fixture_directory();
	return progress == MAP_FAILED ? -1 : 0;
}

static int clean(void **state)
{
	fixture_clean();
	return 0;
}

static char *path_of(int kill, int file)
{
	char name[32];

	snprintf(name, sizeof name, "k%d-%d.jprof", kill, file);
	return fixture_path(name);
}

static void give_up(const struct error *error)
{
	fprintf(stderr, "%s\n", error->text);
	_exit(3);
}

/* File i is of session i + 1; each is a copy for two rounds, then the database for one. */
static void write_for_ever(int which)
{
	struct profile_writer *writer;
	struct profile_copy *copy;
	struct error error = {0};
	uint64_t round = 0;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (profile_create(&writer, path_of(which, 0), fixture_metrics, FIXTURE_METRICS, NULL,
		    &error) < 0 ||
		fixture_session(writer, 1, 0, 0, &error) < 0)
		give_up(&error);
	progress->files = 1;
	for (int file = 1; file < FILES_MAX; file++) {
		const struct profile_share from = {.session = (uint32_t)file},
					   to = {.session = (uint32_t)file + 1};

		progress->copied = 0;
		progress->files = file + 1;
		if (fixture_session(writer, to.session, (uint32_t)file % 8, 0, &error) < 0 ||
			profile_copy_create(&copy, path_of(which, file), NULL, &error) < 0)
			give_up(&error);
		for (int i = 0; i < 2; i++) {
			if (fixture_fill(writer, 2, NODES, ++round, &error) < 0)
				give_up(&error);
			progress->committed = round;
			if (profile_copy_refresh(copy, writer, &to, &error) < 0)
				give_up(&error);
			progress->copied = round;
		}
		if (profile_move(writer, copy, &from, &to, &error) < 0)
			give_up(&error);
		progress->holder = file;
		if (fixture_fill(writer, 2, NODES, ++round, &error) < 0)
			give_up(&error);
		progress->committed = round;
	}
	for (;;)
		pause();
}

/* The round that the file has, 0: it is empty yet. */
static uint64_t round_of(const char *path, int file)
{
	struct profile *profile = NULL;
	struct error error = {0};
	uint64_t round = 0;

	if (!fixture_exists(path) || fixture_size(path) == 0)
		return 0;
	if (profile_open(&profile, path, &error) < 0) {
		if (!strstr(error.text, "is empty"))
			fail_msg("%s", error.text);
		return 0;
	}
	if (profile->thread_count > 0) {
		assert_true(fixture_is_whole(profile, 2, NODES, &round));
		/* Of the first one it is said when it moves. */
		if (file > 0)
			assert_int_equal(profile_meta_number(profile, "session"), file + 1);
	}
	profile_free(profile);
	return round;
}

static void check_integrity(const char *path)
{
	char answer[64];

	if (fixture_size(path) <= 0)
		return;
	fixture_sql(path, "PRAGMA integrity_check", answer, sizeof answer);
	assert_string_equal(answer, "ok");
}

static void check_left_behind(int which)
{
	uint64_t last = 0;
	int files = progress->files;

	for (int file = 0; file < files; file++) {
		uint64_t round = round_of(path_of(which, file), file);

		check_integrity(path_of(which, file));
		/* Those before are complete. */
		if (file + 2 < files)
			assert_int_equal(round, 3 * file + 2);
		if (file == files - 1 && progress->copied > 0)
			assert_true(round >= progress->copied);
		last = round > last ? round : last;
	}
	if (last < progress->committed)
		fail_msg("round %lu of %lu is the last one", last, progress->committed);
	/* It can be written again. */
	if (fixture_exists(path_of(which, files - 1))) {
		struct profile_copy *copy;
		struct error error = {0};
		char name[48];

		assert_int_equal(
			profile_copy_create(&copy, path_of(which, files - 1), NULL, &error), 0);
		profile_copy_close(copy);
		snprintf(name, sizeof name, ".k%d-%d.jprof-copy", which, files - 1);
		assert_false(fixture_exists(fixture_path(name)));
	}
}

static int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000 + now.tv_nsec;
}

static void check_alive(pid_t child)
{
	siginfo_t ended = {0};

	waitid(P_PID, (id_t)child, &ended, WEXITED | WNOHANG | WNOWAIT);
	if (ended.si_pid != 0)
		fail_msg("the writing process has ended: %d", ended.si_status);
}

/* Until the child has taken some files, whatever that takes on this machine, and at a moment between two of them. */
static void wait_a_while(pid_t child)
{
	int files = (int)(random() % 6);
	int64_t begin = now_ns(), each;

	while (progress->files < files) {
		check_alive(child);
		poll(NULL, 0, 1);
	}
	each = (now_ns() - begin + 2000000) / (files + 1);
	each = each * (random() % 1000) / 1000;
	nanosleep(&(struct timespec){each / 1000000000, each % 1000000000}, NULL);
}

static void killed(void **state)
{
	unsigned seed = (unsigned)time(NULL);
	int status, moved = 0;

	print_message("seed %u\n", seed);
	srandom(seed);
	for (int i = 0; i < KILLS; i++) {
		pid_t child;

		*progress = (struct progress){.files = 0};
		fflush(NULL);
		child = fork();
		if (child == 0)
			write_for_ever(i);
		wait_a_while(child);
		kill(child, SIGKILL);
		assert_int_equal(waitpid(child, &status, 0), child);
		assert_true(WIFSIGNALED(status));
		moved += progress->holder;
		check_left_behind(i);
	}
	print_message("%d moves\n", moved);
	assert_true(moved > 3);
}

/* Who opens a copy while it is made anew, and becomes the database, reads a whole one: never an older one than before. */
static void readers_beside(void **state)
{
	uint64_t last = 0, changes = 0;
	int status, reads = 0;
	pid_t child;

	*progress = (struct progress){.files = 0};
	fflush(NULL);
	child = fork();
	if (child == 0)
		write_for_ever(KILLS);
	while (progress->files < FILES_MAX && reads < 300) {
		int file = progress->files - 1;
		bool copied = progress->copied > 0;
		uint64_t round;

		/* The copy, once it was made; before that the one that has become the database. */
		file -= !copied;
		if (file < 1) {
			check_alive(child);
			poll(NULL, 0, 1);
			continue;
		}
		round = round_of(path_of(KILLS, file), file);
		if (round == 0)
			fail_msg("file %d is empty", file);
		reads++;
		changes += round > last;
		last = round > last ? round : last;
	}
	kill(child, SIGKILL);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status));
	print_message("%d reads, %lu changes\n", reads, changes);
	assert_true(changes > 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(killed), cmocka_unit_test(readers_beside)};

	return cmocka_run_group_tests(tests, make_shared, clean);
}

/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* A writer killed at any moment leaves a whole file; a reader beside a writer sees one
 * state of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "fixture.h"

#define KILLS     20
#define THREADS   4
#define NODES     2000
#define SNAPSHOTS 8 /* the first rounds make less than so many */

/* Rounds whose commit has returned; shared with the writing child. */
static volatile uint64_t *committed;

static int make_shared(void **state)
{
	committed = mmap(NULL, sizeof *committed, PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	return committed == MAP_FAILED ? -1 : 0;
}

static int clean(void **state)
{
	fixture_clean();
	return 0;
}

/* Between two rounds, ms. Without any a reader may never find the file free. */
static int rest;

/* Round after round over the same nodes. Every eighth drops a thread before. */
static void write_for_ever(const char *path)
{
	struct profile_writer *writer;
	struct error error = {0};

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (profile_create(&writer, path, fixture_metrics, FIXTURE_METRICS, NULL, &error) < 0)
		_exit(3);
	for (uint64_t round = 1;; round++) {
		if (round % 8 == 0 && (profile_begin(writer, &error) < 0 ||
					      profile_drop_thread(writer, 2, &error) < 0))
			_exit(4);
		profile_rollback(writer);
		char label[32];
		const struct profile_snapshot snapshot = {
			(uint32_t)(round / 4), label, round, SNAPSHOT_NAMED, 0};
		snprintf(label, sizeof label, "%lu", round);
		if ((round % 4 == 0 && round < 4 * SNAPSHOTS
				    ? fixture_keep(
					      writer, THREADS, NODES, round, &snapshot, &error)
				    : fixture_fill(writer, THREADS, NODES, round, &error)) <
			0) {
			fprintf(stderr, "%s\n", error.text);
			_exit(5);
		}
		*committed = round;
		if (rest > 0)
			poll(NULL, 0, rest);
	}
}

static pid_t start_writer(const char *path)
{
	*committed = 0;
	fflush(NULL);
	pid_t child = fork();
	if (child == 0)
		write_for_ever(path);
	return child;
}

static void end_writer(pid_t child)
{
	int status;

	kill(child, SIGKILL);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status));
}

/* Every snapshot that is there is whole, as is the interval from it to the next. */
static void check_snapshots(const char *path, const struct profile *last)
{
	for (size_t i = 0; i < last->snapshot_count; i++) {
		const char *label = last->snapshot[i].label;
		struct profile_wanted wanted = {.marks = true};
		struct profile *profile = NULL;
		struct error error = {0};
		uint64_t round;
		char interval[80];

		snprintf(interval, sizeof interval, "..%s", label);
		wanted.interval = interval;
		profile_open_wanted(&profile, path, &wanted, &error);
		assert_string_equal(error.text, "");
		assert_true(fixture_is_whole(profile, THREADS, NODES, &round));
		assert_int_equal(round, strtoul(label, NULL, 10));
		assert_int_equal(profile->mark_count, last->snapshot_count);
		profile_free(profile);
		if (i == 0)
			continue;
		snprintf(interval, sizeof interval, "%s..%s", last->snapshot[i - 1].label,
			label);
		profile_open_wanted(&profile, path, &wanted, &error);
		assert_string_equal(error.text, "");
		assert_int_equal(profile->node_count, THREADS * NODES);
		assert_int_equal(profile->node[7].interpreted, 4);
		profile_free(profile);
	}
}

/* Opened by the reader, then checked by SQLite: the reader must do without recovery by
 * somebody else. */
static void check_left_behind(const char *path, uint64_t at_least)
{
	struct profile *profile = NULL;
	struct error error = {0};
	uint64_t round = 0;
	char answer[64];

	if (profile_open(&profile, path, &error) == 0) {
		bool whole = profile->thread_count == 0 ||
			     fixture_is_whole(profile, THREADS, NODES, &round);
		if (!whole || round < at_least)
			fail_msg("whole %d, round %lu, committed %lu", whole, round, at_least);
		if (profile->snapshot_count <
			(round < 4 * SNAPSHOTS ? round / 4 : SNAPSHOTS - 1))
			fail_msg("%zu snapshots in round %lu", profile->snapshot_count, round);
		check_snapshots(path, profile);
	} else if (at_least > 0 || !strstr(error.text, "is empty")) {
		fail_msg("%s", error.text);
	}
	profile_free(profile);
	fixture_sql(path, "PRAGMA integrity_check", answer, sizeof answer);
	assert_string_equal(answer, "ok");
}

static void killed(void **state)
{
	unsigned seed = (unsigned)time(NULL);

	print_message("seed %u\n", seed);
	srandom(seed);
	for (int i = 0; i < KILLS; i++) {
		char name[32];
		/* A new file and one that a killed writer left, in turns. */
		snprintf(name, sizeof name, "killed-%d.jprof", i / 2);
		const char *path = fixture_path(name);
		pid_t child = start_writer(path);
		/* A quarter of them while the file is being made. */
		long us = i % 4 == 0 ? random() % 4000 : random() % 400000;
		struct timespec pause = {0, us * 1000};
		nanosleep(&pause, NULL);
		end_writer(child);
		if (fixture_exists(path))
			check_left_behind(path, *committed);
		else
			assert_int_equal(*committed, 0);
	}
}

static void reader_beside_writer(void **state)
{
	const char *path = fixture_path("beside.jprof");
	pid_t child;
	uint64_t last = 0, changes = 0;

	rest = 5;
	child = start_writer(path);
	rest = 0;
	for (int i = 0; i < 1000 && *committed == 0; i++)
		poll(NULL, 0, 10);
	for (int i = 0; i < 60; i++) {
		struct profile *profile = NULL;
		struct error error = {0};
		uint64_t before = *committed, round = 0;
		profile_open(&profile, path, &error);
		assert_string_equal(error.text, "");
		assert_true(fixture_is_whole(profile, THREADS, NODES, &round));
		/* What was committed before the reader came is there. */
		assert_true(round >= before && round >= last);
		changes += round != last;
		last = round;
		profile_free(profile);
	}
	end_writer(child);
	assert_true(changes > 3);
	check_left_behind(path, *committed);
}

/* Reads, until its standard input ends. */
static void read_for_long(const char *path, const int to[2], const int from[2])
{
	sqlite3 *db;
	char byte = 'r';

	close(to[1]);
	if (sqlite3_open(path, &db) != SQLITE_OK ||
		sqlite3_exec(db, "BEGIN; SELECT count(*) FROM node", NULL, NULL, NULL) !=
			SQLITE_OK ||
		write(from[1], &byte, 1) != 1)
		_exit(3);
	_exit(read(to[0], &byte, 1) != 0 || sqlite3_exec(db, "COMMIT", NULL, NULL, NULL));
}

static unsigned looks;

static void count_looks(void)
{
	looks++;
}

/* A transaction that a reader is in the way of does not begin: it is not held up at each
 * of its pages, and takes nothing with it. While it waits it lets others work. */
static void reader_that_stays(void **state)
{
	const char *path = fixture_path("stays.jprof");
	struct profile_writer *writer;
	struct error error = {0};
	int to[2], from[2], status;
	pid_t child;
	char byte;

	assert_int_equal(pipe2(to, O_CLOEXEC), 0);
	assert_int_equal(pipe2(from, O_CLOEXEC), 0);
	assert_int_equal(
		profile_create(&writer, path, fixture_metrics, FIXTURE_METRICS, NULL, &error),
		0);
	assert_int_equal(fixture_fill(writer, 1, 1000, 1, &error), 0);
	fflush(NULL);
	child = fork();
	if (child == 0)
		read_for_long(path, to, from);
	close(to[0]);
	close(from[1]);
	assert_int_equal(read(from[0], &byte, 1), 1);
	profile_meanwhile(writer, count_looks);
	assert_int_equal(profile_begin(writer, &error), -ERROR_BUSY);
	assert_in_range(looks, 2, 1000);
	close(to[1]);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	close(from[0]);
	error = (struct error){0};
	assert_int_equal(fixture_fill(writer, 1, 1000, 2, &error), 0);
	assert_int_equal(profile_close(writer, &error), 0);
}

/* The writer's end waits for a reader in the middle of reading. */
static void close_beside_reader(void **state)
{
	const char *path = fixture_path("close.jprof");
	struct profile_writer *writer;
	struct error error = {0};
	int ready[2];
	char byte;

	assert_int_equal(pipe(ready), 0);
	assert_int_equal(
		profile_create(&writer, path, fixture_metrics, FIXTURE_METRICS, NULL, &error),
		0);
	assert_int_equal(fixture_fill(writer, 1, 1000, 1, &error), 0);
	fflush(NULL);
	pid_t child = fork();
	if (child == 0) {
		/* Descriptors of the writer in this process do not hold its locks. */
		char command[8192];
		snprintf(command, sizeof command,
			"sqlite3 '%s' 'BEGIN; SELECT count(*) FROM node;' '.shell echo "
			"r; "
			"sleep 0.5' 'COMMIT'",
			path);
		dup2(ready[1], STDOUT_FILENO);
		execl("/bin/sh", "sh", "-c", command, NULL);
		_exit(9);
	}
	close(ready[1]);
	bool read_some = read(ready[0], &byte, 1) == 1;
	assert_int_equal(profile_close(writer, &error), 0);
	int status;
	waitpid(child, &status, 0);
	close(ready[0]);
	if (!read_some)
		skip(); /* no sqlite3 command here */
	assert_false(fixture_exists(fixture_path("close.jprof-journal")));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(killed),
		cmocka_unit_test(reader_beside_writer),
		cmocka_unit_test(reader_that_stays),
		cmocka_unit_test(close_beside_reader),
	};

	return cmocka_run_group_tests(tests, make_shared, clean);
}

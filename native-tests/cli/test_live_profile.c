/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* Who records into a file is known, whenever it is looked at: also while the file is replaced again and again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli/record/live_profile.h"

enum { LOOKS = 3000, REST = 1000000 }; /* ns between two replacements */

static char folder[] = "/tmp/jprof-live-XXXXXX";
static char path[64], beside[64];

/* A file that is locked already takes the place of the one that was. */
static int replace(int held)
{
	int fresh = open(beside, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	if (fresh < 0 || flock(fresh, LOCK_EX) != 0 || rename(beside, path) != 0)
		_exit(1);
	if (held >= 0)
		close(held);
	return fresh;
}

static void replaced_while_it_is_looked_at(void **state)
{
	const struct timespec rest = {.tv_nsec = REST};
	unsigned missed = 0;
	int ready[2];
	char byte;
	pid_t holder;

	assert_int_equal(pipe(ready), 0);
	holder = fork();
	assert_true(holder >= 0);
	if (holder == 0) {
		int held = replace(-1);

		if (write(ready[1], "", 1) != 1)
			_exit(1);
		for (;;) {
			nanosleep(&rest, NULL);
			held = replace(held);
		}
	}
	close(ready[1]);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	for (unsigned i = 0; i < LOOKS; i++) {
		struct live_profile live;

		live_profile_refresh(path, &live);
		missed += live.pid != holder;
		assert_false(live.is_fresh);
	}
	kill(holder, SIGKILL);
	waitpid(holder, NULL, 0);
	assert_int_equal(missed, 0);
}

/* Nobody records into a file whose lock nobody holds. */
static void at_rest(void **state)
{
	struct live_profile live;

	live_profile_refresh(path, &live);
	assert_int_equal(live.pid, 0);
}

static int set_up(void **state)
{
	if (!mkdtemp(folder))
		return -1;
	snprintf(path, sizeof(path), "%s/x.jprof", folder);
	snprintf(beside, sizeof(beside), "%s/new", folder);
	return 0;
}

static int clean(void **state)
{
	unlink(path);
	unlink(beside);
	return rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(replaced_while_it_is_looked_at), cmocka_unit_test(at_rest)};

	return cmocka_run_group_tests(tests, set_up, clean);
}

/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* Running java, played by a shell: what it prints, how it fails, that it ends. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/java/java_child.h"
#include "cli/terminal/waiting.h"

enum { LONG = 20000 };

struct seen {
	char lines[256];
	int answer;
};

static int take(void *argument, char *line, struct error *error)
{
	struct seen *seen = argument;
	size_t used = strlen(seen->lines);

	snprintf(seen->lines + used, sizeof(seen->lines) - used, "%s;", line);
	return seen->answer ? error_set(error, ERROR_FORMAT, "not liked") : 0;
}

static int run(const char *script, int64_t limit, struct seen *seen, struct error *error)
{
	char shell[] = "/bin/sh", option[] = "-c", *text = strdup(script);
	char *argv[] = {shell, option, text, NULL};
	int code;

	memset(error, 0, sizeof(*error));
	seen->lines[0] = '\0';
	code = java_child_run(argv, limit, take, seen, error);
	free(text);
	/* Nobody is left to be waited for. */
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
	return code;
}

static void lines_come(void **state)
{
	struct seen seen = {.answer = 0};
	struct error error;

	assert_int_equal(
		run("echo '{1}'; echo other; printf '{2}\\n{no end'", LONG, &seen, &error), 0);
	assert_string_equal(seen.lines, "{1};{2};");
	/* The environment's words for every JVM are gone; standard input is empty. */
	setenv("JAVA_TOOL_OPTIONS", "-Xint", 1);
	assert_int_equal(run("cat; echo \"{$JAVA_TOOL_OPTIONS}\"", LONG, &seen, &error), 0);
	assert_string_equal(seen.lines, "{};");
	/* A line longer than any is cut. */
	assert_int_equal(run("printf '%100000s\\n{1}\\n' x", LONG, &seen, &error), 0);
	assert_string_equal(seen.lines, "{1};");
}

static void failures_are_told(void **state)
{
	static const struct {
		const char *script, *text;
	} rows[] = {
		{"exit 3", "'/bin/sh' failed with status 3"},
		{"kill -9 $$", "'/bin/sh' was ended by signal 9"},
		{"echo first; echo second >&2; exit 1", "'/bin/sh' failed: first"},
		{"echo first; echo Error: no; exit 1", "'/bin/sh' failed: Error: no"},
		{"echo Error: no; echo jprof: cannot count 'x' >&2; exit 1",
			"'/bin/sh' failed: cannot count x"},
	};
	struct seen seen = {.answer = 0};
	struct error error;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		assert_int_equal(run(rows[i].script, LONG, &seen, &error), -ERROR_JVM);
		assert_string_equal(error.text, rows[i].text);
	}
}

static void what_is_not_there_cannot_run(void **state)
{
	char name[] = "/nowhere/java", *argv[] = {name, NULL};
	struct seen seen = {.answer = 0};
	struct error error = {0};

	assert_int_equal(java_child_run(argv, LONG, take, &seen, &error), -ERROR_JVM);
	assert_string_equal(error.text, "'/nowhere/java' failed: No such file or directory");
}

static void it_ends(void **state)
{
	struct seen seen = {.answer = 1};
	struct error error;
	int64_t began = waiting_now();

	assert_int_equal(run("exec sleep 100", 200, &seen, &error), -ERROR_BUSY);
	/* A line that is not liked; one that does not want to end. */
	assert_int_equal(run("echo {}; exec sleep 100", LONG, &seen, &error), -ERROR_FORMAT);
	assert_string_equal(error.text, "not liked");
	assert_int_equal(
		run("trap '' TERM; echo {}; sleep 100 & wait; wait", LONG, &seen, &error),
		-ERROR_FORMAT);
	assert_true(waiting_now() - began < LONG);
}

/* The last one: the handler is for good. */
static void an_interrupt_ends_it(void **state)
{
	struct seen seen = {.answer = 0};
	struct error error;

	waiting_catch_interrupt();
	assert_int_equal(
		run("kill -INT $PPID; exec sleep 100", LONG, &seen, &error), -ERROR_IO);
	assert_string_equal(error.text, "interrupted");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_come),
		cmocka_unit_test(failures_are_told),
		cmocka_unit_test(what_is_not_there_cannot_run),
		cmocka_unit_test(it_ends),
		cmocka_unit_test(an_interrupt_ends_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

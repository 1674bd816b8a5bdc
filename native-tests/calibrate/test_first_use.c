/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * A calibration made at first use: when one is measured, that it is measured once, and what is said
 * where it is not. What measures is played; the library is the one that was built.
 */
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
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "calibration/build_note.h"
#include "calibration/cache.h"
#include "calibration/processor.h"
#include "cli/attach/agent_library.h"
#include "cli/calibrate/calibrate.h"
#include "cli/calibrate/first_use.h"
#include "cli/java/known_jvms.h"
#include "cli/terminal/waiting.h"
#include "native-tests/test_folder.h"

static char folder[] = "/tmp/jprof-first-XXXXXX";
static char own_pid[16], home[64], program[80], system_text[256], model[256], build[128],
	pid[16] = "999999999";

/* ---- what is played ---- */

static struct {
	int calls, fail, pause; /* ms */
	bool interrupt;
	const char *library;
} play;

int __wrap_agent_library_find(char library[PATH_MAX], struct error *error);
int __wrap_agent_library_find(char library[PATH_MAX], struct error *error)
{
	if (!play.library)
		return error_set(error, ERROR_MISSING, "cannot find libjprof.so");
	snprintf(library, PATH_MAX, "%s", play.library);
	return 0;
}

static struct calibration *make(const struct identity *identity)
{
	struct calibration *calibration = calibration_create();

	assert_non_null(calibration);
	calibration->identity = *identity;
	calibration->identity.field[IDENTITY_METRICS][0] = '\0';
	snprintf(calibration->made, sizeof(calibration->made), "now");
	calibration_add_metric(calibration, "wall", "ns", 0.01);
	return calibration;
}

int __wrap_calibrate_quick(const struct identity *identity, const char *java,
	struct calibration **calibration, struct error *error);
int __wrap_calibrate_quick(const struct identity *identity, const char *java,
	struct calibration **calibration, struct error *error)
{
	play.calls++;
	assert_string_equal(java, program);
	waiting_sleep(play.pause);
	if (play.interrupt)
		raise(SIGINT);
	if (play.fail || play.interrupt)
		return error_set(error, ERROR_BUSY, "the machine is busy");
	*calibration = make(identity);
	return cache_write(*calibration, error);
}

/* ---- a profile that was made here ---- */

static struct profile_meta facts[] = {
	{(char *)"jvm.name", (char *)"JVM"},
	{(char *)"jvm.version", (char *)"25.0.3+9"},
	{(char *)"machine.cpu", model},
	{(char *)"machine.system", system_text},
	{(char *)"calls", (char *)"instrument"},
	{(char *)"timing", (char *)"fast"},
	{(char *)"jprof.build", build},
	{(char *)"java.home", home},
	{(char *)"pid", pid},
	{(char *)"complete", (char *)"no"},
};

enum { FACTS = sizeof(facts) / sizeof(*facts) };

static struct profile_metric metric = {.name = (char *)"wall", .unit = (char *)"ns"};

static struct profile make_profile(struct profile_meta *meta)
{
	struct profile profile = {.meta = meta, .meta_count = FACTS, .metric_count = 1};

	memcpy(meta, facts, sizeof(facts));
	profile.metric[0] = metric;
	return profile;
}

static void set(struct profile *profile, const char *key, const char *value)
{
	for (size_t i = 0; i < profile->meta_count; i++)
		if (strcmp(profile->meta[i].key, key) == 0)
			profile->meta[i].value = (char *)value;
}

static int use_with(const char *java, const struct profile *profile, struct error *error)
{
	struct calibration *calibration = NULL;
	struct identity identity;
	int failed;

	*error = (struct error){0};
	identity_of_profile(&identity, profile);
	failed = first_use_measure(&calibration, profile, &identity, java, error);
	assert_int_equal(failed == 0, calibration != NULL);
	if (calibration)
		assert_int_equal(
			identity_compare(&calibration->identity, &identity, "x", error), 0);
	calibration_destroy(calibration);
	return failed;
}

static int use(const struct profile *profile, struct error *error)
{
	return use_with(NULL, profile, error);
}

/* ---- files ---- */

static void write_file(const char *name, const char *text, mode_t mode)
{
	char path[256];
	int file;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = open(path, O_CREAT | O_TRUNC | O_WRONLY, mode);
	assert_true(file >= 0);
	assert_int_equal(write(file, text, strlen(text)), strlen(text));
	assert_int_equal(fchmod(file, mode) | close(file), 0);
}

static void change_mode(const char *name, mode_t mode)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	assert_int_equal(chmod(path, mode), 0);
}

static int clean_cache(void **state)
{
	char command[256];

	memset(&play, 0, sizeof(play));
	unsetenv("JAVA_HOME");
	play.library = LIBRARY;
	snprintf(command, sizeof(command), "rm -rf '%s/cache'", folder);
	return system(command);
}

/* ---- tests ---- */

static void measured_once(void **state)
{
	struct profile_meta meta[FACTS];
	struct profile profile = make_profile(meta);
	struct error error;

	if (use(&profile, &error) != 0)
		fail_msg("%s", error.text);
	assert_int_equal(play.calls, 1);
	assert_int_equal(use(&profile, &error), 0);
	assert_int_equal(play.calls, 1);
}

static void failed_once(void **state)
{
	struct profile_meta meta[FACTS];
	struct profile profile = make_profile(meta);
	struct error error;

	play.fail = 1;
	assert_true(use(&profile, &error) < 0);
	assert_string_equal(error.text, "the machine is busy");
	assert_true(use(&profile, &error) < 0);
	assert_string_equal(error.text, "measuring failed within the last hour: the machine is "
					"busy (run `jprof calibrate`)");
	assert_int_equal(play.calls, 1);
	/* That is of this profile's kind alone. */
	play.fail = 0;
	set(&profile, "timing", "precise");
	assert_int_equal(use(&profile, &error), 0);
}

/* That somebody was in a hurry says nothing about the next time; and signals do again what they
 * did. */
static void interrupted(void **state)
{
	struct profile_meta meta[FACTS];
	struct profile profile = make_profile(meta);
	struct error error;
	struct sigaction action;
	int status;
	pid_t child = fork();

	if (child == 0) {
		play.interrupt = true;
		if (use(&profile, &error) == 0 || !waiting_interrupted())
			_exit(1);
		sigaction(SIGINT, NULL, &action);
		_exit(action.sa_handler == SIG_DFL ? 0 : 2);
	}
	waitpid(child, &status, 0);
	assert_int_equal(status, 0);
	assert_int_equal(use(&profile, &error), 0);
}

/* Two at a time: one measures, and the other takes that. */
static void two_at_once(void **state)
{
	struct profile_meta meta[FACTS];
	struct profile profile = make_profile(meta);
	struct error error;
	pid_t child[4];
	int status, calls = 0;

	play.pause = 300;
	for (int i = 0; i < 4; i++) {
		child[i] = fork();
		if (child[i] == 0)
			_exit(use(&profile, &error) == 0 ? play.calls : 99);
	}
	for (int i = 0; i < 4; i++) {
		waitpid(child[i], &status, 0);
		assert_true(WIFEXITED(status));
		calls += WEXITSTATUS(status);
	}
	assert_int_equal(calls, 1);
}

/* Without a place for it every report would measure. */
static void nothing_can_be_kept(void **state)
{
	struct profile_meta meta[FACTS];
	struct profile profile = make_profile(meta);
	struct error error;

	setenv("XDG_CACHE_HOME", "/dev/null", 1);
	assert_true(use_with(home, &profile, &error) < 0);
	assert_non_null(strstr(error.text, "cannot make the folder"));
	assert_int_equal(play.calls, 0);
}

/* A row each: a fact, another value, what is said. */
static const struct refusal {
	const char *key, *value, *said;
} refusals[] = {
	{"machine.cpu", "Another", "it was made on processor 'Another', this is '"},
	{"machine.system", "Linux 6 mips", "it was made on architecture 'mips', this is '"},
	{"jprof.build", "0102", "it was made by another build of jprof than '"},
	{"jvm.version", "25.0.4+1",
		"its JVM '25.0.4+1' is none that `jprof run` or `jprof attach` "
		"has seen here (name it: --java PATH)"},
	{"timing", "", "it does not say what it was made with"},
	{"pid", own_pid, "process '"},
};

static void not_at_hand(void **state)
{
	for (size_t i = 0; i < sizeof(refusals) / sizeof(*refusals); i++) {
		struct profile_meta meta[FACTS];
		struct profile profile = make_profile(meta);
		struct error error;

		set(&profile, refusals[i].key, refusals[i].value);
		assert_true(use(&profile, &error) < 0);
		if (!strstr(error.text, refusals[i].said))
			fail_msg("'%s', not '%s'", error.text, refusals[i].said);
		assert_ptr_equal(
			strstr(error.text, "no calibration is kept for it, and none can "
					   "be measured here: "),
			error.text);
	}
	assert_int_equal(play.calls, 0);
}

static void library_differs(void **state)
{
	struct profile_meta meta[FACTS];
	struct profile profile = make_profile(meta);
	struct error error;

	play.library = NULL;
	assert_true(use(&profile, &error) < 0);
	assert_non_null(strstr(error.text, "cannot find libjprof.so"));
	play.library = "/dev/null";
	assert_true(use(&profile, &error) < 0);
	assert_non_null(strstr(error.text, "'/dev/null' does not say which build it is"));
	assert_int_equal(play.calls, 0);
}

/* Its recording has ended, or it has. */
static void ended(void **state)
{
	struct profile_meta meta[FACTS];
	struct profile profile = make_profile(meta);
	struct error error;

	set(&profile, "pid", own_pid);
	set(&profile, "complete", "yes");
	assert_int_equal(use(&profile, &error), 0);
}

/* What was noted may have changed since. */
static void others_can_change_java(void **state)
{
	struct profile_meta meta[FACTS];
	struct profile profile = make_profile(meta);
	struct error error;

	change_mode("home/bin", 0777);
	assert_true(use(&profile, &error) < 0);
	assert_non_null(strstr(error.text, "is none that `jprof run`"));
	assert_int_equal(play.calls, 0);
	change_mode("home/bin", 0755);
}

/* Though it is this user's own, as what comes with a profile is. */
static void profile_names_java(void **state)
{
	struct profile_meta meta[FACTS];
	struct profile profile = make_profile(meta);
	struct error error;

	assert_int_equal(clean_cache(state), 0);
	assert_true(use(&profile, &error) < 0);
	assert_non_null(strstr(error.text, "is none that `jprof run`"));
	assert_int_equal(play.calls, 0);
}

static void user_names_java(void **state)
{
	struct profile_meta meta[FACTS];
	struct profile profile = make_profile(meta);
	struct error error;

	assert_int_equal(clean_cache(state), 0);
	assert_int_equal(use_with(home, &profile, &error), 0);
	assert_int_equal(clean_cache(state), 0);
	assert_int_equal(use_with(program, &profile, &error), 0);
	assert_int_equal(clean_cache(state), 0);
	set(&profile, "java.home", "/nowhere");
	setenv("JAVA_HOME", home, 1);
	assert_int_equal(use(&profile, &error), 0);
	unsetenv("JAVA_HOME");
	assert_int_equal(play.calls, 1);
	set(&profile, "jvm.version", "25.0.4+1");
	assert_true(use_with(home, &profile, &error) < 0);
	assert_non_null(
		strstr(error.text, "it was made on JVM '25.0.4+1', this is '25.0.3+9'"));
	assert_true(use_with("/nowhere/java", &profile, &error) < 0);
	assert_non_null(strstr(error.text, "there is no java '/nowhere/java'"));
}

/* Nobody waits for it, nor reads it to its end. */
static void release_is_hostile(void **state)
{
	struct profile_meta meta[FACTS];
	struct profile profile = make_profile(meta);
	struct error error;
	char path[128];

	snprintf(path, sizeof(path), "%s/release", home);
	assert_int_equal(unlink(path) | mkfifo(path, 0644), 0);
	assert_int_equal(use(&profile, &error), 0);
	assert_int_equal(clean_cache(state), 0);
	known_jvms_note(home);
	assert_int_equal(unlink(path) | symlink("/dev/zero", path), 0);
	assert_int_equal(use(&profile, &error), 0);
	assert_int_equal(unlink(path), 0);
	write_file("home/release", "A=\nJAVA_RUNTIME_VERSION=\"25.0.3+9\"\n", 0644);
}

/* A JVM without such a file says its version when it is measured. */
static void no_release(void **state)
{
	struct profile_meta meta[FACTS];
	struct profile profile = make_profile(meta);
	struct error error;

	write_file("home/release", "JAVA_VERSION=\"17\"\n", 0644);
	assert_int_equal(use(&profile, &error), 0);
	assert_int_equal(clean_cache(state), 0);
	known_jvms_note(home);
	set(&profile, "java.home", "/nowhere");
	assert_true(use(&profile, &error) < 0);
	assert_int_equal(use_with(home, &profile, &error), 0);
	write_file("home/release", "A=\nJAVA_RUNTIME_VERSION=\"25.0.3+9\"\n", 0644);
}

static int set_cache(void **state)
{
	char cache[64];

	snprintf(cache, sizeof(cache), "%s/cache", folder);
	setenv("XDG_CACHE_HOME", cache, 1);
	if (clean_cache(state) != 0)
		return -1;
	known_jvms_note(home);
	return 0;
}

static int read_library(void)
{
	static unsigned char bytes[64 << 20];
	FILE *file = fopen(LIBRARY, "rb");
	size_t size = file ? fread(bytes, 1, sizeof(bytes), file) : 0;

	return file && fclose(file) == 0 &&
			       build_note_in_file(bytes, size, build, sizeof(build))
		       ? 0
		       : -1;
}

static int prepare(void **state)
{
	struct utsname name;
	char path[128];

	if (test_folder_make(folder) != 0 || uname(&name) != 0 ||
		!processor_model(model, sizeof(model)))
		return -1;
	snprintf(system_text, sizeof(system_text), "Linux 6 %s", name.machine);
	snprintf(own_pid, sizeof(own_pid), "%ld", (long)getpid());
	snprintf(home, sizeof(home), "%s/home", folder);
	snprintf(program, sizeof(program), "%s/bin/java", home);
	snprintf(path, sizeof(path), "%s/bin", home);
	if (mkdir(home, 0755) | mkdir(path, 0755) | chmod(home, 0755) | chmod(path, 0755))
		return -1;
	write_file("home/bin/java", "", 0755);
	write_file("home/release", "A=\nJAVA_RUNTIME_VERSION=\"25.0.3+9\"\n", 0644);
	return read_library();
}

static int clean(void **state)
{
	return test_folder_remove(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(measured_once, set_cache),
		cmocka_unit_test_setup(failed_once, set_cache),
		cmocka_unit_test_setup(interrupted, set_cache),
		cmocka_unit_test_setup(two_at_once, set_cache),
		cmocka_unit_test_setup(nothing_can_be_kept, set_cache),
		cmocka_unit_test_setup(not_at_hand, set_cache),
		cmocka_unit_test_setup(library_differs, set_cache),
		cmocka_unit_test_setup(ended, set_cache),
		cmocka_unit_test_setup(others_can_change_java, set_cache),
		cmocka_unit_test_setup(profile_names_java, set_cache),
		cmocka_unit_test_setup(user_names_java, set_cache),
		cmocka_unit_test_setup(release_is_hostile, set_cache),
		cmocka_unit_test_setup(no_release, set_cache),
	};

	return cmocka_run_group_tests(tests, prepare, clean);
}

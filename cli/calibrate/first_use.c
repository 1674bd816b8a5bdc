/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* first_use: see first_use.h. Runs: on one thread at a time: the command's, or a worker's (cli/open). */
#include "cli/calibrate/first_use.h"

#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "calibration/build_note.h"
#include "calibration/cache.h"
#include "calibration/processor.h"
#include "cli/attach/agent_library.h"
#include "cli/attach/jvm_facts.h"
#include "cli/calibrate/calibrate.h"
#include "cli/java/java_command.h"
#include "cli/java/known_jvms.h"
#include "cli/terminal/progress.h"
#include "cli/terminal/waiting.h"

enum {
	PATIENCE = 70000, /* ms: longer than another one measures */
	PAUSE = 100
};

static int refuse(struct error *error, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static int refuse(struct error *error, const char *format, ...)
{
	char why[640];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(why, sizeof(why), format, arguments);
	va_end(arguments);
	return error_set(error, ERROR_MISSING,
		"no calibration is kept for it, and none can be measured here: %s", why);
}

static int refuse_other(
	const char *what, const char *made, const char *here, struct error *error)
{
	return refuse(error, "it was made on %s '%s', this is '%s'", what,
		error_subject(made).text, error_subject(here).text);
}

/* ---- the machine and the agent ---- */

/* The profile was made with this machine and this program's library. */
static int check_made_here(const struct identity *identity, struct error *error)
{
	const char(*made)[IDENTITY_TEXT] = identity->field;
	char model[256], library[PATH_MAX], build[128];
	struct error why = {0};
	struct utsname name;
	bool has_build;
	size_t size;
	void *bytes;

	if (!processor_model(model, sizeof(model)))
		return refuse(error, "this machine does not say what processor it has");
	if (strcmp(made[IDENTITY_CPU], model) != 0)
		return refuse_other("processor", made[IDENTITY_CPU], model, error);
	if (uname(&name) != 0)
		return refuse(error, "this machine does not say what it is");
	if (strcmp(made[IDENTITY_ARCH], name.machine) != 0)
		return refuse_other("architecture", made[IDENTITY_ARCH], name.machine, error);
	if (agent_library_find(library, &why) != 0)
		return refuse(error, "%s", why.text);
	bytes = file_map(open(library, O_RDONLY | O_CLOEXEC), &size);
	has_build = bytes && build_note_in_file(bytes, size, build, sizeof(build));
	if (bytes)
		munmap(bytes, size);
	if (!has_build)
		return refuse(error, "'%s' does not say which build it is",
			error_subject(library).text);
	if (strcmp(made[IDENTITY_AGENT], build) != 0)
		return refuse(error,
			"it was made by another build of jprof than '%s' (run programs again)",
			error_subject(library).text);
	if (identity_mode_option(identity))
		return 0;
	return refuse(error, "its JVM ran in '%s' mode, which cannot be asked for",
		error_subject(identity_mode(identity)).text);
}

/* ---- the JVM ---- */

/* By the file that HotSpot's builds have beside bin/. False: it does not say. */
static bool read_release(const char *java, char *version, size_t size)
{
	char whole[PATH_MAX], path[PATH_MAX + 16];
	const char *bin;

	if (!realpath(java, whole))
		return false;
	bin = strstr(whole, "/bin/java");
	if (!bin || strcmp(bin, "/bin/java") != 0)
		return false;
	snprintf(path, sizeof(path), "%.*s/release", (int)(bin - whole), whole);
	return jvm_release_value(open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC),
		"JAVA_RUNTIME_VERSION", version, size);
}

/* A program of the profile's version. One that does not say its version says it when it is
 * measured: it is taken where the user asks for it, and where it is the profile's. That is only
 * compared, never run. */
static bool fits(const struct profile *profile, const char *java, bool is_asked)
{
	const char *made = profile_meta_get(profile, "jvm.version");
	const char *home = profile_meta_get(profile, "java.home");
	char version[256], named[PATH_MAX], whole[PATH_MAX], same[PATH_MAX];

	if (access(java, X_OK) != 0)
		return false;
	if (made && read_release(java, version, sizeof(version)))
		return strcmp(made, version) == 0;
	return is_asked ||
	       (home && snprintf(named, sizeof(named), "%s/bin/java", home) < PATH_MAX &&
		       realpath(named, whole) && realpath(java, same) &&
		       strcmp(whole, same) == 0);
}

static bool fits_unasked(const void *profile, const char *java)
{
	return fits(profile, java, false);
}

/* In this order: the one that the user names (asked); JAVA_HOME's; one of known_jvms.h. A
 * profile is not trusted: nothing is run from where it says that its JVM is. */
static int find_jvm(const struct profile *profile, const char *asked, char java[PATH_MAX],
	struct error *error)
{
	const char *made = profile_meta_get(profile, "jvm.version"),
		   *home = getenv("JAVA_HOME");
	char version[256];
	int failed;

	if (asked) {
		failed = java_command_find(java, asked, error);
		if (failed != 0 || fits(profile, java, true))
			return failed;
		if (!read_release(java, version, sizeof(version)))
			return refuse(error, "'%s' cannot be run", error_subject(java).text);
		return refuse_other("JVM", made, version, error);
	}
	if (home && home[0] == '/' &&
		snprintf(java, PATH_MAX, "%s/bin/java", home) < PATH_MAX &&
		fits(profile, java, false))
		return 0;
	if (known_jvms_find(java, fits_unasked, profile))
		return 0;
	return refuse(error,
		"its JVM '%s' is none that `jprof run` or `jprof attach` has seen here "
		"(name it: --java PATH)",
		error_subject(made ? made : "").text);
}

/* 0, and the java program to run; or a negative code with a line: what of it is not here. */
static int check_at_hand(const struct profile *profile, const struct identity *identity,
	const char *asked, char java[PATH_MAX], struct error *error)
{
	const char *complete = profile_meta_get(profile, "complete");
	const char *pid = profile_meta_get(profile, "pid");
	char path[64] = "";
	int failed;

	for (int i = 0; i < IDENTITY_FIELDS; i++)
		if (identity->field[i][0] == '\0')
			return refuse(error, "it does not say what it was made with");
	/* What runs beside the program would cost it time; and it would disturb what is
	 * measured. */
	if (pid && pid[strspn(pid, "0123456789")] == '\0')
		snprintf(path, sizeof(path), "/proc/%s", pid);
	if (path[0] && !(complete && strcmp(complete, "yes") == 0) && access(path, F_OK) == 0)
		return refuse(error, "process '%s' still records", error_subject(pid).text);
	failed = check_made_here(identity, error);
	return failed != 0 ? failed : find_jvm(profile, asked, java, error);
}

/* ---- measuring ---- */

/* The lock's descriptor, or a negative code. */
static int wait_for_lock(struct error *error)
{
	int64_t end = waiting_until(PATIENCE);
	bool is_taken, said = false;
	int lock;

	while ((lock = cache_lock(&is_taken, error)) < 0 && is_taken &&
		!waiting_interrupted() && waiting_now() < end) {
		progress_hide();
		if (!said)
			fprintf(stderr, "jprof: another jprof measures what probes cost: "
					"waiting for it\n");
		said = true;
		waiting_sleep(PAUSE);
	}
	if (lock >= 0 || !is_taken)
		return lock;
	return error_set(error, ERROR_BUSY,
		waiting_interrupted() ? "interrupted" : "another jprof is still measuring");
}

static int refuse_again(const struct identity *identity, struct error *error)
{
	char why[512];

	if (!cache_failed(identity, why, sizeof(why)))
		return 0;
	return error_set(error, ERROR_BUSY,
		"measuring failed within the last hour: %s (run `jprof calibrate`)", why);
}

int first_use_measure(struct calibration **calibration, const struct profile *profile,
	const struct identity *identity, const char *asked, struct error *error)
{
	struct error missing = {0};
	char java[PATH_MAX];
	bool is_there;
	int lock, failed = check_at_hand(profile, identity, asked, java, error);

	if (failed == 0)
		failed = refuse_again(identity, error);
	if (failed != 0)
		return failed;
	waiting_catch_interrupt();
	lock = wait_for_lock(error);
	failed = lock < 0 ? lock : 0;
	/* Another one may have done it while this one waited. */
	is_there = failed == 0 && cache_read(calibration, NULL, identity, &missing) == 0;
	if (failed == 0 && !is_there)
		failed = refuse_again(identity, error);
	if (failed == 0 && !is_there) {
		progress_hide();
		fprintf(stderr, "jprof: measuring what probes cost, once for this JVM and "
				"these metrics: "
				"ten seconds or so, a minute at most (--calibration off goes "
				"without)\n");
		failed = calibrate_quick(identity, java, calibration, error);
		if (failed != 0 && !waiting_interrupted())
			cache_note_failure(identity, error->text);
	}
	if (lock >= 0)
		close(lock);
	waiting_leave_interrupt();
	return failed;
}

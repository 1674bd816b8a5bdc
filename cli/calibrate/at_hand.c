/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* at_hand: see at_hand.h. */
#include "cli/calibrate/at_hand.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "calibration/build_note.h"
#include "calibration/processor.h"
#include "cli/attach/agent_library.h"
#include "cli/attach/jvm_facts.h"
#include "cli/java/java_command.h"
#include "cli/java/known_jvms.h"

/* What is asked about, and may be looked at. */
struct question {
	const struct profile *profile;
	const struct identity *identity;
	const char *asked; /* the program or folder that the user names, or NULL */
	char *java;        /* PATH_MAX: the program to run */
	struct error *error;
};

/* All lines begin so. */
static int refuse(const struct question *question, const char *why)
{
	return error_set(question->error, ERROR_MISSING,
		"no calibration is kept for it, and none can be measured here: %s", why);
}

/* "it was made on processor 'A', this is 'B'" */
static int refuse_other(
	const struct question *question, const char *what, const char *made, const char *here)
{
	char why[640];

	snprintf(why, sizeof(why), "it was made on %s '%s', this is '%s'", what,
		error_subject(made).text, error_subject(here).text);
	return refuse(question, why);
}

static int refuse_file(const struct question *question, const char *before, const char *path,
	const char *behind)
{
	char why[640];

	snprintf(why, sizeof(why), "%s'%s' %s", before, error_subject(path).text, behind);
	return refuse(question, why);
}

/* ---- one thing each: 0, or a negative code ---- */

static int check_known(struct question *question)
{
	for (int i = 0; i < IDENTITY_FIELDS; i++)
		if (question->identity->field[i][0] == '\0')
			return refuse(question, "it does not say what it was made with");
	return 0;
}

static int check_processor(struct question *question)
{
	const char *made = question->identity->field[IDENTITY_CPU];
	char model[256];

	if (!processor_model(model, sizeof(model)))
		return refuse(question, "this machine does not say what processor it has");
	return strcmp(made, model) == 0 ? 0 : refuse_other(question, "processor", made, model);
}

static int check_arch(struct question *question)
{
	const char *made = question->identity->field[IDENTITY_ARCH];
	struct utsname name;

	if (uname(&name) != 0)
		return refuse(question, "this machine does not say what it is");
	return strcmp(made, name.machine) == 0
		       ? 0
		       : refuse_other(question, "architecture", made, name.machine);
}

/* False: it cannot be read, or has none. */
static bool read_build(const char *path, char *build, size_t size)
{
	int file = open(path, O_RDONLY | O_CLOEXEC);
	struct stat status;
	void *bytes = MAP_FAILED;
	bool found = false;

	if (file >= 0 && fstat(file, &status) == 0 && status.st_size > 0)
		bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, file, 0);
	if (bytes != MAP_FAILED) {
		found = build_note_in_file(bytes, (size_t)status.st_size, build, size);
		munmap(bytes, (size_t)status.st_size);
	}
	if (file >= 0)
		close(file);
	return found;
}

static int check_mode(struct question *question)
{
	if (identity_mode_option(question->identity))
		return 0;
	return refuse_file(question, "its JVM ran in ", identity_mode(question->identity),
		"mode, which cannot be asked for");
}

static int check_agent(struct question *question)
{
	struct error why = {0};
	char library[PATH_MAX], build[128];

	if (agent_library_find(library, &why) != 0)
		return refuse(question, why.text);
	if (!read_build(library, build, sizeof(build)))
		return refuse_file(question, "", library, "does not say which build it is");
	if (strcmp(question->identity->field[IDENTITY_AGENT], build) == 0)
		return 0;
	return refuse_file(question, "it was made by another build of jprof than ", library,
		"(run programs again)");
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

/* The one that the profile names: only compared, never run. */
static bool is_profiles_own(const struct question *question, const char *java)
{
	const char *home = profile_meta_get(question->profile, "java.home");
	char named[PATH_MAX], whole[PATH_MAX], same[PATH_MAX];

	return home && snprintf(named, sizeof(named), "%s/bin/java", home) < PATH_MAX &&
	       realpath(named, whole) && realpath(java, same) && strcmp(whole, same) == 0;
}

/* A program of that version. One that does not say its version says it when it is measured: it is
 * taken where the user asks for it, and where it is the profile's. */
static bool fits(const struct question *question, const char *java, bool is_asked)
{
	const char *made = profile_meta_get(question->profile, "jvm.version");
	char version[256];

	if (access(java, X_OK) != 0)
		return false;
	if (!made || !read_release(java, version, sizeof(version)))
		return is_asked || is_profiles_own(question, java);
	return strcmp(made, version) == 0;
}

static int take_asked(const struct question *question)
{
	const char *made = profile_meta_get(question->profile, "jvm.version");
	char version[256];
	int failed = java_command_find(question->java, question->asked, question->error);

	if (failed || fits(question, question->java, true))
		return failed;
	if (!read_release(question->java, version, sizeof(version)))
		return refuse_file(question, "", question->java, "cannot be run");
	return refuse_other(question, "JVM", made, version);
}

static bool take_home(const struct question *question)
{
	const char *home = getenv("JAVA_HOME");

	return home && home[0] == '/' &&
	       snprintf(question->java, PATH_MAX, "%s/bin/java", home) < PATH_MAX &&
	       fits(question, question->java, false);
}

static bool take_known(void *argument, const char *java)
{
	const struct question *question = argument;

	if (!fits(question, java, false))
		return false;
	memcpy(question->java, java, strlen(java) + 1);
	return true;
}

/* A profile is not trusted: what it names is never run. */
static int check_jvm(struct question *question)
{
	const char *made = profile_meta_get(question->profile, "jvm.version");

	if (question->asked)
		return take_asked(question);
	if (take_home(question) || known_jvms_find(take_known, question))
		return 0;
	return refuse_file(question, "its JVM ", made ? made : "",
		"is none that `jprof run` or `jprof attach` has seen here (name it: --java "
		"PATH)");
}

/* What runs beside the program would cost it time; and it would disturb what is measured. */
static int check_ended(struct question *question)
{
	const char *complete = profile_meta_get(question->profile, "complete");
	const char *pid = profile_meta_get(question->profile, "pid");
	char path[64];

	if (!pid || pid[strspn(pid, "0123456789")] != '\0' ||
		(complete && strcmp(complete, "yes") == 0))
		return 0;
	snprintf(path, sizeof(path), "/proc/%s", pid);
	return access(path, F_OK) != 0
		       ? 0
		       : refuse_file(question, "process ", pid, "still records");
}

int at_hand_check(const struct profile *profile, const struct identity *identity,
	const char *asked, char java[PATH_MAX], struct error *error)
{
	static int (*const checks[])(struct question * question) = {check_known, check_ended,
		check_processor, check_arch, check_agent, check_mode, check_jvm};
	struct question question = {profile, identity, asked, java, error};
	int failed = 0;

	for (size_t i = 0; i < sizeof(checks) / sizeof(*checks) && failed == 0; i++)
		failed = checks[i](&question);
	return failed;
}

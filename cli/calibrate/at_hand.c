/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* at_hand: see at_hand.h. */
#include "cli/calibrate/at_hand.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "calibration/build_note.h"
#include "calibration/processor.h"
#include "cli/agent_library.h"
#include "cli/calibrate/trusted_path.h"

/* What is asked about, and may be looked at. */
struct question {
	const struct profile *profile;
	const struct identity *identity;
	char *java; /* PATH_MAX: the program to run */
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

static int check_known(const struct question *question)
{
	for (int i = 0; i < IDENTITY_FIELDS; i++)
		if (question->identity->field[i][0] == '\0')
			return refuse(question, "it does not say what it was made with");
	return 0;
}

static int check_processor(const struct question *question)
{
	const char *made = question->identity->field[IDENTITY_CPU];
	char model[256];

	if (!processor_model(model, sizeof(model)))
		return refuse(question, "this machine does not say what processor it has");
	return strcmp(made, model) == 0 ? 0
					: refuse_other(question, "processor", made, model);
}

static int check_arch(const struct question *question)
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

static int check_agent(const struct question *question)
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

/* The value of a line KEY="VALUE". False: there is none. */
static bool take_value(const char *line, const char *key, char *value, size_t size)
{
	size_t length = strlen(key);

	if (strncmp(line, key, length) != 0 || strncmp(line + length, "=\"", 2) != 0)
		return false;
	line += length + 2;
	snprintf(value, size, "%.*s", (int)strcspn(line, "\"\n"), line);
	return true;
}

/* By the file that HotSpot's builds have beside bin/. False: it does not say. */
static bool read_release(const char *home, char *version, size_t size)
{
	char path[PATH_MAX + 16], line[1024];
	bool found = false;
	FILE *file;

	snprintf(path, sizeof(path), "%s/release", home);
	file = fopen(path, "re");
	while (file && !found && fgets(line, sizeof(line), file))
		found = take_value(line, "JAVA_RUNTIME_VERSION", version, size);
	if (file)
		fclose(file);
	return found;
}

/* One that compiled as usual. How else it was run is not known here. */
static int check_mode(const struct question *question)
{
	const char *jvm = question->identity->field[IDENTITY_JVM];
	const char *name = profile_meta_get(question->profile, "jvm.name");
	const char *version = profile_meta_get(question->profile, "jvm.version");
	size_t usual = name && version ? strlen(name) + 1 + strlen(version) : strlen(jvm);

	if (usual >= strlen(jvm))
		return 0;
	return refuse_file(question, "its JVM ran in ", jvm + usual + 2,
		"(run `jprof calibrate` with the same in JAVA_TOOL_OPTIONS)");
}

/* One that does not say its version here says it when it is measured. */
static int check_jvm(const struct question *question)
{
	const char *home = profile_meta_get(question->profile, "java.home");
	const char *made = profile_meta_get(question->profile, "jvm.version");
	char java[PATH_MAX], version[256];

	if (!home || home[0] != '/' ||
		snprintf(java, sizeof(java), "%s/bin/java", home) >= (int)sizeof(java))
		return refuse(question, "it does not say where its JVM is");
	if (access(java, X_OK) != 0)
		return refuse_file(question, "there is no JVM ", java, "");
	if (!trusted_path(java, question->java))
		return refuse_file(question, "others can change ", java,
			"(run `jprof calibrate` if you trust it)");
	if (made && read_release(home, version, sizeof(version)) && strcmp(made, version) != 0)
		return refuse_other(question, "JVM", made, version);
	return 0;
}

/* What runs beside the program would cost it time; and it would disturb what is measured. */
static int check_ended(const struct question *question)
{
	const char *complete = profile_meta_get(question->profile, "complete");
	const char *pid = profile_meta_get(question->profile, "pid");
	char path[64];

	if (!pid || (complete && strcmp(complete, "yes") == 0))
		return 0;
	snprintf(path, sizeof(path), "/proc/%s", pid);
	return access(path, F_OK) != 0
		       ? 0
		       : refuse_file(question, "process ", pid, "still records");
}

int at_hand_check(const struct profile *profile, const struct identity *identity,
	char java[PATH_MAX], struct error *error)
{
	static int (*const checks[])(const struct question *question) = {
		check_known, check_ended, check_processor, check_arch, check_agent, check_mode,
		check_jvm};
	const struct question question = {profile, identity, java, error};
	int failed = 0;

	for (size_t i = 0; i < sizeof(checks) / sizeof(*checks) && failed == 0; i++)
		failed = checks[i](&question);
	return failed;
}

/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* old_jvm: a JVM of a release that jprof does not know runs on, and `jprof run` hears
 * why. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include <dlfcn.h>
#include <jvmti.h>

#include "profile/run_notes.h"

typedef jint (*on_load)(JavaVM *vm, char *options, void *reserved);

static jint release;

static jvmtiError JNICALL version_number(jvmtiEnv *env, jint *version)
{
	*version = 0x30000000 | release << JVMTI_VERSION_SHIFT_MAJOR;
	return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL dispose(jvmtiEnv *env)
{
	return JVMTI_ERROR_NONE;
}

/* All else in it is NULL: whoever calls that ends the test. */
static const struct jvmtiInterface_1_ interface = {
	.GetVersionNumber = version_number, .DisposeEnvironment = dispose};
static jvmtiEnv environment = &interface;

static jint JNICALL get_environment(JavaVM *vm, void **found, jint version)
{
	*found = &environment;
	return JNI_OK;
}

static void an_old_jvm_runs_on(void **state)
{
	const struct JNIInvokeInterface_ functions = {.GetEnv = get_environment};
	JavaVM vm = &functions;
	void *agent = dlopen(AGENT, RTLD_NOW);
	struct run_notes notes;
	struct error error = {0};
	char folder[PATH_MAX], options[] = "metrics=wall";
	on_load load;

	assert_non_null(agent);
	*(void **)&load = dlsym(agent, "Agent_OnLoad");
	assert_int_equal(run_notes_open(folder, &error), 0);
	release = 11;
	assert_int_equal(load(&vm, options, NULL), JNI_OK);
	release = 1;
	assert_int_equal(load(&vm, options, NULL), JNI_OK);
	assert_int_equal(run_notes_read(&notes, folder, &error), 0);
	assert_int_equal(notes.count, 4);
	assert_int_equal(notes.note[0].kind, RUN_NOTE_JVM);
	assert_int_equal(notes.note[1].kind, RUN_NOTE_REFUSED);
	assert_string_equal(
		notes.note[1].text, "this JVM is of release 11; jprof needs 17 or later");
	assert_string_equal(notes.note[3].text,
		"this JVM is of release 8 or earlier; jprof needs 17 or later");
	run_notes_fini(&notes);
	run_notes_close(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_old_jvm_runs_on),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

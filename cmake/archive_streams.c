/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * archive_streams: what the static libraries get for stdin, stdout and stderr.
 *
 * Debian's archives are not position independent in one thing: they take these three by
 * address. static_libraries.cmake renames their references; here are the renamed ones. No
 * library inside the agent may read the application's input or write to its output, so there
 * is no input, and what is meant for the output goes to standard error.
 */
#include <stdio.h>

extern FILE *jprof_archive_stdin, *jprof_archive_stdout, *jprof_archive_stderr;
FILE *jprof_archive_stdin, *jprof_archive_stdout, *jprof_archive_stderr;

static __attribute__((constructor)) void archive_streams_init(void)
{
	jprof_archive_stdout = stderr;
	jprof_archive_stderr = stderr;
}

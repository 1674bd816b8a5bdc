/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * shim: a worse system for a JVM, by LD_PRELOAD. What is asked for in the environment:
 *
 *   SHIM_REFUSE=FILE   process_vm_readv is refused; FILE is made when that has happened
 *   SHIM_HANG=FILE     while FILE exists, whoever writes to a profile, or has it written
 * to the disk, hangs; FILE.hung is made when that has happened
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

static void note(const char *path)
{
	int file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	if (file >= 0)
		close(file);
}

ssize_t process_vm_readv(pid_t process, const struct iovec *to, unsigned long to_count,
	const struct iovec *from, unsigned long from_count, unsigned long flags)
{
	static ssize_t (*real)(pid_t, const struct iovec *, unsigned long, const struct iovec *,
		unsigned long, unsigned long);
	const char *refuse = getenv("SHIM_REFUSE");

	if (refuse) {
		note(refuse);
		errno = EPERM;
		return -1;
	}
	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "process_vm_readv");
	return real(process, to, to_count, from, from_count, flags);
}

static int is_profile(int file)
{
	char link[64], path[4096];
	ssize_t length;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", file);
	length = readlink(link, path, sizeof(path) - 1);
	if (length < 0)
		return 0;
	path[length] = '\0';
	return strstr(path, ".jprof") != NULL;
}

static void hang(int file)
{
	const char *while_there = getenv("SHIM_HANG");
	char hung[4096];

	if (!while_there || access(while_there, F_OK) || !is_profile(file))
		return;
	snprintf(hung, sizeof(hung), "%s.hung", while_there);
	note(hung);
	while (access(while_there, F_OK) == 0)
		usleep(10000);
}

ssize_t pwrite64(int file, const void *bytes, size_t size, off64_t at)
{
	static ssize_t (*real)(int, const void *, size_t, off64_t);

	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "pwrite64");
	hang(file);
	return real(file, bytes, size, at);
}

ssize_t pwrite(int file, const void *bytes, size_t size, off_t at)
{
	return pwrite64(file, bytes, size, at);
}

int fdatasync(int file)
{
	static int (*real)(int);

	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "fdatasync");
	hang(file);
	return real(file);
}

/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* no_memory: see no_memory.h. */
#include "no_memory.h"

#include <errno.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/types.h>

long no_memory_at, no_memory_asked;
bool no_memory_on;

void *__real_mmap(
	void *address, size_t length, int protection, int flags, int fd, off_t offset);
void *__wrap_mmap(
	void *address, size_t length, int protection, int flags, int fd, off_t offset);
void *__real_mremap(void *address, size_t old, size_t length, int flags, ...);
void *__wrap_mremap(void *address, size_t old, size_t length, int flags, ...);

bool no_memory(void)
{
	no_memory_asked++;
	if (no_memory_at == 0)
		return false;
	return no_memory_on ? no_memory_asked >= no_memory_at : no_memory_asked == no_memory_at;
}

void *__wrap_mmap(void *address, size_t length, int protection, int flags, int fd, off_t offset)
{
	if (!no_memory())
		return __real_mmap(address, length, protection, flags, fd, offset);
	errno = ENOMEM;
	return MAP_FAILED;
}

/* Also the ones that shrink: the kernel may have to split a mapping for that. */
void *__wrap_mremap(void *address, size_t old, size_t length, int flags, ...)
{
	if (!no_memory())
		return __real_mremap(address, old, length, flags);
	errno = ENOMEM;
	return MAP_FAILED;
}

/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * perf_page: the three system calls behind every use of perf events.
 */
#include "metric/perf_page.h"

#include <errno.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

int perf_page_event(struct perf_event_attr *attr, int group)
{
	long fd = syscall(SYS_perf_event_open, attr, 0, -1, group, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : (int)fd;
}

static size_t perf_page_size(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

struct perf_event_mmap_page *perf_page_map(int fd)
{
	void *page = mmap(NULL, perf_page_size(), PROT_READ, MAP_SHARED, fd, 0);

	return page == MAP_FAILED ? NULL : page;
}

void perf_page_unmap(struct perf_event_mmap_page *page)
{
	if (page)
		munmap(page, perf_page_size());
}

struct perf_event_mmap_page *perf_page_dummy(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_DUMMY,
		.exclude_kernel = 1, /* allowed at perf_event_paranoid 2 */
		.exclude_hv = 1,
	};
	struct perf_event_mmap_page *page;
	int fd = perf_page_event(&attr, -1);

	if (fd < 0)
		return NULL;
	page = perf_page_map(fd);
	close(fd);
	return page;
}

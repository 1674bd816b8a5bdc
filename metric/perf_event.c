/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * perf_event: opening, reading, and why it cannot be opened.
 */
#include "metric/perf_event.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#include "metric/perf_page.h"
#include "user_counter.h"

/* Descriptors below are left to the application. */
#define PERF_FIRST_DESCRIPTOR 512

/* Descriptors in use here, over all threads. */
static _Atomic uint64_t perf_descriptors;

#define PERF_PARANOID_FILE "/proc/sys/kernel/perf_event_paranoid"

/* What read() gives with attr.read_format as below. */
struct perf_reading {
	uint64_t count, enabled, running; /* ns: wanted to count, did count */
};

static atomic_uint_fast64_t perf_lost;

static struct perf_event_attr perf_attr(const struct perf_event_choice *choice, bool leads)
{
	return (struct perf_event_attr){
		.type = choice->type,
		.size = sizeof(struct perf_event_attr),
		.config = choice->config,
		.config1 = choice->config1,
		.config2 = choice->config2,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
		/* On the processor whole, or in error: never taking turns. Only a leader may
		 * say so, and says it for its group. */
		.pinned = choice->hardware && leads,
		.exclude_user = choice->exclude_user,
		.exclude_kernel = choice->exclude_kernel,
		.exclude_hv = choice->exclude_hv,
		.exclude_guest = choice->exclude_guest,
		.exclude_host = choice->exclude_host,
	};
}

/* Opens a hardware event so that it can be read from user space, if the kernel has that. */
static int perf_open_hardware(struct perf_event_attr *attr, int group)
{
	static const uint64_t wish[] = USER_COUNTER_CONFIG1;
	const uint64_t config1 = attr->config1;
	int fd = -EINVAL;

	for (size_t i = 0; i < sizeof(wish) / sizeof(*wish); i++) {
		attr->config1 = config1 | wish[i];
		fd = perf_page_event(attr, group);
		if (fd != -EINVAL && fd != -EOPNOTSUPP)
			break;
	}
	return fd;
}

/* The same file behind a number that the application would not expect to be free. */
static int perf_move_up(int fd)
{
	int moved = fcntl(fd, F_DUPFD_CLOEXEC, PERF_FIRST_DESCRIPTOR);

	if (moved < 0)
		return fd;
	close(fd);
	return moved;
}

/* Takes one of the descriptors that may be ours: a quarter of those the process may have, so
 * that the application never runs out of them because of us. */
static bool perf_take_descriptor(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
		return false;
	if (atomic_fetch_add_explicit(&perf_descriptors, 1, memory_order_relaxed) <
		limit.rlim_cur / 4)
		return true;
	atomic_fetch_sub_explicit(&perf_descriptors, 1, memory_order_relaxed);
	return false;
}

int perf_counter_open(struct perf_counter *counter, const struct perf_event_choice *choice,
	const struct perf_counter *leader)
{
	struct perf_event_attr attr = perf_attr(choice, leader == NULL);
	bool user_read = choice->hardware && choice->user_read && !choice->force_read;
	int group = leader ? leader->fd - 1 : -1;
	int fd;

	*counter = (struct perf_counter){0};
	if (!perf_take_descriptor())
		return -EMFILE;
	fd = user_read ? perf_open_hardware(&attr, group) : perf_page_event(&attr, group);
	if (fd < 0) {
		atomic_fetch_sub_explicit(&perf_descriptors, 1, memory_order_relaxed);
		return fd;
	}
	fd = perf_move_up(fd);
	counter->fd = fd + 1;
	if (user_read)
		counter->page = perf_page_map(fd);
	return 0;
}

void perf_counter_close(struct perf_counter *counter)
{
	perf_page_unmap(counter->page);
	if (counter->fd) {
		close(counter->fd - 1);
		atomic_fetch_sub_explicit(&perf_descriptors, 1, memory_order_relaxed);
	}
	counter->page = NULL;
	counter->fd = 0;
}

/* False if the event is not open or in error (a pinned one that found no counter). */
static bool perf_read_kernel(const struct perf_counter *counter, struct perf_reading *reading)
{
	int saved = errno;
	bool whole = counter->fd != 0 &&
		     read(counter->fd - 1, reading, sizeof(*reading)) == sizeof(*reading);

	errno = saved;
	return whole;
}

/* All the time but for what is lost while it is being opened. */
static bool perf_reading_is_whole(const struct perf_reading *reading)
{
	return reading->running != 0 &&
	       reading->running + reading->running / 64 + 10000 >= reading->enabled;
}

const char *perf_event_unit(const struct perf_event_choice *choice)
{
	bool is_clock = choice->type == PERF_TYPE_SOFTWARE &&
			(choice->config == PERF_COUNT_SW_CPU_CLOCK ||
				choice->config == PERF_COUNT_SW_TASK_CLOCK);

	return is_clock ? "ns" : "count";
}

bool perf_counter_counts(const struct perf_counter *counter)
{
	struct perf_reading reading;

	return perf_read_kernel(counter, &reading) && perf_reading_is_whole(&reading);
}

/* The counter's bits above its width are not those of the sum. */
static uint64_t perf_sign_extend(uint64_t count, unsigned width)
{
	if (width == 0 || width >= 64)
		return count;
	return (uint64_t)((int64_t)(count << (64 - width)) >> (64 - width));
}

/* The protocol of linux/perf_event.h, struct perf_event_mmap_page: the page is whole when
 * `lock` was the same before and after; index 0 means that the event is not in a counter
 * that may be read from here, whatever cap_user_rdpmc says. */
static bool perf_read_user(const volatile struct perf_event_mmap_page *page, uint64_t *count)
{
	uint32_t lock;

	do {
		uint32_t index;

		lock = page->lock;
		atomic_signal_fence(memory_order_seq_cst);
		index = page->index;
		if (index == 0 || !page->cap_user_rdpmc)
			return false;
		*count = (uint64_t)page->offset +
			 perf_sign_extend(user_counter_read(index), page->pmc_width);
		atomic_signal_fence(memory_order_seq_cst);
	} while (page->lock != lock);
	return true;
}

bool perf_counter_is_fast(const struct perf_counter *counter)
{
	uint64_t count;

	return counter->page && perf_read_user(counter->page, &count);
}

static void perf_counter_lose(struct perf_counter *counter)
{
	if (counter->lost)
		return;
	counter->lost = true;
	atomic_fetch_add_explicit(&perf_lost, 1, memory_order_relaxed);
}

uint64_t perf_counter_read(struct perf_counter *counter)
{
	uint64_t now = 0;

	if (!counter->page || !perf_read_user(counter->page, &now)) {
		struct perf_reading reading;

		if (perf_read_kernel(counter, &reading))
			now = reading.count;
		else
			reading.running = 0;
		if (!perf_reading_is_whole(&reading))
			perf_counter_lose(counter);
	}
	if (now > counter->last)
		counter->last = now;
	return counter->last;
}

uint64_t perf_counter_from_outside(const struct perf_counter *counter, uint64_t floor)
{
	struct perf_reading reading;

	if (!perf_read_kernel(counter, &reading) || reading.count < floor)
		return floor;
	return reading.count;
}

uint64_t perf_event_losses(void)
{
	return atomic_load_explicit(&perf_lost, memory_order_relaxed);
}

/* kernel.perf_event_paranoid, or -100 if it cannot be read. */
static int perf_paranoid(void)
{
	FILE *file = fopen(PERF_PARANOID_FILE, "re");
	int level = -100;

	if (!file)
		return level;
	if (fscanf(file, "%d", &level) != 1)
		level = -100;
	fclose(file);
	return level;
}

static int perf_explain_denied(
	struct error *error, const char *name, const struct perf_event_choice *choice)
{
	/* Linux, Documentation/admin-guide/perf-security.rst; 3 is Debian's and Android's. */
	int level = perf_paranoid(), most = choice->exclude_kernel ? 2 : 1;

	if (level > most)
		return error_set(error, ERROR_DENIED,
			"cannot count '%s': kernel.perf_event_paranoid is %d: an ordinary user "
			"needs %d (sysctl kernel.perf_event_paranoid=%d), or the capability "
			"CAP_PERFMON",
			name, level, most, most);
	return error_set(error, ERROR_DENIED,
		"cannot count '%s': perf_event_open is forbidden here, though "
		"kernel.perf_event_paranoid is %d: a container's seccomp profile or a security "
		"module forbids it",
		name, level);
}

int perf_event_explain(struct error *error, const char *name,
	const struct perf_event_choice *choice, int errno_value)
{
	switch (errno_value) {
	case EACCES:
	case EPERM:
		return perf_explain_denied(error, name, choice);
	case ENOENT:
	case ENODEV:
	case ENXIO:
	case EOPNOTSUPP:
		return error_set(error, ERROR_MISSING,
			"cannot count '%s': this machine has no %s", name,
			choice->hardware ? "such counter (virtual machines often have none)"
					 : "such event");
	case EINVAL:
		return error_set(error, ERROR_MISSING,
			"cannot count '%s': this machine's counters cannot count it so", name);
	case ENOSYS:
		return error_set(error, ERROR_MISSING,
			"cannot count '%s': this kernel has no perf events", name);
	case EMFILE:
	case ENFILE:
		return error_set(error, ERROR_MEMORY,
			"cannot count '%s': no descriptor is left (ulimit -n)", name);
	case EBUSY:
		return error_set(error, ERROR_BUSY,
			"cannot count '%s': somebody else uses the counters alone", name);
	default:
		return error_set_errno(
			error, ERROR_MISSING, errno_value, "cannot count '%s'", name);
	}
}
